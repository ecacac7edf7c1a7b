#pragma once

#include "actors/idempotency/idempotency_types.hpp"
#include "http/call/call.hpp"

#include <string_view>

namespace credence::http {

/// Goes on with `run`, under the request's `Idempotency-Key` if it has one: a request that
/// came with it before, from the same caller (`whose`), to the same path, is answered as it
/// was then, or by `again` when what it did was never answered. The front does this for
/// every route whose caller a credential tells; a handler for the others.
void claim_repeatable(call& c, std::string_view whose, void (*run)(call&),
                      void (*again)(call&, const idempotency::found_record&));

} // namespace credence::http
