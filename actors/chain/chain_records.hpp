#pragma once

#include "actors/chain/chain_types.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

/// Rows made of events: of people (profiles, addresses, attestations, invitations, placeholders), reviews, votes and
/// replies. Their ids are those of the contracts plus `id_offset`.
namespace credence::chain {

using attestation_id = id<attestation_tag>;
using activity_vote_id = id<activity_vote_tag>;

/// What a review or vouch is about. The newest generation of a subject takes what comes; older ones keep what they
/// have.
using subject_key = std::variant<profile_id, address, digest32>;
struct subject_place {
  subject_key key;
  std::int32_t generation = 0;
  friend auto operator<=>(const subject_place&, const subject_place&) = default;
};
struct subject_row {
  user_id user; // the user whose score it moves
  std::optional<std::string> service, account;
  friend bool operator==(const subject_row&, const subject_row&) = default;
};

/// Somebody with or without a profile. MERGED where `merged_into` is there; else ACTIVE or INACTIVE.
struct user_row {
  std::optional<profile_id> profile;
  bool active = false;
  std::optional<user_id> merged_into;
  friend bool operator==(const user_row&, const user_row&) = default;
};

struct profile_row {
  user_id user;
  std::optional<address> primary;
  std::int32_t invites_available = 0;
  std::optional<profile_id> inviter;
  unix_time created_at;
  bool archived = false;
  bool orphaned = false; // its block was taken back; the next event with its id fills it again
  friend bool operator==(const profile_row&, const profile_row&) = default;
};

struct address_row {
  user_id user;
  bool compromised = false;
  unix_time first_seen_at;
  std::optional<unix_time> unlinked_at;
  friend bool operator==(const address_row&, const address_row&) = default;
};

struct attestation_row {
  profile_id profile;
  std::string service, account, evidence;
  bool archived = false;
  unix_time created_at;
  friend bool operator==(const attestation_row&, const attestation_row&) = default;
};

/// A profile's id that the contract reserved for a subject; `names` is there once an event told which.
struct placeholder_row {
  std::optional<subject_place> names;
  friend bool operator==(const placeholder_row&, const placeholder_row&) = default;
};

enum class invitation_status : std::uint8_t { invited, accepted, accepted_other_invitation, withdrawn };
inline constexpr std::array<std::string_view, 4> invitation_status_words{"INVITED", "ACCEPTED",
                                                                         "ACCEPTED_OTHER_INVITATION", "WITHDRAWN"};
struct invitation_row {
  profile_id sender;
  address recipient;
  invitation_status status = invitation_status::invited;
  unix_time invited_at;
  std::optional<unix_time> accepted_at;
  std::optional<profile_id> profile; // that the recipient made
  friend bool operator==(const invitation_row&, const invitation_row&) = default;
};

struct review_row {
  std::optional<profile_id> author_profile;
  address author_address;
  subject_place subject;
  std::uint8_t score = 0; // 0 negative, 1 neutral, 2 positive
  bool archived = false;
  unix_time created_at, updated_at;
  std::int32_t edits = 0;
  friend bool operator==(const review_row&, const review_row&) = default;
};

/// A record that can be voted on or replied to: of a contract, by its id there plus `id_offset`.
struct target_place {
  contract_kind kind{};
  std::int32_t id = 0;
  friend auto operator<=>(const target_place&, const target_place&) = default;
};
struct activity_vote_key {
  target_place target;
  profile_id voter;
  friend auto operator<=>(const activity_vote_key&, const activity_vote_key&) = default;
};
struct activity_vote_row {
  activity_vote_id number;
  bool upvote = false;
  bool archived = false; // withdrawn
  unix_time created_at, updated_at;
  friend bool operator==(const activity_vote_row&, const activity_vote_row&) = default;
};

struct reply_row {
  profile_id author;
  contract_kind target_kind{};
  unix_time created_at, updated_at;
  std::int32_t edits = 0;
  friend bool operator==(const reply_row&, const reply_row&) = default;
};

/// A setting of a contract, as its events last told it.
struct parameter_key {
  contract_kind contract{};
  std::string name;
  friend auto operator<=>(const parameter_key&, const parameter_key&) = default;
};

} // namespace credence::chain
