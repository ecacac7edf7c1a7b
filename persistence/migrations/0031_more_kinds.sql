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

CREATE TABLE broker_credits (
  profile_id int NOT NULL REFERENCES profiles,
  token bytea NOT NULL CHECK (octet_length(token) = 20),
  balance numeric(78, 0) NOT NULL CHECK (balance >= 0),
  source text NOT NULL DEFAULT 'api' CHECK (source IN ('chain', 'api')),
  event_id bigint,
  block bigint,
  PRIMARY KEY (profile_id, token)
);

-- -- projects ---------------------------------------------------------------------------

ALTER TABLE projects
  ALTER COLUMN user_id DROP NOT NULL, -- null: it was taken back, or for a moment, while projects change places
  ADD COLUMN name text CHECK (name <> ''),  -- that events gave it; null: none
  ADD COLUMN metadata text,                 -- of the last event that had it
  ADD COLUMN managers int[],                -- that events named, also those without a profile
  ADD COLUMN shown_before text,             -- the name of its user before the project gave it another one
  ADD COLUMN orphaned boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT projects_of_events CHECK (source = 'api' OR (metadata IS NOT NULL AND managers IS NOT NULL)),
  ADD CONSTRAINT projects_orphaned CHECK (NOT orphaned OR (source = 'chain' AND status = 'ARCHIVED'));
COMMENT ON COLUMN projects.orphaned IS 'its block was taken back; nobody''s, and archived for every rule, until an event brings it again';

CREATE FUNCTION check_user_of_project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM projects WHERE id = NEW.id AND user_id IS NULL AND NOT orphaned) THEN
    RAISE EXCEPTION 'project % is nobody''s', NEW.id USING ERRCODE = '23514';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER check_user_of_project AFTER INSERT OR UPDATE OF user_id, orphaned ON projects DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.user_id IS NULL) EXECUTE FUNCTION check_user_of_project();

