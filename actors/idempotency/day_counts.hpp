#pragma once

#include "actors/domain/daily_act.hpp"
#include "actors/domain/ids.hpp"
#include "actors/domain/outcome.hpp"
#include "actors/idempotency/idempotency_types.hpp"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace credence::idempotency {

/// How many acts of a day each profile has used up. Forgets all of them when another day (UTC) begins.
///
/// What was counted before the process began is in the store. It is looked up when a profile has used a hundredth of a
/// bound, and written each time that another hundredth is used: most profiles cost nothing, and a process that dies
/// forgets less than that.
class day_counts {
public:
  /// Whether the profile's stored counts have to be learned before this much is taken.
  bool has_to_learn(profile_id whose, daily_act act, std::int64_t amount, timestamp now);
  /// What the store knows of a profile; counts of another day mean nothing.
  void learn(profile_id whose, const std::vector<day_count>& stored, timestamp now);
  /// Takes one act, or the amount; a refusal where the bound is reached. An amount may pass it, once.
  std::optional<refusal> take(profile_id whose, daily_act act, std::int64_t amount, timestamp now);
  /// The act was refused, and has kept nothing.
  void give_back(profile_id whose, daily_act act, timestamp now);
  /// What has to be written, at most so many counts; it counts as written from now on.
  std::vector<day_count> take_unwritten(std::size_t most);
  /// These were not written after all.
  void not_written(const std::vector<day_count>& counts);

private:
  struct used {
    std::array<std::int64_t, daily_bounds.size()> now{};
    std::array<std::int64_t, daily_bounds.size()> written{};
    bool learned = false;
  };
  void begin_day(timestamp now);

  std::chrono::sys_days day_{};
  std::map<profile_id, used> used_;
  std::set<std::pair<profile_id, daily_act>> unwritten_;
};

} // namespace credence::idempotency
