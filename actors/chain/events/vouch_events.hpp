#pragma once

#include "actors/chain/event_description.hpp"

/// Events of vouches in ether.
namespace credence::chain {

namespace vouch_events {

/// A vouch was made: `amount_staked` before fees, `amount_deposited` after them. The subject is the hash unless it is
/// zero, else the address, else the profile.
struct vouched {
  static constexpr event_name is{contract_kind::vouch, "Vouched"};
  onchain_vouch vouch;
  onchain_profile author_profile;
  onchain_profile subject_profile;
  address subject_address;
  digest32 attestation_hash{};
  uint256 amount_staked;
  uint256 amount_deposited;
  static constexpr auto inputs() {
    using self = vouched;
    return field_list{indexed("vouchId", &self::vouch),
                      indexed("authorProfileId", &self::author_profile),
                      indexed("subjectProfileId", &self::subject_profile),
                      plain("subjectAddress", &self::subject_address),
                      plain("attestationHash", &self::attestation_hash),
                      plain("amountStaked", &self::amount_staked),
                      plain("amountDeposited", &self::amount_deposited)};
  }
  friend bool operator==(const vouched&, const vouched&) = default;
};

/// More was put into a vouch: the amounts are what was added.
struct vouch_increased {
  static constexpr event_name is{contract_kind::vouch, "VouchIncreased"};
  onchain_vouch vouch;
  onchain_profile author_profile;
  onchain_profile subject_profile;
  address subject_address;
  digest32 attestation_hash{};
  uint256 amount_staked;
  uint256 amount_deposited;
  static constexpr auto inputs() {
    using self = vouch_increased;
    return field_list{indexed("vouchId", &self::vouch),
                      indexed("authorProfileId", &self::author_profile),
                      indexed("subjectProfileId", &self::subject_profile),
                      plain("subjectAddress", &self::subject_address),
                      plain("attestationHash", &self::attestation_hash),
                      plain("amountStaked", &self::amount_staked),
                      plain("amountDeposited", &self::amount_deposited)};
  }
  friend bool operator==(const vouch_increased&, const vouch_increased&) = default;
};

/// A vouch was taken back. The vouch in WHUF has an event of the same signature with fewer topics.
struct unvouched {
  static constexpr event_name is{contract_kind::vouch, "Unvouched"};
  onchain_vouch vouch;
  onchain_profile author_profile;
  onchain_profile subject_profile;
  uint256 amount_withdrawn;
  static constexpr auto inputs() {
    using self = unvouched;
    return field_list{indexed("vouchId", &self::vouch), indexed("authorProfileId", &self::author_profile),
                      indexed("subjectProfileId", &self::subject_profile),
                      plain("amountWithdrawn", &self::amount_withdrawn)};
  }
  friend bool operator==(const unvouched&, const unvouched&) = default;
};

/// The author says that the vouch ended in distrust.
struct marked_unhealthy {
  static constexpr event_name is{contract_kind::vouch, "MarkedUnhealthy"};
  onchain_vouch vouch;
  onchain_profile author_profile;
  onchain_profile subject_profile;
  static constexpr auto inputs() {
    using self = marked_unhealthy;
    return field_list{indexed("vouchId", &self::vouch), indexed("authorProfileId", &self::author_profile),
                      indexed("subjectProfileId", &self::subject_profile)};
  }
  friend bool operator==(const marked_unhealthy&, const marked_unhealthy&) = default;
};

/// Every active vouch of the author was cut by so many basis points.
struct slashed {
  static constexpr event_name is{contract_kind::vouch, "Slashed"};
  onchain_profile author_profile;
  uint256 slash_basis_points;
  uint256 total_slashed;
  static constexpr auto inputs() {
    using self = slashed;
    return field_list{indexed("authorProfileId", &self::author_profile),
                      plain("slashBasisPoints", &self::slash_basis_points),
                      plain("totalSlashed", &self::total_slashed)};
  }
  friend bool operator==(const slashed&, const slashed&) = default;
};

/// The vouches of an author are frozen, or free again.
struct frozen {
  static constexpr event_name is{contract_kind::vouch, "Frozen"};
  onchain_profile author_profile;
  bool is_frozen = false;
  static constexpr auto inputs() {
    using self = frozen;
    return field_list{indexed("authorProfileId", &self::author_profile), plain("isFrozen", &self::is_frozen)};
  }
  friend bool operator==(const frozen&, const frozen&) = default;
};

/// Vouches for an account count for another profile from now on.
struct attestation_vouch_mapping_updated {
  static constexpr event_name is{contract_kind::vouch, "AttestationVouchMappingUpdated"};
  digest32 attestation_hash{};
  onchain_profile former_profile;
  onchain_profile new_profile;
  static constexpr auto inputs() {
    using self = attestation_vouch_mapping_updated;
    return field_list{indexed("attestationHash", &self::attestation_hash),
                      indexed("formerProfileId", &self::former_profile), indexed("newProfileId", &self::new_profile)};
  }
  friend bool operator==(const attestation_vouch_mapping_updated&, const attestation_vouch_mapping_updated&) = default;
};

/// Rewards of a profile grew.
struct deposited_to_rewards {
  static constexpr event_name is{contract_kind::vouch, "DepositedToRewards"};
  onchain_profile recipient_profile;
  uint256 amount;
  static constexpr auto inputs() {
    using self = deposited_to_rewards;
    return field_list{indexed("recipientProfileId", &self::recipient_profile), plain("amount", &self::amount)};
  }
  friend bool operator==(const deposited_to_rewards&, const deposited_to_rewards&) = default;
};

/// Rewards of a profile were paid out.
struct withdrawn_from_rewards {
  static constexpr event_name is{contract_kind::vouch, "WithdrawnFromRewards"};
  onchain_profile account_profile;
  uint256 amount;
  static constexpr auto inputs() {
    using self = withdrawn_from_rewards;
    return field_list{indexed("accountProfileId", &self::account_profile), plain("amount", &self::amount)};
  }
  friend bool operator==(const withdrawn_from_rewards&, const withdrawn_from_rewards&) = default;
};

/// Who gets the fees of the protocol.
struct protocol_fee_address_updated {
  static constexpr event_name is{contract_kind::vouch, "ProtocolFeeAddressUpdated"};
  address new_fee_protocol_address;
  static constexpr auto inputs() {
    using self = protocol_fee_address_updated;
    return field_list{plain("newFeeProtocolAddress", &self::new_fee_protocol_address)};
  }
  friend bool operator==(const protocol_fee_address_updated&, const protocol_fee_address_updated&) = default;
};

/// The share of the protocol in what is put into a vouch.
struct entry_protocol_fee_basis_points_updated {
  static constexpr event_name is{contract_kind::vouch, "EntryProtocolFeeBasisPointsUpdated"};
  uint256 bps;
  static constexpr auto inputs() {
    using self = entry_protocol_fee_basis_points_updated;
    return field_list{plain("bps", &self::bps)};
  }
  friend bool operator==(const entry_protocol_fee_basis_points_updated&,
                         const entry_protocol_fee_basis_points_updated&) = default;
};

/// The share of the subject in what is put into a vouch.
struct entry_donation_fee_basis_points_updated {
  static constexpr event_name is{contract_kind::vouch, "EntryDonationFeeBasisPointsUpdated"};
  uint256 bps;
  static constexpr auto inputs() {
    using self = entry_donation_fee_basis_points_updated;
    return field_list{plain("bps", &self::bps)};
  }
  friend bool operator==(const entry_donation_fee_basis_points_updated&,
                         const entry_donation_fee_basis_points_updated&) = default;
};

/// The share of earlier vouchers in what is put into a vouch.
struct entry_vouchers_pool_fee_basis_points_updated {
  static constexpr event_name is{contract_kind::vouch, "EntryVouchersPoolFeeBasisPointsUpdated"};
  uint256 bps;
  static constexpr auto inputs() {
    using self = entry_vouchers_pool_fee_basis_points_updated;
    return field_list{plain("bps", &self::bps)};
  }
  friend bool operator==(const entry_vouchers_pool_fee_basis_points_updated&,
                         const entry_vouchers_pool_fee_basis_points_updated&) = default;
};

/// The share of the protocol in what is taken out of a vouch.
struct exit_fee_basis_points_updated {
  static constexpr event_name is{contract_kind::vouch, "ExitFeeBasisPointsUpdated"};
  uint256 bps;
  static constexpr auto inputs() {
    using self = exit_fee_basis_points_updated;
    return field_list{plain("bps", &self::bps)};
  }
  friend bool operator==(const exit_fee_basis_points_updated&, const exit_fee_basis_points_updated&) = default;
};

/// A vouch as the contract told it at first: of a profile.
struct early_vouched {
  static constexpr event_name is{contract_kind::vouch, "Vouched"};
  onchain_vouch vouch;
  onchain_profile author_profile;
  onchain_profile subject_profile;
  uint256 amount_staked;
  uint256 amount_deposited;
  static constexpr auto inputs() {
    using self = early_vouched;
    return field_list{indexed("vouchId", &self::vouch), indexed("authorProfileId", &self::author_profile),
                      indexed("subjectProfileId", &self::subject_profile), plain("amountStaked", &self::amount_staked),
                      plain("amountDeposited", &self::amount_deposited)};
  }
  friend bool operator==(const early_vouched&, const early_vouched&) = default;
};

/// More was put into a vouch, as the contract told it at first.
struct early_vouch_increased {
  static constexpr event_name is{contract_kind::vouch, "VouchIncreased"};
  onchain_vouch vouch;
  onchain_profile author_profile;
  onchain_profile subject_profile;
  uint256 amount_staked;
  uint256 amount_deposited;
  static constexpr auto inputs() {
    using self = early_vouch_increased;
    return field_list{indexed("vouchId", &self::vouch), indexed("authorProfileId", &self::author_profile),
                      indexed("subjectProfileId", &self::subject_profile), plain("amountStaked", &self::amount_staked),
                      plain("amountDeposited", &self::amount_deposited)};
  }
  friend bool operator==(const early_vouch_increased&, const early_vouch_increased&) = default;
};

} // namespace vouch_events

} // namespace credence::chain
