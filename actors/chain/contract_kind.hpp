#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace credence::chain {

/// The contracts whose events are known. Events of `any` come from all of them.
enum class contract_kind : std::uint8_t {
  attestation,
  profile,
  review,
  vote,
  discussion,
  vouch,
  slash,
  reputation_market,
  broker,
  bond,
  project,
  vouch_v2,
  market,
  rewards,
  whuffie,
  contract_address_manager,
  any,
};
/// By the numbers of `contract_kind`: the word in settings and in an event's record. `any` has none.
inline constexpr std::array<std::string_view, 16> contract_names{
  "attestation", "profile", "review",  "vote",    "discussion", "vouch",   "slash",   "reputationMarket",
  "broker",      "bond",    "project", "vouchV2", "market",     "rewards", "whuffie", "contractAddressManager"};
constexpr std::string_view name_of(contract_kind kind) {
  const auto at = static_cast<std::size_t>(kind);
  return at < contract_names.size() ? contract_names[at] : std::string_view{"any"};
}
/// The kind of that name; nothing for every other text, also for "any".
constexpr std::optional<contract_kind> contract_named(std::string_view name) {
  for (std::size_t i = 0; i < contract_names.size(); ++i)
    if (contract_names[i] == name)
      return static_cast<contract_kind>(i);
  return std::nullopt;
}

} // namespace credence::chain
