#pragma once

#include "actors/chain/chain_actor.hpp"
#include "actors/chain/chain_node.hpp"
#include "actors/chain/text_types.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

/// What contracts are asked for the texts of records, and what their answers mean. Pure.
namespace credence::chain {

/// Bytes that are kept of a text; the rest is cut off.
inline constexpr std::size_t text_bytes_kept = 64 * 1024;
/// A contract that reverts or returns what makes no sense is asked so often before the text counts as failed.
inline constexpr std::int32_t text_tries_max = 3;

/// The call that returns the record with its texts; nothing where the settings name no such contract.
std::optional<contract_call> call_for(const wanted_text& of, const follow_settings& how);

/// What an answer to that call comes to. A node's failure leaves the text wanted, however often; what a contract says is taken for
/// its word when it says so `text_tries_max` times.
text_reading reading_of(const due_text& due, const call_answer& answer, std::int32_t id_offset, timestamp now);

/// Until the next attempt after so many: a second, doubling, up to an hour.
std::chrono::seconds pause_after(std::int32_t attempts);

} // namespace credence::chain
