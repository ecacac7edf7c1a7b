#include "auth/access_token.hpp"
#include "auth/digest.hpp"
#include "auth/token_key.hpp"
#include "http/admin/sessions.hpp"
#include "http/commands/command.hpp"
#include "http/commands/output.hpp"
#include "http/commands/run_mark.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace credence::commands {

int token(const command_line& line) {
  const auto with = good_settings(line);
  if (with.auth.token_secret.empty() && !std::filesystem::exists(with.data_dir + "/token.key"))
    throw ending{usage, "there is no token.key in " + with.data_dir
                          + ": name the data directory of the server with --data-dir (it makes the key when it starts"
                            " for the first time), or its auth.token_secret"};
  const auto& admins = with.auth.admins;
  const bool listed = std::find(admins.begin(), admins.end(), line.token_profile) != admins.end();
  const std::chrono::seconds most = auth::admin_token_lifetime_max;
  const auto usual = line.token_admin ? std::chrono::hours{8} : std::chrono::hours{24};
  const auto lifetime = line.token_lifetime == 0 ? usual : std::chrono::seconds{line.token_lifetime};
  if (line.token_admin && lifetime > most)
    throw ending{usage, "an admin's token lives " + std::to_string(most.count()) + " seconds at most"};
  auth::token_claims claims;
  claims.profile = profile_id{line.token_profile};
  claims.admin = line.token_admin;
  claims.id = auth::random_hex(16);
  claims.issued_at = now_seconds();
  claims.expires_at = claims.issued_at + lifetime;
  const auto minted = auth::mint_token(token_rules(with), claims);
  const bool admin = line.token_admin || (listed && lifetime <= most);
  if (line.json)
    std::cout << R"({"profileId":)" << line.token_profile << R"(,"admin":)" << (admin ? "true" : "false")
              << R"(,"expiresIn":)" << lifetime.count() << R"(,"id":")" << claims.id << R"(","token":")" << minted
              << "\"}\n";
  else
    std::cout << minted << "\n";
  return ok;
}

int access(const command_line& line) {
  const auto with = good_settings(line);
  auto on = connect(with, "access");
  const auto until = persistence::deadline_in(timeout);
  persistence::transaction all{on, until};
  const auto who = persistence::parameters{}.int4(line.access_profile);
  const auto before =
    on.exec_params("SELECT api_access, archived FROM profiles WHERE id = $1::int4 FOR UPDATE", who, until);
  if (before.empty())
    throw ending{failed, "there is no profile " + std::to_string(line.access_profile)};
  on.exec_params("UPDATE profiles SET api_access = $2::bool WHERE id = $1::int4",
                 persistence::parameters{}.int4(line.access_profile).boolean(!line.access_off), until);
  const auto words = [](bool allowed) { return allowed ? "allowed" : "not allowed"; };
  audit_by_operator(on, {system_now(), "api_access_changed", profile_id{line.access_profile}, "API keys",
                         words(before.first<bool>("api_access")), words(!line.access_off)});
  all.commit(until);
  if (line.json)
    std::cout << R"({"profileId":)" << line.access_profile << R"(,"apiAccess":)" << (line.access_off ? "false" : "true")
              << "}\n";
  else
    std::cout << "profile " << line.access_profile << (line.access_off ? " may have no API keys" : " may have API keys")
              << (before.first<bool>("archived") ? ", once it is no longer archived\n" : "\n");
  return ok;
}

