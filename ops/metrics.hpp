#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// What the service measures about itself. Writing costs a relaxed atomic add in
/// a cell of the calling thread's own; reading adds the cells up.
namespace credence::ops {

class exposition;
class counter;
class gauge;
class peak;
class histogram;

/// Every bucket of a duration is a series, and a server has few of them: routes of votes are told in every other
/// bucket, kinds of actors by powers of ten from 100 us to 1 s, other routes by how many answers took 100 ms at most.
enum class bucket_detail : std::uint8_t { all, half, decades, one };

/// Metrics that are told of together. Each is a member that is declared once, with its name and help:
/// `counter accepted{*this, "credence_http_accepted_total", "Requests taken in."}`.
class metric_group {
public:
  struct series {
    std::string name;
    const char* help;
    std::variant<const counter*, const gauge*, const peak*, const histogram*> of;
    double unit = 1; // what the value of a gauge or peak is divided by
    bucket_detail detail{};
    std::string label = {}, value = {}; // that tell it from others of its name; empty: there are none
  };

  metric_group() = default;
  metric_group(const metric_group&) = delete;
  metric_group& operator=(const metric_group&) = delete;

  void add(series one) { all_.push_back(std::move(one)); }
  /// In the order of their declaration.
  const std::vector<series>& all() const noexcept { return all_; }

private:
  std::vector<series> all_;
};

inline constexpr std::size_t metric_cells = 8;
/// This thread's cell: threads are dealt out in the order of their first use.
std::size_t metric_cell() noexcept;

/// A count that only grows.
class counter {
public:
  counter() = default;
  counter(metric_group& of, std::string name, const char* help, std::string label = {}, std::string value = {}) {
    of.add({std::move(name), help, this, 1, {}, std::move(label), std::move(value)});
  }
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
  gauge() = default;
  gauge(metric_group& of, std::string name, const char* help, double unit = 1) {
    of.add({std::move(name), help, this, unit});
  }
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
  peak(metric_group& of, std::string name, const char* help, double unit = 1) {
    of.add({std::move(name), help, this, unit});
  }
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
  histogram() = default;
  histogram(metric_group& of, std::string name, const char* help, bucket_detail detail = bucket_detail::all) {
    of.add({std::move(name), help, this, 1, detail});
  }
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

/// A metric for each of these names, as series that a label tells apart.
template <class Metric, const auto& Names>
class by_label : public std::array<Metric, Names.size()> {
public:
  by_label(metric_group& of, const std::string& name, const char* help, const char* label) {
    for (std::size_t i = 0; i < Names.size(); ++i)
      of.add({name, help, &(*this)[i], 1, {}, label, std::string{Names[i]}});
  }
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
struct actor_metrics : metric_group {
  gauge live{*this, "credence_actor_live", "Actors of this kind now."};
  gauge waiting{*this, "credence_actor_waiting", "Questions admitted and not answered yet."};
  peak oldest_wait_ns{*this, "credence_actor_oldest_wait_seconds",
                      "Longest wait in a mailbox within the last 15 to 30 seconds.", 1e9};
  counter spawned{*this, "credence_actor_spawned_total", "Actors started."};
  counter stopped_idle{*this, "credence_actor_stopped_idle_total", "Actors stopped because nobody asked them."};
  counter failed{*this, "credence_actor_failed_total", "Actors started afresh after a failure."};
  counter refused_full{*this, "credence_actor_refused_full_total",
                       "Questions turned away because the entity was full."};
  counter handled{*this, "credence_actor_handled_total", "Questions handled."};
  histogram handling{*this, "credence_actor_handling_seconds", "Time inside the handler.", bucket_detail::decades};
};

/// One endpoint; `status[n]` counts answers of class n00.
struct route_metrics {
  std::string method;
  std::string path; // the template, never the target
  std::array<counter, 6> status;
  histogram latency;
};

/// What one connection writes.
struct writer_metrics : metric_group {
  /// Of the names, what they begin with.
  explicit writer_metrics(std::string store) : of(std::move(store)) {}

