#pragma once

#include "actors/chain/event_description.hpp"

/// Events of profiles, their addresses and invitations.
namespace credence::chain {

/// What became of an address.
enum class address_claim_kind : std::uint8_t { unclaimed, claimed };
template <>
inline constexpr std::uint8_t enum_size<address_claim_kind> = 2;

namespace profile_events {

/// Somebody joined; with the id that the contract had reserved for the address, if it had.
struct profile_created {
  static constexpr event_name is{contract_kind::profile, "ProfileCreated"};
  onchain_profile profile;
  address addr;
  static constexpr auto inputs() {
    using self = profile_created;
    return field_list{indexed("profileId", &self::profile), indexed("addr", &self::addr)};
  }
  friend bool operator==(const profile_created&, const profile_created&) = default;
};

/// An id was reserved for an address or account that has no profile yet.
struct mock_profile_created {
  static constexpr event_name is{contract_kind::profile, "MockProfileCreated"};
  onchain_profile mock;
  static constexpr auto inputs() {
    using self = mock_profile_created;
    return field_list{indexed("mockId", &self::mock)};
  }
  friend bool operator==(const mock_profile_created&, const mock_profile_created&) = default;
};

/// The profile takes part no longer.
struct profile_archived {
  static constexpr event_name is{contract_kind::profile, "ProfileArchived"};
  onchain_profile profile;
  static constexpr auto inputs() {
    using self = profile_archived;
    return field_list{indexed("profileId", &self::profile)};
  }
  friend bool operator==(const profile_archived&, const profile_archived&) = default;
};

/// The profile takes part again.
struct profile_restored {
  static constexpr event_name is{contract_kind::profile, "ProfileRestored"};
  onchain_profile profile;
  static constexpr auto inputs() {
    using self = profile_restored;
    return field_list{indexed("profileId", &self::profile)};
  }
  friend bool operator==(const profile_restored&, const profile_restored&) = default;
};

/// An address was linked to a profile, or let go.
struct address_claim {
  static constexpr event_name is{contract_kind::profile, "AddressClaim"};
  onchain_profile profile;
  address addr;
  address_claim_kind claim{};
  static constexpr auto inputs() {
    using self = address_claim;
    return field_list{indexed("profileId", &self::profile), indexed("addr", &self::addr),
                      indexed("claim", &self::claim)};
  }
  friend bool operator==(const address_claim&, const address_claim&) = default;
};

/// A profile invited an address.
struct user_invited {
  static constexpr event_name is{contract_kind::profile, "UserInvited"};
  onchain_profile inviter;
  address invitee_address;
  static constexpr auto inputs() {
    using self = user_invited;
    return field_list{plain("inviterID", &self::inviter), plain("inviteeAddress", &self::invitee_address)};
  }
  friend bool operator==(const user_invited&, const user_invited&) = default;
};

/// An invitation was withdrawn.
struct uninvited {
  static constexpr event_name is{contract_kind::profile, "Uninvited"};
  onchain_profile inviter;
  address inviter_address;
  uint256 remaining_invites;
  address uninvited_user;
  static constexpr auto inputs() {
    using self = uninvited;
    return field_list{plain("inviterId", &self::inviter), plain("inviterAddress", &self::inviter_address),
                      plain("remainingInvites", &self::remaining_invites),
                      plain("uninvitedUser", &self::uninvited_user)};
  }
  friend bool operator==(const uninvited&, const uninvited&) = default;
};

/// A profile may invite so many more.
struct invites_added {
  static constexpr event_name is{contract_kind::profile, "InvitesAdded"};
  onchain_profile profile;
  uint256 amount;
  static constexpr auto inputs() {
    using self = invites_added;
    return field_list{plain("profileId", &self::profile), plain("amount", &self::amount)};
  }
  friend bool operator==(const invites_added&, const invites_added&) = default;
};

/// Profiles made from now on may invite so many.
struct default_invites_changed {
  static constexpr event_name is{contract_kind::profile, "DefaultInvitesChanged"};
  uint256 default_invites;
  static constexpr auto inputs() {
    using self = default_invites_changed;
    return field_list{plain("defaultInvites", &self::default_invites)};
  }
  friend bool operator==(const default_invites_changed&, const default_invites_changed&) = default;
};

} // namespace profile_events

} // namespace credence::chain
