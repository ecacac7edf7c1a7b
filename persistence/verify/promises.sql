-- What holds of everything that is stored. `credence verify` checks each; a row of its SELECT, one column of text, is a difference.
-- A line `--- entity | name | words` begins one: whose rows it is about, its name, and the promise in words for the report.

--- project | vote_numbers | the votes of a project are numbered 1, 2, 3 and so on
SELECT format('project %s has %s votes numbered from %s to %s', project_id, count(*), min(number), max(number))
FROM votes GROUP BY project_id HAVING min(number) <> 1 OR max(number) <> count(*)

--- project | vote_order | the votes of a project are in the order of their global numbers and of time
SELECT format('vote %s of project %s comes before the one it follows', number, project_id)
FROM (SELECT project_id, number, seq, cast_at, lag(seq) OVER w AS seq_before, lag(cast_at) OVER w AS at_before
 FROM votes WINDOW w AS (PARTITION BY project_id ORDER BY number)) each
WHERE seq <= seq_before OR cast_at < at_before

--- project | votes_once | a profile has voted at most once on a project in a period
SELECT format('profile %s voted %s times on project %s in period %s', voter_id, count(*), project_id, period_id)
FROM votes GROUP BY voter_id, project_id, period_id HAVING count(*) > 1

--- project | votes_belong | every vote has its project, its profile and its period, and lies between that period's opening and the next
SELECT format('vote %s of project %s, by profile %s in period %s', v.number, v.project_id, v.voter_id, v.period_id)
FROM votes v LEFT JOIN projects j ON j.id = v.project_id LEFT JOIN profiles p ON p.id = v.voter_id
LEFT JOIN (SELECT id, seq, lead(seq) OVER (ORDER BY id) AS until FROM voting_periods) d ON d.id = v.period_id
WHERE j.id IS NULL OR p.id IS NULL OR d.id IS NULL OR v.seq < d.seq OR v.seq > d.until

--- project | tallies | the tallies of a project are the sums of its votes, as far as they go
WITH counted AS (SELECT v.project_id, v.period_id, (v.cast_at AT TIME ZONE 'UTC')::date AS day,
 count(*) FILTER (WHERE v.bullish) AS bullish, count(*) FILTER (WHERE NOT v.bullish) AS bearish,
 coalesce(sum(v.weight) FILTER (WHERE v.bullish), 0) AS bullish_weight,
 coalesce(sum(v.weight) FILTER (WHERE NOT v.bullish), 0) AS bearish_weight
 FROM votes v JOIN project_rollups r ON r.project_id = v.project_id AND v.number <= r.through GROUP BY 1, 2, 3)
SELECT format('project %s in period %s on %s: %s and %s votes that weigh %s and %s, tallied %s and %s that weigh %s and %s',
 project_id, period_id, day, c.bullish, c.bearish, c.bullish_weight, c.bearish_weight, t.bullish, t.bearish,
 coalesce(t.bullish_weight, t.bullish), coalesce(t.bearish_weight, t.bearish))
FROM counted c FULL JOIN project_tallies t USING (project_id, period_id, day)
WHERE (c.bullish, c.bearish, c.bullish_weight, c.bearish_weight) IS DISTINCT FROM
 (t.bullish, t.bearish, coalesce(t.bullish_weight, t.bullish), coalesce(t.bearish_weight, t.bearish))
UNION ALL SELECT format('the votes of project %s in period %s weigh %s and %s, tallied %s and %s', project_id,
  period_id,
 c.bullish, c.bearish, t.bullish_weight, t.bearish_weight)
FROM (SELECT project_id, period_id, sum(bullish_weight) AS bullish, sum(bearish_weight) AS bearish FROM counted GROUP
  BY 1, 2) c
FULL JOIN project_period_tallies t USING (project_id, period_id) JOIN project_rollups r USING (project_id)
WHERE r.periods_through = r.through AND (c.bullish, c.bearish) IS DISTINCT FROM (t.bullish_weight, t.bearish_weight)
UNION ALL SELECT format('project %s is tallied up to vote %s and has %s', r.project_id, r.through, count(v.number))
FROM project_rollups r LEFT JOIN votes v ON v.project_id = r.project_id
GROUP BY r.project_id, r.through HAVING r.through > count(v.number)

--- period | periods | voting periods follow each other, and one is open
SELECT format('%s voting periods are open', count(*)) FROM voting_periods WHERE closed_at IS NULL
HAVING count(*) <> 1 AND EXISTS (SELECT FROM voting_periods)
UNION ALL SELECT format('voting period %s does not follow %s', id, before)
FROM (SELECT id, starts_at, lag(id, 1, 0) OVER w AS before, lag(closed_at) OVER w AS closed_before
 FROM voting_periods WINDOW w AS (ORDER BY id)) each WHERE id <> before + 1 OR starts_at < closed_before

--- profile | xp | the balance of an XP account, and how many tips it sent and received, are what its movements made them, and all balances add up to zero
WITH moved AS (SELECT account, sum(points) AS points FROM (SELECT from_account AS account, -amount AS points FROM
  xp_movements
 UNION ALL SELECT to_account, amount FROM xp_movements) sides GROUP BY account)
SELECT format('account %s has %s, its movements make %s', a.id, a.balance, coalesce(m.points, 0))
FROM xp_accounts a LEFT JOIN moved m ON m.account = a.id WHERE a.balance <> coalesce(m.points, 0)
UNION ALL SELECT format('all balances add up to %s', sum(balance)) FROM xp_accounts HAVING sum(balance) <> 0
UNION ALL SELECT format('account %s has sent %s tips and received %s; its movements say %s and %s', a.id,
  a.tips_sent, a.tips_received,
 coalesce(s.n, 0), coalesce(r.n, 0)) FROM xp_accounts a
 LEFT JOIN (SELECT from_account, count(*) AS n, sum(amount) AS total FROM xp_movements WHERE kind = 'XP_TIP_SENT'
   GROUP BY 1) s ON s.from_account = a.id
 LEFT JOIN (SELECT to_account, count(*) AS n, sum(amount) AS total FROM xp_movements WHERE kind = 'XP_TIP_SENT' GROUP
   BY 1) r ON r.to_account = a.id
 WHERE (a.tips_sent, a.tips_sent_total, a.tips_received, a.tips_received_total)
  IS DISTINCT FROM (coalesce(s.n, 0), coalesce(s.total, 0), coalesce(r.n, 0), coalesce(r.total, 0))

