#include "actors/all_actors.hpp"
#include "actors/listing/listing_actor.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/wallet_signatures.hpp"
#include "actors/wallets/action_state.hpp"
#include "auth/recovery_actor.hpp"
#include "auth/wallet_keys_local.hpp"
#include "config/setting_checks.hpp"
#include "http/admin/admin_context.hpp"
#include "http/admin/routes.hpp"
#include "http/api/people/user_cards.hpp"
#include "http/call/identity.hpp"
#include "http/callers/token_authenticator.hpp"
#include "http/commands/command.hpp"
#include "http/commands/run_mark.hpp"
#include "http/commands/wallet_signing.hpp"
#include "http/commands/watch.hpp"
#include "http/outside/chain_rpc_node.hpp"
#include "http/outside/provider_keys.hpp"
#include "http/outside/x_posts.hpp"
#include "http/routes.hpp"
#include "http/server/server.hpp"
#include "ops/chain_metrics.hpp"
#include "ops/log.hpp"
#include "ops/metrics.hpp"
#include "ops/standby.hpp"
#include "persistence/change_feed_actor.hpp"
#include "persistence/console/admin_database.hpp"
#include "persistence/postgres/connection.hpp"
#include "persistence/replication.hpp"
#include "persistence/store.hpp"
#include "persistence/writer/takeover.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <thread>
#include <utility>

