#pragma once

#include "actors/chain/record_kinds.hpp"
#include "actors/reputation/reply_types.hpp"
#include "actors/reputation/review_types.hpp"
#include "actors/wallets/action_calls.hpp"

#include <cstdint>
#include <map>
#include <optional>

namespace credence::wallets {

/// The rules by which commands about records become transactions of managed wallets, where such records are made of a
/// chain's events: they refuse what the contract cannot know or would misunderstand; the contract decides the rest. One
/// for all threads, constant.
struct action_rules {
  chain::record_kinds kinds; // of records that are made of events: those of other kinds are written over the API
  action_calls calls;
  std::map<chain::contract_kind, address> contracts;
  std::int32_t id_offset = 0; // added to the ids that contracts give

  /// The id here of what a contract has made.
  template <class Tag>
  id<Tag> ours(chain::onchain_id<Tag> made) const {
    return id<Tag>{made.value + id_offset};
  }

  /// `whose`: the profile that the subject belongs to. Refused with `cannot_review_self`: the contract knows the wallet
  /// that signs, and none of its profile's other addresses and accounts.
  outcome<contract_action> decide(const reputation::create_review& command, std::optional<profile_id> whose) const;
  /// The contract takes both texts: what is not given stays as it is `now`. Refused with `not_found` where the review
  /// is in no contract.
  outcome<contract_action> decide(const reputation::edit_review& command, const reputation::review_record& now) const;
  /// Refused with `not_found` where the review is in no contract.
  outcome<contract_action> decide(const reputation::archive_review& command) const;
  /// `now`: the vote as it is, which is not as it is to be, as the contract withdraws one that is cast in the same
  /// direction again; null: there is none. Refused with `not_found` where there is none to withdraw, or the activity is
  /// in no contract.
  outcome<contract_action> decide(const reputation::put_vote& command, const reputation::activity_vote* now) const;
  /// Refused with `not_found` where the activity is in no contract.
  outcome<contract_action> decide(const reputation::create_reply& command) const;
  /// The subject is a profile by its id here. Refused with `not_found` where it is in no contract, and with
  /// `endpoint_disabled` where the settings declare no such function.
  outcome<contract_action> decide(const bond_call& command) const;
  /// The same of the bond.
  outcome<contract_action> decide(const bond_end_call& command) const;

  /// Votes in that direction. What the contract does with a second vote on the same hangs on what becomes of the first,
  /// so they exclude each other. Refused with `not_found` where the activity is in no contract.
  outcome<contract_action> vote(const reputation::activity& on, bool upvote) const;
};

} // namespace credence::wallets
