#include "persistence/verify/verify.hpp"

namespace credence::persistence {

namespace {

constexpr int examples_max = 10;

struct promise {
  const char* name;
  const char* words;
  const char* sql; // one text column, a row for each difference
};

constexpr promise promises[] = {
  {"vote_numbers", "the votes of a project are numbered 1, 2, 3 and so on",
   "SELECT format('project %s has %s votes numbered from %s to %s', project_id, count(*), min(number), max(number))"
   " FROM votes GROUP BY project_id HAVING min(number) <> 1 OR max(number) <> count(*)"},
  {"audit", "the rows of the audit are numbered 1, 2, 3 and so on, each holds the hash of the one before, and none was changed",
   "SELECT format('row %s of the audit is not what was written, or what was before it is gone', number)"
   " FROM (SELECT a.number, a.hash, a.previous, audit_hash(a) AS worked_out, lag(a.number, 1, 0::bigint) OVER w AS number_before,"
   "   lag(a.hash, 1, decode(repeat('00', 32), 'hex')) OVER w AS hash_before FROM audit_log a WINDOW w AS (ORDER BY a.number)) each"
   " WHERE number <> number_before + 1 OR previous <> hash_before OR hash <> worked_out"},
  {"audit_money", "the audit tells of every deposit and withdrawal since it began",
   "SELECT format('transfer %s is not in the audit', t.seq) FROM wei_transfers t"
   " WHERE t.kind IN ('DEPOSIT', 'WITHDRAWAL') AND t.at > (SELECT at FROM audit_log WHERE number = 1)"
   "  AND NOT EXISTS (SELECT FROM audit_log a WHERE a.act = lower(t.kind) AND a.profile_id = t.profile_id"
   "   AND a.subject = format('transfer %s of %s wei', t.seq, t.amount))"},
  {"vote_order", "the votes of a project are in the order of their global numbers and of time",
   "SELECT format('vote %s of project %s comes before the one it follows', number, project_id)"
   " FROM (SELECT project_id, number, seq, cast_at, lag(seq) OVER w AS seq_before, lag(cast_at) OVER w AS at_before"
   "  FROM votes WINDOW w AS (PARTITION BY project_id ORDER BY number)) each"
   " WHERE seq <= seq_before OR cast_at < at_before"},
  {"global_numbers", "every global number is given once, to a vote, a tip, a voting period, a trade, a transfer or what happens to a slash, and none is left out",
   "SELECT format('number %s comes after %s', seq, before)"
   " FROM (SELECT seq, lag(seq, 1, 0::bigint) OVER (ORDER BY seq) AS before"
   "  FROM (SELECT seq FROM votes UNION ALL SELECT seq FROM voting_periods"
   "   UNION ALL SELECT seq FROM xp_movements WHERE seq IS NOT NULL UNION ALL SELECT seq FROM slash_votes"
   "   UNION ALL SELECT seq FROM wei_transfers UNION ALL SELECT seq FROM market_trades"
   "   UNION ALL SELECT seq FROM slashes UNION ALL SELECT closed_seq FROM slashes WHERE closed_seq IS NOT NULL) given) each"
   " WHERE seq <> before + 1"},
  {"batches", "the last batch ends with the last number given",
   "SELECT format('the last batch ends with number %s, the last one given is %s', ends, given)"
   " FROM (SELECT coalesce((SELECT max(last_seq) FROM shard_owners), 0) AS ends,"
   "  greatest((SELECT max(seq) FROM votes), (SELECT max(seq) FROM voting_periods), (SELECT max(seq) FROM xp_movements),"
   "  (SELECT max(seq) FROM wei_transfers), (SELECT max(seq) FROM market_trades),"
   "   (SELECT max(seq) FROM slash_votes), (SELECT greatest(max(seq), max(closed_seq)) FROM slashes), 0)"
   "  AS given) last WHERE ends <> given"},
  {"votes_once", "a profile has voted at most once on a project in a period",
   "SELECT format('profile %s voted %s times on project %s in period %s', voter_id, count(*), project_id, period_id)"
   " FROM votes GROUP BY voter_id, project_id, period_id HAVING count(*) > 1"},
  {"votes_belong", "every vote has its project, its profile and its period, and lies between that period's opening and the next",
   "SELECT format('vote %s of project %s, by profile %s in period %s', v.number, v.project_id, v.voter_id, v.period_id)"
   " FROM votes v LEFT JOIN projects j ON j.id = v.project_id LEFT JOIN profiles p ON p.id = v.voter_id"
   " LEFT JOIN (SELECT id, seq, lead(seq) OVER (ORDER BY id) AS until FROM voting_periods) d ON d.id = v.period_id"
   " WHERE j.id IS NULL OR p.id IS NULL OR d.id IS NULL OR v.seq < d.seq OR v.seq > d.until"},
  {"periods", "voting periods follow each other, and one is open",
   "SELECT format('%s voting periods are open', count(*)) FROM voting_periods WHERE closed_at IS NULL"
   " HAVING count(*) <> 1 AND EXISTS (SELECT FROM voting_periods)"
   " UNION ALL SELECT format('voting period %s does not follow %s', id, before)"
   " FROM (SELECT id, starts_at, lag(id, 1, 0) OVER w AS before, lag(closed_at) OVER w AS closed_before"
   "  FROM voting_periods WINDOW w AS (ORDER BY id)) each WHERE id <> before + 1 OR starts_at < closed_before"},
  {"tallies", "the tallies of a project are the sums of its votes, as far as they go",
   "WITH counted AS (SELECT v.project_id, v.period_id, (v.cast_at AT TIME ZONE 'UTC')::date AS day,"
   "  count(*) FILTER (WHERE v.bullish) AS bullish, count(*) FILTER (WHERE NOT v.bullish) AS bearish,"
   "  coalesce(sum(v.weight) FILTER (WHERE v.bullish), 0) AS bullish_weight,"
   "  coalesce(sum(v.weight) FILTER (WHERE NOT v.bullish), 0) AS bearish_weight"
   "  FROM votes v JOIN project_rollups r ON r.project_id = v.project_id AND v.number <= r.through GROUP BY 1, 2, 3)"
   " SELECT format('project %s in period %s on %s: %s and %s votes that weigh %s and %s, tallied %s and %s that weigh %s and %s',"
   "  project_id, period_id, day, c.bullish, c.bearish, c.bullish_weight, c.bearish_weight, t.bullish, t.bearish,"
   "  coalesce(t.bullish_weight, t.bullish), coalesce(t.bearish_weight, t.bearish))"
   " FROM counted c FULL JOIN project_tallies t USING (project_id, period_id, day)"
   " WHERE (c.bullish, c.bearish, c.bullish_weight, c.bearish_weight) IS DISTINCT FROM"
   "  (t.bullish, t.bearish, coalesce(t.bullish_weight, t.bullish), coalesce(t.bearish_weight, t.bearish))"
   " UNION ALL SELECT format('the votes of project %s in period %s weigh %s and %s, tallied %s and %s', project_id, period_id,"
   "  c.bullish, c.bearish, t.bullish_weight, t.bearish_weight)"
   " FROM (SELECT project_id, period_id, sum(bullish_weight) AS bullish, sum(bearish_weight) AS bearish FROM counted GROUP BY 1, 2) c"
   " FULL JOIN project_period_tallies t USING (project_id, period_id) JOIN project_rollups r USING (project_id)"
   " WHERE r.periods_through = r.through AND (c.bullish, c.bearish) IS DISTINCT FROM (t.bullish_weight, t.bearish_weight)"
   " UNION ALL SELECT format('project %s is tallied up to vote %s and has %s', r.project_id, r.through, count(v.number))"
   " FROM project_rollups r LEFT JOIN votes v ON v.project_id = r.project_id"
   " GROUP BY r.project_id, r.through HAVING r.through > count(v.number)"},
  {"xp", "the balance of an XP account, and how many tips it sent and received, are what its movements made them, and all balances add up to zero",
   "WITH moved AS (SELECT account, sum(points) AS points FROM (SELECT from_account AS account, -amount AS points FROM xp_movements"
   "  UNION ALL SELECT to_account, amount FROM xp_movements) sides GROUP BY account)"
   " SELECT format('account %s has %s, its movements make %s', a.id, a.balance, coalesce(m.points, 0))"
   " FROM xp_accounts a LEFT JOIN moved m ON m.account = a.id WHERE a.balance <> coalesce(m.points, 0)"
   " UNION ALL SELECT format('all balances add up to %s', sum(balance)) FROM xp_accounts HAVING sum(balance) <> 0"
   " UNION ALL SELECT format('account %s has sent %s tips and received %s; its movements say %s and %s', a.id, a.tips_sent, a.tips_received,"
   "  coalesce(s.n, 0), coalesce(r.n, 0)) FROM xp_accounts a"
   "  LEFT JOIN (SELECT from_account, count(*) AS n, sum(amount) AS total FROM xp_movements WHERE kind = 'XP_TIP_SENT' GROUP BY 1) s ON s.from_account = a.id"
   "  LEFT JOIN (SELECT to_account, count(*) AS n, sum(amount) AS total FROM xp_movements WHERE kind = 'XP_TIP_SENT' GROUP BY 1) r ON r.to_account = a.id"
   "  WHERE (a.tips_sent, a.tips_sent_total, a.tips_received, a.tips_received_total)"
   "   IS DISTINCT FROM (coalesce(s.n, 0), coalesce(s.total, 0), coalesce(r.n, 0), coalesce(r.total, 0))"},
  {"wei", "every balance, pool and fee is what its movements made it, and all together are what was credited",
   "WITH moved AS (SELECT kind, id, sum(amount) AS amount FROM (SELECT from_kind AS kind, from_id AS id, -amount AS amount"
   "  FROM wei_movements UNION ALL SELECT to_kind, to_id, amount FROM wei_movements) sides GROUP BY 1, 2),"
   " there AS (SELECT 'profile' AS kind, profile_id AS id, balance AS amount FROM wei_accounts"
   "  UNION ALL SELECT 'pool', profile_id, pool FROM markets UNION ALL SELECT 'locked', profile_id, locked FROM markets"
   "  UNION ALL SELECT 'fees', 0, coalesce(sum(protocol_fees), 0) FROM markets)"
   " SELECT format('%s of %s has %s wei, its movements make %s', kind, id, coalesce(t.amount, 0), coalesce(m.amount, 0))"
   " FROM there t FULL JOIN moved m USING (kind, id) WHERE kind <> 'outside' AND coalesce(t.amount, 0) <> coalesce(m.amount, 0)"
   " UNION ALL SELECT format('%s wei were credited, and %s are there', credited, held) FROM (SELECT"
   "  coalesce((SELECT sum(CASE kind WHEN 'DEPOSIT' THEN amount WHEN 'WITHDRAWAL' THEN -amount ELSE 0 END) FROM wei_transfers), 0)"
   "  AS credited, coalesce((SELECT sum(amount) FROM there), 0) AS held) both_of_them WHERE credited <> held"},
  {"markets", "the figures of a market, and what its traders spent, are the sums of its trades, whose numbers have no gap",
   "WITH made AS (SELECT market_id, count(*) AS n, count(*) FILTER (WHERE trusts) AS trust_n, max(number) AS last,"
   "  1 + sum(CASE WHEN trusts THEN CASE WHEN buys THEN votes ELSE -votes END ELSE 0 END) AS trust,"
   "  1 + sum(CASE WHEN trusts THEN 0 ELSE CASE WHEN buys THEN votes ELSE -votes END END) AS distrust,"
   "  sum(CASE WHEN buys THEN cost + protocol_fee + donation ELSE 0 END) AS bought,"
   "  sum(CASE WHEN buys THEN 0 ELSE cost - protocol_fee END) AS sold FROM market_trades GROUP BY 1)"
   " SELECT format('market %s says %s trades, %s and %s votes; its trades say %s, %s and %s', k.profile_id, k.trades, k.trust,"
   "  k.distrust, coalesce(m.n, 0), coalesce(m.trust, 1), coalesce(m.distrust, 1)) FROM markets k LEFT JOIN made m ON m.market_id = k.profile_id"
   " WHERE (k.trades, k.trades, k.trust_trades, k.trust, k.distrust, k.bought, k.sold) IS DISTINCT FROM (coalesce(m.n, 0),"
   "  coalesce(m.last, 0), coalesce(m.trust_n, 0), coalesce(m.trust, 1), coalesce(m.distrust, 1), coalesce(m.bought, 0), coalesce(m.sold, 0))"
   " UNION ALL SELECT format('trade %s of market %s says that purchases had brought %s wei, and they brought %s', number, market_id, bought_after, brought)"
   " FROM (SELECT market_id, number, bought_after, sum(CASE WHEN buys THEN cost + protocol_fee + donation ELSE 0 END)"
   "  OVER (PARTITION BY market_id ORDER BY number) AS brought FROM market_trades) t WHERE bought_after <> brought"
   " UNION ALL SELECT format('profile %s has %s and %s votes of market %s; its trades say %s and %s', trader_id, p.trust, p.distrust,"
   "  market_id, t.trust, t.distrust) FROM market_positions p FULL JOIN (SELECT market_id, trader_id,"
   "   coalesce(sum(CASE WHEN buys THEN votes ELSE -votes END) FILTER (WHERE trusts), 0) AS trust,"
   "   coalesce(sum(CASE WHEN buys THEN votes ELSE -votes END) FILTER (WHERE NOT trusts), 0) AS distrust"
   "   FROM market_trades GROUP BY 1, 2) t USING (market_id, trader_id)"
   "  WHERE (p.trust, p.distrust) IS DISTINCT FROM (t.trust, t.distrust)"
   " UNION ALL SELECT format('profile %s is said to have spent %s wei and spent %s', a.profile_id, a.bought, coalesce(t.bought, 0))"
   " FROM wei_accounts a LEFT JOIN (SELECT trader_id, sum(CASE WHEN buys THEN cost + protocol_fee + donation ELSE 0 END) AS bought,"
   "  sum(CASE WHEN buys THEN 0 ELSE cost - protocol_fee END) AS sold, count(*) AS n, count(*) FILTER (WHERE trusts) AS trust_n"
   "  FROM market_trades GROUP BY 1) t ON t.trader_id = a.profile_id"
   " WHERE (a.bought, a.sold, a.trades, a.trust_trades) IS DISTINCT FROM (coalesce(t.bought, 0), coalesce(t.sold, 0),"
   "  coalesce(t.n, 0), coalesce(t.trust_n, 0))"},
  {"slashes", "a slash closed once, at its end or when it was cancelled, as the last vote of each voter decides",
   "WITH counted AS (SELECT slash_id, coalesce(sum(weight) FILTER (WHERE for_slash), 0) AS slash,"
   "  coalesce(sum(weight) FILTER (WHERE NOT for_slash), 0) AS defend"
   "  FROM (SELECT DISTINCT ON (slash_id, voter_id) slash_id, for_slash, weight FROM slash_votes"
   "   ORDER BY slash_id, voter_id, number DESC) last GROUP BY slash_id),"
   " decided AS (SELECT s.*, coalesce(c.slash, 0) AS slash, coalesce(c.defend, 0) AS defend,"
   "  CASE WHEN s.cancelled_at IS NOT NULL THEN 'CANCELLED'"
   "   WHEN coalesce(c.slash, 0) * 100 > (coalesce(c.slash, 0) + coalesce(c.defend, 0)) * 60 THEN 'SLASHED'"
   "   WHEN coalesce(c.slash, 0) * 100 < (coalesce(c.slash, 0) + coalesce(c.defend, 0)) * 40 THEN 'DEFENDED'"
   "   ELSE 'INCONCLUSIVE' END AS due FROM slashes s LEFT JOIN counted c ON c.slash_id = s.id)"
   " SELECT format('slash %s is %s with %s to %s, its votes make %s with %s to %s', id, outcome, slash_weight, defend_weight,"
   "  due, slash, defend) FROM decided WHERE closed_at IS NOT NULL"
   "  AND (outcome, slash_weight, defend_weight) IS DISTINCT FROM (due, slash, defend)"
   " UNION ALL SELECT format('slash %s closed at %s, not at its end or when it was cancelled', id, closed_at) FROM slashes"
   "  WHERE closed_at <> coalesce(cancelled_at, created_at + duration_s * interval '1 second')"
   " UNION ALL SELECT format('slash %s has %s votes numbered from %s to %s', slash_id, count(*), min(number), max(number))"
   "  FROM slash_votes GROUP BY slash_id HAVING min(number) <> 1 OR max(number) <> count(*)"
   " UNION ALL SELECT format('the vote of profile %s on slash %s that counts is %s with %s, its last one was %s with %s', voter_id,"
   "  slash_id, b.for_slash, b.weight, v.for_slash, v.weight) FROM slash_ballots b FULL JOIN (SELECT DISTINCT ON (slash_id, voter_id)"
   "   slash_id, voter_id, for_slash, weight FROM slash_votes ORDER BY slash_id, voter_id, number DESC) v USING (slash_id, voter_id)"
   "  WHERE (b.for_slash, b.weight) IS DISTINCT FROM (v.for_slash, v.weight)"
   " UNION ALL SELECT format('slash %s is said to have %s votes that weigh %s to %s, and has %s that weigh %s to %s', s.id, t.votes,"
   "  t.for_it, t.against_it, (SELECT count(*) FROM slash_votes v WHERE v.slash_id = s.id), coalesce(c.slash, 0), coalesce(c.defend, 0))"
   "  FROM slashes s LEFT JOIN slash_tallies t ON t.slash_id = s.id LEFT JOIN counted c ON c.slash_id = s.id"
   "  WHERE (t.votes::bigint, t.for_it, t.against_it) IS DISTINCT FROM ((SELECT count(*) FROM slash_votes v WHERE v.slash_id = s.id),"
   "   coalesce(c.slash, 0), coalesce(c.defend, 0))"
   " UNION ALL SELECT format('vote %s on slash %s came at %s, when it was not open', v.number, v.slash_id, v.cast_at)"
   "  FROM slash_votes v LEFT JOIN slashes s ON s.id = v.slash_id WHERE s.id IS NULL OR v.cast_at < s.created_at"
   "  OR v.cast_at >= s.created_at + s.duration_s * interval '1 second' OR v.seq < s.seq OR v.seq > s.closed_seq"},
};

std::map<std::int32_t, side_totals> totals_from(const rows& found) {
  const column<std::int32_t> id{found, "id"};
  const column<std::int64_t> bullish{found, "bullish"};
  const column<std::int64_t> bearish{found, "bearish"};
  std::map<std::int32_t, side_totals> out;
  for (int i = 0; i < found.count(); ++i)
    out[id[i]] = {bullish[i], bearish[i]};
  return out;
}

} // namespace

std::vector<verified> verify_stored(connection& on, steady_time deadline) {
  std::vector<verified> out;
  transaction snapshot{on, deadline, begin_snapshot};
  for (const auto& each : promises) {
    auto& result = out.emplace_back(verified{each.name, each.words, 0, {}});
    const auto sql = "SELECT count(*) OVER () AS differences, difference FROM (" + std::string{each.sql} + ") AS found (difference) LIMIT "
                     + std::to_string(examples_max);
    const auto found = on.exec_params(sql.c_str(), deadline);
    const column<std::int64_t> differences{found, "differences"};
    const column<std::string> example{found, "difference"};
    for (int i = 0; i < found.count(); ++i) {
      result.differences = differences[i];
      result.examples.push_back(example[i]);
    }
  }
  snapshot.commit(deadline);
  return out;
}

std::map<std::int32_t, side_totals> count_by_project(connection& on, steady_time deadline) {
  return totals_from(on.exec_params("SELECT j.id, count(v.number) FILTER (WHERE v.bullish) AS bullish,"
                                    " count(v.number) FILTER (WHERE NOT v.bullish) AS bearish"
                                    " FROM projects j LEFT JOIN votes v ON v.project_id = j.id GROUP BY j.id",
                                    deadline));
}

std::map<std::int32_t, side_totals> count_by_profile(connection& on, std::int32_t most, steady_time deadline) {
  return totals_from(on.exec_params(
    "WITH live AS (SELECT id, row_number() OVER (ORDER BY id) AS place, count(*) OVER () AS all_of_them FROM profiles WHERE NOT archived),"
    " chosen AS (SELECT id FROM live WHERE place % greatest(all_of_them / $1::int4, 1) = 0 LIMIT $1::int4)"
    " SELECT c.id, count(v.number) FILTER (WHERE v.bullish) AS bullish, count(v.number) FILTER (WHERE NOT v.bullish) AS bearish FROM chosen c"
    " LEFT JOIN votes v ON v.voter_id = c.id AND v.period_id = (SELECT id FROM voting_periods WHERE closed_at IS NULL)"
    " GROUP BY c.id",
    parameters{}.int4(most), deadline));
}

} // namespace credence::persistence
