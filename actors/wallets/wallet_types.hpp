#pragma once

#include "actors/chain/record_kinds.hpp"
#include "actors/domain/address.hpp"
#include "actors/domain/hash.hpp"
#include "actors/domain/ids.hpp"
#include "actors/domain/time.hpp"
#include "actors/domain/wei.hpp"
#include "actors/domain/words.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
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
};

/// Newest first.
struct list_transactions {
  using answer_type = std::vector<wallet_transaction>;
  profile_id profile;
  std::size_t limit = 50, offset = 0;
};

/// A transaction that was stored before, for a request that comes again: its hash is that of the one that counts, where
/// others of its nonce replaced it. Refused with `not_found`, or as the one that counts failed.
struct get_transaction {
  using answer_type = transaction_receipt;
  profile_id profile;
  std::int64_t transaction = 0;
};

/// The newest transaction in a block by which the wallet ran this action or one that excludes it, as an upvote excludes
/// a downvote. Refused with `not_found`.
struct find_action {
  using answer_type = transaction_receipt;
  profile_id profile;
  contract_action action;
};

/// The private key of the owner's wallet, as a Web3 keystore (version 3) under `passphrase`; the audit tells of it.
/// Refused with `wallet_not_found`, or `invalid_input` for a passphrase that is too short or too long.
struct export_wallet {
  using answer_type = std::string;
  profile_id profile;
  std::string passphrase;
};

// The outbox of managed wallets: what is stored of a transaction before a node is given it, and what becomes of it.

/// In the order of `transaction_state`.
CREDENCE_WORDS(transaction_state, transaction_state_names, "stored", "sent", "mined", "settled", "replaced", "failed");
constexpr std::string_view name_of(transaction_state state) {
  return transaction_state_names[static_cast<std::size_t>(state)];
}

/// Kinds of transactions that nobody asked for.
inline constexpr std::string_view kind_of_filler = "filler";           // takes a number that was left out
inline constexpr std::string_view kind_of_sponsorship = "sponsorship"; // gas for somebody else's wallet

/// Fees for a unit of gas (EIP-1559), in wei.
struct gas_fees {
  wei most;     // all together
  wei priority; // of that, for the block's producer
  friend bool operator==(const gas_fees&, const gas_fees&) = default;
};

/// What a transaction does, whatever its fees.
struct transaction_plan {
  address to;
  wei value;
  std::string data;
  std::uint64_t gas_limit = 0;
  std::string kind;
  std::string origin;
  profile_id beneficiary; // of a sponsorship; else nobody
};

// -- changes ------------------------------------------------------------------

/// A signed transaction, before any node is given it. Its global number is its id.
struct transaction_stored {
  profile_id profile; // or `funding_account`
  std::uint64_t nonce = 0;
  transaction_plan plan;
  gas_fees fees;
  std::string signed_bytes;
  digest32 hash{};
  std::int64_t replaces = 0; // another one of that number; 0: none
  timestamp at{};
};

/// Where one transaction is now.
struct transaction_move {
  std::int64_t id = 0;
  transaction_state to{};
  std::string reason;                // why it failed, or is not sent yet
  std::optional<std::int64_t> block; // that it is in
  bool done = false;                 // nothing will happen to it any more
  std::int64_t replaced_by = 0;      // 0: nobody
  friend bool operator==(const transaction_move&, const transaction_move&) = default;
};
/// Transactions of one wallet have moved, in this order.
struct transactions_moved {
  profile_id profile;
  std::vector<transaction_move> moves;
  timestamp at{};
};

// -- stored rows ----------------------------------------------------------------

/// One row of the outbox.
struct outbox_row {
  std::int64_t id = 0;
  std::uint64_t nonce = 0;
  transaction_plan plan;
  gas_fees fees;
  std::string signed_bytes;
  digest32 hash{};
  transaction_state state{};
  std::string reason;
  timestamp created_at{}, changed_at{};
  std::optional<std::int64_t> block;
};

/// What a wallet still has to see to, and what counts against its bounds.
struct stored_outbox {
  std::vector<outbox_row> open;            // not done, in the order of ids
  std::uint64_t used = 0;                  // numbers from 0 that transactions in blocks have taken, as far as is known
  std::int32_t signed_today = 0;           // since `load_outbox::since`, for its owner
  std::map<profile_id, wei> granted_today; // spent by the funding account, with fees, by beneficiary
};
struct load_outbox {
  using answer_type = stored_outbox;
  profile_id profile;
  timestamp since{}; // the day's begin
};

/// An open transaction as the follower of the chain sees it.
struct followed_row {
  profile_id profile;
  std::int64_t id = 0;
  std::optional<std::int64_t> block; // that holds its events, which are stored
};
/// All of some wallets, and where the follower stands, of one snapshot.
struct followed_outbox {
  std::vector<followed_row> rows;      // by profiles
  std::int64_t tip = 0, authority = 0; // the last block that is stored, and the last one that is settled
};
/// Wallets with open transactions: so many of them behind `after`.
struct load_followed {
  using answer_type = followed_outbox;
  profile_id after;
  std::int32_t limit = 0;
};

/// A transaction; where others replaced it, the one of these that counts.
struct load_transaction {
  using answer_type = std::optional<outbox_row>;
  profile_id profile;
  std::int64_t id = 0;
};

/// The newest transaction in a block that ran one of these calls of a contract.
struct load_call {
  using answer_type = std::optional<outbox_row>;
  profile_id profile;
  address to;
  std::vector<std::string> calls; // selector and arguments of each
};

/// What `list_transactions` is answered with, from the database.
struct find_transactions {
  using answer_type = std::vector<wallet_transaction>;
  profile_id profile;
  std::int32_t limit = 50, offset = 0;
};

} // namespace credence::wallets
