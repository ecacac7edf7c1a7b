#pragma once

#include "actors/integrity/integrity_types.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

/// Who votes alike at the same time, more often than chance would have it.
namespace credence::integrity {

/// Two profiles and how unlikely it is that chance made them act alike, in decades.
struct pair_found {
  std::uint64_t pair = 0;
  double decades = 0;
};

/// When two votes for one cause are an encounter of their voters, and how likely one is by chance.
struct nearness {
  std::uint32_t window_s = 10;   // so close at most
  std::uint32_t around_s = 60;   // how many votes are usual is looked up in so long before and after
  std::uint32_t neighbours = 32; // of each vote, at most
  /// Narrower encounters say more where votes come evenly within `around_s`.
  bool narrow_says_more = true;
  /// How many profiles might have voted around that second. If empty: everybody who ever voted for the cause.
  std::function<double(std::uint32_t)> out_of = {};
  /// True: the evidence is judged against all votes of the busier profile; false: against the causes that both voted
  /// for.
  bool against_all_they_did = false;
};

/// Finds the pairs whose encounters say at least `decades_min`, over three different projects or more.
///
/// An encounter counts for what its chance is: that a vote of the other one, cast some time, falls so near. In a crowd
/// that comes with the news that is no wonder, and counts for little. Of encounters on one project the first one
/// counts, and what two do in one sitting after they met hardly counts any more: whoever goes down a list at the same
/// time as somebody else meets him again. What remains is held against how many causes there were to meet on.
///
/// Sorts `votes` by cause and time. Pairs are counted in a fixed number of cells first, and only those are kept that
/// may have met three times, so memory is bounded however many pairs there are. Empty when `told` said to stop.
std::optional<std::vector<pair_found>> pairs_that_vote_alike(std::vector<vote_seen>& votes, const nearness& how,
                                                             double decades_min, const bounds& within,
                                                             const watch& told);

/// Groups in which most know most.

/// Profiles, in order of their ids.
using members = std::vector<std::int32_t>;

/// The parts of a graph that have at least `size_min` members, of whose pairs at least half are joined. Pairs that
/// chance joins make trees and chains; these fall apart when whoever is joined to one other only is taken away, then
/// who is joined to two, and so on until what is left is dense.
std::vector<members> dense_groups(const std::vector<pair_found>& edges, std::size_t size_min);

/// The decades of the strongest edges that hold the members together, one for each member but the first: further edges
/// follow from these, so they say nothing new.
double decades_holding(const members& group, const std::vector<pair_found>& edges_by_pair);

} // namespace credence::integrity
