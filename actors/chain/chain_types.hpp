#pragma once

#include "actors/chain/record_kinds.hpp"
#include "actors/domain/address.hpp"
#include "actors/domain/hash.hpp"
#include "actors/domain/ids.hpp"
#include "actors/domain/wei.hpp"
#include "actors/domain/words.hpp"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

/// Words of following an Ethereum-compatible chain: what a node tells, and what contracts are.
namespace credence::chain {

/// What became of an event that was stored.
enum class event_status : std::uint8_t { applied, ignored, failed };
CREDENCE_WORDS(event_status, event_status_names, "applied", "ignored", "failed");
constexpr std::string_view name_of(event_status status) { return event_status_names[static_cast<std::size_t>(status)]; }

/// A number that a contract gave to what it keeps: 0 to 2147483647, before `chain.id_offset` is added. Contracts count
/// reviews, vouches and replies from 0.
template <class Tag>
struct onchain_id {
  std::int32_t value = 0;
  friend constexpr auto operator<=>(const onchain_id&, const onchain_id&) = default;
};
using onchain_profile = onchain_id<profile_tag>;
using onchain_project = onchain_id<project_tag>;
using onchain_slash = onchain_id<slash_tag>;
using onchain_attestation = onchain_id<struct attestation_tag>;
using onchain_review = onchain_id<struct review_tag>;
using onchain_vote = onchain_id<struct activity_vote_tag>;
using onchain_reply = onchain_id<struct reply_tag>;
using onchain_vouch = onchain_id<struct vouch_tag>;
using onchain_post = onchain_id<struct broker_post_tag>;
using onchain_bond = onchain_id<struct bond_tag>;
using onchain_market = onchain_id<struct market_tag>;
/// A record of some other contract, which the event names beside it.
using onchain_target = onchain_id<struct target_tag>;

/// Seconds since 1970 as a contract or a block tells them: 0 to the end of the year 9999.
struct unix_time {
  std::int64_t seconds = 0;
  friend constexpr auto operator<=>(const unix_time&, const unix_time&) = default;
};
/// A length of time as a contract tells it, in seconds: 0 to `limits::unix_seconds_max`.
struct span_of_time {
  std::int64_t seconds = 0;
  friend constexpr auto operator<=>(const span_of_time&, const span_of_time&) = default;
};

using block_number = std::uint64_t;

/// 2,048 bits that hold, for each address and topic of a block's logs, three of their own (Yellow Paper, 4.3.1).
using logs_bloom = std::array<std::byte, 256>;

/// The header of a block, as far as following needs it.
struct block_header {
  block_number number = 0;
  digest32 hash{};
  digest32 parent_hash{};
  unix_time at;
  logs_bloom bloom{};
  friend bool operator==(const block_header&, const block_header&) = default;
};

/// A log as a node tells it; nothing in it has been checked but its form.
struct chain_log {
  address from;                 // the contract that emitted it
  std::vector<digest32> topics; // 0 to 4 where the node is honest
  std::vector<std::byte> data;
  block_number block = 0;
  digest32 block_hash{};
  digest32 tx_hash{};
  std::uint32_t tx_index = 0;
  std::uint32_t log_index = 0; // within the block
  bool removed = false;
  std::optional<unix_time> at; // the block's, where the node tells it
  friend bool operator==(const chain_log&, const chain_log&) = default;
};

/// The receipt of a transaction in a block.
struct tx_receipt {
  digest32 tx_hash{};
  std::uint32_t tx_index = 0;
  digest32 block_hash{};
  block_number block = 0;
  address from;
  std::optional<address> to;       // none: it creates a contract
  std::optional<address> contract; // the contract it created
  uint256 cumulative_gas_used;
  uint256 gas_used;
  bool succeeded = false; // false: reverted
  logs_bloom bloom{};
  std::vector<chain_log> logs;
  friend bool operator==(const tx_receipt&, const tx_receipt&) = default;
};

/// What is to be read from a contract: the texts of a review, a reply, a vouch and a bond, the inviter of a profile,
/// and what a wallet holds of the token.
enum class text_kind : std::uint8_t { review, reply, inviter, vouch, bond, balance };
struct wanted_text {
  text_kind kind{};
  std::int32_t id = 0; // of the record, with `id_offset`; of a balance the number that its row has for that
  friend auto operator<=>(const wanted_text&, const wanted_text&) = default;
};

} // namespace credence::chain
