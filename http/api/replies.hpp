#pragma once

#include "actors/people/people_actor.hpp"
#include "http/api/people/user_cards.hpp"
#include "http/call/call.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/json_writer.hpp"

#include <utility>

/// The last step of a handler: from an answer to bytes, by the answer's `encode` (http/call/json_writer.hpp).
namespace credence::http {

/// Answers 200 with what `encode` writes.
template <class Answer>
void reply_with(call& c, Answer& answer) {
  json_writer to{c.out()};
  encode(to, std::as_const(answer));
  c.reply();
}

/// Answers 200 with an object whose members `write` writes.
template <class Write>
void reply_object(call& c, Write write) {
  json_writer to{c.out()};
  to.object([&] { write(to); });
  c.reply();
}

/// Answers 200 with what `write` writes; below /api/v1 it is the data of `{"ok": true, "data": …}`.
template <class Write>
void reply_data_with(call& c, Write write) {
  json_writer to{c.out()};
  if (!c.in_v1()) {
    write(to);
    return c.reply();
  }
  to.begin_object();
  to.field("ok", true);
  to.key("data");
  write(to);
  to.end_object();
  c.reply();
}

/// The same with an object whose members `write` writes.
template <class Write>
void reply_data_object(call& c, Write write) {
  reply_data_with(c, [&](json_writer& to) { to.object([&] { write(to); }); });
}

/// A whole number as text; below /api/v1 some have an `n` behind.
inline std::string large_number(const call& c, std::string digits) {
  return c.in_v1() ? std::move(digits) + "n" : digits;
}

template <class Answer>
void reply_data(call& c, Answer& answer) {
  reply_data_with(c, [&](json_writer& to) { encode(to, std::as_const(answer)); });
}

/// Answers `{"ok":true}`.
inline void reply_ok(call& c) {
  c.out() = R"({"ok":true})";
  c.reply();
}

/// Answers a write that was only tried: what it would do is not told.
template <class Answer>
void reply_tried(call& c, Answer&) {
  reply_ok(c);
}

/// Asks whom `Door` of the directory leads to for a write, and answers with what it has written, if it was not only
/// tried.
template <auto Door, class Command>
void write_by(call& c, Command command) {
  using answer = typename Command::answer_type;
  if (command.dry_run)
    return c.ask(c.to().*Door, std::move(command), &reply_tried<answer>);
  c.ask(c.to().*Door, std::move(command), &reply_with<answer>);
}

namespace detail {

constexpr int tries_max = 4;

template <class Answer>
void write_answer(call& c, const Answer& answer) {
  if (c.out().capacity() < answer.size_hint())
    c.out().reserve(answer.size_hint());
  json_writer to{c.out()};
  encode(to, answer, c.cards());
}

/// Asks for the users that the cards miss, and answers with them.
template <class Answer>
void reply_once_users_came(call& c, Answer& written) {
  const Answer answer = std::move(written);
  for (int tries = 0; tries < tries_max; ++tries) {
    c.out().clear();
    const auto missing = c.cards().take_missing();
    people::get_users_of question;
    question.profiles.reserve(missing.size());
    for (const auto& each : missing)
      question.profiles.push_back(each.who);
    const auto came = co_await c.ask(c.to().people, std::move(question));
    c.cards().begin(user_cards::pass::second, c.now());
    c.cards().take(missing, came);
    write_answer(c, answer);
    if (!c.cards().missed())
      co_return c.reply();
    // Cards that were there in the first pass have made room for others meanwhile.
  }
  c.fail(failure::overloaded);
}

} // namespace detail

/// Answers 200 with what `encode` writes with the help of the user cards. Users that
/// are not at hand are asked for first.
template <class Answer>
void reply_with_users(call& c, Answer answer) {
  c.cards().begin(user_cards::pass::first, c.now());
  detail::write_answer(c, answer);
  if (!c.cards().missed())
    return c.reply();
  detail::reply_once_users_came(c, answer);
}

} // namespace credence::http
