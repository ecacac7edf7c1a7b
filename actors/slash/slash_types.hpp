#pragma once

#include "actors/domain/address.hpp"
#include "actors/domain/ids.hpp"
#include "actors/domain/page.hpp"
#include "actors/domain/time.hpp"
#include "actors/domain/words.hpp"
#include "actors/people/lookup_types.hpp"
#include "actors/people/people_index.hpp"
#include "actors/slash/verdict.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Slashes: somebody of standing asks the others to take score or stake from a subject. They
/// vote until the slash closes, by time or because it is cancelled (spec: "Slash (v1)").
namespace credence::slash {

/// What a slash is for: points of score, hundredths of a percent of declared vouches, or XP that both sides put aside.
enum class slash_type : std::uint8_t { score, financial, xp };
CREDENCE_WORDS(slash_type, type_names, "SCORE", "FINANCIAL", "XP");

enum class vote_side : std::uint8_t { slash, defend };
inline constexpr std::array<std::string_view, 2> side_names{"slash", "defend"};

struct account {
  people::account_service service{};
  std::string id;
  friend bool operator==(const account&, const account&) = default;
};

/// Whom a slash is about: a wallet or an account elsewhere, and who that was when it was opened.
struct subject {
  std::optional<address> wallet;
  std::optional<slash::account> account;
  user_id user = {}; // 0: nobody known
  std::optional<profile_id> profile = {};

  /// Whether both are the same by anything that is known of them.
  bool same_as(const subject& other) const {
    return (user && user == other.user) || (wallet && wallet == other.wallet) || (account && account == other.account);
  }
};

/// Weight of the votes for either side.
struct weights {
  std::int64_t slash = 0;
  std::int64_t defend = 0;
};

/// The end of a slash.
struct closing {
  timestamp at{};
  verdict how{};
  weights votes;
};

/// A slash as clients see it. Moments are whole seconds, so that `created_at` and `lasts`
/// make exactly the one at which it ends.
struct slash_record {
  slash_id id;
  profile_id author;
  slash::subject subject;
  slash_type type{};
  std::int64_t amount = 0; // points, hundredths of a percent, or XP
  std::chrono::seconds lasts{};
  std::string comment;
  std::string metadata;
  timestamp created_at{};
  std::optional<closing> closed = {};

  timestamp ends_at() const { return created_at + lasts; }
};

// -- changes ------------------------------------------------------------------

struct slash_opened {
  slash_record record;
};
/// The vote of a profile; it takes the place of one that it cast before, and differs from it.
struct slash_voted {
  slash_id slash;
  entity_seq number = 0; // among the votes of that slash
  profile_id voter;
  vote_side side{};
  std::int32_t weight = 0;
  timestamp at{};
};
struct slash_closed {
  slash_id slash;
  closing end;
};

// -- questions ----------------------------------------------------------------

/// XP of the two whom a slash for XP is between.
struct xp_at_hand {
  std::int64_t author = 0;
  std::int64_t subject = 0;
};

/// Refused with `score_too_low`, `invalid_amount`, `insufficient_xp`, `cannot_slash_self`, `slash_open_already`,
/// `slash_cooldown`, `profile_not_live`, or `not_found` (a subject without a profile has no XP).
struct open_slash {
  using answer_type = slash_record;
  profile_id author;
  slash::subject subject;
  std::int32_t subject_score = people::neutral_score; // of one without a profile
  slash_type type{};
  std::int64_t amount = 0;
  std::chrono::seconds lasts{};
  std::string comment;
  std::string metadata;
  bool dry_run = false; // only decided
};

struct vote_receipt {
  slash_id slash;
  vote_side side{};
  std::int32_t weight = 0;
};
/// One that changes nothing is answered as the one that stands. Refused with `not_found`,
/// `slash_closed`, `cannot_vote_own_slash`, `profile_not_live` or `vote_limit_reached`.
struct cast_slash_vote {
  using answer_type = vote_receipt;
  slash_id slash;
  profile_id voter;
  vote_side side{};
  bool dry_run = false; // only decided
};

/// Refused with `not_found` or `slash_closed`: at its end a slash closes by time.
struct cancel_slash {
  using answer_type = slash_record;
  slash_id slash;
  bool dry_run = false; // only decided
};

/// Refused with `not_found`.
struct get_slash {
  using answer_type = slash_record;
  slash_id slash;
};

struct slash_page {
  std::vector<slash_record> values; // created last first
  std::int64_t total = 0;           // at most `limits::list_depth_max`
  page slice;
};
/// Slashes that fit everything that is asked for; `subject` by anything known of it. The newest
/// `limits::list_depth_max` of whom it names are looked through: of all where it names nobody.
struct find_slashes {
  using answer_type = slash_page;
  std::optional<profile_id> author;
  std::optional<slash::subject> subject;
  std::optional<bool> open;
  page slice;
  bool with_xp = true; // those for XP, too
};

enum class role : std::uint8_t { slasher, defender, voted_slash, voted_defend, voter };
CREDENCE_WORDS(role, role_names, "slasher", "defender", "voted_slash", "voted_defend", "voter");
/// What profiles have to do with a slash; those with a part in it, in the order asked. While it is
/// open nobody but the voter hears how a profile voted. Refused with `not_found`.
struct get_roles {
  using answer_type = std::vector<std::pair<profile_id, role>>;
  slash_id slash;
  std::vector<profile_id> profiles; // at least one
  profile_id viewer = {};           // who asks; 0: nobody known
};

struct ballot {
  profile_id voter;
  vote_side side{};
  std::int32_t weight = 0;
  std::int32_t votes = 0; // of this profile on this slash that were stored
};
/// The votes on a slash that count, of the first voters by id. For whoever may hear of them: it is closed.
struct get_ballots {
  using answer_type = std::vector<ballot>;
  slash_id slash;
  std::int32_t most = 0;
};

// -- loading ------------------------------------------------------------------

/// What decides on new slashes: all that are open, and subjects slashed after a moment.
struct load_open_slashes {
  timestamp slashed_after{};
};
struct stored_slash {
  slash_record record;
  entity_seq last_number = 0; // of its votes
  weights votes;              // of those that count
};
struct slashed_subject {
  slash::subject who;
  timestamp at{};
};
struct stored_open_slashes {
  slash_id last; // ever given
  std::vector<stored_slash> open;
  std::vector<slashed_subject> slashed;
};

/// The vote of a profile that counts.
/// Ballots on a slash by voters above `after`, in order of voters.
struct load_ballots {
  slash_id slash;
  profile_id after;
  std::int32_t most = 20'000;
};
struct stored_ballots {
  std::vector<ballot> ballots;
  bool last = false; // there are no more
};

/// What the author and the subject of a slash for XP have.
struct load_xp_at_hand {
  profile_id author;
  profile_id subject;
};

struct load_roles {
  slash_id slash;
  std::vector<profile_id> profiles;
  profile_id viewer = {};
};
struct stored_roles {
  bool exists = false;
  get_roles::answer_type roles;
};

} // namespace credence::slash