--- profile | xp by day | what a profile has earned and spent on a day is what its movements of that day come to, without tips
SELECT format('profile %s is said to have %s points of %s, its movements make %s', account, coalesce(d.points, 0),
  day, coalesce(m.points, 0))
FROM xp_days d FULL JOIN (SELECT account, (at AT TIME ZONE 'UTC')::date AS day, sum(points) AS points FROM (
 SELECT from_account AS account, at, -amount AS points, kind FROM xp_movements UNION ALL SELECT to_account, at,
   amount, kind FROM xp_movements) s
 WHERE kind <> 'XP_TIP_SENT' AND account > 0 GROUP BY 1, 2) m USING (account, day) WHERE d.points IS DISTINCT FROM
   m.points

--- slash | slashes | a slash closed once, at its end or when it was cancelled, as the last vote of each voter decides
WITH counted AS (SELECT slash_id, coalesce(sum(weight) FILTER (WHERE for_slash), 0) AS slash,
 coalesce(sum(weight) FILTER (WHERE NOT for_slash), 0) AS defend
 FROM (SELECT DISTINCT ON (slash_id, voter_id) slash_id, for_slash, weight FROM slash_votes
  ORDER BY slash_id, voter_id, number DESC) last GROUP BY slash_id),
decided AS (SELECT s.*, coalesce(c.slash, 0) AS slash, coalesce(c.defend, 0) AS defend,
 CASE WHEN s.cancelled_at IS NOT NULL THEN 'CANCELLED'
  WHEN coalesce(c.slash, 0) * 100 > (coalesce(c.slash, 0) + coalesce(c.defend, 0)) * 60 THEN 'SLASHED'
  WHEN coalesce(c.slash, 0) * 100 < (coalesce(c.slash, 0) + coalesce(c.defend, 0)) * 40 THEN 'DEFENDED'
  ELSE 'INCONCLUSIVE' END AS due FROM slashes s LEFT JOIN counted c ON c.slash_id = s.id WHERE s.source = 'api')
SELECT format('slash %s is %s with %s to %s, its votes make %s with %s to %s', id, outcome, slash_weight,
  defend_weight,
 due, slash, defend) FROM decided WHERE closed_at IS NOT NULL
 AND (outcome, slash_weight, defend_weight) IS DISTINCT FROM (due, slash, defend)
UNION ALL SELECT format('slash %s closed at %s, not at its end or when it was cancelled', id, closed_at) FROM slashes
 WHERE source = 'api' AND closed_at <> coalesce(cancelled_at, created_at + duration_s * interval '1 second')
UNION ALL SELECT format('slash %s has %s votes numbered from %s to %s', slash_id, count(*), min(number), max(number))
 FROM slash_votes GROUP BY slash_id HAVING min(number) <> 1 OR max(number) <> count(*)
UNION ALL SELECT format('the vote of profile %s on slash %s that counts is %s with %s, its last one was %s with %s',
  voter_id,
 slash_id, b.for_slash, b.weight, v.for_slash, v.weight) FROM slash_ballots b FULL JOIN (SELECT DISTINCT ON
   (slash_id, voter_id)
  slash_id, voter_id, for_slash, weight FROM slash_votes ORDER BY slash_id, voter_id, number DESC) v USING (slash_id,
    voter_id)
 LEFT JOIN slashes s ON s.id = slash_id WHERE s.source IS DISTINCT FROM 'chain' AND (b.for_slash, b.weight) IS
   DISTINCT FROM (v.for_slash, v.weight)
UNION ALL SELECT format('slash %s is said to have %s votes that weigh %s to %s, and has %s that weigh %s to %s',
  s.id, t.votes,
 t.for_it, t.against_it, (SELECT count(*) FROM slash_votes v WHERE v.slash_id = s.id), coalesce(c.slash, 0),
   coalesce(c.defend, 0))
 FROM slashes s LEFT JOIN slash_tallies t ON t.slash_id = s.id LEFT JOIN counted c ON c.slash_id = s.id
 WHERE s.source = 'api' AND (t.votes::bigint, t.for_it, t.against_it) IS DISTINCT FROM ((SELECT count(*) FROM
   slash_votes v WHERE v.slash_id = s.id),
  coalesce(c.slash, 0), coalesce(c.defend, 0))
UNION ALL SELECT format('vote %s on slash %s came at %s, when it was not open', v.number, v.slash_id, v.cast_at)
 FROM slash_votes v LEFT JOIN slashes s ON s.id = v.slash_id WHERE s.id IS NULL OR v.cast_at < s.created_at
 OR v.cast_at >= s.created_at + s.duration_s * interval '1 second' OR v.seq < s.seq OR v.seq > s.closed_seq

--- slash | slash outcomes | what slashes for XP put aside was paid out once, to whom it was due, and vouches lost what slashes for money took
SELECT format('open slashes have put %s XP aside, and %s lies there', (SELECT coalesce(sum(2 * amount), 0) FROM
  slashes
 WHERE type = 'XP' AND closed_at IS NULL AND source = 'api'), balance) FROM xp_accounts WHERE id = -2
 AND balance <> (SELECT coalesce(sum(2 * amount), 0) FROM slashes WHERE type = 'XP' AND closed_at IS NULL AND source
   = 'api')
