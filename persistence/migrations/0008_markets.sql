-- Money and markets. Money comes in and leaves by transfers, and moves by trades; both are
-- facts that stay, and their triggers keep the sums: balances, pools and fees. So whatever
-- was credited is in a balance, a pool, a fee or a creation cost, whoever writes.

CREATE TABLE wei_accounts (
  profile_id int PRIMARY KEY REFERENCES profiles,
  balance numeric(78, 0) NOT NULL DEFAULT 0 CONSTRAINT wei_never_negative CHECK (balance >= 0),
  bought numeric(78, 0) NOT NULL DEFAULT 0 CHECK (bought >= 0), -- funds of all purchases on markets
  sold numeric(78, 0) NOT NULL DEFAULT 0 CHECK (sold >= 0)      -- funds of all sales
) WITH (fillfactor = 50); -- balances move all the time, in place where there is room

CREATE TABLE wei_transfers (
  seq bigint PRIMARY KEY CHECK (seq > 0), -- global: the number of the transfer
  at timestamptz NOT NULL,
  profile_id int NOT NULL REFERENCES profiles,
  kind text NOT NULL CHECK (kind IN ('DEPOSIT', 'WITHDRAWAL', 'CREATION')),
  amount numeric(78, 0) NOT NULL CHECK (amount >= 0),
  reference text NOT NULL DEFAULT '' CHECK (char_length(reference) <= 200)
);
CREATE INDEX wei_transfers_profile ON wei_transfers (profile_id, seq);

CREATE TABLE markets (
  profile_id int PRIMARY KEY REFERENCES profiles,
  tier text NOT NULL CHECK (tier IN ('VOLATILE', 'NORMAL', 'INSULATED')),
  liquidity bigint NOT NULL CHECK (liquidity > 0),
  base_price numeric(78, 0) NOT NULL CHECK (base_price > 0),
  creation_cost numeric(78, 0) NOT NULL CHECK (creation_cost >= 0),
  seq bigint NOT NULL UNIQUE REFERENCES wei_transfers, -- the transfer that paid for it
  created_at timestamptz NOT NULL,
  -- What its trades have made of it.
  updated_at timestamptz NOT NULL CHECK (updated_at >= created_at),
  trades bigint NOT NULL DEFAULT 0 CHECK (trades >= 0),
  trust bigint NOT NULL DEFAULT 1 CHECK (trust >= 1),
  distrust bigint NOT NULL DEFAULT 1 CHECK (distrust >= 1),
  trust_price numeric(78, 0) NOT NULL CHECK (trust_price BETWEEN 0 AND base_price),
  distrust_price numeric(78, 0) NOT NULL CHECK (distrust_price BETWEEN 0 AND base_price),
  pool numeric(78, 0) NOT NULL DEFAULT 0 CONSTRAINT pool_never_negative CHECK (pool >= 0),
  locked numeric(78, 0) NOT NULL CONSTRAINT locked_never_negative CHECK (locked BETWEEN 0 AND creation_cost),
  bought numeric(78, 0) NOT NULL DEFAULT 0 CHECK (bought >= 0),
  sold numeric(78, 0) NOT NULL DEFAULT 0 CHECK (sold >= 0),
  protocol_fees numeric(78, 0) NOT NULL DEFAULT 0 CHECK (protocol_fees >= 0)
) WITH (fillfactor = 50);

CREATE TABLE market_trades (
  market_id int NOT NULL,
  at timestamptz NOT NULL,
  number bigint NOT NULL CHECK (number > 0), -- of the market's trades; gapless, and in the order of time
  seq bigint NOT NULL CHECK (seq > 0),       -- global: the number of the trade
  trader_id int NOT NULL,
  buys boolean NOT NULL,
  trusts boolean NOT NULL,
  votes bigint NOT NULL CHECK (votes > 0),
  cost numeric(78, 0) NOT NULL CHECK (cost >= 0), -- into the pool, or out of it
  protocol_fee numeric(78, 0) NOT NULL CHECK (protocol_fee >= 0),
  donation numeric(78, 0) NOT NULL CHECK (donation >= 0), -- to the owner of the market
  drawn numeric(78, 0) NOT NULL CHECK (drawn >= 0),       -- from the locked creation cost into the pool
  trust_after bigint NOT NULL,
  distrust_after bigint NOT NULL,
  trust_price_after numeric(78, 0) NOT NULL,
  distrust_price_after numeric(78, 0) NOT NULL,
  volume_after numeric(78, 0) NOT NULL,
  PRIMARY KEY (market_id, at, number),
  CHECK (buys OR (donation = 0 AND protocol_fee <= cost)),
  CHECK (NOT buys OR drawn = 0)
);
CREATE INDEX market_trades_trader ON market_trades (trader_id, seq);

-- -- what keeps the sums --------------------------------------------------------------

CREATE FUNCTION wei_transfer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO wei_accounts (profile_id, balance)
    SELECT profile_id, 0 FROM fresh ON CONFLICT DO NOTHING;
  UPDATE wei_accounts a SET balance = a.balance + net.amount
    FROM (SELECT profile_id, sum(CASE kind WHEN 'DEPOSIT' THEN amount ELSE -amount END) AS amount FROM fresh GROUP BY 1) net
    WHERE a.profile_id = net.profile_id;
  RETURN NULL;
END $$;
CREATE TRIGGER wei_transfer AFTER INSERT ON wei_transfers REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION wei_transfer();

