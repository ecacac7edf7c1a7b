#pragma once

#include "actors/reputation/record_words.hpp"

/// Attestations: which accounts elsewhere are a profile's.
namespace credence::reputation {

using attestation_id = id<struct attestation_tag>;

/// An account and whose it is. One that was only reviewed or vouched for has a row, too, which nobody has attested.
struct attestation_record {
  attestation_id id;  // 0: of a dry run
  profile_id profile; // 0: nobody has attested it
  named_subject name; // with the account
  std::optional<std::string> username = {};
  std::optional<std::string> url = {};
  std::optional<std::string> evidence = {}; // none: it was not attested over the API
  bool archived = false;
  timestamp created_at{};
  timestamp updated_at{};
};

// -- questions ----------------------------------------------------------------

/// Makes an account one of a profile, live, whoever had it before: that is the claim. Without `from_profiles` another
/// profile's account stays there. By an admin or a profile of `people.attestors`. The records about the account become
/// records about the profile, so none may be by the profile itself, and no open slash may name the account or its user.
/// Where the account is the profile's already, the answer is the same. Refused with `forbidden`, `profile_not_live`,
/// `account_taken` (a listing's, or another profile's without `from_profiles`), `slash_is_open` or `own_records`.
struct attest_account {
  using answer_type = attestation_record;
  profile_id profile;
  named_subject which;
  std::optional<std::string> username; // absent: as it was
  std::string evidence;
  profile_id by; // 0: an admin without a profile
  bool as_admin = false;
  bool from_profiles = true;
  bool dry_run = false; // answered with the id 0 where the account has no row yet
};

/// Archives an attestation, by the profile that has it, an attestor or an admin; or restores it, by the latter two:
/// while it is archived, look-ups by the account find nobody, but what the account receives is still its user's.
/// Refused with `not_found`, `forbidden`, `profile_not_live` or `account_taken`.
struct archive_attestation {
  using answer_type = attestation_record;
  attestation_id id;
  profile_id by;
  bool as_admin = false;
  bool archived = true; // false: restore
  bool dry_run = false;
};

/// A committed attestation; refused with `not_found`.
struct get_attestation {
  using answer_type = attestation_record;
  attestation_id id;
};

// -- changes ------------------------------------------------------------------

/// The attestation as it is from now on.
struct account_attested {
  attestation_record record;
  user_id user;                                  // of its profile
  bool fresh = false;                            // the account had no row
  std::optional<user_id> before = {};            // another one, whose it was
  std::optional<profile_id> profile_before = {}; // of that user
  bool merges = false;                           // that user has nothing else: it becomes a part of this one
  profile_id by = {};
};
struct attestation_archived {
  attestation_id id;
  bool archived = true; // false: restored
  timestamp at{};
  profile_id profile = {}; // that has it
};

// -- loading ------------------------------------------------------------------

/// The row of an account, and who its user is.
struct attestation_row {
  attestation_record record;
  user_id owner;
  profile_id profile = {}; // of that user; 0: none
  bool listed = false;     // the user is one of a listing
  std::int32_t others = 0; // addresses and live accounts that the user has besides
  bool superseded = false; // another row says whose the account is
};

} // namespace credence::reputation
