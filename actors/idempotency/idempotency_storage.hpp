#pragma once

#include "actors/idempotency/idempotency_types.hpp"
#include "actors/kernel/fact.hpp"
#include "actors/kernel/load.hpp"

/// What is written and read of requests under an Idempotency-Key.
namespace credence {

template <>
struct fact<idempotency::answer_recorded> {
  using of = idempotency::answer_recorded;
  static constexpr auto name = "answer_recorded";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static constexpr bool apart_from_records = true;
  static constexpr field_list fields{field{"id", &of::id}, field{"fingerprint", &of::fingerprint}, field{"at", &of::at},
                                     field{"status", as_number<std::int16_t>(&of::status)},
                                     field{"body", as_bytes_of(&of::body)}};
};

template <>
struct part<idempotency::day_count> {
  using of = idempotency::day_count;
  static constexpr field_list fields{field{"profile_id", &of::profile}, field{"act", &of::act}, field{"day", &of::day},
                                     field{"used", &of::used}};
};
template <>
struct fact<idempotency::days_counted> {
  using of = idempotency::days_counted;
  static constexpr auto name = "days_counted";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static constexpr bool apart_from_records = true;
  static constexpr field_list fields{field{"counts", &of::counts}};
};

namespace idempotency {
/// What is written and what is asked.
struct storage {
  using facts = types<answer_recorded, days_counted>;
  using loads = types<load<load_record, stored_record>, load<load_day, stored_day>>;
};
} // namespace idempotency

} // namespace credence
