#pragma once

#include "actors/wallets/signer_types.hpp"
#include "actors/wallets/signing_bounds.hpp"
#include "actors/wallets/wallet_node.hpp"

#include <cstdint>
#include <optional>

/// What transactions of managed wallets pay (EIP-1559).
namespace credence::wallets {

/// Gas that a transfer of ether to an account without code needs (Ethereum yellow paper, appendix G).
inline constexpr std::uint64_t gas_of_transfer = 21'000;

/// A transaction's bounds: what is signed, and what it costs at most.
struct transaction_cost {
  std::uint64_t gas_limit = 0;
  gas_fees fees;
  wei most; // with the value
};

/// Fees that bring a transaction into one of the next blocks: twice the base fee, so that it may rise for several
/// blocks, and what others pay on top, or the least that producers of blocks want; within the bounds. Nothing where the
/// bounds do not even cover the next block.
std::optional<gas_fees> suggested_fees(const node_quote& quote, const signing_bounds& within);

/// Fees that replace `before`: both at least a tenth higher, as nodes ask, or as suggested where that is more. Nothing
/// where that is above the bounds.
std::optional<gas_fees> raised_fees(const gas_fees& before, const std::optional<gas_fees>& suggested,
                                    const signing_bounds& within);

/// Gas for a call that needs so much: a quarter more, as the state may change before it runs. Nothing above the bound.
std::optional<std::uint64_t> gas_limit_of(std::uint64_t needed, const signing_bounds& within);

/// What a transaction costs at most. Amounts within the bounds do not overflow.
wei cost_at_most(std::uint64_t gas_limit, const gas_fees& fees, const wei& value);

} // namespace credence::wallets
