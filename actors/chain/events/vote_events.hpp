#pragma once

#include "actors/chain/event_description.hpp"

/// Events of votes on records.
namespace credence::chain {

namespace vote_events {

/// A profile voted up or down on a record of another contract.
struct voted {
  static constexpr event_name is{contract_kind::vote, "Voted"};
  bool is_upvote = false;
  onchain_profile voter;
  address target_contract;
  onchain_target target;
  onchain_vote vote;
  static constexpr auto inputs() {
    using self = voted;
    return field_list{plain("isUpvote", &self::is_upvote), indexed("voter", &self::voter),
                      indexed("targetContract", &self::target_contract), indexed("targetId", &self::target),
                      plain("voteId", &self::vote)};
  }
  friend bool operator==(const voted&, const voted&) = default;
};

/// A vote was withdrawn, switched, or given again. `is_unvote` is set by direction alone, so it does not tell which.
struct vote_changed {
  static constexpr event_name is{contract_kind::vote, "VoteChanged"};
  bool is_unvote = false;
  bool is_upvote = false;
  onchain_profile voter;
  address target_contract;
  onchain_target target;
  onchain_vote vote;
  static constexpr auto inputs() {
    using self = vote_changed;
    return field_list{plain("isUnvote", &self::is_unvote), plain("isUpvote", &self::is_upvote),
                      indexed("voter", &self::voter),      indexed("targetContract", &self::target_contract),
                      indexed("targetId", &self::target),  plain("voteId", &self::vote)};
  }
  friend bool operator==(const vote_changed&, const vote_changed&) = default;
};

} // namespace vote_events

} // namespace credence::chain
