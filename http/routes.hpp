#pragma once

#include "http/call.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace credence::http {

enum class method : std::uint8_t { get, post, put, patch, del };

/// Who may call a route.
enum class access : std::uint8_t {
  open,   // anyone; a credential that comes along is verified and used
  bearer, // a verified access token
  admin,  // a verified access token of an admin
};

using handler = void (*)(call&);

/// What has to be there before a handler runs; 503 at once otherwise.
enum class needs : std::uint8_t {
  data,    // calendar, people and listings have been read since the start
  writing, // also, the store can write right now
  nothing,
};

/// Which of a caller's buckets a request is taken from (http/rate_limiter.hpp).
enum class quota_class : std::uint8_t {
  derived, // admin when only admins may call, else read for GET and write for the others
  read,
  write,
  wallet, // signing in, making keys, moving money
  admin,
};

/// One endpoint. `{name}` in the path matches one segment; literal segments win.
struct route {
  method verb;
  std::string_view path;
  access who;
  handler run;
  needs first = needs::data;
  quota_class quota = quota_class::derived;
  /// `since [sunset] [link]`, days as YYYY-MM-DD, for one that goes away; empty for others.
  std::string_view deprecated = {};
};

/// THE table of the public listener, grouped as in the spec.
std::span<const route> routes();

} // namespace credence::http
