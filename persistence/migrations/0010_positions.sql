-- Who holds how many votes of a market, and how many trades there were, are kept as trades are
-- made: a market with millions of trades is loaded as quickly as one with few.

CREATE TABLE market_positions (
  market_id int NOT NULL REFERENCES markets,
  trader_id int NOT NULL,
  trust bigint NOT NULL DEFAULT 0 CONSTRAINT trust_never_negative CHECK (trust >= 0),
  distrust bigint NOT NULL DEFAULT 0 CONSTRAINT distrust_never_negative CHECK (distrust >= 0),
  PRIMARY KEY (market_id, trader_id)
) WITH (fillfactor = 50); -- as balances
INSERT INTO market_positions (market_id, trader_id, trust, distrust)
  SELECT market_id, trader_id, coalesce(sum(CASE WHEN buys THEN votes ELSE -votes END) FILTER (WHERE trusts), 0),
    coalesce(sum(CASE WHEN buys THEN votes ELSE -votes END) FILTER (WHERE NOT trusts), 0)
  FROM market_trades GROUP BY 1, 2;
CREATE INDEX market_positions_trader ON market_positions (trader_id);

ALTER TABLE markets ADD COLUMN trust_trades bigint NOT NULL DEFAULT 0 CHECK (trust_trades BETWEEN 0 AND trades);
ALTER TABLE wei_accounts ADD COLUMN trades bigint NOT NULL DEFAULT 0 CHECK (trades >= 0);
ALTER TABLE wei_accounts ADD COLUMN trust_trades bigint NOT NULL DEFAULT 0 CHECK (trust_trades BETWEEN 0 AND trades);
ALTER TABLE markets DISABLE TRIGGER markets_keep;
ALTER TABLE wei_accounts DISABLE TRIGGER wei_accounts_keep;
UPDATE markets m SET trust_trades = t.n
  FROM (SELECT market_id, count(*) AS n FROM market_trades WHERE trusts GROUP BY 1) t WHERE t.market_id = m.profile_id;
UPDATE wei_accounts a SET trades = t.n, trust_trades = t.trust
  FROM (SELECT trader_id, count(*) AS n, count(*) FILTER (WHERE trusts) AS trust FROM market_trades GROUP BY 1) t
  WHERE t.trader_id = a.profile_id;
ALTER TABLE markets ENABLE TRIGGER markets_keep;
ALTER TABLE wei_accounts ENABLE TRIGGER wei_accounts_keep;

-- As before, and: a batch's last trade of a market comes out of the grouping that is made anyway; a
-- purchase may cost nothing, also to who never had money; nobody sells what nobody has.
CREATE OR REPLACE FUNCTION trade() RETURNS trigger LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  named int;
  found int;
BEGIN
  WITH net AS MATERIALIZED (
    SELECT market_id, count(*) AS n, count(*) FILTER (WHERE trusts) AS trust_n, min(number) AS first, max(number) AS last, min(at) AS since,
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
      protocol_fees = m.protocol_fees + net.fees, trust_trades = m.trust_trades + net.trust_n
    FROM net
    WHERE m.profile_id = net.market_id AND net.first = m.trades + 1 AND net.last = m.trades + net.n AND net.since >= m.updated_at
      AND net.trust_after = m.trust + net.trust AND net.distrust_after = m.distrust + net.distrust
      AND net.volume_after = m.bought + m.sold + net.bought + net.sold RETURNING 1)
  SELECT (SELECT count(*) FROM net), (SELECT count(*) FROM moved) INTO named, found;
  IF named <> found THEN
    RAISE EXCEPTION 'a trade does not follow from the one before it' USING ERRCODE = '23514';
  END IF;
  INSERT INTO wei_accounts (profile_id)
    SELECT f.id FROM (SELECT market_id AS id FROM fresh WHERE donation > 0
                      UNION SELECT trader_id FROM fresh WHERE buys AND cost + protocol_fee + donation = 0) f
    WHERE NOT EXISTS (SELECT FROM wei_accounts a WHERE a.profile_id = f.id) ON CONFLICT DO NOTHING;
  WITH net AS MATERIALIZED (
    SELECT account, sum(amount) AS amount, sum(bought) AS bought, sum(sold) AS sold, sum(n) AS n, sum(trust_n) AS trust_n FROM (
      SELECT trader_id AS account, CASE WHEN buys THEN -(cost + protocol_fee + donation) ELSE cost - protocol_fee END AS amount,
        CASE WHEN buys THEN cost + protocol_fee + donation ELSE 0 END AS bought,
        CASE WHEN buys THEN 0 ELSE cost - protocol_fee END AS sold, 1 AS n, trusts::int AS trust_n FROM fresh
      UNION ALL SELECT market_id, donation, 0, 0, 0, 0 FROM fresh WHERE donation > 0) sides GROUP BY account),
  moved AS (
    UPDATE wei_accounts a SET balance = a.balance + net.amount, bought = a.bought + net.bought, sold = a.sold + net.sold,
      trades = a.trades + net.n, trust_trades = a.trust_trades + net.trust_n
    FROM net WHERE a.profile_id = net.account RETURNING 1)
  SELECT (SELECT count(*) FROM net), (SELECT count(*) FROM moved) INTO named, found;
  IF named <> found THEN
    RAISE EXCEPTION 'a trade names a trader who never had money here' USING ERRCODE = '23503';
  END IF;
  INSERT INTO market_positions (market_id, trader_id)
    SELECT DISTINCT f.market_id, f.trader_id FROM fresh f WHERE NOT EXISTS
      (SELECT FROM market_positions p WHERE p.market_id = f.market_id AND p.trader_id = f.trader_id);
  UPDATE market_positions p SET trust = p.trust + net.trust, distrust = p.distrust + net.distrust
    FROM (SELECT market_id, trader_id, sum(CASE WHEN trusts THEN CASE WHEN buys THEN votes ELSE -votes END ELSE 0 END) AS trust,
            sum(CASE WHEN trusts THEN 0 ELSE CASE WHEN buys THEN votes ELSE -votes END END) AS distrust
          FROM fresh GROUP BY 1, 2) net
    WHERE p.market_id = net.market_id AND p.trader_id = net.trader_id;
  RETURN NULL;
END $$;

CREATE TRIGGER market_positions_stay BEFORE DELETE OR TRUNCATE ON market_positions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER market_positions_keep BEFORE INSERT OR UPDATE ON market_positions
  FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change();
COMMENT ON TABLE market_positions IS 'votes of a market that a profile holds; moved by trades alone';
