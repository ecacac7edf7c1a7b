#pragma once

#include "actors/all_actors.hpp"
#include "actors/store.hpp"
#include "tests/there.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include <deque>
#include <functional>
#include <map>
#include <optional>

namespace credence::test {

/// Takes answers in; a test reads them from the question it kept.
struct collecting_sink final : answer_sink {
  void deliver(envelope_base* answered) noexcept override {
    ++delivered;
    answered->deref();
  }
  int delivered = 0;
};

/// A store in memory: loads are answered from maps; writes wait until the test
/// says what became of them.
struct fake_storage {
  std::map<project_id, project::stored_project> projects;
  std::map<profile_id, profile::stored_profile> profiles; // with votes of any period
  std::map<profile_id, profile::stored_xp> xp;
  int profile_loads = 0;
  int vote_counts = 0; // statements that counted votes of cold voters
  std::vector<people::person_row> people;
  std::vector<std::vector<people::lookup_key>> looks; // for whom each key leads to
  std::vector<period::voting_period> periods;
  listing::stored_listings listings;
  bool loads_fail = false;
  bool periods_fail = false;
  std::deque<write_request> written;
  std::map<profile_id, profile::stored_credentials> credentials;
  std::map<digest32, idempotency::stored_record> records;
  std::map<profile_id, idempotency::stored_day> days;
  slash::stored_open_slashes slashes;
  std::map<slash_id, slash::slash_record> all_slashes;
  std::map<slash_id, std::vector<slash::ballot>> ballots; // in order of voters
  std::size_t ballots_at_once = 1000;
  bool ballots_fail = false;
  std::map<profile_id, news::account> x_accounts; // of who has a market
  std::map<profile_id, funds::stored_funds> funds;
  std::map<profile_id, note::stored_notes> notes;
  std::map<market_id, market::stored_market> markets;
  reputation::stored_records record_rows; // whatever is asked for
  int record_loads = 0;
  score::stored_work score_work; // without an epoch: scores are left alone
  score::stored_score score;
  std::map<market_id, std::vector<market::position>> positions; // by holder; beyond those that come with a market
  market::stored_boards boards;                                 // each in the order of its keys
  std::vector<market::load_boards> boards_asked;
  std::vector<market::profit_row> mirrored_profits;
  int mirrored_profits_asked = 0;
  bool mirrored_profits_wait = false; // until `answer_held`
  std::size_t accounts_asked = 0;
  int position_loads = 0;
  int positions_loads = 0;
  std::optional<profile::tip_receipt> receipt; // of any tip
  std::optional<profile::grant_receipt> grant; // any
  std::deque<market::stored_names> names;      // the next answers
  std::vector<market::load_names> names_asked;
  int ranked_markets_asked = 0;
  int notices_asked = 0;
  int settles = 0;
  int project_loads = 0;
  int history_loads = 0;
  bool history_fails = false;
  bool history_waits = false; // it is not answered before `answer_held`
  bool records_wait = false;  // likewise: those of keys
  std::vector<std::function<void()>> held;
};

/// What a load of a project with all of these votes answers: not those of the periods before the open
/// one, or before that of the first vote that is not tallied.
project::stored_project loaded_short(project::stored_project all, period_id open);

inline timestamp at_day(int year, unsigned month, unsigned day, int hour = 0) {
  return std::chrono::sys_days{std::chrono::year{year} / static_cast<int>(month) / static_cast<int>(day)}
         + std::chrono::hours{hour};
}

/// Where the tests' clock stands; actors read it through `context::now`.
inline timestamp test_now = at_day(2026, 3, 10, 12);

/// All entity actors over a fake store, without threads: messages are handled only
/// when the test calls run(), and time moves only when the test says so.
class deterministic_world {
public:
  deterministic_world();
  ~deterministic_world();

  /// Spawns everything that is not there yet; after the storage has been filled. What is first asked, and time that
  /// goes by, do so.
  void open();

  void run() { sched.run(); }
  void advance(caf::timespan t) {
    open();
    sched.advance_time(t);
    run();
  }

  template <class Q, class Handle>
  ask<Q> put(const door<Handle>& whom, Q content, std::chrono::seconds timeout = std::chrono::seconds{100}) {
    open();
    return put(whom.to(), std::move(content), timeout);
  }
  template <class Q, class Handle>
  ask<Q> put(const Handle& whom, Q content, std::chrono::seconds timeout = std::chrono::seconds{100}) {
    ask<Q> question{std::move(content), sink, steady_clock::now() + timeout};
    send(whom, question);
    run();
    return question;
  }

  template <class Q>
  static const typename Q::answer_type* yes(const ask<Q>& question) {
    return question.get()->answer();
  }
  template <class Q>
  static std::optional<refusal_code> no(const ask<Q>& question) {
    const auto* why = question.get()->refused();
    return why ? std::optional{why->code} : std::nullopt;
  }
  template <class Q>
  static std::optional<failure> trouble(const ask<Q>& question) {
    const auto* why = question.get()->failed();
    return why ? std::optional{*why} : std::nullopt;
  }
  template <class Q>
  static bool open_still(const ask<Q>& question) {
    return !question.get()->answered();
  }

  ask<project::cast_vote> cast(int voter, int project, project::sentiment side = project::sentiment::bullish,
                               std::optional<std::string> reason = std::nullopt);

  ask<project::get_voters> voters_of(int project, project::scope in = {});

  /// Tells the outcome of the oldest write that has none yet.
  void resolve(write_result result);
  /// The question, once that is told: `yes(after(write_result::stored, pending))`.
  template <class Q>
  const ask<Q>& after(write_result result, const ask<Q>& question) {
    resolve(result);
    return question;
  }

  /// The questions to the readers that wait are answered.
  void answer_held();

  /// The actor that sent this change is gone from one moment to the next.
  void kill_sender(const write_request& of);

  caf::actor_system_config cfg;
  caf::actor_system sys{prepared(cfg)};
  caf::scheduler::test_coordinator& sched = dynamic_cast<caf::scheduler::test_coordinator&>(sys.scheduler());
  std::shared_ptr<fake_storage> storage = std::make_shared<fake_storage>();
  store_status status;
  store backing; // over `storage`
  published_state known;
  people::people_index& people = known.people;
  profile::credential_registry& credentials = known.credentials;
  listing::project_index& projects = known.projects;
  period::published_calendar& calendar = known.calendar;
  directory others;
  std::shared_ptr<context> with = std::make_shared<context>();
  score::score_options scoring;
  collecting_sink sink;
  global_seq last_global = 100;

private:
  bool opened_ = false;

  static caf::actor_system_config& prepared(caf::actor_system_config& cfg) {
    cfg.set("scheduler.policy", caf::atom("testing"));
    return cfg;
  }
};

} // namespace credence::test
