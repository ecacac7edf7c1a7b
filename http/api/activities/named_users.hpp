#pragma once

#include "actors/reputation/activity_types.hpp"
#include "http/api/people/user_cards.hpp"
#include "http/call/call.hpp"
#include "http/call/page_json.hpp"

#include <optional>

/// Answers whose users came along with what names them.
namespace credence::http {

/// The User object of an id as the value of an open member, or null where there is none.
inline void encode_named(json_writer& to, user_cards& cards, const reputation::named_users& users,
                         std::optional<user_id> who) {
  const auto found = who ? users.find(*who) : users.end();
  if (found == users.end())
    to.null();
  else
    cards.write(to, *found->second);
}

/// Answers 200 with what `write` writes by means of the cards.
template <class Write>
void reply_by_cards(call& c, Write write) {
  c.cards().begin(user_cards::pass::first, c.now());
  json_writer to{c.out()};
  write(to, c.cards());
  c.reply();
}

/// Answers 200 with a page of a list: each row as `each` writes it.
template <class List, class Each>
void reply_page(call& c, const List& list, Each each) {
  reply_by_cards(c, [&](json_writer& to, user_cards& cards) {
    to.begin_object();
    encode_page(to, list.rows, list.total, list.slice, [&](const auto& row) { each(to, cards, row); });
    to.end_object();
  });
}

} // namespace credence::http
