#pragma once

#include "actors/domain/wei.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace credence::funds {

/// Money of one profile, set aside for a change that another actor decides on. It travels
/// with the question and with its change; the last one to let go tells the funds actor what
/// became of it, however those on the way ended. Safe from any thread.
class hold {
public:
  enum class fate : std::uint8_t {
    unused,  // nothing was taken
    unknown, // a change was sent to the database, and nobody has heard of its outcome
    settled, // the funds actor has been told by message
    revoked, // whoever set it aside is gone: nothing may be taken of it
  };
  using ender = std::function<void(const hold&)>;

  hold(wei amount, std::uint64_t of, ender over) : amount_(std::move(amount)), of_(of), over_(std::move(over)) {}
  hold(const hold&) = delete;
  hold& operator=(const hold&) = delete;
  ~hold() {
    if (now() != fate::settled)
      over_(*this);
  }

  const wei& amount() const noexcept { return amount_; }
  /// The incarnation of the funds actor that set it aside.
  std::uint64_t of() const noexcept { return of_; }
  fate now() const noexcept { return fate_.load(std::memory_order_acquire); }
  void become(fate now) noexcept { fate_.store(now, std::memory_order_release); }
  /// Before a change is sent that spends it: `unknown` from then on. False when it was revoked.
  bool take() noexcept { return from_unused_to(fate::unknown); }
  void revoke() noexcept { from_unused_to(fate::revoked); }

private:
  bool from_unused_to(fate to) noexcept {
    auto expected = fate::unused;
    return fate_.compare_exchange_strong(expected, to, std::memory_order_acq_rel);
  }

  wei amount_;
  std::uint64_t of_;
  std::atomic<fate> fate_{fate::unused};
  ender over_;
};

using hold_ptr = std::shared_ptr<hold>;

} // namespace credence::funds
