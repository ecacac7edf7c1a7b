-- Markets of trust and distrust, and the money in them.

-- Money and markets. Money comes in and leaves by transfers, and moves by trades; both are
-- facts that stay, and their triggers keep the sums: balances, pools and fees. So whatever
-- was credited is in a balance, a pool, a fee or a creation cost, whoever writes.
CREATE TABLE wei_accounts (
  profile_id int PRIMARY KEY REFERENCES profiles,
  balance numeric(78, 0) NOT NULL DEFAULT 0 CONSTRAINT wei_never_negative CHECK (balance >= 0),
  bought numeric(78, 0) NOT NULL DEFAULT 0 CHECK (bought >= 0), -- funds of all purchases on markets
  sold numeric(78, 0) NOT NULL DEFAULT 0 CHECK (sold >= 0), -- funds of all sales
  trades bigint NOT NULL DEFAULT 0 CHECK (trades >= 0),
  trust_trades bigint NOT NULL DEFAULT 0 CHECK (trust_trades BETWEEN 0 AND trades)
) WITH (fillfactor = 50); -- balances move all the time, in place where there is room
COMMENT ON TABLE wei_accounts IS 'money that profiles have here; moved by transfers and trades alone';

CREATE TABLE wei_transfers (
  seq bigint PRIMARY KEY CHECK (seq > 0), -- global: the number of the transfer
  at timestamptz NOT NULL,
  profile_id int NOT NULL REFERENCES profiles,
  kind text NOT NULL CHECK (kind IN ('DEPOSIT', 'WITHDRAWAL', 'CREATION')),
  amount numeric(78, 0) NOT NULL CHECK (amount >= 0),
  reference text NOT NULL DEFAULT '' CHECK (char_length(reference) <= 200)
);
CREATE INDEX wei_transfers_profile ON wei_transfers (profile_id, seq);
COMMENT ON TABLE wei_transfers IS 'append-only: money that came in, left, or paid for a market';

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
  protocol_fees numeric(78, 0) NOT NULL DEFAULT 0 CHECK (protocol_fees >= 0),
  trust_trades bigint NOT NULL DEFAULT 0 CHECK (trust_trades BETWEEN 0 AND trades),
  frozen boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);
COMMENT ON TABLE markets IS 'a market of trust and distrust on a profile, as its trades have made it';
COMMENT ON COLUMN markets.frozen IS 'whether it takes no trades, as the last of its freezes says';

CREATE TABLE market_trades (
  market_id int NOT NULL,
  at timestamptz NOT NULL,
  number bigint NOT NULL CHECK (number > 0), -- of the market's trades; gapless, and in the order of time
  seq bigint NOT NULL CHECK (seq > 0), -- global: the number of the trade
  trader_id int NOT NULL,
  buys boolean NOT NULL,
  trusts boolean NOT NULL,
  votes bigint NOT NULL CHECK (votes > 0),
  cost numeric(78, 0) NOT NULL CHECK (cost >= 0), -- into the pool, or out of it
  protocol_fee numeric(78, 0) NOT NULL CHECK (protocol_fee >= 0),
  donation numeric(78, 0) NOT NULL CHECK (donation >= 0), -- to the owner of the market
  drawn numeric(78, 0) NOT NULL CHECK (drawn >= 0), -- from the locked creation cost into the pool
  trust_after bigint NOT NULL,
  distrust_after bigint NOT NULL,
  trust_price_after numeric(78, 0) NOT NULL,
  distrust_price_after numeric(78, 0) NOT NULL,
  volume_after numeric(78, 0) NOT NULL,
  bought_after numeric(78, 0) NOT NULL,
  CHECK (buys OR (donation = 0 AND protocol_fee <= cost)),
  CHECK (NOT buys OR drawn = 0),
  PRIMARY KEY (market_id, trusts, at, number),
  CONSTRAINT votes_cost_something CHECK (NOT buys OR cost > 0)
);
COMMENT ON TABLE market_trades IS 'append-only: every trade, with all sides of what it moved';
CREATE INDEX market_trades_trader ON market_trades (trader_id, trusts, seq);

-- Who holds how many votes of a market, and how many trades there were, are kept as trades are
-- made: a market with millions of trades is loaded as quickly as one with few.
CREATE TABLE market_positions (
  market_id int NOT NULL REFERENCES markets,
  trader_id int NOT NULL,
  trust bigint NOT NULL DEFAULT 0 CONSTRAINT trust_never_negative CHECK (trust >= 0),
  distrust bigint NOT NULL DEFAULT 0 CONSTRAINT distrust_never_negative CHECK (distrust >= 0),
  PRIMARY KEY (market_id, trader_id)
) WITH (fillfactor = 50); -- as balances
CREATE INDEX market_positions_trader ON market_positions (trader_id);
COMMENT ON TABLE market_positions IS 'votes of a market that a profile holds; moved by trades alone';

CREATE TABLE market_names (
  market_id int PRIMARY KEY REFERENCES markets,
  changed xid8 NOT NULL DEFAULT pg_current_xact_id()
);
CREATE INDEX market_names_changed ON market_names (changed);
COMMENT ON TABLE market_names IS 'when what a market is found by last changed; kept by triggers';

