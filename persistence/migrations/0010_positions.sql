-- The same rules for trades with one statement less to join: a batch's last trade of a market comes
-- out of the grouping that is made anyway.
CREATE OR REPLACE FUNCTION trade() RETURNS trigger LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  named int;
  found int;
BEGIN
  WITH net AS MATERIALIZED (
    SELECT market_id, count(*) AS n, min(number) AS first, max(number) AS last, min(at) AS since,
      sum(CASE WHEN trusts THEN CASE WHEN buys THEN votes ELSE -votes END ELSE 0 END)::bigint AS trust,
      sum(CASE WHEN trusts THEN 0 ELSE CASE WHEN buys THEN votes ELSE -votes END END)::bigint AS distrust,
      sum(CASE WHEN buys THEN cost ELSE drawn - cost END) AS pool, sum(drawn) AS drawn,
      sum(CASE WHEN buys THEN cost + protocol_fee + donation ELSE 0 END) AS bought,
      sum(CASE WHEN buys THEN 0 ELSE cost - protocol_fee END) AS sold, sum(protocol_fee) AS fees,
      max(at) AS until, max(volume_after) AS volume_after, (array_agg(trust_after ORDER BY number DESC))[1] AS trust_after,
      (array_agg(distrust_after ORDER BY number DESC))[1] AS distrust_after,
      (array_agg(trust_price_after ORDER BY number DESC))[1] AS trust_price_after,
      (array_agg(distrust_price_after ORDER BY number DESC))[1] AS distrust_price_after
    FROM fresh GROUP BY market_id),
  moved AS (
    UPDATE markets m SET trades = m.trades + net.n, updated_at = net.until, trust = net.trust_after, distrust = net.distrust_after,
      trust_price = net.trust_price_after, distrust_price = net.distrust_price_after, pool = m.pool + net.pool,
      locked = m.locked - net.drawn, bought = m.bought + net.bought, sold = m.sold + net.sold,
      protocol_fees = m.protocol_fees + net.fees
    FROM net
    WHERE m.profile_id = net.market_id AND net.first = m.trades + 1 AND net.last = m.trades + net.n AND net.since >= m.updated_at
      AND net.trust_after = m.trust + net.trust AND net.distrust_after = m.distrust + net.distrust
      AND net.volume_after = m.bought + m.sold + net.bought + net.sold RETURNING 1)
  SELECT (SELECT count(*) FROM net), (SELECT count(*) FROM moved) INTO named, found;
  IF named <> found THEN
    RAISE EXCEPTION 'a trade does not follow from the one before it' USING ERRCODE = '23514';
  END IF;
  INSERT INTO wei_accounts (profile_id) SELECT DISTINCT f.market_id FROM fresh f
    WHERE f.donation > 0 AND NOT EXISTS (SELECT FROM wei_accounts a WHERE a.profile_id = f.market_id) ON CONFLICT DO NOTHING;
  WITH net AS MATERIALIZED (
    SELECT account, sum(amount) AS amount, sum(bought) AS bought, sum(sold) AS sold FROM (
      SELECT trader_id AS account, CASE WHEN buys THEN -(cost + protocol_fee + donation) ELSE cost - protocol_fee END AS amount,
        CASE WHEN buys THEN cost + protocol_fee + donation ELSE 0 END AS bought,
        CASE WHEN buys THEN 0 ELSE cost - protocol_fee END AS sold FROM fresh
      UNION ALL SELECT market_id, donation, 0, 0 FROM fresh WHERE donation > 0) sides GROUP BY account),
  moved AS (
    UPDATE wei_accounts a SET balance = a.balance + net.amount, bought = a.bought + net.bought, sold = a.sold + net.sold
    FROM net WHERE a.profile_id = net.account RETURNING 1)
  SELECT (SELECT count(*) FROM net), (SELECT count(*) FROM moved) INTO named, found;
  IF named <> found THEN
    RAISE EXCEPTION 'a trade names a trader who never had money here' USING ERRCODE = '23503';
  END IF;
  RETURN NULL;
END $$;
