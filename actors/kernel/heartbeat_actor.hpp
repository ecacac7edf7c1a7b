#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace caf {
class actor_system;
}

namespace credence {

/// Tells whether each of the threads that actors share goes on. There are as many heartbeat_probes as
/// threads, and a thread on which one of them is heard is alive.
class heartbeat_probes {
public:
  static constexpr std::size_t threads_max = 64; // those beyond are not told apart

  heartbeat_probes(caf::actor_system& sys, std::size_t threads);
  heartbeat_probes(const heartbeat_probes&) = delete;
  heartbeat_probes& operator=(const heartbeat_probes&) = delete;
  /// Ends them; none is heard afterwards.
  ~heartbeat_probes();

  std::size_t threads() const noexcept;
  /// How often one was heard on the thread that was heard n-th for the first time.
  std::uint64_t heard(std::size_t n) const noexcept;

  /// Asks each for a sign, unless it still owes one.
  void call();
  /// The same, but each probe holds its thread until the others arrive, `timeout` at most, so that every thread runs
  /// one. This costs their time: only for when `call` has not heard of all.
  void probe_all(std::chrono::milliseconds timeout);

private:
  class probe_set;
  std::shared_ptr<probe_set> probes_;
};

} // namespace credence
