#pragma once

#include "actors/chain/chain_node.hpp"
#include "actors/chain/follow_pace.hpp"
#include "actors/chain/follow_types.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The next step of following a chain: what one node says, checked, becomes the next change. Keeps nothing between
/// steps.
namespace credence::chain {

/// A node says what cannot be true: it is not asked again.
class node_lied : public node_error {
public:
  using node_error::node_error;
};

/// Where following stands: what is stored of it, as far as steps need that.
struct follow_position {
  block_mark tip;
  block_number finalized = 0;     // 0: unknown
  std::vector<block_mark> blocks; // that are kept, in order; the last one is the tip
  std::int64_t last_event = 0;
  block_number authority = 0;      // rights rest on blocks up to this one; 0: on none
  std::optional<log_place> within; // the last event of a block behind the tip of which only some are stored
};
/// The position once the change is stored.
follow_position position_after(const chain_begun& change);
follow_position position_after(follow_position from, const blocks_applied& change);
follow_position position_after(follow_position from, const blocks_undone& change);

/// Why what is stored cannot be gone on with by these settings; empty: it can.
std::string mismatch(const follow_place& stored, const follow_settings& how);
/// Where a transaction is whose events are not stored; `at` is null where nothing of the chain is. A receipt may be of
/// a block that is not in the chain, or not any more.
transaction_state state_of(const node_transaction& found, const follow_position* at);

/// What a step comes to: a change to be stored, or none if the node has nothing new.
struct step {
  std::variant<std::monostate, chain_begun, blocks_applied, blocks_undone> change;
  std::optional<chain_heads> heads; // none: the chain begins with this step
  bool behind = false;              // the node does not even have our tip; another one may
  bool backfill = false;            // there are final blocks to catch up with
};

/// Blocks of one step near the head, and bytes of any step but for those of a single block.
inline constexpr std::uint64_t step_blocks_max = 20;
inline constexpr std::size_t step_bytes_max = 1024 * 1024;
/// Behind the newest final block by more than that, ranges are asked for instead of single blocks.
inline constexpr std::uint64_t backfill_from = 64;
/// So many blocks can be taken back at most, however few are final.
inline constexpr std::uint64_t undo_blocks_max = 10'000;
/// Where a node knows no final block, so many of the newest are not taken for final.
inline constexpr std::uint64_t final_behind_head = 150;

/// The block before `how.start_block` becomes the tip. Nothing where the node does not have it yet.
step first_step(chain_node& from, const follow_settings& how);

/// What is asked of a step beyond the next blocks.
struct step_wish {
  block_number wanted = 0;                  // to reach although it is newer than the confirmations allow; 0: none
  std::size_t events_max = step_events_max; // but for those of a single block
  bool recent_only =
    false; // the node is not to be asked for ranges of the past; where that is due, it counts as behind
};

/// Logs of final blocks that a step had no room for: the next one begins with them instead of asking for them again.
struct logs_left {
  digest32 after{};            // the tip that they follow; behind any other one they are of no use
  std::int64_t last_event = 0; // likewise
  range_logs found;            // up to its last block; without that there are none
};

/// The next step from `at`. `width` and `left` are the node's own. Throws `node_error`.
step next_step(chain_node& from, range_width& width, logs_left& left, const follow_settings& how,
               const follow_position& at, const step_wish& wish, timestamp now);

/// Logs as they are stored, numbered from `first_id` on.
std::vector<stored_event> events_of(const std::vector<chain_log>& logs, const follow_settings& how,
                                    std::int64_t first_id);
/// A stored event whose log is read again, as if it had just come.
stored_event read_again(stored_event stored);

} // namespace credence::chain
