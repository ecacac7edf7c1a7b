#include "ops/load/tally.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace credence::load {

nanoseconds to_duration(double seconds) { return nanoseconds{static_cast<std::int64_t>(seconds * 1e9)}; }

void second_tally::add(const second_tally& other) {
  due += other.due;
  unsent += other.unsent;
  late += other.late;
  accepted += other.accepted;
  refused += other.refused;
  failed += other.failed;
  from_sent.add(other.from_sent);
  from_due.add(other.from_due);
}

schedule::schedule(const options& with, unsigned index)
  : phases_(with.phases), share_(1.0 / with.threads), index_(index), workers_(with.threads) {
  if (phases_.size() > 1)
    for (const auto& each : phases_)
      seconds.emplace_back(static_cast<std::size_t>(std::ceil(each.seconds)));
}

void schedule::begin(time_point start, time_point measure_from) {
  began_ = measure_from_ = measure_from;
  enter(0);
  due_ = start + every_ * index_ / workers_;
}

void schedule::enter(std::size_t phase) {
  now_ = phase;
  every_ = std::max(nanoseconds{1}, to_duration(1 / (phases_[phase].rate * share_)));
  ends_ = began_ + to_duration(phases_[phase].seconds);
}

void schedule::advance() {
  due_ += every_;
  while (due_ >= ends_ && now_ + 1 < phases_.size()) {
    due_ = began_ = ends_;
    enter(now_ + 1);
    due_ += every_ * index_ / workers_;
  }
}

void schedule::shift(nanoseconds pause) {
  due_ += pause;
  began_ += pause;
  measure_from_ += pause;
  ends_ += pause;
}

second_tally* schedule::second() {
  if (seconds.empty() || due_ < measure_from_)
    return nullptr;
  auto& of_phase = seconds[now_];
  const auto at = static_cast<std::size_t>((due_ - began_) / std::chrono::seconds{1});
  return &of_phase[std::min(at, of_phase.size() - 1)];
}

namespace {

void print_counts(const second_tally& of) {
  std::printf("\"due\":%lld,\"unsent\":%lld,\"late\":%lld,\"accepted\":%lld,\"refused\":%lld,\"failed\":%lld",
              static_cast<long long>(of.due), static_cast<long long>(of.unsent), static_cast<long long>(of.late),
              static_cast<long long>(of.accepted), static_cast<long long>(of.refused),
              static_cast<long long>(of.failed));
  const char* name = "from_sent_ms";
  for (const auto* latency : {&of.from_sent, &of.from_due}) {
    std::printf(",\"%s\":{\"p50\":%.3f,\"p99\":%.3f,\"max\":%.3f}", name, latency->quantile_ms(0.5),
                latency->quantile_ms(0.99), latency->max_ms());
    name = "from_due_ms";
  }
}

void print_phases(const std::vector<std::vector<second_tally>>& phases, const options& with) {
  std::printf(",\"phases\":[");
  for (std::size_t i = 0; i < phases.size(); ++i) {
    second_tally whole;
    for (const auto& second : phases[i])
      whole.add(second);
    std::printf("%s{\"rate\":%.1f,\"seconds\":%.3f,", i ? "," : "", with.phases[i].rate, with.phases[i].seconds);
    print_counts(whole);
    std::printf(",\"each_second\":[");
    for (std::size_t second = 0; second < phases[i].size(); ++second) {
      std::printf(second ? ",{" : "{");
      print_counts(phases[i][second]);
      std::printf("}");
    }
    std::printf("]}");
  }
  std::printf("]");
}

} // namespace

void print(const tally& all, const std::vector<std::vector<second_tally>>& phases, const options& with,
           const dispenser& numbers) {
  std::printf("{\"requests\":%lld,\"ok\":%lld,\"by_status\":{", static_cast<long long>(all.requests),
              static_cast<long long>(all.ok));
  const char* comma = "";
  for (std::size_t status = 0; status < all.by_status.size(); ++status)
    if (all.by_status[status] > 0) {
      std::printf("%s\"%zu\":%lld", comma, status, static_cast<long long>(all.by_status[status]));
      comma = ",";
    }
  const auto seconds = std::max(all.seconds, 1e-9);
  std::printf("},\"errors\":%lld,\"reconnects\":%lld,\"unsent\":%lld,\"seconds\":%.3f,\"rps\":%.1f",
              static_cast<long long>(all.errors), static_cast<long long>(all.reconnects),
              static_cast<long long>(all.unsent), all.seconds, static_cast<double>(all.requests) / seconds);
  std::printf(",\"latency_ms\":{\"p50\":%.3f,\"p90\":%.3f,\"p99\":%.3f,\"p99_9\":%.3f,\"max\":%.3f}",
              all.latency.quantile_ms(0.5), all.latency.quantile_ms(0.9), all.latency.quantile_ms(0.99),
              all.latency.quantile_ms(0.999), all.latency.max_ms());
  std::printf(",\"bytes\":%lld,\"cpu_seconds\":%.3f,\"requests_total\":%lld", static_cast<long long>(all.bytes),
              all.cpu, static_cast<long long>(all.requests_total));
  if (with.kind == scenario::votes)
    std::printf(",\"acknowledged_votes\":%lld,\"unknown_votes\":%lld,\"next_pair\":%llu,\"advances\":%d",
                static_cast<long long>(all.acknowledged), static_cast<long long>(all.unknown),
                static_cast<unsigned long long>(numbers.next_pair()), numbers.advances());
  if (!phases.empty())
    print_phases(phases, with);
  std::printf("}\n");
}

} // namespace credence::load
