#include "actors/idempotency/day_counts.hpp"

#include <algorithm>
#include <string>

namespace credence::idempotency {

namespace {

std::size_t place_of(daily_act act) { return static_cast<std::size_t>(act); }

/// So much of a bound is looked up and written together.
std::int64_t step_of(daily_act act) { return std::max<std::int64_t>(1, bound_of(act).most / 100); }

refusal used_up(profile_id whose, const daily_bound& bound, std::int64_t used, std::chrono::sys_days day,
                timestamp now) {
  const timestamp anew{day + std::chrono::days{1}};
  refusal out{refusal_code::too_many_records, "profile " + std::to_string(whose.value) + " has used "
                                                + std::to_string(used) + " of " + std::to_string(bound.most)
                                                + " a day: " + std::string{bound.what} + "; counted anew from "
                                                + iso_text(anew) + " on"};
  out.retry_after = std::max(std::chrono::ceil<std::chrono::seconds>(anew - now), std::chrono::seconds{1});
  return out;
}

} // namespace

void day_counts::begin_day(timestamp now) {
  const auto day = std::chrono::floor<std::chrono::days>(now);
  if (day <= day_)
    return;
  day_ = day;
  used_.clear();
  unwritten_.clear();
}

bool day_counts::has_to_learn(profile_id whose, daily_act act, std::int64_t amount, timestamp now) {
  begin_day(now);
  const auto found = used_.find(whose);
  const auto before = found == used_.end() ? 0 : found->second.now[place_of(act)];
  return (found == used_.end() || !found->second.learned) && before + amount >= step_of(act);
}

void day_counts::learn(profile_id whose, const std::vector<day_count>& stored, timestamp now) {
  begin_day(now);
  auto& here = used_[whose];
  if (std::exchange(here.learned, true))
    return;
  for (const auto& each : stored) {
    const auto known =
      std::find_if(daily_bounds.begin(), daily_bounds.end(), [&](const auto& bound) { return bound.name == each.act; });
    if (each.day != day_ || known == daily_bounds.end())
      continue;
    here.now[place_of(known->act)] += each.used;
    here.written[place_of(known->act)] = each.used;
  }
}

std::optional<refusal> day_counts::take(profile_id whose, daily_act act, std::int64_t amount, timestamp now) {
  begin_day(now);
  auto& here = used_[whose];
  auto& count = here.now[place_of(act)];
  if (count >= bound_of(act).most)
    return used_up(whose, bound_of(act), count, day_, now);
  count += amount;
  if (here.learned && count - here.written[place_of(act)] >= step_of(act))
    unwritten_.emplace(whose, act);
  return std::nullopt;
}

void day_counts::give_back(profile_id whose, daily_act act, timestamp now) {
  begin_day(now);
  const auto found = used_.find(whose);
  if (found != used_.end() && found->second.now[place_of(act)] > 0)
    --found->second.now[place_of(act)];
}

std::vector<day_count> day_counts::take_unwritten(std::size_t most) {
  std::vector<day_count> out;
  while (!unwritten_.empty() && out.size() < most) {
    const auto [whose, act] = *unwritten_.begin();
    unwritten_.erase(unwritten_.begin());
    auto& here = used_.at(whose);
    here.written[place_of(act)] = here.now[place_of(act)];
    out.push_back({whose, std::string{bound_of(act).name}, day_, here.now[place_of(act)]});
  }
  return out;
}

void day_counts::not_written(const std::vector<day_count>& counts) {
  for (const auto& each : counts)
    if (each.day == day_)
      for (const auto& bound : daily_bounds)
        if (bound.name == each.act)
          unwritten_.emplace(each.profile, bound.act);
}

} // namespace credence::idempotency
