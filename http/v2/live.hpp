#pragma once

#include "http/call.hpp"

namespace credence::http::v2 {

/// Runs `go` with the request once profile `who` is known to be live, and refuses it otherwise:
/// "only live profiles `do_this`". What `go` needs lies in `c.kept()`.
void when_live(call& c, profile_id who, const char* do_this, void (*go)(call&));

} // namespace credence::http::v2
