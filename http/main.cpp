// The executable: reads settings, wires every folder together, runs one subcommand.
#include "actors/directory.hpp"
#include "auth/digest.hpp"
#include "auth/keccak.hpp"
#include "auth/token_key.hpp"
#include "config/load.hpp"
#include "http/json_writer.hpp"
#include "http/server.hpp"
#include "http/token_authenticator.hpp"
#include "http/user_cards.hpp"
#include "ops/log.hpp"
#include "ops/metrics.hpp"
#include "persistence/connection.hpp"
#include "persistence/demo.hpp"
#include "persistence/migrate.hpp"
#include "persistence/reader_actor.hpp"
#include "persistence/store.hpp"
#include "persistence/writer_actor.hpp"

#include <CLI/CLI.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/send.hpp>

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <thread>

extern char** environ;

namespace credence {
namespace {

using namespace std::chrono_literals;
using http::json_writer;

/// Exit codes; the README lists them.
enum exit_code : int { ok = 0, failed = 1, usage = 2, no_database = 3, unfit_schema = 4, port_taken = 5, superseded = 6 };

constexpr auto command_patience = std::chrono::minutes{30};
constexpr auto drain_patience = 8s;
constexpr auto fresh_enough = 2s; // readiness: last commit or probe
constexpr auto takeover_patience = 1s; // before everything else is started anyway
constexpr std::int32_t questions_waiting_max = 2048; // for an actor of which there is one

/// A reason to end with a code other than 0; its text goes to standard error.
struct ending {
  exit_code code;
  std::string why;
};

/// What the command line said.
struct command_line {
  settings::given_flags flags;
  std::vector<std::string> admins;
  std::string config_file;
  bool json = false;
  persistence::demo_size demo;
  std::string tokens_file;
  std::int32_t token_profile = 0;
  bool token_admin = false;
  std::int64_t token_lifetime = 24 * 3600;
};

void write_private_file(const std::string& path, const std::string& content) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool done = file >= 0 && ::fchmod(file, 0600) == 0
                    && ::write(file, content.data(), content.size()) == static_cast<ssize_t>(content.size());
  if (file >= 0)
    ::close(file);
  if (!done)
    throw ending{failed, "cannot write " + path};
}

settings::loaded load_settings(const command_line& line) {
  auto flags = line.flags;
  if (!line.admins.empty()) {
    std::string all;
    for (const auto& each : line.admins)
      all += (all.empty() ? "" : ",") + each;
    flags["auth.admins"] = all;
  }
  std::vector<std::string> environment;
  for (char** each = environ; *each; ++each)
    environment.emplace_back(*each);
  auto file = line.config_file;
  if (const auto* named = std::getenv("CREDENCE_CONFIG"); file.empty() && named)
    file = named;
  return settings::load(flags, environment, file);
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
    return {with.store.database_url, how, persistence::deadline_in(5s)};
  } catch (const persistence::database_error& error) {
    throw ending{no_database, error.what()};
  }
}

auth::token_rules token_rules(const settings::all& with) {
  std::filesystem::create_directories(with.data_dir);
  return {auth::token_key(with.auth.token_secret, with.data_dir), with.auth.issuer, with.auth.audience,
          std::chrono::seconds{with.auth.clock_skew_seconds}};
}

std::chrono::sys_seconds now_seconds() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

// -- serve ----------------------------------------------------------------------------------

/// Everything that serves, in the order it is built; taken apart in the opposite one.
class serving {
public:
  explicit serving(const settings::all& with) : with_(with), rules_(token_rules(with)) {
    actors_config_.set("scheduler.policy", caf::atom("sharing"));
    actors_config_.set("scheduler.max-throughput", std::size_t{64});
    auto threads = with.actors.threads;
    if (threads == 0)
      threads = std::clamp(std::thread::hardware_concurrency(), 1u, 4u);
    actors_config_.set("scheduler.max-threads", std::size_t{threads});
    actors_.emplace(actors_config_);
    open_front(); // before there are actors that would have to be stopped when a port is taken
    spawn();
  }

