#include "http/commands/command.hpp"

#include "auth/access_token.hpp"

#include <iostream>

namespace credence::commands {

int access(const command_line& line) {
  const auto with = good_settings(line);
  auto on = connect(with, "access");
  const auto until = persistence::deadline_in(patience);
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
  const auto until = persistence::deadline_in(patience);
  persistence::transaction all{on, until};
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

} // namespace credence::commands
