#include "actors/profile/credentials.hpp"

#include <algorithm>

namespace credence::profile {

namespace {

template <class Entries>
auto* with_id(Entries& in, const std::string& id) {
  const auto found = std::find_if(in.begin(), in.end(), [&](const auto& each) { return each.what.id == id; });
  return found == in.end() ? nullptr : &*found;
}

refusal no_such_session(const std::string& id) { return {refusal_code::session_not_found, "you have no session " + id}; }

} // namespace

credentials::credentials(stored_credentials stored, std::chrono::seconds idle) : idle_(idle), live_(stored.live), api_access_(stored.api_access) {
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
      each.without_wallet = each.now != phase::coming && std::find(ids.begin(), ids.end(), each.what.id) != ids.end();
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
      out.push_back(each.what.id);
  return out;
}

} // namespace

std::vector<std::string> credentials::keys_without_wallet() const { return to_be_ended(keys_, phase::here); }
std::vector<std::string> credentials::sessions_without_wallet() const { return to_be_ended(sessions_, phase::here); }

bool credentials::used(const signed_nonce& which) const {
  return std::any_of(nonces_.begin(), nonces_.end(), [&](const auto& each) { return same(each.what, which); });
}

credentials::entry<api_key>* credentials::key_entry(const std::string& id) { return with_id(keys_, id); }
credentials::entry<session>* credentials::session_entry(const std::string& id) { return with_id(sessions_, id); }

// -- deciding ----------------------------------------------------------------------------

outcome<key_created> credentials::decide(const create_key& asked, timestamp now) const {
  if (!live_)
    return refusal{refusal_code::forbidden, "the profile of this wallet is archived"};
  if (!api_access_)
    return refusal{refusal_code::forbidden, "API keys are not enabled for profile " + std::to_string(asked.key.profile.value)};
  if (used(asked.by))
    return refusal{refusal_code::nonce_reused, "the nonce of this message has been used; sign a new message"};
  const auto active = std::count_if(keys_.begin(), keys_.end(), [now](const auto& each) {
    return each.what.expires_at > now; // one that is being revoked counts until it is
  });
  if (static_cast<std::size_t>(active) >= active_keys_max)
    return refusal{refusal_code::key_limit_reached, "profile " + std::to_string(asked.key.profile.value) + " has " + std::to_string(active)
                                                      + " active API keys, which is the most; revoke one first"};
  return key_created{asked.key, asked.token_hash, asked.by};
}

outcome<key_revoked> credentials::decide(const revoke_key& asked, timestamp now) const {
  const auto* found = with_id(keys_, asked.id);
  if (!found || found->now != phase::here)
    return refusal{refusal_code::key_not_found, "you have no API key " + asked.id};
  return key_revoked{asked.profile, asked.id, now};
}

outcome<session_opened> credentials::decide(const open_session& asked, timestamp now) const {
  if (!live_)
    return refusal{refusal_code::forbidden, "the profile is archived or does not exist"};
  if (asked.by && used(*asked.by))
    return refusal{refusal_code::nonce_reused, "the nonce of this message has been used; sign a new message"};
  session_opened out{asked.opened, asked.by, std::nullopt};
  const entry<session>* oldest = nullptr;
  std::size_t open = 0;
  for (const auto& each : sessions_) {
    if (each.now == phase::going || over(each.what, now))
      continue;
    ++open;
    if (each.now == phase::here && (!oldest || each.what.rotated_at < oldest->what.rotated_at))
      oldest = &each;
  }
  if (open >= sessions_max && oldest)
    out.in_place_of = oldest->what.id;
  return out;
}

outcome<sessions_ended> credentials::decide(const end_session& asked, timestamp now) const {
  const auto* found = with_id(sessions_, asked.id);
  if (!found || found->now != phase::here)
    return no_such_session(asked.id);
  return sessions_ended{asked.profile, {asked.id}, now};
}

outcome<sessions_ended> credentials::decide(const end_other_sessions& asked, timestamp now) const {
  sessions_ended out{asked.profile, {}, now};
  for (const auto& each : sessions_)
    if (each.now == phase::here && each.what.id != asked.but)
      out.ids.push_back(each.what.id);
  return out;
}

bool credentials::holds(const entry<session>& which, timestamp now) const {
  return which.now != phase::coming && !which.without_wallet && !over(which.what, now);
}

bool credentials::over(const session& which, timestamp now) const { return now >= which.expires_at || now >= which.rotated_at + idle_; }

