#include "http/admin/desk.hpp"

#include "http/server/server.hpp"
#include "ops/exposition.hpp"

namespace credence::http::admin {

namespace {

constexpr std::chrono::seconds alerts_every{1};

/// `ops.example.org` of `https://ops.example.org:8443/credence`.
std::string host_in(const std::string& url) {
  const auto mark = url.find("://");
  if (mark == std::string::npos)
    return {};
  const auto host = url.substr(mark + 3);
  return host.substr(0, host.find_first_of(":/"));
}

} // namespace

desk::desk(const terms& by, const services& with, reach over)
  : by_(by), with_(with), over_(std::move(over)), host_(host_in(with.console.url)), domains_(by.domains), sessions_(by), pulse_(*this),
    intake_(over_.pause), log_level_(with.log_level), hub_(*this) {}

desk::~desk() = default;

void desk::listens_at(std::uint16_t port) {
  for (auto& each : domains_)
    if (each.ends_with(":0"))
      each.replace(each.size() - 1, 1, std::to_string(port));
}

void desk::look_at_alerts(steady_time now) {
  ops::exposition seen;
  ops::the_metrics().expose(seen);
  alerts_.look(seen, now, std::chrono::system_clock::now());
  alerts_due_ = now + alerts_every;
}

void desk::tick(steady_time now) {
  pulse_.tick(now);
  intake_.tick(system_now());
  if (now >= alerts_due_)
    look_at_alerts(now);
  log_level_.tick(system_now());
  hub_.tick(now);
}

} // namespace credence::http::admin
