#pragma once

#include "actors/store.hpp"
#include "persistence/writer/write_session.hpp"
#include "tests/simulation/simulated_records.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <random>

namespace credence::test {

/// Everything random in a run comes from here, so a seed tells the whole story.
class dice {
public:
  explicit dice(std::uint64_t seed) : engine_(seed) {}
  /// 0..n-1
  std::uint32_t below(std::uint32_t n) { return n == 0 ? 0 : static_cast<std::uint32_t>(engine_() % n); }
  bool chance(std::uint32_t of_thousand) { return below(1000) < of_thousand; }

private:
  std::mt19937_64 engine_;
};

/// How often things go wrong, of 1000 tries each.
struct fault_rates {
  std::uint32_t refused = 0;     // the database cannot at the moment, or a conflict
  std::uint32_t lost = 0;        // the connection goes: before the commit, after it, or while it is under way
  std::uint32_t slow = 0;        // an answer takes up to two and a half seconds
  std::uint32_t unreachable = 0; // a connection cannot be made
  std::uint32_t read_fails = 0;
  std::uint32_t read_late = 0; // a snapshot arrives long after it was taken
};

/// Mistakes that a run must find.
enum class planted {
  nothing,
  answers_before_the_commit,
  takes_the_unknown_for_stored,
  takes_over_without_waiting,        // for transactions of an earlier session
  tells_nobody_of_a_loss,            // of an actor, whose changes others may not have heard of
  miscounts_votes,                   // of voters who are not in memory
  counts_a_changed_slash_vote_twice, // on the side that it left as well
  forgets_a_ballot,                  // of those on a slash that a process reads
  forgets_a_mark,                    // of a fact that comes while a score is worked out
  stamps_by_the_wall_clock,          // of the machine, jumps and all
  believes_any_clock,                // the machine's is compared with itself
  writes_by_any_clock,               // also by one that is known to be wrong
};

/// PostgreSQL as writer and readers see it: what is committed, the rules of the schema,
/// and faults.
///
/// A transaction whose connection is lost goes on at the server, and ends there when the dice
/// say so: statements of later connections come before it. Only what locks makes them wait: a
/// batch that has begun holds the row of its shard until it has ended, and a takeover waits
/// for that row, for half a second, after it has told the server to end the session before;
/// the server hears of it or not, and does not end a transaction that is being flushed. What
/// had not begun before the takeover is refused by the fence when it begins.
class simulated_database {
public:
  struct cast {
    profile_id voter;
    period_id in;
    project::sentiment side{};
    std::optional<std::string> reason;
    timestamp at{};
    std::int32_t weight = 0;
  };
  struct market_book {
    market::stored_book book;
    std::map<profile_id, market::vote_counts> held;
  };
  struct slash_book {
    slash::slash_record record;
    std::vector<slash::slash_voted> votes; // in order of their number
    std::map<profile_id, slash::ballot> ballots;
    slash::weights tally;
  };
  /// What is on disk.
  struct image {
    std::string owner;
    std::int64_t epoch = 0;
    std::int64_t sequence = 0;
    global_seq last_seq = 0;
    std::vector<persistence::batch_id> batches;
    std::vector<period::voting_period> periods;
    std::map<project_id, std::vector<cast>> votes; // in order of their number
    std::map<project_id, entity_seq> tallied;
    std::map<project_id, std::vector<project::day_tally>> days;
    std::map<project_id, std::vector<project::period_tally>> tallied_periods;
    std::set<profile_id> profiles;
    std::set<profile_id> archived;
    std::map<profile_id, std::int16_t> scores;
    std::map<profile_id, std::int64_t> xp;
    std::map<global_seq, profile::xp_tipped> tips; // by their number
    std::map<profile_id, wei> money;
    std::map<market_id, market_book> markets;
    std::map<global_seq, market::traded> trades;        // by their number
    std::map<global_seq, funds::funds_moved> transfers; // by their number
    wei fees;
    std::map<profile_id, profile::stored_credentials> credentials;
    std::map<digest32, idempotency::stored_record> records; // by what a client's key comes to
    std::map<slash_id, slash_book> slashes;
    record_book book; // of reviews, vouches, replies and votes on these
  };
  /// What became of transactions whose connection was lost.
  struct strays {
    int committed = 0;
    int rolled_back = 0;
    int fenced = 0;     // began too late
    int awaited = 0;    // takeovers that waited until one had ended
    int in_the_way = 0; // and that waited in vain

