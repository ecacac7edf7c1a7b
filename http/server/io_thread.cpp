#include "http/server/io_thread.hpp"

#include "http/server/operator_side.hpp"
#include "ops/log.hpp"
#include "ops/metrics.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace credence::http {

using namespace std::chrono_literals;

namespace {

constexpr auto answer_tick = 50ms;
constexpr auto pause_tick = 10ms;         // while connections pause, so that they do not come back all at once
constexpr int resumed_max = 5;            // of those in a tick, at least
constexpr std::size_t turns_at_once = 64; // of actors, before connections have theirs again
constexpr std::size_t slices = 5;         // ticks in which all connections are looked at
constexpr std::size_t spare_buffers_max = 64;
constexpr std::size_t spare_buffer_bytes_max = 256 * 1024;

} // namespace

io_thread::io_thread(shared_state& with_all, operator_side* operators)
  : shared(with_all), operators_(operators), timer_(context_) {
  if (shared.with.make_caches)
    caches_ = shared.with.make_caches();
  who_ = shared.with.make_authenticator ? shared.with.make_authenticator() : nullptr;
  if (shared.with.actor_system)
    own_.emplace(*shared.with.actor_system, [this] { asio::post(context_, [this] { own_->run(turns_at_once); }); });
}

io_thread::~io_thread() {
  drop_paused();
  for (auto* each : std::vector<io_guest*>{guests_})
    const auto gone = std::move(each->alive_);
}

void io_thread::run() {
  tick();
  for (;;) {
    try {
      context_.run();
      if (own_)
        own_->hand_over();
      return;
    } catch (const std::exception& error) { // the connection it came from is gone; the others go on
      ops::log(ops::level::error, "io_thread_exception", {{"error", error.what()}});
    }
  }
}

void io_thread::deliver(envelope_base* answered) noexcept {
  auto* latest = answers_.load(std::memory_order_relaxed);
  do
    answered->next = latest;
  while (!answers_.compare_exchange_weak(latest, answered, std::memory_order_release, std::memory_order_relaxed));
  if (!latest) // else the wake-up is already on its way
    asio::post(context_, [this] { drain_answers(); });
}

envelope_base* io_thread::taken_in_order() {
  auto* list = answers_.exchange(nullptr, std::memory_order_acquire);
  envelope_base* in_order = nullptr;
  while (list) {
    auto* taken = std::exchange(list, list->next);
    taken->next = std::exchange(in_order, taken);
  }
  return in_order;
}

void io_thread::drain_answers() {
  for (auto* list = taken_in_order(); list;) {
    auto* came = std::exchange(list, list->next);
    try {
      came->arrive();
    } catch (const std::exception& error) {
      ops::log(ops::level::error, "answer_exception", {{"error", error.what()}});
    }
    came->deref();
  }
}

bool io_thread::take_back_all() {
  for (auto* each : guests_)
    each->hear_no_more();
  drain_answers();
  std::int64_t out = 0;
  for (const auto* each : guests_)
    out += each->questions_out();
  return out == 0;
}

void io_thread::await_answer(io_guest& who_waits) {
  if (std::exchange(who_waits.waiting_, true))
    return;
  auto* before = last_waiting_;
  while (before && before->answer_due() > who_waits.answer_due()) // those few that wait longer than others
    before = before->waits_longer_;
  who_waits.waits_longer_ = before;
  who_waits.waits_shorter_ = before ? before->waits_shorter_ : longest_waiting_;
  (who_waits.waits_shorter_ ? who_waits.waits_shorter_->waits_longer_ : last_waiting_) = &who_waits;
  (before ? before->waits_shorter_ : longest_waiting_) = &who_waits;
}

void io_thread::has_answer(io_guest& who_waited) {
  if (!std::exchange(who_waited.waiting_, false))
    return;
  (who_waited.waits_longer_ ? who_waited.waits_longer_->waits_shorter_ : longest_waiting_) = who_waited.waits_shorter_;
  (who_waited.waits_shorter_ ? who_waited.waits_shorter_->waits_longer_ : last_waiting_) = who_waited.waits_longer_;
}

