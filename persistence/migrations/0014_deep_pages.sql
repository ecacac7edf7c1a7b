-- A page of a list costs what it carries, wherever in the list it is. Trades of a market or a trader, and
-- tips, are only ever added, so the n-th of them stays the n-th: every 256th is marked, and a page
-- begins at the mark before it. Tips are counted as they are made.

-- Trades of one side lie together, so that a page of them does not walk those of the other; a list of both merges two.
ALTER TABLE market_trades DROP CONSTRAINT market_trades_pkey;
ALTER TABLE market_trades ADD PRIMARY KEY (market_id, trusts, at, number);
DROP INDEX market_trades_trader;
CREATE INDEX market_trades_trader ON market_trades (trader_id, trusts, seq);

-- What purchases had brought by then: with `volume_after` it says what was paid in less what was paid out.
ALTER TABLE market_trades ADD COLUMN bought_after numeric(78, 0) NOT NULL DEFAULT 0;
ALTER TABLE market_trades DISABLE TRIGGER market_trades_stay;
UPDATE market_trades t SET bought_after = b.sum FROM (
    SELECT market_id, number, sum(CASE WHEN buys THEN cost + protocol_fee + donation ELSE 0 END) OVER (PARTITION BY market_id ORDER BY number) AS sum
    FROM market_trades) b
  WHERE b.market_id = t.market_id AND b.number = t.number;
ALTER TABLE market_trades ENABLE TRIGGER market_trades_stay;
ALTER TABLE market_trades ALTER COLUMN bought_after DROP DEFAULT;
-- Nobody gets votes for nothing. Those of before stay as they are.
ALTER TABLE market_trades ADD CONSTRAINT votes_cost_something CHECK (NOT buys OR cost > 0) NOT VALID;

ALTER TABLE xp_accounts ADD COLUMN tips_sent bigint NOT NULL DEFAULT 0;
ALTER TABLE xp_accounts ADD COLUMN tips_sent_total bigint NOT NULL DEFAULT 0;
ALTER TABLE xp_accounts ADD COLUMN tips_received bigint NOT NULL DEFAULT 0;
ALTER TABLE xp_accounts ADD COLUMN tips_received_total bigint NOT NULL DEFAULT 0;
ALTER TABLE xp_accounts DISABLE TRIGGER xp_accounts_keep;
UPDATE xp_accounts a SET tips_sent = t.n, tips_sent_total = t.total
  FROM (SELECT from_account, count(*) AS n, sum(amount) AS total FROM xp_movements WHERE kind = 'XP_TIP_SENT' GROUP BY 1) t WHERE t.from_account = a.id;
UPDATE xp_accounts a SET tips_received = t.n, tips_received_total = t.total
  FROM (SELECT to_account, count(*) AS n, sum(amount) AS total FROM xp_movements WHERE kind = 'XP_TIP_SENT' GROUP BY 1) t WHERE t.to_account = a.id;
ALTER TABLE xp_accounts ENABLE TRIGGER xp_accounts_keep;
DROP TRIGGER xp_accounts_begin_empty ON xp_accounts;
CREATE TRIGGER xp_accounts_begin_empty BEFORE INSERT ON xp_accounts FOR EACH ROW
  WHEN (NEW.balance <> 0 OR NEW.tips_sent <> 0 OR NEW.tips_sent_total <> 0 OR NEW.tips_received <> 0 OR NEW.tips_received_total <> 0)
  EXECUTE FUNCTION refuse_change();
-- Tips are what is listed of an account's movements. They are asked for by `id + 0`, which no other index has: a plan
-- that walks all movements by their primary key, and passes over those of others, must not be thought cheaper.
DROP INDEX xp_from;
DROP INDEX xp_to;
CREATE INDEX xp_tips_sent ON xp_movements (from_account, (id + 0)) WHERE kind = 'XP_TIP_SENT';
CREATE INDEX xp_tips_received ON xp_movements (to_account, (id + 0)) WHERE kind = 'XP_TIP_SENT';

-- As before, and tips are counted.
CREATE OR REPLACE FUNCTION xp_move() RETURNS trigger LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  named int;
  found int;
