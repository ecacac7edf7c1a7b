#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace credence {

/// What is kept for ever, or for long, of an act of a profile, and is counted by the day (UTC).
enum class daily_act : std::uint8_t {
  profile_edits,
  record_edits,
  replies,
  activity_votes,
  links,
  attestations,
  invitations,
  keys,
  sessions,
  partner_grants,
  tips,
  trades,
  kept_answer_bytes,
  // These are not counted:
  none,     // keeps nothing, or is an admin's
  by_rules, // bounded by another rule: one vote a period, or it ends something whose making was counted
};

/// The most of one kind that a profile has a day.
struct daily_bound {
  daily_act act;
  std::string_view name; // as it is stored
  std::int64_t most;
  std::string_view what;
};

/// The one table of daily bounds. docs/api/README.md shows it.
inline constexpr std::array daily_bounds{
  daily_bound{daily_act::profile_edits, "profile_edits", 50, "edits of the own profile"},
  daily_bound{daily_act::record_edits, "record_edits", 500,
              "changes of records: edits, archiving and restoring them, moving vouches"},
  daily_bound{daily_act::replies, "replies", 500, "replies"},
  daily_bound{daily_act::activity_votes, "activity_votes", 2000, "votes on activities, cast, changed or withdrawn"},
  daily_bound{daily_act::links, "links", 50, "addresses linked or unlinked"},
  daily_bound{daily_act::attestations, "attestations", 5000, "accounts attested, archived or restored"},
  daily_bound{daily_act::invitations, "invitations", 200, "invitations sent or cancelled"},
  daily_bound{daily_act::keys, "keys", 100, "API keys made"},
  daily_bound{daily_act::sessions, "sessions", 500, "sessions opened, the console's too"},
  daily_bound{daily_act::partner_grants, "partner_grants", 200,
              "partners let in, codes for them, exports of the wallet"},
  daily_bound{daily_act::tips, "tips", 2000, "tips"},
  daily_bound{daily_act::trades, "trades", 20'000, "trades"},
  daily_bound{daily_act::kept_answer_bytes, "kept_answer_bytes", 64 * 1024 * 1024,
              "bytes of answers kept for requests with an Idempotency-Key"},
};

constexpr bool is_counted(daily_act which) { return which < daily_act::none; }
/// The bound of an act that is counted.
constexpr const daily_bound& bound_of(daily_act which) { return daily_bounds[static_cast<std::size_t>(which)]; }

static_assert(
  [] {
    for (std::size_t i = 0; i < daily_bounds.size(); ++i)
      if (static_cast<std::size_t>(daily_bounds[i].act) != i)
        return false;
    return daily_bounds.size() == static_cast<std::size_t>(daily_act::none);
  }(),
  "each act that is counted has a line, in order");

} // namespace credence
