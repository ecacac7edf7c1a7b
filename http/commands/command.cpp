#include "http/commands/command.hpp"

#include "actors/wallets/action_calls.hpp"
#include "actors/wallets/failure_reason.hpp"
#include "auth/token_key.hpp"
#include "http/commands/wallet_signing.hpp"
#include "http/outside/chain_rpc_node.hpp"
#include "http/outside/x_posts.hpp"
#include "http/routes.hpp"
#include "http/server/route_table.hpp"
#include "persistence/sql/audit_sql.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

extern char** environ;

namespace credence::commands {

using namespace std::chrono_literals;

void write_private_file(const std::string& path, const std::string& content) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  const bool done = file >= 0 && ::fchmod(file, 0600) == 0
                    && ::write(file, content.data(), content.size()) == static_cast<ssize_t>(content.size())
                    && ::fsync(file) == 0;
  if (file >= 0)
    ::close(file);
  if (!done)
    throw ending{failed, "cannot write " + path};
}

std::string settings_file(const command_line& line) {
  const auto* named = std::getenv("CREDENCE_CONFIG");
  return line.config_file.empty() && named ? named : line.config_file;
}

settings::loaded load_settings(const command_line& line) {
  auto flags = line.flags;
  for (const auto& [name, values] : line.lists) {
    std::string all;
    for (const auto& each : values)
      all += (all.empty() ? "" : ",") + each;
    if (!values.empty())
      flags[name] = all;
  }
  std::vector<std::string> environment;
  for (char** each = environ; *each; ++each)
    environment.emplace_back(*each);
  auto loaded = settings::load(flags, environment, settings_file(line));
  for (auto& mistake : http::deprecation_mistakes(loaded.values.http.deprecations, http::routes()))
    loaded.mistakes.push_back("http.deprecations: " + std::move(mistake));
  for (auto& mistake : http::provider_mistakes(loaded.values.auth))
    loaded.mistakes.push_back(std::move(mistake));
  for (auto& mistake : http::news_mistakes(loaded.values.news))
    loaded.mistakes.push_back(std::move(mistake));
  for (auto& mistake : signing_mistakes(loaded.values))
    loaded.mistakes.push_back(std::move(mistake));
  for (auto& mistake : http::chain_mistakes(loaded.values.chain))
    loaded.mistakes.push_back(std::move(mistake));
  const auto& functions = loaded.values.wallet_functions;
  if (const auto calls = wallets::action_calls::from(functions); !calls)
    loaded.mistakes.insert(loaded.mistakes.end(), calls.why().begin(), calls.why().end());
  if (const auto errors = wallets::revert_reader::knowing(functions.errors); !errors)
    loaded.mistakes.push_back("wallets.functions.errors: " + errors.why());
  return loaded;
}

/// The settings, or an ending that lists every mistake.
settings::all good_settings(const command_line& line) {
  auto loaded = load_settings(line);
  if (loaded.mistakes.empty())
    return std::move(loaded.values);
  std::string all;
  for (const auto& mistake : loaded.mistakes)
    all += (all.empty() ? "" : "\n") + mistake;
  throw ending{usage, all};
}

persistence::connection connect(const settings::all& with, const char* what_for) {
  if (with.store.database_url.empty())
    throw ending{usage, "no database is named: give --database-url, CREDENCE_STORE_DATABASE_URL or store.database_url"};
  persistence::session how;
  how.application_name = std::string{"credence-"} + what_for;
  how.statement_timeout = 0ms;
  how.idle_in_transaction_timeout = 0ms;
  try {
    return {with.store.database_url, how, 5s};
  } catch (const persistence::database_error& error) {
    throw ending{error.why() == persistence::trouble::usage ? usage : no_database, error.what()};
  }
}

void refuse_wrong_database(const persistence::database_error& why) {
  if (why.why() == persistence::trouble::usage)
    throw ending{unfit_schema, why.what()};
  if (why.sqlclass() == "28" || why.sqlclass() == "3D" || why.sqlstate() == "42501")
    throw ending{unfit_schema,
                 std::string{why.what()} + " (" + why.sqlstate() + "): set store.database_url right, or what it names"};
}

ops::progress progress_of(const command_line& line, const char* work) {
  return line.quiet ? ops::progress{} : ops::progress{work, ops::progress_on_standard_error()};
}

auth::token_rules token_rules(const settings::all& with) {
  std::filesystem::create_directories(with.data_dir);
  auto keys = auth::read_signing_keys(with.auth.token_secret, with.auth.token_secret_before, with.data_dir);
  return {std::move(keys.now),
          with.auth.issuer,
          with.auth.audience,
          std::chrono::seconds{with.auth.clock_skew_seconds},
          {keys.older.begin(), keys.older.end()}};
}

request_origin operator_here() {
  const auto* name = ::getlogin();
  return {std::nullopt, "operator " + std::string{name ? name : "uid " + std::to_string(::getuid())}, "", ""};
}

void audit_by_operator(persistence::connection& on, const persistence::audit_act& act) {
  const auto from = operator_here();
  persistence::note_in_audit(on, act, &from, persistence::deadline_in(timeout));
}

namespace {

market::tier_terms terms_of(const auto& with) {
  return {{with.liquidity, parse_wei(with.base_price_wei).value()}, parse_wei(with.creation_cost_wei).value()};
}

} // namespace

market::terms trading_terms(const settings::all& with) {
  const auto& how = with.market;
  return {{terms_of(how.high_risk), terms_of(how.normal), terms_of(how.low_risk)},
          {how.entry_fee_bps, how.donation_bps, how.exit_fee_bps}};
}

std::optional<http::identity_provider> identity_provider(const settings::all& with) {
  const auto& provider = with.auth.provider;
  const auto userkey = http::userkey_template::parse(provider.userkey);
  if (!provider.on() || !userkey)
    return std::nullopt;
  return http::identity_provider{
    {provider.issuer, provider.audience, userkey->claim(), std::chrono::seconds{with.auth.clock_skew_seconds}},
    *userkey,
    nullptr};
}

std::chrono::sys_seconds now_seconds() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

} // namespace credence::commands