UNION ALL SELECT format('profile %s has got %s XP of slash %s, and is due %s', coalesce(d.who, p.who),
  coalesce(p.points, 0),
  coalesce(d.id, p.id), coalesce(d.points, 0)) FROM (
  SELECT id, who, sum(points) AS points FROM (SELECT id, author_id AS who, -amount AS points FROM slashes WHERE type
    = 'XP' AND source = 'api'
   UNION ALL SELECT id, subject_profile_id, -amount FROM slashes WHERE type = 'XP' AND source = 'api'
   UNION ALL SELECT id, CASE outcome WHEN 'DEFENDED' THEN subject_profile_id ELSE author_id END, amount FROM slashes
    WHERE type = 'XP' AND source = 'api' AND closed_at IS NOT NULL
   UNION ALL SELECT id, CASE outcome WHEN 'SLASHED' THEN author_id ELSE subject_profile_id END, amount FROM slashes
    WHERE type = 'XP' AND source = 'api' AND closed_at IS NOT NULL) sides GROUP BY id, who) d
 FULL JOIN (SELECT source_id AS id, who, sum(points) AS points FROM (SELECT source_id, from_account AS who, -amount
   AS points
   FROM xp_movements WHERE to_account = -2 UNION ALL SELECT source_id, to_account, amount FROM xp_movements WHERE
     from_account = -2) moved
  GROUP BY source_id, who) p ON p.id = d.id AND p.who = d.who WHERE d.points IS DISTINCT FROM p.points
UNION ALL SELECT format('vouch %s has lost %s wei to slashes, which took %s', v.number, v.slashed, coalesce(c.amount,
  0))
 FROM vouches v LEFT JOIN (SELECT contract, number, sum(amount) AS amount FROM slash_cuts GROUP BY contract, number) c
  ON c.contract = v.contract AND c.number = v.number WHERE v.source = 'api' AND v.slashed <> coalesce(c.amount, 0)
UNION ALL SELECT format('slash %s took %s wei of vouch %s, and is none for money that somebody lost', c.slash_id,
  c.amount, c.number)
 FROM slash_cuts c LEFT JOIN slashes s ON s.id = c.slash_id
 WHERE s.type IS DISTINCT FROM 'FINANCIAL' OR coalesce(s.outcome NOT IN ('SLASHED', 'DEFENDED'), true)

--- slash | slashes of events | a slash that events made has the votes that activities had before its end, closed at its end unless events say otherwise, and costs those score whom it says
WITH cast_votes AS (SELECT v.target_id, v.voter, v.upvote, v.created_at >= s.ends_at AS late FROM activity_votes v
  JOIN slashes s ON s.id = v.target_id AND s.source = 'chain'
  WHERE v.kind = 'slash' AND NOT v.archived AND v.voter <> s.author_id AND v.voter IS DISTINCT FROM
    s.subject_profile_id),
 kept AS (SELECT b.* FROM slash_ballots b JOIN slashes s ON s.id = b.slash_id AND s.source = 'chain'),
 costs AS (SELECT s.id, u.id AS user_id, (d ->> 2)::int AS points FROM slashes s,
  jsonb_array_elements(s.penalties) d JOIN users u ON u.id = (d ->> 0)::int WHERE s.source = 'chain')
SELECT format('the vote of profile %s on slash %s is kept as %s, and is %s', coalesce(b.voter_id, v.voter),
 coalesce(b.slash_id, v.target_id), b.for_slash, v.upvote) FROM kept b FULL JOIN cast_votes v ON v.target_id =
   b.slash_id
 AND v.voter = b.voter_id WHERE b.for_slash IS DISTINCT FROM v.upvote AND NOT (b.voter_id IS NULL AND (v.late OR
   (SELECT count(*) FROM (SELECT FROM activity_votes e WHERE e.kind = 'slash' AND e.target_id = v.target_id AND e.voter < v.voter
     LIMIT 1000) before) >= 1000))

UNION ALL SELECT format('the votes on slash %s are said to weigh %s to %s', s.id, t.for_it, t.against_it) FROM
  slashes s
 LEFT JOIN slash_tallies t ON t.slash_id = s.id CROSS JOIN LATERAL (SELECT coalesce(sum(weight) FILTER (WHERE
   for_slash), 0)::int8 AS for_it,
  coalesce(sum(weight) FILTER (WHERE NOT for_slash), 0)::int8 AS against_it FROM kept b WHERE b.slash_id = s.id) k
 WHERE s.source = 'chain' AND (t.for_it, t.against_it) IS DISTINCT FROM (k.for_it, k.against_it)
UNION ALL SELECT format('slash %s closed at %s, and ends at %s', id, closed_at, ends_at) FROM slashes WHERE source =
  'chain'
 AND (ends_at <> created_at + duration_s * interval '1 second' OR (ended_by = 'time' AND closed_at <> ends_at))
UNION ALL SELECT format('slash %s costs user %s %s points, and says %s', coalesce(p.slash_id, c.id),
  coalesce(p.user_id, c.user_id),
 p.points, c.points) FROM (SELECT p.* FROM slash_penalties p JOIN slashes s ON s.id = p.slash_id AND s.source =
   'chain') p
 FULL JOIN costs c ON c.id = p.slash_id AND c.user_id = p.user_id WHERE p.points IS DISTINCT FROM c.points

--- funds | wei | every balance, pool and fee is what its movements made it, and all together are what was credited
WITH moved AS (SELECT kind, id, sum(amount) AS amount FROM (SELECT from_kind AS kind, from_id AS id, -amount AS amount
 FROM wei_movements UNION ALL SELECT to_kind, to_id, amount FROM wei_movements) sides GROUP BY 1, 2),
there AS (SELECT 'profile' AS kind, profile_id AS id, balance AS amount FROM wei_accounts
 UNION ALL SELECT 'pool', profile_id, pool FROM markets UNION ALL SELECT 'locked', profile_id, locked FROM markets
 UNION ALL SELECT 'fees', 0, coalesce(sum(protocol_fees), 0) FROM markets)
