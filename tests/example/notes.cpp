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

std::string read_text(json_body& body) {
  const auto text = body.text("text").value_or("");
  if (const auto length = characters(text); length < 1 || length > note::length_max)
    body.issue("text must have 1 to " + std::to_string(note::length_max) + " characters, not "
               + std::to_string(length));
  return std::string{text};
}

std::int32_t number_in_path(call& c) { return c.path_id<profile_id>("id").value; }

} // namespace

namespace v2 {

void list_notes(call& c) { c.ask(c.to().notes, note::list_notes{c.path_id<profile_id>("profileId")}, &reply_notes); }

void get_note(call& c) {
  const auto whose = c.path_id<profile_id>("profileId");
  c.ask(c.to().notes, note::get_note{whose, number_in_path(c)}, &reply_note);
}

void create_note(call& c) {
  c.ask(c.to().notes, note::create_note{c.caller()->profile, read_text(c.json())}, &reply_note);
}

void replay_create_note(call& c, const idempotency::found_record& done) {
  c.ask(c.to().notes, note::get_note{c.caller()->profile, std::stoi(done.effect)}, &reply_note);
}

void edit_note(call& c) {
  const auto number = number_in_path(c);
  c.ask(c.to().notes, note::edit_note{c.caller()->profile, number, read_text(c.json())}, &reply_note);
}

void archive_note(call& c) {
  c.ask(c.to().notes, note::archive_note{c.caller()->profile, number_in_path(c)}, &reply_note);
}

void replay_change_note(call& c, const idempotency::found_record&) {
  c.ask(c.to().notes, note::get_note{c.caller()->profile, number_in_path(c)}, &reply_note);
}

} // namespace v2

} // namespace credence::http
