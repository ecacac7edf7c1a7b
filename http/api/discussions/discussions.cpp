#include "http/api/discussions/discussions.hpp"

#include "actors/domain/text.hpp"
#include "auth/address.hpp"
#include "http/api/discussions/operations.hpp"
#include "http/api/people/people.hpp"
#include "http/api/record_commands.hpp"

#include <algorithm>
#include <array>

namespace credence::http {

outcome<std::vector<reputation::activity>> read_activity_ids(std::string_view text) {
  auto body = json_body::parse_question(text);
  if (!body)
    return body.why();
  std::vector<reputation::activity> out;
  for (std::size_t i = 0; i < reputation::activity_kind_names.size(); ++i)
    if (auto ids = read_ids_if_any<id<struct activity_tag>>(*body, reputation::activity_kind_names[i],
                                                            limits::bulk_records_max)) {
      std::sort(ids->begin(), ids->end());
      ids->erase(std::unique(ids->begin(), ids->end()), ids->end());
      for (const auto each : *ids)
        out.push_back({static_cast<reputation::activity_kind>(i), each.value});
    }
  if (body->good() && out.empty())
    body->issue("the body must name activities, such as {\"review\": [1, 2], \"vouch\": [3]}");
  if (body->good() && out.size() > limits::bulk_records_max)
    body->issue("the body must name at most " + std::to_string(limits::bulk_records_max) + " activities, not "
                + std::to_string(out.size()));
  body->refuse_others();
  if (!body->good())
    return body->why();
  return out;
}

namespace {

/// A kind by its own name or by that of a type of activity, as feeds tell it; capitals will do there.
std::optional<reputation::activity_kind> read_votable(parameters& given, std::string_view name) {
  const auto text = given.text(name);
  if (!text)
    return std::nullopt;
  const auto& kinds = reputation::activity_kind_names;
  if (const auto at = std::find(kinds.begin(), kinds.end(), *text); at != kinds.end())
    return static_cast<reputation::activity_kind>(at - kinds.begin());
  auto type = lower_case(*text);
  std::replace(type.begin(), type.end(), '_', '-');
  std::string all;
  for (const auto& each : activity_types) {
    if (each.name == type && each.kind)
      return each.kind;
    if (each.kind)
      all.append(all.empty() ? "" : ", ").append(each.name);
  }
  given.issue(std::string{name} + " must be one of " + all + ", not " + shown(*text));
  return std::nullopt;
}

} // namespace

reputation::activity read_activity(parameters& given) {
  const auto read_type = [&given](std::string_view name) { return read_votable(given, name); };
  const auto read_id = [&given](std::string_view name) { return given.integer(name, {1, limits::id_max}); };
  const auto kind = given.required("type", "", [&] { return given.either("type", "activityType", read_type); });
  const auto number = given.required("activityId", "", [&] { return given.either("activityId", "id", read_id); });
  return {kind.value_or(reputation::activity_kind{}), static_cast<std::int32_t>(number.value_or(0))};
}

void encode_members(json_writer& to, const reputation::reply_record& record) {
  to.field("id", record.id);
  to.field("contractType", reputation::name_of(record.on.kind));
  to.field("targetId", record.on.id);
  to.field("parentId", record.parent);
  to.field("authorProfileId", record.author);
  to.field("createdAt", unix_seconds(record.created_at));
  to.field("updatedAt", unix_seconds(record.updated_at));
  to.field("content", record.content);
  to.field("metadata", record.metadata);
  to.field("edits", record.edits);
  to.field("pinned", record.pinned);
}

void encode_members(json_writer& to, const reputation::activity_vote& vote) {
  to.field("type", reputation::name_of(vote.on.kind));
  to.field("targetId", vote.on.id);
  to.field("voter", vote.voter);
  to.field("isUpvote", vote.upvote);
  to.field("isArchived", vote.archived);
  to.field("createdAt", unix_seconds(vote.created_at));
  to.field("updatedAt", unix_seconds(vote.updated_at));
}

namespace v2 {

namespace {

std::optional<std::int32_t> read_id(json_body& body, std::string_view name) {
  const auto number = body.integer(name);
  if (number && (*number < 1 || *number > limits::id_max))
    body.issue(std::string{name} + " must be from 1 to " + std::to_string(limits::id_max));
  return number ? std::optional{static_cast<std::int32_t>(*number)} : std::nullopt;
}

/// `type` and `id`: what it is about.
reputation::activity read_activity(json_body& body) {
  reputation::activity out;
  out.kind = static_cast<reputation::activity_kind>(read_one_of(body, "type", reputation::activity_kind_names));
  const auto id = read_id(body, "id");
  if (!id && body.good())
    body.issue("id is required: the id of the activity");
  out.id = id.value_or(0);
  return out;
}

reputation::put_vote read_vote(call& c) {
  return read_command<reputation::put_vote>(c, [&](reputation::put_vote& out, parameters&, json_body& body) {
    out.voter = c.caller()->profile;
    out.on = read_activity(body);
    out.upvote = required_flag(body, "isUpvote");
  });
}

reputation::put_vote read_withdrawal(call& c) {
  reputation::put_vote out;
  out.voter = c.caller()->profile;
  out.on = read_activity(c.given());
  out.dry_run = read_dry_run(c.given());
  out.wish = reputation::vote_wish::withdraw;
  return out;
}

void show_vote(call& c, const reputation::put_vote& written) {
  submit(c, reputation::get_vote{written.on, written.voter});
}

} // namespace

void create_reply(call& c) {
  using reply = reputation::create_reply;
  submit(c, read_command<reply>(c, [&](reply& out, parameters&, json_body& body) {
           out.author = c.caller()->profile;
           out.on = read_activity(body);
           if (const auto parent = read_id(body, "parentId"))
             out.parent = reply_id{*parent};
           read_reply_words(body, out);
         }));
}

void replay_create_reply(call& c, const idempotency::found_record& done) { show_made<reputation::get_reply>(c, done); }

void get_reply(call& c) { show_record<reputation::get_reply>(c, "idOrContractType"); }

void edit_reply(call& c) {
  using edit = reputation::edit_reply;
  submit(c, read_command<edit>(c, [&](edit& out, parameters&, json_body& body) {
           out.id = c.given().path_id<reply_id>("id", c.path_part("idOrContractType"));
           out.by = c.caller()->profile;
           out.content = read_words_if_any(body, "content", 1, limits::reply_content_length_max);
           out.metadata = read_words_if_any(body, "metadata", 0, limits::record_metadata_length_max);
           if (body.good() && !out.content && !out.metadata)
             body.issue("content or metadata is required");
         }));
}

void replay_edit_reply(call& c, const idempotency::found_record&) { get_reply(c); }

void vote_on_activity(call& c) { submit(c, read_vote(c)); }
void replay_vote_on_activity(call& c, const idempotency::found_record&) { show_vote(c, read_vote(c)); }

void withdraw_vote_on_activity(call& c) { submit(c, read_withdrawal(c)); }
void replay_withdraw_vote_on_activity(call& c, const idempotency::found_record&) { show_vote(c, read_withdrawal(c)); }

} // namespace v2

namespace {

using reputation::activity;
using reputation::activity_kind;
using reputation::activity_kind_names;
using reply_list = reputation::list_replies::answer_type;
using vote_page = reputation::list_activity_votes::answer_type;
using stats_list = reputation::get_vote_stats::answer_type;

/// No contract holds what a reply or a vote made here is on.
std::string no_contract() { return auth::checksummed_text(address{}); }

void encode_reply_row(json_writer& to, user_cards& cards, const reputation::named_users& users,
                      const reputation::authored<reputation::reply_record>& row) {
  to.begin_object();
  encode_members(to, row.record);
  to.field("targetContract", no_contract());
  encode_named(to, "user", cards, users, row.author);
  to.end_object();
}

void reply_replies(call& c, reply_list& found) {
  reply_page(c, found, [&](json_writer& to, user_cards& cards, const auto& row) {
    encode_reply_row(to, cards, found.users, row);
  });
}

/// The members of a vote, into an open object.
void encode_vote(json_writer& to, const reputation::activity_vote& vote) {
  to.field("type", reputation::name_of(vote.on.kind));
  to.field("targetContract", no_contract());
  to.field("targetId", vote.on.id);
  to.field("voter", vote.voter);
  to.field("isUpvote", vote.upvote);
  to.field("isArchived", vote.archived);
  to.field("createdAt", unix_seconds(vote.created_at));
  to.field("updatedAt", unix_seconds(vote.updated_at));
}

void reply_votes(call& c, vote_page& found) {
  reply_page(c, found, [&](json_writer& to, user_cards& cards, const reputation::listed_vote& row) {
    to.begin_object();
    encode_vote(to, row.record);
    to.field("weight", row.weight);
    encode_named(to, "user", cards, found.users, row.author);
    to.end_object();
  });
}

void encode_stats(json_writer& to, const reputation::vote_stats& stats) {
  to.begin_object();
  to.object_or_null("userVote", stats.own, [&](const auto& own) {
    encode_vote(to, own);
    to.field("weight", stats.own_weight);
  });
  to.object("counts", [&] {
    to.field("upvotes", stats.upvotes);
    to.field("downvotes", stats.downvotes);
  });
  to.object("weights", [&] {
    to.field("weightedUpvotes", stats.weighted_upvotes);
    to.field("weightedDownvotes", stats.weighted_downvotes);
    if (const auto all = stats.weighted_upvotes + stats.weighted_downvotes; all > 0) {
      const auto percent_up = (200 * stats.weighted_upvotes + all) / (2 * all);
      to.field("upvotePercentage", percent_up);
      to.field("downvotePercentage", 100 - percent_up);
    }
  });
  to.end_object();
}

/// By kind, whether it was asked for or not, then by id. What was found is in that order.
void reply_stats_by_kind(call& c, stats_list& found) {
  reply_object(c, [&](json_writer& to) {
    auto next = found.begin();
    for (std::size_t i = 0; i < activity_kind_names.size(); ++i) {
      to.text_key(activity_kind_names[i]);
      to.begin_object();
      for (; next != found.end() && next->on.kind == static_cast<activity_kind>(i); ++next) {
        to.key(next->on.id);
        encode_stats(to, *next);
      }
      to.end_object();
    }
  });
}

/// `asc` or `desc`, which is the default.
bool read_ascending(parameters& given) { return given.choice("orderDirection", direction_names) == 1u; }

/// By kind, in the order of the kinds, then by id.
void encode_reply_counts(json_writer& to, const std::vector<reputation::reply_count>& found) {
  to.begin_object();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto kind = found[i].on.kind;
    if (i == 0 || found[i - 1].on.kind != kind) {
      to.text_key(reputation::name_of(kind));
      to.begin_object();
    }
    to.key(found[i].on.id);
    to.begin_object();
    to.field("count", found[i].count);
    to.field("participated", found[i].viewer_replied);
    to.end_object();
    if (i + 1 == found.size() || found[i + 1].on.kind != kind)
      to.end_object();
  }
  to.end_object();
}

} // namespace

