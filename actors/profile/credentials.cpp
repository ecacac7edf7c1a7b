#include "actors/profile/credentials.hpp"

#include <algorithm>

namespace credence::profile {

partners::partners(stored_partners stored) : grants_(std::move(stored.grants)) {
  for (auto& each : stored.codes)
    codes_.push_back({std::move(each)});
}

// -- deciding ----------------------------------------------------------------------------

outcome<partner_switched> partners::decide(const switch_partner& command, timestamp now) const {
  if (!command.enabled && !last(command.origin))
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

const partner_grant* partners::last(const std::string& origin) const {
  const auto found =
    std::find_if(switches_.rbegin(), switches_.rend(), [&](const auto& each) { return each.origin == origin; });
  return found == switches_.rend() ? find(origin) : &*found;
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

namespace {

template <class Entries>
auto* with_id(Entries& in, const std::string& id) {
  const auto found = std::find_if(in.begin(), in.end(), [&](const auto& each) { return each.value.id == id; });
  return found == in.end() ? nullptr : &*found;
}

refusal no_such_session(const std::string& id) {
  return {refusal_code::session_not_found, "you have no session " + id};
}

} // namespace

credentials::credentials(stored_credentials stored, std::chrono::seconds idle)
  : idle_(idle), live_(stored.live), api_access_(stored.api_access), partners_(std::move(stored.partners)) {
  for (auto& [key, hash] : stored.keys)
    keys_.push_back({std::move(key), phase::here, hash});
  for (auto& each : stored.sessions)
    sessions_.push_back({std::move(each)});
  for (auto& each : stored.nonces)
    nonces_.push_back({std::move(each)});
  set_without_wallet(stored.without_wallet);
}

void credentials::set_without_wallet(const std::vector<std::string>& ids) {
  const auto mark = [&](auto& entries) {
    for (auto& each : entries)
      each.without_wallet = each.now != phase::coming && std::find(ids.begin(), ids.end(), each.value.id) != ids.end();
  };
  mark(keys_);
  mark(sessions_);
}

namespace {

template <class Entries, class Phase>
std::vector<std::string> to_be_ended(const Entries& among, Phase here) {
  std::vector<std::string> out;
  for (const auto& each : among)
    if (each.without_wallet && each.now == here)
      out.push_back(each.value.id);
  return out;
}

} // namespace

std::vector<std::string> credentials::keys_without_wallet() const { return to_be_ended(keys_, phase::here); }
std::vector<std::string> credentials::sessions_without_wallet() const { return to_be_ended(sessions_, phase::here); }

bool credentials::used(const signed_nonce& which) const {
  return std::any_of(nonces_.begin(), nonces_.end(), [&](const auto& each) { return same(each.value, which); });
}

credentials::entry<api_key>* credentials::key_entry(const std::string& id) { return with_id(keys_, id); }
credentials::entry<session>* credentials::session_entry(const std::string& id) { return with_id(sessions_, id); }

// -- deciding ----------------------------------------------------------------------------

outcome<key_created> credentials::decide(const create_key& command, timestamp now) const {
  if (!live_)
    return refusal{refusal_code::forbidden, "the profile of this wallet is archived"};
  if (!api_access_)
    return refusal{refusal_code::forbidden,
                   "API keys are not enabled for profile " + std::to_string(command.key.profile.value)};
  if (used(command.by))
    return refusal{refusal_code::nonce_reused, "the nonce of this message has been used; sign a new message"};
  const auto active = std::count_if(keys_.begin(), keys_.end(), [now](const auto& each) {
    return each.value.expires_at > now; // one that is being revoked counts until it is
  });
  if (static_cast<std::size_t>(active) >= active_keys_max)
    return refusal{refusal_code::key_limit_reached, "profile " + std::to_string(command.key.profile.value) + " has "
                                                      + std::to_string(active)
                                                      + " active API keys, which is the most; revoke one first"};
  return key_created{command.key, command.token_hash, command.by};
}

outcome<key_revoked> credentials::decide(const revoke_key& command, timestamp now) const {
  const auto* found = with_id(keys_, command.id);
  if (!found || found->now != phase::here)
    return refusal{refusal_code::key_not_found, "you have no API key " + command.id};
  return key_revoked{command.profile, command.id, now};
}

outcome<session_opened> credentials::decide(const open_session& command, timestamp now) const {
  if (command.code) // first: who has no code learns nothing of the profile
    if (auto why = partners_.refuses(*command.code, command.opened.partner, now))
      return *std::move(why);
  if (!live_)
    return refusal{refusal_code::forbidden, "the profile is archived or does not exist"};
  if (command.by && used(*command.by))
    return refusal{refusal_code::nonce_reused, "the nonce of this message has been used; sign a new message"};
  session_opened out{command.opened, command.by, std::nullopt, command.code};
  const entry<session>*oldest = nullptr, *oldest_there = nullptr; // of all, and of the pages that it is opened for
  std::size_t open = 0;
  for (const auto& each : sessions_) {
    if (each.now == phase::going || over(each.value, now))
      continue;
    ++open;
    if (each.now == phase::here && (!oldest || each.value.rotated_at < oldest->value.rotated_at))
      oldest = &each;
    const bool there = each.value.partner == command.opened.partner;
    if (there && each.now == phase::here && (!oldest_there || each.value.rotated_at < oldest_there->value.rotated_at))
      oldest_there = &each;
  }
  if (open >= sessions_max && oldest) // a page that opens many ends its own
    out.in_place_of = (oldest_there ? oldest_there : oldest)->value.id;
  return out;
}

outcome<nonce_used> credentials::decide(const use_nonce& command, timestamp now) const {
  if (!live_)
    return refusal{refusal_code::forbidden, "the profile is archived or does not exist"};
  if (used(command.by))
    return refusal{refusal_code::nonce_reused, "the nonce of this message has been used; sign a new message"};
  return nonce_used{command.profile, command.by, now};
}

outcome<sessions_ended> credentials::decide(const end_session& command, timestamp now) const {
  const auto* found = with_id(sessions_, command.id);
  if (!found || found->now != phase::here)
    return no_such_session(command.id);
  return sessions_ended{command.profile, {command.id}, now};
}

outcome<sessions_ended> credentials::decide(const end_other_sessions& command, timestamp now) const {
  sessions_ended out{command.profile, {}, now};
  for (const auto& each : sessions_)
    if (each.now == phase::here && each.value.id != command.but)
      out.ids.push_back(each.value.id);
  return out;
}

namespace {

refusal not_live(profile_id which) {
  return {refusal_code::profile_not_live,
          "profile " + std::to_string(which.value) + " is archived or does not exist; only live profiles may do this"};
}

} // namespace

outcome<partner_switched> credentials::decide(const switch_partner& command, timestamp now) const {
  if (!live_ && (command.enabled || !command.by_order))
    return not_live(command.profile);
  return partners_.decide(command, now);
}

outcome<partner_code_made> credentials::decide(const make_partner_code& command, timestamp now) const {
  if (!live_)
    return not_live(command.profile);
  return partners_.decide(command, now);
}

bool credentials::holds(const entry<session>& which, timestamp now) const {
  return which.now != phase::coming && !which.without_wallet && !over(which.value, now);
}

bool credentials::over(const session& which, timestamp now) const {
  return now >= which.expires_at || now >= which.rotated_at + idle_;
}

credentials::presented credentials::judge(const refresh_session& command, timestamp now) const {
  const auto* found = with_id(sessions_, command.id);
  if (!found || found->now != phase::here || !holds(*found, now) || !live_ || found->value.partner != command.partner)
    return presented::unknown;
  if (same_in_constant_time(found->value.refresh_hash, command.presented))
    return found->rotating ? presented::just_replaced : presented::current;
  // A clock that was set back makes this longer, never shorter.
  if (found->value.previous_hash && same_in_constant_time(*found->value.previous_hash, command.presented)
      && now < found->value.rotated_at + refresh_leeway)
    return presented::just_replaced;
  return presented::stolen;
}

session_rotated credentials::rotate(const refresh_session& command, timestamp now) const {
  auto next = with_id(sessions_, command.id)->value;
  next.previous_hash = next.refresh_hash;
  next.refresh_hash = command.fresh;
  next.rotated_at = now;
  return {next};
}

/// Those that expired first go, as long as there are more than are kept.
void credentials::forget_expired_keys(timestamp now) {
  while (keys_.size() > keys_max) {
    const auto first = std::min_element(keys_.begin(), keys_.end(), [](const auto& a, const auto& b) {
      return std::pair{a.now != phase::here, a.value.expires_at} < std::pair{b.now != phase::here, b.value.expires_at};
    });
    if (first->now != phase::here || first->value.expires_at > now)
      return;
    keys_.erase(first);
  }
}

/// Those whose message had expired a day before this one does are refused by that.
void credentials::note_used(const signed_nonce& which) {
  std::erase_if(nonces_, [&](const auto& each) {
    return each.now == phase::here && each.value.expires_at < which.expires_at - nonces_kept_for;
  });
  nonces_.push_back({which, phase::coming});
}

void credentials::commit_used(const signed_nonce& which) {
  for (auto& each : nonces_)
    if (same(each.value, which))
      each.now = phase::here;
}

// -- pending -----------------------------------------------------------------------------

void credentials::apply(const key_created& change) {
  keys_.push_back({change.key, phase::coming, change.token_hash});
  forget_expired_keys(change.key.created_at);
  note_used(change.by);
}

void credentials::apply(const key_revoked& change) { key_entry(change.id)->now = phase::going; }

void credentials::apply(const session_opened& change) {
  sessions_.push_back({change.opened, phase::coming});
  if (change.by)
    note_used(*change.by);
  if (change.code)
    partners_.use(*change.code);
  if (change.in_place_of)
    session_entry(*change.in_place_of)->now = phase::going;
}

void credentials::apply(const session_rotated& change) { session_entry(change.now.id)->rotating = true; }

void credentials::apply(const sessions_ended& change) {
  for (const auto& each : change.ids)
    session_entry(each)->now = phase::going;
}

// -- committed ---------------------------------------------------------------------------

void credentials::commit(const key_created& change) {
  key_entry(change.key.id)->now = phase::here;
  for (auto& each : nonces_)
    if (same(each.value, change.by))
      each.now = phase::here;
}

void credentials::commit(const key_revoked& change) {
  std::erase_if(keys_, [&](const auto& each) { return each.value.id == change.id; });
}

void credentials::commit(const session_opened& change) {
  session_entry(change.opened.id)->now = phase::here;
  if (change.by)
    commit_used(*change.by);
  if (change.code)
    partners_.commit_use(*change.code);
  if (change.in_place_of)
    std::erase_if(sessions_, [&](const auto& each) { return each.value.id == *change.in_place_of; });
}

void credentials::commit(const session_rotated& change) {
  if (auto* found = session_entry(change.now.id)) {
    found->value = change.now;
    found->rotating = false;
  }
}

void credentials::commit(const sessions_ended& change) {
  std::erase_if(sessions_, [&](const auto& each) {
    return std::find(change.ids.begin(), change.ids.end(), each.value.id) != change.ids.end();
  });
}

void credentials::take_back() {
  const auto keep_stored = [](auto& entries) {
    std::erase_if(entries, [](const auto& each) { return each.now == phase::coming; });
    for (auto& each : entries) {
      each.now = phase::here;
      each.rotating = false;
    }
  };
  keep_stored(keys_);
  keep_stored(sessions_);
  keep_stored(nonces_);
  partners_.take_back();
}

// -- reading -----------------------------------------------------------------------------

std::vector<api_key> credentials::keys() const {
  std::vector<api_key> out;
  for (const auto& each : keys_)
    if (each.now != phase::coming && !each.without_wallet)
      out.push_back(each.value);
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.created_at > b.created_at; });
  return out;
}

bool credentials::has_key(const std::string& id) const { return with_id(keys_, id) != nullptr; }

const api_key* credentials::key(const std::string& id, const digest32& hash) const {
  const auto* found = with_id(keys_, id);
  const bool there = found && found->now != phase::coming && !found->without_wallet;
  return there && same_in_constant_time(found->hash, hash) ? &found->value : nullptr;
}

const session* credentials::find_session(const std::string& id, timestamp now) const {
  const auto* found = with_id(sessions_, id);
  return found && holds(*found, now) ? &found->value : nullptr;
}

std::vector<session> credentials::sessions(timestamp now) const {
  std::vector<session> out;
  for (const auto& each : sessions_)
    if (holds(each, now))
      out.push_back(each.value);
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.created_at > b.created_at; });
  return out;
}

} // namespace credence::profile
