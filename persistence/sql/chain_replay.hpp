#pragma once

#include "actors/chain/chain_actor.hpp"
#include "ops/progress.hpp"
#include "persistence/postgres/connection.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace credence::persistence {

/// What records would be if all stored events were folded anew, beside what they are.
struct replayed {
  std::int64_t events = 0; // that were folded
  std::int64_t differences = 0;
  std::vector<std::string> examples; // some of them, in words
};

/// Folds every stored event of the kinds that are followed, in order, and compares the rows that come of it, and what
/// became of each event, with what is stored. Ids of users are ours, so two are the same where all that names them is.
/// Writes nothing; `told` hears how far it is.
replayed replay_chain(connection& on, const chain::follow_settings& how, steady_time deadline,
                      ops::progress& told = ops::untold());

} // namespace credence::persistence
