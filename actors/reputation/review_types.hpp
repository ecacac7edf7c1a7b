#pragma once

#include "actors/reputation/record_words.hpp"

#include <array>
#include <string_view>

/// Reviews: what a profile says of a wallet or an account, with a score of three steps. Whoever names a profile means
/// its primary address, or an account that it has proved.
namespace credence::reputation {

enum class review_score : std::uint8_t { negative, neutral, positive };
inline constexpr std::array<std::string_view, 3> review_score_names{"negative", "neutral", "positive"};

struct review_record {
  review_id id; // 0: of a dry run
  profile_id author;
  std::optional<address> author_address; // primary when it was written; null: there was none
  subject_ref subject;
  review_score score{};
  std::string comment;
  std::string metadata;
  bool archived = false;
  timestamp created_at{};
  timestamp updated_at{};
  std::int32_t edits = 0;
  bool taken_down = false; // archived by an admin: its author cannot restore it
};

// -- questions ----------------------------------------------------------------

/// Refused with `profile_not_live` or `cannot_review_self`.
struct create_review {
  using answer_type = review_record;
  profile_id author;
  named_subject subject;
  review_score score{};
  std::string comment;
  std::string metadata;
  bool dry_run = false;
};

/// New texts of a review, by its author; those that are absent stay. Refused with `not_found`, `forbidden`,
/// `profile_not_live` or `record_archived`.
struct edit_review {
  using answer_type = review_record;
  review_id id;
  profile_id by;
  std::optional<std::string> comment;
  std::optional<std::string> metadata;
  bool dry_run = false;
};

/// Archives or restores a review, by its author (a live profile) or an admin; where that changes nothing, the answer is
/// the review as it is. Refused with `not_found`, `forbidden` or `profile_not_live`.
struct archive_review {
  using answer_type = review_record;
  review_id id;
  profile_id by;
  bool as_admin = false;
  bool archived = true; // false: restore
  bool dry_run = false;
};

/// A committed review; refused with `not_found`.
struct get_review {
  using answer_type = review_record;
  review_id id;
};

// -- changes ------------------------------------------------------------------

struct review_created {
  review_record record;
  std::optional<fresh_subject> subject; // that comes with it
};
struct review_edited {
  review_id id;
  std::string comment;
  std::string metadata;
  std::int32_t edits = 0;
  timestamp at{};
  profile_id by = {};
};
struct review_archived {
  review_id id;
  bool archived = true; // false: restored
  timestamp at{};
  profile_id author = {};
  bool taken_down = false; // by an admin who is not its author
};

} // namespace credence::reputation