credentials::presented credentials::judge(const refresh_session& asked, timestamp now) const {
  const auto* found = with_id(sessions_, asked.id);
  if (!found || found->now != phase::here || !holds(*found, now) || !live_)
    return presented::unknown;
  if (same_in_constant_time(found->what.refresh_hash, asked.presented))
    return found->rotating ? presented::just_replaced : presented::current;
  // A clock that was set back makes this longer, never shorter.
  if (found->what.previous_hash && same_in_constant_time(*found->what.previous_hash, asked.presented)
      && now < found->what.rotated_at + refresh_leeway)
    return presented::just_replaced;
  return presented::stolen;
}

session_rotated credentials::rotate(const refresh_session& asked, timestamp now) const {
  auto next = with_id(sessions_, asked.id)->what;
  next.previous_hash = next.refresh_hash;
  next.refresh_hash = asked.fresh;
  next.rotated_at = now;
  return {next};
}

/// Those whose message had expired a day before this one does are refused by that.
void credentials::note_used(const signed_nonce& which) {
  std::erase_if(nonces_, [&](const auto& each) { return each.now == phase::here && each.what.expires_at < which.expires_at - nonces_kept_for; });
  nonces_.push_back({which, phase::coming});
}

// -- pending -----------------------------------------------------------------------------

void credentials::apply(const key_created& what) {
  keys_.push_back({what.key, phase::coming, what.token_hash});
  note_used(what.by);
}

void credentials::apply(const key_revoked& what) { key_entry(what.id)->now = phase::going; }

void credentials::apply(const session_opened& what) {
  sessions_.push_back({what.opened, phase::coming});
  if (what.by)
    note_used(*what.by);
  if (what.in_place_of)
    session_entry(*what.in_place_of)->now = phase::going;
}

void credentials::apply(const session_rotated& what) { session_entry(what.now.id)->rotating = true; }

void credentials::apply(const sessions_ended& what) {
  for (const auto& each : what.ids)
    session_entry(each)->now = phase::going;
}

// -- committed ---------------------------------------------------------------------------

void credentials::commit(const key_created& what) {
  key_entry(what.key.id)->now = phase::here;
  for (auto& each : nonces_)
    if (same(each.what, what.by))
      each.now = phase::here;
}

void credentials::commit(const key_revoked& what) {
  std::erase_if(keys_, [&](const auto& each) { return each.what.id == what.id; });
}

void credentials::commit(const session_opened& what) {
  session_entry(what.opened.id)->now = phase::here;
  for (auto& each : nonces_)
    if (what.by && same(each.what, *what.by))
      each.now = phase::here;
  if (what.in_place_of)
    std::erase_if(sessions_, [&](const auto& each) { return each.what.id == *what.in_place_of; });
}

void credentials::commit(const session_rotated& what) {
  if (auto* found = session_entry(what.now.id)) {
    found->what = what.now;
    found->rotating = false;
  }
}

void credentials::commit(const sessions_ended& what) {
  std::erase_if(sessions_, [&](const auto& each) { return std::find(what.ids.begin(), what.ids.end(), each.what.id) != what.ids.end(); });
}

void credentials::take_back() {
  const auto settle = [](auto& entries) {
    std::erase_if(entries, [](const auto& each) { return each.now == phase::coming; });
    for (auto& each : entries) {
      each.now = phase::here;
      each.rotating = false;
    }
  };
  settle(keys_);
  settle(sessions_);
  settle(nonces_);
}

// -- reading -----------------------------------------------------------------------------

std::vector<api_key> credentials::keys() const {
  std::vector<api_key> out;
  for (const auto& each : keys_)
    if (each.now != phase::coming && !each.without_wallet)
      out.push_back(each.what);
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.created_at > b.created_at; });
  return out;
}

const api_key* credentials::key(const std::string& id, const digest32& hash) const {
  const auto* found = with_id(keys_, id);
  const bool there = found && found->now != phase::coming && !found->without_wallet;
  return there && same_in_constant_time(found->hash, hash) ? &found->what : nullptr;
}

const session* credentials::find_session(const std::string& id, timestamp now) const {
  const auto* found = with_id(sessions_, id);
  return found && holds(*found, now) ? &found->what : nullptr;
}

std::vector<session> credentials::sessions(timestamp now) const {
  std::vector<session> out;
  for (const auto& each : sessions_)
    if (holds(each, now))
      out.push_back(each.what);
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.created_at > b.created_at; });
  return out;
}

} // namespace credence::profile
