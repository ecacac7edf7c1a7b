#include "actors/reputation/record_rules.hpp"

#include "actors/people/people_index.hpp"

namespace credence::reputation {

std::string in_lower_case(std::string text) {
  for (auto& c : text)
    c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return text;
}

outcome<profile_row> live(const record_rows& rows, profile_id who) {
  const auto* found = rows.profile(who);
  if (!found || found->archived)
    return people::not_live(who);
  return *found;
}

} // namespace credence::reputation