BEGIN
  WITH net AS MATERIALIZED (
    SELECT account, sum(points)::bigint AS points, sum(sent) AS sent, sum(sent_total)::bigint AS sent_total,
      sum(received) AS received, sum(received_total)::bigint AS received_total FROM (
      SELECT from_account AS account, -amount AS points, (kind = 'XP_TIP_SENT')::int AS sent,
        CASE WHEN kind = 'XP_TIP_SENT' THEN amount ELSE 0 END AS sent_total, 0 AS received, 0 AS received_total FROM fresh
      UNION ALL SELECT to_account, amount, 0, 0, (kind = 'XP_TIP_SENT')::int, CASE WHEN kind = 'XP_TIP_SENT' THEN amount ELSE 0 END
        FROM fresh) sides GROUP BY account),
  moved AS (
    UPDATE xp_accounts a SET balance = a.balance + net.points, tips_sent = a.tips_sent + net.sent,
      tips_sent_total = a.tips_sent_total + net.sent_total, tips_received = a.tips_received + net.received,
      tips_received_total = a.tips_received_total + net.received_total
    FROM net WHERE a.id = net.account RETURNING 1)
  SELECT (SELECT count(*) FROM net), (SELECT count(*) FROM moved) INTO named, found;
  IF named <> found THEN
    RAISE EXCEPTION 'an XP movement names an account that is not there' USING ERRCODE = '23503';
  END IF;
  RETURN NULL;
END $$;

-- -- marks ----------------------------------------------------------------------------

CREATE TABLE page_marks (
  list text NOT NULL CHECK (list IN ('market', 'market trust', 'market distrust', 'trader', 'trader trust', 'trader distrust',
                                     'tips sent', 'tips received')),
  owner int NOT NULL,        -- the market, the trader, the account
  ordinal bigint NOT NULL,   -- the row is the list's n-th, counted from its beginning
  at timestamptz,            -- of a market's trade, which is found by it
  key bigint NOT NULL,       -- number of a market's trade, global number of a trader's, id of a tip
  PRIMARY KEY (list, owner, ordinal)
);
COMMENT ON TABLE page_marks IS 'every 256th row of lists that only grow, so that deep pages need not be walked to; kept by triggers';

INSERT INTO page_marks SELECT 'market', market_id, n, at, number FROM
  (SELECT *, row_number() OVER (PARTITION BY market_id ORDER BY number) AS n FROM market_trades) t WHERE n % 256 = 0;
INSERT INTO page_marks SELECT CASE WHEN trusts THEN 'market trust' ELSE 'market distrust' END, market_id, n, at, number FROM
  (SELECT *, row_number() OVER (PARTITION BY market_id, trusts ORDER BY number) AS n FROM market_trades) t WHERE n % 256 = 0;
INSERT INTO page_marks SELECT 'trader', trader_id, n, NULL, seq FROM
  (SELECT *, row_number() OVER (PARTITION BY trader_id ORDER BY seq) AS n FROM market_trades) t WHERE n % 256 = 0;
INSERT INTO page_marks SELECT CASE WHEN trusts THEN 'trader trust' ELSE 'trader distrust' END, trader_id, n, NULL, seq FROM
  (SELECT *, row_number() OVER (PARTITION BY trader_id, trusts ORDER BY seq) AS n FROM market_trades) t WHERE n % 256 = 0;
INSERT INTO page_marks SELECT 'tips sent', from_account, n, NULL, id FROM
  (SELECT *, row_number() OVER (PARTITION BY from_account ORDER BY id) AS n FROM xp_movements WHERE kind = 'XP_TIP_SENT') t WHERE n % 256 = 0;
INSERT INTO page_marks SELECT 'tips received', to_account, n, NULL, id FROM
  (SELECT *, row_number() OVER (PARTITION BY to_account ORDER BY id) AS n FROM xp_movements WHERE kind = 'XP_TIP_SENT') t WHERE n % 256 = 0;

-- Called for one row in 256. What is marked is among the rows that were just added, so few are walked.
CREATE FUNCTION mark_market_pages() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
  INSERT INTO page_marks SELECT 'market', NEW.profile_id, n, t.at, t.number
    FROM generate_series(OLD.trades / 256 * 256 + 256, NEW.trades, 256) n, LATERAL (SELECT at, number FROM (
      (SELECT at, number FROM market_trades WHERE market_id = NEW.profile_id AND trusts ORDER BY at DESC, number DESC LIMIT NEW.trades - n + 1)
      UNION ALL
      (SELECT at, number FROM market_trades WHERE market_id = NEW.profile_id AND NOT trusts ORDER BY at DESC, number DESC LIMIT NEW.trades - n + 1)) both_sides
      WHERE number = n) t;
  INSERT INTO page_marks SELECT 'market trust', NEW.profile_id, n, t.at, t.number
    FROM generate_series(OLD.trust_trades / 256 * 256 + 256, NEW.trust_trades, 256) n, LATERAL (SELECT at, number FROM market_trades
      WHERE market_id = NEW.profile_id AND trusts ORDER BY at DESC, number DESC OFFSET NEW.trust_trades - n LIMIT 1) t;
  INSERT INTO page_marks SELECT 'market distrust', NEW.profile_id, n, t.at, t.number
    FROM generate_series((OLD.trades - OLD.trust_trades) / 256 * 256 + 256, NEW.trades - NEW.trust_trades, 256) n, LATERAL (SELECT at, number
      FROM market_trades WHERE market_id = NEW.profile_id AND NOT trusts
      ORDER BY at DESC, number DESC OFFSET NEW.trades - NEW.trust_trades - n LIMIT 1) t;
  RETURN NULL;
