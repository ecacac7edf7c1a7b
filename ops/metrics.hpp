#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

/// What the service measures about itself. Writing costs a relaxed atomic add in
/// a cell of the calling thread's own; reading adds the cells up.
namespace credence::ops {

class exposition;

inline constexpr std::size_t metric_cells = 8;
/// This thread's cell: threads are dealt out in the order of their first use.
std::size_t metric_cell() noexcept;

/// A count that only grows.
class counter {
public:
  void add(std::int64_t n = 1) noexcept { cells_[metric_cell()].value.fetch_add(n, std::memory_order_relaxed); }
  std::int64_t value() const noexcept;

private:
  struct alignas(64) cell {
    std::atomic<std::int64_t> value{0};
  };
  std::array<cell, metric_cells> cells_;
};

/// A value that goes up and down; adds from many threads, summed when read.
class gauge {
public:
  void add(std::int64_t n) noexcept { value_.fetch_add(n, std::memory_order_relaxed); }
  void set(std::int64_t n) noexcept { value_.store(n, std::memory_order_relaxed); }
  /// Raises the value to `n` if it is lower.
  void raise_to(std::int64_t n) noexcept {
    auto seen = value_.load(std::memory_order_relaxed);
    while (seen < n && !value_.compare_exchange_weak(seen, n, std::memory_order_relaxed)) {
    }
  }
  std::int64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }
  std::int64_t take() noexcept { return value_.exchange(0, std::memory_order_relaxed); }

private:
  alignas(64) std::atomic<std::int64_t> value_{0};
};

/// The greatest value of a while, however often and by whomever it is read: of the present window and the one before
/// it.
class peak {
public:
  void raise_to(std::int64_t n) noexcept { now_.raise_to(n); }
  std::int64_t value() const noexcept { return std::max(now_.value(), before_.value()); }
  /// Begins the next window.
  void turn() noexcept { before_.set(now_.take()); }

private:
  gauge now_;
  gauge before_;
};

/// What last went wrong somewhere, in the words of whoever said no. From any thread.
class last_error {
public:
  struct told {
    std::string code; // such as a SQLSTATE; may be empty
    std::string text;
    std::chrono::system_clock::time_point at;
  };
  void note(std::string_view code, std::string_view text);
  /// It is well again.
  void clear();
  std::optional<told> read() const;

private:
  mutable std::mutex guard_;
  std::optional<told> told_;
};

/// Durations in fixed buckets from 50 us to 10 s.
class histogram {
public:
  static constexpr std::array<double, 16> bounds_seconds{0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01,
                                                         0.015,   0.025,  0.05,    0.1,    0.25,  0.5,    1.0,   2.5};
  void observe(std::chrono::nanoseconds took) noexcept;
  struct snapshot {
    std::array<std::int64_t, bounds_seconds.size() + 1> buckets{}; // not cumulative
    std::int64_t count = 0;
    double sum_seconds = 0;
  };
  snapshot read() const noexcept;

private:
  struct alignas(64) cell {
    std::array<std::atomic<std::int64_t>, bounds_seconds.size() + 1> buckets{};
    std::atomic<std::int64_t> sum_ns{0};
  };
  std::array<cell, metric_cells> cells_;
};

enum class actor_kind : std::uint8_t {
  project,
  profile,
  period,
  people,
  listing,
  idempotency,
  slash,
  funds,
  market,
  market_board,
  news,
  key_usage,
  post_reader,
  record,
  score,
  integrity,
  wallet,
  writer,
#ifdef CREDENCE_EXAMPLE
  note,
#endif
  reader
};
/// In the order of the kinds; the last one of them has the last name.
inline constexpr auto actor_kind_names = std::to_array<const char*>(
  {"project",      "profile", "period",    "people",      "listing", "idempotency", "slash",     "funds",  "market",
   "market_board", "news",    "key_usage", "post_reader", "record",  "score",       "integrity", "wallet", "writer",
#ifdef CREDENCE_EXAMPLE
   "note",
#endif
   "reader"});
static_assert(actor_kind_names.size() == static_cast<std::size_t>(actor_kind::reader) + 1,
              "a kind without a name, or a name too many");

/// Our envelope around every message to an actor of one kind.
struct actor_metrics {
  gauge live; // actors of this kind now
  counter spawned;
  counter stopped_idle;
  counter failed;      // stopped because a change or a load failed, or an exception
  gauge waiting;       // questions admitted and not yet taken up: mailbox depth
  peak oldest_wait_ns; // greatest wait of the last windows
  counter handled;
  histogram handling;   // time inside the handler
  counter refused_full; // questions turned away because the entity was full
};

/// One endpoint; `status[n]` counts answers of class n00.
struct route_metrics {
  std::string method;
  std::string path; // the template, never the target
  std::array<counter, 6> status;
  histogram latency;
};

/// What one connection writes.
struct writer_metrics {
  counter batches;
  counter changes;
  counter batch_failures;   // batches the database refused, before they were split
  counter changes_failed;   // changes that failed alone: a bug, or wrong data
  counter unknown_outcomes; // connections lost with a batch under way
  counter resolved_stored;  // of those, found committed
  counter resolved_absent;  // of those, found not committed
  counter reconnects;
  histogram commit;          // send to commit, per batch
  gauge writable;            // 0 or 1
  gauge clock_good;          // 0 or 1
  gauge clock_difference_us; // wall clock less the database's
  last_error trouble;        // why nothing can be written; nothing while it can
};

