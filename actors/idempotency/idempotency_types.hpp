#pragma once

#include "actors/domain/daily_act.hpp"
#include "actors/domain/hash.hpp"
#include "actors/domain/ids.hpp"
#include "actors/domain/time.hpp"
#include "actors/kernel/fact.hpp"
#include "actors/kernel/load.hpp"
#include "actors/kernel/write_context.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// Requests that a client may repeat under one `Idempotency-Key` (IETF draft): they have
/// one effect, and one answer. Beside them, how much of what is kept each profile has a day.
namespace credence::idempotency {

/// How long a key is remembered.
inline constexpr std::chrono::hours kept_for{24};

// -- changes ------------------------------------------------------------------

/// The answer to a request whose effect is committed; comes before the client gets it.
struct answer_recorded {
  digest32 id{};
  digest32 fingerprint{};
  timestamp at{}; // of the request
  std::int32_t status = 0;
  std::string body;
};

/// So much of a day's bound a profile has used up.
struct day_count {
  profile_id profile{};
  std::string act; // its `daily_bound::name`
  std::chrono::sys_days day{};
  std::int64_t used = 0;
};

/// Counts as they are now; those of the same profile and act before are gone.
struct days_counted {
  std::vector<day_count> counts;
};

// -- questions ----------------------------------------------------------------

/// What there is under a key.
struct found_record {
  std::string effect;      // names what was done
  std::int32_t status = 0; // 0: the answer was never recorded
  std::string body;
};

/// What a client's key means. Without `before` it is new. With both, the effect is there
/// but was never answered. Hold the context as long as the request may have an effect.
struct key_meaning {
  std::shared_ptr<const write_context> context;
  std::optional<found_record> before;
};

/// Claims a key for one request. Refused with `request_in_progress` while another one with
/// it is under way, with `key_reused` when it came with another body, and with
/// `too_many_keys` when its caller has had as many answers kept today as there may be, or as many bytes of them.
struct claim_key {
  using answer_type = key_meaning;
  digest32 id{};          // of caller, method, path and key
  digest32 fingerprint{}; // of the body
  timestamp at{};
  std::shared_ptr<const request_origin> from = {}; // for the context
  std::string caller = {};                         // whose keys are counted together
  std::optional<profile_id> profile = {};          // whose bytes are
};

struct recorded {};
/// Keeps the answer to a request under its key. Answered once that is committed.
struct record_answer {
  using answer_type = recorded;
  answer_recorded answer;
};

struct daily_taken {};
/// Takes one of the acts that a profile has a day; refused with `too_many_records`.
struct take_daily {
  using answer_type = daily_taken;
  profile_id profile{};
  daily_act act{}; // that is counted
};

// -- loading ------------------------------------------------------------------

/// What a profile has used up of its bounds, as far as that was written.
struct load_day {
  profile_id profile{};
};
struct stored_day {
  std::vector<day_count> counts;
};

struct load_record {
  digest32 id{};
  timestamp since{}; // those before are forgotten
};
struct stored_record {
  bool exists = false;
  digest32 fingerprint{};
  timestamp at{};
  found_record record;
};

} // namespace credence::idempotency

/// What is written and read of requests under an Idempotency-Key.
namespace credence {

template <>
struct fact<idempotency::answer_recorded> : without_effect<idempotency::answer_recorded> {
  static constexpr bool commutes_with_chain = true;
  static constexpr auto fields =
    joined_lists(CREDENCE_FIELDS(of, id, fingerprint, at), field{"status", as_number<std::int16_t>(&of::status)},
                 field{"body", as_bytes_of(&of::body)});
};

CREDENCE_PART(idempotency::day_count, (profile_id, profile), act, day, used);
template <>
struct fact<idempotency::days_counted> : without_effect<idempotency::days_counted> {
  static constexpr bool commutes_with_chain = true;
  static constexpr auto fields = CREDENCE_FIELDS(of, counts);
};

namespace idempotency {
/// What is written and what is asked.
struct storage {
  using facts = types<answer_recorded, days_counted>;
  using loads = types<load<load_record, stored_record>, load<load_day, stored_day>>;
};
} // namespace idempotency

} // namespace credence
