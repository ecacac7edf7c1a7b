#include "actors/reputation/record_actor.hpp"
#include "http/api/activities/named_users.hpp"
#include "http/api/people/operations.hpp"
#include "http/call/json_body.hpp"
#include "http/call/list_body.hpp"

#include <string>
#include <vector>

namespace credence::http::v2 {

namespace {

using reputation::named_accounts;

/// Names at farcaster: 1 to 100 characters without blanks, such as `alice` and `alice.eth`.
bool may_be_name(std::string_view text) {
  const auto length = characters(text);
  return length >= 1 && length <= limits::username_length_max && text.find_first_of(" \t\r\n") == text.npos;
}

void reply_named(call& c, named_accounts& found) {
  if (!found.found.front())
    return c.refuse({refusal_code::not_found, "there is no such user"});
  reply_by_cards(
    c, [&](json_writer& to, user_cards& cards) { encode_named(to, cards, found.users, found.found.front()); });
}

void reply_many(call& c, named_accounts& found, const std::vector<std::string>& names,
                const std::vector<std::string>& wrong) {
  reply_by_cards(c, [&](json_writer& to, user_cards& cards) {
    to.begin_object();
    to.key("users");
    to.begin_array();
    for (std::size_t i = 0; i < names.size(); ++i)
      if (found.found[i]) {
        to.begin_object();
        to.key("user");
        encode_named(to, cards, found.users, found.found[i]);
        to.field("username", names[i]);
        to.end_object();
      }
    to.end_array();
    to.key("notFoundUsernames");
    to.begin_array();
    for (std::size_t i = 0; i < names.size(); ++i)
      if (!found.found[i])
        to.value(names[i]);
    to.end_array();
    to.key("errorUsernames");
    to.begin_array();
    for (const auto& each : wrong)
      to.value(each);
    to.end_array();
    to.end_object();
  });
}

} // namespace

void get_user_by_farcaster_username(call& c) {
  const auto name = c.path_part("username");
  if (!may_be_name(name))
    return c.refuse({refusal_code::invalid_input, "username must have 1 to "
                                                    + std::to_string(limits::username_length_max)
                                                    + " characters without blanks, not " + shown(name)});
  c.ask(c.to().records, reputation::find_farcaster_names{{std::string{name}}}, &reply_named);
}

void look_up_users_by_farcaster_username(call& c) {
  auto body = json_body::parse(c.body());
  if (!body)
    return c.refuse(body.why());
  const auto given = body->texts("farcasterUsernames", limits::bulk_names_max);
  if (!given && body->good())
    body->issue("farcasterUsernames is required: a list of at most " + std::to_string(limits::bulk_names_max)
                + " strings");
  if (!body->good())
    return c.refuse(body->why());
  reputation::find_farcaster_names question;
  std::vector<std::string> wrong;
  for (const auto each : *given)
    (may_be_name(each) ? question.names : wrong).emplace_back(each);
  auto names = question.names;
  c.ask(c.to().records, std::move(question),
        [names = std::move(names), wrong = std::move(wrong)](call& later, named_accounts& found) {
          reply_many(later, found, names, wrong);
        });
}

} // namespace credence::http::v2
