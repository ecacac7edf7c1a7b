#include "http/api/activities/feed_questions.hpp"

#include "http/api/people/questions.hpp"
#include "http/call/list_body.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>
#include <array>

namespace credence::http::v2 {

namespace {

using reputation::feed_kind;
using reputation::feed_side;

/// All that clients know. A filter may name any; there are only records of some.
constexpr std::array<std::string_view, 18> type_names{"attestation",
                                                      "bond",
                                                      "broker-post",
                                                      "closed-slash",
                                                      "human-verification",
                                                      "invitation-accepted",
                                                      "market",
                                                      "market-vote",
                                                      "open-slash",
                                                      "project",
                                                      "reply",
                                                      "review",
                                                      "slash",
                                                      "unvouch",
                                                      "vote",
                                                      "vouch",
                                                      "vouchV2",
                                                      "xp-tip"};

std::optional<feed_kind> kind_called(std::string_view name) {
  const auto found = std::find(reputation::feed_kind_names.begin(), reputation::feed_kind_names.end(), name);
  if (found == reputation::feed_kind_names.end())
    return std::nullopt;
  return static_cast<feed_kind>(found - reputation::feed_kind_names.begin());
}

std::string all_types() {
  std::string out;
  for (const auto each : type_names)
    out.append(out.empty() ? "" : ", ").append(each);
  return out;
}

bool is_type(std::string_view name) { return std::find(type_names.begin(), type_names.end(), name) != type_names.end(); }

std::optional<std::vector<feed_kind>> read_filter(json_body& body) {
  const auto names = body.texts("filter", type_names.size());
  if (!names)
    return std::nullopt;
  std::vector<feed_kind> out;
  for (const auto name : *names) {
    if (!is_type(name))
      body.issue("each item of filter must be one of " + all_types() + ", not " + shown(name));
    if (const auto kind = kind_called(name))
      out.push_back(*kind);
  }
  return out;
}

reputation::feed_order read_feed_order(json_body& body) {
  static constexpr std::array<std::string_view, 2> fields{"timestamp", "votes"};
  const auto order = read_order(body, fields);
  if (order.field == 1)
    return order.ascending ? reputation::feed_order::fewest_votes : reputation::feed_order::most_votes;
  return order.ascending ? reputation::feed_order::oldest : reputation::feed_order::newest;
}

std::optional<profile_id> viewer_of(const call& c) { return c.caller() ? std::optional{c.caller()->profile} : std::nullopt; }

people::lookup_key read_whose(json_body& body) {
  const auto text = body.text("userkey");
  if (!text) {
    if (body.good())
      body.issue("userkey is required, such as profileId:7 or address:0x…");
    return {};
  }
  auto key = parse_userkey(*text);
  if (key)
    return *std::move(key);
  body.issue("userkey: " + key.why().detail);
  return {};
}

} // namespace

outcome<feed_order> read_feed(const call& c, feed_side side) {
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  feed_order out;
  auto& feed = out.feed;
  feed.side = side;
  if (side != feed_side::everybody)
    out.whose = read_whose(*body);
  feed.kinds = read_filter(*body);
  feed.with_archived = !body->boolean("excludeHistorical").value_or(false);
  feed.with_spam = !body->boolean("excludeSpam").value_or(false);
  if (const auto at = read_one_of_if_any(*body, "reviewScore", reputation::review_score_names))
    feed.score = static_cast<reputation::review_score>(*at);
  feed.author_score_min = read_integer_if_any(*body, "minAuthorScore", 0, 2800);
  feed.order = read_feed_order(*body);
  feed.slice = read_list_page(*body, limits::feed_limit_max);
  feed.viewer = viewer_of(c);
  if (!body->good())
    return body->why();
  return out;
}

outcome<feed_order> read_feed_query(const call& c) {
  parameters given{c.query()};
  feed_order out;
  out.feed.side = feed_side::both;
  out.whose = read_key(given, "userkey", &parse_userkey);
  out.feed.slice = read_list_page(given, limits::feed_limit_max);
  out.feed.viewer = viewer_of(c);
  if (!given.good())
    return given.why();
  return out;
}

outcome<reputation::get_feed_rows> read_feed_keys(const call& c) {
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  reputation::get_feed_rows out;
  out.viewer = viewer_of(c);
  for (std::size_t i = 0; i < reputation::feed_kind_names.size(); ++i)
    if (const auto ids = read_ids_if_any<id<struct activity_tag>>(*body, reputation::feed_kind_names[i], limits::bulk_records_max))
      for (const auto each : *ids)
        out.which.push_back({static_cast<feed_kind>(i), each.value});
  if (body->good() && out.which.empty())
    body->issue("the body must name activities, such as {\"review\": [1, 2], \"vouch\": [3]}");
  if (!body->good())
    return body->why();
  return out;
}

outcome<reputation::get_feed_rows> read_feed_key(const call& c) {
  parameters given{c.query()};
  const auto type = c.path_part("type");
  const auto number = given.path_id<id<struct activity_tag>>("id", c.path_part("id"));
  if (!is_type(type))
    given.issue("type must be one of " + all_types() + ", not " + shown(type));
  if (!given.good())
    return given.why();
  const auto kind = kind_called(type);
  if (!kind)
    return refusal{refusal_code::not_found, "there are no activities of this type here"};
  return reputation::get_feed_rows{{{*kind, number.value}}, viewer_of(c)};
}

refusal read_feed_transaction(const call& c) {
  parameters given{c.query()};
  const auto type = c.path_part("type");
  const auto hash = c.path_part("hash");
  if (!is_type(type))
    given.issue("type must be one of " + all_types() + ", not " + shown(type));
  const bool digits = hash.size() == 66 && hash.starts_with("0x") && hash.find_first_not_of("0123456789abcdefABCDEF", 2) == hash.npos;
  if (!digits)
    given.issue("hash must be 0x and 64 hexadecimal digits, not " + shown(hash));
  if (!given.good())
    return given.why();
  return {refusal_code::not_found,
          "activities are not found by their transaction here: ask GET /api/v2/transactions/{hash}/processed, or for the activity by its id"};
}

} // namespace credence::http::v2
