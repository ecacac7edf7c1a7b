#pragma once

#include "actors/chain/chain_types.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace credence::chain {

/// Blocks `first` to `last`, both included.
struct block_range {
  block_number first = 0;
  block_number last = 0;
  friend bool operator==(const block_range&, const block_range&) = default;
};
/// How many blocks a range has, 0 where it ends before it begins.
constexpr std::uint64_t width_of(const block_range& range) {
  return range.last < range.first ? 0 : range.last - range.first + 1;
}

/// How many blocks to ask of one endpoint at a time: chosen so that an answer holds about 2,000 logs, within the
/// endpoint's limit. Pure: told what came of each request.
class range_width {
public:
  static constexpr std::uint64_t first_width = 2000;
  static constexpr std::uint64_t logs_aimed_at = 2000;
  /// So many answers in a row raise a cap that was learned by a tenth.
  static constexpr int answers_before_more = 10;

  /// `most`: never more blocks than that; taken as 1 to 2^40.
  explicit range_width(std::uint64_t most);

  /// Blocks of the next request, from 1 to `most`.
  std::uint64_t next() const noexcept { return width_; }

  /// `blocks` blocks brought so many logs: the next width aims at 2,000 of them, from a quarter of the width to twice
  /// it.
  void succeeded(std::uint64_t blocks, std::size_t logs);

  /// The endpoint says that `range` is too large: a suggested range counts only when it is narrower than that; else
  /// half. False when one block is too large already: such a block is asked for by each contract by itself.
  bool too_large(const block_range& range, const std::optional<block_range>& suggested);

  /// The answer took too long, or was larger than we read: half. False for one block, as above.
  bool too_slow(const block_range& range) { return too_large(range, std::nullopt); }

private:
  void cap_at(std::uint64_t width);

  std::uint64_t most_;
  std::uint64_t width_;
  std::uint64_t cap_; // learned; `most_` where none was
  int answers_ = 0;   // since the cap last moved
};

/// A node brought no answer, or none that makes sense: the endpoint's failure.
class node_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};
/// A range of blocks, or one block, holds more logs than the node sends at a time; it may suggest a narrower range.
class range_too_large : public node_error {
public:
  range_too_large(const std::string& why, std::optional<block_range> narrower) : node_error(why), suggested(narrower) {}
  std::optional<block_range> suggested;
};
/// The node wants to be left alone for a while; 0: it did not say for how long.
class node_busy : public node_error {
public:
  node_busy(const std::string& why, std::chrono::seconds pause) : node_error(why), length(pause) {}
  std::chrono::seconds length;
};

/// What a node says of its chain at one moment.
struct chain_heads {
  block_header latest;
  std::optional<block_header> safe, finalized; // none: it does not know such blocks
  std::optional<block_header> block;           // the block that was asked for; none: it does not have it
};
/// Logs of a range, with the header of its last block; without that the node is behind, and its logs say nothing.
struct range_logs {
  std::optional<block_header> last;
  std::vector<chain_log> logs;
};
/// A transaction that a node knows: its receipt once it is in a block.
struct node_transaction {
  bool known = false;
  std::optional<tx_receipt> receipt;
};

/// A function of a contract that a node runs without a transaction.
struct contract_call {
  address contract;
  std::string data; // bytes, such as those of `call_data`
  friend bool operator==(const contract_call&, const contract_call&) = default;
};
struct call_answer {
  enum class ending : std::uint8_t { returned, reverted, too_large, unanswered };
  ending how = ending::unanswered;
  std::vector<std::byte> data; // that was returned
};
/// Answers in the order of the calls, with the header of the block that was asked for; none: the node does not have it.
struct calls_answered {
  std::optional<block_header> block;
  std::vector<call_answer> answers;
};

/// The port to one node of a chain; http implements it, tests fake it. Everything blocks and throws `node_error`, so it
/// is used on a thread of its own, always the same one. What comes back has been read, not checked.
class chain_node {
public:
  virtual ~chain_node() = default;
  /// The number of the chain.
  virtual std::uint64_t chain_id() = 0;
  /// The newest blocks, and the one with that number.
  virtual chain_heads heads(block_number number) = 0;
  /// Headers of blocks by number, at most 100 of them, in order; ends before the first one that the node does not have.
  virtual std::vector<block_header> headers(std::span<const block_number> of) = 0;
  /// Logs of some contracts in blocks of the main chain, in one request with the header of the last block.
  virtual range_logs logs_in(const block_range& blocks, std::span<const address> contracts) = 0;
  /// Logs of some contracts in one block, asked for by its hash.
  virtual std::vector<chain_log> logs_of(const digest32& block, std::span<const address> contracts) = 0;
  /// Logs of some contracts in one block by the receipts of its transactions, and its header: for a block whose logs
  /// are too many for one answer.
  virtual range_logs logs_by_receipts(block_number block, std::span<const address> contracts) = 0;
  virtual node_transaction transaction(const digest32& tx) = 0;
  /// Runs functions of contracts on the newest state, or on that of `block` if `there`. A call that the node fails to
  /// answer while it answers others is `unanswered`.
  virtual calls_answered run_calls(block_number block, bool there, std::span<const contract_call> calls) = 0;
};

} // namespace credence::chain
