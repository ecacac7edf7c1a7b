#pragma once

#include "actors/domain/settled.hpp"
#include "actors/domain/words.hpp"
#include "actors/reputation/record_words.hpp"

#include <string_view>

/// What people do about activities: replies, and votes up or down.
namespace credence::reputation {

enum class activity_kind : std::uint8_t {
  attestation,
  discussion,
  market,
  project,
  review,
  slash,
  vouch,
  bond,
  broker,
  vouch_v2
};
/// As clients and the database write them; a discussion is a reply, `broker` a post of the broker, and `vouchV2` a
/// vouch of that contract.
CREDENCE_WORDS(activity_kind, activity_kind_names, "attestation", "discussion", "reputationMarket", "project", "review",
               "slash", "vouch", "bond", "broker", "vouchV2");
inline std::string_view name_of(activity_kind kind) { return activity_kind_names[static_cast<std::size_t>(kind)]; }

/// Something that was done: a record and its kind.
struct activity {
  activity_kind kind{};
  std::int32_t id = 0;
  friend auto operator<=>(const activity&, const activity&) = default;
};

struct reply_record {
  reply_id id; // 0: of a dry run
  profile_id author;
  activity on;
  std::optional<reply_id> parent;
  std::string content;
  std::string metadata;
  timestamp created_at{};
  timestamp updated_at{};
  std::int32_t edits = 0;
  bool pinned = false;
};

/// The vote of a profile on an activity.
struct activity_vote {
  activity on;
  profile_id voter;
  std::int32_t number = 0; // among all such votes; 0: of a dry run
  bool upvote = true;
  bool archived = false; // withdrawn
  timestamp created_at{};
  timestamp updated_at{};
};

// -- questions ----------------------------------------------------------------

/// Refused with `profile_not_live`, `not_found` or `record_archived`.
struct create_reply {
  using answer_type = reply_record;
  profile_id author;
  activity on;
  std::optional<reply_id> parent;
  std::string content;
  std::string metadata;
  bool dry_run = false;
};

/// New texts of a reply, by its author; those that are absent stay. Refused with `not_found`, `forbidden` or
/// `profile_not_live`.
struct edit_reply {
  using answer_type = reply_record;
  reply_id id;
  profile_id by;
  std::optional<std::string> content;
  std::optional<std::string> metadata;
  bool dry_run = false;
};

/// A committed reply; refused with `not_found`.
struct get_reply {
  using answer_type = reply_record;
  reply_id id;
};

/// What a vote is to become.
enum class vote_wish : std::uint8_t {
  stand,    // it counts in that direction, whatever it was
  withdraw, // it counts no more, whatever it was
};

/// A vote up or down. One that is as it is to be is answered as it stands. Refused with `profile_not_live`, `not_found`
/// (also where there is no vote to withdraw) or `record_archived`.
struct put_vote {
  using answer_type = activity_vote;
  activity on;
  profile_id voter;
  bool upvote = true;
  bool dry_run = false;
  vote_wish wish = vote_wish::stand;
};

/// A committed vote; refused with `not_found`.
struct get_vote {
  using answer_type = activity_vote;
  activity on;
  profile_id voter;
};

// -- changes ------------------------------------------------------------------

struct reply_created {
  reply_record record;
};
struct reply_edited {
  reply_id id;
  std::string content;
  std::string metadata;
  std::int32_t edits = 0;
  timestamp at{};
  profile_id by = {};
};
/// The vote as it is from now on.
struct activity_voted {
  activity_vote vote;
  bool first = true; // false: it takes the place of one that is stored
};

// -- loading ------------------------------------------------------------------

/// An activity that is there.
struct activity_row {
  activity record;
  bool archived = false;
  unsettled_block unsettled = {};
};

} // namespace credence::reputation
