#include "http/admin/admin_context.hpp"

#include "http/admin/pages.hpp"
#include "http/call/identity.hpp"
#include "http/server/server.hpp"
#include "ops/exposition.hpp"

#include <algorithm>

namespace credence::http::admin {

namespace {

constexpr std::chrono::seconds alerts_every{10}; // unless somebody looks
constexpr std::chrono::seconds alerts_fresh_for{1};

/// `ops.example.org` of `https://ops.example.org:8443/credence`.
std::string host_in(const std::string& url) {
  const auto mark = url.find("://");
  if (mark == std::string::npos)
    return {};
  const auto host = url.substr(mark + 3);
  return host.substr(0, host.find_first_of(":/"));
}

} // namespace

admin_context::admin_context(const terms& by, const services& with, front_controls over)
  : by_(by), with_(with), over_(std::move(over)), host_(host_in(with.console.url)), domains_(by.domains), sessions_(by),
    history_(*this, by.in_force.values.data_dir + "/console.series"), intake_(over_.pause), log_level_(with.log_level),
    hub_(*this) {}

admin_context::~admin_context() = default;

bool admin_context::lets_change(std::string_view origin, std::string_view host) const {
  const auto end = origin.find("://");
  if (end == std::string_view::npos)
    return false;
  const auto scheme = origin.substr(0, end);
  const auto name = origin.substr(end + 3);
  const bool own = scheme == by_.scheme && std::find(domains_.begin(), domains_.end(), name) != domains_.end();
  const bool called_so =
    scheme == "http" && !host.empty() && name == host; // as this listener speaks it, such as through a tunnel
  const auto& others = with_.console.origins;
  return own || called_so || std::find(others.begin(), others.end(), origin) != others.end();
}

void admin_context::listens_at(std::uint16_t port) {
  for (auto& each : domains_)
    if (each.ends_with(":0"))
      each.replace(each.size() - 1, 1, std::to_string(port));
}

outcome<caller> admin_context::find_session(std::string_view cookies, timestamp now) {
  return sessions_.find(cookie_value(cookies, by_.cookie), now);
}

std::optional<std::pair<caller, std::string>> admin_context::renewed(const caller& who, timestamp now) const {
  auto fresh = sessions_.renewed(who, now);
  if (!fresh)
    return std::nullopt;
  auto field = sessions_.set_cookie(*fresh);
  return std::pair{*std::move(fresh), std::move(field)};
}

void admin_context::acted(const caller& who, std::string_view method, std::string_view what) {
  history_.note_act(who.name + ": " + std::string{method} + " " + std::string{what});
}

operator_page admin_context::page_at(std::string_view path, const request_head& head) const {
  return admin::page_at(path, head);
}

void admin_context::look_at_alerts(steady_time now) {
  ops::exposition seen{ops::alert_watch::reads()};
  ops::the_metrics().expose(seen);
  alerts_.look(seen, now, std::chrono::system_clock::now());
  alerts_seen_ = now;
  history_.note(alerts_.holding());
}

const std::vector<ops::holding_alert>& admin_context::holding(steady_time now) {
  if (now - alerts_seen_ >= alerts_fresh_for)
    look_at_alerts(now);
  return alerts_.holding();
}

void admin_context::tick(steady_time now) {
  history_.tick(now);
  intake_.tick(system_now());
  if (now - alerts_seen_ >= alerts_every)
    look_at_alerts(now);
  log_level_.tick(system_now());
  hub_.tick(now);
}

} // namespace credence::http::admin
