#include "http/commands/console.hpp"

#include "http/admin/sessions.hpp"
#include "http/call/json_writer.hpp"
#include "http/commands/run_mark.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

namespace credence::commands {

namespace {

using http::admin::role;

/// `host:port` of `https://host:port/path`.
std::string domain_of(const std::string& url) {
  const auto mark = url.find("://");
  const auto rest = mark == std::string::npos ? url : url.substr(mark + 3);
  return rest.substr(0, rest.find('/'));
}

std::string host_text(const std::string& address) {
  return address.find(':') == std::string::npos ? address : "[" + address + "]";
}

std::string console_url(const settings::all& with, std::uint16_t port) {
  if (!with.console.url.empty())
    return with.console.url;
  const bool anywhere = with.console.address == "0.0.0.0" || with.console.address == "::";
  return "http://" + (anywhere ? "127.0.0.1" : host_text(with.console.address)) + ":" + std::to_string(port);
}

/// Who runs the command, for the audit.
std::string who_runs() {
  if (const auto* login = ::getlogin())
    return login;
  const auto* user = ::getpwuid(::getuid());
  return user ? user->pw_name : "uid-" + std::to_string(::getuid());
}

} // namespace

http::admin::terms console_terms(const command_line& line, const settings::all& with, const auth::token_rules& tokens) {
  http::admin::terms out;
  out.tokens = tokens;
  for (const auto id : with.console.viewers)
    out.roles[profile_id{id}] = role::viewer;
  for (const auto id : with.console.operators)
    out.roles[profile_id{id}] = role::operator_;
  for (const auto id : with.auth.admins)
    out.roles[profile_id{id}] = role::admin;
  const auto url = console_url(with, with.console.port);
  const bool secure = url.starts_with("https://");
  out.scheme = secure ? "https" : "http";
  out.domains = {domain_of(url)};
  if (!secure)
    for (const auto* host : {"127.0.0.1", "localhost", "[::1]"})
      if (const auto name = host + (":" + std::to_string(with.console.port)); name != out.domains.front())
        out.domains.push_back(name);
  out.chain_id = with.auth.chain_id;
  if (!secure && !with.auth.secure_cookies) { // browsers that take no Secure cookie from this machine itself
    out.cookie = "credence-console";
    out.cookie_attributes = "; Path=/; HttpOnly; SameSite=Strict";
  }
  out.started_at = system_now();
  out.in_force = load_settings(line);
  out.settings_file = settings_file(line);
  out.settings_now = [line] { return load_settings(line); };
  return out;
}

int console_link(const command_line& line) {
  const auto with = good_settings(line);
  if (!with.console.listener)
    throw ending{usage, "there is no console to sign in at: http.admin_listener is false"};
  auto of = role::admin;
  for (const auto each : {role::viewer, role::operator_})
    if (line.console_role == http::admin::name_of(each))
      of = each;
  // The server may have been given another port than these settings name, or any that was free.
  const auto port = admin_port_of_running(with.data_dir).value_or(with.console.port);
  if (port == 0)
    throw ending{failed, "no server with a console runs on " + with.data_dir
                           + ", and http.admin_port is 0: start it, or name its port"};
  const auto url =
    console_url(with, port) + "/#link=" + http::admin::make_link_code(token_rules(with), of, who_runs(), system_now());
  if (!line.json) {
    std::cout << url << "\n";
    return ok;
  }
  std::string out;
  http::json_writer to{out};
  to.begin_object();
  to.field("url", url);
  to.field("role", http::admin::name_of(of));
  to.end_object();
  std::cout << out << "\n";
  return ok;
}

} // namespace credence::commands
