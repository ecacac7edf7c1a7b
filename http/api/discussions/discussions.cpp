#include "actors/reputation/record_actor.hpp"
#include "http/api/discussions/activity_ids.hpp"
#include "http/api/discussions/operations.hpp"
#include "http/api/discussions/reply_body.hpp"
#include "http/api/discussions/reply_json.hpp"
#include "http/api/replies.hpp"
#include "http/call/record_body.hpp"

namespace credence::http {

namespace {

using reputation::activity_vote;
using reputation::reply_record;

void reply_reply(call& c, reply_record& answer) {
  json_writer to{c.out()};
  encode(to, answer);
  c.reply();
}

void reply_vote(call& c, activity_vote& answer) {
  json_writer to{c.out()};
  encode(to, answer);
  c.reply();
}

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

outcome<reputation::create_reply> read_reply(const call& c) {
  parameters given{c.query()};
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  reputation::create_reply out;
  out.author = c.caller()->profile;
  out.on = read_activity(*body);
  if (const auto parent = read_id(*body, "parentId"))
    out.parent = reply_id{*parent};
  read_reply_words(*body, out);
  out.dry_run = read_dry_run(given);
  return checked(given, *body, std::move(out));
}

outcome<reputation::edit_reply> read_reply_edit(const call& c) {
  parameters given{c.query()};
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  reputation::edit_reply out;
  out.id = given.path_id<reply_id>("id", c.path_part("idOrContractType"));
  out.by = c.caller()->profile;
  out.content = read_words_if_any(*body, "content", 1, limits::reply_content_length_max);
  out.metadata = read_words_if_any(*body, "metadata", 0, limits::record_metadata_length_max);
  if (body->good() && !out.content && !out.metadata)
    body->issue("content or metadata is required");
  out.dry_run = read_dry_run(given);
  return checked(given, *body, std::move(out));
}

outcome<reputation::put_vote> read_vote(const call& c) {
  parameters given{c.query()};
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  reputation::put_vote out;
  out.voter = c.caller()->profile;
  out.on = read_activity(*body);
  const auto up = body->boolean("isUpvote");
  if (!up && body->good())
    body->issue("isUpvote is required: true or false");
  out.upvote = up.value_or(true);
  out.dry_run = read_dry_run(given);
  return checked(given, *body, std::move(out));
}

outcome<reputation::put_vote> read_withdrawal(const call& c) {
  parameters given{c.query()};
  reputation::put_vote out;
  out.voter = c.caller()->profile;
  out.on = read_activity(given);
  out.dry_run = read_dry_run(given);
  out.wish = reputation::vote_wish::withdraw;
  if (!given.good())
    return given.why();
  return out;
}

void write_vote(call& c, const outcome<reputation::put_vote>& question) {
  if (!question)
    return c.refuse(question.why());
  c.ask(c.to().records, *question, &reply_vote);
}

void show_vote(call& c, const outcome<reputation::put_vote>& written) {
  if (!written)
    return c.refuse(written.why());
  c.ask(c.to().records, reputation::get_vote{written->on, written->voter}, &reply_vote);
}

void show(call& c, reply_id which) { c.ask(c.to().records, reputation::get_reply{which}, &reply_reply); }

} // namespace

namespace v2 {

void create_reply(call& c) {
  auto question = read_reply(c);
  if (!question)
    return c.refuse(question.why());
  c.ask(c.to().records, *std::move(question), &reply_reply);
}

void replay_create_reply(call& c, const idempotency::found_record& done) {
  show(c, reply_id{static_cast<std::int32_t>(parse_integer(done.effect).value_or(0))});
}

void get_reply(call& c) {
  parameters given{c.query()};
  const auto id = given.path_id<reply_id>("id", c.path_part("idOrContractType"));
  if (!given.good())
    return c.refuse(given.why());
  show(c, id);
}

void edit_reply(call& c) {
  auto question = read_reply_edit(c);
  if (!question)
    return c.refuse(question.why());
  c.ask(c.to().records, *std::move(question), &reply_reply);
}

void replay_edit_reply(call& c, const idempotency::found_record&) { get_reply(c); }

void vote_on_activity(call& c) { write_vote(c, read_vote(c)); }
void replay_vote_on_activity(call& c, const idempotency::found_record&) { show_vote(c, read_vote(c)); }

void withdraw_vote_on_activity(call& c) { write_vote(c, read_withdrawal(c)); }
void replay_withdraw_vote_on_activity(call& c, const idempotency::found_record&) { show_vote(c, read_withdrawal(c)); }

} // namespace v2

} // namespace credence::http