  int run(const sigset_t& signals) {
    front_->start();
    ops::log(ops::level::info, "ready",
             {{"port", static_cast<std::int64_t>(front_->port())},
              {"operator_port", static_cast<std::int64_t>(front_->operator_port())}});
    int got = 0;
    ::sigwait(&signals, &got);
    ops::log(ops::level::info, "draining", {{"signal", got}});
    // A second signal means now.
    std::thread{[signals] {
      int again = 0;
      ::sigwait(&signals, &again);
      ::_exit(failed);
    }}.detach();
    const bool drained = front_->drain(drain_patience);
    front_->stop();
    stop_actors();
    ops::log(ops::level::info, "stopped", {{"drained", drained}});
    return status_.superseded.load() ? superseded : ok;
  }

private:
  store open_storage() {
    try {
      return persistence::open_store(*actors_, with_.store, status_);
    } catch (const persistence::unfit_database& why) {
      throw ending{unfit_schema, why.what()};
    } catch (const persistence::database_error& error) {
      // Serve what can be served; the writer goes on trying, and checks again when it connects.
      ops::log(ops::level::warn, "database_away", {{"error", error.what()}});
      return {persistence::spawn_writer(*actors_, with_.store, status_),
              persistence::spawn_readers(*actors_, with_.store, status_), &status_};
    }
  }

  /// Until this process is the writer nothing is read, and whoever tries waits a moment
  /// before trying again: with the database at hand that is not worth beginning.
  void await_ownership() {
    const auto until = steady_clock::now() + takeover_patience;
    while (!status_.owned.load() && steady_clock::now() < until)
      std::this_thread::sleep_for(1ms);
  }

  void spawn() {
    auto born_with = std::make_shared<context>();
    status_.when_superseded = [] { ::kill(::getpid(), SIGTERM); };
    born_with->storage = open_storage();
    await_ownership();
    born_with->people = &people_;
    born_with->projects = &projects_;
    born_with->calendar = &calendar_;
    born_with->others = &directory_;
    born_with->limits = with_.actors;
    born_with->queue_max = with_.store.queue_max;
    born_with->load_timeout = with_.store.load_timeout;
    storage_ = born_with->storage;
    directory_.people_known = &people_;
    directory_.projects_known = &projects_;
    directory_.calendar = &calendar_;
    directory_.storage = &status_;
    directory_.all_questions = std::make_shared<gate>(static_cast<std::int32_t>(with_.http.requests_in_flight_max));
    directory_.for_people = single(ops::actor_kind::people);
    directory_.for_periods = single(ops::actor_kind::period);
    directory_.for_listings = single(ops::actor_kind::listing);
    directory_.people = people::spawn_people(*actors_, born_with, people_);
    directory_.periods = period::spawn_period(*actors_, born_with, calendar_);
    directory_.profiles = profile::spawn_profile_router(*actors_, born_with);
    directory_.projects = project::spawn_project_router(*actors_, born_with);
    directory_.listings = listing::spawn_listings(*actors_, born_with, projects_);
  }

  static std::shared_ptr<gate> single(ops::actor_kind kind) {
    return std::make_shared<gate>(questions_waiting_max, &ops::the_metrics().of(kind).waiting);
  }

  void open_front() {
    auto admins = std::make_shared<std::set<profile_id>>();
    for (const auto id : with_.auth.admins)
      admins->insert(profile_id{id});
    http::services needs;
    needs.settings = with_.http;
    needs.log_requests = with_.log.requests;
    needs.actors = &directory_;
    needs.api = http::routes();
    needs.make_authenticator = [this, admins] {
      return std::make_unique<http::token_authenticator>(rules_, with_.auth.verified_tokens_max, admins);
    };
    needs.make_cards = [this] { return std::make_shared<http::user_cards>(people_, with_.http); };
    needs.readiness = {
      {"store", [this] { return status_.writable.load() && recently_good(); }},
      {"calendar", [this] { return calendar_.get() != nullptr; }},
      {"people", [this] { return people_.complete(); }},
      {"listings", [this] { return projects_.complete(); }},
    };
    needs.may_open = [this] { return calendar_.get() && people_.complete() && projects_.complete(); };
    try {
      front_.emplace(std::move(needs));
    } catch (const std::runtime_error& error) {
      throw ending{port_taken, error.what()};
    }
  }