-- A market begins as its tier says, paid for by the transfer it names.
CREATE FUNCTION open_market() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.trades <> 0 OR NEW.trust <> 1 OR NEW.distrust <> 1 OR NEW.pool <> 0 OR NEW.bought <> 0 OR NEW.sold <> 0
     OR NEW.protocol_fees <> 0 OR NEW.locked <> NEW.creation_cost THEN
    RAISE EXCEPTION 'market % does not begin empty', NEW.profile_id USING ERRCODE = '23514';
  END IF;
  PERFORM FROM wei_transfers t WHERE t.seq = NEW.seq AND t.kind = 'CREATION' AND t.profile_id = NEW.profile_id
    AND t.amount = NEW.creation_cost;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'market % is not paid for', NEW.profile_id USING ERRCODE = '23514';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER open_market AFTER INSERT ON markets FOR EACH ROW EXECUTE FUNCTION open_market();

-- Both sides of every trade, once per statement: the trader's balance and the owner's, the
-- pool and the fees. A number that is not the market's next one, an order of time that is
-- not that of the numbers, or votes that do not follow from those before, refuse the statement.
CREATE FUNCTION trade() RETURNS trigger LANGUAGE plpgsql
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
      sum(CASE WHEN buys THEN 0 ELSE cost - protocol_fee END) AS sold, sum(protocol_fee) AS fees
    FROM fresh GROUP BY market_id),
  moved AS (
    UPDATE markets m SET trades = m.trades + net.n, updated_at = last.at, trust = last.trust_after, distrust = last.distrust_after,
      trust_price = last.trust_price_after, distrust_price = last.distrust_price_after, pool = m.pool + net.pool,
      locked = m.locked - net.drawn, bought = m.bought + net.bought, sold = m.sold + net.sold,
      protocol_fees = m.protocol_fees + net.fees
    FROM net JOIN fresh last ON last.market_id = net.market_id AND last.number = net.last
    WHERE m.profile_id = net.market_id AND net.first = m.trades + 1 AND net.last = m.trades + net.n AND net.since >= m.updated_at
      AND last.trust_after = m.trust + net.trust AND last.distrust_after = m.distrust + net.distrust
      AND last.volume_after = m.bought + m.sold + net.bought + net.sold RETURNING 1)
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
CREATE TRIGGER trade AFTER INSERT ON market_trades REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION trade();

-- Facts stay, and sums are moved by facts alone.
CREATE TRIGGER wei_transfers_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON wei_transfers
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER market_trades_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON market_trades
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER wei_accounts_begin_empty BEFORE INSERT ON wei_accounts FOR EACH ROW
  WHEN (NEW.balance <> 0 OR NEW.bought <> 0 OR NEW.sold <> 0) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER wei_accounts_stay BEFORE DELETE OR TRUNCATE ON wei_accounts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER wei_accounts_keep BEFORE UPDATE ON wei_accounts
  FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER markets_stay BEFORE DELETE OR TRUNCATE ON markets
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER markets_keep BEFORE UPDATE ON markets
  FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change();

-- Every movement of money as a row with two sides. 0 names the outside world or the service.
CREATE VIEW wei_movements AS
  SELECT seq, at, 'DEPOSIT' AS kind, 'outside' AS from_kind, 0 AS from_id, 'profile' AS to_kind, profile_id AS to_id, amount
    FROM wei_transfers WHERE kind = 'DEPOSIT'
  UNION ALL SELECT seq, at, 'WITHDRAWAL', 'profile', profile_id, 'outside', 0, amount FROM wei_transfers WHERE kind = 'WITHDRAWAL'
  UNION ALL SELECT seq, at, 'CREATION', 'profile', profile_id, 'locked', profile_id, amount FROM wei_transfers WHERE kind = 'CREATION'
  UNION ALL SELECT seq, at, 'PURCHASE', 'profile', trader_id, 'pool', market_id, cost FROM market_trades WHERE buys
  UNION ALL SELECT seq, at, 'ENTRY_FEE', 'profile', trader_id, 'fees', 0, protocol_fee FROM market_trades WHERE buys
  UNION ALL SELECT seq, at, 'DONATION', 'profile', trader_id, 'profile', market_id, donation FROM market_trades WHERE buys
  UNION ALL SELECT seq, at, 'SALE', 'pool', market_id, 'profile', trader_id, cost - protocol_fee FROM market_trades WHERE NOT buys
  UNION ALL SELECT seq, at, 'EXIT_FEE', 'pool', market_id, 'fees', 0, protocol_fee FROM market_trades WHERE NOT buys
  UNION ALL SELECT seq, at, 'ROUNDING', 'locked', market_id, 'pool', market_id, drawn FROM market_trades WHERE drawn > 0;

COMMENT ON TABLE wei_accounts IS 'money that profiles have here; moved by transfers and trades alone';
COMMENT ON TABLE wei_transfers IS 'append-only: money that came in, left, or paid for a market';
COMMENT ON TABLE markets IS 'a market of trust and distrust on a profile, as its trades have made it';
COMMENT ON TABLE market_trades IS 'append-only: every trade, with all sides of what it moved';
COMMENT ON VIEW wei_movements IS 'every movement of money as a row with two sides, from the facts';

-- -- search ---------------------------------------------------------------------------

CREATE INDEX attestations_x_names ON attestations USING gin (lower(username) gin_trgm_ops) WHERE service = 'x.com' AND NOT archived;
CREATE INDEX users_descriptions ON users USING gin (lower(description) gin_trgm_ops);
