#include "http/api/people/user_cards.hpp"

#include "http/call/parameters.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace credence::http {

namespace {

constexpr std::array<std::string_view, 4> verification_names{"REQUESTED", "VERIFIED", "REVOKED", "PENDING"};

constexpr std::int32_t token_decimals = 18;

/// A value as it stands in a query (RFC 3986, 3.4).
std::string in_query(std::string_view text) {
  constexpr auto digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
                       || std::string_view{"-._~:"}.find(c) != std::string_view::npos;
    if (plain) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    ((out += '%') += digits[byte >> 4]) += digits[byte & 15];
  }
  return out;
}

void encode_links(json_writer& to, const people::user& who, const user_format& how) {
  const auto base = how.public_url + "/api/v2";
  // People without a profile are known by their user id, and by their first key.
  const auto key = who.profile             ? "profileId:" + std::to_string(who.profile->value)
                   : !who.userkeys.empty() ? in_query(who.userkeys.front())
                                           : std::string{};
  const auto by_id = base + "/user/" + std::to_string(who.id.value);
  to.begin_object();
  to.field("profile", who.profile ? base + "/user/by/profile-id/" + std::to_string(who.profile->value) : by_id);
  to.field("scoreBreakdown", key.empty() ? by_id : base + "/score/breakdown?userkey=" + key);
  to.end_object();
}

void encode_lifetime(json_writer& to, json_name name, const people::wei_text& amount, std::int64_t count) {
  to.object(name, [&] {
    encode_wei(to, "amountWeiTotal", "amountWeiTotalText", amount);
    to.field("count", count);
  });
}

void encode_token(json_writer& to, const people::token_vouches& vouches, std::string_view token) {
  to.begin_object();
  to.object("balance", [&] {
    encode_wei(to, "given", "givenText", vouches.given);
    encode_wei(to, "received", "receivedText", vouches.received);
  });
  to.object("count", [&] {
    to.field("given", vouches.given_count);
    to.field("received", vouches.received_count);
  });
  to.object("token", [&] {
    to.field("address", nullptr);
    to.field("decimals", token_decimals);
    to.field("id", token);
  });
  to.end_object();
}

void encode_stats(json_writer& to, json_name name, const people::user& who, const user_format& how) {
  to.object(name, [&] {
    if (who.holdings_wei) {
      encode_wei(to, "holdingsWei", "holdingsWeiText", *who.holdings_wei);
    } else {
      to.field("holdingsWei", nullptr);
      to.field("holdingsWeiText", nullptr);
    }
    to.object("review", [&] {
      to.object("received", [&] {
        to.field("negative", who.reviews_negative);
        to.field("neutral", who.reviews_neutral);
        to.field("positive", who.reviews_positive);
      });
    });
    if (how.with_vouch) {
      to.object("vouch", [&] {
        encode_lifetime(to, "given", who.vouch_lifetime.given, who.vouch_lifetime.given_count);
        encode_lifetime(to, "received", who.vouch_lifetime.received, who.vouch_lifetime.received_count);
      });
    }
    to.array("vouchTotals", [&] {
      encode_token(to, who.vouches_eth, "eth");
      encode_token(to, who.vouches_whuf, "whuf");
    });
  });
}

} // namespace

timestamp vouch_removed_at(const settings::http& from) {
  const auto last_day = parse_moment(from.stats_vouch_removed_after, day_edge::end);
  if (!last_day)
    throw std::invalid_argument("stats_vouch_removed_after must be a date such as 2026-10-20, not '"
                                + from.stats_vouch_removed_after + "'");
  return *last_day + std::chrono::microseconds{1};
}

void encode_wei(json_writer& to, json_name name, json_name text_name, std::string_view digits) {
  const std::string_view known = digits.empty() ? "0" : digits;
  to.key(name);
  to.raw(known);
  to.field(text_name, known);
}

std::string_view name_of(people::human_verification status) {
  return verification_names[static_cast<std::size_t>(status)];
}

void encode_members(json_writer& to, const people::user& who, const user_format& how) {
  to.field("id", who.id);
  to.field("profileId", who.profile);
  to.field("displayName", who.display_name);
  to.field("username", who.username);
  to.field("avatarUrl", who.avatar_url);
  to.field("description", who.description);
  to.field("score", who.score);
  to.field("status", name_of(who.status));
  to.array("userkeys", who.userkeys, [&](const auto& each) { to.value(each); });
  to.field("xpTotal", who.xp_total);
  to.field("xpStreakDays", who.xp_streak_days);
  to.field("xpRemovedDueToAbuse", who.xp_removed_due_to_abuse);
  to.field("influenceFactor", who.influence_factor);
  to.field("influenceFactorPercentile", who.influence_percentile);
  to.field("humanVerificationStatus", who.verification ? std::optional{name_of(*who.verification)} : std::nullopt);
  to.field("validatorNftCount", who.validator_nft_count);
  to.key("links");
  encode_links(to, who, how);
  encode_stats(to, "stats", who, how);
}

