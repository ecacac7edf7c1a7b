#include "config/load.hpp"
#include "config/setting_checks.hpp"
#include "http/admin/desk.hpp"
#include "http/admin/json.hpp"
#include "http/admin/operations.hpp"
#include "http/admin/page.hpp"
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
  if (!asked_with_nothing(c))
    return;
  json_writer to{c.out()};
  write_values(
    to, clients_now(),
    [&](const client_row& each) {
      to.begin_object();
      to.field("client", each.client);
      to.field("requests", each.requests);
      to.field("clientErrors", each.client_errors);
      to.field("rateLimited", each.rate_limited);
      to.field("serverErrors", each.server_errors);
      to.field("deprecated", each.deprecated);
      to.end_object();
    },
    [&] { to.field("since", ms_of(c.desk().by().started_at)); });
  c.reply();
}

void list_deprecated_calls(call& c) {
  if (!asked_with_nothing(c))
    return;
  json_writer to{c.out()};
  to.begin_object();
  to.key("values");
  to.begin_array();
  ops::each_deprecated_route([&](const ops::deprecated_route& each) {
    to.begin_object();
    to.field("route", each.route);
    to.key("clients");
    to.begin_array();
    each.clients.each([&](const std::string& client, std::int64_t requests) {
      to.begin_object();
      to.field("client", client);
      to.field("requests", requests);
      to.end_object();
    });
    to.end_array();
    to.end_object();
  });
  to.end_array();
  to.end_object();
  c.reply();
}

void list_budgets(call& c) {
  if (!asked_with_nothing(c))
    return;
  const auto& with = c.desk().with().settings;
  const std::array<settings::rate, ops::rate_bucket_names.size()> rates{
    with.rate_read,      with.rate_write,       with.rate_wallet, with.rate_admin,
    with.rate_anonymous, with.rate_credentials, with.rate_address};
  json_writer to{c.out()};
  to.begin_object();
  to.key("values");
  to.begin_array();
  for (std::size_t i = 0; i < rates.size(); ++i) {
    to.begin_object();
    to.field("bucket", ops::rate_bucket_names[i]);
    to.field("rate", settings::text_of(with.rate_limits ? rates[i] : settings::rate{}));
    to.field("counts", what_counts(ops::rate_bucket_names[i]));
    to.field("refused", ops::the_metrics().http.rate_limited[i].value());
    to.end_object();
  }
  to.end_array();
  to.end_object();
  c.reply();
}

} // namespace credence::http::admin
