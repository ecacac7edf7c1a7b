#include "http/admin/json.hpp"

#include "http/admin/desk.hpp"
#include "http/server/server.hpp"
#include "ops/exposition.hpp"
#include "ops/log.hpp"

#include <algorithm>

namespace credence::http::admin {

console::note_act act_of(const call& c, std::string act, std::string subject, std::optional<std::string> before,
                         std::optional<std::string> after) {
  console::note_act out;
  out.at = c.now();
  out.from = c.context() ? c.context()->from() : nullptr;
  if (c.operated_by())
    out.profile = c.operated_by()->profile;
  ops::log(ops::level::info, "operator_act",
           {{"request_id", c.request_id()},
            {"act", act},
            {"subject", subject},
            {"by", out.from ? out.from->credential : std::string{}},
            {"before", before.value_or("")},
            {"after", after.value_or("")}});
  out.act = std::move(act);
  out.subject = std::move(subject);
  out.before = std::move(before);
  out.after = std::move(after);
  return out;
}

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
  : by_(by), with_(with), over_(std::move(over)), host_(host_in(with.console.url)), domains_(by.domains), sessions_(by),
    pulse_(*this), intake_(over_.pause), log_level_(with.log_level), hub_(*this) {}

desk::~desk() = default;

bool desk::lets_change(std::string_view origin, std::string_view host) const {
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
