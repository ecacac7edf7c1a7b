#pragma once

#include "actors/chain/chain_state.hpp"

#include <set>

/// Which rows the fold looks at: so that a chunk of events is folded over these alone, however many there are.
namespace credence::chain {

/// Keys of rows to be read. Parameters and the last ids that were given out are few and always read, all of them.
struct row_keys {
  std::set<user_id> users;
  std::set<user_id> holders; // all addresses of these users
  std::set<profile_id> profiles;
  std::set<profile_id> placeholders;
  std::set<address> addresses;
  std::set<address> recipients; // all invitations of these addresses
  std::set<attestation_id> attestations;
  std::set<subject_key> subjects; // the newest generation of each
  std::set<subject_place> places; // just these generations
  std::set<review_id> reviews;
  std::set<activity_vote_key> votes;
  std::set<reply_id> replies;
  std::set<vouch_key> vouches;
  std::set<profile_id> vouchers; // their active vouches in ether
  std::set<address> wallets;     // active vouches in WHUF by these
  std::set<profile_id> pools;    // active vouches in ether whose fees these profiles share
  std::set<subject_key> vouched; // active vouches in ether for these
  std::set<profile_id> rewarded;
  std::set<bond_id> bonds;
  std::set<broker_post_id> posts; // with what was paid for them
  std::set<credit_key> credits;
  std::set<project_id> projects;
  std::set<user_id> owners; // the project of each of these users
  std::set<token_key> balances;
  std::set<reward_key> rewards;
  std::set<slash_id> slashes;
  std::set<market_key> markets;
  std::set<std::int64_t> market_trades; // by the ids of their events, as prices; the fold looks at none
  std::set<std::int64_t> market_prices;
  std::set<market_position_key> market_positions;
  std::set<market_account_key> market_accounts;

  bool empty() const;
  friend bool operator==(const row_keys&, const row_keys&) = default;
};

/// The rows that a chunk of events needs. What is found for some keys leads to others, so keys are told in rounds: read
/// the rows of `next`, put them to those read so far, and ask again until there are none; five rounds at most.
class row_needs {
public:
  explicit row_needs(const fold_settings& how);
  /// An event of a contract that `is_folded`.
  void add(const event& entry);
  /// Keys that were not told yet. `rows`: what was read for those told before.
  row_keys next(const chain_rows& rows);

private:
  void follow(const chain_rows& rows);

  const fold_settings& how_;
  bool has_projects_; // whoever takes an account may take its project
  row_keys wanted_;
  row_keys told_;
  std::set<address> moving_;      // addresses that may change their user
  std::set<profile_id> choosing_; // profiles whose primary address may change
};

} // namespace credence::chain
