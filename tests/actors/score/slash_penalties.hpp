#pragma once

#include "actors/score/score_facts.hpp"
#include "actors/slash/verdict.hpp"

#include <algorithm>
#include <stdexcept>

/// What a slash costs whom, as triggers of the database work it out.
namespace credence::score {

/// A slash for points of score that is closed, and its parties: users as they are now, 0 where nobody is known.
struct closed_slash {
  slash_id id;
  slash::verdict outcome{};
  std::int64_t amount = 0; // points
  user_id subject;
  user_id author;
};
/// Who stood by the subject when a slash was closed.
struct supporter {
  user_id user;
  bool vouched = false; // has an active vouch
  bool praised = false; // has a live review that is effectively positive
};

constexpr std::int64_t vouched_percent = 20;
constexpr std::int64_t praised_percent = 10;

inline std::int32_t points_of(std::int64_t amount, std::int64_t percent) {
  // Cuts the amount to 280,000 first, so that the product cannot overflow. From 28,000 on even 10 % of it makes
  // `score_max`.
  const auto bounded = std::min<std::int64_t>(amount, std::int64_t{score_max} * 100);
  return static_cast<std::int32_t>(std::min<std::int64_t>(bounded * percent / 100, score_max));
}

/// Penalties when a slash closes. SLASHED: the subject pays the amount, supporters 20 % of it with a vouch, or else 10
/// % with a review (EIP-3.1). DEFENDED: the author pays the amount. Otherwise nobody. Points are cut off to whole ones,
/// and above `score_max` to that, for no score is larger. Throws std::out_of_range for an amount below 0.
inline std::vector<user_penalty> penalties_of(const closed_slash& closed, std::span<const supporter> supporters) {
  if (closed.amount < 0)
    throw std::out_of_range("a slash takes no amount below 0");
  std::vector<user_penalty> out;
  const auto add = [&](user_id who, penalty_reason reason, std::int64_t percent) {
    if (who)
      out.push_back({who, {closed.id, reason, points_of(closed.amount, percent)}});
  };
  if (closed.outcome == slash::verdict::defended)
    add(closed.author, penalty_reason::author, 100);
  if (closed.outcome != slash::verdict::slashed)
    return out;
  add(closed.subject, penalty_reason::subject, 100);
  for (const auto& each : supporters)
    if (each.user != closed.subject && (each.vouched || each.praised))
      add(each.user, each.vouched ? penalty_reason::vouch : penalty_reason::review,
          each.vouched ? vouched_percent : praised_percent);
  return out;
}

} // namespace credence::score
