#include "persistence/verify/promises.hpp"

#include "persistence/sql/chain_sql.hpp"

namespace credence::persistence {

namespace {

constexpr promise promised_of_chain[] = {
  {"chain",
   "the tip of the chain is its newest block, blocks follow each other, every event is of a block up to the tip, and "
   "no id is given twice",
   "SELECT format('chain %s stands at block %s, and its newest block is %s', f.chain_id, f.tip_number, b.number) FROM "
   "chain_follow f"
   "  LEFT JOIN LATERAL (SELECT number, hash FROM chain_blocks WHERE chain_id = f.chain_id ORDER BY number DESC LIMIT "
   "1) b ON true"
   "  WHERE (b.number, b.hash) IS DISTINCT FROM (f.tip_number, f.tip_hash)"
   " UNION ALL SELECT format('block %s of chain %s does not follow block %s', b.number, b.chain_id, a.number) FROM "
   "chain_blocks a"
   "  JOIN chain_blocks b ON b.chain_id = a.chain_id AND b.number = a.number + 1 WHERE b.parent_hash <> a.hash"
   " UNION ALL SELECT format('event %s is of block %s, before or behind what was followed', e.id, e.block_number) FROM "
   "chain_events e"
   "  JOIN chain_follow f USING (chain_id) WHERE e.block_number < f.start_block OR e.block_number > "
   "greatest(f.tip_number, f.finalized) OR e.id > "
   "f.last_event"
   " UNION ALL SELECT format('event %s is of another block %s than the one that is kept', e.id, e.block_number) FROM "
   "chain_events e"
   "  JOIN chain_blocks b ON b.chain_id = e.chain_id AND b.number = e.block_number WHERE b.hash <> e.block_hash"
   " UNION ALL SELECT format('event %s comes after event %s, but before it in the chain', id, before) FROM (SELECT id, "
   "block_number, log_index,"
   "   lag(id) OVER w AS before, lag((block_number, log_index)) OVER w AS place FROM chain_events WINDOW w AS (ORDER "
   "BY id)) s"
   "  WHERE place >= (block_number, log_index)"
   " UNION ALL SELECT format('id %s was given to two events', id) FROM chain_orphans JOIN chain_events USING (id)"
   " UNION ALL SELECT format('events of chain %s are numbered up to %s, and there are %s', f.chain_id, f.last_event, "
   "e.n) FROM chain_follow f"
   "  CROSS JOIN LATERAL (SELECT count(*) AS n FROM chain_events WHERE chain_id = f.chain_id) e"
   "  WHERE f.reorganisations = 0 AND e.n <> f.last_event"},
  {"chain_people",
   "people hold what their addresses hold of the token, and the team of a project that events made are its managers",
   "SELECT format('user %s is said to hold %s, and has addresses with %s', u.id, u.holdings_wei, h.wei) FROM users u"
   "  JOIN (SELECT a.user_id, least(sum(b.held), 2::numeric ^ 256 - 1) AS wei FROM token_balances b JOIN addresses a "
   "ON a.address = b.holder"
   "   GROUP BY a.user_id) h ON h.user_id = u.id WHERE u.holdings_wei IS DISTINCT FROM h.wei"
   " UNION ALL SELECT format('profile %s is in the team of project %s, and is no manager of it', t.profile_id, p.id) "
   "FROM chain_projects p"
   "  JOIN project_team t ON t.project_id = p.id WHERE NOT (t.manager AND t.profile_id = ANY (p.managers))"},
  {"chain_markets",
   "the figures of a market of the chain, of its positions and of who trades there are the sums of its trades",
   "WITH made AS (SELECT contract, market_id, count(*) AS n, count(*) FILTER (WHERE trusts) AS trust_n, count(DISTINCT "
   "number) AS numbers,"
   "  max(number) AS last, coalesce(sum(funds) FILTER (WHERE buys), 0) AS bought, coalesce(sum(funds) FILTER (WHERE "
   "NOT buys), 0) AS sold"
   "  FROM chain_trades GROUP BY 1, 2), traded AS (SELECT contract, account, count(*) AS n,"
   "  coalesce(sum(funds) FILTER (WHERE buys), 0) AS bought, coalesce(sum(funds) FILTER (WHERE NOT buys), 0) AS sold"
   "  FROM chain_trades GROUP BY 1, 2), held AS (SELECT contract, market_id, account,"
   "  coalesce(sum(CASE WHEN buys THEN votes ELSE -votes END) FILTER (WHERE trusts), 0) AS trust,"
   "  coalesce(sum(CASE WHEN buys THEN votes ELSE -votes END) FILTER (WHERE NOT trusts), 0) AS distrust FROM "
   "chain_trades GROUP BY 1, 2, 3)"
   " SELECT format('%s %s says %s trades for %s and %s; its trades are %s for %s and %s', k.contract, k.id, k.trades, "
   "k.bought, k.sold, m.n,"
   "  m.bought, m.sold) FROM chain_markets k LEFT JOIN made m ON m.contract = k.contract AND m.market_id = k.id"
   "  WHERE (k.trades, k.trust_trades, k.bought, k.sold) <> (coalesce(m.n, 0), coalesce(m.trust_n, 0), "
   "coalesce(m.bought, 0), coalesce(m.sold, 0))"
   "  OR m.last <> m.n OR m.numbers <> m.n"
   " UNION ALL SELECT format('%s at %s says %s trades for %s and %s; they are %s for %s and %s', account, contract, "
   "a.trades, a.bought, a.sold, t.n,"
   "  t.bought, t.sold) FROM chain_market_accounts a FULL JOIN traded t USING (contract, account)"
   "  WHERE (coalesce(a.trades, 0), coalesce(a.bought, 0), coalesce(a.sold, 0)) <> (coalesce(t.n, 0), "
   "coalesce(t.bought, 0), coalesce(t.sold, 0))"
   " UNION ALL SELECT format('%s has %s and %s of %s %s; its trades say %s and %s', account, p.trust, p.distrust, "
   "contract, market_id, h.trust,"
   "  h.distrust) FROM chain_positions p FULL JOIN held h USING (contract, market_id, account)"
   "  WHERE (p.trust, p.distrust) IS DISTINCT FROM (h.trust, h.distrust)"},
  {"chain_texts",
   "what events leave out of followed records is read from the contracts or waits for that, and nothing else does",
   "WITH records AS (SELECT 'review' AS kind, id FROM reviews WHERE source = 'chain' UNION ALL SELECT 'reply', id FROM "
   "replies"
   "  WHERE source = 'chain' UNION ALL SELECT 'vouch', number FROM vouches WHERE source = 'chain' AND contract = "
   "'vouch'"
   "  UNION ALL SELECT 'bond', id FROM bonds WHERE source = 'chain' UNION ALL SELECT DISTINCT 'inviter', i.profile "
   "FROM invitations i"
   "   JOIN profiles p ON p.id = i.profile WHERE i.source = 'chain' AND p.source = 'chain' AND p.told_inviter IS NULL"
   "  UNION ALL SELECT 'balance', audit FROM token_balances WHERE audit IS NOT NULL)"
   " SELECT format('%s %s waits for no text', kind, id) FROM (SELECT * FROM records EXCEPT SELECT kind, id FROM "
   "chain_texts) r"
   " UNION ALL SELECT format('the text of %s %s is of no followed record', kind, id) FROM (SELECT kind, id FROM "
   "chain_texts"
   "  EXCEPT SELECT * FROM records) t"},
};

} // namespace

template <>
std::span<const promise> promises_of<chain::storage>() {
  return promised_of_chain;
}

} // namespace credence::persistence
