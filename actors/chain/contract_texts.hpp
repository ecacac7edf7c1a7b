#pragma once

#include "actors/chain/chain_actor.hpp"
#include "actors/chain/chain_node.hpp"
#include "actors/chain/kept_text.hpp"
#include "actors/chain/text_types.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/// What contracts are asked for texts of records and the like, and what their answers mean. Pure.
namespace credence::chain {

/// A contract that reverts or returns what makes no sense is asked so often before the text counts as failed.
inline constexpr std::int32_t text_tries_max = 3;

/// The call that returns what is wanted; nothing where the settings name no such contract or function.
std::optional<contract_call> call_for(const due_text& due, const follow_settings& how);
/// What nobody can be asked for, by these settings.
std::vector<text_kind> unread_kinds(const follow_settings& how);

/// What an answer to that call comes to. A node's failure leaves the text wanted, however often; what a contract says
/// is taken for its word when it says so `text_tries_max` times.
text_reading reading_of(const due_text& due, const call_answer& answer, const follow_settings& how, timestamp now);

/// Until the next attempt after so many: a second, doubling, up to an hour.
std::chrono::seconds pause_after(std::int32_t attempts);

} // namespace credence::chain
