#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/settled.hpp"
#include "actors/domain/time.hpp"
#include "actors/domain/words.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// Users as other people see them: everything in the spec's User object.
namespace credence::people {

enum class user_status : std::uint8_t { active, inactive, merged };
CREDENCE_WORDS(user_status, user_status_names, "ACTIVE", "INACTIVE", "MERGED");
enum class human_verification : std::uint8_t { requested, verified, revoked, pending };
CREDENCE_WORDS(human_verification, human_verification_names, "REQUESTED", "VERIFIED", "REVOKED", "PENDING");

/// Wei amounts are decimal text of a non-negative 256-bit integer.
using wei_text = std::string;

struct token_vouches {
  wei_text given = "0";
  wei_text received = "0";
  std::int64_t given_count = 0;
  std::int64_t received_count = 0;
};

struct user {
  user_id id;
  std::optional<profile_id> profile;
  std::string display_name;
  std::optional<std::string> username;
  std::string avatar_url;
  std::optional<std::string> description;
  std::int32_t score = 1200;
  user_status status = user_status::inactive;
  std::vector<std::string> userkeys;
  std::int64_t xp_total = 0;
  std::int32_t xp_streak_days = 0;
  bool xp_removed_due_to_abuse = false;
  double influence_factor = 0;
  double influence_percentile = 0;
  std::optional<human_verification> verification;
  std::int32_t validator_nft_count = 0;
  std::optional<wei_text> holdings_wei;
  std::int64_t reviews_negative = 0;
  std::int64_t reviews_neutral = 0;
  std::int64_t reviews_positive = 0;
  // Lifetime native-currency vouches (spec: deprecated `stats.vouch`).
  token_vouches vouch_lifetime;
  // Current balances per token (spec: `stats.vouchTotals`).
  token_vouches vouches_eth;
  token_vouches vouches_whuf;
};

using user_ptr = std::shared_ptr<const user>;

// -- questions ----------------------------------------------------------------

/// Users of the given profiles, in the order asked; null where there is none.
struct get_users_of {
  using answer_type = std::vector<user_ptr>;
  std::vector<profile_id> profiles;
};

/// Whether a profile may do what live profiles may.
struct liveness {
  bool live = false;
  unsettled_block unsettled = {}; // of a live one: what keeps it from that
};
/// Whether a profile is there and live, looked up in the database when memory does not know it.
struct check_live {
  using answer_type = liveness;
  profile_id profile;
};

/// What is stored of these may have changed: they are read again, and so are those that have waited for a block up to
/// `settled`. Answered when that is done.
struct looked_again {};
struct invalidate {
  using answer_type = looked_again;
  std::vector<profile_id> profiles;
  std::int64_t settled = 0;
};

/// Whether changes by other programs are told by `invalidate`. When that begins, everybody is
/// read once more, as some may have changed before.
struct changes_are_told {
  bool now = false;
};

// -- loading ------------------------------------------------------------------

/// The short row kept in memory for every profile (people_index.hpp).
struct person_row {
  profile_id profile;
  std::int16_t score = 0;
  bool live = false;
  unsettled_block unsettled = {};
};

/// Rows of profiles with an id above `after`, at most `limit`, in order of id; or of those
/// named, in any order.
struct load_people {
  profile_id after;
  std::int32_t limit = 0;
  std::vector<profile_id> named = {};
};
struct stored_people {
  std::vector<person_row> rows;
};

struct load_users_of {
  std::vector<profile_id> profiles;
};
struct load_users {
  std::vector<user_id> users;
};
struct stored_users {
  std::vector<user_ptr> users; // only those found, any order
};

} // namespace credence::people