const people::found_person* known_keys::find(const people::lookup_key& key, steady_time now) const {
  const auto at = by_key_.find(key);
  if (at == by_key_.end() || now - at->second->found_at > age_max)
    return nullptr;
  return &at->second->found;
}

void known_keys::take(const people::lookup_key& key, const people::found_person& found, steady_time now) {
  if (const auto at = by_key_.find(key); at != by_key_.end()) {
    at->second->found = found;
    at->second->found_at = now;
    entries_.splice(entries_.begin(), entries_, at->second);
    return;
  }
  if (by_key_.size() >= entries_max_ && !entries_.empty()) {
    by_key_.erase(entries_.back().key);
    entries_.pop_back();
  }
  entries_.push_front({key, found, now});
  by_key_.emplace(key, entries_.begin());
}

namespace {

/// Other programs may edit users; what they change is seen this soon.
constexpr std::chrono::seconds age_max{60};

/// What a card costs beside its text: list node, index node, bucket.
constexpr std::size_t overhead = 160;

/// What is kept of listings may take one part in so many of the bytes of all cards. Past it all of it goes, and is
/// encoded anew.
constexpr std::size_t share_kept = 4;
/// A text costs so many times its size, as the listing stays in memory with it, which is about as large.
constexpr std::size_t kept_costs = 2;

} // namespace

user_cards::user_cards(const people::people_index& known, const settings::http& how, std::size_t bytes_max)
  : known_(known), vouch_removed_at_(vouch_removed_at(how)),
    keep_vouch_(how.keep_stats_vouch), format_{how.public_url, false}, bytes_max_(bytes_max) {}

std::size_t user_cards::weight(const card& of) noexcept { return of.json.size() + overhead; }

void user_cards::drop_oldest() {
  bytes_ -= weight(cards_.back());
  by_profile_.erase(cards_.back().who);
  cards_.pop_back();
}

void user_cards::clear() {
  by_profile_.clear();
  cards_.clear();
  bytes_ = 0;
  clear_kept();
}

void user_cards::clear_kept() {
  kept_.clear();
  bytes_kept_ = 0;
}

void user_cards::begin(pass which, timestamp now) {
  pass_ = which;
  ++passes_;
  now_ = now;
  missing_.clear();
  if (which == pass::second)
    return; // whatever was taken in for this answer has to stay
  const bool with_vouch = keep_vouch_ || now < vouch_removed_at_;
  if (with_vouch != format_.with_vouch)
    clear();
  format_.with_vouch = with_vouch;
  while (bytes_ > bytes_max_)
    drop_oldest();
}

bool user_cards::write(json_writer& to, profile_id who) {
  const auto found = by_profile_.find(who);
  const auto version = known_.version_of(who);
  if (found == by_profile_.end()
      || (pass_ == pass::first && (found->second->version != version || now_ - found->second->fetched_at > age_max))) {
    missing_.push_back({who, version});
    return false;
  }
  if (std::exchange(found->second->used_in, passes_)
      != passes_) // once a pass: the best voters of one project lead others as well
    cards_.splice(cards_.begin(), cards_, found->second);
  const auto& json = found->second->json;
  if (json.empty())
    return false;
  to.raw(json);
  return true;
}

void user_cards::keep(std::shared_ptr<const void> of, std::size_t part, std::string_view members) {
  const auto cost = kept_costs * members.size() + overhead;
  if (bytes_kept_ + cost > bytes_max_ / share_kept)
    clear_kept();
  auto& mine = kept_[of.get()];
  mine.of = std::move(of);
  mine.members[part] = members;
  bytes_kept_ += cost;
}

std::vector<user_cards::wanted> user_cards::take_missing() {
  const auto by_id = [](const wanted& a, const wanted& b) { return a.who < b.who; };
  const auto same = [](const wanted& a, const wanted& b) { return a.who == b.who; };
  std::sort(missing_.begin(), missing_.end(), by_id);
  missing_.erase(std::unique(missing_.begin(), missing_.end(), same), missing_.end());
  return std::move(missing_);
}

void user_cards::take(std::span<const wanted> keys, std::span<const people::user_ptr> came) {
  const auto count = std::min(keys.size(), came.size());
  for (std::size_t i = 0; i < count; ++i) {
    card fresh{keys[i].who, keys[i].version, passes_, now_, {}};
    if (came[i]) {
      json_writer to{fresh.json};
      encode(to, *came[i], format_);
      fresh.json.shrink_to_fit();
    }
    bytes_ += weight(fresh);
    if (const auto old = by_profile_.find(fresh.who); old != by_profile_.end()) {
      bytes_ -= weight(*old->second);
      *old->second = std::move(fresh);
      cards_.splice(cards_.begin(), cards_, old->second);
    } else {
      cards_.push_front(std::move(fresh));
      by_profile_.emplace(cards_.front().who, cards_.begin());
    }
  }
}

} // namespace credence::http
