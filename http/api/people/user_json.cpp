#include "http/api/people/user_json.hpp"

#include "http/api/people/user_words.hpp"

#include "http/call/parameters.hpp"

#include <array>
#include <stdexcept>

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

void encode_lifetime(json_writer& to, const people::wei_text& amount, std::int64_t count) {
  to.begin_object();
  to.key("amountWeiTotal");
  encode_wei(to, amount);
  to.field("count", count);
  to.end_object();
}

void encode_token(json_writer& to, const people::token_vouches& vouches, std::string_view token) {
  to.begin_object();
  to.key("balance");
  to.begin_object();
  to.key("given");
  encode_wei(to, vouches.given);
  to.key("received");
  encode_wei(to, vouches.received);
  to.end_object();
  to.key("count");
  to.begin_object();
  to.field("given", vouches.given_count);
  to.field("received", vouches.received_count);
  to.end_object();
  to.key("token");
  to.begin_object();
  to.key("address");
  to.null();
  to.field("decimals", token_decimals);
  to.field("id", token);
  to.end_object();
  to.end_object();
}

void encode_stats(json_writer& to, const people::user& who, const user_format& how) {
  to.begin_object();
  to.key("holdingsWei");
  if (who.holdings_wei)
    encode_wei(to, *who.holdings_wei);
  else
    to.null();
  to.key("review");
  to.begin_object();
  to.key("received");
  to.begin_object();
  to.field("negative", who.reviews_negative);
  to.field("neutral", who.reviews_neutral);
  to.field("positive", who.reviews_positive);
  to.end_object();
  to.end_object();
  if (how.with_vouch) {
    to.key("vouch");
    to.begin_object();
    to.key("given");
    encode_lifetime(to, who.vouch_lifetime.given, who.vouch_lifetime.given_count);
    to.key("received");
    encode_lifetime(to, who.vouch_lifetime.received, who.vouch_lifetime.received_count);
    to.end_object();
  }
  to.key("vouchTotals");
  to.begin_array();
  encode_token(to, who.vouches_eth, "eth");
  encode_token(to, who.vouches_whuf, "whuf");
  to.end_array();
  to.end_object();
}

} // namespace

timestamp vouch_removed_at(const settings::http& from) {
  const auto last_day = parse_moment(from.stats_vouch_removed_after, day_edge::end);
  if (!last_day)
    throw std::invalid_argument("stats_vouch_removed_after must be a date such as 2026-10-20, not '"
                                + from.stats_vouch_removed_after + "'");
  return *last_day + std::chrono::microseconds{1};
}

void encode_wei(json_writer& to, std::string_view digits) {
  constexpr std::string_view most{"9223372036854775807"};
  if (digits.empty())
    return to.raw("0");
  if (digits.size() < most.size() || (digits.size() == most.size() && digits <= most))
    return to.raw(digits);
  to.raw(std::string{digits} + ".0"); // a number still, and not one that parsers of 64 bits refuse the whole answer for
}

std::string_view name_of(people::human_verification status) {
  return verification_names[static_cast<std::size_t>(status)];
}

void encode(json_writer& to, const people::user& who, const user_format& how) {
  to.begin_object();
  to.field("id", who.id);
  to.field("profileId", who.profile);
  to.field("displayName", who.display_name);
  to.field("username", who.username);
  to.field("avatarUrl", who.avatar_url);
  to.field("description", who.description);
  to.field("score", who.score);
  to.field("status", name_of(who.status));
  to.key("userkeys");
  to.begin_array();
  for (const auto& each : who.userkeys)
    to.value(each);
  to.end_array();
  to.field("xpTotal", who.xp_total);
  to.field("xpStreakDays", who.xp_streak_days);
  to.field("xpRemovedDueToAbuse", who.xp_removed_due_to_abuse);
  to.field("influenceFactor", who.influence_factor);
  to.field("influenceFactorPercentile", who.influence_percentile);
  to.key("humanVerificationStatus");
  if (who.verification)
    to.value(name_of(*who.verification));
  else
    to.null();
  to.field("validatorNftCount", who.validator_nft_count);
  to.key("links");
  encode_links(to, who, how);
  to.key("stats");
  encode_stats(to, who, how);
  to.end_object();
}

} // namespace credence::http
