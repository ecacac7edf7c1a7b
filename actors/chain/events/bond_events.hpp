#pragma once

#include "actors/chain/event_description.hpp"

#include <string>

/// Events of bonds.
namespace credence::chain {

namespace bond_events {

/// A bond was made; its amount is a text.
struct bond_created {
  static constexpr event_name is{contract_kind::bond, "BondCreated"};
  onchain_bond bond;
  onchain_profile author_profile;
  std::string bond_type;
  std::string amount;
  std::string amount_type;
  static constexpr auto inputs() {
    using self = bond_created;
    return field_list{indexed("bondId", &self::bond), indexed("authorProfileId", &self::author_profile),
                      plain("bondType", &self::bond_type), plain("amount", &self::amount),
                      plain("amountType", &self::amount_type)};
  }
  friend bool operator==(const bond_created&, const bond_created&) = default;
};

/// A bond counts no longer, for good.
struct bond_archived {
  static constexpr event_name is{contract_kind::bond, "BondArchived"};
  onchain_bond bond;
  onchain_profile author_profile;
  address archived_by;
  std::string archive_reason;
  static constexpr auto inputs() {
    using self = bond_archived;
    return field_list{indexed("bondId", &self::bond), indexed("authorProfileId", &self::author_profile),
                      indexed("archivedBy", &self::archived_by), plain("archiveReason", &self::archive_reason)};
  }
  friend bool operator==(const bond_archived&, const bond_archived&) = default;
};

/// A bond ends at another time, which is a text.
struct bond_expiration_updated {
  static constexpr event_name is{contract_kind::bond, "BondExpirationUpdated"};
  onchain_bond bond;
  onchain_profile author_profile;
  address updated_by;
  std::string expiration;
  static constexpr auto inputs() {
    using self = bond_expiration_updated;
    return field_list{indexed("bondId", &self::bond), indexed("authorProfileId", &self::author_profile),
                      indexed("updatedBy", &self::updated_by), plain("expiration", &self::expiration)};
  }
  friend bool operator==(const bond_expiration_updated&, const bond_expiration_updated&) = default;
};

} // namespace bond_events

} // namespace credence::chain
