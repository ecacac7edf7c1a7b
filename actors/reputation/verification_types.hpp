#pragma once

#include "actors/people/user_types.hpp"
#include "actors/reputation/bond_types.hpp"

#include <vector>

/// Human verification: that somebody has made sure of the person behind a profile. An admin's word decides where there
/// is one; else it follows from the bonds in force (`count_bonds`, 0006_records.sql).
namespace credence::reputation {

/// What an admin said last of the person behind a profile.
struct verification_record {
  profile_id profile;
  user_id user;
  bool verified = false; // false: the verification was withdrawn
  std::optional<verification_method> method;
  std::string comment;
  profile_id by;
  timestamp created_at{}; // when an admin first said anything
  timestamp updated_at{};
  std::optional<timestamp> verified_at; // the last time; none: only ever withdrawn
};

/// A bond about a person, and who made it.
struct bond_about {
  bond_record record;
  people::user_ptr author;
};

/// The status of a person; the record is there where an admin has said something.
struct verification_status {
  std::optional<people::human_verification> status;
  std::optional<verification_record> record;
  std::vector<bond_about> bonds = {}; // the newest first, `limits::bonds_shown_max` at most
};

// -- questions ----------------------------------------------------------------

/// An admin's word that the person behind a profile is verified, or is not any more. It does not depend on bonds. Where
/// it changes nothing, the answer is the same. Answered with the profile; refused with `profile_not_live`, or, where it
/// is withdrawn, `not_found` or `not_verified`.
struct decide_verification {
  using answer_type = profile_id;
  profile_id profile;
  bool verified = true; // false: withdraw
  std::optional<verification_method> method;
  std::string comment;
  profile_id by;
  bool dry_run = false;
};

/// What is committed of a user.
struct get_verification {
  using answer_type = verification_status;
  user_id user;
};

// -- changes ------------------------------------------------------------------

/// The record as it is from now on.
struct verification_decided {
  verification_record record;
  std::optional<people::human_verification> before;
};

} // namespace credence::reputation
