#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/time.hpp"

#include <cstdint>

/// What projects and profiles tell each other of votes.
namespace credence::profile {

enum class sentiment : std::uint8_t { bullish, bearish };

/// What a profile has cast in one period (spec: Vote balance).
struct vote_balance {
  std::int64_t bullish_cast = 0;
  std::int64_t bearish_cast = 0;
  timestamp reset_at{}; // when that period ended, or is planned to
  bool can_vote = false;
};

/// What the caller has cast in a period, per project (a listing's `currentUserVoteHistory`).
struct own_vote {
  project_id project;
  period_id in;
  sentiment side{};
};

} // namespace credence::profile
