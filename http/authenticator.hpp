#pragma once

#include "actors/domain/outcome.hpp"
#include "http/principal.hpp"

#include <string_view>

namespace credence::http {

/// Turns a credential into a caller. One instance per I/O thread, so that it may
/// keep a cache without a lock.
class authenticator {
public:
  virtual ~authenticator() = default;

  /// The caller behind a bearer token, or a refusal (`unauthenticated`) that does
  /// not say what was wrong with it.
  virtual outcome<principal> verify(std::string_view bearer) = 0;

  /// Whether it was found good before and is in memory. Where many were refused lately,
  /// only such ones are looked at.
  virtual bool knows(std::string_view) const { return false; }
};

} // namespace credence::http
