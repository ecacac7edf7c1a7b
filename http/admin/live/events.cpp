#include "actors/console/office.hpp"
#include "http/admin/desk.hpp"
#include "http/admin/logs/line_json.hpp"
#include "http/admin/operations.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/parameters.hpp"
#include "http/call/request_head.hpp"

#include <algorithm>

namespace credence::http::admin {

namespace {

/// The topics of the list, each once.
std::vector<std::string> read_topics(parameters& from, const hub& all) {
  const auto list = from.text("topics").value_or(std::string_view{});
  std::vector<std::string> out;
  for (std::size_t at = 0; at < list.size();) {
    const auto end = std::min(list.find(',', at), list.size());
    const auto name = list.substr(at, end - at);
    at = end + 1;
    if (!all.knows(name))
      from.issue("topics must be names that x-topic has in the reference, not " + shown(name));
    else if (std::find(out.begin(), out.end(), name) == out.end())
      out.emplace_back(name);
  }
  if (out.empty() && from.good())
    from.issue("topics is required: names with commas between them, such as overview,logs");
  if (out.size() > hub::topics_max)
    from.issue("topics must be " + std::to_string(hub::topics_max) + " at most");
  return out;
}

/// Why this person gets no stream now, if so.
std::optional<std::string> too_many_streams(const hub& all, const caller& who) {
  if (!all.full_for(who))
    return std::nullopt;
  return who.name + " has " + std::to_string(hub::streams_of_one_max)
         + " streams open, which is the most for one person; close one first";
}

} // namespace

void stream_events(call& c) {
  auto& live = c.desk().live();
  parameters given{c.query()};
  subscription wanted;
  wanted.topics = read_topics(given, live);
  wanted.least = read_level(given).value_or(ops::level::debug);
  const auto asked = given.text("lastEventId");
  if (!given.good())
    co_return c.refuse(given.why());
  if (const auto why = too_many_streams(live, *c.operated_by()))
    co_return c.refuse({refusal_code::rate_limited, *why});
  if (live.full())
    co_return c.fail(failure::overloaded);
  wanted.seen =
    parse_event_place(c.head().last_event_id.empty() ? asked.value_or(std::string_view{}) : c.head().last_event_id);
  wanted.by = *c.operated_by();
  if (std::find(wanted.topics.begin(), wanted.topics.end(), "audit") != wanted.topics.end()) {
    console::read_audit newest;
    newest.limit = 1;
    const auto found = co_await c.try_ask(c.to().office, std::move(newest)); // else it begins once the database is back
    if (found && *found && !(**found).empty())
      wanted.audit_newest = (**found).front().number;
  }
  // Others may have come while the audit was looked at.
  if (const auto why = too_many_streams(live, wanted.by))
    co_return c.refuse({refusal_code::rate_limited, *why});
  if (live.full())
    co_return c.fail(failure::overloaded);
  c.no_store();
  c.add_header("X-Accel-Buffering: no"); // a proxy passes events on as they come
  c.stream(live.open(wanted));
}

} // namespace credence::http::admin
