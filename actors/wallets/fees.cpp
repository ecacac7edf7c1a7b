#include "actors/wallets/fees.hpp"

#include <algorithm>

namespace credence::wallets {

namespace {

/// Base fees above this are nonsense: 10^18 wei for a unit of gas.
constexpr wei fee_believed_max = wei_per_ether;

/// A tenth more, rounded up, and at least one more.
wei tenth_more(const wei& fee) { return std::max(wei{(fee * 11 + 9) / 10}, wei{fee + 1}); }

} // namespace

std::optional<gas_fees> suggested_fees(const node_quote& quote, const signing_bounds& within) {
  if (quote.base_fee > fee_believed_max)
    return std::nullopt;
  const wei priority = std::min(std::max(quote.priority_fee, within.priority_fee_least),
                                std::min(within.priority_fee_max, within.fee_max));
  if (quote.base_fee + priority > within.fee_max)
    return std::nullopt;
  return gas_fees{std::min(wei{quote.base_fee * 2 + priority}, within.fee_max), priority};
}

std::optional<gas_fees> raised_fees(const gas_fees& before, const std::optional<gas_fees>& suggested,
                                    const signing_bounds& within) {
  gas_fees out{tenth_more(before.most), tenth_more(before.priority)};
  if (suggested) {
    out.most = std::max(out.most, suggested->most);
    out.priority = std::max(out.priority, suggested->priority);
  }
  out.most = std::max(out.most, out.priority);
  if (out.most > within.fee_max || out.priority > within.priority_fee_max)
    return std::nullopt;
  return out;
}

std::optional<std::uint64_t> gas_limit_of(std::uint64_t needed, const signing_bounds& within) {
  if (needed > within.gas_max)
    return std::nullopt;
  return std::min(needed + needed / 4, within.gas_max);
}

wei cost_at_most(std::uint64_t gas_limit, const gas_fees& fees, const wei& value) {
  return fees.most * gas_limit + value;
}

} // namespace credence::wallets
