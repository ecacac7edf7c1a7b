#include "actors/slash/slash_actor.hpp"
#include "auth/address.hpp"
#include "http/admin/json.hpp"
#include "http/admin/operations.hpp"
#include "http/admin/page.hpp"
#include "http/api/replies.hpp"

namespace credence::http::admin {

namespace {

std::string text_of(const slash::subject& subject) {
  if (subject.wallet)
    return auth::checksummed_text(*subject.wallet);
  if (subject.account)
    return "service:" + std::string{people::name_of(subject.account->service)} + ":" + subject.account->id;
  return subject.profile ? "profileId:" + std::to_string(subject.profile->value)
                         : "user " + std::to_string(subject.user.value);
}

void write_slash(json_writer& to, const slash::slash_record& of) {
  to.begin_object();
  to.field("slashId", of.id);
  to.field("authorProfileId", of.author);
  to.field("subject", text_of(of.subject));
  to.field("amount", of.amount);
  to.field("state",
           of.closed ? slash::verdict_names[static_cast<std::size_t>(of.closed->how)] : std::string_view{"OPEN"});
  to.field("createdAt", ms_of(of.created_at));
  to.field("endsAt", ms_of(of.ends_at()));
  to.end_object();
}

/// `cursor` is how many slashes the pages before had.
credence::page read_slice(parameters& given) {
  const auto offset = given.integer_or("cursor", 0, {0, limits::id_max});
  return {read_limit(given), offset};
}

} // namespace

void list_slashes(call& c) {
  parameters given{c.query()};
  slash::find_slashes question;
  question.slice = read_slice(given);
  given.refuse_others();
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().slashes, std::move(question), [](call& later, slash::slash_page& found) {
    const auto until = std::int64_t{found.slice.offset} + static_cast<std::int64_t>(found.values.size());
    json_writer to{later.out()};
    write_values(
      to, found.values, [&](const slash::slash_record& each) { write_slash(to, each); },
      [&] { to.field("next", until < found.total ? std::optional{std::to_string(until)} : std::nullopt); });
    later.reply();
  });
}

void cancel_slash(call& c) {
  parameters given{c.query()};
  const slash::cancel_slash question{given.path_id<slash_id>("slashId", c.path_part("slashId"))};
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().slashes, question, [](call& later, slash::slash_record&) { reply_ok(later); });
}

} // namespace credence::http::admin
