#pragma once

#include "actors/chain/calls.hpp"
#include "actors/chain/chain_types.hpp"
#include "actors/chain/record_kinds.hpp"
#include "actors/domain/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// Following a chain: what is stored of it, what may be asked about it.
namespace credence::chain {

using chain_number = std::int64_t; // of the chain itself, such as 8453
inline timestamp time_of(unix_time at) { return timestamp{std::chrono::seconds{at.seconds}}; }
inline std::int64_t number_of(block_number block) { return static_cast<std::int64_t>(block); }

// -- settings ------------------------------------------------------------------------------------

/// Fees of vouches in ether, in basis points: those that go to the protocol, to the subject and to earlier vouchers
/// when money goes in, and the one when it comes out.
struct vouch_fees {
  std::uint32_t protocol = 100, donation = 100, pool = 400, exit = 100;
};

struct fold_settings {
  std::int32_t id_offset = 0;
  std::map<address, contract_kind> contracts; // those that are followed
  vouch_fees fees_at_first = {};              // in force until the contract tells of others
};

class chain_node;

/// Which block rights rest on (`chain.authority`): the one that nodes tag so, or that so many blocks are behind of.
struct authority_rule {
  enum class by : std::uint8_t { safe, finalized, depth };
  by how = by::safe;
  std::uint64_t depth = 0;
};
inline constexpr std::uint64_t authority_depth_max = 1'000'000;
/// `safe`, `finalized` or a number of blocks up to `authority_depth_max`; nothing for every other text.
std::optional<authority_rule> authority_named(std::string_view text);

/// How a chain is followed.
struct follow_settings {
  chain_number chain = 0;
  block_number start_block = 1;               // the first one whose events count
  std::map<address, contract_kind> contracts; // those whose events count
  record_kinds kinds;                         // of records that are made of events
  std::int32_t id_offset = 0;                 // added to the ids of contracts
  std::uint64_t confirmations = 2;            // so many of the newest blocks are left alone
  authority_rule authority;                   // which block rights rest on
  std::uint64_t range_max = 10'000;           // blocks asked for at a time
  std::chrono::milliseconds poll{2000};       // between looks at the head
  std::chrono::milliseconds unavailable_after{10'000};
  vouch_fees fees_at_first = {}; // of vouches, until their contract tells of others
  std::optional<getter> bonds,
    invites; // functions that return a bond, and by whom a profile was invited; none: nobody asks
};
/// What events are folded by.
inline fold_settings folding_by(const follow_settings& how) {
  return {how.id_offset, how.contracts, how.fees_at_first};
}
/// `name=0x…`, in the order of names, with commas between them.
std::string text_of(const std::map<address, contract_kind>& contracts);

/// Nodes of one chain, those first that are preferred; for one thread.
using node_list = std::vector<std::shared_ptr<chain_node>>;
/// Nodes of the same chain in the same order, each list for a thread of its own; so a client does not wait for a step,
/// nor a step for texts.
struct follow_nodes {
  node_list for_steps, for_questions, for_texts, for_audit;
};

// -- what is stored ------------------------------------------------------------------------------

/// A block as it is remembered, so that a reorganisation can be found.
struct block_mark {
  block_number number = 0;
  digest32 hash{};
  digest32 parent_hash{};
  unix_time at;
  friend bool operator==(const block_mark&, const block_mark&) = default;
};

struct event; // events.hpp

/// The event that a log was decoded into. All compare equal, as the log alone decides whether two records are.
struct event_read {
  std::shared_ptr<const event> it; // null: it was not read, or is no known event
  friend bool operator==(const event_read&, const event_read&) { return true; }
};

/// A log of a contract of ours, as it is stored.
struct stored_event {
  std::int64_t id = 0; // grows by one from event to event; none is given out twice
  block_number block = 0;
  digest32 block_hash{};
  unix_time at; // of the block
  digest32 tx_hash{};
  std::int32_t tx_index = 0;
  std::int32_t log_index = 0; // within the block
  contract_kind contract{};
  address from;
  std::vector<std::byte> topics; // 0 to 4 words of 32 bytes
  std::vector<std::byte> data;
  std::optional<std::string> event_name; // none: no known event
  std::optional<std::string> log_data;   // JSON; none where the log could not be read
  event_status status = event_status::ignored;
  std::optional<std::string> reason; // why it is not applied
  event_read read = {};              // not stored
  friend bool operator==(const stored_event&, const stored_event&) = default;
};

/// The reason of an event that no records are made of.
inline constexpr std::string_view not_followed = "kind_not_followed";

/// A row as an event left it.
struct row_image {
  std::int64_t undo_block = 0; // that may be taken back, and the row with it; 0: none
  std::int64_t event = 0;      // the last one that changed it
  std::string relation;        // the table
  std::string columns;         // a JSON object
  std::int32_t piece = 0;      // rows of one piece are written together, and behind those of the pieces before
  friend bool operator==(const row_image&, const row_image&) = default;
};
/// Where an event of a step stands, whatever its id will be.
struct log_place {
  std::int64_t event = 0;
  digest32 block_hash{};
  std::int32_t log_index = 0;
};
/// An event whose rows the database refuses.
struct refused_event {
  digest32 block_hash{};
  std::int32_t log_index = 0;
  std::string reason; // `refused:` and a constraint
  friend bool operator==(const refused_event&, const refused_event&) = default;
};

// -- changes -------------------------------------------------------------------------------------

/// A chain is followed from here on: `tip` is the block before the first one whose events count.
struct chain_begun {
  chain_number chain = 0;
  std::string contracts; // `name=0x…`, in the order of names, with commas between them
  std::string kinds;     // of records, with commas between them
  std::int32_t id_offset = 0;
  block_mark tip;
};

/// Blocks behind `before`, which is the tip until then, up to the new `tip`, with their events in order. Where `tip` is
/// that very block, these are some events of the next block, which is final; without events there is nothing new but
/// `authority`.
struct blocks_applied {
  chain_number chain = 0;
  digest32 before{};
  block_mark tip;
  block_number finalized = 0; // 0: unknown; never less than it was
  std::vector<block_mark>
    blocks; // that are kept: those that a reorganisation may still take back, or the last final one
  std::vector<stored_event> events;
  std::vector<row_image> rows; // by pieces; a piece is of one block that may be taken back, or of blocks that are final
  timestamp at{};
  block_number authority = 0; // rights rest on blocks up to this one, which is stored; never less than it was
};

/// Rows that were refused are tried, event by event. Nothing of it stays but which event is refused, and why.
struct blocks_tried {
  chain_number chain = 0;
  std::vector<log_place> places;
  std::vector<row_image> rows;
};

/// A reorganisation has taken the blocks behind `tip` back, of which the last one was `before`; where that is `tip`,
/// what was written ahead of a block that has not come is taken back.
struct blocks_undone {
  chain_number chain = 0;
  digest32 before{};
  block_mark tip;
  timestamp at{};
};

// -- questions to the database -------------------------------------------------------------------

struct follow_place {
  std::string contracts;
  std::string kinds;
  std::int32_t id_offset = 0;
  block_mark tip;
  block_number finalized = 0;
  std::int64_t last_event = 0;
  std::string replaying; // kinds that were added, whose stored events are still to be applied, with commas between them
  block_number authority = 0;
  bool written_ahead = false; // slashes are closed at the time of a block that is not stored
};
struct stored_follow {
  std::optional<follow_place> place;       // none: nothing of the chain is stored
  std::vector<block_mark> blocks;          // that may be taken back, and one before them; in order
  std::optional<log_place> within;         // the last event of the block behind the tip, where it is stored in part
  std::int64_t failed = 0;                 // events
  std::optional<chain_number> other_chain; // followed in this database instead
  std::vector<refused_event> refused;      // of the next step
};
struct load_follow {
  using answer_type = stored_follow;
  chain_number chain = 0;
};

/// What became of an event.
struct event_outcome {
  std::int64_t id = 0;
  event_status status = event_status::ignored;
  std::optional<std::string> reason;
  friend bool operator==(const event_outcome&, const event_outcome&) = default;
};
/// Ids that a contract must have given out, but no event told: a log is missing.
struct id_gap {
  std::string of; // "review"
  std::int64_t first = 0, last = 0;
  friend bool operator==(const id_gap&, const id_gap&) = default;
};

/// What others are told when a step is in.
struct step_effects {
  std::set<profile_id> profiles; // that caches have to read again
  std::vector<id_gap> gaps;
  std::set<project_id> projects; // that the board has to read again
  bool texts = false;            // records have come that wait for their texts
  block_number settled = 0;      // rights rest on blocks up to this one since the step; 0: on no more than before
};
/// What the events of a step make of the rows.
struct folded_step {
  std::vector<event_outcome> events; // of all of them, in order; of the first ones where `more_due` ends the fold
  std::vector<row_image> rows;
  step_effects effects;
  bool more_due = false; // more slashes are due than one transaction closes: before the next event, or behind all
};
/// Folds the events of a step into the rows that they need, all of one snapshot. Those of `refused` fail. Each block
/// that may be taken back has rows of its own, or each event does, for a trial. Slashes that are open are closed by the
/// first block of `blocks`, or the first event, at or past their end.
struct fold_step {
  using answer_type = folded_step;
  blocks_applied step;
  fold_settings how;
  record_kinds followed;
  std::string default_avatar;
  std::vector<refused_event> refused;
  bool each_event_by_itself = false;
};

/// An event with the times of its row.
struct event_record {
  stored_event event;
  timestamp created_at{};
  timestamp updated_at{};
};
struct events_of_transaction {
  std::vector<event_record> events; // in order
};
struct load_events {
  using answer_type = events_of_transaction;
  chain_number chain = 0;
  digest32 tx{};
};

// -- questions of clients ------------------------------------------------------------------------

enum class follow_state : std::uint8_t { starting, backfill, following, unavailable, halted, replaying };
inline constexpr std::array<std::string_view, 6> follow_state_names{"starting",    "backfill", "following",
                                                                    "unavailable", "halted",   "replaying"};

inline constexpr std::size_t ids_missing_max = 100; // that are told, the newest

struct chain_status {
  chain_number chain = 0;
  follow_state state = follow_state::starting;
  std::optional<block_number> head, safe, finalized; // by the endpoint that was asked last
  block_number authority = 0;                        // rights rest on what came in blocks up to this one; 0: on none
  std::optional<block_mark> tip;                     // the last block that is stored
  std::int64_t failed = 0;                           // events
  std::int64_t reorganisations = 0;                  // since the start of this process
  std::int32_t endpoints = 0, endpoints_wrong = 0; // that are configured; of them, those that tell what cannot be true
  std::int32_t endpoints_without_past = 0;         // of them, those that have no old logs
  std::vector<id_gap> missing;                     // since the start of this process
  std::string why;                                 // halted or unavailable: the reason
};
struct get_chain_status {
  using answer_type = chain_status;
};

/// What is known of a transaction.
enum class transaction_state : std::uint8_t {
  unreachable, // nobody could be asked
  not_found,
  pending,    // in no block of the chain yet
  processing, // in a block that is not stored yet
  processed,
};
inline constexpr std::array<std::string_view, 5> transaction_state_names{"unreachable", "not_found", "pending",
                                                                         "processing", "processed"};
struct transaction_found {
  transaction_state state = transaction_state::unreachable;
  std::optional<tx_receipt> receipt; // where a node was asked and has it
  std::vector<event_record> events;  // stored ones, in order
};
/// Where a transaction is; its block, if it is not stored yet, comes next. Answers when it is stored, or when
/// `timeout` is over.
struct find_transaction {
  using answer_type = transaction_found;
  digest32 tx{};
  std::chrono::milliseconds timeout{0};
  bool with_receipt = false; // ask a node for it although its events are stored
  /// Set: one that no block has, or no node knows, is looked for until then, and `timeout` ends then as well.
  std::optional<steady_time> until = std::nullopt;
};

} // namespace credence::chain
