#include "actors/oversight/oversight_storage.hpp"
#include "actors/profile/profile_actor.hpp"
#include "auth/address.hpp"
#include "config/load.hpp"
#include "config/setting_checks.hpp"
#include "http/admin/admin_context.hpp"
#include "http/admin/json.hpp"
#include "http/admin/operations.hpp"
#include "http/api/replies.hpp"
#include "http/call/identity.hpp"
#include "http/server/server.hpp"
#include "ops/client_counts.hpp"
#include "ops/metrics.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace credence::http::admin {

namespace {

struct client_row {
  std::string client;
  std::int64_t requests = 0, client_errors = 0, rate_limited = 0, server_errors = 0, deprecated = 0;
};

std::vector<client_row> clients_now() {
  std::vector<client_row> out;
  ops::the_traffic_by_client().each([&](std::string_view client, const ops::client_traffic& of) {
    if (const auto requests = of.requests.value(); requests > 0)
      out.push_back({std::string{client}, requests, of.client_errors.value(), of.rate_limited.value(),
                     of.server_errors.value(), of.deprecated.value()});
  });
  std::stable_sort(out.begin(), out.end(),
                   [](const client_row& a, const client_row& b) { return a.requests > b.requests; });
  return out;
}

/// What a rate counts, as its setting says, without how a rate is written.
std::string what_counts(std::string_view bucket) {
  const auto& all = settings::descriptions();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const auto& each) { return each.name == "http.rate_" + std::string{bucket}; });
  return found == all.end() ? std::string{} : found->help.substr(0, found->help.find(", such as"));
}

} // namespace

void list_clients(call& c) {
  reply_values(
    c, clients_now(),
    [](json_writer& to, const client_row& each) {
      to.field("client", each.client);
      to.field("requests", each.requests);
      to.field("clientErrors", each.client_errors);
      to.field("rateLimited", each.rate_limited);
      to.field("serverErrors", each.server_errors);
      to.field("deprecated", each.deprecated);
    },
    [&](json_writer& to) { to.field("since", ms_of(c.admin_context().by().started_at)); });
}

void list_deprecated_calls(call& c) {
  reply_object(c, [&](json_writer& to) {
    to.array("values", [&] {
      ops::each_deprecated_route([&](const ops::deprecated_route& each) {
        to.object([&] {
          to.field("route", each.route);
          to.array("clients", [&] {
            each.clients.each([&](const std::string& client, std::int64_t requests) {
              to.object([&] {
                to.field("client", client);
                to.field("requests", requests);
              });
            });
          });
        });
      });
    });
  });
}

void list_budgets(call& c) {
  const auto& with = c.admin_context().with().settings;
  const std::array<settings::rate, ops::rate_bucket_names.size()> rates{
    with.rate_read,      with.rate_write,       with.rate_wallet, with.rate_admin,
    with.rate_anonymous, with.rate_credentials, with.rate_address};
  reply_object(c, [&](json_writer& to) {
    to.array("values", [&] {
      for (std::size_t i = 0; i < rates.size(); ++i) {
        to.begin_object();
        to.field("bucket", ops::rate_bucket_names[i]);
        to.field("rate", settings::text_of(with.rate_limits ? rates[i] : settings::rate{}));
        to.field("counts", what_counts(ops::rate_bucket_names[i]));
        to.field("refused", ops::the_metrics().http.rate_limited[i].value());
        to.end_object();
      }
    });
  });
}

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
  to.array("networks", key.bounds.networks, [&](const auto& each) { to.value(each); });
  to.field("createdAt", ms_of(key.created_at));
  to.field("expiresAt", ms_of(key.expires_at));
  to.field("lastUsedAt", ms_of(key.last_used_at));
}

void reply_keys(call& c, oversight::key_page& found) {
  reply_values(c, found.keys, &write_key, [&](json_writer& to) {
    to.field("next", found.next ? std::optional{cursor_of(*found.next)} : std::nullopt);
  });
}

} // namespace

void list_keys(call& c) {
  oversight::list_all_keys question;
  question.profile = c.given().id<profile_id>("profileId");
  question.after = read_place(c.given());
  question.limit = read_limit(c.given());
  question.now = c.now();
  c.ask(c.to().oversight, std::move(question), &reply_keys);
}

void revoke_key(call& c) {
  profile::revoke_key question{c.path_id<profile_id>("profileId"), std::string{c.path_part("keyId")}};
  if (!is_uuid(question.id)) // no key has such an id
    return c.refuse({refusal_code::key_not_found,
                     "profile " + std::to_string(question.profile.value) + " has no API key " + shown(question.id)});
  c.ask(c.to().profiles, std::move(question), [](call& later, profile::done&) { reply_ok(later); });
}

} // namespace credence::http::admin
