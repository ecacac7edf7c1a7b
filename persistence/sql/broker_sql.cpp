#include "persistence/sql/broker_sql.hpp"

#include "config/broker_limits.hpp"
#include "config/list_limits.hpp"
#include "persistence/sql/activity_sql.hpp"
#include "persistence/sql/reputation_sql.hpp"
#include "persistence/sql/words.hpp"

namespace credence::persistence {

template <>
inline constexpr std::span<const std::string_view> words_of<reputation::broker_post_level> = reputation::broker_post_level_names;

namespace {

using reputation::broker_post;
using reputation::broker_post_id;

#define CREDENCE_POSTS                                                                                                                               \
  " FROM broker_posts p WHERE ($1::int4 IS NULL OR p.id = $1::int4) AND ($2::int4 IS NULL OR p.author_profile = $2::int4)"                           \
  " AND ($3::text IS NULL OR p.level = $3::text)"
constexpr auto count_sql = "SELECT count(*) AS total FROM (SELECT" CREDENCE_POSTS " LIMIT $4::int4) found";
constexpr auto posts_sql =
  "SELECT p.id, p.author_profile, p.level, left(p.title, $6::int4) AS title, left(p.description, $6::int4) AS description,"
  " left(p.price, $6::int4) AS price, left(p.metadata, $6::int4) AS metadata, p.created_at, p.updated_at, f.token, f.amount, f.recipient,"
  " (SELECT a.user_id FROM profiles a WHERE a.id = p.author_profile) AS author_user"
  " FROM (SELECT p.*" CREDENCE_POSTS " ORDER BY p.id DESC LIMIT $4::int4 OFFSET $5::int4) p LEFT JOIN broker_fees f ON f.post_id = p.id"
  " ORDER BY p.id DESC";
#undef CREDENCE_POSTS

struct post_columns {
  const rows& in;
  column<broker_post_id> id{in, "id"};
  column<profile_id> author{in, "author_profile"};
  column<reputation::broker_post_level> level{in, "level"};
  column<std::string> title{in, "title"}, description{in, "description"}, price{in, "price"}, metadata{in, "metadata"};
  column<timestamp> created_at{in, "created_at"}, updated_at{in, "updated_at"};
  column<std::optional<address>> token{in, "token"}, recipient{in, "recipient"};
  column<std::optional<wei>> amount{in, "amount"};

  broker_post record(int row) const {
    broker_post out{id[row],    author[row],   level[row],   title[row],      description[row],
                    price[row], metadata[row], std::nullopt, created_at[row], updated_at[row]};
    if (const auto paid_in = token[row])
      out.fee = reputation::broker_fee{*paid_in, amount[row].value_or(0), recipient[row].value_or(address{})};
    return out;
  }
};

parameters filter_of(const reputation::list_broker_posts& query) {
  parameters with;
  put_if_any(with, query.id);
  put_if_any(with, query.author);
  if (query.level)
    with.text(reputation::broker_post_level_names[static_cast<std::size_t>(*query.level)]);
  else
    with.null();
  return with;
}

} // namespace

broker_post_list read(connection& on, const reputation::list_broker_posts& query, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  broker_post_list out;
  out.slice = query.slice;
  out.total = on.run(count_sql, filter_of(query).int4(limits::list_depth_max), deadline).first<std::int64_t>("total");
  const auto shown = query.id ? limits::broker_text_max : limits::broker_text_listed_max;
  const auto found = on.run(posts_sql, filter_of(query).int4(query.slice.limit).int4(query.slice.offset).int4(shown), deadline);
  const post_columns posts{found};
  const column<user_id> author{found, "author_user"};
  std::vector<user_id> users;
  for (int i = 0; i < found.count(); ++i) {
    out.rows.push_back({posts.record(i), author[i]});
    users.push_back(author[i]);
  }
  out.users = read_named_here(on, std::move(users), deadline);
  snapshot.commit(deadline);
  return out;
}

} // namespace credence::persistence
