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

void add_routes(exposition& out) {
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
                    route.path.ends_with("/votes") ? bucket_detail::half : bucket_detail::one);
  }
  each_deprecated_route([&](const deprecated_route& route) {
    route.clients.each([&](const std::string& client, std::int64_t count) {
      out.counter_value("credence_deprecated_requests_total",
                        "Requests to deprecated endpoints, by what clients call themselves.", count,
                        {{"route", route.route}, {"client", client}});
    });
  });
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

/// Seconds from a moment in Unix time until now.
double age_of(std::int64_t moment) {
  return static_cast<double>(std::max<std::int64_t>(std::time(nullptr) - moment, 0));
}

void add_provider(exposition& out, const provider_metrics& provider) {
  if (provider.reads.value() == 0)
    return;
  if (const auto read_at = provider.read_at.value(); read_at > 0)
    out.gauge_value("credence_provider_keys_age_seconds", "Time since the identity provider's keys were last read.",
                    age_of(read_at));
  out.add(provider);
}

void add_chain(exposition& out, const chain_metrics& chain) {
  if (chain.on.value() == 0)
    return;
  for (std::size_t i = 0; i < chain_state_names.size(); ++i)
    out.gauge_value("credence_chain_state", "How the chain is followed: 1 for the state that holds.",
                    chain.state.value() == static_cast<std::int64_t>(i) ? 1 : 0, {{"state", chain_state_names[i]}});
  out.gauge_value("credence_chain_lag_blocks", "Blocks from the last one that is stored to the newest.",
                  static_cast<double>(std::max<std::int64_t>(chain.head.value() - chain.tip.value(), 0)));
  if (const auto at = chain.tip_at.value(); at > 0)
    out.gauge_value("credence_chain_lag_seconds", "Age of the last block that is stored.", age_of(at));
  const auto oldest = chain.texts_oldest.value();
  out.gauge_value("credence_chain_texts_age_seconds", "Since when the oldest text is wanted.",
                  oldest > 0 ? age_of(oldest) : 0);
  out.add(chain);
  out.add(chain.writer);
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
  add_routes(out);
  out.add(http);
  out.add(credentials);
  for (std::size_t i = 0; i < actors.size(); ++i)
    out.add(actors[i], {{"kind", actor_kind_names[i]}});
  out.add(store);
  add_replication(out);
  out.add(votes);
  out.add(*this);
  out.gauge_value("credence_standby", "1 while it waits to take over from the server that owns the database.",
                  the_standby().on() ? 1 : 0);
  if (const auto waits = the_standby().now())
    out.gauge_value(
      "credence_standby_able",
      "1 while it could take over: the database can be reached, is durable and has the schema of this build.",
      waits->able ? 1 : 0);
  out.gauge_value("credence_last_run_cut_off",
                  "1 in the first hour after a start that found that the run before had not ended by itself.",
                  static_cast<double>(up_for() < cut_off_told_for ? cut_off.value() : 0));
  add_provider(out, provider);
  if (database.known.value() != 0)
    out.add(database);
  add_disk(out, data_dir);
  out.add(scores);
  if (news.on.value() != 0)
    out.add(news);
  add_chain(out, the_chain_metrics());
  if (the_wallet_metrics().on.value() != 0)
    out.add(the_wallet_metrics());
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