  const std::string of;
  counter batches{*this, of + "_batches_total", "Batches committed."};
  counter changes{*this, of + "_changes_total", "Changes committed."};
  counter batch_failures{*this, of + "_batch_failures_total", "Batches that the database refused."};
  counter changes_failed{*this, of + "_changes_failed_total", "Changes that failed alone."}; // a bug, or wrong data
  counter unknown_outcomes{*this, of + "_unknown_outcomes_total",
                           "Batches whose outcome was lost with the connection."};
  counter resolved_stored{*this, of + "_resolved_stored_total", "Of those, found committed."};
  counter resolved_absent{*this, of + "_resolved_absent_total", "Of those, found not committed."};
  counter reconnects{*this, of + "_reconnects_total", "Times the writer connected anew."};
  histogram commit{*this, of + "_commit_seconds", "Time from sending a batch to its commit."};
  gauge writable{*this, of + "_writable", "1 while writes are taken."};
  gauge clock_good, clock_difference_us; // told of the store's alone
  last_error trouble;                    // why nothing can be written; nothing while it can
};

/// The lanes of the read connections (persistence/readers/query_policy.hpp).
inline constexpr std::array<std::string_view, 3> read_lane_names{"loads", "lists", "console"};

/// The database, with who writes what clients ask for.
struct store_metrics : writer_metrics {
  store_metrics() : writer_metrics{"credence_store"} {
    add({"credence_clock_good", "0 while the wall clock is wrong and writes are refused.", &clock_good});
    add({"credence_clock_difference_seconds", "How far the wall clock is ahead of the database's.",
         &clock_difference_us, 1e6});
  }

