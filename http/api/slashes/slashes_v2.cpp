#include "actors/people/people_actor.hpp"
#include "actors/slash/slash_actor.hpp"
#include "http/api/people/if_live.hpp"
#include "http/api/replies.hpp"
#include "http/api/slashes/operations.hpp"
#include "http/api/slashes/slash_json.hpp"
#include "http/api/slashes/slash_subject.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/json_body.hpp"
#include "http/call/parameters.hpp"
#include "http/call/record_body.hpp"
#include "http/call/userkey.hpp"

namespace credence::http::v2 {

namespace {

using people::lookup_key;

/// A slash on its way to being opened: whom it is about is looked up first.
struct slash_order {
  slash::open_slash slash;
  lookup_key subject;
};

void reply_slash(call& c, slash::slash_record& answer) {
  json_writer to{c.out()};
  encode(to, answer);
  c.reply();
}

// -- reading -------------------------------------------------------------------------------

/// An integer within bounds; nothing when it is absent or wrong.
std::optional<std::int64_t> read_number(json_body& body, std::string_view name, bounds within) {
  const auto number = body.integer(name);
  if (!number || (*number >= within.least && *number <= within.most))
    return number;
  body.issue(std::string{name} + " must be an integer from " + std::to_string(within.least) + " to "
             + std::to_string(within.most) + ", not " + std::to_string(*number));
  return std::nullopt;
}

outcome<slash_order> read_slash(const call& c) {
  parameters given{c.query()};
  slash_order out;
  auto& slash = out.slash;
  slash.dry_run = read_dry_run(given);
  if (!given.good())
    return given.why();
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  const auto required = [&](const char* name, const char* rule) {
    if (const auto kind = body->kind_of(name); kind == json_body::kind::absent || kind == json_body::kind::null)
      body->issue(std::string{name} + " is required: " + rule);
  };
  required("authorProfileId", "the id of the profile that slashes");
  required("subject", "a userkey such as address:0x… or service:x.com:<id>");
  required("amount", "a positive integer");
  slash.author =
    profile_id{static_cast<std::int32_t>(read_number(*body, "authorProfileId", {1, limits::id_max}).value_or(0))};
  slash.type = static_cast<slash::slash_type>(read_one_of(*body, "slashType", slash::type_names));
  slash.amount = body->integer("amount").value_or(0);
  slash.lasts = std::chrono::seconds{
    read_number(*body, "duration", {1, limits::slash_duration_max_s}).value_or(limits::slash_duration_default_s)};
  slash.comment = read_words(*body, "comment", 1, limits::slash_comment_length_max);
  slash.metadata = read_words(*body, "metadata", 0, limits::slash_metadata_length_max);
  const auto subject = body->text("subject");
  if (!body->good())
    return body->why();
  auto key = parse_userkey(*subject);
  if (!key)
    return refusal{refusal_code::invalid_input, "subject: " + key.why().detail};
  out.subject = *std::move(key);
  return out;
}

// -- opening -------------------------------------------------------------------------------

void open(call& c, slash::open_slash question) {
  const auto reply = question.dry_run ? &reply_tried<slash::slash_record> : &reply_slash;
  c.ask(c.to().slashes, std::move(question), reply);
}

} // namespace

void open_slash(call& c) {
  auto order = read_slash(c);
  if (!order)
    co_return c.refuse(order.why());
  people::get_bundle look{order->subject};
  const auto came = co_await c.ask(c.to().people, std::move(look));
  auto subject = subject_of(order->subject, came.found.get());
  if (!subject)
    co_return c.refuse(subject.why());
  if (came.unsettled)
    co_return c.refuse(not_yet_settled("the subject", came.unsettled));
  auto& slash = order->slash;
  slash.subject = *std::move(subject);
  if (came.found)
    slash.subject_score = came.found->user->score;
  const auto author = slash.author;
  if_live(c, author, std::move(slash), &open);
}

void replay_open_slash(call& c, const idempotency::found_record& done) {
  const auto number = parse_integer(done.effect).value_or(0);
  c.ask<slash::get_slash>(c.to().slashes, {slash_id{static_cast<std::int32_t>(number)}}, &reply_slash);
}

// -- voting and cancelling -----------------------------------------------------------------

namespace {

/// The vote that a request asks for; mistakes go to `given`.
slash::cast_slash_vote read_vote(parameters& given, const call& c) {
  slash::cast_slash_vote out{given.path_id<slash_id>("id", c.path_part("id")), c.caller()->profile};
  out.dry_run = read_dry_run(given);
  auto body = json_body::parse(c.body());
  if (body)
    out.side = static_cast<slash::vote_side>(read_one_of(*body, "vote", slash::side_names));
  if (!body || !body->good())
    given.issues_of(body ? body->why() : body.why());
  return out;
}

void reply_receipt(call& c, slash::vote_receipt& receipt) {
  json_writer to{c.out()};
  to.begin_object();
  to.field("slashId", receipt.slash);
  to.field("vote", slash::side_names[static_cast<std::size_t>(receipt.side)]);
  to.field("weight", receipt.weight);
  to.end_object();
  c.reply();
}

void vote(call& c, slash::cast_slash_vote question) {
  c.ask(c.to().slashes, question, question.dry_run ? &reply_tried<slash::vote_receipt> : &reply_receipt);
}

} // namespace

void vote_on_slash(call& c) {
  parameters given{c.query()};
  const auto question = read_vote(given, c);
  if (!given.good())
    return c.refuse(given.why());
  if_live(c, question.voter, question, &vote);
}

void replay_vote_on_slash(call& c, const idempotency::found_record& done) {
  parameters given{c.query()};
  const auto cast = read_vote(given, c);
  if (!given.good())
    return c.refuse(given.why());
  slash::vote_receipt receipt{cast.slash, cast.side, static_cast<std::int32_t>(parse_integer(done.effect).value_or(0))};
  reply_receipt(c, receipt);
}

namespace {

slash_id slash_in_path(parameters& given, const call& c) { return given.path_id<slash_id>("id", c.path_part("id")); }

} // namespace

void cancel_slash(call& c) {
  parameters given{c.query()};
  const slash::cancel_slash question{slash_in_path(given, c), read_dry_run(given)};
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().slashes, question, question.dry_run ? &reply_tried<slash::slash_record> : &reply_slash);
}

void replay_cancel_slash(call& c, const idempotency::found_record&) {
  parameters given{c.query()};
  const slash::get_slash question{slash_in_path(given, c)};
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().slashes, question, &reply_slash);
}

} // namespace credence::http::v2
