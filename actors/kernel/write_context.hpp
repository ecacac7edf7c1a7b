#pragma once

#include "actors/domain/hash.hpp"
#include "actors/domain/ids.hpp"
#include "actors/domain/time.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace credence {

/// Where a change comes from; goes into its row of the audit.
struct request_origin {
  std::optional<profile_id> caller; // absent where a signed message in the request says who it is
  std::string credential;           // the kind and id of the credential, such as `API key <id>`; never a secret
  std::string request_id;
  std::string address; // of the client
};

/// Travels with a question, and is written in the transaction of the question's effect: that its client may
/// repeat it under an `Idempotency-Key`, where it comes from, or both. While anybody holds it the
/// question may still have an effect; the last one to let go says so to `released`.
class write_context {
public:
  write_context(const digest32& id, const digest32& fingerprint, timestamp at, std::function<void()> released = {},
                std::shared_ptr<const request_origin> from = {})
    : idempotent_(true), id_(id), fingerprint_(fingerprint), at_(at), released_(std::move(released)),
      from_(std::move(from)) {}
  /// Of a request without an `Idempotency-Key`.
  explicit write_context(std::shared_ptr<const request_origin> from) : from_(std::move(from)) {}
  write_context(const write_context&) = delete;
  write_context& operator=(const write_context&) = delete;
  ~write_context() {
    if (released_)
      released_();
  }

  /// Where it comes from; null when that is not to be written.
  const std::shared_ptr<const request_origin>& from() const noexcept { return from_; }
  /// Whether its client may repeat it. The members below are set only then.
  bool idempotent() const noexcept { return idempotent_; }
  /// Of caller, method, path and key.
  const digest32& id() const noexcept { return id_; }
  /// Of the request's body.
  const digest32& fingerprint() const noexcept { return fingerprint_; }
  /// When the request came.
  timestamp at() const noexcept { return at_; }

private:
  bool idempotent_ = false;
  digest32 id_{};
  digest32 fingerprint_{};
  timestamp at_{};
  std::function<void()> released_;
  std::shared_ptr<const request_origin> from_;
};

} // namespace credence