  bool recently_good() const {
    const auto last = status_.last_good_ns.load();
    return std::chrono::nanoseconds{steady_clock::now().time_since_epoch().count() - last} < fresh_enough;
  }

  void stop_actors() {
    for (const auto& each :
         {caf::actor_cast<caf::actor>(directory_.listings), caf::actor_cast<caf::actor>(directory_.projects),
          caf::actor_cast<caf::actor>(directory_.profiles), caf::actor_cast<caf::actor>(directory_.periods),
          caf::actor_cast<caf::actor>(directory_.people), caf::actor_cast<caf::actor>(storage_.writer),
          caf::actor_cast<caf::actor>(storage_.reader)})
      caf::anon_send_exit(each, caf::exit_reason::user_shutdown);
    // An actor that does not end must not keep the process: everything acknowledged is on disk.
    std::thread{[this] {
      std::this_thread::sleep_for(2s);
      ::_exit(status_.superseded.load() ? superseded : ok);
    }}.detach();
    actors_->await_all_actors_done(); // until then they look at the directory
    directory_ = {};
    storage_ = {};
    actors_.reset();
  }

  const settings::all& with_;
  auth::token_rules rules_;
  store_status status_;
  people::people_index people_;
  listing::project_index projects_;
  period::published_calendar calendar_;
  directory directory_;
  store storage_;
  std::optional<http::server> front_;
  caf::actor_system_config actors_config_;
  std::optional<caf::actor_system> actors_;
};

/// Threads born from here on do not push others off a core when they wake; they wait for
/// their turn and find more to do in it (decision 6). What an operator has chosen stays.
void take_turns() {
  const sched_param none{};
  if (::sched_getscheduler(0) == SCHED_OTHER)
    ::sched_setscheduler(0, SCHED_BATCH, &none);
}

int serve(const settings::all& with) {
  take_turns();
  // Tokens and keys must not end up in a core dump.
  ::prctl(PR_SET_DUMPABLE, 0);
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGTERM);
  ::sigaddset(&signals, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr); // before any thread is born
  ::signal(SIGPIPE, SIG_IGN);
  if (with.store.database_url.empty())
    throw ending{usage, "no database is named: give --database-url, CREDENCE_STORE_DATABASE_URL or store.database_url"};
  ops::start_log(with.log);
  serving all{with};
  return all.run(signals);
}

// -- the other subcommands --------------------------------------------------------------------

const char* state_name(persistence::migration_state state) {
  switch (state) {
    case persistence::migration_state::applied: return "applied";
    case persistence::migration_state::pending: return "pending";
    case persistence::migration_state::changed: return "changed";
    case persistence::migration_state::unknown: return "unknown";
  }
  return "";
}

int migrate_status(const command_line& line) {
  auto on = connect(good_settings(line), "migrate");
  const auto list = persistence::migration_list(on, persistence::deadline_in(command_patience));
  bool current = true;
  std::string text;
  json_writer json{text};
  json.begin_array();
  for (const auto& each : list) {
    current = current && each.state == persistence::migration_state::applied;
    if (!line.json) {
      std::cout << state_name(each.state) << "  " << each.name << "\n";
      continue;
    }
    json.begin_object();
    json.field("version", std::int64_t{each.version});
    json.field("name", each.name);
    json.field("state", state_name(each.state));
    json.end_object();
  }
  json.end_array();
  if (line.json)
    std::cout << text << "\n";
  return current ? ok : unfit_schema;
}

int migrate_up(const command_line& line) {
  auto on = connect(good_settings(line), "migrate");
  std::vector<int> applied;
  try {
    applied = persistence::migrate_up(on, persistence::deadline_in(command_patience));
  } catch (const persistence::migration_error& error) {
    throw ending{unfit_schema, error.what()};
  }
  std::string text;
  json_writer json{text};
  json.begin_object();
  json.key("applied");
    json.begin_array();
  for (const auto version : applied)
    json.value(std::int64_t{version});
  json.end_array();
  json.end_object();
  if (line.json)
    std::cout << text << "\n";
  else if (applied.empty())
    std::cout << "the schema is current\n";
  else
    std::cout << "applied " << applied.size() << " migration(s); the schema is current\n";
  return ok;
}

