#pragma once

#include "actors/score/score_types.hpp"
#include "persistence/postgres/column.hpp"

/// Rows of the view `full_score_inputs`.
namespace credence::persistence {

template <>
inline constexpr std::span<const std::string_view> words_of<score::vouch_model> = score::vouch_model_names;

struct score_columns {
  explicit score_columns(const rows& from);

  const rows& in;
  column<user_id> user{in, "user_id"};
  column<std::int32_t> starting{in, "starting"};
  column<std::int64_t> negative{in, "negative"};
  column<std::int64_t> negative_scores{in, "negative_scores"};
  column<std::int64_t> neutral{in, "neutral"};
  column<std::int64_t> neutral_scores{in, "neutral_scores"};
  column<std::int64_t> positive{in, "positive"};
  column<std::int64_t> positive_scores{in, "positive_scores"};
  column<wei> young{in, "young_wei"};
  column<wei> young_days{in, "young_days"};
  column<wei> mature{in, "mature_wei"};
  column<score::day> as_of{in, "as_of"};
  column<std::int64_t> vouchers{in, "vouchers"};
  column<std::int64_t> mutual_vouchers{in, "mutual_vouchers"};
  column<std::int64_t> votes_up{in, "votes_up"};
  column<std::int64_t> votes_down{in, "votes_down"};
  column<std::int64_t> unhealthy{in, "unhealthy"};
  column<bool> human_verified{in, "human_verified"};
  column<std::optional<score::day>> first_seen{in, "first_seen"};
  column<std::optional<std::int64_t>> x_account{in, "x_account"};
  column<std::optional<std::int32_t>> inviter_score{in, "inviter_score"};
  column<std::vector<std::int32_t>> slashes{in, "slashes"};
  column<std::vector<std::int32_t>> reasons{in, "reasons"};
  column<std::vector<std::int32_t>> penalties{in, "penalties"};
  column<std::optional<score::day>> newest_part{in, "newest_part"};

  score::score_inputs inputs(int row) const;
};

} // namespace credence::persistence
