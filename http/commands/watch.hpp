#pragma once

#include "actors/kernel/heartbeat_actor.hpp"
#include "actors/kernel/writes.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace credence::commands {

/// Tells the service manager, such as `READY=1`, what systemd wants to hear of a service with Type=notify
/// (sd_notify(3)), without its library; nothing where there is none. From any thread.
void tell_service_manager(std::string_view text) noexcept;

/// Looks whether everything that has to go on does: each thread of the front, each thread that
/// actors share, the writer. It asks nobody and waits for nobody, on a thread of its own. The
/// service manager hears from it while all is well, so that it restarts what stands still.
class watch {
public:
  static constexpr std::chrono::milliseconds round{250};
  /// A part that has shown nothing for so long stands still. Counted in rounds, so that time in
  /// which the whole process was stopped does not count.
  static constexpr std::chrono::seconds timeout{8};

  struct part {
    std::string name;
    std::function<std::uint64_t()> beats; // grows while it goes on
    std::chrono::milliseconds timeout = watch::timeout;
  };

  watch(caf::actor_system& sys, std::size_t actor_threads, std::vector<part> parts, const store_status& storage);
  watch(const watch&) = delete;
  watch& operator=(const watch&) = delete;
  ~watch();

  /// Looks no more; from then on nothing stands still. Once.
  void stop();
  /// What stands still, by name and with commas between; empty while all goes on. From any thread.
  std::string standing_still() const;

private:
  struct watched {
    part watching;
    std::uint64_t last = 0;
    std::int64_t silent = 0; // rounds
    bool still = false;
  };

  void run();
  void look();
  void look_at(watched& one, bool& all_well);
  void tell_lease();

  heartbeat_probes canaries_;
  const store_status& storage_;
  std::vector<watched> parts_; // threads of actors last
  std::size_t first_actor_thread_;
  std::uint64_t rounds_ = 0;
  bool lease_held_ = true;
  std::atomic<std::int64_t> looked_at_ns_;
  mutable std::mutex guard_;
  std::condition_variable wake_;
  std::string still_;
  bool ended_ = false;
  std::thread thread_; // last: it uses all of the above
};

} // namespace credence::commands
