#include "actors/chain/log_checks.hpp"

#include <algorithm>
#include <array>

namespace credence::chain {

namespace {

constexpr std::size_t topics_max = 4;

constexpr std::array<std::string_view, 10> texts{
  "a log of a block that was not asked for",
  "a log that was removed",
  "logs twice or out of order",
  "a transaction's index that falls within its block",
  "a log of a contract that was not asked for",
  "a log with more than four topics",
  "two hashes for one block number",
  "a log of another block than the one asked for",
  "two times for one block",
  "two transactions in one place of a block",
};

std::optional<log_flaw> flaw_alone(const chain_log& log, block_number from, block_number to,
                                   std::span<const address> ours) {
  if (log.block < from || log.block > to)
    return log_flaw::outside_range;
  if (log.removed)
    return log_flaw::removed;
  if (std::find(ours.begin(), ours.end(), log.from) == ours.end())
    return log_flaw::foreign_address;
  if (log.topics.size() > topics_max)
    return log_flaw::too_many_topics;
  return std::nullopt;
}

/// Between a log and the one before it.
std::optional<log_flaw> flaw_between(const chain_log& before, const chain_log& log) {
  if (log.block != before.block)
    return log.block < before.block ? std::optional{log_flaw::not_rising} : std::nullopt;
  if (log.block_hash != before.block_hash)
    return log_flaw::two_hashes;
  if (log.log_index <= before.log_index)
    return log_flaw::not_rising;
  if (log.tx_index < before.tx_index)
    return log_flaw::index_falls;
  if ((log.tx_index == before.tx_index) != (log.tx_hash == before.tx_hash))
    return log_flaw::two_transactions;
  if (log.at != before.at)
    return log_flaw::two_times;
  return std::nullopt;
}

} // namespace

std::string_view text_of(log_flaw flaw) { return texts[static_cast<std::size_t>(flaw)]; }

std::optional<log_flaw> flaw_in_range(std::span<const chain_log> logs, block_number from, block_number to,
                                      std::span<const address> ours) {
  for (std::size_t i = 0; i < logs.size(); ++i) {
    if (const auto flaw = flaw_alone(logs[i], from, to, ours))
      return flaw;
    if (i == 0)
      continue;
    if (const auto flaw = flaw_between(logs[i - 1], logs[i]))
      return flaw;
  }
  return std::nullopt;
}

std::optional<log_flaw> flaw_in_block(std::span<const chain_log> logs, const block_header& header,
                                      std::span<const address> ours) {
  for (const auto& log : logs) {
    if (log.block_hash != header.hash)
      return log_flaw::other_block;
    if (log.at && *log.at != header.at)
      return log_flaw::two_times;
  }
  return flaw_in_range(logs, header.number, header.number, ours);
}

} // namespace credence::chain
