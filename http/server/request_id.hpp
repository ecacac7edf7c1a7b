#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace credence::http {

/// True for an id that a client may choose: 1 to 128 characters of `[A-Za-z0-9._-]`,
/// so that it is safe in a header and in a log line.
bool good_request_id(std::string_view id) noexcept;

/// Makes ids that nobody else has: a random beginning and a count. One instance per
/// thread; cheap enough for every request.
class request_ids {
public:
  request_ids();
  void append(std::string& out);

private:
  std::string beginning_;
  std::uint64_t count_ = 0;
};

} // namespace credence::http
