#pragma once

#include "actors/chain/contract_kind.hpp"
#include "actors/domain/address.hpp"
#include "actors/domain/hash.hpp"
#include "actors/domain/ids.hpp"
#include "actors/domain/time.hpp"
#include "actors/domain/wei.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Managed wallets: accounts of a chain whose keys the server holds, sealed, to sign for the profile that owns them.
namespace credence::wallets {

/// Where a transaction is. `replaced`: another one took its nonce, with a higher fee.
enum class transaction_state : std::uint8_t { stored, sent, mined, settled, replaced, failed };

/// What a managed wallet is asked to run: one function of a contract that the chain's configuration names.
struct contract_action {
  chain::contract_kind contract{};
  std::string data; // selector and arguments, such as those of `chain::call_data`
  wei value;        // that goes along
  std::string kind; // what it is, for lists and the audit, such as `review` or `vote`
  /// Such data must not be on its way to the contract already: refused with `nonce_conflict` until it is in a block.
  std::vector<std::string> not_beside = {};
};

/// A transaction of a managed wallet as its owner sees it.
struct wallet_transaction {
  std::int64_t id = 0;
  digest32 hash{}; // of the one sent last
  std::uint64_t nonce = 0;
  transaction_state state{};
  std::string kind;
  std::string origin; // the partner's, such as `https://partner.example`
  std::string reason; // why it failed; else empty
  timestamp created_at{}, changed_at{};
  std::optional<std::int64_t> block; // that it is in
};

// -- questions ----------------------------------------------------------------

/// The transaction that was stored, then given to a node; or, for a dry run, what it would cost.
struct transaction_receipt {
  std::int64_t id = 0; // 0: dry run
  digest32 hash{};
  wei cost_most; // gas limit times the highest fee, plus the value
};

/// Signs and sends. Refused with: `wallet_not_found`, `insufficient_funds` (the amount that is missing is told),
/// `nonce_conflict`, `contract_revert` (the reason is told), `rate_limited`, `blockchain_unavailable`.
struct send_transaction {
  using answer_type = transaction_receipt;
  profile_id profile;
  contract_action action;
  std::string origin;
  bool dry_run = false;
  profile_id addressed_to() const noexcept { return profile; }
};

/// The wallet of a profile, which is made when it is first asked for with `make`. Else refused with `wallet_not_found`.
struct wallet_view {
  address at;
  wei balance; // as the node last said; 0 without a chain
  bool sponsorship_eligible = false;
};
struct get_wallet {
  using answer_type = wallet_view;
  profile_id profile;
  bool make = false;
  profile_id addressed_to() const noexcept { return profile; }
};

/// Newest first.
struct list_transactions {
  using answer_type = std::vector<wallet_transaction>;
  profile_id profile;
  std::size_t limit = 50, offset = 0;
  profile_id addressed_to() const noexcept { return profile; }
};

/// A transaction that was stored before, for a request that comes again: its hash is that of the one that counts, where
/// others of its nonce replaced it. Refused with `not_found`, or as the one that counts failed.
struct get_transaction {
  using answer_type = transaction_receipt;
  profile_id profile;
  std::int64_t transaction = 0;
  profile_id addressed_to() const noexcept { return profile; }
};

/// The newest transaction in a block by which the wallet ran this action or one that excludes it, as an upvote excludes
/// a downvote. Refused with `not_found`.
struct find_action {
  using answer_type = transaction_receipt;
  profile_id profile;
  contract_action action;
  profile_id addressed_to() const noexcept { return profile; }
};

/// The private key of the owner's wallet, as a Web3 keystore (version 3) under `passphrase`; the audit tells of it.
/// Refused with `wallet_not_found`, or `invalid_input` for a passphrase that is too short or too long.
struct export_wallet {
  using answer_type = std::string;
  profile_id profile;
  std::string passphrase;
  profile_id addressed_to() const noexcept { return profile; }
};

} // namespace credence::wallets
