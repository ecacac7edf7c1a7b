#pragma once

#include "actors/domain/digest32.hpp"
#include "actors/domain/time.hpp"

#include <functional>
#include <utility>

namespace credence {

/// Travels with a question that its client may repeat under an `Idempotency-Key`, and is
/// written in the transaction of the question's effect. While anybody holds it the
/// question may still have one; the last one to let go says so to `released`.
class write_note {
public:
  write_note(const digest32& id, const digest32& fingerprint, timestamp at, std::function<void()> released = {})
    : id_(id), fingerprint_(fingerprint), at_(at), released_(std::move(released)) {}
  write_note(const write_note&) = delete;
  write_note& operator=(const write_note&) = delete;
  ~write_note() {
    if (released_)
      released_();
  }

  /// Of caller, method, path and key.
  const digest32& id() const noexcept { return id_; }
  /// Of the request's body.
  const digest32& fingerprint() const noexcept { return fingerprint_; }
  /// When the request came.
  timestamp at() const noexcept { return at_; }

private:
  digest32 id_;
  digest32 fingerprint_;
  timestamp at_;
  std::function<void()> released_;
};

} // namespace credence