namespace v2 {

void list_replies(call& c) {
  static constexpr std::array<std::string_view, 1> orders{"createdAt"};
  auto& given = c.given();
  const auto type = c.path_part("idOrContractType");
  const auto kind = std::find(activity_kind_names.begin(), activity_kind_names.end(), type);
  if (kind == activity_kind_names.end())
    given.issue("contractType must be attestation, bond, broker, discussion, project, reputationMarket, review, slash, "
                "vouch or vouchV2, not "
                + shown(type));
  reputation::list_replies question;
  question.on = {static_cast<activity_kind>(kind - activity_kind_names.begin()), c.path_id<reply_id>("parentId").value};
  given.choice("orderBy", orders);
  question.ascending = read_ascending(given);
  question.slice = read_list_page(given, limits::replies_limit_max);
  c.ask(c.to().records, std::move(question), &reply_replies);
}

void list_replies_by_id(call& c) {
  const auto ids = c.given().required("ids", "(1 to 100 ids of replies)", [&] {
    return c.given().integers("ids", {1, limits::id_max}, limits::bulk_records_max);
  });
  reputation::get_replies question;
  for (const auto id : ids)
    question.which.push_back(reply_id{id});
  c.ask(c.to().records, std::move(question), [ids](call& later, reply_list& found) {
    reply_by_cards(later, [&](json_writer& to, user_cards& cards) {
      to.begin_object();
      for (const auto id : ids) {
        to.key(id);
        const auto row = std::find_if(found.rows.begin(), found.rows.end(),
                                      [&](const auto& each) { return each.record.id.value == id; });
        if (row == found.rows.end())
          to.null();
        else
          encode_reply_row(to, cards, found.users, *row);
      }
      to.end_object();
    });
  });
}

void list_votes_on_activity(call& c) {
  static constexpr std::array<std::string_view, 2> orders{"updatedAt", "score"};
  auto& given = c.given();
  reputation::list_activity_votes question;
  question.on = read_activity(given);
  question.upvote = given.flag("isUpvote");
  question.order = static_cast<reputation::vote_order>(given.choice("orderBy", orders).value_or(0));
  question.ascending = read_ascending(given);
  question.slice = read_list_page(given, limits::activity_votes_limit_max);
  c.ask(c.to().records, std::move(question), &reply_votes);
}

void get_vote_stats(call& c) {
  reputation::get_vote_stats question{{read_activity(c.given())}, c.viewer()};
  c.ask(c.to().records, std::move(question), [](call& later, stats_list& found) {
    json_writer to{later.out()};
    encode_stats(to, found.front());
    later.reply();
  });
}

void get_vote_stats_of_many(call& c) {
  c.ask(c.to().records, reputation::get_vote_stats{c.value_of(read_activity_ids(c.body())), c.viewer()},
        &reply_stats_by_kind);
}

void get_reply_summary(call& c) {
  reputation::get_reply_counts question{c.value_of(read_activity_ids(c.body())), c.viewer()};
  c.ask(c.to().records, std::move(question), [](call& later, std::vector<reputation::reply_count>& found) {
    reply_data_with(later, [&](json_writer& to) { encode_reply_counts(to, found); });
  });
}

} // namespace v2

} // namespace credence::http
