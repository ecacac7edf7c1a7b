#pragma once

#include "actors/chain/chain_storage.hpp"
#include "actors/chain/fold_settings.hpp"
#include "actors/chain/getter.hpp"
#include "actors/context.hpp"
#include "actors/kernel/door.hpp"
#include "actors/kernel/port.hpp"
#include "actors/oversight/oversight_types.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace credence::chain {

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

/// Follows one chain: stores the events of its contracts in order, each once, and takes back what a reorganisation
/// undoes.
using chain_handle = actor_handle<get_chain_status, find_transaction, await_texts, oversight::count_events>;
struct chain_door {
  using handle = chain_handle;
};

/// Nodes of the same chain in the same order, each list for a thread of its own; so a client does not wait for a step,
/// nor a step for texts.
struct follow_nodes {
  node_list for_steps, for_questions, for_texts, for_audit;
};
chain_handle spawn_chain(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage,
                         follow_settings how, follow_nodes nodes);

} // namespace credence::chain
