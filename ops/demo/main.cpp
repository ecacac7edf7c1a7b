// Fills an empty database with demo data, for whoever tries the service, tests it or measures it. It takes the settings
// of the server from CREDENCE_… and CREDENCE_CONFIG.
#include "actors/domain/hash.hpp"
#include "auth/digest.hpp"
#include "http/call/identity.hpp"
#include "http/call/json_writer.hpp"
#include "http/commands/command.hpp"
#include "ops/demo/demo.hpp"
#include "ops/log.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>

namespace credence::commands {

using http::json_writer;

namespace {

/// What the command line said.
struct given {
  command_line line;
  persistence::demo_size size;
  std::string tokens_file;
  std::string keys_file;
};

/// What people need to act for the demo accounts, in `<data_dir>/demo.json`.
std::string demo_json(const auth::token_rules& rules, const persistence::demo_size& size,
                      const std::vector<profile_id>& ring) {
  std::string text;
  json_writer json{text};
  const auto lifetime = std::chrono::days{30};
  json.begin_object();
  json.objects("accounts", persistence::demo_accounts(size.profiles), [&](const auto& account) {
    json.field("profileId", std::int64_t{account.profile.value});
    json.field("name", account.name);
    json.field("username", account.username);
    json.field("address", account.address);
    json.field("privateKey", account.private_key);
    json.field("embeddedWallet", account.embedded_wallet);
    json.array("userkeys", account.userkeys, [&](const auto& key) { json.value(key); });
    json.field("xp", account.xp);
    json.field("admin", account.admin);
    json.field("apiAccess", account.api_access);
    json.field("token", auth::mint_access_token(rules, account.profile, account.admin, now_seconds(), lifetime));
  });
  json.field("adminToken", auth::mint_access_token(rules, profile_id{1}, true, now_seconds(), lifetime));
  json.key("projectIds");
  json.begin_array();
  for (std::int32_t id = 1; id <= std::min(size.projects, 1000); ++id)
    json.value(std::int64_t{id});
  json.end_array();
  json.object("integrity",
              [&] { json.array("ring", ring, [&](const auto member) { json.value(std::int64_t{member.value}); }); });
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
  const auto until = persistence::deadline_in(timeout);
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

void fill(const settings::all& with, const given& how, persistence::connection& on) {
  const auto began = std::chrono::steady_clock::now();
  const auto made = [&] {
    auto told = progress_of(how.line, "demo");
    return persistence::load_demo(on, how.size, trading_terms(with), system_now(), attestation_hash,
                                  persistence::deadline_in(timeout), told);
  }();
  const auto took = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  std::cout << "loaded " << made.profiles << " profiles, " << made.projects << " projects and " << made.votes
            << " votes over " << made.periods << " periods in " << took << " s\n";
}

int demo(const given& how) {
  const auto with = good_settings(how.line);
  auto on = connect(with, "demo");
  const auto until = persistence::deadline_in(timeout);
  const auto rules = token_rules(with);
  const bool there = persistence::has_data(on, until);
  if (there)
    std::cout << "the database holds data already: nothing was added\n";
  else
    fill(with, how, on);
  if (there && !persistence::holds_demo_wallets(on, until)) {
    std::cout << "it is no demo data, so there are no accounts and tokens to tell\n";
    return ok;
  }
  write_private_file(with.data_dir + "/demo.json",
                     demo_json(rules, how.size, persistence::stored_demo_ring(on, until)) + "\n");
  std::cout << "accounts and tokens are in " << with.data_dir << "/demo.json\n";
  auto told = progress_of(how.line, "demo");
  if (!how.tokens_file.empty())
    write_tokens(how.tokens_file, rules, how.size.profiles, told);
  if (!how.keys_file.empty())
    write_keys(how.keys_file, on, with, told);
  return ok;
}

int run(int argc, char** argv) {
  given how;
  CLI::App app{"Fills an empty database with demo data"};
  auto& size = how.size;
  app.add_option("--profiles", size.profiles, "number of profiles [500]")->check(CLI::Range(1, 100000000));
  app.add_option("--projects", size.projects, "number of projects [40]")->check(CLI::Range(1, 1000000));
  app.add_option("--votes", size.votes, "number of votes [24000]");
  app.add_option("--markets", size.markets, "number of markets, 0 to 16 [16]")->check(CLI::Range(0, 16));
  app.add_option("--writers", size.writers, "people who write reviews, vouches and replies, at most, 0 to 10000 [200]")
    ->check(CLI::Range(0, 10000));
  app.add_option("--tokens", how.tokens_file, "write `profileId<TAB>token` lines to this file");
  app.add_option("--keys", how.keys_file,
                 "make an API key for every live profile and write `profileId<TAB>key` lines to this file");
  app.add_flag("--quiet", how.line.quiet, "do not tell on standard error how far it is");
  app.add_option("--database-url", how.line.flags["store.database_url"], "as for credence");
  app.add_option("--data-dir", how.line.flags["data_dir"], "as for credence");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : usage;
  }
  std::erase_if(how.line.flags, [](const auto& each) { return each.second.empty(); });
  try {
    return demo(how);
  } catch (const ending& end) {
    std::cerr << "credence_demo: " << end.why << "\n";
    return end.code;
  } catch (const std::exception& error) {
    std::cerr << "credence_demo: " << error.what() << "\n";
    return failed;
  }
}

} // namespace
} // namespace credence::commands

int main(int argc, char** argv) { return credence::commands::run(argc, argv); }
