#pragma once

#include "actors/domain/outcome.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace credence::wallets {

/// What a failed transaction is stored with: a word for machines and the text of the refusal, such as `nonce_conflict:
/// …`.
std::string failure_reason(const refusal& why);
/// The refusal that a stored reason says; `blockchain_unavailable` for one that has no known word.
refusal refusal_of(std::string_view reason);

/// Why a transaction failed that is in that block.
refusal reverted_in(std::uint64_t block);

} // namespace credence::wallets