-- A text of the JSON object that a project's metadata may be; null where it is none, or lacks it. As over the API it has 2,000
-- characters at most, and none that controls anything but lines.
CREATE FUNCTION text_in_metadata(metadata text, name text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  found jsonb;
BEGIN
  found := metadata::jsonb -> name;
  RETURN CASE WHEN jsonb_typeof(found) = 'string' THEN nullif(left(btrim(regexp_replace(found #>> '{}', '[\x01-\x09\x0b-\x1f\x7f]', ' ', 'g')), 2000), '')
    END;
EXCEPTION WHEN OTHERS THEN
  RETURN NULL; -- no JSON, or nothing that can be held
END $$;
CREATE FUNCTION banner_in_metadata(metadata text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN b ~ '^https://[^[:space:]]+$' AND char_length(b) < 2000 THEN b END FROM text_in_metadata(metadata, 'bannerImageUrl') b
$$;
CREATE FUNCTION shown_name(name text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT nullif(left(btrim(regexp_replace(name, '[\x01-\x1f\x7f]+', ' ', 'g')), 100), '')
$$;

-- Whoever has a profile names themselves; a project of nobody with a profile names its user, until it is taken back.
CREATE FUNCTION unname_user_of_project(the_user int, the_name text) RETURNS void LANGUAGE sql AS $$
  UPDATE users u SET display_name = the_name WHERE u.id = the_user AND the_name IS NOT NULL
    AND NOT EXISTS (SELECT FROM profiles p WHERE p.user_id = u.id)
$$;
CREATE FUNCTION name_user_of_project(the_project int) RETURNS void LANGUAGE sql AS $$
  UPDATE projects p SET shown_before = coalesce(p.shown_before, u.display_name) FROM users u
    WHERE p.id = the_project AND shown_name(p.name) IS NOT NULL AND u.id = p.user_id AND NOT EXISTS (SELECT FROM profiles f WHERE f.user_id = u.id);
  UPDATE users u SET display_name = shown_name(p.name) FROM projects p
    WHERE p.id = the_project AND shown_name(p.name) IS NOT NULL AND u.id = p.user_id AND NOT EXISTS (SELECT FROM profiles f WHERE f.user_id = u.id)
$$;

-- Members of the team are those managers who are known, as many as a project may have over the API.
CREATE FUNCTION name_managers_of_project(the_project int) RETURNS void LANGUAGE sql AS $$
  DELETE FROM project_team WHERE project_id = the_project;
  INSERT INTO project_team (project_id, profile_id, manager)
    SELECT p.id, f.id, true FROM projects p JOIN profiles f ON f.id = ANY (p.managers) AND NOT f.orphaned WHERE p.id = the_project
    ORDER BY f.id LIMIT 50;
$$;

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

-- What belongs to a project goes, to be replaced as a whole; of one that events made, they alone say who manages it.
CREATE OR REPLACE FUNCTION clear_project(the_id int) RETURNS void LANGUAGE sql AS $$
  DELETE FROM project_links WHERE project_id = the_id;
  DELETE FROM project_team t WHERE project_id = the_id AND NOT EXISTS (SELECT FROM projects p WHERE p.id = the_id AND p.source = 'chain');
  DELETE FROM project_categories WHERE project_id = the_id;
  DELETE FROM project_chains WHERE project_id = the_id;
$$;

-- -- the token --------------------------------------------------------------------------

CREATE TABLE token_balances (
  holder bytea NOT NULL CHECK (octet_length(holder) = 20),
  token bytea NOT NULL CHECK (octet_length(token) = 20), -- its contract
  balance numeric(78, 0) NOT NULL CHECK (balance >= 0),
  missing numeric(78, 0) NOT NULL CHECK (missing >= 0), -- that was sent beyond what events told of: it was there before the first block
  source text NOT NULL DEFAULT 'api' CHECK (source IN ('chain', 'api')),
  event_id bigint,
  block bigint,
  PRIMARY KEY (holder, token)
);
CREATE TABLE reward_balances (
  holder bytea NOT NULL CHECK (octet_length(holder) = 20),
  contract bytea NOT NULL CHECK (octet_length(contract) = 20), -- that owes them
  balance numeric(78, 0) NOT NULL CHECK (balance >= 0),
  source text NOT NULL DEFAULT 'api' CHECK (source IN ('chain', 'api')),
  event_id bigint,
  block bigint,
  PRIMARY KEY (holder, contract)
);

-- A user holds what the user's addresses hold. An amount that no client could read is cut.
CREATE FUNCTION sum_holdings(people int[]) RETURNS void LANGUAGE sql AS $$
  UPDATE users u SET holdings_wei = h.wei
    FROM (SELECT p.id, (SELECT CASE WHEN count(*) > 0 THEN least(sum(b.balance), 2::numeric ^ 256 - 1) END FROM addresses a JOIN token_balances b ON b.holder = a.address
        WHERE a.user_id = p.id) AS wei FROM unnest(people) p (id)) h
    WHERE u.id = h.id AND u.holdings_wei IS DISTINCT FROM h.wei
$$;
CREATE FUNCTION move_holdings() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE FUNCTION move_holdings_of_addresses() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- As with those of scores: each of these statements is about a row or a few, planned once, and by indexes also where the plan was made
-- while tables were empty.
DO $$
DECLARE
  entry text;
BEGIN
  FOREACH entry IN ARRAY ARRAY['sum_holdings(int[])', 'move_holdings()', 'move_holdings_of_addresses()'] LOOP
    EXECUTE format('ALTER FUNCTION %s SET plan_cache_mode = force_generic_plan', entry);
    EXECUTE format('ALTER FUNCTION %s SET enable_seqscan = off', entry);
  END LOOP;
END $$;

-- -- how they are written -----------------------------------------------------------------

ALTER FUNCTION chain_tables() RENAME TO chain_tables_to_0030;
CREATE FUNCTION chain_tables() RETURNS TABLE (place int, name text, keys text[], changes text[], news text[]) LANGUAGE sql IMMUTABLE AS $$
  SELECT * FROM chain_tables_to_0030() UNION ALL VALUES
    (20, 'broker_posts', '{id}'::text[], '{author_profile,level,title,description,price,metadata,created_at,updated_at,source,event_id,block}'::text[],
      '{}'::text[]),
    (21, 'broker_fees', '{post_id}', '{token,amount,recipient,source,event_id,block}', '{}'),
    (22, 'broker_credits', '{profile_id,token}', '{balance,source,event_id,block}', '{}'),
    (23, 'chain_projects', '{id}', '{user_id,userkey,archived,name,metadata,managers,created_at,updated_at,source,event_id,block}', '{}'),
    (24, 'token_balances', '{holder,token}', '{balance,missing,source,event_id,block}', '{}'),
    (25, 'reward_balances', '{holder,contract}', '{balance,source,event_id,block}', '{}')
$$;

COMMENT ON TABLE broker_posts IS 'what people offer or look for at the broker';
COMMENT ON TABLE broker_fees IS 'what was paid for premium posts';
COMMENT ON TABLE broker_credits IS 'what profiles may pay posts with';
COMMENT ON TABLE token_balances IS 'what addresses hold of the token';
COMMENT ON TABLE reward_balances IS 'rewards that contracts owe addresses';
COMMENT ON VIEW chain_projects IS 'projects that events made, as they are written and taken back';
