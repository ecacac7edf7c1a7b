#pragma once

#include "actors/chain/record_kinds.hpp"
#include "actors/domain/outcome.hpp"
#include "actors/reputation/reply_types.hpp"

#include <string_view>

namespace credence::http {

/// What a client calls an activity by, and what there is behind that name.
struct activity_target {
  reputation::activity on;
  chain::contract_kind contract{}; // that holds it
};

/// An activity as paths of wallets name it: `review`, `open-slash`, `reputation-market` and so on. Refused with
/// `invalid_input` for a name that nobody knows, and for activities that take neither votes nor replies.
outcome<activity_target> activity_named(std::string_view type, std::int32_t id);

} // namespace credence::http