namespace credence::commands {

namespace {

using namespace std::chrono_literals;

constexpr timespec between_attempts{1, 0};

/// Accounts 0 to 9 of "test test test test test test test test test test test junk", which own the first profiles of
/// the demo.
constexpr auto holds_demo_wallets_sql =
  "SELECT EXISTS (SELECT FROM addresses WHERE address IN ("
  " '\\xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', '\\x70997970c51812dc3a010c7d01b50e0d17dc79c8',"
  " '\\x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', '\\x90f79bf6eb2c4f870365e785982e1f101e93b906',"
  " '\\x15d34aaf54267db7d7c367839aaf71a00a2c6a65', '\\x9965507d1a55bcc2695c58ba16fb37d819b0a4dc',"
  " '\\x976ea74026e726554db657fa54763abd0c3a0aa9', '\\x14dc79964da2c08b23698b3d3cc7ca32193d9955',"
  " '\\x23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f', '\\xa0ee7a142d267c1f36714e4a8f75612f20a79720'))";

bool holds_demo_wallets(const settings::all& with) {
  persistence::session how;
  how.application_name = "credence-check";
  persistence::connection on{with.store.database_url, how, with.store.connect_timeout};
  return on.exec_params(holds_demo_wallets_sql, persistence::deadline_in(with.store.load_timeout)).value<bool>();
}

/// Whether the API may listen where others than this machine reach it: on a database that holds the demo's wallets
/// anybody could sign in as the people who own them. On such an address it waits until the database can be asked,
/// or one of `signals` (blocked by the caller) comes: false then. Throws an `ending` that says what would do.
bool may_serve_strangers(const settings::all& with, const sigset_t& signals) {
  if (with.http.public_demo || settings::is_loopback(with.http.address))
    return true;
  for (bool told = false;;) {
    try {
      if (!holds_demo_wallets(with))
        return true;
      break;
    } catch (const persistence::database_error& error) {
      if (error.why() == persistence::trouble::usage)
        throw ending{usage, error.what()};
      if (error.sqlstate() == "42P01") // there are no tables yet; that is told later
        return true;
      refuse_wrong_database(error);
      if (!std::exchange(told, true))
        ops::log(ops::level::warn, "database_away", {{"error", error.what()}});
    }
    if (::sigtimedwait(&signals, nullptr, &between_attempts) > 0)
      return false;
  }
  throw ending{usage, "http.address is " + with.http.address
                        + ", which others than this machine can reach, and the database holds the demo's"
                          " wallets: everybody knows their keys and could sign in as the people who own them. Serve on "
                          "127.0.0.1, use a database"
                          " without demo data, or set http.public_demo = true if that is meant"};
}

/// How actions of managed wallets become transactions, by the settings; nothing where no chain is followed. Throws
/// `ending` for functions that are declared wrongly.
std::optional<wallets::action_rules> action_rules_of(const settings::all& with) {
  if (!with.chain.on())
    return std::nullopt;
  auto calls = wallets::action_calls::from(with.wallet_functions);
  if (!calls) {
    std::string mistakes;
    for (const auto& each : calls.why())
      mistakes += (mistakes.empty() ? "" : "; ") + each;
    throw ending{usage, mistakes};
  }
  const auto follow = http::follow_settings_of(with.chain);
  std::map<chain::contract_kind, address> contracts;
  for (const auto& [at, kind] : follow.contracts)
    contracts.emplace(kind, at);
  return wallets::action_rules{follow.kinds, *std::move(calls), std::move(contracts), follow.id_offset};
}

/// `https://host:port` without its scheme.
std::string host_of(const std::string& origin) {
  const auto at = origin.find("://");
  return at == std::string::npos ? origin : origin.substr(at + 3);
}

/// Whom callers sign in to, by the settings: domains and origins of signed messages, lifetimes, cookies, partners.
http::identity identity_of(const settings::all& with, const auth::token_rules& tokens) {
  http::identity out;
  out.tokens = tokens;
  out.key_prefix = with.auth.key_prefix;
  const auto& origin = with.auth.origin.empty() ? with.http.public_url : with.auth.origin;
  out.for_keys.domains = {host_of(origin)};
  out.for_keys.origins = {origin};
  out.for_keys.chain_id = with.auth.chain_id;
  out.for_keys.clock_skew = std::chrono::seconds{with.auth.clock_skew_seconds};
  out.for_login = out.for_keys;
  for (const auto& page : with.http.allowed_origins) { // a page signs for itself
    out.for_login.domains.push_back(host_of(page));
    out.for_login.origins.push_back(page);
  }
  out.access_lifetime = std::chrono::minutes{with.auth.access_token_minutes};
  out.session_step = std::chrono::minutes{with.auth.session_token_minutes};
  out.session_lifetime = std::chrono::days{with.auth.session_days};
  if (with.auth.secure_cookies && with.http.public_url.starts_with("https://")) {
    // No other host of the same domain, and nobody on a plain connection, can set cookies of these names
    // (RFC 6265bis, 4.1.3.2). They belong to the whole host.
    out.access_cookie.insert(0, "__Host-");
    out.refresh_cookie.insert(0, "__Host-");
    out.refresh_path = "/";
  }
  out.partners.origins = with.partners.origins;
  out.partners.act = with.partners.actions;
  if (with.http.public_url.starts_with("https://")) {
    out.partners.cookie_prefix = "__Host-";
    out.partners.refresh_path = "/";
  }
  out.cookie_attributes =
    std::string{"; HttpOnly"} + (with.auth.secure_cookies ? "; Secure" : "") + "; SameSite=" + with.auth.same_site;
  return out;
}

constexpr auto drain_timeout = 8s;
constexpr auto drain_timeout_broken = 500ms;         // an actor has died: whoever waits has been told already
constexpr auto fresh_enough = 2s;                    // readiness: last commit or probe
constexpr auto end_timeout = 2s;                     // for actors to end
constexpr auto end_timeout_broken = 500ms;           // the children of a router that has died never do
constexpr auto takeover_timeout = 1s;                // before everything else is started anyway
constexpr std::int32_t signatures_waiting_max = 512; // of some 100 us each
constexpr timespec ready_every{0, 20'000'000};
constexpr timespec standby_every{0, 50'000'000};
constexpr std::chrono::milliseconds not_ready_first = 2s; // how long it may take to become ready before it is told
constexpr std::chrono::milliseconds not_ready_longest = 60s;
constexpr int news_readers = 4;                   // questions at a time to where posts come from
constexpr std::int32_t chain_questions_max = 256; // twice http::shared_state::patients_max or more
constexpr std::int32_t console_questions_max = 64;
constexpr std::int32_t console_acts_max = 1000;
constexpr int ends_itself = SIGUSR1; // what the process tells itself, so that it is no second SIGTERM

/// Everything that serves, in the order it is built; taken apart in the opposite one.
class serving {
public:
  serving(const settings::all& with, std::shared_ptr<wallets::wallet_keys> wallet_keys, const command_line& line)
    : with_(with), standby_(line.standby), wallet_keys_(std::move(wallet_keys)), rules_(token_rules(with)),
      identity_(identity_of(with, rules_)), provider_(identity_provider(with)), trading_(trading_terms(with)),
      action_rules_(action_rules_of(with)) {
    tell_cut_off();
    if (with.console.listener) {
      console_.emplace(console_terms(line, with, rules_));
      console_->cut_off = mark_.cut_off().value_or("");
    }
    identity_.partners.on_chain = action_rules_ ? &*action_rules_ : nullptr;
    if (provider_) {
      provider_keys_.emplace(http::reader_of(with.auth.provider.jwks));
      provider_->keys = &*provider_keys_;
    }
    actors_config_.set("scheduler.policy", caf::atom("sharing"));
    actors_config_.set("scheduler.max-throughput", std::size_t{64});
    actor_threads_ = with.actors.threads;
    if (actor_threads_ == 0)
      actor_threads_ = std::clamp(std::thread::hardware_concurrency(), 1u, 4u);
    actors_config_.set("scheduler.max-threads", actor_threads_);
    actors_.emplace(actors_config_);
    if (standby_)
      ops::the_standby().wait_for({});
    open_front(); // before there are actors that would have to be stopped when a port is taken
    open_store();
    if (!standby_)
      spawn();
  }

