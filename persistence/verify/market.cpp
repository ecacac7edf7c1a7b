#include "persistence/verify/promises.hpp"

#include "persistence/sql/market_sql.hpp"

namespace credence::persistence {

namespace {

constexpr promise promised_of_market[] = {
  {"markets",
   "the figures of a market, and what its traders spent, are the sums of its trades, whose numbers have no gap",
   "WITH made AS (SELECT market_id, count(*) AS n, count(*) FILTER (WHERE trusts) AS trust_n, max(number) AS last,"
   "  1 + sum(CASE WHEN trusts THEN CASE WHEN buys THEN votes ELSE -votes END ELSE 0 END) AS trust,"
   "  1 + sum(CASE WHEN trusts THEN 0 ELSE CASE WHEN buys THEN votes ELSE -votes END END) AS distrust,"
   "  sum(CASE WHEN buys THEN cost + protocol_fee + donation ELSE 0 END) AS bought,"
   "  sum(CASE WHEN buys THEN 0 ELSE cost - protocol_fee END) AS sold FROM market_trades GROUP BY 1)"
   " SELECT format('market %s says %s trades, %s and %s votes; its trades say %s, %s and %s', k.profile_id, k.trades, "
   "k.trust,"
   "  k.distrust, coalesce(m.n, 0), coalesce(m.trust, 1), coalesce(m.distrust, 1)) FROM markets k LEFT JOIN made m ON "
   "m.market_id = k.profile_id"
   " WHERE (k.trades, k.trades, k.trust_trades, k.trust, k.distrust, k.bought, k.sold) IS DISTINCT FROM (coalesce(m.n, "
   "0),"
   "  coalesce(m.last, 0), coalesce(m.trust_n, 0), coalesce(m.trust, 1), coalesce(m.distrust, 1), coalesce(m.bought, "
   "0), coalesce(m.sold, 0))"
   " UNION ALL SELECT format('trade %s of market %s says that purchases had brought %s wei, and they brought %s', "
   "number, market_id, bought_after, "
   "brought)"
   " FROM (SELECT market_id, number, bought_after, sum(CASE WHEN buys THEN cost + protocol_fee + donation ELSE 0 END)"
   "  OVER (PARTITION BY market_id ORDER BY number) AS brought FROM market_trades) t WHERE bought_after <> brought"
   " UNION ALL SELECT format('profile %s has %s and %s votes of market %s; its trades say %s and %s', trader_id, "
   "p.trust, p.distrust,"
   "  market_id, t.trust, t.distrust) FROM market_positions p FULL JOIN (SELECT market_id, trader_id,"
   "   coalesce(sum(CASE WHEN buys THEN votes ELSE -votes END) FILTER (WHERE trusts), 0) AS trust,"
   "   coalesce(sum(CASE WHEN buys THEN votes ELSE -votes END) FILTER (WHERE NOT trusts), 0) AS distrust"
   "   FROM market_trades GROUP BY 1, 2) t USING (market_id, trader_id)"
   "  WHERE (p.trust, p.distrust) IS DISTINCT FROM (t.trust, t.distrust)"
   " UNION ALL SELECT format('profile %s is said to have spent %s wei and spent %s', a.profile_id, a.bought, "
   "coalesce(t.bought, 0))"
   " FROM wei_accounts a LEFT JOIN (SELECT trader_id, sum(CASE WHEN buys THEN cost + protocol_fee + donation ELSE 0 "
   "END) AS bought,"
   "  sum(CASE WHEN buys THEN 0 ELSE cost - protocol_fee END) AS sold, count(*) AS n, count(*) FILTER (WHERE trusts) "
   "AS trust_n"
   "  FROM market_trades GROUP BY 1) t ON t.trader_id = a.profile_id"
   " WHERE (a.bought, a.sold, a.trades, a.trust_trades) IS DISTINCT FROM (coalesce(t.bought, 0), coalesce(t.sold, 0),"
   "  coalesce(t.n, 0), coalesce(t.trust_n, 0))"},
  {"market_freezes", "a market is frozen where its last freeze says so, and no trade was made on it while it was",
   "SELECT format('market %s is %s; its last freeze says otherwise', m.profile_id, CASE WHEN m.frozen THEN 'frozen' "
   "ELSE 'not frozen' END)"
   " FROM markets m LEFT JOIN (SELECT DISTINCT ON (market_id) market_id, frozen FROM market_freezes ORDER BY "
   "market_id, seq DESC) f"
   "  ON f.market_id = m.profile_id WHERE m.frozen <> coalesce(f.frozen, false)"
   " UNION ALL SELECT format('trade %s of market %s was made while the market was frozen', t.number, t.market_id)"
   " FROM (SELECT market_id, frozen, seq, lead(seq) OVER (PARTITION BY market_id ORDER BY seq) AS until FROM "
   "market_freezes) f"
   " JOIN market_trades t ON t.market_id = f.market_id AND t.seq > f.seq AND (f.until IS NULL OR t.seq < f.until) "
   "WHERE f.frozen"},
};

} // namespace

template <>
std::span<const promise> promises_of<market::storage>() {
  return promised_of_market;
}

} // namespace credence::persistence
