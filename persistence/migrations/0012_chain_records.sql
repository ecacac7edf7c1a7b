-- What only a chain has: posts of the broker, tokens, projects of events, markets of contracts.

-- Records of the kinds broker, project and token, as events of a chain make them.

-- -- the broker -------------------------------------------------------------------------
CREATE TABLE broker_posts (
  id int PRIMARY KEY CHECK (id >= 0),
  author_profile int NOT NULL REFERENCES profiles,
  level text NOT NULL CHECK (level IN ('BASIC', 'PREMIUM')),
  title text NOT NULL,
  description text NOT NULL,
  price text NOT NULL, -- a text, as in the contract
  metadata text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL CHECK (updated_at >= created_at),
  source text NOT NULL DEFAULT 'api' CHECK (source IN ('chain', 'api')),
  event_id bigint,
  block bigint
);
-- In the order of -id, which the primary key does not have: or else a page is looked for among all posts by that.
CREATE INDEX broker_posts_author ON broker_posts (author_profile, (-id));
CREATE INDEX broker_posts_level ON broker_posts (level, (-id));
CREATE INDEX broker_posts_author_level ON broker_posts (author_profile, level, (-id));
COMMENT ON TABLE broker_posts IS 'what people offer or look for at the broker';

-- What was paid for premium posts. No contract promises that the post is told first, so a fee may wait for it.
CREATE TABLE broker_fees (
  post_id int PRIMARY KEY CHECK (post_id >= 0),
  token bytea NOT NULL CHECK (octet_length(token) = 20),
  amount numeric(78, 0) NOT NULL CHECK (amount >= 0),
  recipient bytea NOT NULL CHECK (octet_length(recipient) = 20),
  source text NOT NULL DEFAULT 'api' CHECK (source IN ('chain', 'api')),
  event_id bigint,
  block bigint
);
COMMENT ON TABLE broker_fees IS 'what was paid for premium posts';

CREATE TABLE broker_credits (
  profile_id int NOT NULL REFERENCES profiles,
  token bytea NOT NULL CHECK (octet_length(token) = 20),
  balance numeric(78, 0) NOT NULL CHECK (balance >= 0),
  source text NOT NULL DEFAULT 'api' CHECK (source IN ('chain', 'api')),
  event_id bigint,
  block bigint,
  PRIMARY KEY (profile_id, token)
);
COMMENT ON TABLE broker_credits IS 'what profiles may pay posts with';

-- -- the token --------------------------------------------------------------------------
CREATE TABLE token_balances (
  holder bytea NOT NULL CHECK (octet_length(holder) = 20),
  token bytea NOT NULL CHECK (octet_length(token) = 20), -- its contract
  balance numeric(78, 0) NOT NULL CHECK (balance >= 0),
  missing numeric(78, 0) NOT NULL CHECK (missing >= 0), -- that was sent beyond what events told of: it was there before the first block
  source text NOT NULL DEFAULT 'api' CHECK (source IN ('chain', 'api')),
  event_id bigint,
  block bigint,
  audit int UNIQUE CHECK (audit > 0), -- its number in the queue of what is read; null: nothing is missing
  earlier numeric(78, 0), -- held before the first block; null: not read
  held numeric(78, 0) GENERATED ALWAYS AS (greatest(balance - missing + coalesce(earlier, missing), 0)) STORED,
  PRIMARY KEY (holder, token)
);
COMMENT ON TABLE token_balances IS 'what addresses hold of the token';