  int run(sigset_t signals) {
    watch_.emplace(*actors_, actor_threads_, parts(), status_);
    front_->start();
    mark_.begin(system_now(), front_->admin_port(), claim_.owner);
    log_ports("listening");
    tell_service_manager("READY=1");
    int got = standby_ ? stand_by(signals) : 0;
    if (got == 0)
      got = await_end(signals);
    tell_service_manager("STOPPING=1");
    ops::log(ops::level::info, "draining", {{"signal", got}});
    watch_->stop(); // what is taken apart shows no sign of life
    ::sigdelset(&signals, ends_itself);
    // A second signal means now.
    std::thread{[signals] {
      int again = 0;
      ::sigwait(&signals, &again);
      ::_exit(failed);
    }}.detach();
    const bool broken = code() == part_died;
    if (broken)
      front_->fail_waiting();
    const bool drained = front_->drain(broken ? drain_timeout_broken : drain_timeout);
    front_->stop();
    watch_.reset(); // and its actors
    mark_.end();
    ops::log_all_repeats(); // before an actor that does not end may end the process
    stop_actors();
    ops::log_all_repeats();
    ops::log(ops::level::info, "stopped", {{"drained", drained}, {"code", static_cast<int>(code())}});
    return code();
  }

private:
  void log_ports(std::string_view event) const {
    ops::log(ops::level::info, event,
             {{"port", static_cast<std::int64_t>(front_->port())},
              {"operator_port", static_cast<std::int64_t>(front_->operator_port())},
              {"admin_port", static_cast<std::int64_t>(front_->admin_port())}});
  }

  void tell_cut_off() const {
    if (!mark_.cut_off())
      return;
    ops::the_metrics().cut_off.set(1);
    ops::log(ops::level::warn, "last_run_cut_off", {{"started_at", *mark_.cut_off()}});
  }

  /// The checks of /readyz that do not hold, with commas between.
  std::string not_ready() const {
    std::string names;
    for (const auto& each : readiness())
      if (!each.holds())
        names.append(names.empty() ? "" : ",").append(each.name);
    return names;
  }

  /// Waits until the database is this server's, and begins then what needs it. The signal that ends it before, or 0.
  int stand_by(const sigset_t& signals) {
    while (!status_.owned.load())
      if (const int got = ::sigtimedwait(&signals, nullptr, &standby_every); got > 0)
        return got;
    spawn();
    ops::the_standby().end(); // who asks from now on is answered by what has been spawned
    return 0;
  }

  /// Waits for the signal that ends it. Says meanwhile when it is ready, and until then, more and more seldom, what it
  /// lacks.
  int await_end(const sigset_t& signals) const {
    auto pause = not_ready_first;
    auto told_at = steady_clock::now();
    for (auto lacks = not_ready(); !lacks.empty(); lacks = not_ready()) {
      if (const int got = ::sigtimedwait(&signals, nullptr, &ready_every); got > 0)
        return got;
      if (steady_clock::now() - told_at < pause)
        continue;
      const auto trouble = ops::the_metrics().store.trouble.read().value_or(ops::last_error::told{});
      ops::log(ops::level::warn, "not_ready", {{"checks", lacks}, {"sqlstate", trouble.code}, {"error", trouble.text}});
      told_at = steady_clock::now();
      pause = std::min(2 * pause, not_ready_longest);
    }
    log_ports("ready");
    int got = 0;
    ::sigwait(&signals, &got);
    return got;
  }

