#pragma once

#include "actors/chain/record_kinds.hpp"
#include "actors/domain/outcome.hpp"

#include <string>

namespace credence::chain {

/// Why nobody writes records of that kind over the API.
inline refusal made_of_events(record_kind kind) {
  return {refusal_code::followed_from_chain,
          "records of the kind " + std::string{name_of(kind)}
            + " are made of a chain's events here: send a transaction to its contract"};
}

} // namespace credence::chain
