#include "http/api/wallets/activity_types.hpp"

#include "http/call/parameters.hpp"

#include <optional>
#include <string>

namespace credence::http {

namespace {

using chain::contract_kind;
using reputation::activity_kind;

struct activity_type {
  std::string_view name;
  std::optional<activity_kind> kind; // null: it takes neither votes nor replies
  contract_kind contract = contract_kind::any;
};

constexpr activity_type types[] = {
  {"attestation", activity_kind::attestation, contract_kind::attestation},
  {"bond", activity_kind::bond, contract_kind::bond},
  {"broker-post", activity_kind::broker, contract_kind::broker},
  {"closed-slash", activity_kind::slash, contract_kind::slash},
  {"human-verification", std::nullopt},
  {"invitation-accepted", std::nullopt},
  {"market", activity_kind::market, contract_kind::reputation_market},
  {"market-vote", std::nullopt},
  {"open-slash", activity_kind::slash, contract_kind::slash},
  {"project", activity_kind::project, contract_kind::project},
  {"reply", activity_kind::discussion, contract_kind::discussion},
  {"reputation-market", activity_kind::market, contract_kind::reputation_market},
  {"review", activity_kind::review, contract_kind::review},
  {"slash", activity_kind::slash, contract_kind::slash},
  {"unvouch", activity_kind::vouch, contract_kind::vouch},
  {"vote", std::nullopt},
  {"vouch", activity_kind::vouch, contract_kind::vouch},
  {"xp-tip", std::nullopt},
};

} // namespace

outcome<activity_target> activity_named(std::string_view type, std::int32_t id) {
  std::string all;
  for (const auto& each : types) {
    if (each.name != type) {
      all.append(all.empty() ? "" : ", ").append(each.name);
      continue;
    }
    if (each.kind)
      return activity_target{{*each.kind, id}, each.contract};
    return refusal{refusal_code::invalid_input,
                   "activities of the type " + std::string{type} + " take neither votes nor replies"};
  }
  return refusal{refusal_code::invalid_input, "type must be one of " + all + ", not " + shown(type)};
}

} // namespace credence::http
