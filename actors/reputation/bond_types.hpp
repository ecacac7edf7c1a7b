#pragma once

#include "actors/domain/words.hpp"
#include "actors/reputation/record_words.hpp"

/// Bonds: what a verifier declares to lose if the person behind a profile is not who they say. Nobody holds the amount
/// here.
namespace credence::reputation {

using bond_id = id<struct bond_tag>;

/// How the person was met.
enum class verification_method : std::uint8_t { irl, video, voice };
CREDENCE_WORDS(verification_method, verification_method_names, "IRL", "VIDEO", "VOICE");

/// The end of a bond before its time, which is for good.
struct bond_end {
  timestamp at{};
  profile_id by; // the admin
  std::string reason;
};

struct bond_record {
  bond_id id; // 0: of a dry run
  profile_id author;
  subject_ref subject;        // the key is that of the profile
  profile_id subject_profile; // 0: a chain has not told it
  std::string type;
  std::string amount; // as its author wrote it; the unit is beside it
  std::string amount_type;
  std::string statement;
  std::optional<verification_method> method;
  std::string comment;
  timestamp expires_at{}; // 1970: a chain has not told it
  timestamp created_at{};
  timestamp updated_at{};
  std::optional<bond_end> ended;
};

// -- questions ----------------------------------------------------------------

/// A bond of a verifier for the person behind another profile, recorded by an admin. Without an expiration it lasts
/// `limits::bond_days_default`. Refused with `profile_not_live`, `forbidden` (the author is no verifier) or
/// `invalid_input`.
struct create_bond {
  using answer_type = bond_record;
  profile_id author;
  profile_id subject;
  std::string type;
  std::string amount;
  std::string amount_type;
  std::string statement;
  std::optional<verification_method> method;
  std::string comment;
  std::optional<timestamp> expires_at;
  profile_id by;
  bool dry_run = false;
};

/// Ends a bond for good; one that was archived is answered as it stands. Refused with `not_found`.
struct archive_bond {
  using answer_type = bond_record;
  bond_id id;
  std::string reason;
  profile_id by;
  bool dry_run = false;
};

/// Moves the expiration of a bond to another moment in the future. Refused with `not_found`, `record_archived` or
/// `invalid_input`.
struct set_bond_expiration {
  using answer_type = bond_record;
  bond_id id;
  timestamp expires_at{};
  profile_id by;
  bool dry_run = false;
};

/// A committed bond. Refused with `not_found`.
struct get_bond {
  using answer_type = bond_record;
  bond_id id;
};

// -- changes ------------------------------------------------------------------

struct bond_created {
  bond_record record;
  std::optional<fresh_subject> subject;
  profile_id by;
};
struct bond_archived {
  bond_id id;
  profile_id author;
  profile_id subject;
  bond_end end;
};
struct bond_expiration_set {
  bond_id id;
  profile_id author;
  profile_id subject;
  timestamp before{};
  timestamp expires_at{};
  profile_id by;
  timestamp at{};
};

} // namespace credence::reputation
