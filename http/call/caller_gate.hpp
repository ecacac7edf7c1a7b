#pragma once

#include "actors/kernel/asker.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace credence::http {

/// Counts what waits somewhere for long, against a bound of all and one of each caller. For all threads, behind a lock:
/// for what happens seldom.
class caller_gate {
public:
  caller_gate(std::size_t most, std::size_t most_each) : most_(most), most_each_(most_each) {}

  /// True where there was a place; the caller then owes one `leave`.
  bool enter(const asker& whose) {
    const std::lock_guard lock{guard_};
    if (inside_ >= most_)
      return false;
    if (auto& own = inside_of_[whose]; own >= most_each_)
      return false;
    else
      ++own;
    ++inside_;
    return true;
  }
  void leave(const asker& whose) noexcept {
    const std::lock_guard lock{guard_};
    --inside_;
    if (const auto own = inside_of_.find(whose); own != inside_of_.end() && --own->second == 0)
      inside_of_.erase(own);
  }

private:
  const std::size_t most_;
  const std::size_t most_each_;
  std::mutex guard_;
  std::size_t inside_ = 0;
  std::map<asker, std::size_t> inside_of_;
};

/// One place behind such a gate; given back when this object goes.
class caller_place {
public:
  caller_place() = default;
  /// Takes a place, or comes out empty where there is none for the caller.
  caller_place(const std::shared_ptr<caller_gate>& at, const asker& whose) : whose_(whose) {
    if (at && at->enter(whose))
      gate_ = at;
  }
  caller_place(caller_place&& other) noexcept = default;
  caller_place& operator=(caller_place&& other) noexcept {
    if (this != &other) {
      give_back();
      gate_ = std::move(other.gate_);
      whose_ = other.whose_;
    }
    return *this;
  }
  ~caller_place() { give_back(); }
  explicit operator bool() const noexcept { return gate_ != nullptr; }
  void give_back() noexcept {
    if (const auto at = std::move(gate_))
      at->leave(whose_);
  }

private:
  std::shared_ptr<caller_gate> gate_;
  asker whose_;
};

} // namespace credence::http
