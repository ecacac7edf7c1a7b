#include "http/commands/watch.hpp"

#include "ops/log.hpp"
#include "ops/metrics.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace credence::commands {

namespace {

using namespace std::chrono_literals;

constexpr std::int64_t probe_after = 2s / watch::round; // a thread of actors was not heard for so many rounds
constexpr std::uint64_t probe_every = 1s / watch::round;
constexpr auto probe_timeout = 100ms;
constexpr std::uint64_t feed_every = 1s / watch::round;
constexpr std::uint64_t peaks_every = ops::metrics::peak_window / watch::round;

std::int64_t now_ns() { return std::chrono::nanoseconds{steady_clock::now().time_since_epoch()}.count(); }

} // namespace

void tell_service_manager(std::string_view text) noexcept {
  const auto* where = std::getenv("NOTIFY_SOCKET");
  sockaddr_un to{};
  if (!where || (where[0] != '/' && where[0] != '@') || std::strlen(where) >= sizeof to.sun_path)
    return;
  to.sun_family = AF_UNIX;
  const auto length = std::strlen(where);
  std::memcpy(to.sun_path, where, length);
  if (where[0] == '@') // in the abstract namespace
    to.sun_path[0] = '\0';
  const int on = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (on < 0)
    return;
  ::sendto(on, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT, reinterpret_cast<const sockaddr*>(&to),
           static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length));
  ::close(on);
}

watch::watch(caf::actor_system& sys, std::size_t actor_threads, std::vector<part> parts, const store_status& storage)
  : canaries_(sys, actor_threads), storage_(storage), first_actor_thread_(parts.size()), looked_at_ns_(now_ns()) {
  for (auto& each : parts)
    parts_.push_back({std::move(each)});
  for (std::size_t i = 0; i < canaries_.threads(); ++i)
    parts_.push_back({{"actor_thread_" + std::to_string(i), [this, i] { return canaries_.heard(i); }}});
  thread_ = std::thread{[this] { run(); }};
}

watch::~watch() { stop(); }

void watch::stop() {
  if (!thread_.joinable())
    return;
  {
    const std::lock_guard lock{guard_};
    ended_ = true;
    still_.clear();
  }
  wake_.notify_all();
  thread_.join();
}

std::string watch::standing_still() const {
  const std::lock_guard lock{guard_};
  if (!ended_ && now_ns() - looked_at_ns_.load(std::memory_order_relaxed) > std::chrono::nanoseconds{timeout}.count())
    return "watch";
  return still_;
}

void watch::run() {
  std::unique_lock lock{guard_};
  while (!wake_.wait_for(lock, round, [this] { return ended_; })) {
    lock.unlock();
    look();
    lock.lock();
  }
}

void watch::look() {
  ++rounds_;
  looked_at_ns_.store(now_ns(), std::memory_order_relaxed);
  bool all_well = true;
  std::int64_t longest = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    look_at(parts_[i], all_well);
    if (i >= first_actor_thread_)
      longest = std::max(longest, parts_[i].silent);
  }
  if (longest >= probe_after && rounds_ % probe_every == 0)
    canaries_.probe_all(probe_timeout);
  else
    canaries_.call();
  tell_lease();
  if (all_well && rounds_ % feed_every == 0)
    tell_service_manager("WATCHDOG=1");
  if (rounds_ % feed_every == 0)
    ops::log_repeats();
  if (rounds_ % peaks_every == 0)
    ops::the_metrics().turn_peaks();
}

void watch::look_at(watched& one, bool& all_well) {
  const auto beats = one.watching.beats();
  one.silent = std::exchange(one.last, beats) == beats ? one.silent + 1 : 0;
  const bool still = one.silent * round >= one.watching.timeout;
  all_well = all_well && !still;
  if (still == std::exchange(one.still, still))
    return;
  if (still)
    ops::log(ops::level::error, "standing_still", {{"part", one.watching.name}});
  else
    ops::log(ops::level::warn, "progress_resumed", {{"part", one.watching.name}});
  std::string names;
  std::int64_t count = 0;
  for (const auto& each : parts_)
    if (each.still) {
      names.append(names.empty() ? "" : ",").append(each.watching.name);
      ++count;
    }
  ops::the_metrics().standing_still.set(count);
  const std::lock_guard lock{guard_};
  if (!ended_)
    still_ = std::move(names);
}

void watch::tell_lease() {
  if (!storage_.owned.load(std::memory_order_relaxed) || storage_.superseded.load(std::memory_order_relaxed))
    return;
  const bool held = storage_.may_read();
  if (held == std::exchange(lease_held_, held))
    return;
  const auto age = std::chrono::duration<double>{storage_.lease_age()}.count();
  if (held)
    ops::log(ops::level::info, "lease_back");
  else
    ops::log(ops::level::error, "lease_lost", {{"age_s", age}});
}

} // namespace credence::commands
