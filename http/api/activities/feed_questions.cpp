#include "http/api/activities/feed_questions.hpp"

#include "http/api/people/questions.hpp"
#include "http/call/list_body.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace credence::http::v2 {

namespace {

using reputation::feed_kind;
using reputation::feed_side;

/// Scores that one question may name.
constexpr std::size_t scores_max = 3;

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

/// A type as it is called here, whatever the case of its letters: public clients write `BROKER_POST` for `broker-post`,
/// and `INVITATION` for an invitation that was accepted.
std::string type_of(std::string_view given) {
  std::string out{given};
  if (std::find(type_names.begin(), type_names.end(), given) != type_names.end())
    return out;
  for (char& c : out)
    c = c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (out == "invitation")
    return "invitation-accepted";
  return out == "vouchv2" ? "vouchV2" : out;
}

std::optional<feed_kind> kind_called(std::string_view given) {
  const auto found = std::find(reputation::feed_kind_names.begin(), reputation::feed_kind_names.end(), type_of(given));
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

bool is_type(std::string_view name) {
  return std::find(type_names.begin(), type_names.end(), type_of(name)) != type_names.end();
}

/// Kinds by the names of types; what is wrong is told to `from`, which has them under `name`.
template <class From, class Names>
std::vector<feed_kind> kinds_of(From& from, std::string_view name, const Names& types) {
  std::vector<feed_kind> out;
  for (const auto type : types) {
    if (!is_type(type))
      from.issue("each item of " + std::string{name} + " must be one of " + all_types() + ", not " + shown(type));
    if (const auto kind = kind_called(type))
      out.push_back(*kind);
  }
  return out;
}

std::optional<std::vector<feed_kind>> read_filter(json_body& body) {
  const auto names = body.texts("filter", type_names.size());
  return names ? std::optional{kinds_of(body, "filter", *names)} : std::nullopt;
}

/// Scores of reviews by their names, in letters of either case.
template <class From, class Names>
std::vector<reputation::review_score> scores_of(From& from, const Names& names) {
  std::vector<reputation::review_score> out;
  for (const auto given : names) {
    const auto found =
      std::find(reputation::review_score_names.begin(), reputation::review_score_names.end(), type_of(given));
    if (found == reputation::review_score_names.end())
      from.issue("reviewScore must be 'negative', 'neutral' or 'positive', or a list of them, not " + shown(given));
    else
      out.push_back(static_cast<reputation::review_score>(found - reputation::review_score_names.begin()));
  }
  return out;
}

std::optional<std::vector<reputation::review_score>> read_scores(json_body& body) {
  if (body.kind_of("reviewScore") == json_body::kind::text)
    return scores_of(body, std::array{*body.text("reviewScore")});
  const auto names = body.texts("reviewScore", scores_max);
  return names ? std::optional{scores_of(body, *names)} : std::nullopt;
}

reputation::feed_order order_of(reputation::feed_order falling, bool ascending) {
  return static_cast<reputation::feed_order>(static_cast<std::size_t>(falling) + (ascending ? 1 : 0));
}

reputation::feed_order read_feed_order(json_body& body) {
  using enum reputation::feed_order;
  static constexpr std::array<std::string_view, 6> fields{"timestamp", "votes",         "comments",
                                                          "score",     "controversial", "hot"};
  static constexpr std::array<reputation::feed_order, 6> orders{newest,         most_votes,         most_replies,
                                                                highest_author, most_controversial, hottest};
  const auto order = read_order(body, fields);
  return order_of(orders[order.field], order.ascending);
}

std::optional<profile_id> viewer_of(const call& c) {
  return c.caller() ? std::optional{c.caller()->profile} : std::nullopt;
}

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

outcome<feed_order> read_feed(const call& c, feed_side side, std::string_view besides) {
  auto body = json_body::parse_question(c.body());
  if (!body)
    return body.why();
  if (!besides.empty())
    body->note(besides);
  feed_order out;
  auto& feed = out.feed;
  feed.side = side;
  if (side != feed_side::everybody)
    out.whose = read_whose(*body);
  feed.kinds = read_filter(*body);
  feed.with_archived = !body->boolean("excludeHistorical").value_or(false);
  feed.with_spam = !body->boolean("excludeSpam").value_or(false);
  feed.scores = read_scores(*body);
  feed.author_score_min = read_integer_if_any(*body, "minAuthorScore", 0, 2800);
  if (const auto days = read_integer_if_any(*body, "dayRange", limits::days_min, limits::days_max))
    feed.since = c.now() - std::chrono::days{*days};
  feed.order = read_feed_order(*body);
  feed.slice = read_list_page(*body, limits::feed_limit_max);
  feed.viewer = viewer_of(c);
  if (!body->good())
    return body->why();
  return out;
}

outcome<feed_order> read_feed_query(const call& c) {
  using enum reputation::feed_order;
  static constexpr std::array<std::string_view, 2> sides{"author", "subject"};
  static constexpr std::array<std::string_view, 2> words{"false", "true"};
  static constexpr std::array<std::string_view, 7> fields{"createdAt",  "votes",       "netVotes",    "totalVotes",
                                                          "replyCount", "authorScore", "subjectScore"};
  static constexpr std::array<reputation::feed_order, 7> orders{
    newest, most_votes, most_votes, most_voted, most_replies, highest_author, highest_subject};
  parameters given{c.query()};
  feed_order out;
  auto& feed = out.feed;
  out.whose = read_key(given, "userkey", &parse_userkey);
  const auto side = given.choice("direction", sides);
  feed.side = !side ? feed_side::both : *side == 0 ? feed_side::given : feed_side::received;
  if (given.has("activityType"))
    feed.kinds = kinds_of(given, "activityType", given.texts("activityType", type_names.size()));
  if (given.has("reviewScore"))
    feed.scores = scores_of(given, given.texts("reviewScore", scores_max));
  feed.with_archived = given.choice("includeArchived", words) != 0u;
  feed.with_spam = given.choice("excludeSpam", words) != 1u;
  const auto by = orders[given.choice("orderBy", fields).value_or(0)];
  feed.order = order_of(by, given.choice("sort", direction_names) == 1u);
  feed.slice = read_list_page(given, limits::feed_limit_max);
  feed.viewer = viewer_of(c);
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
    if (const auto ids =
          read_ids_if_any<id<struct activity_tag>>(*body, reputation::feed_kind_names[i], limits::bulk_records_max))
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
  const bool digits =
    hash.size() == 66 && hash.starts_with("0x") && hash.find_first_not_of("0123456789abcdefABCDEF", 2) == hash.npos;
  if (!digits)
    given.issue("hash must be 0x and 64 hexadecimal digits, not " + shown(hash));
  if (!given.good())
    return given.why();
  return {refusal_code::not_found, "activities are not found by their transaction here: ask GET "
                                   "/api/v2/transactions/{hash}/processed, or for the activity by its id"};
}

} // namespace credence::http::v2
