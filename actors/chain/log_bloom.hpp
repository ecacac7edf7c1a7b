#pragma once

#include "actors/chain/chain_types.hpp"

#include <span>

/// The bloom filter of a block's logs (Yellow Paper, 4.3.1): each address and each topic sets three of 2,048 bits,
/// which the first three pairs of bytes of its Keccak-256 name.
namespace credence::chain {

/// What one value sets; worked out once for an address that is looked for in every block.
class bloom_bits {
public:
  explicit bloom_bits(std::span<const std::byte> value);
  explicit bloom_bits(const address& of) : bloom_bits(std::span{of.bytes}) {}
  /// False: the value is in no log of the block. True proves nothing.
  bool in(const logs_bloom& bloom) const noexcept;
  void add_to(logs_bloom& bloom) const noexcept;

private:
  std::array<std::uint16_t, 3> bits_{}; // from the filter's last bit
};

/// Finds blocks without logs of ours by their headers alone.
class bloom_watch {
public:
  explicit bloom_watch(std::span<const address> ours);
  /// True: no log of the block is ours, so there is nothing to ask for. A bloom without any bit is not believed: nodes
  /// that keep none send that.
  bool rules_out(const logs_bloom& bloom) const noexcept;

private:
  std::vector<bloom_bits> ours_;
};

/// Whether the bloom has the addresses and topics of all logs, as it must where both come from an honest node. A bloom
/// without any bit lacks every log.
bool holds_all(const logs_bloom& bloom, std::span<const chain_log> logs);

} // namespace credence::chain
