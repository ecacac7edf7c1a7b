#include "persistence/sql/broker_rows_sql.hpp"

#include "persistence/sql/in_order.hpp"

namespace credence::persistence {

template <>
inline constexpr std::span<const std::string_view> words_of<chain::post_level> = chain::post_level_words;

namespace {

using namespace chain;

constexpr auto posts_sql =
  "SELECT id, author_profile, level, title, description, price, metadata, created_at, updated_at FROM broker_posts"
  " WHERE id = ANY($1::int4[])";
constexpr auto fees_sql = "SELECT post_id, token, amount, recipient FROM broker_fees WHERE post_id = ANY($1::int4[])";
constexpr auto credits_sql = "SELECT c.profile_id, c.token, c.balance FROM broker_credits c"
                             " JOIN unnest($1::int4[], $2::bytea[]) k(profile_id, token) USING (profile_id, token)";

void read_posts(connection& on, const row_keys& keys, chain_rows& to, steady_time deadline) {
  auto ids = ids_of(keys.posts), paid = ids_of(keys.post_fees);
  const auto posts = on.run(posts_sql, parameters{}.array(ids), deadline);
  const column<broker_post_id> id{posts, "id"};
  const column<profile_id> author{posts, "author_profile"};
  const column<post_level> level{posts, "level"};
  const column<std::string> title{posts, "title"}, description{posts, "description"}, price{posts, "price"},
    metadata{posts, "metadata"};
  const column<timestamp> created{posts, "created_at"}, updated{posts, "updated_at"};
  for (int i = 0; i < posts.count(); ++i)
    to.posts.put(id[i], {author[i], level[i], title[i], description[i], price[i], metadata[i], unix_time_of(created[i]),
                         unix_time_of(updated[i])});
  const auto fees = on.run(fees_sql, parameters{}.array(paid), deadline);
  const column<broker_post_id> post{fees, "post_id"};
  const column<address> token{fees, "token"}, recipient{fees, "recipient"};
  const column<wei> amount{fees, "amount"};
  for (int i = 0; i < fees.count(); ++i)
    to.post_fees.put(post[i], {token[i], amount[i], recipient[i]});
}

void read_credits(connection& on, const row_keys& keys, chain_rows& to, steady_time deadline) {
  binary_array holders{sql_type::int4}, tokens{sql_type::bytea};
  for (const auto& each : keys.credits) {
    holders.int4(each.holder.value);
    tokens.bytes(each.token.bytes);
  }
  const auto found = on.run(credits_sql, parameters{}.array(holders).array(tokens), deadline);
  const column<profile_id> holder{found, "profile_id"};
  const column<address> token{found, "token"};
  const column<wei> balance{found, "balance"};
  for (int i = 0; i < found.count(); ++i)
    to.credits.put({holder[i], token[i]}, {balance[i]});
}

} // namespace

void read_broker_rows(connection& on, const row_keys& keys, chain_rows& to, steady_time deadline) {
  if (!keys.posts.empty() || !keys.post_fees.empty())
    read_posts(on, keys, to, deadline);
  if (!keys.credits.empty())
    read_credits(on, keys, to, deadline);
}

} // namespace credence::persistence
