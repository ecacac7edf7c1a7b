#pragma once

#include "actors/domain/wei.hpp"
#include "actors/domain/words.hpp"
#include "actors/reputation/record_words.hpp"
#include "actors/score/score_types.hpp"

#include <array>
#include <string_view>
#include <vector>

/// Vouches: money that a profile declares to stand behind a subject. Nobody holds it here, or checks that it is there.
namespace credence::reputation {

enum class vouch_token : std::uint8_t { eth, whuf };
CREDENCE_WORDS(vouch_token, vouch_token_names, "eth", "whuf");

/// Who counts the ids of a vouch: those of the API and of the contract `vouch` are counted together, those of `vouchV2`
/// by themselves.
enum class vouch_contract : std::uint8_t { vouch, vouch_v2 };
inline constexpr std::array<std::string_view, 2> vouch_contract_names{"vouch", "vouchV2"};
/// Where a vouch is found; an id alone may name two of them.
struct vouch_place {
  vouch_id id;
  vouch_contract contract{};
  friend auto operator<=>(const vouch_place&, const vouch_place&) = default;
};

/// A point is so much of `eth`.
inline constexpr std::int64_t wei_per_point = 1'000'000'000'000'000;

struct vouch_record {
  vouch_id id; // 0: of a dry run
  profile_id author;
  std::optional<address> author_address;
  subject_ref subject;
  user_id subject_user;
  std::optional<profile_id> subject_profile;
  vouch_token token{};
  wei staked = 0;    // all that was ever put in
  wei deposited = 0; // the same: there are no fees
  wei balance = 0;   // 0 once it is withdrawn
  wei withdrawn = 0;
  /// What the balance consists of: what was put in on each day and is still there, in order of days.
  std::vector<score::vouch_part> parts = {};
  std::string comment;
  std::string metadata;
  bool archived = false; // withdrawn whole
  bool unhealthy = false;
  timestamp vouched_at{};
  std::optional<timestamp> unvouched_at = {};
  std::optional<timestamp> unhealthy_at = {};
  vouch_contract contract{};
  vouch_place place() const { return {id, contract}; }
};

/// An active vouch, as far as others must not be made besides it.
struct active_vouch {
  vouch_id id;
  profile_id author;
  subject_key subject;
  user_id subject_user;
  vouch_token token{};
};

// -- questions ----------------------------------------------------------------

/// Refused with `profile_not_live` (also of the subject), `cannot_vouch_self`, `already_vouched`,
/// `vouch_limit_reached`, `too_many_records` or `invalid_amount`.
struct create_vouch {
  using answer_type = vouch_record;
  profile_id author;
  named_subject subject;
  vouch_token token{};
  wei amount = 0;
  std::string comment;
  std::string metadata;
  bool dry_run = false;
};

enum class vouch_move : std::uint8_t { increase, decrease, withdraw };
/// More, less, or all of it back, by the vouch's author. Refused with `not_found`, `forbidden`, `profile_not_live`,
/// `record_archived` or `invalid_amount` (also of another token); one that is withdrawn already is answered as it
/// stands.
struct move_vouch {
  using answer_type = vouch_record;
  vouch_id id;
  profile_id by;
  vouch_move way{};
  wei amount = 0;      // not of `withdraw`
  vouch_token token{}; // of the amount: the vouch's own
  bool dry_run = false;
};

/// Says that a vouch ended in disappointment, within a day of its end, by its author. Refused with `not_found`,
/// `forbidden`, `profile_not_live`, `vouch_active` or `unhealthy_too_late`.
struct mark_unhealthy {
  using answer_type = vouch_record;
  vouch_id id;
  profile_id by;
  bool dry_run = false;
};

/// A committed vouch; refused with `not_found`.
struct get_vouch {
  using answer_type = vouch_record;
  vouch_id id;
};

// -- changes ------------------------------------------------------------------

struct vouch_created {
  vouch_record record;
  std::optional<fresh_subject> subject; // that comes with it
};
/// All of its amounts, as they are from now on.
struct vouch_moved {
  vouch_id id;
  profile_id author;
  vouch_move way{};
  wei staked = 0;
  wei deposited = 0;
  wei balance = 0;
  wei withdrawn = 0;
  std::vector<score::vouch_part> parts = {}; // of the balance; none of a vouch that was withdrawn
  bool archived = false;
  timestamp at{};
};
struct vouch_marked_unhealthy {
  vouch_id id;
  profile_id author;
  timestamp at{};
};

// -- loading ------------------------------------------------------------------

/// How many vouches for a user are active.
struct vouched_row {
  user_id user;
  std::int32_t active = 0;
};

} // namespace credence::reputation
