#include "ops/load/schedule.hpp"

#include <algorithm>
#include <cmath>

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

} // namespace credence::load