SELECT format('%s of %s has %s wei, its movements make %s', kind, id, coalesce(t.amount, 0), coalesce(m.amount, 0))
FROM there t FULL JOIN moved m USING (kind, id) WHERE kind <> 'outside' AND coalesce(t.amount, 0) <>
  coalesce(m.amount, 0)
UNION ALL SELECT format('%s wei were credited, and %s are there', credited, held) FROM (SELECT
 coalesce((SELECT sum(CASE kind WHEN 'DEPOSIT' THEN amount WHEN 'WITHDRAWAL' THEN -amount ELSE 0 END) FROM
   wei_transfers), 0)
 AS credited, coalesce((SELECT sum(amount) FROM there), 0) AS held) both_of_them WHERE credited <> held

--- market | markets | the figures of a market, and what its traders spent, are the sums of its trades, whose numbers have no gap
WITH made AS (SELECT market_id, count(*) AS n, count(*) FILTER (WHERE trusts) AS trust_n, max(number) AS last,
 1 + sum(CASE WHEN trusts THEN CASE WHEN buys THEN votes ELSE -votes END ELSE 0 END) AS trust,
 1 + sum(CASE WHEN trusts THEN 0 ELSE CASE WHEN buys THEN votes ELSE -votes END END) AS distrust,
 sum(CASE WHEN buys THEN cost + protocol_fee + donation ELSE 0 END) AS bought,
 sum(CASE WHEN buys THEN 0 ELSE cost - protocol_fee END) AS sold FROM market_trades GROUP BY 1)
SELECT format('market %s says %s trades, %s and %s votes; its trades say %s, %s and %s', k.profile_id, k.trades,
  k.trust,
 k.distrust, coalesce(m.n, 0), coalesce(m.trust, 1), coalesce(m.distrust, 1)) FROM markets k LEFT JOIN made m ON
   m.market_id = k.profile_id
WHERE (k.trades, k.trades, k.trust_trades, k.trust, k.distrust, k.bought, k.sold) IS DISTINCT FROM (coalesce(m.n, 0),
 coalesce(m.last, 0), coalesce(m.trust_n, 0), coalesce(m.trust, 1), coalesce(m.distrust, 1), coalesce(m.bought, 0),
   coalesce(m.sold, 0))
UNION ALL SELECT format('trade %s of market %s says that purchases had brought %s wei, and they brought %s', number,
  market_id, bought_after, brought)
FROM (SELECT market_id, number, bought_after, sum(CASE WHEN buys THEN cost + protocol_fee + donation ELSE 0 END)
 OVER (PARTITION BY market_id ORDER BY number) AS brought FROM market_trades) t WHERE bought_after <> brought
UNION ALL SELECT format('profile %s has %s and %s votes of market %s; its trades say %s and %s', trader_id, p.trust,
  p.distrust,
 market_id, t.trust, t.distrust) FROM market_positions p FULL JOIN (SELECT market_id, trader_id,
  coalesce(sum(CASE WHEN buys THEN votes ELSE -votes END) FILTER (WHERE trusts), 0) AS trust,
  coalesce(sum(CASE WHEN buys THEN votes ELSE -votes END) FILTER (WHERE NOT trusts), 0) AS distrust
  FROM market_trades GROUP BY 1, 2) t USING (market_id, trader_id)
 WHERE (p.trust, p.distrust) IS DISTINCT FROM (t.trust, t.distrust)
UNION ALL SELECT format('profile %s is said to have spent %s wei and spent %s', a.profile_id, a.bought,
  coalesce(t.bought, 0))
FROM wei_accounts a LEFT JOIN (SELECT trader_id, sum(CASE WHEN buys THEN cost + protocol_fee + donation ELSE 0 END)
  AS bought,
 sum(CASE WHEN buys THEN 0 ELSE cost - protocol_fee END) AS sold, count(*) AS n, count(*) FILTER (WHERE trusts) AS
   trust_n
 FROM market_trades GROUP BY 1) t ON t.trader_id = a.profile_id
WHERE (a.bought, a.sold, a.trades, a.trust_trades) IS DISTINCT FROM (coalesce(t.bought, 0), coalesce(t.sold, 0),
 coalesce(t.n, 0), coalesce(t.trust_n, 0))

--- market | market_freezes | a market is frozen where its last freeze says so, and no trade was made on it while it was
SELECT format('market %s is %s; its last freeze says otherwise', m.profile_id, CASE WHEN m.frozen THEN 'frozen' ELSE
  'not frozen' END)
FROM markets m LEFT JOIN (SELECT DISTINCT ON (market_id) market_id, frozen FROM market_freezes ORDER BY market_id,
  seq DESC) f
 ON f.market_id = m.profile_id WHERE m.frozen <> coalesce(f.frozen, false)
UNION ALL SELECT format('trade %s of market %s was made while the market was frozen', t.number, t.market_id)
FROM (SELECT market_id, frozen, seq, lead(seq) OVER (PARTITION BY market_id ORDER BY seq) AS until FROM
  market_freezes) f
JOIN market_trades t ON t.market_id = f.market_id AND t.seq > f.seq AND (f.until IS NULL OR t.seq < f.until) WHERE
  f.frozen

--- reputation | records | ids of the API have no gaps, what subjects, users and activities have given and received is counted
SELECT format('reviews of the API are numbered from %s to %s, and there are %s', min(id), max(id), count(*)) FROM
  reviews
 WHERE source = 'api' HAVING count(*) > 0 AND (min(id) <> 1 OR max(id) <> count(*))