/// The database, with who writes what clients ask for.
/// The lanes of the read connections (persistence/readers/query_policy.hpp).
inline constexpr std::array<std::string_view, 3> read_lane_names{"loads", "lists", "console"};

struct store_metrics : writer_metrics {
  gauge queued;
  gauge lease_age_ms; // since it was last known that this process owns its data
  counter tidied;     // rounds that removed what has grown old
  counter tidy_failures;
  counter loads;           // questions
  counter load_statements; // runs of a reader, each for one question or for a group of them
  counter load_failures;
  std::array<gauge, read_lane_names.size()> reads_waiting; // reads without an answer yet, by lane
  histogram load;
};

/// What requests are counted against; in the order of `http::bucket`.
inline constexpr std::array<const char*, 7> rate_bucket_names{"read",      "write",       "wallet", "admin",
                                                              "anonymous", "credentials", "address"};

struct http_metrics {
  gauge connections;
  gauge in_flight;
  gauge unsent_bytes;      // of answers that clients have not taken yet
  counter answers_refused; // reads answered 503 for lack of room for their answers
  gauge paused;            // connections not read from after a refused write
  counter accepted;
  counter refused_connections; // past a bound
  counter framing_refused;     // malformed or ambiguous requests
  counter timeouts;            // header, body, idle, write
  counter writes_refused;      // for lack of room
  counter deadline_passed;     // questions answered 503 by the front
  counter not_owner;           // reads answered 503 because the lease had run out
  /// Requests answered 429 because a bucket was empty.
  std::array<counter, rate_bucket_names.size()> rate_limited;
  counter bytes_in;
  counter bytes_out;
};

/// Kinds of credentials; in the order of `http::credential_kind`.
inline constexpr std::array<const char*, 4> credential_names{"access_token", "api_key", "session", "partner"};

struct credential_metrics {
  std::array<counter, credential_names.size()> refused; // shown and not good, or not any more
  counter refresh_tokens_reused;                        // each ended its session
};

struct vote_metrics {
  counter cast_bullish;
  counter cast_bearish;
  counter refused;
  counter cold; // by voters who were not in memory
  counter advances;
};

/// Keys of an outside identity provider.
struct provider_metrics {
  gauge read_at; // seconds since 1970 of the last good reading; 0 while there was none
  gauge keys;    // that tokens may be signed with
  counter reads;
  counter failures;
  counter unknown_keys; // tokens that named a key which is not there
};

/// Results of looking for posts; in the order of `news::looked_up::result`.
inline constexpr std::array<const char*, 4> lookup_result_names{"found", "none", "failed", "limited"};

/// Users whose score is to be worked out anew.
struct score_metrics {
  gauge waiting;  // users; counted up to 100,000
  gauge oldest;   // seconds since 1970 when the first of them was marked; 0: none
  gauge recounts; // changes that left records to be counted anew
  counter worked_out;
};

/// Posts of an outside source.
struct news_metrics {
  gauge on; // 1 where a source is set up
  std::array<counter, lookup_result_names.size()> lookups;
  counter cache_hits;  // items answered from what was known
  counter turned_away; // items answered null because the breaker was open or the queue full
  gauge breaker;       // 0 closed, 1 open, 2 on trial
};

/// What PostgreSQL says of itself, once a minute (persistence/vitals.hpp).
struct database_metrics {
  gauge known; // 1 once it has been asked
  gauge connections;
  gauge connections_max;
  gauge transaction_age_s; // of the oldest one
  gauge xid_age;
  gauge vacuum_due_percent;
  gauge archive_fails; // 0 or 1
  gauge bytes;
  gauge rings_open;  // that nobody has marked
  gauge rings_run_s; // when the newest stored run ended; 0: none is stored
};

/// The one set of metrics of this process.
struct metrics {
  http_metrics http;
  std::array<actor_metrics, actor_kind_names.size()> actors;
  store_metrics store;
  credential_metrics credentials;
  vote_metrics votes;
  provider_metrics provider;
  news_metrics news;
  score_metrics scores;
  database_metrics database;
  std::string data_dir; // whose disk is told of; set before there are threads. Empty: none
  gauge standing_still; // threads and actors that show no sign of life
  gauge writes_paused;  // 1 while an operator lets no writes in
  gauge cut_off;        // 1 where the process before this one did not end by itself

  actor_metrics& of(actor_kind kind) noexcept { return actors[static_cast<std::size_t>(kind)]; }
  /// Metrics of one endpoint; call once per route at start, keep the reference.
  route_metrics& add_route(std::string_view method, std::string_view path);
  /// Adds everything that is told. Never asks the database.
  void expose(exposition& to);
  /// The same in Prometheus text format 0.0.4.
  std::string render();
  /// Begins the next window of all peaks; to be called every `peak_window`.
  void turn_peaks() noexcept;
  static constexpr std::chrono::seconds peak_window{15};
};

metrics& the_metrics();

} // namespace credence::ops
