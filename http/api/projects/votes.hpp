#pragma once

#include "actors/period/period_types.hpp"
#include "actors/profile/profile_types.hpp"
#include "actors/project/project_types.hpp"
#include "http/api/people/user_cards.hpp"
#include "http/call/json_writer.hpp"

#include <vector>

namespace credence::http {

// Answers of the endpoints under `/api/v2/projects` as JSON (spec: "Project votes").

void encode(json_writer& to, const profile::vote_balance& balance);
void encode(json_writer& to, const project::vote_receipt& receipt);
void encode(json_writer& to, const profile::balance_view& view);
void encode(json_writer& to, const period::allocation& allocation);
void encode(json_writer& to, const std::vector<project::profile_totals>& totals);
void encode(json_writer& to, const std::vector<project::chart_point>& points);

/// A page of voters with the slice it answers.
struct voters_answer {
  project::voters_page found;
  page slice;

  /// Enough room for the text, so that it grows once.
  std::size_t size_hint() const noexcept { return 512 + found.entries.size() * 1536; }
};
/// A voter without a user has `user: null`.
void encode(json_writer& to, const voters_answer& answer, user_cards& users);

} // namespace credence::http
