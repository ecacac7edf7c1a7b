#pragma once

#include "actors/domain/outcome.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
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

// Kinds of records. Each has one source per installation: the chain where it is followed, else the API.

enum class record_kind : std::uint8_t {
  identity,
  review,
  vote,
  reply,
  vouch,
  bond,
  broker,
  project,
  token,
  slash,
  market
};
inline constexpr std::array<std::string_view, 11> record_kind_names{
  "identity", "review", "vote", "reply", "vouch", "bond", "broker", "project", "token", "slash", "market"};
constexpr std::string_view name_of(record_kind kind) { return record_kind_names[static_cast<std::size_t>(kind)]; }
constexpr std::optional<record_kind> record_kind_named(std::string_view name) {
  for (std::size_t i = 0; i < record_kind_names.size(); ++i)
    if (record_kind_names[i] == name)
      return static_cast<record_kind>(i);
  return std::nullopt;
}
/// The kind of records that a contract's events are about; nothing where no records are made of them.
constexpr std::optional<record_kind> record_kind_of(contract_kind contract) {
  switch (contract) {
    case contract_kind::attestation:
    case contract_kind::profile: return record_kind::identity;
    case contract_kind::review: return record_kind::review;
    case contract_kind::vote: return record_kind::vote;
    case contract_kind::discussion: return record_kind::reply;
    case contract_kind::vouch:
    case contract_kind::vouch_v2: return record_kind::vouch;
    case contract_kind::bond: return record_kind::bond;
    case contract_kind::broker: return record_kind::broker;
    case contract_kind::project: return record_kind::project;
    case contract_kind::whuffie:
    case contract_kind::rewards: return record_kind::token;
    case contract_kind::slash: return record_kind::slash;
    case contract_kind::reputation_market:
    case contract_kind::market: return record_kind::market;
    default: return std::nullopt;
  }
}

/// Some kinds.
class record_kinds {
public:
  constexpr bool contains(record_kind kind) const noexcept { return (bits_ >> static_cast<unsigned>(kind) & 1u) != 0; }
  constexpr bool contains(contract_kind contract) const noexcept {
    const auto kind = record_kind_of(contract);
    return kind && contains(*kind);
  }
  constexpr void add(record_kind kind) noexcept { bits_ |= 1u << static_cast<unsigned>(kind); }
  constexpr bool empty() const noexcept { return bits_ == 0; }
  friend bool operator==(const record_kinds&, const record_kinds&) = default;

private:
  std::uint32_t bits_ = 0;
};

/// Their names, with commas between them.
inline std::string text_of(const record_kinds& kinds) {
  std::string out;
  for (std::size_t i = 0; i < record_kind_names.size(); ++i)
    if (kinds.contains(static_cast<record_kind>(i)))
      out.append(out.empty() ? "" : ",").append(record_kind_names[i]);
  return out;
}

/// Why nobody writes records of that kind over the API.
inline refusal made_of_events(record_kind kind) {
  return {refusal_code::followed_from_chain,
          "records of the kind " + std::string{name_of(kind)}
            + " are made of a chain's events here: send a transaction to its contract"};
}

} // namespace credence::chain
