-- Markets that are followed. They are apart from the markets of the API: those are of profiles and move money that is here; these are
-- of contracts, addresses trade on them, and whatever they hold is on the chain. A market of the contract reputationMarket has the
-- number of its profile.

CREATE TABLE chain_markets (
  contract text NOT NULL CHECK (contract IN ('reputationMarket', 'market')),
  id int NOT NULL CHECK (id >= 0),
  creator bytea NOT NULL CHECK (octet_length(creator) = 20),
  recipient bytea NOT NULL CHECK (octet_length(recipient) = 20), -- of donations
  liquidity numeric(78, 0) NOT NULL CHECK (liquidity >= 0),
  base_price numeric(78, 0) NOT NULL CHECK (base_price >= 0),
  creation_cost numeric(78, 0) NOT NULL CHECK (creation_cost >= 0),
  trust numeric(78, 0) NOT NULL CHECK (trust >= 0), -- votes, or tokens
  distrust numeric(78, 0) NOT NULL CHECK (distrust >= 0),
  trust_price numeric(78, 0) NOT NULL CHECK (trust_price >= 0),
  distrust_price numeric(78, 0) NOT NULL CHECK (distrust_price >= 0),
  backing numeric(78, 0) NOT NULL CHECK (backing >= 0),     -- of tokens
  withdrawn numeric(78, 0) NOT NULL CHECK (withdrawn >= 0), -- once it had graduated
  bought numeric(78, 0) NOT NULL CHECK (bought >= 0),       -- funds of all purchases
  sold numeric(78, 0) NOT NULL CHECK (sold >= 0),           -- funds of all sales
  trades bigint NOT NULL CHECK (trades >= 0),
  trust_trades bigint NOT NULL CHECK (trust_trades BETWEEN 0 AND trades),
  prices bigint NOT NULL CHECK (prices >= 0),
  standing text NOT NULL CHECK (standing IN ('ACTIVE', 'SELL_ONLY', 'PAUSED', 'GRADUATED')),
  userkey text, -- whom a market of tokens is about; null: it is in ether
  userkey_hash bytea CHECK (octet_length(userkey_hash) = 32),
  pricing_contract bytea CHECK (octet_length(pricing_contract) = 20),
  trust_token bytea CHECK (octet_length(trust_token) = 20),
  distrust_token bytea CHECK (octet_length(distrust_token) = 20),
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL CHECK (updated_at >= created_at),
  changed xid8 NOT NULL DEFAULT pg_current_xact_id(), -- when what it is found by, or its volume, last changed; kept by triggers
  source text NOT NULL DEFAULT 'chain' CHECK (source = 'chain'),
  event_id bigint NOT NULL,
  block bigint NOT NULL,
  PRIMARY KEY (contract, id),
  CHECK ((contract = 'market') = (userkey IS NOT NULL))
) WITH (fillfactor = 50); -- as those of the API
CREATE INDEX chain_markets_changed ON chain_markets (changed) WHERE contract = 'reputationMarket';

-- A trade knows its place in each list that it is in, so a page of a list is found wherever it begins.
CREATE TABLE chain_trades (
  event_id bigint PRIMARY KEY,
  contract text NOT NULL,
  market_id int NOT NULL,
  account bytea NOT NULL CHECK (octet_length(account) = 20), -- that traded
  buys boolean NOT NULL,
  trusts boolean NOT NULL,
  votes numeric(78, 0) NOT NULL CHECK (votes >= 0),
  funds numeric(78, 0) NOT NULL CHECK (funds >= 0), -- paid, with fees, or got, less fees
  number bigint NOT NULL CHECK (number > 0),        -- of the market's trades
  side_number bigint NOT NULL CHECK (side_number > 0),
  account_number bigint NOT NULL CHECK (account_number > 0),
  account_side_number bigint NOT NULL CHECK (account_side_number > 0),
  volume_after numeric(78, 0) NOT NULL,
  bought_after numeric(78, 0) NOT NULL,
  at timestamptz NOT NULL,
  source text NOT NULL DEFAULT 'chain' CHECK (source = 'chain'),
  block bigint NOT NULL,
  CONSTRAINT chain_trades_market UNIQUE (contract, market_id, number),
  CONSTRAINT chain_trades_side UNIQUE (contract, market_id, trusts, side_number),
  CONSTRAINT chain_trades_account UNIQUE (contract, account, account_number),
  CONSTRAINT chain_trades_account_side UNIQUE (contract, account, trusts, account_side_number)
);
CREATE INDEX chain_trades_at ON chain_trades (contract, market_id, at, number);

CREATE TABLE chain_prices (
  event_id bigint PRIMARY KEY,
  contract text NOT NULL,
  market_id int NOT NULL,
  number bigint NOT NULL CHECK (number > 0), -- of the market's prices
  trust numeric(78, 0) NOT NULL CHECK (trust >= 0),
  distrust numeric(78, 0) NOT NULL CHECK (distrust >= 0),
  trust_price numeric(78, 0) NOT NULL CHECK (trust_price >= 0),
  distrust_price numeric(78, 0) NOT NULL CHECK (distrust_price >= 0),
  at timestamptz NOT NULL,
  source text NOT NULL DEFAULT 'chain' CHECK (source = 'chain'),
  block bigint NOT NULL,
  CONSTRAINT chain_prices_market UNIQUE (contract, market_id, number)
);
CREATE INDEX chain_prices_at ON chain_prices (contract, market_id, at, number);

