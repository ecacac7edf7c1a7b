#pragma once

#include "actors/integrity/co_votes.hpp"

#include <cstdint>
#include <vector>

/// Groups in which most know most.
namespace credence::integrity {

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
