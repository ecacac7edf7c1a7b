#include "actors/profile/partners.hpp"

#include <algorithm>

namespace credence::profile {

partners::partners(stored_partners stored) : grants_(std::move(stored.grants)) {
  for (auto& each : stored.codes)
    codes_.push_back({std::move(each)});
}

// -- deciding ----------------------------------------------------------------------------

outcome<partner_switched> partners::decide(const switch_partner& command, timestamp now) const {
  const bool coming =
    std::any_of(switches_.begin(), switches_.end(), [&](const auto& each) { return each.origin == command.origin; });
  if (!command.enabled && !coming && !find(command.origin))
    return refusal{refusal_code::not_found, "you have never let pages of that origin act"};
  return partner_switched{command.profile, {command.origin, command.enabled, now}};
}

partner_code_made partners::decide(const make_partner_code& command, timestamp now) const {
  return {command.profile, command.code, now};
}

std::optional<refusal> partners::refuses(const digest32& code, const std::string& origin, timestamp now) const {
  const auto found = std::find_if(codes_.begin(), codes_.end(),
                                  [&](const auto& each) { return same_in_constant_time(each.code.hash, code); });
  if (found != codes_.end() && found->now == phase::here && found->code.origin == origin
      && now < found->code.expires_at)
    return std::nullopt;
  return refusal{refusal_code::code_not_valid, "the code is unknown, was used, has expired, or is for pages of another "
                                               "origin; have the user allow the sign-in again"};
}

// -- pending -----------------------------------------------------------------------------

void partners::apply(const partner_switched& change) { switches_.push_back(change.grant); }

void partners::apply(const partner_code_made& change) {
  std::erase_if(codes_, [&](const auto& each) { return each.now == phase::here && each.code.expires_at <= change.at; });
  if (codes_.size() >= codes_max)
    codes_.erase(codes_.begin());
  codes_.push_back({change.code, phase::coming});
  switches_.push_back({change.code.origin, true, change.at});
}

void partners::use(const digest32& code) {
  for (auto& each : codes_)
    if (each.code.hash == code)
      each.now = phase::going;
}

// -- committed ---------------------------------------------------------------------------

void partners::set(const partner_grant& grant) {
  for (auto& each : grants_)
    if (each.origin == grant.origin) {
      each = grant;
      return;
    }
  grants_.push_back(grant);
}

/// The oldest switch of the origin is committed: changes are stored in the order in which they were sent.
void partners::end_pending(const std::string& origin) {
  const auto found =
    std::find_if(switches_.begin(), switches_.end(), [&](const auto& each) { return each.origin == origin; });
  if (found != switches_.end())
    switches_.erase(found);
}

void partners::commit(const partner_switched& change) {
  set(change.grant);
  end_pending(change.grant.origin);
}

void partners::commit(const partner_code_made& change) {
  for (auto& each : codes_)
    if (each.code.hash == change.code.hash && each.now == phase::coming)
      each.now = phase::here;
  set({change.code.origin, true, change.at});
  end_pending(change.code.origin);
}

void partners::commit_use(const digest32& code) {
  std::erase_if(codes_, [&](const auto& each) { return each.code.hash == code; });
}

void partners::take_back() {
  switches_.clear();
  std::erase_if(codes_, [](const auto& each) { return each.now == phase::coming; });
  for (auto& each : codes_)
    each.now = phase::here;
}

// -- reading -----------------------------------------------------------------------------

const partner_grant* partners::find(const std::string& origin) const {
  const auto found =
    std::find_if(grants_.begin(), grants_.end(), [&](const auto& each) { return each.origin == origin; });
  return found == grants_.end() ? nullptr : &*found;
}

outcome<partner_grant> partners::check(const std::string& origin) const {
  const auto* found = find(origin);
  const bool forbidden_soon = std::any_of(switches_.begin(), switches_.end(),
                                          [&](const auto& each) { return each.origin == origin && !each.enabled; });
  if (!found || !found->enabled || forbidden_soon)
    return refusal{refusal_code::endpoint_disabled,
                   "the user has not let pages of " + origin + " act; the user does that on a page of this service"};
  return *found;
}

std::vector<partner_grant> partners::list() const {
  auto out = grants_;
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.origin < b.origin; });
  return out;
}

} // namespace credence::profile