int revoke(const command_line& line) {
  const auto with = good_settings(line);
  const profile_id owner{line.token_profile};
  auto id = line.revoked;
  // Whoever gives only the id may mean a token of any age.
  auto expires_at = now_seconds() + std::chrono::days{366};
  if (line.revoked.find('.') != std::string::npos) {
    const auto token = auth::verify_access_token(token_rules(with), line.revoked, now_seconds());
    if (!token)
      throw ending{failed, "this is no access token of this service that is still good"};
    if (token->id.empty())
      throw ending{failed,
                   token->session.empty()
                     ? "this token has no id to revoke it by; it ends at its time, or with the key that signed it"
                     : "this token ends with its session: DELETE /api/v2/auth/sessions/" + token->session};
    if (token->profile != owner)
      throw ending{failed, "this token is of profile " + std::to_string(token->profile.value)};
    id = token->id;
    expires_at = token->expires_at;
  }
  if (id.size() != 32 || id.find_first_not_of("0123456789abcdef") != std::string::npos)
    throw ending{
      usage, "name an access token, or its id, the 32 hexadecimal digits that `credence token --json` printed, not '"
               + id + "'"};
  auto on = connect(with, "revoke");
  const auto until = persistence::deadline_in(timeout);
  persistence::transaction all{on, until};
  if (on.exec_params("SELECT 1 FROM profiles WHERE id = $1::int4", persistence::parameters{}.int4(owner.value), until)
        .empty())
    throw ending{failed, "there is no profile " + std::to_string(owner.value)};
  const auto added =
    on.exec_params("INSERT INTO revoked_tokens (id, profile_id, revoked_at, expires_at)"
                   " VALUES ($1::text, $2::int4, now(), $3::timestamptz) ON CONFLICT DO NOTHING RETURNING id",
                   persistence::parameters{}.text(id).int4(owner.value).time(timestamp{expires_at}), until);
  if (!added.empty())
    audit_by_operator(on, {system_now(), "token_revoked", owner, "access token " + id, "in force", "revoked"});
  all.commit(until);
  std::cout << "the access token " << id << " of profile " << owner.value << " is refused within five seconds\n";
  return ok;
}

namespace {

/// Settings of a server whose keys are in its data directory.
settings::all with_ring(const command_line& line) {
  auto with = good_settings(line);
  if (!with.auth.token_secret.empty())
    throw ending{usage,
                 "auth.token_secret is set: put a new one in its place, and this one into auth.token_secret_before"};
  if (!std::filesystem::exists(with.data_dir + "/token.key"))
    throw ending{usage, "there is no token.key in " + with.data_dir
                          + ": name the data directory of the server with --data-dir"};
  return with;
}

} // namespace

int signing_keys_list(const command_line& line) {
  const auto rules = token_rules(good_settings(line));
  std::cout << rules.key.id() << " signs\n";
  for (const auto& each : rules.older)
    std::cout << each.id() << " signed before; what it signed still holds\n";
  return ok;
}

int signing_keys_rotate(const command_line& line) {
  const auto with = with_ring(line);
  std::cout << auth::rotate_signing_keys(with.data_dir) << " signs from the server's next start on; restart it now\n";
  return ok;
}

int signing_keys_retire(const command_line& line) {
  const auto with = with_ring(line);
  auth::retire_signing_key(with.data_dir, line.signing_key);
  std::cout << "what " << line.signing_key
            << " signed, API keys too, ends with the server's next start; restart it now\n";
  return ok;
}

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
  out.wall_max = std::chrono::days{with.console.wall_days};
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
  for (const auto each : {role::wall, role::viewer, role::operator_})
    if (line.console_role == http::admin::name_of(each))
      of = each;
  // The server may have been given another port than these settings name, or any that was free.
  const auto port = admin_port_of_running(with.data_dir).value_or(with.console.port);
  if (port == 0)
    throw ending{failed, "no server with a console runs on " + with.data_dir
                           + ", and http.admin_port is 0: start it, or name its port"};
  const auto url =
    console_url(with, port) + "/#link=" + http::admin::make_link_code(token_rules(with), of, who_runs(), system_now());
  if (line.json)
    print_object([&](auto& to) {
      to.field("url", url);
      to.field("role", http::admin::name_of(of));
    });
  else
    std::cout << url << "\n";
  return ok;
}

} // namespace credence::commands
