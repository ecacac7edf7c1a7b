#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/page.hpp"
#include "actors/domain/time.hpp"
#include "actors/domain/words.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// XP of profiles: balances, tips and what operators grant. Amounts are whole points.
namespace credence::profile {

/// What a tip is for.
enum class tip_source_kind : std::uint8_t { profile, review, slash, vouch };
CREDENCE_WORDS(tip_source_kind, tip_source_names, "profile", "review", "slash", "vouch");
struct tip_source {
  tip_source_kind kind{};
  std::optional<std::int32_t> id;
};

// -- changes ------------------------------------------------------------------

/// Points that went from one profile to another. Its global number is the tip's id.
struct xp_tipped {
  profile_id sender;
  profile_id receiver;
  std::int64_t amount = 0;
  std::optional<std::string> message;
  std::optional<tip_source> source;
  timestamp at{};
};

/// Points that an operator gave a profile; the issuer owes them. Its global number is the grant's id.
struct xp_granted {
  profile_id profile;
  std::int64_t amount = 0;
  timestamp at{};
  std::string reason = {};         // for the audit alone
  std::int64_t balance_before = 0; // once all that was under way is committed
};

// -- questions ----------------------------------------------------------------

struct tip_receipt {
  std::int64_t id = 0;
  std::int64_t sender_balance = 0;
  std::int64_t receiver_balance = 0;
};

/// Refused with `receiver_not_found` (its profile is archived), `cannot_tip_self`, `insufficient_xp` or
/// `profile_not_live`.
struct send_tip {
  static constexpr bool brief = true;
  using answer_type = tip_receipt;
  profile_id sender;
  profile_id receiver;
  std::int64_t amount = 0;
  std::optional<std::string> message;
  std::optional<tip_source> source;
  bool dry_run = false; // only decided: no XP moves, and the receipt's balances are none
  profile_id addressed_to() const noexcept { return sender; }
};

/// A tip that was made before, with the balances of now. Refused with `not_found`.
struct get_receipt {
  using answer_type = tip_receipt;
  profile_id profile; // who sent it
  std::int64_t tip = 0;
};

struct grant_receipt {
  std::int64_t id = 0;
  std::int64_t balance = 0;
};

/// Gives a profile points; of an admin only. Refused with `invalid_amount`.
struct grant_xp {
  using answer_type = grant_receipt;
  profile_id profile;
  std::int64_t amount = 0; // 1 to `limits::xp_grant_max`
  std::string reason;
};

/// A grant that was made before, with the balance of now. Refused with `not_found`.
struct get_grant {
  using answer_type = grant_receipt;
  profile_id profile;
  std::int64_t grant = 0;
};

enum class tip_side : std::uint8_t { sent, received };

struct tip_record {
  std::int64_t id = 0;
  std::int64_t amount = 0;
  timestamp at{};
  std::optional<std::string> message;
  profile_id sender;
  user_id receiver;
  std::optional<tip_source> source;
};
struct tip_list {
  std::vector<tip_record> values; // newest first
  std::int64_t total = 0;
  page slice;
};
/// The tips that a profile has sent or received.
struct get_tips {
  using answer_type = tip_list;
  profile_id profile;
  tip_side side{};
  page slice;
};

struct tip_figures {
  std::int64_t sent_count = 0;
  std::int64_t sent_total = 0;
  std::int64_t received_count = 0;
  std::int64_t received_total = 0;
};
struct get_tip_figures {
  using answer_type = tip_figures;
  profile_id profile;
};

// -- loading ------------------------------------------------------------------

/// A balance as of a global number.
struct stored_xp {
  std::int64_t balance = 0;
  global_seq as_of = 0;
};
struct load_xp {
  profile_id profile;
};

/// Seasons of XP, and what the ledger says of one profile.

/// A season lasts from midnight UTC of its first day until the next one begins; the newest goes on. Its weeks are of
/// seven days, counted from 1; the last one is cut off where the next season begins.
struct xp_season {
  std::int32_t id = 0;
  std::string name;
  timestamp starts{};
  std::optional<timestamp> ends = {}; // when the next one starts
};
/// All seasons, the earliest first.
struct get_xp_seasons {
  using answer_type = std::vector<xp_season>;
};

/// Points of one week of a season: what was earned less what was spent. Tips are neither.
struct xp_week {
  std::int32_t week = 0;
  std::int64_t points = 0;
};
struct season_points {
  std::optional<xp_season> season; // null: there is none of this id
  std::vector<xp_week> weeks;      // those in which anything moved, the earliest first
};
/// What a profile has earned in a season; of nobody the season alone.
struct get_season_points {
  using answer_type = season_points;
  std::optional<profile_id> who;
  std::int32_t season = 0;
};

/// A row of the ledger, as one of its two sides sees it.
struct ledger_row {
  std::int64_t id = 0;
  std::string type;                // as the ledger calls it; who gets a tip sees XP_TIP_RECEIVED
  std::int64_t points = 0;         // below zero where they went away
  std::optional<profile_id> other; // who is on the other side; null: the service
  std::optional<std::string> message;
  std::optional<tip_source> source;
  timestamp at{};
  std::optional<std::int32_t> season; // null: before the first one
  std::int32_t week = 0;              // 0: of no season
};
struct ledger_page {
  std::vector<ledger_row> values; // newest first
  std::int64_t total = 0;         // at most `limits::ledger_depth_max`
  page slice;
};
struct list_ledger {
  using answer_type = ledger_page;
  profile_id who;
  page slice;
};

} // namespace credence::profile