CREATE TABLE chain_positions (
  contract text NOT NULL,
  market_id int NOT NULL,
  account bytea NOT NULL CHECK (octet_length(account) = 20),
  trust numeric(78, 0) NOT NULL CHECK (trust >= 0),
  distrust numeric(78, 0) NOT NULL CHECK (distrust >= 0),
  source text NOT NULL DEFAULT 'chain' CHECK (source = 'chain'),
  event_id bigint NOT NULL,
  block bigint NOT NULL,
  PRIMARY KEY (contract, market_id, account)
);
CREATE INDEX chain_positions_account ON chain_positions (contract, account);
CREATE INDEX chain_positions_trust ON chain_positions (contract, market_id, trust DESC, account) WHERE trust > 0;
CREATE INDEX chain_positions_distrust ON chain_positions (contract, market_id, distrust DESC, account) WHERE distrust > 0;

CREATE TABLE chain_market_accounts (
  contract text NOT NULL CHECK (contract IN ('reputationMarket', 'market')),
  account bytea NOT NULL CHECK (octet_length(account) = 20),
  bought numeric(78, 0) NOT NULL CHECK (bought >= 0),
  sold numeric(78, 0) NOT NULL CHECK (sold >= 0),
  donations numeric(78, 0) NOT NULL CHECK (donations >= 0), -- paid out to it
  trades bigint NOT NULL CHECK (trades >= 0),
  trust_trades bigint NOT NULL CHECK (trust_trades BETWEEN 0 AND trades),
  source text NOT NULL DEFAULT 'chain' CHECK (source = 'chain'),
  event_id bigint NOT NULL,
  block bigint NOT NULL,
  PRIMARY KEY (contract, account)
);

ALTER FUNCTION chain_tables() RENAME TO chain_tables_before_markets;
CREATE FUNCTION chain_tables() RETURNS TABLE (place int, name text, keys text[], changes text[], news text[]) LANGUAGE sql IMMUTABLE AS $$
  SELECT * FROM chain_tables_before_markets() UNION ALL VALUES
    (40, 'chain_markets', '{contract,id}'::text[], '{creator,recipient,liquidity,base_price,creation_cost,trust,distrust,trust_price,distrust_price,backing,withdrawn,bought,sold,trades,trust_trades,prices,standing,userkey,userkey_hash,pricing_contract,trust_token,distrust_token,created_at,updated_at,source,event_id,block}'::text[],
      '{}'::text[]),
    (41, 'chain_trades', '{event_id}', '{contract,market_id,account,buys,trusts,votes,funds,number,side_number,account_number,account_side_number,volume_after,bought_after,at,source,block}', '{}'),
    (42, 'chain_prices', '{event_id}', '{contract,market_id,number,trust,distrust,trust_price,distrust_price,at,source,block}', '{}'),
    (43, 'chain_positions', '{contract,market_id,account}', '{trust,distrust,source,event_id,block}', '{}'),
    (44, 'chain_market_accounts', '{contract,account}', '{bought,sold,donations,trades,trust_trades,source,event_id,block}', '{}')
$$;

-- -- what markets are found by ------------------------------------------------------------

-- Whoever searches reads what has changed since: a market that traded or opened, and one whose owner is called something else.
CREATE FUNCTION note_changed_market() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed := pg_current_xact_id();
  RETURN NEW;
END $$;
CREATE TRIGGER note_changed_market BEFORE UPDATE ON chain_markets FOR EACH ROW EXECUTE FUNCTION note_changed_market();

CREATE FUNCTION note_renamed_markets(those int[]) RETURNS void LANGUAGE sql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
  UPDATE chain_markets SET changed = DEFAULT WHERE contract = 'reputationMarket' AND id = ANY (those)
$$;

CREATE OR REPLACE FUNCTION rename_market() RETURNS trigger LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off AS $$
BEGIN
  UPDATE market_names SET changed = DEFAULT WHERE market_id = (SELECT id FROM profiles WHERE user_id = NEW.id);
  PERFORM note_renamed_markets(ARRAY(SELECT id FROM profiles WHERE user_id = NEW.id));
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION rename_markets_by_accounts() RETURNS trigger LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off AS $$
DECLARE
  whose CONSTANT int[] := ARRAY(SELECT (SELECT p.id FROM profiles p WHERE p.user_id = m.user_id) FROM moved m WHERE m.service = 'x.com');
BEGIN
  UPDATE market_names SET changed = DEFAULT WHERE market_id = ANY (whose);
  PERFORM note_renamed_markets(whose);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION rename_all_markets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE market_names SET changed = DEFAULT;
  UPDATE chain_markets SET changed = DEFAULT;
  RETURN NULL;
END $$;

-- A market may be there before its owner, where people are followed later.
CREATE FUNCTION name_chain_markets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM note_renamed_markets(ARRAY(SELECT id FROM fresh WHERE source = 'chain'));
  RETURN NULL;
END $$;
CREATE TRIGGER name_chain_markets AFTER INSERT ON profiles REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION name_chain_markets();

COMMENT ON TABLE chain_markets IS 'markets of contracts, as their events made them';
COMMENT ON TABLE chain_trades IS 'trades on markets of contracts, by the events that told of them';
COMMENT ON TABLE chain_prices IS 'prices of markets of contracts, as events told of them';
COMMENT ON TABLE chain_positions IS 'what addresses hold of markets of contracts';
COMMENT ON TABLE chain_market_accounts IS 'what addresses traded on markets of contracts';
