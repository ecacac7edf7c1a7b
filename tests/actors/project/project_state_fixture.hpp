#pragma once

#include "actors/project/project_state.hpp"
#include "tests/actors/deterministic_world.hpp"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

namespace credence::project {

using namespace std::chrono_literals;
using test::at_day;

struct ProjectStateTest : testing::Test {
  ProjectStateTest() {
    for (int i = 1; i <= 50; ++i)
      people.publish({profile_id{i}, static_cast<std::int16_t>(2800 - 50 * i), true});
    periods.periods = {{period_id{1}, 2026, 1, at_day(2026, 1, 1), at_day(2026, 2, 1), at_day(2026, 2, 1)},
                       {period_id{2}, 2026, 2, at_day(2026, 2, 1), at_day(2026, 3, 1), std::nullopt}};
  }

  project_state fresh() { return project_state{project_id{7}, stored(), people}; }
  static stored_project stored() {
    stored_project empty;
    empty.exists = true;
    return empty;
  }

  /// Casts and commits; false when refused.
  bool vote(project_state& to, int voter, int period, timestamp at, sentiment side = sentiment::bullish,
            std::optional<std::string> reason = std::nullopt) {
    const auto change = to.decide({project_id{7}, profile_id{voter}, side, std::move(reason)}, period_id{period}, at);
    if (!change)
      return false;
    to.apply(*change);
    to.commit(1);
    return true;
  }

  /// The figures of a summary, in one line.
  static std::string shown(const project_summary& of) {
    std::ostringstream out;
    for (const auto* block : {&of.in_period, &of.lifetime}) {
      out << block->total << '/' << block->unique_voters;
      for (const auto* side : {&block->bullish, &block->bearish}) {
        out << ' ' << side->total << '/' << side->unique_voters << ':';
        for (const auto who : side->top_voters)
          out << ' ' << who.value;
      }
      out << ';';
      for (const auto who : block->top_voters)
        out << ' ' << who.value;
      out << " | ";
    }
    return out.str();
  }

  /// All of a read that may be done piece by piece.
  template <class Answer>
  static Answer whole(const long_read_ptr<Answer>& read) {
    while (!read->work(7)) {
    }
    return std::move(read->answer);
  }
  outcome<std::vector<chart_point>> chart_of(const project_state& of, const get_chart& query) {
    const auto read = of.chart(query, periods, now);
    return read ? outcome<std::vector<chart_point>>{whole(*read)} : outcome<std::vector<chart_point>>{read.why()};
  }

  get_voters everyone(scope_kind kind = scope_kind::global) const {
    get_voters all;
    all.project = project_id{7};
    all.in.kind = kind;
    all.slice = {100, 0};
    return all;
  }

  people::people_index people;
  period::calendar periods;
  const timestamp now = at_day(2026, 2, 20, 12);
};

} // namespace credence::project
