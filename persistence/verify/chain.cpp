#include "persistence/verify/promises.hpp"

#include "persistence/sql/chain_sql.hpp"

namespace credence::persistence {

namespace {

constexpr promise all[] = {
  {"chain", "the tip of the chain is its newest block, blocks follow each other, every event is of a block up to the tip, and no id is given twice",
   "SELECT format('chain %s stands at block %s, and its newest block is %s', f.chain_id, f.tip_number, b.number) FROM chain_follow f"
   "  LEFT JOIN LATERAL (SELECT number, hash FROM chain_blocks WHERE chain_id = f.chain_id ORDER BY number DESC LIMIT 1) b ON true"
   "  WHERE (b.number, b.hash) IS DISTINCT FROM (f.tip_number, f.tip_hash)"
   " UNION ALL SELECT format('block %s of chain %s does not follow block %s', b.number, b.chain_id, a.number) FROM chain_blocks a"
   "  JOIN chain_blocks b ON b.chain_id = a.chain_id AND b.number = a.number + 1 WHERE b.parent_hash <> a.hash"
   " UNION ALL SELECT format('event %s is of block %s, before or behind what was followed', e.id, e.block_number) FROM chain_events e"
   "  JOIN chain_follow f USING (chain_id) WHERE e.block_number < f.start_block OR e.block_number > greatest(f.tip_number, f.finalized) OR e.id > "
   "f.last_event"
   " UNION ALL SELECT format('event %s is of another block %s than the one that is kept', e.id, e.block_number) FROM chain_events e"
   "  JOIN chain_blocks b ON b.chain_id = e.chain_id AND b.number = e.block_number WHERE b.hash <> e.block_hash"
   " UNION ALL SELECT format('event %s comes after event %s, but before it in the chain', id, before) FROM (SELECT id, block_number, log_index,"
   "   lag(id) OVER w AS before, lag((block_number, log_index)) OVER w AS place FROM chain_events WINDOW w AS (ORDER BY id)) s"
   "  WHERE place >= (block_number, log_index)"
   " UNION ALL SELECT format('id %s was given to two events', id) FROM chain_orphans JOIN chain_events USING (id)"
   " UNION ALL SELECT format('events of chain %s are numbered up to %s, and there are %s', f.chain_id, f.last_event, e.n) FROM chain_follow f"
   "  CROSS JOIN LATERAL (SELECT count(*) AS n FROM chain_events WHERE chain_id = f.chain_id) e"
   "  WHERE f.reorganisations = 0 AND e.n <> f.last_event"},
  {"chain_people", "people hold what their addresses hold of the token, and the team of a project that events made are its managers",
   "SELECT format('user %s is said to hold %s, and has addresses with %s', u.id, u.holdings_wei, h.wei) FROM users u"
   "  JOIN (SELECT a.user_id, least(sum(b.balance), 2::numeric ^ 256 - 1) AS wei FROM token_balances b JOIN addresses a ON a.address = b.holder"
   "   GROUP BY a.user_id) h ON h.user_id = u.id WHERE u.holdings_wei IS DISTINCT FROM h.wei"
   " UNION ALL SELECT format('profile %s is in the team of project %s, and is no manager of it', t.profile_id, p.id) FROM chain_projects p"
   "  JOIN project_team t ON t.project_id = p.id WHERE NOT (t.manager AND t.profile_id = ANY (p.managers))"},
  {"chain_texts", "every followed review, reply and vouch has its text or waits for it, and nothing else does",
   "WITH records AS (SELECT 'review' AS kind, id FROM reviews WHERE source = 'chain' UNION ALL SELECT 'reply', id FROM replies"
   "  WHERE source = 'chain' UNION ALL SELECT 'vouch', number FROM vouches WHERE source = 'chain' AND contract = 'vouch')"
   " SELECT format('%s %s waits for no text', kind, id) FROM (SELECT * FROM records EXCEPT SELECT kind, id FROM chain_texts) r"
   " UNION ALL SELECT format('the text of %s %s is of no followed record', kind, id) FROM (SELECT kind, id FROM chain_texts"
   "  EXCEPT SELECT * FROM records) t"},
};

} // namespace

template <>
std::span<const promise> promises_of<chain::storage>() {
  return all;
}

} // namespace credence::persistence