UNION ALL SELECT
  format('subject %s, generation %s, is said to have %s negative, %s neutral and %s positive reviews, and has %s, %s and %s',
  s.key, s.generation, s.reviews_negative, s.reviews_neutral, s.reviews_positive, r.negative, r.neutral, r.positive)
 FROM subjects s, LATERAL (SELECT count(*) FILTER (WHERE score = 0) AS negative, count(*) FILTER (WHERE score = 1) AS
   neutral,
  count(*) FILTER (WHERE score = 2) AS positive FROM reviews WHERE subject_key = s.key AND subject_generation =
    s.generation
  AND NOT archived) r
 WHERE (s.reviews_negative, s.reviews_neutral, s.reviews_positive) <> (r.negative, r.neutral, r.positive)
UNION ALL SELECT
  format('user %s is said to have received %s negative, %s neutral and %s positive reviews, and its subjects %s, %s and %s',
  u.id, u.reviews_negative, u.reviews_neutral, u.reviews_positive, s.negative, s.neutral, s.positive) FROM users u
    LEFT JOIN (SELECT user_id,
  sum(reviews_negative) AS negative, sum(reviews_neutral) AS neutral, sum(reviews_positive) AS positive FROM subjects
    GROUP BY user_id) s
 ON s.user_id = u.id WHERE (u.reviews_negative, u.reviews_neutral, u.reviews_positive)
  <> (coalesce(s.negative, 0), coalesce(s.neutral, 0), coalesce(s.positive, 0))
UNION ALL SELECT format('user %s is said to have given %s and received %s wei of %s, and vouches come to %s and %s',
  user_id, u.given_wei,
  u.received_wei, token, c.given, c.received) FROM user_vouches u FULL JOIN (SELECT user_id, token, sum(given) AS
    given, sum(given_n) AS given_n,
  sum(given_ever) AS given_ever, sum(given_ever_n) AS given_ever_n, sum(received) AS received, sum(received_n) AS
    received_n,
  sum(received_ever) AS received_ever, sum(received_ever_n) AS received_ever_n FROM (
   SELECT p.user_id, v.token, CASE WHEN v.archived THEN 0 ELSE v.balance END AS given, (NOT v.archived)::int AS
     given_n,
    greatest(v.deposited, v.balance + v.withdrawn) AS given_ever, 1 AS given_ever_n, 0 AS received, 0 AS received_n,
      0 AS received_ever,
    0 AS received_ever_n FROM vouches v JOIN profiles p ON p.id = v.author_profile
   UNION ALL SELECT user_id, 'eth', 0, 0, 0, 0, eth_wei, eth_count, eth_ever_wei, eth_ever_count FROM subjects
   UNION ALL SELECT user_id, 'whuf', 0, 0, 0, 0, whuf_wei, whuf_count, whuf_ever_wei, whuf_ever_count FROM subjects)
     each_one
  GROUP BY user_id, token) c USING (user_id, token) WHERE
  (coalesce(u.given_wei, 0), coalesce(u.given_count, 0), coalesce(u.lifetime_given_wei, 0),
    coalesce(u.lifetime_given_count, 0),
   coalesce(u.received_wei, 0), coalesce(u.received_count, 0), coalesce(u.lifetime_received_wei, 0),
     coalesce(u.lifetime_received_count, 0))
  <> (coalesce(c.given, 0), coalesce(c.given_n, 0), coalesce(c.given_ever, 0), coalesce(c.given_ever_n, 0),
   coalesce(c.received, 0), coalesce(c.received_n, 0), coalesce(c.received_ever, 0), coalesce(c.received_ever_n, 0))
UNION ALL SELECT format('review %s is shown as archived: %s, and is so: %s', r.id, a.archived, r.archived) FROM
  reviews r
 LEFT JOIN activities a ON a.kind = 'review' AND a.id = r.id WHERE a.archived IS DISTINCT FROM r.archived
UNION ALL SELECT format('%s of the API are numbered from %s to %s, and there are %s', what, min(n), max(n), count(*))
  FROM (
 SELECT 'vouches' AS what, number AS n FROM vouches WHERE source = 'api' UNION ALL SELECT 'replies', id FROM replies
   WHERE source = 'api'
 UNION ALL SELECT 'invitations', id FROM invitations WHERE source = 'api'
 UNION ALL SELECT 'votes on activities', number FROM activity_votes WHERE source = 'api') given GROUP BY what
 HAVING min(n) <> 1 OR max(n) <> count(*)
UNION ALL SELECT format('vouches for subject %s, generation %s, hold %s wei of eth and %s of whuf, not %s and %s',
  s.key, s.generation,
  v.eth, v.whuf, s.eth_wei, s.whuf_wei) FROM subjects s, LATERAL (SELECT coalesce(sum(balance) FILTER (WHERE token =
    'eth'), 0) AS eth,
  count(*) FILTER (WHERE token = 'eth') AS eth_n, coalesce(sum(balance) FILTER (WHERE token = 'whuf'), 0) AS whuf,
  count(*) FILTER (WHERE token = 'whuf') AS whuf_n FROM vouches WHERE subject_key = s.key AND subject_generation =
    s.generation
  AND NOT archived) v WHERE (s.eth_wei, s.eth_count, s.whuf_wei, s.whuf_count) <> (v.eth, v.eth_n, v.whuf, v.whuf_n)
UNION ALL SELECT format('%s %s has %s votes up, %s down and %s replies, not %s, %s and %s', t.kind, t.target_id,
  c.up, c.down, c.replies,
  t.up, t.down, t.replies) FROM activity_tallies t, LATERAL (SELECT count(*) FILTER (WHERE upvote) AS up,
  count(*) FILTER (WHERE NOT upvote) AS down, (SELECT count(*) FROM replies r WHERE r.target_kind = t.kind AND
    r.target_id = t.target_id)
  AS replies FROM activity_votes v WHERE v.kind = t.kind AND v.target_id = t.target_id AND NOT v.archived) c
 WHERE (t.up, t.down, t.replies) <> (c.up, c.down, c.replies)
UNION ALL SELECT format('project %s is said to have %s comments, and has %s', p.id, p.comment_count, r.n) FROM
  projects p,
  LATERAL (SELECT count(*) AS n FROM replies WHERE target_kind = 'project' AND target_id = p.id) r WHERE
    p.comment_count <> r.n