  gauge queued{*this, "credence_store_queued", "Changes waiting for the writer."};
  gauge lease_age_ms{*this, "credence_store_lease_age_seconds",
                     "Time since this process last knew that its data is its own; beyond 3 s reads get 503.", 1e3};
  counter tidied{*this, "credence_store_tidied_total", "Rounds that removed what has grown old."};
  counter tidy_failures{*this, "credence_store_tidy_failures_total", "Of those, rounds that failed."};
  counter loads{*this, "credence_store_loads_total", "Reads of the database."};
  counter load_statements{*this, "credence_store_load_statements_total",
                          "Statements for them: one answers a group of loads."};
  by_label<gauge, read_lane_names> reads_waiting{*this, "credence_store_reads_waiting", "Reads without an answer yet.",
                                                 "lane"};
  counter load_failures{*this, "credence_store_load_failures_total", "Reads of the database that failed."};
  histogram load{*this, "credence_store_load_seconds", "Time of a read of the database."};
};

/// What requests are counted against; in the order of `http::bucket`.
inline constexpr std::array<const char*, 7> rate_bucket_names{"read",      "write",       "wallet", "admin",
                                                              "anonymous", "credentials", "address"};

struct http_metrics : metric_group {
  gauge connections{*this, "credence_http_connections", "Connections that are open."};
  gauge unsent_bytes{*this, "credence_http_unsent_bytes", "Bytes of answers that clients have not taken yet."};
  counter answers_refused{*this, "credence_http_answers_refused_total",
                          "Reads answered 503 because too many answers had not been taken yet."};
  gauge paused{*this, "credence_http_paused_connections",
               "Connections not read from for a moment, since a write of theirs was refused for lack of room."};
  counter writes_refused{*this, "credence_http_writes_refused_total",
                         "Writes answered 503 because too many were under way."};
  counter accepted{*this, "credence_http_accepted_total", "Requests taken in."};
  counter refused_connections{*this, "credence_http_refused_connections_total",
                              "Connections turned away past a bound."};
  counter framing_refused{*this, "credence_http_framing_refused_total", "Requests that were malformed or ambiguous."};
  counter timeouts{*this, "credence_http_timeouts_total", "Connections closed for being too slow."};
  counter deadline_passed{*this, "credence_http_deadline_passed_total",
                          "Requests answered 503 because no answer came in time."};
  counter not_owner{*this, "credence_http_not_owner_total",
                    "Reads answered 503 because it was not known whether the data is still this server's."};
  by_label<counter, rate_bucket_names> rate_limited{*this, "credence_http_rate_limited_total",
                                                    "Requests turned away because a bucket was empty.", "bucket"};
  counter bytes_in{*this, "credence_http_received_bytes_total", "Bytes read from clients."};
  counter bytes_out{*this, "credence_http_sent_bytes_total", "Bytes written to clients."};
  gauge in_flight{*this, "credence_http_in_flight", "Requests being worked on."};
};

/// Kinds of credentials; in the order of `http::credential_kind`.
inline constexpr std::array<const char*, 4> credential_names{"access_token", "api_key", "session", "partner"};

struct credential_metrics : metric_group {
  by_label<counter, credential_names> refused{*this, "credence_credentials_refused_total",
                                              "Credentials that were shown and are not good.", "kind"};
  counter refresh_tokens_reused{*this, "credence_refresh_tokens_reused_total",
                                "Refresh tokens that came back after they had been replaced; each ended its session."};
};

struct vote_metrics : metric_group {
  counter cast_bullish{*this, "credence_votes_cast_total", "Votes committed.", "side", "bullish"};
  counter cast_bearish{*this, "credence_votes_cast_total", "Votes committed.", "side", "bearish"};
  counter refused{*this, "credence_votes_refused_total", "Votes that the rules refused."};
  counter cold{*this, "credence_votes_cold_total", "Votes of voters who were not in memory."};
  counter advances{*this, "credence_voting_period_advances_total", "Voting periods opened."};
};

/// Keys of an outside identity provider; told of once they were read for.
struct provider_metrics : metric_group {
  gauge read_at; // seconds since 1970 of the last good reading; 0 while there was none
  gauge keys{*this, "credence_provider_keys", "Keys of the identity provider."}; // that tokens may be signed with
  counter reads{*this, "credence_provider_key_reads_total", "Times the identity provider's keys were read."};
  counter failures{*this, "credence_provider_key_failures_total",
                   "Of those, times it failed and the keys before were kept."};
  counter unknown_keys{*this, "credence_provider_unknown_keys_total",
                       "Tokens that named a key which the provider does not have."};
};

/// Users whose score is to be worked out anew.
struct score_metrics : metric_group {
  gauge waiting{*this, "credence_score_waiting", "Users whose score is to be worked out anew, counted up to 100,000."};
  gauge oldest{*this, "credence_score_oldest_seconds",
               "When the first of them was marked, in Unix time; 0 when there is none."};
  gauge recounts{*this, "credence_score_recounts",
                 "Changes that left records to be counted anew in pieces, counted up to 1,000."};
  counter worked_out{*this, "credence_scores_worked_out_total", "Scores worked out and stored."};
};

/// Results of looking for posts; in the order of `news::looked_up::result`.
inline constexpr std::array<const char*, 4> lookup_result_names{"found", "none", "failed", "limited"};

/// Posts of an outside source; told of where one is set up.
struct news_metrics : metric_group {
  gauge on; // 1 where a source is set up
  by_label<counter, lookup_result_names> lookups{
    *this, "credence_news_lookups_total", "Times the source of posts was asked for an account's newest one, by result.",
    "result"};
  counter cache_hits{*this, "credence_news_cache_hits_total", "News answered from what was known."};
  counter turned_away{*this, "credence_news_turned_away_total",
                      "News answered null because the source is left alone or too many wait for it."};
  gauge breaker{*this, "credence_news_breaker",
                "Whether the source of posts is asked: 0 yes, 1 left alone for a while, 2 on trial."};
};

/// What PostgreSQL says of itself, once a minute (persistence/vitals.hpp).
struct database_metrics : metric_group {
  gauge known; // 1 once it has been asked; else nothing is told
  gauge connections{*this, "credence_database_connections", "Connections to PostgreSQL, of everybody."};
  gauge connections_max{*this, "credence_database_connections_max",
                        "How many PostgreSQL takes of others than superusers."};
  gauge transaction_age_s{*this, "credence_database_transaction_age_seconds",
                          "How long the oldest transaction of a client is under way, or prepared, among those that "
                          "the server's role may see."};
  gauge xid_age{*this, "credence_database_xid_age",
                "Transactions since the oldest one that is not frozen; PostgreSQL stops writing before 2^31."};
  gauge vacuum_due_percent{
    *this, "credence_database_vacuum_due",
    "Dead rows of a table by those at which autovacuum begins, of the table that is furthest behind.", 100};
  gauge archive_fails{*this, "credence_database_archive_failing",
                      "1 while the newest attempt to archive the write-ahead log has failed."};
  gauge bytes{*this, "credence_database_bytes", "Room that the database takes on disk."};
  gauge rings_open{*this, "credence_rings_unmarked",
                   "Rings that have been found, are not gone, and nobody has marked."};
  gauge rings_run_s{*this, "credence_rings_run_seconds",
                    "When the newest run of credence rings that is stored ended, in Unix time; 0 where none is."};
};

/// The one set of metrics of this process.
struct metrics : metric_group {
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
  gauge standing_still{*this, "credence_standing_still", "Threads and actors that show no sign of life."};
  gauge writes_paused{*this, "credence_writes_paused", "1 while an operator has paused the intake of writes."};
  gauge cut_off; // 1 where the process before this one did not end by itself

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
