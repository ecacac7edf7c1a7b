#pragma once

#include "actors/idempotency/idempotency_types.hpp"
#include "actors/reputation/record_actor.hpp"
#include "http/api/replies.hpp"
#include "http/call/record_body.hpp"

#include <string_view>
#include <utility>

/// Commands and questions to the keeper of records, which are the same for all kinds of records: from a request to one,
/// and from its answer to bytes.
namespace credence::http {

/// The command that a body says: `read(command, parameters, body)` reads what is its own, then `dryRun` of the query is
/// read where it may be tried. `without_body` stands for a body that is left out.
template <class Command, class Read>
Command read_command(call& c, Read read, std::string_view without_body = {}) {
  auto& body = c.json(without_body);
  Command out;
  read(out, c.given(), body);
  if constexpr (requires { out.dry_run; })
    out.dry_run = read_dry_run(c.given());
  return out;
}

/// Hands the command to the keeper of records, and answers with the record.
template <class Command>
void submit(call& c, Command command) {
  c.ask(c.to().records, std::move(command), &reply_with<typename Command::answer_type>);
}

/// The same of a command after which `show(call, answer)` reads what it has changed. One that is only tried has nothing
/// to show.
template <class Command, class Show>
void submit(call& c, Command command, Show show) {
  using answer = typename Command::answer_type;
  if (command.dry_run)
    return c.ask(c.to().records, std::move(command), &reply_tried<answer>);
  c.ask(c.to().records, std::move(command), [show](call& later, answer& made) { show(later, made); });
}

/// Answers with the record whose id is in the path, where `Question` asks for it by that alone.
template <class Question>
void show_record(call& c, std::string_view part = "id") {
  submit(c, Question{c.given().path_id<decltype(Question::id)>("id", c.path_part(part))});
}

/// The id of what a request made that comes again.
template <class Id>
Id made_by(const idempotency::found_record& done) {
  return Id{static_cast<std::int32_t>(parse_integer(done.effect).value_or(0))};
}

/// Answers a request that comes again with the record that it made.
template <class Question>
void show_made(call& c, const idempotency::found_record& done) {
  c.ask(c.to().records, Question{made_by<decltype(Question::id)>(done)}, &reply_with<typename Question::answer_type>);
}

/// The command that archives or restores the record in the path.
template <class Command>
Command read_archiving(call& c, bool archived) {
  const auto& who = *c.caller();
  return {c.path_id<decltype(Command::id)>("id"), who.profile, who.admin_by_token(), archived, read_dry_run(c.given())};
}

} // namespace credence::http