int config_check(const command_line& line) {
  const auto loaded = load_settings(line);
  for (const auto& mistake : loaded.mistakes)
    std::cerr << mistake << "\n";
  if (!loaded.mistakes.empty())
    return usage;
  std::cout << "the settings are good\n";
  return ok;
}

int config_show(const command_line& line) {
  const auto loaded = load_settings(line);
  std::string text;
  json_writer json{text};
  json.begin_array();
  for (const auto& each : loaded.list) {
    if (!line.json) {
      std::cout << each.name << " = " << each.value << "    # " << each.origin << "\n";
      continue;
    }
    json.begin_object();
    json.field("name", each.name);
    json.field("value", each.value);
    json.field("origin", each.origin);
    json.end_object();
  }
  json.end_array();
  if (line.json)
    std::cout << text << "\n";
  for (const auto& mistake : loaded.mistakes)
    std::cerr << mistake << "\n";
  return loaded.mistakes.empty() ? ok : usage;
}

int version(const command_line& line) {
  if (line.json)
    std::cout << R"({"name":"credence","version":")" << CREDENCE_VERSION << "\"}\n";
  else
    std::cout << "credence " << CREDENCE_VERSION << "\n";
  return ok;
}

int token(const command_line& line) {
  const auto with = good_settings(line);
  const auto& admins = with.auth.admins;
  const bool listed = std::find(admins.begin(), admins.end(), line.token_profile) != admins.end();
  const auto minted = auth::mint_access_token(token_rules(with), profile_id{line.token_profile}, line.token_admin,
                                              now_seconds(), std::chrono::seconds{line.token_lifetime});
  if (line.json)
    std::cout << R"({"profileId":)" << line.token_profile << R"(,"admin":)" << (line.token_admin || listed ? "true" : "false")
              << R"(,"expiresIn":)" << line.token_lifetime << R"(,"token":")" << minted << "\"}\n";
  else
    std::cout << minted << "\n";
  return ok;
}

/// What people need to act for the demo accounts, in `<data_dir>/demo.json`.
std::string demo_json(const auth::token_rules& rules, const persistence::demo_size& size) {
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
  json.end_object();
  return text;
}

void write_tokens(const std::string& path, const auth::token_rules& rules, std::int32_t profiles) {
  std::string lines;
  for (std::int32_t id = 1; id <= profiles; ++id)
    lines += std::to_string(id) + "\t"
             + auth::mint_access_token(rules, profile_id{id}, id == 1, now_seconds(), std::chrono::days{30}) + "\n";
  write_private_file(path, lines);
}

int demo(const command_line& line) {
  const auto with = good_settings(line);
  auto on = connect(with, "demo");
  const auto until = persistence::deadline_in(command_patience);
  const auto rules = token_rules(with);
  const bool there = persistence::has_data(on, until);
  if (!there) {
    const auto began = steady_clock::now();
    const auto made = persistence::load_demo(on, line.demo, system_now(), auth::attestation_hash, until);
    const auto took = std::chrono::duration<double>(steady_clock::now() - began).count();
    std::cout << "loaded " << made.profiles << " profiles, " << made.projects << " projects and " << made.votes
              << " votes over " << made.periods << " periods in " << took << " s\n";
  } else {
    std::cout << "the database holds data already: nothing was added\n";
  }
  write_private_file(with.data_dir + "/demo.json", demo_json(rules, line.demo) + "\n");
  std::cout << "accounts and tokens are in " << with.data_dir << "/demo.json\n";
  if (!line.tokens_file.empty())
    write_tokens(line.tokens_file, rules, line.demo.profiles);
  return ok;
}

// -- the command line ---------------------------------------------------------------------------