void io_thread::fail_overdue(steady_time now) {
  while (longest_waiting_ && longest_waiting_->answer_due() <= now) {
    const auto late = longest_waiting_->shared_from_this();
    has_answer(*late);
    late->answer_overdue();
  }
}

void io_thread::fail_waiting() {
  while (longest_waiting_) {
    auto lost = longest_waiting_->shared_from_this();
    has_answer(*lost);
    lost->answer_lost();
  }
}

void io_thread::add(io_guest& fresh) {
  fresh.index_ = guests_.size();
  guests_.push_back(&fresh);
}

void io_thread::remove(io_guest& gone) {
  guests_.back()->index_ = gone.index_;
  guests_[gone.index_] = guests_.back();
  guests_.pop_back();
}

/// Looks at a part of the connections, a slice a tick: thousands at once would hold up those
/// who have work. None goes while it is looked at: its pending operation keeps it.
void io_thread::check_some(steady_time now) {
  if (checked_ >= guests_.size())
    checked_ = 0;
  const auto end = std::min(guests_.size(), checked_ + guests_.size() / slices + 1);
  while (checked_ < std::min(end, guests_.size()))
    guests_[checked_++]->check_deadlines(now);
}

void io_thread::pause(std::shared_ptr<io_guest> refused) {
  paused_.emplace_back(steady_clock::now() + shared.writes.pause(), std::move(refused));
  ops::the_metrics().http.paused.add(1);
}

std::uint32_t io_thread::longer_pause_seconds() const noexcept {
  return static_cast<std::uint32_t>(paused_.size() / (resumed_max * (1s / pause_tick)));
}

/// Only so many come back at once. Under load most of them are refused again, and thousands must
/// not take the time of those let in. When it ends, as many as there is room for: all together
/// would be the next crowd. Each thread takes a quarter of it, for there may be others.
void io_thread::end_pauses(steady_time now) {
  if (paused_.empty())
    return;
  const auto most = std::max(resumed_max, shared.writes.room_for_early(now) / 4);
  for (int resumed = 0; !paused_.empty() && paused_.front().first <= now && resumed < most; ++resumed) {
    const auto rested = std::move(paused_.front().second);
    paused_.pop_front();
    ops::the_metrics().http.paused.add(-1);
    rested->resume();
  }
}

void io_thread::drop_paused() {
  ops::the_metrics().http.paused.add(-static_cast<std::int64_t>(paused_.size()));
  paused_.clear(); // nothing else keeps them
}

void io_thread::tick() {
  timer_.expires_after(paused_.empty() ? answer_tick : pause_tick);
  timer_.async_wait([this](error_code error) {
    if (error)
      return;
    tick(); // first, so that an exception below does not stop the clock
    turns_.fetch_add(1, std::memory_order_relaxed);
    const auto now = steady_clock::now();
    fail_overdue(now);
    end_pauses(now);
    if (now >= checks_at_) {
      checks_at_ = now + answer_tick;
      check_some(now);
      if (operators_)
        operators_->tick(now);
    }
  });
}

std::string_view io_thread::date() {
  const auto now = std::time(nullptr);
  if (now != date_at_) {
    date_at_ = now;
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    char text[64];
    date_.assign(text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts));
  }
  return date_;
}

std::string io_thread::take_buffer() {
  if (spare_.empty())
    return {};
  auto buffer = std::move(spare_.back());
  spare_.pop_back();
  return buffer;
}

void io_thread::give_back(std::string buffer) {
  buffer.clear();
  if (spare_.size() < spare_buffers_max && buffer.capacity() >= buffer_bytes_min
      && buffer.capacity() <= spare_buffer_bytes_max)
    spare_.push_back(std::move(buffer));
}

void io_thread::close_idle() {
  for (auto* each : guests_) // an operation that is cut short ends later
    each->close_when_idle();
  drop_paused();
}

} // namespace credence::http