    strays& operator+=(const strays& more) {
      committed += more.committed;
      rolled_back += more.rolled_back;
      fenced += more.fenced;
      awaited += more.awaited;
      in_the_way += more.in_the_way;
      return *this;
    }
  };
  using tracer = std::function<void(std::string)>;
  using spender = std::function<void(std::chrono::milliseconds)>;

  /// `spend` lets the clocks go on while the database works.
  simulated_database(dice& chance, tracer trace, spender spend)
    : chance_(chance), trace_(std::move(trace)), spend_(std::move(spend)) {}

  /// Sessions for the writer of a process, until `gone` says that the process is; this object
  /// must outlive them.
  std::unique_ptr<persistence::write_sessions> sessions(const bool& gone);
  /// Readers over the same data. They answer once `status.owned`.
  reader_handle spawn_reader(caf::actor_system& sys, const store_status& status);
  /// All sessions and transactions end; one that was being flushed may have been stored.
  void crash();
  /// Begins and ends what is due of the transactions whose connection was lost. To be called
  /// whenever time has passed.
  void catch_up();

  const image& now() const noexcept { return image_; }
  image& edit() noexcept { return image_; }
  const std::vector<std::string>& broken_rules() const noexcept { return broken_rules_; }
  const strays& lost_and_found() const noexcept { return strays_; }

  fault_rates faults;
  planted mistake = planted::nothing;
  wall_clock clock = &wall_now;   // its own
  wall_clock machine = &wall_now; // that of the service's machine, for a mistake that goes by it

private:
  friend class simulated_session;
  friend class simulated_sessions;
  friend struct simulated_reader;

  /// One batch on its way into the image.
  struct transaction {
    persistence::batch_identity identity;
    /// A client's key, written with the change it came with.
    struct note {
      digest32 id{};
      digest32 fingerprint{};
      timestamp at{};
    };
    std::vector<change> changes;
    std::vector<std::optional<note>> notes; // of each change
    persistence::claim by;
    std::set<profile_id> archived; // when its statements ran
  };
  /// What the server goes on with alone.
  struct orphan {
    std::uint64_t session = 0;
    const char* name = "";
    std::optional<transaction> unread; // set: its statements have not run; they will, at `due`
    std::function<void()> commit;      // none: it rolls back
    bool flushing = false;             // nothing ends it any more
    steady_time due{};                 // its next step
  };

  void fence(const transaction& transaction) const;
  [[noreturn]] void break_rule(const std::string& text);
  void transfer(image& next, const funds::funds_moved& change, global_seq number);
  void open(image& next, const market::market_opened& change);
  void freeze(image& next, const market::market_frozen_set& change);
  void trade(image& next, const market::traded& change, global_seq number);
  static void create(image& next, const profile::key_created& change);
  static void open(image& next, const profile::session_opened& change);
  static void set(image& next, profile_id whose, const profile::partner_grant& grant);
  static void record(image& next, const idempotency::answer_recorded& change);
  void open(image& next, const slash::slash_opened& change, const std::set<profile_id>& archived);
  void vote(image& next, const slash::slash_voted& change, const std::set<profile_id>& archived);
  void close(image& next, const slash::slash_closed& change);
  /// The ballots and tallies that follow from a vote.
  void count(slash_book& on, const slash::slash_voted& change);
  /// Nothing may be stamped by a clock that differs from this one.
  void judge_stamps(const transaction& transaction);
  struct applying;
  image after(const transaction& transaction);
  /// Runs the statements; throws when they are refused. Nothing is seen yet.
  void run(transaction& transaction);
  /// Ends a transaction whose statements have run.
  void commit(const transaction& transaction);
  orphan left_alone(std::uint64_t session, transaction transaction);
  void begin(orphan& orphan);
  void end(orphan orphan);
  /// As pg_terminate_backend: the server may hear of it too late.
  void terminate(std::uint64_t session);
  /// Whether the row of the shard came free before `until`.
  bool wait_for_the_shard(steady_time until);
  void spend(std::chrono::milliseconds time);
  std::chrono::milliseconds some_time() { return std::chrono::milliseconds{chance_.below(1500)}; }

  dice& chance_;
  tracer trace_;
  spender spend_;
  image image_;
  std::uint64_t generation_ = 1; // of sessions; those of earlier ones are dead
  std::uint64_t last_session_ = 0;
  std::deque<orphan> orphans_;
  strays strays_;
  std::vector<std::string> broken_rules_; // what the code under test should never have asked for
};

} // namespace credence::test
