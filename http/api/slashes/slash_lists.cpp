#include "actors/people/people_actor.hpp"
#include "actors/slash/slash_actor.hpp"
#include "http/api/replies.hpp"
#include "http/api/slashes/operations.hpp"
#include "http/api/slashes/slash_json.hpp"
#include "http/api/slashes/slash_subject.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/parameters.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace credence::http {

namespace {

using people::lookup_key;

/// Slashes that are asked for; whom its keys lead to is found first.
struct wanted_slashes {
  slash::find_slashes question;
  std::optional<lookup_key> author;
  std::optional<lookup_key> subject;
};

/// A userkey; a number alone is a profile's id where that is said.
std::optional<lookup_key> read_person(parameters& from, std::string_view name, bool number_will_do) {
  const auto text = from.text(name);
  if (!text)
    return std::nullopt;
  const bool number = number_will_do && !text->empty()
                      && std::all_of(text->begin(), text->end(), [](char c) { return c >= '0' && c <= '9'; });
  auto key = parse_userkey(number ? "profileId:" + std::string{*text} : std::string{*text});
  if (key)
    return *std::move(key);
  from.issue(std::string{name} + ": " + key.why().detail
             + (number_will_do && !number ? "; or a profile id as a number" : ""));
  return std::nullopt;
}

wanted_slashes read_slashes(parameters& from) {
  static constexpr std::array<std::string_view, 2> states{"open", "closed"};
  wanted_slashes out;
  out.author = read_person(from, "author", true);
  out.subject = read_person(from, "subject", false);
  if (const auto at = from.choice("status", states))
    out.question.open = *at == 0;
  out.question.slice = read_page(from);
  return out;
}

/// Answers with the slashes that the query asks for, by `reply`.
void show_slashes(call& c, bool with_xp, void (*reply)(call&, slash::slash_page&)) {
  parameters given{c.query()};
  auto wanted = read_slashes(given);
  if (!given.good())
    co_return c.refuse(given.why());
  auto& question = wanted.question;
  question.with_xp = with_xp;
  if (wanted.author && wanted.author->how == lookup_key::form::profile) {
    question.author = profile_id{wanted.author->number};
    wanted.author.reset();
  }
  people::find_people look;
  if (wanted.author)
    look.keys.push_back(*wanted.author);
  if (wanted.subject) {
    question.subject = named_by(*wanted.subject);
    look.keys.push_back(*wanted.subject);
  }
  if (!look.keys.empty()) {
    const auto came = co_await c.ask(c.to().people, std::move(look));
    if (wanted.author)
      question.author = came.people.front().profile.value_or(profile_id{}); // of nobody: there are none
    if (wanted.subject)
      question.subject->user = came.people.back().user;
  }
  c.ask(c.to().slashes, std::move(question), reply);
}

} // namespace

/// Clients of version 1 know two types.
void v1::list_slashes(call& c) { show_slashes(c, false, &reply_data<slash::slash_page>); }
void v2::list_slashes(call& c) { show_slashes(c, true, &reply_with<slash::slash_page>); }

} // namespace credence::http