UNION ALL SELECT format('there are %s profiles with %s invitations left (archived: %s), and %s with %s are counted',
  p.n, p.invites, s.archived,
  s.profiles, s.invites) FROM profile_sums s, LATERAL (SELECT count(*) AS n, coalesce(sum(invites_available), 0) AS
    invites FROM profiles
  WHERE archived = s.archived) p WHERE (s.profiles, s.invites) <> (p.n, p.invites)
UNION ALL SELECT format('profile %s is said to have sent %s invitations that are %s, and has sent %s (0: all profiles)',
  sender, coalesce(t.invitations, 0), status, coalesce(i.n, 0)) FROM invitation_tallies t FULL JOIN (SELECT
   coalesce(sender, 0) AS sender, status, count(*) AS n FROM invitations GROUP BY GROUPING SETS ((sender, status), (status))) i
  USING (sender, status) WHERE coalesce(t.invitations, 0) <> coalesce(i.n, 0)
UNION ALL SELECT format('user %s is merged into user %s, who is itself merged or does not exist', u.id,
  u.merged_into) FROM users u
 LEFT JOIN users o ON o.id = u.merged_into WHERE u.merged_into IS NOT NULL AND o.status IS DISTINCT FROM 'ACTIVE'
 AND o.status IS DISTINCT FROM 'INACTIVE'
UNION ALL SELECT format('account %s at %s is attested for user %s, and what it received is of user %s', a.account,
  a.service, a.user_id,
  s.user_id) FROM attestations a JOIN subjects s ON s.key = a.hash
  AND s.generation = (SELECT max(n.generation) FROM subjects n WHERE n.key = a.hash)
 WHERE a.attested_by IS NOT NULL AND s.user_id <> a.user_id
UNION ALL SELECT format('user %s is verified by the record: %s, and has the status %s', h.user_id, h.verified,
  u.human_verification)
 FROM human_verifications h JOIN users u ON u.id = h.user_id
 WHERE u.human_verification IS DISTINCT FROM CASE WHEN h.verified THEN 'VERIFIED' ELSE 'REVOKED' END

--- reputation | bonds | bonds of the API have ids without gaps, and people without an admin's word are verified as bonds say
SELECT format('bonds of the API are numbered from %s to %s, and there are %s', min(id), max(id), count(*)) FROM bonds
 WHERE source = 'api' HAVING count(*) > 0 AND (min(id) <> 1 OR max(id) <> count(*))
UNION ALL SELECT format('user %s is said to have bonds of %s verifiers in force, and has those of %s', p.user_id,
  b.verifiers, c.n)
 FROM (SELECT subject_profile, least(count(DISTINCT author_profile) FILTER (WHERE NOT archived AND NOT lapsed), 3) AS n
   FROM bonds
  GROUP BY subject_profile) c JOIN profiles p ON p.id = c.subject_profile LEFT JOIN bonded_people b ON b.user_id =
    p.user_id
 WHERE b.verifiers IS DISTINCT FROM c.n
UNION ALL SELECT format('user %s has the status %s, and bonds of %s verifiers', u.id, u.human_verification,
  b.verifiers)
 FROM bonded_people b JOIN users u ON u.id = b.user_id WHERE NOT EXISTS (SELECT FROM human_verifications h WHERE
   h.user_id = u.id)
 AND u.human_verification IS DISTINCT FROM bonded_status(b.verifiers, b.reached, b.given)
UNION ALL SELECT format('bond %s is taken for expired, and expires at %s', id, expires_at) FROM bonds WHERE lapsed
  AND expires_at > now()
UNION ALL SELECT format('bond %s is shown as archived: %s, and is so: %s', b.id, a.archived, b.archived) FROM bonds b
 LEFT JOIN activities a ON a.kind = 'bond' AND a.id = b.id WHERE a.archived IS DISTINCT FROM b.archived

--- reputation | projects | projects of the API are numbered without gaps in the order in which they were made, and no user of one is merged
SELECT format('projects of the API are numbered from %s to %s, and there are %s', min(id), max(id), count(*)) FROM
  projects
 WHERE seq IS NOT NULL HAVING count(*) > 0 AND max(id) - min(id) + 1 <> count(*)
UNION ALL SELECT format('project %s was made before the one it follows', id) FROM (SELECT id, seq, lag(seq) OVER
  (ORDER BY id) AS before
 FROM projects WHERE seq IS NOT NULL) each WHERE seq < before
UNION ALL SELECT format('project %s is of user %s, who is merged', p.id, p.user_id) FROM projects p JOIN users u ON
  u.id = p.user_id
 WHERE u.status = 'MERGED'
UNION ALL SELECT format('the links of project %s do not lie one after the other', project_id) FROM project_links
  GROUP BY project_id
 HAVING min(position) <> 0 OR max(position) <> count(*) - 1

--- score | score_parts | the parts of a vouch add up to its balance, and count for whom they should
SELECT format('%s vouch %s holds %s wei, and its parts %s', v.contract, v.number, v.balance, coalesce(p.amount, 0))
  FROM vouches v
 LEFT JOIN (SELECT contract, number, sum(amount) AS amount FROM vouch_parts GROUP BY contract, number) p
 ON p.contract = v.contract AND p.number = v.number WHERE v.balance <> coalesce(p.amount, 0)
UNION ALL SELECT format('the part of %s of %s vouch %s counts for user %s, not for user %s', p.day, p.contract,
  p.number, p.counts_for,
  s.user_id) FROM vouch_parts p LEFT JOIN score_vouches s ON s.contract = p.contract AND s.number = p.number AND
    s.active AND s.in_ether
 WHERE p.counts_for IS DISTINCT FROM s.user_id