  /// The lease of a run of this directory that was cut off keeps nobody waiting, unless the directory is a copy from
  /// another machine.
  persistence::claim claim_of_this_run() const {
    persistence::claim out;
    out.patient = standby_;
    if (persistence::claim::is_of_this_machine(mark_.cut_off_owner()))
      out.ended = mark_.cut_off_owner();
    return out;
  }

  exit_code code() const {
    return status_.superseded.load() || chain_status_.superseded.load() ? superseded
           : part_died_.load()                                          ? part_died
                                                                        : ok;
  }

  /// Watches an actor of which there is one. Others hold its address, so it cannot be replaced when it dies: the
  /// process ends and is started again, as what is acknowledged is on disk. Routers watch entities, and the pool its
  /// readers, and replace them.
  template <class Handle>
  Handle supervised(const char* name, Handle who) {
    when_gone(who, [this, name](bool, const std::string& why) {
      if (stopping_.load())
        return;
      ops::log(ops::level::error, "actor_died", {{"actor", name}, {"error", why}});
      part_died_ = true;
      end();
    });
    return who;
  }

  /// Once, however many reasons there are.
  void end() {
    if (!ending_.exchange(true))
      ::kill(::getpid(), ends_itself);
  }

  /// What the watch looks at.
  std::vector<watch::part> parts() {
    std::vector<watch::part> all;
    for (std::size_t i = 0; i < front_->threads(); ++i)
      all.push_back({front_->thread_name(i), [this, i] { return front_->turns(i); }});
    // It may wait for the database, in each turn under deadlines of its own: while it takes over, under two.
    const auto turn_at_most = 2 * with_.store.statement_timeout + with_.store.connect_timeout + 1s;
    const auto watch_writer = [&](const char* name, std::function<std::uint64_t()> beats) {
      all.push_back({name, std::move(beats), std::max<std::chrono::milliseconds>(watch::timeout, turn_at_most)});
    };
    watch_writer("writer", [this] { return status_.turns.load(std::memory_order_relaxed); });
    if (with_.chain.on())
      watch_writer("chain writer", [this, looks = std::uint64_t{0}]() mutable {
        return chain_begun_.load() ? chain_status_.turns.load(std::memory_order_relaxed) : ++looks;
      });
    return all;
  }

  store open_storage() {
    try {
      return persistence::open_store(*actors_, with_.store, status_, claim_);
    } catch (const persistence::unfit_database& why) {
      throw ending{unfit_schema, why.what()};
    } catch (const persistence::database_error& error) {
      refuse_wrong_database(error);
      // Serve what can be served; the writer goes on trying, and checks again when it connects.
      ops::log(ops::level::warn, "database_away", {{"error", error.what()}});
      return persistence::open_store_later(*actors_, with_.store, status_, claim_);
    }
  }

  /// Until this process is the writer nothing is read, and whoever tries waits a moment
  /// before trying again: with the database at hand that is not worth beginning.
  void await_ownership() {
    const auto until = steady_clock::now() + takeover_timeout;
    while (!status_.owned.load() && steady_clock::now() < until)
      std::this_thread::sleep_for(1ms);
  }

  void open_store() {
    directory_.storage = &status_;
    status_.when_superseded = [this] { end(); };
    storage_ = open_storage();
    supervised("writer", storage_.writer);
    supervised("readers", storage_.reader);
    supervised("tidying", storage_.tidying);
    replication_.emplace(with_.store);
  }

