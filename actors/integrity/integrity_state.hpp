#pragma once

#include "actors/integrity/integrity_types.hpp"

#include <optional>

/// Finds profiles that act as if one hand led them. Nothing is decided on the strength of it: an operator looks at the
/// evidence.
namespace credence::integrity {

/// Looks for groups in what was done. Sorts `what.votes`. Empty when `told` said to stop.
///
/// Two profiles belong together where chance would bring about what they share less than once in ten among all pairs
/// there are: votes for the same causes within the same seconds (groups.hpp), for newcomers within the same hours.
/// That they also speak well of each other adds to it. A group is what such pairs hold together densely
/// (groups.hpp), four profiles at least. Five or more that speak well of each other in two ways each, and
/// newcomers who come at once to one cause, are told as well.
std::optional<findings> analyse(acts& what, const bounds& within, const watch& told);

/// What a pair's evidence must come to among so many people.
double decades_needed_among(std::size_t people);

} // namespace credence::integrity
