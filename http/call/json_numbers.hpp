#pragma once

#include "http/call/json_body.hpp"

namespace credence::http {

/// A member of a body that is a number with or without a fraction, in billionths: the nearest whole number of them.
/// Nothing when it is absent or null. Another type, or a number beyond ± 10^9, adds an issue.
std::optional<std::int64_t> read_billionths(json_body& body, std::string_view name);

} // namespace credence::http
