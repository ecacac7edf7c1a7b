#pragma once

#include "http/call/target.hpp"

#include <cstdint>
#include <string_view>

namespace credence::http {

/// Rows of a page, and keys of a look-up, that cost its caller as much as one request.
inline constexpr std::int64_t rows_per_request = 50;
inline constexpr std::int64_t keys_per_request = 10;

/// How many requests a read counts for: by the `limit` of its page, in the query or the body, by the ids
/// in its query, and by the items in its body. 1 at least, and for what is malformed, which is refused anyway.
std::int64_t weight_of(const query_map& query, std::string_view body);

} // namespace credence::http
