-- An admin may freeze a market: nobody buys or sells on it until an admin lets it go on. That it was, and when it ended, are facts that
-- stay; their trigger keeps what holds now.

CREATE TABLE market_freezes (
  seq bigint PRIMARY KEY CHECK (seq > 0), -- global: the number of the change
  market_id int NOT NULL REFERENCES markets,
  frozen boolean NOT NULL,                -- false: it goes on
  at timestamptz NOT NULL
);
CREATE INDEX market_freezes_market ON market_freezes (market_id, seq);
COMMENT ON TABLE market_freezes IS 'append-only: every time that an admin froze a market, or let it go on';

ALTER TABLE markets ADD COLUMN frozen boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN markets.frozen IS 'whether it takes no trades, as the last of its freezes says';

CREATE FUNCTION freeze_market() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE markets SET frozen = NEW.frozen WHERE profile_id = NEW.market_id;
  RETURN NULL;
END $$;
CREATE TRIGGER freeze_market AFTER INSERT ON market_freezes FOR EACH ROW EXECUTE FUNCTION freeze_market();
CREATE TRIGGER market_freezes_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON market_freezes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER markets_begin_open BEFORE INSERT ON markets FOR EACH ROW WHEN (NEW.frozen) EXECUTE FUNCTION refuse_change();

-- As before, and: a frozen market takes no trade.
CREATE OR REPLACE FUNCTION trade() RETURNS trigger LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off AS $$
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
      max(at) AS until, max(volume_after) AS volume_after, max(bought_after) AS bought_after, (array_agg(trust_after ORDER BY number DESC))[1] AS trust_after,
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
      AND net.volume_after = m.bought + m.sold + net.bought + net.sold AND net.bought_after = m.bought + net.bought AND NOT m.frozen RETURNING 1)
  SELECT (SELECT count(*) FROM net), (SELECT count(*) FROM moved) INTO named, found;
  IF named <> found THEN
    RAISE EXCEPTION 'a trade does not follow from the one before it, or its market is frozen' USING ERRCODE = '23514';
  END IF;
  INSERT INTO wei_accounts (profile_id)
    SELECT f.id FROM (SELECT DISTINCT market_id AS id FROM fresh WHERE donation > 0) f
    WHERE (SELECT true FROM wei_accounts a WHERE a.profile_id = f.id) IS NULL ON CONFLICT DO NOTHING;
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
  WITH net AS MATERIALIZED (
    SELECT market_id, trader_id, sum(CASE WHEN trusts THEN CASE WHEN buys THEN votes ELSE -votes END ELSE 0 END) AS trust,
      sum(CASE WHEN trusts THEN 0 ELSE CASE WHEN buys THEN votes ELSE -votes END END) AS distrust
    FROM fresh GROUP BY 1, 2),
  moved AS (
    UPDATE market_positions p SET trust = p.trust + there.trust, distrust = p.distrust + there.distrust
    FROM (SELECT trust, distrust, (SELECT q.ctid FROM market_positions q WHERE q.market_id = net.market_id AND q.trader_id = net.trader_id) AS place
          FROM net) there
    WHERE p.ctid = there.place RETURNING 1)
  SELECT (SELECT count(*) FROM net), (SELECT count(*) FROM moved) INTO named, found;
  IF named <> found THEN
    INSERT INTO market_positions (market_id, trader_id, trust, distrust)
      SELECT f.market_id, f.trader_id, sum(CASE WHEN trusts THEN CASE WHEN buys THEN votes ELSE -votes END ELSE 0 END),
        sum(CASE WHEN trusts THEN 0 ELSE CASE WHEN buys THEN votes ELSE -votes END END)
      FROM fresh f WHERE
        (SELECT true FROM market_positions p WHERE p.market_id = f.market_id AND p.trader_id = f.trader_id) IS NULL
      GROUP BY 1, 2;
  END IF;
  RETURN NULL;
END $$;