CREATE TABLE reward_balances (
  holder bytea NOT NULL CHECK (octet_length(holder) = 20),
  contract bytea NOT NULL CHECK (octet_length(contract) = 20), -- that owes them
  balance numeric(78, 0) NOT NULL CHECK (balance >= 0),
  source text NOT NULL DEFAULT 'api' CHECK (source IN ('chain', 'api')),
  event_id bigint,
  block bigint,
  PRIMARY KEY (holder, contract)
);
COMMENT ON TABLE reward_balances IS 'rewards that contracts owe addresses';

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
  backing numeric(78, 0) NOT NULL CHECK (backing >= 0), -- of tokens
  withdrawn numeric(78, 0) NOT NULL CHECK (withdrawn >= 0), -- once it had graduated
  bought numeric(78, 0) NOT NULL CHECK (bought >= 0), -- funds of all purchases
  sold numeric(78, 0) NOT NULL CHECK (sold >= 0), -- funds of all sales
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
  since_block bigint,
  PRIMARY KEY (contract, id),
  CHECK ((contract = 'market') = (userkey IS NOT NULL))
) WITH (fillfactor = 50); -- as those of the API
CREATE INDEX chain_markets_changed ON chain_markets (changed) WHERE contract = 'reputationMarket';
COMMENT ON TABLE chain_markets IS 'markets of contracts, as their events made them';

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
  number bigint NOT NULL CHECK (number > 0), -- of the market's trades
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
COMMENT ON TABLE chain_trades IS 'trades on markets of contracts, by the events that told of them';

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
COMMENT ON TABLE chain_prices IS 'prices of markets of contracts, as events told of them';

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
COMMENT ON TABLE chain_positions IS 'what addresses hold of markets of contracts';

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
COMMENT ON TABLE chain_market_accounts IS 'what addresses traded on markets of contracts';

