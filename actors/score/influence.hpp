#pragma once

#include "actors/score/score_facts.hpp"

#include <cstdint>
#include <map>

/// Influence: how far the people reach who stand behind a user, apart from the score. It is worked out at the epoch by
/// the database (migration influence); these are the same rules over records, to hold it to.
namespace credence::score {

/// The reach of everybody in `facts`: the sum of what the epoch scores of followers exceed 1200 by. Followers of a user
/// vouch for the user or praise the user in a review that counts as positive; each counts once, and only with a live
/// profile.
std::map<user_id, std::int64_t> reaches_from(const facts& all);

/// What users show of a reach: ln(1 + reach / 400), to three digits.
double influence_factor_of(std::int64_t reach);

} // namespace credence::score
