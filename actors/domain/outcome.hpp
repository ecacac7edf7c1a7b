#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace credence {

/// Why the domain says no.
enum class refusal_code : std::uint8_t {
#define CREDENCE_REFUSAL(name, status, code) name,
#include "actors/domain/refusals.inc"
#undef CREDENCE_REFUSAL
};

/// A "no" that the client may read: says what was wrong, with which value, and
/// what would be right.
struct refusal {
  refusal_code code = refusal_code::invalid_input;
  std::string detail;
  /// One entry a mistake; becomes `issues` of the v2 error object.
  std::vector<std::string> issues = {};
  /// How long until the same may be tried again; becomes `Retry-After`. 0: this refusal does not say.
  std::chrono::seconds retry_after{0};
};

/// The answer of a domain rule: a value, or a refusal the client may read (of a type of
/// its own where the caller tells refusals apart).
/// Failures of the machinery (timeouts, lost database) are not outcomes; they
/// travel as `failure` (actors/kernel/ask.hpp).
template <class T, class Refusal = refusal>
class outcome {
public:
  outcome(T value) : value_(std::move(value)) {}
  outcome(Refusal why) : why_(std::move(why)) {}

  explicit operator bool() const noexcept { return value_.has_value(); }
  const T& operator*() const& { return value_.value(); }
  T& operator*() & { return value_.value(); }
  T&& operator*() && { return std::move(value_).value(); }
  const T* operator->() const { return &value_.value(); }
  T* operator->() { return &value_.value(); }
  const Refusal& why() const { return why_.value(); }

private:
  std::optional<T> value_; // one of the two; a variant of them costs the compiler several times as much
  std::optional<Refusal> why_;
};

} // namespace credence