  void spawn() {
    auto born_with = std::make_shared<context>();
    await_ownership();
    auto behind = storage_; // votes do not wait for what is written with it
    if (with_.chain.on()) {
      chain_status_.when_superseded = [this] { end(); };
      behind = persistence::open_chain_store(*actors_, with_.store, chain_status_, claim_.owner, storage_);
      chain_writer_ = supervised("chain writer", behind.writer);
      chain_begun_ = true;
    }
    born_with->trading = trading_;
    born_with->limits = with_.actors;
    born_with->joining = with_.people;
    born_with->queue_max = with_.store.queue_max;
    born_with->load_timeout = with_.store.load_timeout;
    born_with->session_idle = std::chrono::days{with_.auth.session_idle_days};
    directory_.all_questions = std::make_shared<gate>(static_cast<std::int32_t>(with_.http.requests_in_flight_max));
    directory_.signatures = {auth::spawn_recovery(*actors_), signatures_waiting_max};
    if (with_.chain.on()) {
      const auto follow = http::follow_settings_of(with_.chain);
      born_with->followed = follow.kinds;
      vouch_fees_ = follow.fees_at_first;
      if (follow.kinds.contains(chain::record_kind::vouch))
        directory_.vouch_fees = &vouch_fees_;
    }
    spawn_all(*actors_, born_with, storage_, behind, known_, directory_, post_readers(), scoring());
    if (with_.chain.on()) { // connections of their own: what clients ask does not wait for what is being caught up
                            // with, nor for texts
      const auto nodes = [this] { return http::chain_nodes(with_.chain, stopping_); };
      directory_.chain = {chain::spawn_chain(*actors_, born_with, behind, http::follow_settings_of(with_.chain),
                                             {nodes(), nodes(), nodes(), nodes()}),
                          chain_questions_max};
      if (wallet_keys_) {
        directory_.wallets = {
          commands::spawn_wallets(*actors_, *born_with, {storage_, storage_}, with_, wallet_keys_, signing_, stopping_),
          bounds_by_itself{}};
        directory_.signing = &signing_;
      }
    }
    if (console_) {
      const auto admin_database = persistence::spawn_admin_database(*actors_, with_.store);
      directory_.admin_database = {admin_database, console_questions_max};
      directory_.acts = {admin_database, console_acts_max};
    }
    for (const auto& each : actors_of(directory_))
      supervised(each.name, each.who);
    changes_ = supervised("change feed", persistence::spawn_change_feed(
                                           *actors_, with_.store, {directory_.people.to(), directory_.listings.to()}));
  }

  score::score_options scoring() const {
    return {with_.score.vouch_model == "hardened" ? score::vouch_model::hardened : score::vouch_model::standard};
  }

  /// None where no source of posts is set up.
  std::vector<news::post_reader_handle> post_readers() {
    for (int i = 0; with_.news.on() && i < news_readers; ++i)
      post_readers_.push_back(supervised(
        "post reader", news::spawn_post_reader(*actors_, std::make_shared<http::x_posts>(with_.news, stopping_))));
    return post_readers_;
  }

  void open_front() {
    auto admins = std::make_shared<std::set<profile_id>>();
    for (const auto id : with_.auth.admins)
      admins->insert(profile_id{id});
    http::services needs;
    needs.settings = with_.http;
    needs.log_requests = with_.log.requests;
    needs.actors = &directory_;
    needs.actor_system = &*actors_;
    needs.api = http::routes();
    needs.make_authenticator = [this, admins] {
      return std::make_unique<http::token_authenticator>(http::token_authenticator::rules{
        rules_, identity_.key_prefix, with_.auth.verified_tokens_max, admins, provider_ ? &*provider_ : nullptr});
    };
    needs.identity = &identity_;
    needs.make_caches = [this] {
      return http::thread_caches{std::make_shared<http::user_cards>(known_.people, with_.http),
                                 std::make_shared<http::known_keys>()};
    };
    needs.readiness = readiness();
    needs.console = with_.console;
    needs.log_level = with_.log.level;
    if (console_) {
      needs.make_operator_side = [this](const http::services& with, http::front_controls over) {
        return std::make_unique<http::admin::admin_context>(*console_, with, std::move(over));
      };
      needs.admin_api = http::admin::routes();
    }
    needs.standing_still = [this] { return watch_->standing_still(); };
    needs.may_open = [this] { return known_.calendar.get() && known_.people.complete() && known_.projects.complete(); };
    try {
      front_.emplace(std::move(needs));
    } catch (const std::runtime_error& error) {
      throw ending{port_taken, error.what()};
    }
  }

