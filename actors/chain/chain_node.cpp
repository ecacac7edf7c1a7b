#include "actors/chain/chain_node.hpp"

#include <algorithm>

namespace credence::chain {

namespace {
/// Times the logs aimed at it fits into 64 bits.
constexpr std::uint64_t greatest_width = std::uint64_t{1} << 40;
} // namespace

range_width::range_width(std::uint64_t most)
  : most_(std::clamp<std::uint64_t>(most, 1, greatest_width)), width_(std::min(first_width, most_)), cap_(most_) {}

void range_width::succeeded(std::uint64_t blocks, std::size_t logs) {
  if (cap_ < most_ && ++answers_ >= answers_before_more) {
    answers_ = 0;
    cap_ = std::min(most_, cap_ + std::max<std::uint64_t>(cap_ / 10, 1));
  }
  const auto aimed = std::min(blocks, greatest_width) * logs_aimed_at / std::max<std::uint64_t>(logs, 1);
  width_ = std::clamp(aimed, std::max<std::uint64_t>(width_ / 4, 1), 2 * width_);
  width_ = std::min(width_, cap_);
}

bool range_width::too_large(const block_range& range, const std::optional<block_range>& suggested) {
  const auto width = width_of(range);
  if (width <= 1)
    return false;
  const bool narrower = suggested && width_of(*suggested) > 0 && width_of(*suggested) < width;
  cap_at(narrower ? width_of(*suggested) : width / 2);
  return true;
}

void range_width::cap_at(std::uint64_t width) {
  answers_ = 0;
  cap_ = std::min(cap_, width);
  width_ = std::min(width_, cap_);
}

} // namespace credence::chain
