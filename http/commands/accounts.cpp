#include "auth/digest.hpp"
#include "auth/keccak.hpp"
#include "http/call/identity.hpp"
#include "http/call/json_writer.hpp"
#include "http/commands/command.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>

namespace credence::commands {

using http::json_writer;

namespace {

/// What people need to act for the demo accounts, in `<data_dir>/demo.json`.
std::string demo_json(const auth::token_rules& rules, const persistence::demo_size& size,
                      const std::vector<profile_id>& ring) {
  std::string text;
  json_writer json{text};
  const auto lifetime = std::chrono::days{30};
  json.begin_object();
  json.key("accounts");
  json.begin_array();
  for (const auto& account : persistence::demo_accounts(size.profiles)) {
    json.begin_object();
    json.field("profileId", std::int64_t{account.profile.value});
    json.field("name", account.name);
    json.field("username", account.username);
    json.field("address", account.address);
    json.field("privateKey", account.private_key);
    json.field("embeddedWallet", account.embedded_wallet);
    json.key("userkeys");
    json.begin_array();
    for (const auto& key : account.userkeys)
      json.value(key);
    json.end_array();
    json.field("xp", account.xp);
    json.field("admin", account.admin);
    json.field("apiAccess", account.api_access);
    json.field("token", auth::mint_access_token(rules, account.profile, account.admin, now_seconds(), lifetime));
    json.end_object();
  }
  json.end_array();
  json.field("adminToken", auth::mint_access_token(rules, profile_id{1}, true, now_seconds(), lifetime));
  json.key("projectIds");
  json.begin_array();
  for (std::int32_t id = 1; id <= std::min(size.projects, 1000); ++id)
    json.value(std::int64_t{id});
  json.end_array();
  json.key("integrity");
  json.begin_object();
  json.key("ring");
  json.begin_array();
  for (const auto member : ring)
    json.value(std::int64_t{member.value});
  json.end_array();
  json.end_object();
  json.end_object();
  return text;
}

void write_tokens(const std::string& path, const auth::token_rules& rules, std::int32_t profiles, ops::progress& told) {
  told.begin("tokens", profiles, profiles);
  std::string lines;
  for (std::int32_t id = 1; id <= profiles; ++id) {
    lines += std::to_string(id) + "\t"
             + auth::mint_access_token(rules, profile_id{id}, id == 1, now_seconds(), std::chrono::days{30}) + "\n";
    told.at(id);
  }
  write_private_file(path, lines);
}

/// In one statement; the check of their number looks at all of them together.
constexpr int keys_at_once = 5'000;

/// One more API key for every live profile, as if each had signed for it.
void write_keys(const std::string& path, persistence::connection& on, const settings::all& with, ops::progress& told) {
  const auto rules = token_rules(with);
  const auto until = persistence::deadline_in(patience);
  const auto live = on.exec_params("SELECT id FROM profiles WHERE NOT archived AND api_access ORDER BY id", until);
  auth::token_claims claims;
  claims.kind = auth::token_kind::api_key;
  claims.issued_at = now_seconds();
  claims.expires_at = claims.issued_at + std::chrono::days{30};
  std::string lines;
  persistence::binary_array ids{persistence::sql_type::text}, profiles{persistence::sql_type::int4},
    hashes{persistence::sql_type::bytea};
  const auto store = [&] {
    persistence::parameters rows;
    rows.array(ids).array(profiles).array(hashes).time(timestamp{claims.issued_at}).time(timestamp{claims.expires_at});
    on.exec_params("INSERT INTO api_keys (id, profile_id, address, name, token_hash, created_at, expires_at)"
                   " SELECT i::uuid, o.id, a.address, 'demo', h, $4::timestamptz, $5::timestamptz"
                   " FROM unnest($1::text[], $2::int4[], $3::bytea[]) AS key (i, p, h)"
                   " JOIN profiles o ON o.id = p JOIN addresses a ON a.user_id = o.user_id AND a.kind = 'primary'",
                   rows, until);
    ids.clear();
    profiles.clear();
    hashes.clear();
  };
  told.begin("API keys", live.count(), live.count());
  const persistence::column<profile_id> profile{live, "id"};
  for (int i = 0; i < live.count(); ++i) {
    claims.profile = profile[i];
    claims.id = auth::random_uuid();
    const auto key = with.auth.key_prefix + auth::mint_token(rules, claims);
    lines += std::to_string(claims.profile.value) + "\t" + key + "\n";
    ids.text(claims.id);
    profiles.int4(claims.profile.value);
    hashes.bytes(auth::sha256(key));
    if (i % keys_at_once == keys_at_once - 1)
      store();
    told.at(i + 1);
  }
  store();
  write_private_file(path, lines);
}

void fill(const command_line& line, const settings::all& with, persistence::connection& on) {
  const auto began = std::chrono::steady_clock::now();
  const auto made = [&] {
    auto told = progress_of(line, "demo");
    return persistence::load_demo(on, line.demo, trading_terms(with), system_now(), auth::attestation_hash,
                                  persistence::deadline_in(patience), told);
  }();
  const auto took = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  std::cout << "loaded " << made.profiles << " profiles, " << made.projects << " projects and " << made.votes
            << " votes over " << made.periods << " periods in " << took << " s\n";
}

} // namespace

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

int demo(const command_line& line) {
  const auto with = good_settings(line);
  auto on = connect(with, "demo");
  const auto until = persistence::deadline_in(patience);
  const auto rules = token_rules(with);
  const bool there = persistence::has_data(on, until);
  if (there)
    std::cout << "the database holds data already: nothing was added\n";
  else
    fill(line, with, on);
  if (there && !persistence::holds_demo_wallets(on, until)) {
    std::cout << "it is no demo data, so there are no accounts and tokens to tell\n";
    return ok;
  }
  write_private_file(with.data_dir + "/demo.json",
                     demo_json(rules, line.demo, persistence::stored_demo_ring(on, until)) + "\n");
  std::cout << "accounts and tokens are in " << with.data_dir << "/demo.json\n";
  auto told = progress_of(line, "demo");
  if (!line.tokens_file.empty())
    write_tokens(line.tokens_file, rules, line.demo.profiles, told);
  if (!line.keys_file.empty())
    write_keys(line.keys_file, on, with, told);
  return ok;
}

} // namespace credence::commands