--- score | score_counts | every review, vouch and vote counts in scores as its rule says
SELECT format('review %s counts as %s', coalesce(a.review_id, b.review_id), a) FROM score_reviews a
 FULL JOIN counted_reviews b ON b.review_id = a.review_id WHERE ROW(a.*) IS DISTINCT FROM ROW(b.*)
UNION ALL SELECT format('%s vouch %s counts as %s', coalesce(a.contract, b.contract), coalesce(a.number, b.number),
  a) FROM score_vouches a
 FULL JOIN counted_vouches b ON b.contract = a.contract AND b.number = a.number WHERE ROW(a.*) IS DISTINCT FROM
   ROW(b.*)
UNION ALL SELECT format('the vote of profile %s on %s %s counts as %s', coalesce(a.voter, b.voter), coalesce(a.kind,
  b.kind),
  coalesce(a.target_id, b.target_id), a) FROM score_votes a FULL JOIN counted_votes b ON b.kind = a.kind AND
    b.target_id = a.target_id
  AND b.voter = a.voter WHERE ROW(a.*) IS DISTINCT FROM ROW(b.*)
UNION ALL SELECT format('user %s vouches for user %s %s times', author_user, user_id, vouches) FROM (SELECT * FROM
  score_pairs EXCEPT
 SELECT author_user, user_id, count(*)::int FROM score_vouches WHERE active GROUP BY 1, 2) wrong

--- chain | chain | the tip of the chain is its newest block, blocks follow each other, every event is of a block up to the tip, and no id is given twice
SELECT format('chain %s stands at block %s, and its newest block is %s', f.chain_id, f.tip_number, b.number) FROM
  chain_follow f
 LEFT JOIN LATERAL (SELECT number, hash FROM chain_blocks WHERE chain_id = f.chain_id ORDER BY number DESC LIMIT 1) b
   ON true
 WHERE (b.number, b.hash) IS DISTINCT FROM (f.tip_number, f.tip_hash)
UNION ALL SELECT format('block %s of chain %s does not follow block %s', b.number, b.chain_id, a.number) FROM
  chain_blocks a
 JOIN chain_blocks b ON b.chain_id = a.chain_id AND b.number = a.number + 1 WHERE b.parent_hash <> a.hash
UNION ALL SELECT format('event %s is of block %s, before or behind what was followed', e.id, e.block_number) FROM
  chain_events e
 JOIN chain_follow f USING (chain_id) WHERE e.block_number < f.start_block OR e.block_number > greatest(f.tip_number,
   f.finalized) OR e.id > f.last_event
UNION ALL SELECT format('event %s is of another block %s than the one that is kept', e.id, e.block_number) FROM
  chain_events e
 JOIN chain_blocks b ON b.chain_id = e.chain_id AND b.number = e.block_number WHERE b.hash <> e.block_hash
UNION ALL SELECT format('event %s comes after event %s, but before it in the chain', id, before) FROM (SELECT id,
  block_number, log_index,
  lag(id) OVER w AS before, lag((block_number, log_index)) OVER w AS place FROM chain_events WINDOW w AS (ORDER BY
    id)) s
 WHERE place >= (block_number, log_index)
UNION ALL SELECT format('id %s was given to two events', id) FROM chain_orphans JOIN chain_events USING (id)
UNION ALL SELECT format('events of chain %s are numbered up to %s, and there are %s', f.chain_id, f.last_event, e.n)
  FROM chain_follow f
 CROSS JOIN LATERAL (SELECT count(*) AS n FROM chain_events WHERE chain_id = f.chain_id) e
 WHERE f.reorganisations = 0 AND e.n <> f.last_event

--- chain | chain_people | people hold what their addresses hold of the token, and the team of a project that events made are its managers
SELECT format('user %s is said to hold %s, and has addresses with %s', u.id, u.holdings_wei, h.wei) FROM users u
 JOIN (SELECT a.user_id, least(sum(b.held), 2::numeric ^ 256 - 1) AS wei FROM token_balances b JOIN addresses a ON
   a.address = b.holder
  GROUP BY a.user_id) h ON h.user_id = u.id WHERE u.holdings_wei IS DISTINCT FROM h.wei
UNION ALL SELECT format('profile %s is in the team of project %s, and is no manager of it', t.profile_id, p.id) FROM
  chain_projects p
 JOIN project_team t ON t.project_id = p.id WHERE NOT (t.manager AND t.profile_id = ANY (p.managers))

--- chain | chain_markets | the figures of a market of the chain, of its positions and of who trades there are the sums of its trades
WITH made AS (SELECT contract, market_id, count(*) AS n, count(*) FILTER (WHERE trusts) AS trust_n, count(DISTINCT
  number) AS numbers,
 max(number) AS last, coalesce(sum(funds) FILTER (WHERE buys), 0) AS bought, coalesce(sum(funds) FILTER (WHERE NOT
   buys), 0) AS sold
 FROM chain_trades GROUP BY 1, 2), traded AS (SELECT contract, account, count(*) AS n,
 coalesce(sum(funds) FILTER (WHERE buys), 0) AS bought, coalesce(sum(funds) FILTER (WHERE NOT buys), 0) AS sold
 FROM chain_trades GROUP BY 1, 2), held AS (SELECT contract, market_id, account,
 coalesce(sum(CASE WHEN buys THEN votes ELSE -votes END) FILTER (WHERE trusts), 0) AS trust,
 coalesce(sum(CASE WHEN buys THEN votes ELSE -votes END) FILTER (WHERE NOT trusts), 0) AS distrust FROM chain_trades
   GROUP BY 1, 2, 3)
SELECT format('%s %s says %s trades for %s and %s; its trades are %s for %s and %s', k.contract, k.id, k.trades,
  k.bought, k.sold, m.n,
 m.bought, m.sold) FROM chain_markets k LEFT JOIN made m ON m.contract = k.contract AND m.market_id = k.id
 WHERE (k.trades, k.trust_trades, k.bought, k.sold) <> (coalesce(m.n, 0), coalesce(m.trust_n, 0), coalesce(m.bought,
   0), coalesce(m.sold, 0))
 OR m.last <> m.n OR m.numbers <> m.n
