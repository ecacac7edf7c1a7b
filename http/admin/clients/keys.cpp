#include "actors/oversight/oversight_storage.hpp"
#include "actors/profile/profile_actor.hpp"
#include "auth/address.hpp"
#include "http/admin/clients/handlers.hpp"
#include "http/admin/json.hpp"
#include "http/admin/page.hpp"
#include "http/api/replies.hpp"
#include "http/call/identity.hpp"

namespace credence::http::admin {

namespace {

/// `<microseconds>.<id>` of the last key of a page.
std::string cursor_of(const oversight::key_place& place) {
  return std::to_string(place.created_at.time_since_epoch().count()) + "." + place.id;
}

std::optional<oversight::key_place> read_place(parameters& given) {
  const auto text = given.text("cursor");
  if (!text)
    return std::nullopt;
  const auto dot = text->find('.');
  const auto at = dot == std::string_view::npos ? std::nullopt : parse_integer(text->substr(0, dot));
  if (!at || !is_uuid(text->substr(dot + 1))) {
    given.issue("cursor must be the `next` of the page before, not " + shown(*text));
    return std::nullopt;
  }
  return oversight::key_place{timestamp{std::chrono::microseconds{*at}}, std::string{text->substr(dot + 1)}};
}

void write_key(json_writer& to, const profile::api_key& key) {
  to.begin_object();
  to.field("id", key.id);
  to.field("profileId", key.profile);
  to.field("name", key.name);
  to.field("address", auth::checksummed_text(key.signer));
  to.key("scopes");
  if (key.bounds.scopes) {
    to.begin_array();
    for (std::size_t i = 1; i < scope_names.size(); ++i)
      if (key.bounds.scopes->has(static_cast<scope>(i)))
        to.value(scope_names[i]);
    to.end_array();
  } else
    to.null();
  to.key("networks");
  to.begin_array();
  for (const auto& each : key.bounds.networks)
    to.value(each);
  to.end_array();
  to.field("createdAt", ms_of(key.created_at));
  to.field("expiresAt", ms_of(key.expires_at));
  to.field("lastUsedAt", ms_of(key.last_used_at));
  to.end_object();
}

void reply_keys(call& c, oversight::key_page& found) {
  json_writer to{c.out()};
  write_values(
    to, found.keys, [&](const profile::api_key& each) { write_key(to, each); },
    [&] { to.field("next", found.next ? std::optional{cursor_of(*found.next)} : std::nullopt); });
  c.reply();
}

} // namespace

void get_keys(call& c) {
  parameters given{c.query()};
  oversight::list_all_keys question;
  question.profile = given.id<profile_id>("profileId");
  question.after = read_place(given);
  question.limit = read_limit(given);
  question.now = c.now();
  given.refuse_others();
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().oversight, std::move(question), &reply_keys);
}

void delete_key(call& c) {
  parameters given{c.query()};
  profile::revoke_key question{given.path_id<profile_id>("profileId", c.path_part("profileId")),
                               std::string{c.path_part("keyId")}};
  if (!given.good())
    return c.refuse(given.why());
  if (!is_uuid(question.id)) // no key has such an id
    return c.refuse({refusal_code::key_not_found,
                     "profile " + std::to_string(question.profile.value) + " has no API key " + shown(question.id)});
  c.ask(c.to().profiles, std::move(question), [](call& later, profile::done&) { reply_ok(later); });
}

} // namespace credence::http::admin
