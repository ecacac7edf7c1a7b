#pragma once

#include "actors/chain/chain_node.hpp"
#include "actors/chain/chain_steps.hpp"
#include "actors/domain/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace credence::chain {

/// What a node tells of the first block whose events count. Nodes without old receipts, or with a broken index, answer
/// that a range has no logs, and call it no error.
enum class canary : std::uint8_t {
  answers, // the node has our logs of the block, or the block's bloom filter says that there are none
  silent,  // the bloom filter says that there may be some, and the node has none: it is not asked for old blocks
  absent,  // the node does not have the block (yet)
};

/// Asks for the block `how.start_block` and its logs. Throws `node_error`.
canary canary_of(chain_node& node, const follow_settings& how);

/// Which of several nodes of one chain to ask: the first one that is neither left alone nor found to be wrong.
class endpoints {
public:
  struct endpoint {
    explicit endpoint(std::uint64_t range_max) : width(range_max) {}
    std::shared_ptr<chain_node> node;
    range_width width;
    logs_left left;   // of its last step
    int failures = 0; // in a row
    steady_time not_before{};
    bool checked = false;     // it is known to be of the chain
    std::optional<bool> past; // whether it has old logs; nothing: not known yet
    bool wrong = false;       // it told what cannot be true, or is of another chain; for good
  };

  endpoints(const node_list& nodes, std::uint64_t range_max);

  /// The first one that may be asked now, from number `from` on.
  std::optional<std::size_t> next(steady_time now, std::size_t from = 0) const;
  endpoint& at(std::size_t which) { return all_[which]; }
  std::size_t count() const noexcept { return all_.size(); }
  std::size_t wrong() const noexcept;
  /// How many have no old logs.
  std::size_t without_past() const noexcept;
  /// Until one of them may be asked again; nothing where all are wrong.
  std::optional<std::chrono::milliseconds> pause(steady_time now) const;

  void succeeded(std::size_t which);
  /// It is left alone for 125 ms, and twice as long after each failure that follows, up to 8 s.
  void failed(std::size_t which, steady_time now);
  /// It asked for a pause, of a second where it names none, of 15 minutes at most.
  void told_to_pause(std::size_t which, std::chrono::seconds length, steady_time now);
  void found_wrong(std::size_t which) { all_[which].wrong = true; }

private:
  std::vector<endpoint> all_;
};

} // namespace credence::chain
