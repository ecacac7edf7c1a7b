#include "persistence/sql/slash_rows_sql.hpp"

#include "actors/chain/chain_storage.hpp"
#include "persistence/sql/chain_columns.hpp"
#include "persistence/sql/in_order.hpp"
#include "persistence/sql/words.hpp"

#include <string>

namespace credence::persistence {

template <>
inline constexpr std::span<const std::string_view> words_of<chain::slash_type> = chain::slash_type_words;
template <>
inline constexpr std::span<const std::string_view> words_of<chain::slash_end> = chain::slash_end_words;
template <>
inline constexpr std::span<const std::string_view> words_of<chain::slash_resolution> = chain::slash_resolution_words;

namespace {

std::string select_followed_slashes(const char* rest) {
  return std::string{"SELECT id, author_id, coalesce(subject_address, subject_hash) AS subject, subject_user_id, "
                     "subject_profile_id, type, amount,"
                     " duration_s, comment, metadata, created_at, closed_at, ended_by, resolution, resolution_bps, "
                     "executed FROM slashes"
                     " WHERE source = 'chain' AND "}
         + rest;
}

void add_slashes(chain::chain_rows& to, const rows& found) {
  const column<slash_id> id{found, "id"};
  const column<profile_id> author{found, "author_id"};
  const column<std::string_view> subject{found, "subject"};
  const column<std::optional<user_id>> user{found, "subject_user_id"};
  const column<std::optional<profile_id>> profile{found, "subject_profile_id"};
  const column<chain::slash_type> type{found, "type"};
  const column<std::int32_t> amount{found, "amount"}, duration{found, "duration_s"};
  const column<std::string> comment{found, "comment"}, metadata{found, "metadata"};
  const column<timestamp> created{found, "created_at"};
  const column<std::optional<timestamp>> closed{found, "closed_at"};
  const column<std::optional<chain::slash_end>> ended_by{found, "ended_by"};
  const column<std::optional<chain::slash_resolution>> resolution{found, "resolution"};
  const column<wei> bps{found, "resolution_bps"};
  const column<bool> executed{found, "executed"};
  for (int i = 0; i < found.count(); ++i)
    to.slashes.put(id[i], {author[i], key_of(subject[i]), user[i].value_or(user_id{}), profile[i], type[i], amount[i],
                           duration[i], comment[i], metadata[i], seconds_of(created[i]), ended_by[i],
                           seconds_of(closed[i]), resolution[i], bps[i], executed[i]});
}

} // namespace

void read_slash_rows(connection& on, const chain::row_keys& keys, chain::chain_rows& to, steady_time deadline) {
  if (keys.slashes.empty())
    return;
  static const auto sql = select_followed_slashes("id = ANY($1::int4[])");
  auto ids = ids_of(keys.slashes);
  add_slashes(to, on.run(sql.c_str(), parameters{}.array(ids), deadline));
}

void read_due_slashes(connection& on, chain::unix_time until, chain::chain_rows& to, steady_time deadline) {
  static const auto sql = select_followed_slashes("closed_at IS NULL AND ends_at <= $1::timestamptz");
  add_slashes(to, on.run(sql.c_str(), parameters{}.time(chain::time_of(until)), deadline));
}

} // namespace credence::persistence
