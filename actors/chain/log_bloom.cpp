#include "actors/chain/log_bloom.hpp"

#include "actors/domain/hash.hpp"

#include <algorithm>

namespace credence::chain {

bloom_bits::bloom_bits(std::span<const std::byte> value) {
  const auto hash = keccak256(value);
  for (std::size_t i = 0; i < bits_.size(); ++i)
    bits_[i] = static_cast<std::uint16_t>(
      (std::to_integer<unsigned>(hash[2 * i]) << 8 | std::to_integer<unsigned>(hash[2 * i + 1])) & 2047);
}

bool bloom_bits::in(const logs_bloom& bloom) const noexcept {
  return std::all_of(bits_.begin(), bits_.end(),
                     [&](auto bit) { return (std::to_integer<unsigned>(bloom[255 - bit / 8]) >> bit % 8 & 1) != 0; });
}

void bloom_bits::add_to(logs_bloom& bloom) const noexcept {
  for (const auto bit : bits_)
    bloom[255 - bit / 8] |= static_cast<std::byte>(1u << bit % 8);
}

bloom_watch::bloom_watch(std::span<const address> ours) {
  for (const auto& each : ours)
    ours_.emplace_back(each);
}

bool bloom_watch::rules_out(const logs_bloom& bloom) const noexcept {
  if (std::all_of(bloom.begin(), bloom.end(), [](std::byte each) { return each == std::byte{}; }))
    return false;
  return std::none_of(ours_.begin(), ours_.end(), [&](const bloom_bits& each) { return each.in(bloom); });
}

bool holds_all(const logs_bloom& bloom, std::span<const chain_log> logs) {
  return std::all_of(logs.begin(), logs.end(), [&](const chain_log& log) {
    return bloom_bits{log.from}.in(bloom)
           && std::all_of(log.topics.begin(), log.topics.end(),
                          [&](const digest32& topic) { return bloom_bits{std::span{topic}}.in(bloom); });
  });
}

} // namespace credence::chain
