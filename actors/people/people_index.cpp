#include "actors/people/people_index.hpp"

#include <algorithm>

namespace credence::people {

namespace {

/// Where each level but the lowest begins.
constexpr std::array<std::int32_t, 9> level_starts{800, 1200, 1400, 1600, 1800, 2000, 2200, 2400, 2600};

} // namespace

score_level level_of(std::int32_t score) noexcept {
  const auto above = std::upper_bound(level_starts.begin(), level_starts.end(), score);
  return static_cast<score_level>(above - level_starts.begin());
}

std::int32_t vote_weight_of(std::int32_t score) noexcept {
  return std::max(0, static_cast<std::int32_t>(level_of(score)) - static_cast<std::int32_t>(score_level::known) + 1);
}

verifier_qualification verifier_qualification_of(const user& who, bool blocked) noexcept {
  verifier_qualification out;
  out.human_verified = who.verification == human_verification::verified;
  out.meets_score = who.score > verifier_score_above;
  if (blocked)
    out.status = verifier_status::blocked;
  else if (out.human_verified && out.meets_score && who.validator_nft_count > 0)
    out.status = verifier_status::verifier;
  return out;
}

void people_index::publish(const person_row& row) {
  constexpr std::uint32_t told = 0x3FFFF; // score and standing
  const auto status_now = !row.live ? status::archived : row.unsettled ? status::unsettled : status::live;
  unsettled_.note(row.profile, row.live ? row.unsettled : std::nullopt);
  const auto now = (static_cast<std::uint32_t>(row.score) & 0xFFFF) | static_cast<std::uint32_t>(status_now) << 16;
  for (auto before = cells_.read(row.profile.value); (before & told) != now;)
    if (cells_.replace(row.profile.value, before, now | ((before >> 24) + 1) << 24)) {
      if ((before & 0xFFFF) != (now & 0xFFFF))
        scores_.fetch_add(1, std::memory_order_release); // behind the score: who sees the number sees that, too
      return;
    }
}

} // namespace credence::people
