#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/wallets/signing_bounds.hpp"
#include "actors/wallets/wallet_node.hpp"
#include "actors/wallets/wallet_types.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace credence::wallets {

/// What one look at the chain asks for. Moves are to be stored first, in this order.
struct housekeeping {
  std::vector<transaction_move> moves;
  std::vector<std::int64_t> resend;    // ids
  std::optional<std::int64_t> replace; // one that is stuck
  std::optional<std::uint64_t> fill;   // a number that nothing of ours has, and that others wait for
  bool conflicts = false;              // numbers were used by transactions that are none of ours
};

/// A node's word on a wallet: of the transactions that it was asked about, by their ids.
struct node_view {
  nonce_counts nonces;
  std::map<std::int64_t, seen_transaction> seen;
};

/// What an answer of a node to a signed transaction means.
struct send_verdict {
  std::vector<transaction_move> moves;
  std::optional<refusal> why; // of one that no node will take, for whoever asked for it
};

/// The rules of one wallet's outbox: numbers (nonces), transactions in flight, what answers of nodes mean. Every number
/// has at most one transaction that counts, the one signed last; others of it were replaced, and may still be the one
/// that a block holds. Nothing here is signed a second time under another number.
class signer_state {
public:
  explicit signer_state(const signing_bounds& within) : within_(&within) {}

  /// What is stored. A row that is not sent yet may have been given to a node by an earlier process.
  void restore(stored_outbox stored, timestamp day);

  // -- before a signature ---------------------------------------------------------------------

  /// Refused with `rate_limited` where the wallet has signed enough for a day, or has too much in flight.
  std::optional<refusal> may_sign(timestamp now, std::size_t preparing) const;
  /// Whether a call of that contract is on its way, in no block yet.
  bool on_its_way(const address& to, const std::string& data) const;
  /// What a call costs by a node's word. Refused with `contract_revert` and `blockchain_unavailable`.
  outcome<transaction_cost> price(const node_quote& quote, const wei& value) const;
  /// What it costs to send ether to an account without code. Refused with `forbidden` where the account runs code when
  /// it is paid: that burns gas of whoever pays.
  outcome<transaction_cost> price_of_gift(const node_quote& quote, const wei& value) const;
  /// What the balance lacks for one more such transaction; 0: nothing.
  wei missing(const wei& balance, const wei& cost) const;
  /// The number of the next transaction: the lowest that is free, so that gaps close.
  std::uint64_t next_nonce(const nonce_counts& told) const;
  /// Sets a number aside while its transaction is being signed and stored, and gives it back.
  void reserve(std::uint64_t nonce) { reserved_.insert(nonce); }
  void release(std::uint64_t nonce) { reserved_.erase(nonce); }

  // -- what was stored ------------------------------------------------------------------------

  /// It is stored, and holds its number. `by_owner`: it counts against the bounds of the day.
  void add(outbox_row row, bool by_owner, std::int64_t replaces);
  void apply(const transactions_moved& change);

  // -- what nodes say -------------------------------------------------------------------------

  send_verdict on_sent(std::int64_t id, const send_answer& answer);
  /// What is to be done by what the follower has stored and, where one was asked, a node says of `open()`.
  housekeeping look(const followed_outbox& followed, const std::optional<node_view>& node, timestamp now);

  // -- queries ----------------------------------------------------------------------------------

  /// Transactions that are not done, by ids.
  std::vector<std::int64_t> open() const;
  /// Those of them that the follower has in no block, at most `asked_max`: what waits first, then by numbers.
  std::vector<std::int64_t> to_ask(const followed_outbox& followed) const;
  const outbox_row* row(std::int64_t id) const;
  std::size_t unmined() const;
  bool idle() const noexcept { return rows_.empty() && reserved_.empty(); }
  /// The highest fees that were tried under this transaction's number.
  gas_fees highest_fees(std::int64_t id) const;

  static constexpr std::size_t asked_max =
    40; // providers bound batches; each costs two requests. No number has more signatures
  /// Whether so many signatures brought its number into no block that the next one waits long.
  bool exhausted(std::int64_t id) const;

  static constexpr std::size_t attempts_max = 12;                 // of one number, one after each `stuck_after`
  static constexpr std::chrono::minutes pause_when_exhausted{10}; // between later ones

private:
  struct entry {
    outbox_row row;
    bool given = false;           // a node may have it
    bool too_cheap = false;       // a node asks for a higher fee
    bool spread = false;          // it was sent again for being late
    std::int64_t conflict_at = 0; // the tip when its number was first seen to be used by something else; 0: it was not
    int conflicts = 0;            // looks in a row that saw that
  };
  /// Of one number.
  struct tries {
    gas_fees highest;
    std::size_t signatures = 0;      // that no node has refused
    timestamp raised_at{};           // when a higher fee was last asked for
    std::int64_t raised_at_tip = -1; // the follower's block at that time
  };
  using group = std::vector<entry*>; // of one number, in the order in which they were signed

  std::map<std::uint64_t, group> groups();
  void tend(group& all, const followed_outbox& followed, const node_view* node, timestamp now, housekeeping& to);
  bool found(group& all, const followed_outbox& followed, housekeeping& to);
  void judge_by_receipt(group& all, entry& one, const seen_transaction& seen, const followed_outbox& followed,
                        housekeeping& to);
  void tend_waiting(group& all, entry& leader, const followed_outbox& followed, const node_view& node, timestamp now,
                    housekeeping& to);
  void win(group& all, entry& winner, transaction_state as, std::string reason, std::int64_t block, bool done,
           housekeeping& to);
  void look_for_gap(const node_view& node, timestamp now, housekeeping& to);
  bool may_raise(entry& leader, const followed_outbox& followed, timestamp now);
  void note_signature(const outbox_row& row);
  bool holds(std::uint64_t nonce) const;

  const signing_bounds* within_;
  std::map<std::int64_t, entry> rows_; // that are not done, by id
  std::set<std::uint64_t> reserved_;
  std::map<std::uint64_t, tries> tried_; // by numbers
  std::uint64_t used_ = 0;               // numbers that blocks have for sure
  std::optional<std::uint64_t> gap_;     // seen by the last look
  std::optional<std::uint64_t> filled_;  // the gap that was last to be filled
  timestamp filled_at_{};
  timestamp day_{};
  std::int32_t signed_today_ = 0;
};

} // namespace credence::wallets