/// `short_names` false: only the long flags, where a subcommand has a use for the short ones.
void add_settings(CLI::App& to, command_line& line, bool short_names) {
  to.add_option("--config", line.config_file, "TOML file with settings (or CREDENCE_CONFIG)");
  for (const auto& each : settings::descriptions()) {
    auto spelled = settings::flag_of(each.name);
    if (!each.alias.empty() && each.alias != spelled && (short_names || !each.is_list))
      spelled += "," + each.alias;
    const auto help = each.help + (each.initial.empty() || each.is_secret ? "" : " [" + each.initial + "]");
    if (each.is_list) {
      to.add_option(spelled, line.admins, help)->group("Settings");
      continue;
    }
    to.add_option_function<std::string>(spelled, [&line, name = each.name](const std::string& v) { line.flags[name] = v; }, help)
      ->group("Settings");
  }
}

CLI::App* subcommand(CLI::App& of, const std::string& name, const std::string& help, const std::string& example,
                     command_line& line, bool json) {
  auto* made = of.add_subcommand(name, help);
  made->footer("Example:\n  " + example);
  add_settings(*made, line, name != "token");
  if (json)
    made->add_flag("--json", line.json, "print JSON");
  return made;
}

int run(int argc, char** argv) {
  command_line line;
  int (*what)(const command_line&) = nullptr;
  CLI::App app{"Credence: a reputation network service"};
  app.require_subcommand(1);
  app.footer("Exit codes: 0 done, 1 failed, 2 usage or settings, 3 no database, 4 schema or database unfit, 5 port taken,\n6 another process has taken the database over.\n"
             "Examples:\n  credence migrate up --database-url postgresql:///credence\n"
             "  credence serve --database-url postgresql:///credence --port 8080 --admin 1");

  subcommand(app, "serve", "serve the API until SIGTERM or SIGINT", "credence serve --database-url postgresql:///credence",
             line, false)
    ->callback([&] { what = [](const command_line& l) { return serve(good_settings(l)); }; });
  auto* migrate = app.add_subcommand("migrate", "the database's schema")->require_subcommand(1);
  subcommand(*migrate, "status", "list migrations; 4 unless all are applied", "credence migrate status --json", line, true)
    ->callback([&] { what = migrate_status; });
  subcommand(*migrate, "up", "apply what is pending", "credence migrate up --database-url postgresql:///credence", line, true)
    ->callback([&] { what = migrate_up; });
  auto* config = app.add_subcommand("config", "settings")->require_subcommand(1);
  subcommand(*config, "check", "list every mistake", "credence config check --config credence.toml", line, false)
    ->callback([&] { what = config_check; });
  subcommand(*config, "show", "every value and where it comes from", "credence config show --json", line, true)
    ->callback([&] { what = config_show; });
  auto* demo_app = subcommand(app, "demo", "fill an empty database with demo data",
                              "credence demo --profiles 10000 --projects 100 --votes 1000000 --tokens tokens.tsv", line, false);
  demo_app->add_option("--profiles", line.demo.profiles, "number of profiles [500]")->check(CLI::Range(1, 100000000));
  demo_app->add_option("--projects", line.demo.projects, "number of projects [40]")->check(CLI::Range(1, 1000000));
  demo_app->add_option("--votes", line.demo.votes, "number of votes [24000]");
  demo_app->add_option("--tokens", line.tokens_file, "write `profileId<TAB>token` lines to this file");
  demo_app->callback([&] { what = demo; });
  auto* token_app = subcommand(app, "token", "mint an access token for a profile", "credence token 7 --lifetime 3600", line, true);
  token_app->add_option("profile", line.token_profile, "profile id")->required()->check(CLI::Range(1, 2147483647));
  token_app->add_flag("--admin", line.token_admin, "the token of an admin");
  token_app->add_option("--lifetime", line.token_lifetime, "seconds [86400]")->check(CLI::Range(1, 31536000));
  token_app->callback([&] { what = token; });
  app.add_subcommand("version", "print the version")->callback([&] { what = version; })->add_flag("--json", line.json, "print JSON");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? ok : usage;
  }
  try {
    return what(line);
  } catch (const ending& end) {
    std::cerr << "credence: " << end.why << "\n";
    return end.code;
  } catch (const persistence::database_error& error) {
    std::cerr << "credence: " << error.what() << "\n";
    return failed;
  } catch (const std::exception& error) {
    std::cerr << "credence: " << error.what() << "\n";
    return failed;
  }
}

} // namespace
} // namespace credence

int main(int argc, char** argv) {
  return credence::run(argc, argv);
}
