#pragma once

#include <atomic>

namespace credence::wallets {

/// Whether managed wallets sign anything. The settings say how it stands at the start; operators turn it while the
/// server runs. What was signed before is still sent.
class signing_switch {
public:
  explicit signing_switch(bool is_on) : on_(is_on) {}
  bool on() const noexcept { return on_.load(std::memory_order_acquire); }
  void turn(bool to) noexcept { on_.store(to, std::memory_order_release); }

private:
  std::atomic<bool> on_;
};

} // namespace credence::wallets
