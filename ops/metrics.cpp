#include "ops/metrics.hpp"

#include "ops/chain_metrics.hpp"
#include "ops/client_counts.hpp"
#include "ops/exposition.hpp"
#include "ops/replication.hpp"
#include "ops/standby.hpp"

#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <string>

namespace credence::ops {

namespace {

/// Routes are added at start and never go; a deque keeps references valid.
struct route_list {
  std::mutex guard;
  std::deque<route_metrics> all;
};
route_list& routes() {
  static route_list list;
  return list;
}

void add(exposition& out, const std::string& name, const char* help, const counter& of,
         const exposition::labels& with = {}) {
  out.counter_value(name, help, of.value(), with);
}
void add(exposition& out, const std::string& name, const char* help, const gauge& of,
         const exposition::labels& with = {}) {
  out.gauge_value(name, help, static_cast<double>(of.value()), with);
}
/// One series for each, by a label with their names.
void add_each(exposition& out, const std::string& name, const char* help, const auto& all, const char* label,
              const auto& names) {
  for (std::size_t i = 0; i < names.size(); ++i)
    add(out, name, help, all[i], {{label, std::string{names[i]}}});
}

void add_http(exposition& out, const http_metrics& http, const credential_metrics& credentials) {
  {
    const std::lock_guard lock{routes().guard};
    for (const auto& route : routes().all) {
      std::int64_t any = 0;
      for (const std::size_t i : {2, 4, 5}) { // no other class of status is ever given
        const auto value = route.status[i].value();
        any += value;
        out.counter_value("credence_http_requests_total", "Requests answered, by route and class of status.", value,
                          {{"method", route.method}, {"route", route.path}, {"status", std::to_string(i) + "xx"}});
      }
      if (any > 0)
        out.durations("credence_http_request_duration_seconds", "Time from the first byte of a request to its answer.",
                      route.latency, {{"method", route.method}, {"route", route.path}},
                      route.path.ends_with("/votes") ? exposition::detail::half : exposition::detail::one);
    }
  }
  add(out, "credence_http_connections", "Connections that are open.", http.connections);
  add(out, "credence_http_unsent_bytes", "Bytes of answers that clients have not taken yet.", http.unsent_bytes);
  add(out, "credence_http_answers_refused_total", "Reads answered 503 because too many answers had not been taken yet.",
      http.answers_refused);
  add(out, "credence_http_paused_connections",
      "Connections not read from for a moment, since a write of theirs was refused for lack of room.", http.paused);
  add(out, "credence_http_writes_refused_total", "Writes answered 503 because too many were under way.",
      http.writes_refused);
  add(out, "credence_http_accepted_total", "Requests taken in.", http.accepted);
  add(out, "credence_http_refused_connections_total", "Connections turned away past a bound.",
      http.refused_connections);
  add(out, "credence_http_framing_refused_total", "Requests that were malformed or ambiguous.", http.framing_refused);
  add(out, "credence_http_timeouts_total", "Connections closed for being too slow.", http.timeouts);
  add(out, "credence_http_deadline_passed_total", "Requests answered 503 because no answer came in time.",
      http.deadline_passed);
  add(out, "credence_http_not_owner_total",
      "Reads answered 503 because it was not known whether the data is still this server's.", http.not_owner);
  add_each(out, "credence_http_rate_limited_total", "Requests turned away because a bucket was empty.",
           http.rate_limited, "bucket", rate_bucket_names);
  add_each(out, "credence_credentials_refused_total", "Credentials that were shown and are not good.",
           credentials.refused, "kind", credential_names);
  add(out, "credence_refresh_tokens_reused_total",
      "Refresh tokens that came back after they had been replaced; each ended its session.",
      credentials.refresh_tokens_reused);
  each_deprecated_route([&](const deprecated_route& route) {
    route.clients.each([&](const std::string& client, std::int64_t count) {
      out.counter_value("credence_deprecated_requests_total",
                        "Requests to deprecated endpoints, by what clients call themselves.", count,
                        {{"route", route.route}, {"client", client}});
    });
  });
  add(out, "credence_http_received_bytes_total", "Bytes read from clients.", http.bytes_in);
  add(out, "credence_http_sent_bytes_total", "Bytes written to clients.", http.bytes_out);
  add(out, "credence_http_in_flight", "Requests being worked on.", http.in_flight);
}

void add_actors(exposition& out, const std::array<actor_metrics, actor_kind_names.size()>& actors) {
  for (std::size_t i = 0; i < actors.size(); ++i) {
    const auto& each = actors[i];
    const exposition::labels kind{{"kind", actor_kind_names[i]}};
    add(out, "credence_actor_live", "Actors of this kind now.", each.live, kind);
    add(out, "credence_actor_waiting", "Questions admitted and not answered yet.", each.waiting, kind);
    out.gauge_value("credence_actor_oldest_wait_seconds", "Longest wait in a mailbox within the last 15 to 30 seconds.",
                    static_cast<double>(each.oldest_wait_ns.value()) / 1e9, kind);
    add(out, "credence_actor_spawned_total", "Actors started.", each.spawned, kind);
    add(out, "credence_actor_stopped_idle_total", "Actors stopped because nobody asked them.", each.stopped_idle, kind);
    add(out, "credence_actor_failed_total", "Actors started afresh after a failure.", each.failed, kind);
    add(out, "credence_actor_refused_full_total", "Questions turned away because the entity was full.",
        each.refused_full, kind);
    add(out, "credence_actor_handled_total", "Questions handled.", each.handled, kind);
    out.durations("credence_actor_handling_seconds", "Time inside the handler.", each.handling, kind,
                  exposition::detail::decades);
  }
}

void add_writer(exposition& out, const std::string& of, const writer_metrics& writer) {
  add(out, of + "_batches_total", "Batches committed.", writer.batches);
  add(out, of + "_changes_total", "Changes committed.", writer.changes);
  add(out, of + "_batch_failures_total", "Batches that the database refused.", writer.batch_failures);
  add(out, of + "_changes_failed_total", "Changes that failed alone.", writer.changes_failed);
  add(out, of + "_unknown_outcomes_total", "Batches whose outcome was lost with the connection.",
      writer.unknown_outcomes);
  add(out, of + "_resolved_stored_total", "Of those, found committed.", writer.resolved_stored);
  add(out, of + "_resolved_absent_total", "Of those, found not committed.", writer.resolved_absent);
  add(out, of + "_reconnects_total", "Times the writer connected anew.", writer.reconnects);
  out.durations(of + "_commit_seconds", "Time from sending a batch to its commit.", writer.commit);
  add(out, of + "_writable", "1 while writes are taken.", writer.writable);
}

void add_store(exposition& out, const store_metrics& store) {
  add_writer(out, "credence_store", store);
  add(out, "credence_store_queued", "Changes waiting for the writer.", store.queued);
  out.gauge_value("credence_store_lease_age_seconds",
                  "Time since this process last knew that its data is its own; beyond 3 s reads get 503.",
                  static_cast<double>(store.lease_age_ms.value()) / 1e3);
  add(out, "credence_clock_good", "0 while the wall clock is wrong and writes are refused.", store.clock_good);
  out.gauge_value("credence_clock_difference_seconds", "How far the wall clock is ahead of the database's.",
                  static_cast<double>(store.clock_difference_us.value()) / 1e6);
  add(out, "credence_store_tidied_total", "Rounds that removed what has grown old.", store.tidied);
  add(out, "credence_store_tidy_failures_total", "Of those, rounds that failed.", store.tidy_failures);
  add(out, "credence_store_loads_total", "Reads of the database.", store.loads);
  add(out, "credence_store_load_statements_total", "Statements for them: one answers a group of loads.",
      store.load_statements);
  add_each(out, "credence_store_reads_waiting", "Reads without an answer yet.", store.reads_waiting, "lane",
           read_lane_names);
  add(out, "credence_store_load_failures_total", "Reads of the database that failed.", store.load_failures);
  out.durations("credence_store_load_seconds", "Time of a read of the database.", store.load);
}

/// Nothing while the database is away. What its role may not see is left out, and so is a quorum where no standby is
/// named.
void add_replication(exposition& out) {
  const auto seen = the_replication().read();
  if (!seen)
    return;
  out.gauge_value("credence_database_timeline", "Timeline of the database; a failover begins another.", seen->timeline);
  out.gauge_value("credence_database_standbys", "Standbys of PostgreSQL that are connected to the database.",
                  static_cast<double>(seen->standbys.size()));
  if (seen->hidden)
    return;
  if (seen->needed > 0) {
    out.gauge_value("credence_database_quorum_needed", "Standbys that a commit waits for.", seen->needed);
    out.gauge_value("credence_database_quorum_named",
                    "Standbys that may be among them; one more than are needed where any may.", seen->named);
    out.gauge_value("credence_database_quorum_there", "Of those, the ones that stream.", seen->there());
  }
  std::set<std::string> told; // two of one name are one series
  for (const auto& each : seen->standbys) {
    if (!told.insert(each.name).second)
      continue;
    out.gauge_value("credence_database_standby_lag_bytes", "Log that a standby has not replayed yet.",
                    static_cast<double>(each.lag_bytes), {{"standby", each.name}});
    out.gauge_value("credence_database_standby_lag_seconds",
                    "Time from a commit to its replay by a standby, as it told last; 0 while nothing is written.",
                    each.lag_seconds.value_or(0), {{"standby", each.name}});
  }
}

/// Nothing where no provider is set up.
void add_provider(exposition& out, const provider_metrics& provider) {
  if (provider.reads.value() == 0)
    return;
  const auto read_at = provider.read_at.value();
  if (read_at > 0)
    out.gauge_value("credence_provider_keys_age_seconds", "Time since the identity provider's keys were last read.",
                    static_cast<double>(std::max<std::int64_t>(std::time(nullptr) - read_at, 0)));
  add(out, "credence_provider_keys", "Keys of the identity provider.", provider.keys);
  add(out, "credence_provider_key_reads_total", "Times the identity provider's keys were read.", provider.reads);
  add(out, "credence_provider_key_failures_total", "Of those, times it failed and the keys before were kept.",
      provider.failures);
  add(out, "credence_provider_unknown_keys_total", "Tokens that named a key which the provider does not have.",
      provider.unknown_keys);
}

/// Nothing where no source is set up.
void add_scores(exposition& out, const score_metrics& scores) {
  add(out, "credence_score_waiting", "Users whose score is to be worked out anew, counted up to 100,000.",
      scores.waiting);
  add(out, "credence_score_oldest_seconds", "When the first of them was marked, in Unix time; 0 when there is none.",
      scores.oldest);
  add(out, "credence_score_recounts", "Changes that left records to be counted anew in pieces, counted up to 1,000.",
      scores.recounts);
  add(out, "credence_scores_worked_out_total", "Scores worked out and stored.", scores.worked_out);
}

void add_news(exposition& out, const news_metrics& news) {
  if (news.on.value() == 0)
    return;
  add_each(out, "credence_news_lookups_total",
           "Times the source of posts was asked for an account's newest one, by result.", news.lookups, "result",
           lookup_result_names);
  add(out, "credence_news_cache_hits_total", "News answered from what was known.", news.cache_hits);
  add(out, "credence_news_turned_away_total",
      "News answered null because the source is left alone or too many wait for it.", news.turned_away);
  add(out, "credence_news_breaker",
      "Whether the source of posts is asked: 0 yes, 1 left alone for a while, 2 on trial.", news.breaker);
}

/// Nothing where there are no managed wallets.
void add_wallets(exposition& out, const wallet_metrics& wallets) {
  if (wallets.on.value() == 0)
    return;
  add(out, "credence_wallet_signing", "Whether managed wallets sign: 1 or 0.", wallets.signing);
  add(out, "credence_wallet_open", "Transactions of managed wallets that may still change.", wallets.open);
  add_each(out, "credence_wallet_transactions_total",
           "Transactions of managed wallets, by the state that they came into.", wallets.moved, "state",
           wallet_state_names);
  add_each(out, "credence_wallet_sends_total", "Signed transactions that were given to a node, by its answer.",
           wallets.sends, "result", wallet_send_names);
  add_each(out, "credence_wallet_grants_total", "Wishes of wallets for gas, by what the funding account did.",
           wallets.grants, "result", wallet_grant_names);
  add(out, "credence_wallet_stuck_total", "Times a fee was to be raised above what the settings allow.", wallets.stuck);
  add(out, "credence_wallet_conflicts_total", "Looks at which a stranger's transaction had used a nonce.",
      wallets.conflicts);
  out.durations("credence_wallet_send_seconds", "From a transaction in the database to a node's answer.", wallets.send,
                {}, exposition::detail::half);
}

/// Nothing where no chain is followed.
void add_chain(exposition& out, const chain_metrics& chain) {
  if (chain.on.value() == 0)
    return;
  for (std::size_t i = 0; i < chain_state_names.size(); ++i)
    out.gauge_value("credence_chain_state", "How the chain is followed: 1 for the state that holds.",
                    chain.state.value() == static_cast<std::int64_t>(i) ? 1 : 0, {{"state", chain_state_names[i]}});
  add(out, "credence_chain_head", "Newest block of the node asked last.", chain.head);
  add(out, "credence_chain_tip", "Last block that is stored.", chain.tip);
  add(out, "credence_chain_safe", "Newest safe block of the node asked last.", chain.safe);
  add(out, "credence_chain_finalized", "Newest final block that is known.", chain.finalized);
  add(out, "credence_chain_authority", "Newest block that rights rest on; they rest on blocks up to it.",
      chain.authority);
  out.gauge_value("credence_chain_lag_blocks", "Blocks from the last one that is stored to the newest.",
                  static_cast<double>(std::max<std::int64_t>(chain.head.value() - chain.tip.value(), 0)));
  if (const auto at = chain.tip_at.value(); at > 0)
    out.gauge_value("credence_chain_lag_seconds", "Age of the last block that is stored.",
                    static_cast<double>(std::max<std::int64_t>(std::time(nullptr) - at, 0)));
  add_each(out, "credence_chain_events_total", "Events stored, by what became of them.", chain.events, "status",
           chain_event_names);
  add(out, "credence_chain_failed", "Events that are stored as failed.", chain.failed);
  add(out, "credence_chain_reorganisations_total",
      "Reorganisations, each once, in however many pieces its blocks were taken back.", chain.reorganisations);
  add(out, "credence_chain_undone_blocks_total", "Blocks that were taken back.", chain.undone_blocks);
  add(out, "credence_chain_id_gaps_total", "Times ids of a contract were missing that no node told of.", chain.id_gaps);
  add(out, "credence_chain_audit_mismatch_total",
      "Ranges of past blocks of which a node told other logs than are stored.", chain.audit_mismatches);
  add(out, "credence_chain_reorganisation_depth_last", "Blocks that the last reorganisation took back.",
      chain.depth_last);
  add(out, "credence_chain_reorganisation_depth_most", "Blocks that the deepest reorganisation took back.",
      chain.depth_most);
  add(out, "credence_chain_range_blocks", "Blocks that are asked for at a time.", chain.range_blocks);
  out.durations("credence_chain_apply_seconds", "From a step that was found to its commit.", chain.apply, {},
                exposition::detail::half);
  add_each(out, "credence_chain_node_answers_total", "Questions to nodes, by how they ended.", chain.answers, "result",
           node_answer_names);
  add(out, "credence_chain_endpoints_wrong", "Nodes that told what cannot be true, or are of another chain.",
      chain.endpoints_wrong);
  add(out, "credence_chain_endpoints_without_past",
      "Nodes that lack the logs of chain.start_block, and are not asked for old blocks.", chain.endpoints_without_past);
  add(out, "credence_chain_texts_wanted",
      "Texts of records that are still to be read from contracts, counted to 100,000.", chain.texts_wanted);
  add(out, "credence_chain_texts_failed", "Texts of records that contracts do not return, counted to 100,000.",
      chain.texts_failed);
  add(out, "credence_chain_balances_differing",
      "Vouches whose balance contracts tell otherwise than events come to, counted to 100,000.",
      chain.balances_differing);
  const auto oldest = chain.texts_oldest.value();
  out.gauge_value("credence_chain_texts_age_seconds", "Since when the oldest text is wanted.",
                  oldest > 0 ? static_cast<double>(std::max<std::int64_t>(std::time(nullptr) - oldest, 0)) : 0);
  add_each(out, "credence_chain_texts_read_total",
           "Attempts to read a text from a contract, by what the text is after them.", chain.texts_read, "state",
           chain_text_names);
  add_writer(out, "credence_chain_store", chain.writer);
}

/// Nothing before it has been asked.
void add_database(exposition& out, const database_metrics& database) {
  if (database.known.value() == 0)
    return;
  add(out, "credence_database_connections", "Connections to PostgreSQL, of everybody.", database.connections);
  add(out, "credence_database_connections_max", "How many PostgreSQL takes of others than superusers.",
      database.connections_max);
  add(out, "credence_database_transaction_age_seconds",
      "How long the oldest transaction of a client is under way, or prepared, among those that the server's role "
      "may see.",
      database.transaction_age_s);
  add(out, "credence_database_xid_age",
      "Transactions since the oldest one that is not frozen; PostgreSQL stops writing before 2^31.", database.xid_age);
  out.gauge_value("credence_database_vacuum_due",
                  "Dead rows of a table by those at which autovacuum begins, of the table that is furthest behind.",
                  static_cast<double>(database.vacuum_due_percent.value()) / 100);
  add(out, "credence_database_archive_failing", "1 while the newest attempt to archive the write-ahead log has failed.",
      database.archive_fails);
  add(out, "credence_database_bytes", "Room that the database takes on disk.", database.bytes);
  add(out, "credence_rings_unmarked", "Rings that have been found, are not gone, and nobody has marked.",
      database.rings_open);
  add(out, "credence_rings_run_seconds",
      "When the newest run of credence rings that is stored ended, in Unix time; 0 where none is.",
      database.rings_run_s);
}

/// Of the disk that `directory` is on, as df shows it. Nothing where it cannot be looked at.
void add_disk(exposition& out, const std::string& directory) {
  struct statvfs disk {};
  if (directory.empty() || ::statvfs(directory.c_str(), &disk) != 0)
    return;
  const auto bytes = [&](fsblkcnt_t blocks) {
    return static_cast<double>(blocks) * static_cast<double>(disk.f_frsize);
  };
  const auto used = bytes(disk.f_blocks - disk.f_bfree);
  out.gauge_value("credence_data_disk_used_bytes", "What is used of the disk with data_dir.", used);
  out.gauge_value("credence_data_disk_size_bytes", "How much of it can be used.", used + bytes(disk.f_bavail));
}

constexpr std::chrono::hours cut_off_told_for{1};

const auto began = std::chrono::steady_clock::now(); // the process
const auto began_at = std::time(nullptr);
std::chrono::nanoseconds up_for() { return std::chrono::steady_clock::now() - began; }

void add_process(exposition& out) {
  if (!out.wants("process_cpu_seconds_total")) // reading what the system knows of the process costs more than all else
    return;
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  std::ifstream statm{"/proc/self/statm"};
  std::int64_t all_pages = 0;
  std::int64_t resident_pages = 0;
  statm >> all_pages >> resident_pages;
  std::error_code ignored;
  const auto fds = std::distance(std::filesystem::directory_iterator{"/proc/self/fd", ignored}, {});
  out.gauge_value("process_resident_memory_bytes", "Resident memory.",
                  static_cast<double>(resident_pages * ::sysconf(_SC_PAGESIZE)));
  out.seconds_total("process_cpu_seconds_total", "User and system time.",
                    seconds(used.ru_utime) + seconds(used.ru_stime));
  out.gauge_value("process_open_fds", "Open file descriptors.", static_cast<double>(fds));
  out.gauge_value("process_start_time_seconds", "Start of the process since 1970.", static_cast<double>(began_at));
}

} // namespace

std::size_t metric_cell() noexcept {
  static std::atomic<std::size_t> next{0};
  thread_local const std::size_t mine = next.fetch_add(1, std::memory_order_relaxed) % metric_cells;
  return mine;
}

std::int64_t counter::value() const noexcept {
  std::int64_t sum = 0;
  for (const auto& each : cells_)
    sum += each.value.load(std::memory_order_relaxed);
  return sum;
}

void histogram::observe(std::chrono::nanoseconds took) noexcept {
  const auto seconds = static_cast<double>(took.count()) / 1e9;
  const auto at = static_cast<std::size_t>(std::lower_bound(bounds_seconds.begin(), bounds_seconds.end(), seconds)
                                           - bounds_seconds.begin());
  auto& mine = cells_[metric_cell()];
  mine.buckets[at].fetch_add(1, std::memory_order_relaxed);
  mine.sum_ns.fetch_add(took.count(), std::memory_order_relaxed);
}

histogram::snapshot histogram::read() const noexcept {
  snapshot out;
  std::int64_t sum = 0;
  for (const auto& each : cells_) {
    for (std::size_t i = 0; i < out.buckets.size(); ++i)
      out.buckets[i] += each.buckets[i].load(std::memory_order_relaxed);
    sum += each.sum_ns.load(std::memory_order_relaxed);
  }
  for (const auto count : out.buckets)
    out.count += count;
  out.sum_seconds = static_cast<double>(sum) / 1e9;
  return out;
}

void last_error::note(std::string_view code, std::string_view text) {
  const std::lock_guard lock{guard_};
  told_ = {std::string{code}, std::string{text}, std::chrono::system_clock::now()};
}

void last_error::clear() {
  const std::lock_guard lock{guard_};
  told_.reset();
}

std::optional<last_error::told> last_error::read() const {
  const std::lock_guard lock{guard_};
  return told_;
}

route_metrics& metrics::add_route(std::string_view method, std::string_view path) {
  auto& list = routes();
  const std::lock_guard lock{list.guard};
  for (auto& each : list.all)
    if (each.method == method && each.path == path)
      return each;
  auto& fresh = list.all.emplace_back();
  fresh.method = method;
  fresh.path = path;
  return fresh;
}

void metrics::turn_peaks() noexcept {
  for (auto& each : actors)
    each.oldest_wait_ns.turn();
}

void metrics::expose(exposition& out) {
  add_http(out, http, credentials);
  add_actors(out, actors);
  add_store(out, store);
  add_replication(out);
  add(out, "credence_votes_cast_total", "Votes committed.", votes.cast_bullish, {{"side", "bullish"}});
  add(out, "credence_votes_cast_total", "Votes committed.", votes.cast_bearish, {{"side", "bearish"}});
  add(out, "credence_votes_refused_total", "Votes that the rules refused.", votes.refused);
  add(out, "credence_votes_cold_total", "Votes of voters who were not in memory.", votes.cold);
  add(out, "credence_voting_period_advances_total", "Voting periods opened.", votes.advances);
  add(out, "credence_standing_still", "Threads and actors that show no sign of life.", standing_still);
  out.gauge_value("credence_standby", "1 while it waits to take over from the server that owns the database.",
                  the_standby().on() ? 1 : 0);
  if (const auto waits = the_standby().now())
    out.gauge_value(
      "credence_standby_able",
      "1 while it could take over: the database can be reached, is durable and has the schema of this build.",
      waits->able ? 1 : 0);
  add(out, "credence_writes_paused", "1 while an operator has paused the intake of writes.", writes_paused);
  out.gauge_value("credence_last_run_cut_off",
                  "1 in the first hour after a start that found that the run before had not ended by itself.",
                  static_cast<double>(up_for() < cut_off_told_for ? cut_off.value() : 0));
  add_provider(out, provider);
  add_database(out, database);
  add_disk(out, data_dir);
  add_scores(out, scores);
  add_news(out, news);
  add_chain(out, the_chain_metrics());
  add_wallets(out, the_wallet_metrics());
  add_process(out);
}

std::string metrics::render() {
  exposition out;
  expose(out);
  return out.text();
}

replication_board& the_replication() {
  static replication_board one;
  return one;
}

standby& the_standby() {
  static standby one;
  return one;
}

chain_metrics& the_chain_metrics() {
  static chain_metrics one;
  return one;
}

wallet_metrics& the_wallet_metrics() {
  static wallet_metrics one;
  return one;
}

metrics& the_metrics() {
  static metrics one;
  return one;
}

} // namespace credence::ops