  std::vector<http::readiness_check> readiness() const {
    std::vector<http::readiness_check> out{
      {"store", [this] { return status_.writable.load() && recently_good(); }},
      {"lease", [this] { return status_.may_read(); }},
      {"clock", [this] { return status_.clock.load() == clock_verdict::good; }},
      {"calendar", [this] { return known_.calendar.get() != nullptr; }},
      {"people", [this] { return known_.people.complete(); }},
      {"listings", [this] { return known_.projects.complete(); }},
    };
    if (provider_keys_) // a first attempt is enough: the provider must not keep everybody else out
      out.push_back({"provider_keys", [this] { return provider_keys_->tried(); }});
    if (with_.chain.on() && with_.chain.required)
      out.push_back({"chain", [] {
                       const auto state = static_cast<chain::follow_state>(ops::the_chain_metrics().state.value());
                       return state == chain::follow_state::backfill || state == chain::follow_state::following;
                     }});
    return out;
  }

  bool recently_good() const {
    const auto last = status_.last_good_ns.load();
    return std::chrono::nanoseconds{steady_clock::now().time_since_epoch().count() - last} < fresh_enough;
  }

  void stop_actors() {
    stopping_ = true;
    tell_to_end(changes_); // a standby that ends has none
    for (const auto& each : post_readers_)
      tell_to_end(each);
    stop_all(directory_);
    for (const auto& each : {chain_writer_, actor_ref{storage_.writer}, actor_ref{storage_.reader}})
      tell_to_end(each);
    // An actor that does not end must not keep the process: everything acknowledged is on disk.
    std::thread{[this] {
      std::this_thread::sleep_for(code() == part_died ? end_timeout_broken : end_timeout);
      ::_exit(code());
    }}.detach();
    replication_.reset();
    actors_->await_all_actors_done(); // until then they look at the directory
    directory_ = {};
    post_readers_.clear();
    changes_ = {};
    storage_ = {};
    chain_writer_ = {};
    actors_.reset();
  }

  const settings::all& with_;
  const bool standby_;                                // it waits for the owner of the database
  std::shared_ptr<wallets::wallet_keys> wallet_keys_; // null: there are no managed wallets
  auth::token_rules rules_;                           // makes data_dir
  run_mark mark_{with_.data_dir};
  http::identity identity_;
  std::optional<http::admin::terms> console_; // none: nothing listens for it
  std::optional<http::identity_provider> provider_;
  std::optional<http::provider_keys> provider_keys_;
  market::terms trading_;
  std::optional<wallets::action_rules> action_rules_;
  const persistence::claim claim_ = claim_of_this_run();
  store_status status_;
  store_status chain_status_; // of who writes what is read from a chain
  published_state known_;
  directory directory_;
  std::vector<news::post_reader_handle> post_readers_;
  actor_ref changes_;                 // told by the database
  std::atomic<bool> stopping_{false}; // threads that call other servers look at it
  wallets::signing_switch signing_{with_.wallet_signing.signing};
  chain::vouch_fees vouch_fees_;
  std::atomic<bool> part_died_{false};
  std::atomic<bool> ending_{false};
  store storage_;
  actor_ref chain_writer_; // null: no chain is followed
  std::atomic<bool> chain_begun_{false};
  std::optional<http::server> front_;
  caf::actor_system_config actors_config_;
  std::size_t actor_threads_ = 0;
  std::optional<caf::actor_system> actors_;
  std::optional<watch> watch_;
  std::optional<persistence::replication_watch> replication_;
};

/// Threads born from here on do not push others off a core when they wake; they wait for
/// their turn and find more to do in it (decision 6). What an operator has chosen stays.
void take_turns() {
  const sched_param none{};
  if (::sched_getscheduler(0) == SCHED_OTHER)
    ::sched_setscheduler(0, SCHED_BATCH, &none);
}

} // namespace

int serve(const command_line& line) {
  const auto with = good_settings(line);
  take_turns();
  // Tokens and keys must not end up in a core dump.
  ::prctl(PR_SET_DUMPABLE, 0);
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGTERM);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, ends_itself);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr); // before any thread is born
  ::signal(SIGPIPE, SIG_IGN);
  if (with.store.database_url.empty())
    throw ending{usage, "no database is named: give --database-url, CREDENCE_STORE_DATABASE_URL or store.database_url"};
  ops::start_log(with.log);
  if (!may_serve_strangers(with, signals))
    return ok;
  ops::the_metrics().data_dir = with.data_dir;
  const auto wallet_keys = open_wallet_keys(with);
  if (wallet_keys)
    check_stored_wallets(with, *wallet_keys);
  serving all{with, wallet_keys, line};
  return all.run(signals);
}

} // namespace credence::commands
