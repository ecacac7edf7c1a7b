#include "actors/wallets/failure_reason.hpp"

namespace credence::wallets {

namespace {

struct word {
  refusal_code code;
  std::string_view text;
};
constexpr word words[]{{refusal_code::nonce_conflict, "nonce_conflict"},
                       {refusal_code::insufficient_funds, "insufficient_funds"},
                       {refusal_code::contract_revert, "contract_revert"},
                       {refusal_code::blockchain_unavailable, "blockchain_unavailable"}};

} // namespace

std::string failure_reason(const refusal& why) {
  for (const auto& each : words)
    if (each.code == why.code)
      return std::string{each.text} + ": " + why.detail;
  return why.detail;
}

refusal refusal_of(std::string_view reason) {
  for (const auto& each : words)
    if (reason.starts_with(each.text) && reason.substr(each.text.size()).starts_with(": "))
      return {each.code, std::string{reason.substr(each.text.size() + 2)}};
  return {refusal_code::blockchain_unavailable, std::string{reason}};
}

refusal reverted_in(std::uint64_t block) {
  return {refusal_code::contract_revert, "the contract refused it in block " + std::to_string(block)};
}

} // namespace credence::wallets
