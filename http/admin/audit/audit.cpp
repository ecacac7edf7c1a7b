#include "actors/console/office.hpp"
#include "http/admin/json.hpp"
#include "http/admin/operations.hpp"
#include "http/call/parameters.hpp"

namespace credence::http::admin {

namespace {

constexpr std::int64_t entries_max = 200;
constexpr std::int64_t moment_max_ms = 253'402'300'799'999; // the end of the year 9999

void write_entry(json_writer& to, const console::audit_entry& entry) {
  to.begin_object();
  to.field("number", entry.number);
  to.field("at", ms_of(entry.at));
  to.field("act", entry.act);
  to.field("profileId", entry.profile);
  to.field("callerId", entry.caller);
  to.field("credential", entry.credential);
  to.field("requestId", entry.request_id);
  to.field("address", entry.address);
  to.field("subject", entry.subject);
  to.field("before", entry.before);
  to.field("after", entry.after);
  to.end_object();
}

std::optional<std::string> text_in(parameters& given, std::string_view name) {
  const auto found = given.text(name);
  if (found && found->size() > 128)
    given.issue(std::string{name} + " must be 128 characters at most");
  return found ? std::optional{std::string{*found}} : std::nullopt;
}

/// A moment in Unix milliseconds.
std::optional<timestamp> moment_in(parameters& given, std::string_view name) {
  const auto found = given.integer(name, {0, moment_max_ms});
  return found ? std::optional{timestamp{std::chrono::milliseconds{*found}}} : std::nullopt;
}

} // namespace

void list_audit(call& c) {
  parameters given{c.query()};
  console::read_audit question;
  question.after_number = given.integer("after", {0, limits::safe_integer_max});
  question.before_number = given.integer("cursor", {1, limits::safe_integer_max});
  question.profile = given.id<profile_id>("profileId");
  question.caller = given.id<profile_id>("callerId");
  question.act = text_in(given, "act");
  question.request_id = text_in(given, "requestId");
  question.from = moment_in(given, "from");
  question.to = moment_in(given, "to");
  if (question.from && question.to && *question.from >= *question.to)
    given.issue("from must be before to, not " + std::to_string(ms_of(*question.from)) + " and "
                + std::to_string(ms_of(*question.to)));
  if (question.after_number && (question.from || question.to)) // by number and by time at once no index serves
    given.issue("after cannot be combined with from or to");
  question.limit = given.integer_or("limit", 50, {1, entries_max});
  given.refuse_others();
  if (!given.good())
    return c.refuse(given.why());
  const auto limit = static_cast<std::size_t>(question.limit);
  c.ask(c.to().office, std::move(question), [limit](call& later, std::vector<console::audit_entry>& found) {
    json_writer to{later.out()};
    write_values(
      to, found, [&](const console::audit_entry& entry) { write_entry(to, entry); },
      [&] {
        to.field("next", found.size() < limit ? std::nullopt : std::optional{std::to_string(found.back().number)});
      });
    later.reply();
  });
}

} // namespace credence::http::admin
