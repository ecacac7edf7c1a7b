#include "http/admin/desk.hpp"

#include "http/server/server.hpp"

namespace credence::http::admin {

namespace {

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
  : by_(by), with_(with), over_(std::move(over)), host_(host_in(with.settings.admin_url)), sessions_(by) {}

desk::~desk() = default;

void desk::tick(steady_time) {}

} // namespace credence::http::admin
