#include "http/api/activities/activities.hpp"

#include "actors/listing/listing_actor.hpp"
#include "actors/people/lookup_types.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/reputation/activity_types.hpp"
#include "actors/reputation/record_actor.hpp"
#include "auth/address.hpp"
#include "http/api/activities/operations.hpp"
#include "http/api/bonds/bonds.hpp"
#include "http/api/discussions/discussions.hpp"
#include "http/api/people/people.hpp"
#include "http/api/people/questions.hpp"
#include "http/api/reviews/reviews.hpp"
#include "http/api/vouches/vouches.hpp"
#include "http/call/call.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/parameters.hpp"
#include "http/call/record_body.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <variant>

namespace credence::http {

namespace v2 {

// From the wire to questions for feeds (docs/api/activities.md).

/// A feed that is asked for; whose it is may have to be looked up first.
struct feed_order {
  reputation::list_feed feed;
  people::lookup_key whose;
};

/// The body of a feed: of one user, `userkey`, or of everybody. Refused with every mistake. The caller has read the
/// member `besides` as well.
feed_order read_feed(call& c, reputation::feed_side side, std::string_view besides = {});

} // namespace v2

namespace {

/// What XP that a user earns is multiplied by for the score.
double xp_multiplier_of(std::int32_t score) { return score >= 2000 ? 1.5 : score >= 1600 ? 1.25 : 1; }

/// The first wallet of a user, which is the primary one; empty when there is none.
std::string primary_address_of(const people::user& who) {
  constexpr std::string_view prefix = "address:";
  for (const auto& each : who.userkeys)
    if (each.starts_with(prefix))
      if (const auto account = credence::parse_address(std::string_view{each}.substr(prefix.size())))
        return auth::checksummed_text(*account);
  return {};
}

const people::user* find(const reputation::named_users& users, std::optional<user_id> who) {
  const auto found = who ? users.find(*who) : users.end();
  return found == users.end() ? nullptr : found->second.get();
}

void encode_counts(json_writer& to, const reputation::feed_row& row) {
  to.object("votes", [&] {
    to.field("upvotes", row.upvotes);
    to.field("downvotes", row.downvotes);
  });
  to.object("replySummary", [&] {
    to.field("count", row.replies);
    to.field("participated", row.viewer_replied);
  });
}

/// What the row is found by; its type does not tell which contract a vouch is of.
std::string path_of(const reputation::feed_row& row) {
  const auto* vouch = std::get_if<reputation::vouch_record>(&row.record);
  const auto kind =
    vouch && vouch->contract == reputation::vouch_contract::vouch_v2 ? reputation::feed_kind::vouch_v2 : row.kind;
  const auto id = std::visit([](const auto& record) { return record.id.value; }, row.record);
  return "/api/v2/activities/" + std::string{reputation::feed_kind_names[static_cast<std::size_t>(kind)]} + "/"
         + std::to_string(id);
}

} // namespace

void encode_actor(json_writer& to, const people::user* who) {
  if (!who)
    return to.null();
  to.begin_object();
  to.field("userkey", who->userkeys.empty() ? std::string{} : who->userkeys.front());
  to.field("profileId", who->profile);
  to.field("name", who->display_name);
  to.field("username", who->username);
  to.field("avatar", who->avatar_url);
  to.field("description", who->description);
  to.field("score", who->score);
  to.field("scoreXpMultiplier", xp_multiplier_of(who->score));
  to.field("primaryAddress", primary_address_of(*who));
  to.end_object();
}

void encode_activity(json_writer& to, user_cards& cards, const reputation::feed_row& row,
                     const reputation::named_users& users, const std::string& public_url) {
  to.begin_object();
  to.field("type", reputation::feed_kind_names[static_cast<std::size_t>(row.kind)]);
  to.field("timestamp", unix_seconds(row.at));
  to.key("author");
  encode_actor(to, find(users, row.author));
  to.key("subject");
  encode_actor(to, find(users, row.subject));
  encode_named(to, "authorUser", cards, users, row.author);
  encode_named(to, "subjectUser", cards, users, row.subject);
  to.key("data");
  std::visit([&](const auto& record) { encode(to, record); }, row.record);
  encode_counts(to, row);
  to.key("events"); // of a contract: there are none of a record made here
  to.begin_array();
  to.end_array();
  to.field("isSpam", row.spam);
  to.field("link", public_url + path_of(row));
  to.end_object();
}

namespace v2 {

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
  for (const auto each : reputation::feed_kind_names)
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
    if (const auto kind = kind_called(type))
      out.push_back(*kind);
    else
      from.issue("each item of " + std::string{name} + " must be one of " + all_types() + ", not " + shown(type)
                 + (is_type(type) ? ", of which there are no activities here" : ""));
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
  return order_of(orders[order.field], order.ascending.value_or(false));
}

} // namespace

