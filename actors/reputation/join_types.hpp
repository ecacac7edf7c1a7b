#pragma once

#include "actors/domain/settled.hpp"
#include "actors/domain/words.hpp"
#include "actors/profile/signed_nonce.hpp"
#include "actors/reputation/record_words.hpp"

/// Joining: profiles, their addresses and who may make one.
namespace credence::reputation {

// -- profiles -----------------------------------------------------------------

/// A profile of an address. By an admin for anybody's; else by whoever signed with the address, where registration is
/// open or somebody has invited it. Refused with `address_taken`, `slash_is_open`, `nonce_reused`, `not_invited` or,
/// where an admin names an inviter who is not live, `profile_not_live`.
struct create_profile {
  using answer_type = profile_id;
  address account;
  std::optional<profile_id> inviter;
  bool by_admin = false;
  std::optional<profile::signed_nonce> by; // of the message that was signed
  bool dry_run = false;                    // answered with 0
};

/// Archives a profile, by itself or an admin, or restores it, by an admin: whoever is archived has no credential that
/// counts. One that is so already is answered as it stands. Refused with `not_found` or `forbidden`.
struct archive_profile {
  using answer_type = profile_id;
  profile_id id;
  profile_id by;
  bool as_admin = false;
  bool archived = true; // false: restore
  bool dry_run = false;
};

/// New names of a profile; those that are absent stay. Refused with `profile_not_live` or `username_taken`.
struct edit_profile {
  using answer_type = profile_id;
  profile_id id;
  std::optional<std::string> display_name;
  std::optional<std::string> username; // letters, digits and underscores of ASCII
  std::optional<std::string> avatar_url;
  std::optional<std::string> description; // empty: none
  bool dry_run = false;
};

/// What others see of a user, as it is after an edit.
struct profile_texts {
  std::string display_name;
  std::optional<std::string> username;
  std::string avatar_url;
  std::optional<std::string> description;
  friend bool operator==(const profile_texts&, const profile_texts&) = default;
};

// -- addresses ----------------------------------------------------------------

/// Makes an address one of a profile: it has signed, or an admin orders so. One that is so already is answered as it
/// stands. What its subject has received comes along, so nothing of that may be the profile's own, and no open slash
/// may name the address. Refused with `profile_not_live`, `address_taken`, `nonce_reused`, `address_limit_reached`,
/// `slash_is_open` or `own_records`.
struct link_address {
  using answer_type = profile_id;
  profile_id profile;
  address account;
  std::optional<profile::signed_nonce> by; // none: an admin's order
  bool dry_run = false;
};

/// Lets a primary or linked address go; what it received stays with the profile. Refused with `profile_not_live`,
/// `not_found`, `last_address` or `slash_is_open`.
struct unlink_address {
  using answer_type = profile_id;
  profile_id profile;
  address account;
  bool dry_run = false;
};

// -- invitations --------------------------------------------------------------

enum class invitation_status : std::uint8_t { invited, accepted, accepted_other, withdrawn };
CREDENCE_WORDS(invitation_status, invitation_status_names, "INVITED", "ACCEPTED", "ACCEPTED_OTHER_INVITATION",
               "WITHDRAWN");

struct invitation_record {
  invitation_id id; // 0: of a dry run
  profile_id sender;
  address recipient;
  invitation_status status{};
  timestamp invited_at{};
  std::optional<timestamp> accepted_at = {};
  std::optional<profile_id> profile = {}; // that was made by it
};

/// Refused with `profile_not_live`, `no_invites_left`, `address_taken` or `already_invited`.
struct send_invitation {
  using answer_type = invitation_record;
  profile_id sender;
  address recipient;
  bool dry_run = false;
};

/// Takes an open invitation back, and its sender may send another. One that is withdrawn is answered as it stands.
/// Refused with `not_found`, `forbidden`, `profile_not_live` or `invitation_closed`.
struct cancel_invitation {
  using answer_type = invitation_record;
  invitation_id id;
  profile_id by;
  bool dry_run = false;
};

/// A committed invitation; refused with `not_found`.
struct get_invitation {
  using answer_type = invitation_record;
  invitation_id id;
};

// -- changes ------------------------------------------------------------------

struct profile_created {
  profile_id id;
  user_id user;
  std::optional<fresh_user> fresh; // of an address that was nobody's
  address account;
  std::optional<profile_id> inviter;
  std::optional<invitation_id> accepted; // of the open ones of the address; the others are accepted elsewhere
  std::int32_t invites = 0;
  std::optional<profile::signed_nonce> by;
  timestamp at{};
};
struct profile_archived {
  profile_id id;
  user_id user;
  bool archived = true; // false: restored
  timestamp at{};
};
struct profile_edited {
  profile_id id;
  user_id user;
  profile_texts texts;
  timestamp at{};
};
struct address_linked {
  address account;
  profile_id profile;
  user_id user;
  std::optional<user_id> before;           // whose it was
  bool merges = false;                     // that user has nothing else: it becomes a part of this one
  bool primary = false;                    // the profile had none
  std::optional<profile::signed_nonce> by; // none: an admin's order
  timestamp at{};
};
struct address_unlinked {
  address account;
  profile_id profile;
  user_id to; // a user of its own
  fresh_user fresh;
  std::optional<std::int32_t> generation; // that opens for it, where it was ever a subject
  std::optional<address> primary;         // which becomes that
  timestamp at{};
};
struct invitation_sent {
  invitation_id id;
  profile_id sender;
  address recipient;
  timestamp at{};
};
struct invitation_withdrawn {
  invitation_id id;
  profile_id sender;
  timestamp at{};
};

// -- loading ------------------------------------------------------------------

/// A profile, as far as records go by it.
struct profile_row {
  profile_id id;
  user_id user;
  bool archived = false;
  std::vector<address> addresses = {}; // primary and linked ones: the primary one first, then as they were added
  bool has_primary = false;
  std::int32_t invites = 0;
  profile_texts texts = {};
  unsettled_block unsettled = {};

  std::optional<address> wallet() const { return addresses.empty() ? std::nullopt : std::optional{addresses.front()}; }
};

/// Who has an address.
struct address_row {
  address account;
  user_id owner = {};      // 0: nobody
  profile_id profile = {}; // of that user; 0: none
  bool listed = false;     // the user is one of a listing
  std::int32_t others = 0; // addresses and accounts that the user has besides
  bool slashed = false;    // an open slash names the address or the user
};

} // namespace credence::reputation
