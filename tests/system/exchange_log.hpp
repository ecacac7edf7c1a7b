#pragma once

#include <cstdint>
#include <string_view>

namespace credence::test {

struct http_response;

/// What tests send to the API's listener of the real executable, and what it answers, for tests/reference/exchanges.mjs
/// to compare with the OpenAPI document. Off unless TEST_EXCHANGES names a directory; each process writes a file of
/// lines of JSON there, without credentials, and no more than some of each path and status.
namespace exchange_log {

/// From now on what goes to this port is written.
void watch(std::uint16_t port);
/// No more; another server may get the port.
void forget(std::uint16_t port);
/// A request as it was sent, and its answer.
void note(std::uint16_t port, std::string_view request, const http_response& answer);

} // namespace exchange_log

} // namespace credence::test
