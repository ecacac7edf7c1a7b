#include "actors/news/news_types.hpp"
#include "persistence/postgres/column.hpp"
#include "persistence/readers/query_policy.hpp"

#include <string>

/// Whose posts are news.
namespace credence::persistence {

namespace {

// The account whose name a market shows (market_lists_sql.cpp): the one attested last.
constexpr auto x_accounts_sql =
  "SELECT t.account, t.username FROM unnest($1::int4[]) WITH ORDINALITY AS k (id, place)"
  " LEFT JOIN LATERAL (SELECT profile_id FROM markets WHERE profile_id = k.id UNION ALL SELECT id FROM chain_markets"
  "  WHERE contract = 'reputationMarket' AND id = k.id LIMIT 1) m ON true"
  " LEFT JOIN LATERAL (SELECT user_id FROM profiles WHERE id = m.profile_id LIMIT 1) p ON true"
  " LEFT JOIN LATERAL (SELECT account, username FROM attestations a WHERE a.user_id = p.user_id AND a.service || '' = "
  "'x.com'"
  "  AND NOT a.archived ORDER BY a.id + 0 DESC LIMIT 1) t ON true ORDER BY k.place";

} // namespace

news::stored_x_accounts read(connection& on, const news::load_x_accounts& query, steady_time deadline) {
  const auto found = on.run(x_accounts_sql, with(array_of(query.owners)), deadline);
  const column<std::optional<std::string>> account{found, "account"};
  const column<std::optional<std::string>> username{found, "username"};
  news::stored_x_accounts out;
  out.accounts.reserve(static_cast<std::size_t>(found.count()));
  for (int i = 0; i < found.count(); ++i)
    out.accounts.push_back(news::account_of(account[i].value_or(""), username[i].value_or("")));
  return out;
}
load_handler handler(asked<news::load_x_accounts> it) { return reads<list_a_page, news::storage>(it); }

} // namespace credence::persistence
