#include "actors/score/influence.hpp"

#include "actors/people/people_index.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace credence::score {

namespace {

constexpr double reach_unit = 400;
constexpr double digits_shown = 1000;

/// Reviews that their subjects voted down.
std::set<std::int64_t> voted_down_in(const facts& all) {
  std::map<std::int64_t, user_id> subjects;
  for (const auto& each : all.reviews)
    subjects[each.number] = each.subject;
  std::set<std::int64_t> out;
  for (const auto& each : all.votes)
    if (each.target.kind == activity::review && !each.archived && !each.up) {
      const auto found = subjects.find(each.target.number);
      if (found != subjects.end() && found->second == each.voter)
        out.insert(each.target.number);
    }
  return out;
}

/// Who follows whom: the follower first.
std::set<std::pair<user_id, user_id>> followers_in(const facts& all) {
  const auto voted_down = voted_down_in(all);
  std::set<std::pair<user_id, user_id>> out;
  for (const auto& each : all.reviews)
    if (!each.archived && each.author && each.author != each.subject
        && effective(each, voted_down.contains(each.number)) == sentiment::positive)
      out.emplace(each.author, each.subject);
  for (const auto& each : all.vouches)
    if (vouches_for(each))
      out.emplace(each.author, each.subject);
  return out;
}

} // namespace

std::map<user_id, std::int64_t> reaches_from(const facts& all) {
  std::map<user_id, std::int64_t> above;
  std::map<user_id, std::int64_t> out;
  for (const auto& each : all.people) {
    above[each.id] = std::max(effective_epoch_score(each) - people::neutral_score, 0);
    out[each.id] = 0;
  }
  for (const auto& [follower, followed] : followers_in(all))
    out[followed] += above[follower];
  return out;
}

double influence_factor_of(std::int64_t reach) {
  return std::round(std::log1p(static_cast<double>(reach) / reach_unit) * digits_shown) / digits_shown;
}

} // namespace credence::score