feed_order read_feed(call& c, feed_side side, std::string_view besides) {
  auto& body = c.json_question();
  if (!besides.empty())
    body.note(besides);
  feed_order out;
  auto& feed = out.feed;
  feed.side = side;
  if (side != feed_side::everybody)
    out.whose = read_named(body, "userkey", ", such as profileId:7 or address:0x…");
  feed.kinds = read_filter(body);
  feed.with_archived = !body.boolean("excludeHistorical").value_or(false);
  feed.with_spam = !body.boolean("excludeSpam").value_or(false);
  feed.scores = read_scores(body);
  feed.author_score_min = read_integer_if_any(body, "minAuthorScore", 0, 2800);
  if (const auto days = read_integer_if_any(body, "dayRange", limits::days_min, limits::days_max))
    feed.since = c.now() - std::chrono::days{*days};
  feed.order = read_feed_order(body);
  feed.slice = read_list_page(body, limits::feed_limit_max);
  feed.viewer = c.viewer();
  return out;
}

/// A feed of one user in the query: `userkey`, `activityType`, `direction`, `reviewScore`, `includeArchived`,
/// `excludeSpam`, `orderBy`, `sort`, `limit`, `offset`.
static feed_order read_feed_query(call& c) {
  using enum reputation::feed_order;
  static constexpr std::array<std::string_view, 2> sides{"author", "subject"};
  static constexpr std::array<std::string_view, 7> fields{"createdAt",  "votes",       "netVotes",    "totalVotes",
                                                          "replyCount", "authorScore", "subjectScore"};
  static constexpr std::array<reputation::feed_order, 7> orders{
    newest, most_votes, most_votes, most_voted, most_replies, highest_author, highest_subject};
  auto& given = c.given();
  feed_order out;
  auto& feed = out.feed;
  out.whose = read_key(given, "userkey", &parse_userkey);
  const auto side = given.choice("direction", sides);
  feed.side = !side ? feed_side::both : *side == 0 ? feed_side::given : feed_side::received;
  if (given.has("activityType"))
    feed.kinds = kinds_of(given, "activityType", given.texts("activityType", type_names.size()));
  if (given.has("reviewScore"))
    feed.scores = scores_of(given, given.texts("reviewScore", scores_max));
  feed.with_archived = given.flag("includeArchived").value_or(true);
  feed.with_spam = !given.flag("excludeSpam").value_or(false);
  const auto by = orders[given.choice("orderBy", fields).value_or(0)];
  feed.order = order_of(by, given.choice("sort", direction_names) == 1u);
  feed.slice = read_list_page(given, limits::feed_limit_max);
  feed.viewer = c.viewer();
  return out;
}

/// `{review: [id, …], vouch: […], …}`, at most `limits::bulk_records_max` of a kind, one at least.
static reputation::get_feed_rows read_feed_keys(call& c) {
  auto& body = c.json_question();
  reputation::get_feed_rows out;
  out.viewer = c.viewer();
  for (std::size_t i = 0; i < reputation::feed_kind_names.size(); ++i)
    if (const auto ids =
          read_ids_if_any<id<struct activity_tag>>(body, reputation::feed_kind_names[i], limits::bulk_records_max))
      for (const auto each : *ids)
        out.which.push_back({static_cast<feed_kind>(i), each.value});
  if (body.good() && out.which.empty())
    body.issue("the body must name activities, such as {\"review\": [1, 2], \"vouch\": [3]}");
  body.refuse_others();
  if (!body.good())
    body.issue("there are activities of the types " + all_types());
  return out;
}

/// What the `type` in the path stands for. What is wrong is told to `from`; then, and where there are only other
/// activities, the answer is why.
static outcome<feed_kind> read_kind(const call& c, parameters& from) {
  const auto type = c.path_part("type");
  const auto kind = kind_called(type);
  if (!kind && !is_type(type))
    from.issue("type must be one of " + all_types() + ", not " + shown(type));
  if (!from.good())
    return from.why();
  if (!kind)
    return refusal{refusal_code::not_found, "there are no activities of this type here, only of " + all_types()};
  return *kind;
}

