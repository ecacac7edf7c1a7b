#include "http/call/json_body.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/parameters.hpp"
#include "tests/example/note_actor.hpp"
#include "tests/example/operations.hpp"

namespace credence::http {

namespace {

void encode(json_writer& to, const note::note& note) {
  to.begin_object();
  to.field("id", note.number);
  to.field("text", note.text);
  to.field("writtenAt", iso_text(note.written_at));
  to.field("archived", note.archived);
  to.end_object();
}

void reply_note(call& c, note::note& answer) {
  json_writer to{c.out()};
  encode(to, answer);
  c.reply();
}

void reply_notes(call& c, std::vector<note::note>& answer) {
  json_writer to{c.out()};
  to.begin_object();
  to.key("values");
  to.begin_array();
  for (const auto& each : answer)
    encode(to, each);
  to.end_array();
  to.end_object();
  c.reply();
}

outcome<std::string> read_text(std::string_view from) {
  auto body = json_body::parse(from);
  if (!body)
    return body.why();
  const auto text = body->text("text").value_or("");
  if (const auto length = characters(text); length < 1 || length > note::length_max)
    body->issue("text must have 1 to " + std::to_string(note::length_max) + " characters, not "
                + std::to_string(length));
  if (!body->good())
    return body->why();
  return std::string{text};
}

std::int32_t number_in_path(parameters& given, const call& c) {
  return given.path_id<profile_id>("id", c.path_part("id")).value;
}

} // namespace

namespace v2 {

void list_notes(call& c) {
  parameters given{c.query()};
  const note::list_notes question{given.path_id<profile_id>("profileId", c.path_part("profileId"))};
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().notes, question, &reply_notes);
}

void get_note(call& c) {
  parameters given{c.query()};
  const note::get_note question{given.path_id<profile_id>("profileId", c.path_part("profileId")),
                                number_in_path(given, c)};
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().notes, question, &reply_note);
}

void create_note(call& c) {
  auto text = read_text(c.body());
  if (!text)
    return c.refuse(text.why());
  c.ask(c.to().notes, note::create_note{c.caller()->profile, *std::move(text)}, &reply_note);
}

void replay_create_note(call& c, const idempotency::found_record& done) {
  c.ask(c.to().notes, note::get_note{c.caller()->profile, std::stoi(done.effect)}, &reply_note);
}

void edit_note(call& c) {
  parameters given{c.query()};
  const auto number = number_in_path(given, c);
  auto text = read_text(c.body());
  if (!given.good())
    return c.refuse(given.why());
  if (!text)
    return c.refuse(text.why());
  c.ask(c.to().notes, note::edit_note{c.caller()->profile, number, *std::move(text)}, &reply_note);
}

void archive_note(call& c) {
  parameters given{c.query()};
  const note::archive_note question{c.caller()->profile, number_in_path(given, c)};
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().notes, question, &reply_note);
}

void replay_change_note(call& c, const idempotency::found_record&) {
  parameters given{c.query()};
  const note::get_note question{c.caller()->profile, number_in_path(given, c)};
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().notes, question, &reply_note);
}

} // namespace v2

} // namespace credence::http
