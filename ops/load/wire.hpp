#pragma once

#include "ops/load/options.hpp"

#include <netinet/in.h>

#include <cstdint>

namespace credence::load {

/// Where `--host` and `--port` point; ends the program when that is no IPv4 address.
sockaddr_in address_of(const options& with);

/// A connected socket, or -1. `flags` may hold SOCK_NONBLOCK, which holds from then on:
/// the connecting itself waits.
int connect_to(const sockaddr_in& where, int flags);

/// What a header says that matters here.
struct answer_head {
  unsigned status = 0;
  std::int64_t length = -1;
  bool close = false;
};

/// Reads the lines from a status line up to `end`; status 0 when they are not HTTP.
answer_head parse_head(const char* from, const char* end);

} // namespace credence::load
