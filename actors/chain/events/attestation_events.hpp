#pragma once

#include "actors/chain/event_description.hpp"

#include <string>

/// Events of attestations of accounts.
namespace credence::chain {

namespace attestation_events {

/// An account at a service was attested for a profile.
struct attestation_created {
  static constexpr event_name is{contract_kind::attestation, "AttestationCreated"};
  onchain_profile profile;
  people::account_service service{};
  std::string account;
  std::string evidence;
  onchain_attestation attestation;
  static constexpr auto inputs() {
    using self = attestation_created;
    return field_list{indexed("profileId", &self::profile), plain("service", &self::service),
                      plain("account", &self::account), plain("evidence", &self::evidence),
                      indexed("attestationId", &self::attestation)};
  }
  friend bool operator==(const attestation_created&, const attestation_created&) = default;
};

/// The attestation counts no longer.
struct attestation_archived {
  static constexpr event_name is{contract_kind::attestation, "AttestationArchived"};
  onchain_profile profile;
  people::account_service service{};
  std::string account;
  onchain_attestation attestation;
  static constexpr auto inputs() {
    using self = attestation_archived;
    return field_list{indexed("profileId", &self::profile), plain("service", &self::service),
                      plain("account", &self::account), indexed("attestationId", &self::attestation)};
  }
  friend bool operator==(const attestation_archived&, const attestation_archived&) = default;
};

/// The account moved to another profile, and is live again.
struct attestation_claimed {
  static constexpr event_name is{contract_kind::attestation, "AttestationClaimed"};
  onchain_attestation attestation;
  people::account_service service{};
  std::string account;
  std::string evidence;
  onchain_profile profile;
  static constexpr auto inputs() {
    using self = attestation_claimed;
    return field_list{indexed("attestationId", &self::attestation), plain("service", &self::service),
                      plain("account", &self::account), plain("evidence", &self::evidence),
                      indexed("profileId", &self::profile)};
  }
  friend bool operator==(const attestation_claimed&, const attestation_claimed&) = default;
};

/// The attestation counts again.
struct attestation_restored {
  static constexpr event_name is{contract_kind::attestation, "AttestationRestored"};
  onchain_attestation attestation;
  people::account_service service{};
  std::string account;
  onchain_profile profile;
  static constexpr auto inputs() {
    using self = attestation_restored;
    return field_list{indexed("attestationId", &self::attestation), plain("service", &self::service),
                      plain("account", &self::account), indexed("profileId", &self::profile)};
  }
  friend bool operator==(const attestation_restored&, const attestation_restored&) = default;
};

} // namespace attestation_events

} // namespace credence::chain