-- -- marks ----------------------------------------------------------------------------
CREATE TABLE page_marks (
  list text NOT NULL CHECK (list IN ('market', 'market trust', 'market distrust', 'trader', 'trader trust', 'trader distrust',
                                     'tips sent', 'tips received')),
  owner int NOT NULL, -- the market, the trader, the account
  ordinal bigint NOT NULL, -- the row is the list's n-th, counted from its beginning
  at timestamptz, -- of a market's trade, which is found by it
  key bigint NOT NULL, -- number of a market's trade, global number of a trader's, id of a tip
  PRIMARY KEY (list, owner, ordinal)
);
COMMENT ON TABLE page_marks IS 'every 256th row of lists that only grow, so that deep pages need not be walked to; kept by triggers';

-- An admin may freeze a market: nobody buys or sells on it until an admin lets it go on. That it was, and when it ended, are facts that
-- stay; their trigger keeps what holds now.
CREATE TABLE market_freezes (
  seq bigint PRIMARY KEY CHECK (seq > 0), -- global: the number of the change
  market_id int NOT NULL REFERENCES markets,
  frozen boolean NOT NULL, -- false: it goes on
  at timestamptz NOT NULL
);
CREATE INDEX market_freezes_market ON market_freezes (market_id, seq);
COMMENT ON TABLE market_freezes IS 'append-only: every time that an admin froze a market, or let it go on';

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

-- Both sides of every trade, once per statement: the trader's balance and the owner's, the pool and the fees. A frozen market, a number
-- that is not the market's next one, an order of time that is not that of the numbers, or votes that do not follow from those before,
-- refuse the statement.
CREATE FUNCTION trade() RETURNS trigger LANGUAGE plpgsql
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
CREATE TRIGGER trade AFTER INSERT ON market_trades REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION trade();

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

COMMENT ON VIEW wei_movements IS 'every movement of money as a row with two sides, from the facts';

CREATE FUNCTION name_market() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO market_names VALUES (NEW.profile_id);
  RETURN NULL;
END $$;
CREATE TRIGGER name_market AFTER INSERT ON markets FOR EACH ROW EXECUTE FUNCTION name_market();

-- Who has a market is looked up one by one, whatever the planner believes: a plan that was made while
-- tables were empty must not read them whole when they are not.
CREATE FUNCTION rename_market() RETURNS trigger LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off AS $$
BEGIN
  UPDATE market_names SET changed = DEFAULT WHERE market_id = (SELECT id FROM profiles WHERE user_id = NEW.id);
  PERFORM note_renamed_markets(ARRAY(SELECT id FROM profiles WHERE user_id = NEW.id));
  RETURN NULL;
END $$;
CREATE TRIGGER rename_market AFTER UPDATE OF username, display_name, description ON users FOR EACH ROW
  WHEN ((OLD.username, OLD.display_name, OLD.description) IS DISTINCT FROM (NEW.username, NEW.display_name, NEW.description))
  EXECUTE FUNCTION rename_market();

CREATE FUNCTION rename_markets_by_accounts() RETURNS trigger LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off AS $$
DECLARE
  whose CONSTANT int[] := ARRAY(SELECT (SELECT p.id FROM profiles p WHERE p.user_id = m.user_id) FROM moved m WHERE m.service = 'x.com');
BEGIN
  UPDATE market_names SET changed = DEFAULT WHERE market_id = ANY (whose);
  PERFORM note_renamed_markets(whose);
  RETURN NULL;
END $$;
CREATE TRIGGER rename_markets_by_new_accounts AFTER INSERT ON attestations REFERENCING NEW TABLE AS moved
  FOR EACH STATEMENT EXECUTE FUNCTION rename_markets_by_accounts();
CREATE TRIGGER rename_markets_by_lost_accounts AFTER DELETE ON attestations REFERENCING OLD TABLE AS moved
  FOR EACH STATEMENT EXECUTE FUNCTION rename_markets_by_accounts();
CREATE TRIGGER rename_markets_by_accounts_as_they_were AFTER UPDATE ON attestations REFERENCING OLD TABLE AS moved
  FOR EACH STATEMENT EXECUTE FUNCTION rename_markets_by_accounts();
CREATE TRIGGER rename_markets_by_accounts_as_they_are AFTER UPDATE ON attestations REFERENCING NEW TABLE AS moved
  FOR EACH STATEMENT EXECUTE FUNCTION rename_markets_by_accounts();

CREATE FUNCTION rename_all_markets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE market_names SET changed = DEFAULT;
  UPDATE chain_markets SET changed = DEFAULT;
  RETURN NULL;
END $$;
CREATE TRIGGER rename_all_markets AFTER TRUNCATE ON attestations FOR EACH STATEMENT EXECUTE FUNCTION rename_all_markets();

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

CREATE FUNCTION freeze_market() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE markets SET frozen = NEW.frozen WHERE profile_id = NEW.market_id;
  RETURN NULL;
END $$;
CREATE TRIGGER freeze_market AFTER INSERT ON market_freezes FOR EACH ROW EXECUTE FUNCTION freeze_market();

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
CREATE TRIGGER market_positions_stay BEFORE DELETE OR TRUNCATE ON market_positions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER market_positions_keep BEFORE INSERT OR UPDATE ON market_positions
  FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER page_marks_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON page_marks
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER page_marks_keep BEFORE INSERT ON page_marks
  FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER market_freezes_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON market_freezes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER markets_begin_open BEFORE INSERT ON markets FOR EACH ROW WHEN (NEW.frozen) EXECUTE FUNCTION refuse_change();