END $$;
CREATE TRIGGER mark_market_pages AFTER UPDATE OF trades, trust_trades ON markets FOR EACH ROW
  WHEN (OLD.trades / 256 <> NEW.trades / 256 OR OLD.trust_trades / 256 <> NEW.trust_trades / 256
        OR (OLD.trades - OLD.trust_trades) / 256 <> (NEW.trades - NEW.trust_trades) / 256)
  EXECUTE FUNCTION mark_market_pages();

CREATE FUNCTION mark_trader_pages() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
  INSERT INTO page_marks SELECT 'trader', NEW.profile_id, n, NULL, t.seq
    FROM generate_series(OLD.trades / 256 * 256 + 256, NEW.trades, 256) n, LATERAL (SELECT seq FROM (
      (SELECT seq FROM market_trades WHERE trader_id = NEW.profile_id AND trusts ORDER BY seq DESC LIMIT NEW.trades - n + 1)
      UNION ALL
      (SELECT seq FROM market_trades WHERE trader_id = NEW.profile_id AND NOT trusts ORDER BY seq DESC LIMIT NEW.trades - n + 1)) both_sides
      ORDER BY seq DESC OFFSET NEW.trades - n LIMIT 1) t;
  INSERT INTO page_marks SELECT 'trader trust', NEW.profile_id, n, NULL, t.seq
    FROM generate_series(OLD.trust_trades / 256 * 256 + 256, NEW.trust_trades, 256) n, LATERAL (SELECT seq FROM market_trades
      WHERE trader_id = NEW.profile_id AND trusts ORDER BY seq DESC OFFSET NEW.trust_trades - n LIMIT 1) t;
  INSERT INTO page_marks SELECT 'trader distrust', NEW.profile_id, n, NULL, t.seq
    FROM generate_series((OLD.trades - OLD.trust_trades) / 256 * 256 + 256, NEW.trades - NEW.trust_trades, 256) n, LATERAL (SELECT seq
      FROM market_trades WHERE trader_id = NEW.profile_id AND NOT trusts ORDER BY seq DESC OFFSET NEW.trades - NEW.trust_trades - n LIMIT 1) t;
  RETURN NULL;
END $$;
CREATE TRIGGER mark_trader_pages AFTER UPDATE OF trades, trust_trades ON wei_accounts FOR EACH ROW
  WHEN (OLD.trades / 256 <> NEW.trades / 256 OR OLD.trust_trades / 256 <> NEW.trust_trades / 256
        OR (OLD.trades - OLD.trust_trades) / 256 <> (NEW.trades - NEW.trust_trades) / 256)
  EXECUTE FUNCTION mark_trader_pages();

-- Tips are made by one writer, so their ids are in the order in which they are counted.
CREATE FUNCTION mark_tip_pages() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
  INSERT INTO page_marks SELECT 'tips sent', NEW.id, n, NULL, t.id
    FROM generate_series(OLD.tips_sent / 256 * 256 + 256, NEW.tips_sent, 256) n, LATERAL (SELECT id FROM xp_movements
      WHERE from_account = NEW.id AND kind = 'XP_TIP_SENT' ORDER BY id + 0 DESC OFFSET NEW.tips_sent - n LIMIT 1) t;
  INSERT INTO page_marks SELECT 'tips received', NEW.id, n, NULL, t.id
    FROM generate_series(OLD.tips_received / 256 * 256 + 256, NEW.tips_received, 256) n, LATERAL (SELECT id FROM xp_movements
      WHERE to_account = NEW.id AND kind = 'XP_TIP_SENT' ORDER BY id + 0 DESC OFFSET NEW.tips_received - n LIMIT 1) t;
  RETURN NULL;
END $$;
CREATE TRIGGER mark_tip_pages AFTER UPDATE OF tips_sent, tips_received ON xp_accounts FOR EACH ROW
  WHEN (OLD.tips_sent / 256 <> NEW.tips_sent / 256 OR OLD.tips_received / 256 <> NEW.tips_received / 256)
  EXECUTE FUNCTION mark_tip_pages();

CREATE TRIGGER page_marks_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON page_marks
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER page_marks_keep BEFORE INSERT ON page_marks
  FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change();

-- As before, and: `bought_after` follows from the trades before, and every purchase costs something.
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
      AND net.volume_after = m.bought + m.sold + net.bought + net.sold AND net.bought_after = m.bought + net.bought RETURNING 1)
  SELECT (SELECT count(*) FROM net), (SELECT count(*) FROM moved) INTO named, found;
  IF named <> found THEN
    RAISE EXCEPTION 'a trade does not follow from the one before it' USING ERRCODE = '23514';
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
