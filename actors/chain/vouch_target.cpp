#include "actors/chain/chain_records.hpp"
#include "actors/domain/hash.hpp"
#include "actors/people/lookup_types.hpp"
#include "config/limits.hpp"

#include <algorithm>
#include <charconv>

namespace credence::chain {

namespace {

constexpr std::string_view of_profile = "profileId:", of_address = "address:", of_service = "service:";

/// Our id for the profile that the contract knows by that number.
std::optional<profile_id> profile_in(std::string_view digits, std::int32_t id_offset) {
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size() || number < 1 || digits.front() == '0')
    return std::nullopt;
  const auto ours = std::int64_t{number} + id_offset;
  return ours <= limits::id_max ? std::optional{profile_id{static_cast<std::int32_t>(ours)}} : std::nullopt;
}

bool is_account(people::account_service service, std::string_view account) {
  const bool letters = service == people::account_service::github;
  return !account.empty() && account.size() <= static_cast<std::size_t>(limits::account_id_length_max)
         && std::all_of(account.begin(), account.end(), [letters](char c) {
              return (c >= '0' && c <= '9')
                     || (letters && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-'));
            });
}

std::optional<vouch_target> account_in(std::string_view text) {
  const auto colon = text.find(':');
  const auto& names = people::service_names;
  const auto service = std::find(names.begin(), names.end(), text.substr(0, colon));
  if (colon == std::string_view::npos || service == names.end())
    return std::nullopt;
  const auto account = text.substr(colon + 1);
  if (!is_account(static_cast<people::account_service>(service - names.begin()), account))
    return std::nullopt;
  return vouch_target{attestation_hash(*service, account), std::string{*service}, std::string{account}};
}

} // namespace

vouch_target vouch_target_of(std::string_view userkey, const digest32& hash, std::int32_t id_offset) {
  const vouch_target unknown{hash, std::nullopt, std::nullopt};
  if (keccak256(userkey) != hash)
    return unknown;
  if (userkey.starts_with(of_profile)) {
    const auto which = profile_in(userkey.substr(of_profile.size()), id_offset);
    return which ? vouch_target{*which, std::nullopt, std::nullopt} : unknown;
  }
  if (userkey.starts_with(of_address)) {
    const auto which = parse_address(userkey.substr(of_address.size()));
    return which ? vouch_target{*which, std::nullopt, std::nullopt} : unknown;
  }
  if (userkey.starts_with(of_service))
    return account_in(userkey.substr(of_service.size())).value_or(unknown);
  return unknown;
}

} // namespace credence::chain
