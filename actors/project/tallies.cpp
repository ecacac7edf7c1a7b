#include "actors/project/tallies.hpp"

#include "actors/context.hpp"
#include "actors/directory.hpp"
#include "actors/listing/listing_actor.hpp"

#include <algorithm>
#include <cmath>

namespace credence::project {

namespace {

double rounded(double percent) { return std::round(percent * 100) / 100; }

} // namespace

vote_weights weight_before(std::chrono::sys_days end, vote_weights all, std::span<const day_tally> days) {
  for (auto tally = days.rbegin(); tally != days.rend() && tally->day >= end; ++tally) {
    all.bullish -= tally->weight.bullish;
    all.bearish -= tally->weight.bearish;
  }
  return all;
}

double bullish_share(const vote_weights& of) {
  return of.all() == 0 ? 50.0 : 100.0 * static_cast<double>(of.bullish) / static_cast<double>(of.all());
}

double share_change(const vote_weights& all, std::span<const day_tally> days, std::chrono::sys_days today,
                    std::int32_t window) {
  const auto end = today + std::chrono::days{1};
  return rounded(bullish_share(weight_before(end, all, days))
                 - bullish_share(weight_before(end - std::chrono::days{window}, all, days)));
}

std::vector<spark_point> sparkline(const vote_weights& all, std::span<const day_tally> days,
                                   std::chrono::sys_days today, std::int32_t window) {
  std::vector<spark_point> out;
  out.reserve(static_cast<std::size_t>(window));
  auto weight = all;
  auto later = days;
  for (auto day = today; day > today - std::chrono::days{window}; day -= std::chrono::days{1}) {
    weight = weight_before(day + std::chrono::days{1}, weight, later);
    while (!later.empty() && later.back().day > day)
      later = later.first(later.size() - 1);
    out.push_back({day, rounded(bullish_share(weight))});
  }
  std::reverse(out.begin(), out.end());
  return out;
}

namespace {

using namespace std::chrono_literals;

constexpr int reports_per_save = 25; // the board hears of all of them
constexpr auto save_deadline = 10s;

} // namespace

void tally_reports::start(project_id id, const context& with, port<storage> stored, entity_seq saved_through) {
  id_ = id;
  with_ = &with;
  storage_ = std::move(stored);
  saved_through_ = saved_through;
  stream_.incarnation = next_incarnation();
}

void tally_reports::tell_board(const project_state& rules) {
  const auto through = rules.through();
  if (told_through_ >= through)
    return;
  post(with_->others->listings.to(),
       listing::tally_report{id_, through, rules.days_since(told_through_), rules.periods_since(told_through_)});
  told_through_ = through;
}

void tally_reports::tell_board_soon(const project_state& rules) {
  const auto now = steady_clock::now();
  if (now < next_tell_)
    return;
  tell_board(rules);
  next_tell_ = now + report_every;
}

void tally_reports::report(const project_state& rules, actor& me) {
  tell_board(rules);
  if (++reports_ % reports_per_save == 0)
    save(rules, me);
}

void tally_reports::save(const project_state& rules, actor& me) {
  const auto through = rules.through();
  if (saving_ || saved_through_ >= through || !storage_.status->writable.load(std::memory_order_relaxed))
    return;
  storage_.write(stream_,
                 project_tallied{id_, through, rules.days_since(saved_through_), rules.periods_since(saved_through_)},
                 me, steady_clock::now() + save_deadline);
  saving_ = through;
}

bool tally_reports::on_outcome(const write_outcome& outcome) {
  if (!(outcome.stream == stream_))
    return false;
  if (outcome.result == write_result::in_doubt)
    return true; // its fate follows
  if (outcome.result == write_result::stored)
    saved_through_ = *saving_;
  else
    ++stream_.attempt; // the next save has these days too
  saving_.reset();
  return true;
}

} // namespace credence::project
