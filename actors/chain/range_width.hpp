#pragma once

#include "actors/chain/chain_types.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

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

} // namespace credence::chain
