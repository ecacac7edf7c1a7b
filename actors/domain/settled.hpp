#pragma once

#include "actors/domain/outcome.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// Rights rest on settled blocks of a chain alone: those up to the authority block (ops/decisions/0046).
namespace credence {

/// The block since which a row is as it is, where that block is not settled. None: rights may rest on the row.
using unsettled_block = std::optional<std::int64_t>;

/// The refusal of what would rest on `what`, such as "profile 12", whose block is not settled.
inline refusal not_yet_settled(const std::string& what, unsettled_block since) {
  return {refusal_code::not_yet_settled, what + " rests on " + (since ? "block " + std::to_string(*since) : "a block")
                                           + " of the chain, which is not settled yet; wait until the"
                                             " authority block that GET /api/v2/chain/status shows has reached it"};
}

/// Which of the rows in memory wait for their block to be settled. As many as have come in such blocks.
template <class Id>
class unsettled_rows {
public:
  /// Takes over what is stored of a row.
  void note(Id which, unsettled_block since) {
    if (since)
      since_[which] = *since;
    else
      since_.erase(which);
  }
  unsettled_block of(Id which) const {
    const auto found = since_.find(which);
    return found == since_.end() ? std::nullopt : std::optional{found->second};
  }
  /// Adds those that wait for no later block than that one. They are kept until they are noted again.
  void add_those_up_to(std::int64_t block, std::vector<Id>& to) const {
    for (const auto& [which, since] : since_)
      if (since <= block)
        to.push_back(which);
  }

private:
  std::map<Id, std::int64_t> since_;
};

} // namespace credence