-- A project that has, or had, this user or userkey makes room for another one: its own row is written next. One that was taken
-- back is nobody's already, and only its userkey goes.
CREATE FUNCTION make_room_for_project(the_project int, the_user int, the_userkey text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  other record;
BEGIN
  FOR other IN SELECT id, user_id, shown_before FROM projects WHERE (user_id = the_user OR userkey = the_userkey) AND id <> the_project AND source = 'chain' LOOP
    PERFORM unname_user_of_project(other.user_id, other.shown_before);
    UPDATE projects SET user_id = NULL, userkey = format('project:%s', other.id), shown_before = NULL WHERE id = other.id;
  END LOOP;
END $$;

-- Projects that events made, as events change them.
CREATE VIEW chain_projects AS
  SELECT id, user_id, userkey, status = 'ARCHIVED' AS archived, name, metadata, managers, created_at, updated_at, source, event_id, block
    FROM projects WHERE source = 'chain' AND NOT orphaned;

CREATE FUNCTION put_chain_project() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  old_user int;
  old_name text;
BEGIN
  SELECT user_id, shown_before INTO old_user, old_name FROM projects
    WHERE id = NEW.id AND (user_id IS DISTINCT FROM NEW.user_id OR shown_name(NEW.name) IS NULL);
  IF FOUND THEN
    PERFORM unname_user_of_project(old_user, old_name);
    UPDATE projects SET shown_before = NULL WHERE id = NEW.id;
  END IF;
  PERFORM make_room_for_project(NEW.id, NEW.user_id, NEW.userkey);
  UPDATE projects SET user_id = NEW.user_id, userkey = NEW.userkey, status = CASE WHEN NEW.archived THEN 'ARCHIVED' ELSE 'ACTIVE' END,
      name = NEW.name, metadata = NEW.metadata, managers = NEW.managers, description = text_in_metadata(NEW.metadata, 'description'),
      banner_image_url = banner_in_metadata(NEW.metadata), created_at = NEW.created_at, updated_at = NEW.updated_at, source = NEW.source,
      event_id = NEW.event_id, block = NEW.block, orphaned = false
    WHERE id = NEW.id AND source = 'chain' AND (TG_OP = 'UPDATE' OR orphaned);
  IF NOT FOUND THEN
    INSERT INTO projects (id, user_id, userkey, status, name, metadata, managers, description, banner_image_url, created_at, updated_at, source,
        event_id, block)
      VALUES (NEW.id, NEW.user_id, NEW.userkey, CASE WHEN NEW.archived THEN 'ARCHIVED' ELSE 'ACTIVE' END, NEW.name, NEW.metadata, NEW.managers,
        text_in_metadata(NEW.metadata, 'description'), banner_in_metadata(NEW.metadata), NEW.created_at, NEW.updated_at, NEW.source, NEW.event_id,
        NEW.block);
  END IF;
  PERFORM name_user_of_project(NEW.id);
  PERFORM name_managers_of_project(NEW.id);
  RETURN NEW;
END $$;
CREATE TRIGGER put_chain_project INSTEAD OF INSERT OR UPDATE ON chain_projects FOR EACH ROW EXECUTE FUNCTION put_chain_project();

-- Votes may hang on a project, so it is never deleted: the next event with its id fills the row again. Until then it is nobody's, so
-- that a user whom the same block brought can go.
CREATE FUNCTION forget_chain_project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM unname_user_of_project(user_id, shown_before) FROM projects WHERE id = OLD.id;
  DELETE FROM project_team WHERE project_id = OLD.id;
  UPDATE projects SET status = 'ARCHIVED', show_archived = false, orphaned = true, user_id = NULL, shown_before = NULL WHERE id = OLD.id;
  RETURN OLD;
END $$;
CREATE TRIGGER forget_chain_project INSTEAD OF DELETE ON chain_projects FOR EACH ROW EXECUTE FUNCTION forget_chain_project();

-- A user holds what the user's addresses hold. An amount that no client could read is cut.
CREATE FUNCTION sum_holdings(people int[]) RETURNS void LANGUAGE sql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
  UPDATE users u SET holdings_wei = h.wei
    FROM (SELECT p.id, (SELECT CASE WHEN count(*) > 0 THEN least(sum(b.held), 2::numeric ^ 256 - 1) END FROM addresses a JOIN token_balances b ON b.holder = a.address
        WHERE a.user_id = p.id) AS wei FROM unnest(people) p (id)) h
    WHERE u.id = h.id AND u.holdings_wei IS DISTINCT FROM h.wei
$$;

CREATE FUNCTION move_holdings() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  people int[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    people := ARRAY(SELECT DISTINCT a.user_id FROM addresses a JOIN fresh f ON f.holder = a.address);
  ELSE -- the key of a row stays
    people := ARRAY(SELECT DISTINCT a.user_id FROM addresses a JOIN gone g ON g.holder = a.address);
  END IF;
  PERFORM sum_holdings(people);
  RETURN NULL;
END $$;
CREATE TRIGGER move_holdings_new AFTER INSERT ON token_balances REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION move_holdings();
CREATE TRIGGER move_holdings_changed AFTER UPDATE ON token_balances REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION move_holdings();
CREATE TRIGGER move_holdings_gone AFTER DELETE ON token_balances REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION move_holdings();

-- An address that goes to somebody else takes along what it holds.
CREATE FUNCTION move_holdings_of_addresses() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  people int[] := '{}';
BEGIN
  IF TG_OP <> 'DELETE' THEN
    people := ARRAY(SELECT DISTINCT f.user_id FROM fresh f WHERE EXISTS (SELECT FROM token_balances b WHERE b.holder = f.address));
  END IF;
  IF TG_OP <> 'INSERT' THEN
    people := people || ARRAY(SELECT DISTINCT g.user_id FROM gone g WHERE EXISTS (SELECT FROM token_balances b WHERE b.holder = g.address));
  END IF;
  IF cardinality(people) > 0 THEN
    PERFORM sum_holdings(ARRAY(SELECT DISTINCT x FROM unnest(people) x));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER move_holdings_new AFTER INSERT ON addresses REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION move_holdings_of_addresses();
CREATE TRIGGER move_holdings_changed AFTER UPDATE ON addresses REFERENCING OLD TABLE AS gone NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION move_holdings_of_addresses();
CREATE TRIGGER move_holdings_gone AFTER DELETE ON addresses REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION move_holdings_of_addresses();

COMMENT ON VIEW chain_projects IS 'projects that events made, as they are written and taken back';

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

-- A market may be there before its owner, where people are followed later.
CREATE FUNCTION name_chain_markets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM note_renamed_markets(ARRAY(SELECT id FROM fresh WHERE source = 'chain'));
  RETURN NULL;
END $$;
CREATE TRIGGER name_chain_markets AFTER INSERT ON profiles REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION name_chain_markets();

CREATE FUNCTION number_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.audit := nextval('token_audits');
  RETURN NEW;
END $$;
CREATE TRIGGER number_audit BEFORE INSERT OR UPDATE OF missing ON token_balances FOR EACH ROW
  WHEN (NEW.source = 'chain' AND NEW.missing > 0 AND NEW.audit IS NULL) EXECUTE FUNCTION number_audit();

CREATE TRIGGER stands_since_new BEFORE INSERT ON chain_markets FOR EACH ROW EXECUTE FUNCTION stands_since();