/// The activity in the path, `type` and `id`. Refused with `not_found` when records of the type are not shown here.
static outcome<reputation::get_feed_rows> read_feed_key(const call& c) {
  parameters given{c.query()};
  const auto number = given.path_id<id<struct activity_tag>>("id", c.path_part("id"));
  const auto kind = read_kind(c, given);
  if (!kind)
    return kind.why();
  return reputation::get_feed_rows{{{*kind, number.value}}, c.viewer()};
}

/// The activity of a type that a transaction made, by the `hash` in the path; refused in the same way.
static outcome<reputation::get_feed_row_of> read_feed_transaction(const call& c) {
  parameters given{c.query()};
  reputation::get_feed_row_of out;
  const auto hash = c.path_part("hash");
  if (!hash.starts_with("0x") || !decode_hex(hash.substr(2), out.transaction))
    given.issue("hash must be 0x and 64 hexadecimal digits, not " + shown(hash));
  const auto kind = read_kind(c, given);
  if (!kind)
    return kind.why();
  out.kind = *kind;
  out.viewer = c.viewer();
  return out;
}

namespace {

using reputation::feed_page;
using reputation::feed_side;

void reply_feed(call& c, feed_page& found) {
  reply_page(c, found, [&](json_writer& to, user_cards& cards, const reputation::feed_row& row) {
    encode_activity(to, cards, row, found.users, c.settings().public_url);
  });
}

void reply_rows(call& c, feed_page& found) {
  reply_by_cards(c, [&](json_writer& to, user_cards& cards) {
    to.array(found.rows,
             [&](const auto& row) { encode_activity(to, cards, row, found.users, c.settings().public_url); });
  });
}

void reply_row(call& c, feed_page& found) {
  if (found.rows.empty())
    return c.refuse({refusal_code::not_found, "there is no such activity"});
  reply_by_cards(c, [&](json_writer& to, user_cards& cards) {
    encode_activity(to, cards, found.rows.front(), found.users, c.settings().public_url);
  });
}

/// The feed of whom a key leads to, read by `read` and answered by `reply`.
void feed_by_key(call& c, feed_order (*read)(call&), void (*reply)(call&, feed_page&)) {
  auto order = read(c);
  people::find_people look{{order.whose}};
  const auto came = co_await c.ask(c.to().people, std::move(look));
  const auto found = came.people.front();
  if (!found)
    co_return c.refuse({refusal_code::not_found, "no user matches userkey"});
  order.feed.whose = found.user;
  c.ask(c.to().records, std::move(order.feed), reply);
}

template <feed_side Side>
feed_order read_side(call& c) {
  return read_feed(c, Side);
}

} // namespace

void get_activity(call& c) { c.ask(c.to().records, read_feed_key(c), &reply_row); }

void list_activities_of_userkey(call& c) { feed_by_key(c, &read_feed_query, &reply_rows); }
void list_activities_of_user(call& c) { feed_by_key(c, &read_side<feed_side::both>, &reply_feed); }
void list_activities_by_user(call& c) { feed_by_key(c, &read_side<feed_side::given>, &reply_feed); }
void list_activities_about_user(call& c) { feed_by_key(c, &read_side<feed_side::received>, &reply_feed); }

void list_activities(call& c) { c.ask(c.to().records, read_feed(c, feed_side::everybody).feed, &reply_feed); }

void get_activities(call& c) { c.ask(c.to().records, read_feed_keys(c), &reply_rows); }

void list_activities_about_project(call& c) {
  auto& body = c.json();
  listing::get_listing which;
  which.project = project_id{read_integer_if_any(body, "projectId", 1, limits::id_max).value_or(0)};
  if (body.good() && !*which.project)
    body.issue("projectId is required: the id of a project");
  if (c.refuse_mistakes())
    co_return;
  auto order = read_feed(c, feed_side::everybody, "projectId");
  const auto found = co_await c.ask(c.to().listings, std::move(which));
  order.feed.side = feed_side::received;
  order.feed.whose = found.core->user->id;
  c.ask(c.to().records, std::move(order.feed), &reply_feed);
}

void list_activities_about_me(call& c) {
  auto order = read_feed(c, feed_side::everybody);
  people::find_people look{{{.how = people::lookup_key::form::profile, .number = c.caller()->profile.value}}};
  const auto came = co_await c.ask(c.to().people, std::move(look));
  order.feed.side = feed_side::received;
  order.feed.whose = came.people.front().user;
  c.ask(c.to().records, std::move(order.feed), &reply_feed);
}

void get_activity_of_transaction(call& c) { c.ask(c.to().records, read_feed_transaction(c), &reply_row); }

} // namespace v2

} // namespace credence::http