UNION ALL SELECT format('%s at %s says %s trades for %s and %s; they are %s for %s and %s', account, contract,
  a.trades, a.bought, a.sold, t.n,
 t.bought, t.sold) FROM chain_market_accounts a FULL JOIN traded t USING (contract, account)
 WHERE (coalesce(a.trades, 0), coalesce(a.bought, 0), coalesce(a.sold, 0)) <> (coalesce(t.n, 0), coalesce(t.bought,
   0), coalesce(t.sold, 0))
UNION ALL SELECT format('%s has %s and %s of %s %s; its trades say %s and %s', account, p.trust, p.distrust,
  contract, market_id, h.trust,
 h.distrust) FROM chain_positions p FULL JOIN held h USING (contract, market_id, account)
 WHERE (p.trust, p.distrust) IS DISTINCT FROM (h.trust, h.distrust)

--- chain | chain_texts | what events leave out of followed records is read from the contracts or waits for that, and nothing else does
WITH records AS (SELECT 'review' AS kind, id FROM reviews WHERE source = 'chain' UNION ALL SELECT 'reply', id FROM
  replies
 WHERE source = 'chain' UNION ALL SELECT 'vouch', number FROM vouches WHERE source = 'chain' AND contract = 'vouch'
 UNION ALL SELECT 'bond', id FROM bonds WHERE source = 'chain' UNION ALL SELECT DISTINCT 'inviter', i.profile FROM
   invitations i
  JOIN profiles p ON p.id = i.profile WHERE i.source = 'chain' AND p.source = 'chain' AND p.told_inviter IS NULL
 UNION ALL SELECT 'balance', audit FROM token_balances WHERE audit IS NOT NULL)
SELECT format('%s %s waits for no text', kind, id) FROM (SELECT * FROM records EXCEPT SELECT kind, id FROM
  chain_texts) r
UNION ALL SELECT format('the text of %s %s is of no followed record', kind, id) FROM (SELECT kind, id FROM chain_texts
 EXCEPT SELECT * FROM records) t

--- wallets | managed wallets | each managed wallet is its profile's, was made once, and is sealed under one of two master keys that follow each other
SELECT format('wallet %s is of profile %s', id, coalesce(profile_id::text, 'nobody')) FROM managed_wallets
 WHERE id <> coalesce(profile_id, 0)
UNION ALL SELECT format('wallet %s was taken out at %s, and made at %s', id, exported_at, created_at) FROM
  managed_wallets
 WHERE exported_at < created_at - interval '1 day'
UNION ALL SELECT
  format('wallets are sealed under the master keys %s to %s: finish the rotation with credence wallets rotate',
  least, most)
 FROM (SELECT min(master_version) AS least, max(master_version) AS most FROM managed_wallets) versions WHERE most >
   least + 1
UNION ALL SELECT format('%s wallets have the same sealed key', count(*)) FROM managed_wallets
 GROUP BY sealed_key HAVING count(*) > 1

--- outbox | wallet transactions | a nonce of a managed wallet is in one block at most, none is left out, and what replaced another is of the same nonce
SELECT format('wallet %s has %s transactions with nonce %s in blocks', wallet_id, count(*), nonce) FROM
  wallet_transactions
 WHERE block IS NOT NULL AND state IN ('mined', 'settled', 'failed') GROUP BY wallet_id, nonce HAVING count(*) > 1
UNION ALL SELECT format('wallet %s has settled %s nonces up to %s', u.wallet_id, u.n, u.last) FROM (SELECT wallet_id,
  count(*) AS n,
  max(nonce) AS last FROM wallet_transactions WHERE done AND block IS NOT NULL GROUP BY wallet_id) u
 JOIN managed_wallets w ON w.id = u.wallet_id WHERE u.n <> u.last + 1 AND w.exported_at IS NULL
  AND NOT EXISTS (SELECT FROM wallet_transactions f WHERE f.wallet_id = u.wallet_id AND f.state = 'failed' AND f.done
    AND f.block IS NULL
   AND f.reason LIKE 'nonce_conflict: %')
UNION ALL SELECT format('transaction %s replaces %s of another nonce', n.seq, o.seq) FROM wallet_transactions n
 JOIN wallet_transactions o ON o.seq = n.replaces WHERE (n.wallet_id, n.nonce) <> (o.wallet_id, o.nonce)
UNION ALL SELECT format('transaction %s is settled in block %s, behind the authority block %s', t.seq, t.block,
  f.authority)
 FROM wallet_transactions t CROSS JOIN chain_follow f WHERE t.state = 'settled' AND t.block > f.authority

--- audit | audit | the rows of the audit are numbered 1, 2, 3 and so on, each holds the hash of the one before, and none was changed
SELECT format('row %s of the audit is not what was written, or what was before it is gone', number)
FROM (SELECT a.number, a.hash, a.previous, audit_hash(a) AS worked_out, lag(a.number, 1, 0::bigint) OVER w AS
  number_before,
  lag(a.hash, 1, decode(repeat('00', 32), 'hex')) OVER w AS hash_before FROM audit_log a WINDOW w AS (ORDER BY
    a.number)) each
WHERE number <> number_before + 1 OR previous <> hash_before OR hash <> worked_out

--- audit | audit_money | the audit tells of every deposit and withdrawal since it began
SELECT format('transfer %s is not in the audit', t.seq) FROM wei_transfers t
WHERE t.kind IN ('DEPOSIT', 'WITHDRAWAL') AND t.at > (SELECT at FROM audit_log WHERE number = 1)
 AND NOT EXISTS (SELECT FROM audit_log a WHERE a.act = lower(t.kind) AND a.profile_id = t.profile_id
  AND a.subject = format('transfer %s of %s wei', t.seq, t.amount))
