-- Projects, voting periods, votes and the sums that are made of them. The board ranks by what votes weigh, which is decided when
-- they are cast: an account without standing moves nothing.

-- -- listings ---------------------------------------------------------------------------
CREATE TABLE projects (
  id int PRIMARY KEY CHECK (id > 0),
  user_id int UNIQUE REFERENCES users, -- null: it was taken back, or for a moment, while projects change places
  userkey text NOT NULL UNIQUE CHECK (userkey <> ''),
  status text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'ARCHIVED')),
  banner_image_url text,
  is_promoted boolean NOT NULL DEFAULT false,
  show_archived boolean NOT NULL DEFAULT false,
  description text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL CHECK (updated_at >= created_at),
  comment_count bigint NOT NULL DEFAULT 0 CHECK (comment_count >= 0),
  seq bigint UNIQUE CHECK (seq > 0), -- null: it was there before projects were made over the API
  source text NOT NULL DEFAULT 'api' CHECK (source IN ('chain', 'api')),
  event_id bigint,
  block bigint,
  name text CHECK (name <> ''), -- that events gave it; null: none
  metadata text, -- of the last event that had it
  managers int[], -- that events named, also those without a profile
  shown_before text, -- the name of its user before the project gave it another one
  orphaned boolean NOT NULL DEFAULT false,
  since_block bigint,
  CONSTRAINT projects_of_events CHECK (source = 'api' OR (metadata IS NOT NULL AND managers IS NOT NULL)),
  CONSTRAINT projects_orphaned CHECK (NOT orphaned OR (source = 'chain' AND status = 'ARCHIVED'))
);
COMMENT ON TABLE projects IS 'listings that are voted on: archived but never deleted';
COMMENT ON COLUMN projects.orphaned IS 'its block was taken back; nobody''s, and archived for every rule, until an event brings it again';
CREATE INDEX projects_of_api_ids ON projects (id) WHERE source = 'api';
COMMENT ON COLUMN projects.since_block IS 'the block that made it, or brought it back from the archive';

CREATE TABLE project_links (
  project_id int NOT NULL REFERENCES projects,
  position int NOT NULL CHECK (position >= 0),
  type text NOT NULL CHECK (type IN ('WEBSITE', 'TWITTER', 'TELEGRAM', 'DISCORD')),
  url text NOT NULL CHECK (url <> ''),
  PRIMARY KEY (project_id, position)
);

CREATE TABLE project_team (
  project_id int NOT NULL REFERENCES projects,
  profile_id int NOT NULL REFERENCES profiles,
  role text CHECK (char_length(role) BETWEEN 1 AND 50),
  manager boolean NOT NULL DEFAULT false,
  PRIMARY KEY (project_id, profile_id)
);
COMMENT ON COLUMN project_team.manager IS 'may edit the project';

CREATE TABLE categories (
  id int PRIMARY KEY CHECK (id > 0),
  name text NOT NULL CHECK (name <> ''),
  slug text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  description text,
  show_on_leaderboard boolean NOT NULL DEFAULT true,
  show_in_daily_service boolean NOT NULL DEFAULT false,
  banner_image_url text
);

CREATE TABLE project_categories (
  project_id int NOT NULL REFERENCES projects,
  category_id int NOT NULL REFERENCES categories,
  PRIMARY KEY (project_id, category_id)
);
CREATE INDEX project_categories_category ON project_categories (category_id);

CREATE TABLE chains (
  id int PRIMARY KEY CHECK (id > 0),
  name text NOT NULL UNIQUE CHECK (name <> ''),
  url text,
  icon_url text
);

CREATE TABLE project_chains (
  project_id int NOT NULL REFERENCES projects,
  chain_id int NOT NULL REFERENCES chains,
  PRIMARY KEY (project_id, chain_id)
);

-- -- voting periods -----------------------------------------------------------------------
CREATE TABLE voting_periods (
  id int PRIMARY KEY CHECK (id > 0),
  year int NOT NULL CHECK (year BETWEEN 1970 AND 9999),
  number int NOT NULL CHECK (number > 0),
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL CHECK (ends_at > starts_at), -- as planned
  closed_at timestamptz CHECK (closed_at >= starts_at),
  live_profiles bigint NOT NULL CHECK (live_profiles >= 0),
  active_projects bigint NOT NULL CHECK (active_projects >= 0),
  seq bigint NOT NULL UNIQUE CHECK (seq > 0),
  UNIQUE (year, number)
);
-- At most one is open at a time.
CREATE UNIQUE INDEX voting_periods_open ON voting_periods ((true)) WHERE closed_at IS NULL;
COMMENT ON TABLE voting_periods IS 'gapless from 1; the last one is open, all others are closed for good';

-- -- votes ----------------------------------------------------------------------------------

-- One row a vote, appended and never changed. Columns lie so that a row packs tightly.
CREATE TABLE votes (
  seq bigint NOT NULL, -- global, in commit order
  cast_at timestamptz NOT NULL,
  project_id int NOT NULL,
  voter_id int NOT NULL, -- a profile
  number int NOT NULL, -- the project's own gapless count
  period_id int NOT NULL,
  bullish boolean NOT NULL,
  reason text,
  weight smallint NOT NULL DEFAULT 1,
  PRIMARY KEY (project_id, number),
  CONSTRAINT votes_once_per_period UNIQUE (voter_id, period_id, project_id)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.5, autovacuum_analyze_scale_factor = 0.5);
CREATE INDEX votes_seq ON votes USING brin (seq) WITH (pages_per_range = 32);
COMMENT ON TABLE votes IS 'append-only; the fact from which totals, balances and charts are derived';
COMMENT ON COLUMN votes.weight IS 'by the level of the voter when the vote was cast, 0 to 7';
-- Votes are found by their keys alone, so the planner needs to know little of them; a sample of 30,000 rows takes the processor
-- from the writer for a fifth of a second.
ALTER TABLE votes ALTER COLUMN seq SET STATISTICS 10, ALTER COLUMN cast_at SET STATISTICS 10, ALTER COLUMN project_id SET STATISTICS 10,
  ALTER COLUMN voter_id SET STATISTICS 10, ALTER COLUMN number SET STATISTICS 10, ALTER COLUMN period_id SET STATISTICS 10,
  ALTER COLUMN bullish SET STATISTICS 10, ALTER COLUMN reason SET STATISTICS 10;

-- -- derived: written behind the commits, may be thrown away and rebuilt ------------------------
CREATE TABLE project_tallies (
  project_id int NOT NULL REFERENCES projects,
  period_id int NOT NULL REFERENCES voting_periods,
  day date NOT NULL,
  bullish bigint NOT NULL CHECK (bullish >= 0),
  bearish bigint NOT NULL CHECK (bearish >= 0),
  bullish_weight bigint,
  bearish_weight bigint, -- null: one a vote
  PRIMARY KEY (project_id, period_id, day),
  CONSTRAINT project_tallies_weights CHECK (bullish_weight >= 0 AND bearish_weight >= 0
    AND (bullish_weight IS NULL) = (bearish_weight IS NULL))
) WITH (fillfactor = 70);
COMMENT ON TABLE project_tallies IS 'derived: votes per project, period and UTC day, up to project_rollups.through';

CREATE TABLE project_rollups (
  project_id int PRIMARY KEY REFERENCES projects,
  through int NOT NULL CHECK (through >= 0), -- number of the last vote the tallies include
  periods_through int -- `through`, when the periods go as far
) WITH (fillfactor = 50); -- rewritten all the time, in place where there is room
COMMENT ON TABLE project_rollups IS 'derived: up to which vote the tallies of a project go';

CREATE TABLE project_period_tallies (
  project_id int NOT NULL,
  period_id int NOT NULL,
  bullish_weight bigint NOT NULL CHECK (bullish_weight >= 0),
  bearish_weight bigint NOT NULL CHECK (bearish_weight >= 0),
  PRIMARY KEY (project_id, period_id),
  FOREIGN KEY (project_id) REFERENCES projects,
  FOREIGN KEY (period_id) REFERENCES voting_periods
) WITH (fillfactor = 70);
COMMENT ON TABLE project_period_tallies IS 'derived: what the votes of a project and period weigh, up to project_rollups.periods_through';

-- When a listing was last changed by whatever is shown of it, by transaction.
CREATE TABLE listing_marks (
  project_id int PRIMARY KEY,
  changed xid8 NOT NULL DEFAULT pg_current_xact_id()
);
CREATE INDEX listing_marks_changed ON listing_marks (changed);
COMMENT ON TABLE listing_marks IS 'when what is shown of a listing last changed; kept by triggers';

CREATE FUNCTION check_voting_period() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before voting_periods;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF OLD.closed_at IS NOT NULL THEN
      RAISE EXCEPTION 'voting period % is closed for good', OLD.id USING ERRCODE = '23514';
    END IF;
    IF (NEW.id, NEW.year, NEW.number, NEW.starts_at, NEW.ends_at, NEW.live_profiles, NEW.active_projects, NEW.seq)
       IS DISTINCT FROM
       (OLD.id, OLD.year, OLD.number, OLD.starts_at, OLD.ends_at, OLD.live_profiles, OLD.active_projects, OLD.seq) THEN
      RAISE EXCEPTION 'voting period % can only be closed', OLD.id USING ERRCODE = '23514';
    END IF;
    RETURN NEW;
  END IF;
  SELECT * INTO before FROM voting_periods ORDER BY id DESC LIMIT 1;
  IF NEW.id <> coalesce(before.id, 0) + 1 THEN
    RAISE EXCEPTION 'voting period % does not follow %', NEW.id, coalesce(before.id, 0) USING ERRCODE = '23514';
  END IF;
  IF before.id IS NOT NULL AND (before.closed_at IS NULL OR before.closed_at > NEW.starts_at
     OR (NEW.year, NEW.number) <= (before.year, before.number)) THEN
    RAISE EXCEPTION 'voting period % would overlap or precede %', NEW.id, before.id USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER check_voting_period BEFORE INSERT OR UPDATE ON voting_periods
  FOR EACH ROW EXECUTE FUNCTION check_voting_period();

-- Who closes a period opens the next in the same transaction, so one is open always.
CREATE FUNCTION check_open_period() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM voting_periods WHERE closed_at IS NULL) THEN
    RAISE EXCEPTION 'voting period % is closed and none is open', NEW.id USING ERRCODE = '23514';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER check_open_period AFTER INSERT OR UPDATE ON voting_periods
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_open_period();

-- What a vote hangs on, checked once per statement over all its rows: three foreign
-- keys would look each row up three times and lock the rows they find (measured with
-- batches of 64 and 512 votes: 2.3 and 1.6 us a vote here, 12 us with the keys). The period's
-- row is locked, once, so that it cannot be closed under a vote by somebody else. Each
-- look-up is one descent of a primary key: a plan is kept for the session, and a join or
-- scan that was right for few rows, or many, would be kept for all.
CREATE FUNCTION check_votes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  held text := pg_advisory_xact_lock_shared(7021);
  open_period int;
  wrong record;
BEGIN
  SELECT f.project_id, f.voter_id, f.period_id, f.seq, f.number, f.reason, f.weight INTO wrong FROM fresh f
    WHERE f.period_id IS DISTINCT FROM (SELECT id FROM voting_periods WHERE closed_at IS NULL)
      OR (SELECT p.status FROM projects p WHERE p.id = f.project_id) IS DISTINCT FROM 'ACTIVE'
      OR (SELECT p.archived FROM profiles p WHERE p.id = f.voter_id) IS DISTINCT FROM false
      OR f.seq <= 0 OR f.number <= 0 OR f.weight NOT BETWEEN 0 AND 7 OR char_length(f.reason) NOT BETWEEN 1 AND 50 LIMIT 1;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  IF wrong.seq <= 0 OR wrong.number <= 0 OR wrong.weight NOT BETWEEN 0 AND 7 OR char_length(wrong.reason) NOT BETWEEN 1 AND 50 THEN
    RAISE EXCEPTION 'a vote has the number %, the global number %, the weight % and a reason of % characters', wrong.number, wrong.seq,
      wrong.weight, char_length(wrong.reason) USING ERRCODE = '23514';
  END IF;
  SELECT id INTO open_period FROM voting_periods WHERE closed_at IS NULL;
  IF wrong.period_id IS DISTINCT FROM open_period THEN
    RAISE EXCEPTION 'voting period % is not the open one', wrong.period_id USING ERRCODE = '23514';
  END IF;
  IF EXISTS (SELECT FROM projects p WHERE p.id = wrong.project_id AND p.status = 'ACTIVE') THEN
    RAISE EXCEPTION 'profile % is not there or archived', wrong.voter_id USING ERRCODE = '23503';
  END IF;
  RAISE EXCEPTION 'project % is not there or takes no votes', wrong.project_id USING ERRCODE = '23503';
END $$;
CREATE TRIGGER check_votes AFTER INSERT ON votes REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT
  WHEN (current_setting('credence.vote_checked', true) IS DISTINCT FROM 'yes') EXECUTE FUNCTION check_votes();

CREATE FUNCTION tell_projects() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM tell_changes('project', array_agg(id)) FROM after;
  ELSE
    PERFORM tell_changes('project', array_agg(id)) FROM (TABLE after EXCEPT ALL TABLE before) changed;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER tell_new AFTER INSERT ON projects REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION tell_projects();
CREATE TRIGGER tell_changed AFTER UPDATE ON projects REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION tell_projects();

CREATE FUNCTION tell_parts_of_projects() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    PERFORM tell_changes('project', array_agg(DISTINCT project_id)) FROM after;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    PERFORM tell_changes('project', array_agg(DISTINCT project_id)) FROM before;
  END IF;
  RETURN NULL;
END $$;

-- Names that many listings show.
CREATE FUNCTION tell_all_projects() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('credence_changes', 'project *');
  RETURN NULL;
END $$;
CREATE TRIGGER tell_changed AFTER UPDATE ON categories FOR EACH STATEMENT EXECUTE FUNCTION tell_all_projects();
CREATE TRIGGER tell_changed AFTER UPDATE ON chains FOR EACH STATEMENT EXECUTE FUNCTION tell_all_projects();

CREATE FUNCTION mark_project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO listing_marks VALUES (NEW.id) ON CONFLICT (project_id) DO UPDATE SET changed = DEFAULT;
  RETURN NULL;
END $$;
CREATE TRIGGER mark_project AFTER INSERT OR UPDATE ON projects FOR EACH ROW EXECUTE FUNCTION mark_project();

-- Listings are looked up one by one, whatever the planner believes.
CREATE FUNCTION mark_listing() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    UPDATE listing_marks SET changed = DEFAULT WHERE project_id = NEW.project_id;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    UPDATE listing_marks SET changed = DEFAULT WHERE project_id = OLD.project_id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER mark_listing AFTER INSERT OR UPDATE OR DELETE ON project_links FOR EACH ROW EXECUTE FUNCTION mark_listing();
CREATE TRIGGER mark_listing AFTER INSERT OR UPDATE OR DELETE ON project_team FOR EACH ROW EXECUTE FUNCTION mark_listing();
CREATE TRIGGER mark_listing AFTER INSERT OR UPDATE OR DELETE ON project_categories FOR EACH ROW EXECUTE FUNCTION mark_listing();
CREATE TRIGGER mark_listing AFTER INSERT OR UPDATE OR DELETE ON project_chains FOR EACH ROW EXECUTE FUNCTION mark_listing();

CREATE FUNCTION mark_listing_of_user() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    UPDATE listing_marks SET changed = DEFAULT WHERE project_id = (SELECT id FROM projects WHERE user_id = NEW.user_id);
  END IF;
  IF TG_OP <> 'INSERT' THEN
    UPDATE listing_marks SET changed = DEFAULT WHERE project_id = (SELECT id FROM projects WHERE user_id = OLD.user_id);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER mark_listing AFTER INSERT OR UPDATE OR DELETE ON addresses FOR EACH ROW EXECUTE FUNCTION mark_listing_of_user();
CREATE TRIGGER mark_listing AFTER INSERT OR UPDATE OR DELETE ON attestations FOR EACH ROW EXECUTE FUNCTION mark_listing_of_user();
CREATE TRIGGER mark_listing AFTER INSERT OR UPDATE OR DELETE ON user_vouches FOR EACH ROW EXECUTE FUNCTION mark_listing_of_user();

CREATE FUNCTION mark_listing_by_user() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  UPDATE listing_marks SET changed = DEFAULT WHERE project_id = (SELECT id FROM projects WHERE user_id = NEW.id);
  RETURN NULL;
END $$;
-- What others write of a user. XP moves by the service's own tips, and is shown when a listing is next looked at.
CREATE TRIGGER mark_listing AFTER UPDATE OF display_name, username, avatar_url, description, score, status, xp_streak_days,
  xp_removed_due_to_abuse, influence_factor, influence_percentile, human_verification, validator_nft_count, holdings_wei,
  reviews_negative, reviews_neutral, reviews_positive ON users
  FOR EACH ROW WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION mark_listing_by_user();

CREATE FUNCTION mark_listings_in_category() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE listing_marks SET changed = DEFAULT
    WHERE project_id IN (SELECT project_id FROM project_categories WHERE category_id = NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER mark_listings AFTER UPDATE ON categories FOR EACH ROW EXECUTE FUNCTION mark_listings_in_category();

CREATE FUNCTION mark_listings_on_chain() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE listing_marks SET changed = DEFAULT
    WHERE project_id IN (SELECT project_id FROM project_chains WHERE chain_id = NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER mark_listings AFTER UPDATE ON chains FOR EACH ROW EXECUTE FUNCTION mark_listings_on_chain();

CREATE FUNCTION mark_all_listings() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE listing_marks SET changed = DEFAULT;
  RETURN NULL;
END $$;
CREATE TRIGGER mark_all_listings AFTER TRUNCATE ON project_links FOR EACH STATEMENT EXECUTE FUNCTION mark_all_listings();
CREATE TRIGGER mark_all_listings AFTER TRUNCATE ON project_team FOR EACH STATEMENT EXECUTE FUNCTION mark_all_listings();
CREATE TRIGGER mark_all_listings AFTER TRUNCATE ON project_categories FOR EACH STATEMENT EXECUTE FUNCTION mark_all_listings();
CREATE TRIGGER mark_all_listings AFTER TRUNCATE ON project_chains FOR EACH STATEMENT EXECUTE FUNCTION mark_all_listings();

-- The open period is not closed under votes by somebody else. A lock in memory does for that;
-- one on the period's row would be written with every batch.
CREATE FUNCTION lock_open_period() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM shard_owners ORDER BY shard FOR UPDATE; -- first, as batches do
  PERFORM pg_advisory_xact_lock(7021);
  RETURN NULL;
END $$;
CREATE TRIGGER lock_open_period BEFORE UPDATE ON voting_periods FOR EACH STATEMENT EXECUTE FUNCTION lock_open_period();

CREATE FUNCTION show_open_period() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE shard_owners SET open_period = o.id FROM (SELECT max(id) AS id FROM voting_periods WHERE closed_at IS NULL) o
    WHERE open_period IS DISTINCT FROM o.id;
  RETURN NULL;
END $$;
CREATE TRIGGER show_open_period AFTER INSERT OR UPDATE ON voting_periods FOR EACH STATEMENT EXECUTE FUNCTION show_open_period();

-- Makes a project; what belongs to it comes in statements of its own.
CREATE FUNCTION create_project(the_id int, the_user int, the_userkey text, the_banner text, is_promoted boolean, is_shown boolean,
                               the_description text, the_time timestamptz, the_seq bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF the_id <> coalesce((SELECT max(id) FROM projects), 0) + 1 THEN
    RAISE EXCEPTION 'project % does not follow the last one', the_id USING ERRCODE = '23514';
  END IF;
  INSERT INTO projects (id, user_id, userkey, banner_image_url, is_promoted, show_archived, description, created_at, updated_at, seq)
    VALUES (the_id, the_user, the_userkey, the_banner, is_promoted, is_shown, the_description, the_time, the_time, the_seq);
END $$;

-- What belongs to a project goes, to be replaced as a whole; of one that events made, they alone say who manages it.
CREATE FUNCTION clear_project(the_id int) RETURNS void LANGUAGE sql AS $$
  DELETE FROM project_links WHERE project_id = the_id;
  DELETE FROM project_team t WHERE project_id = the_id AND NOT EXISTS (SELECT FROM projects p WHERE p.id = the_id AND p.source = 'chain');
  DELETE FROM project_categories WHERE project_id = the_id;
  DELETE FROM project_chains WHERE project_id = the_id;
$$;

-- A project keeps its user, its userkey and when it was made.
CREATE FUNCTION check_changed_project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'project % keeps its user, its userkey and when it was made', OLD.id USING ERRCODE = '23514';
END $$;
CREATE TRIGGER check_changed_project BEFORE UPDATE ON projects FOR EACH ROW
  WHEN (NEW.source = 'api' AND OLD.seq IS NOT NULL AND (OLD.user_id, OLD.userkey, OLD.created_at, OLD.seq)
        IS DISTINCT FROM (NEW.user_id, NEW.userkey, NEW.created_at, NEW.seq)) EXECUTE FUNCTION check_changed_project();

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

CREATE TRIGGER votes_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON votes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER projects_stay BEFORE DELETE OR TRUNCATE ON projects
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER projects_keep_id BEFORE UPDATE OF id ON projects FOR EACH ROW
  WHEN (NEW.id <> OLD.id) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER voting_periods_stay BEFORE DELETE OR TRUNCATE ON voting_periods
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

INSERT INTO shard_owners (shard, owner, epoch) VALUES (1, 'credence', 1);

DO $$
DECLARE
  part text;
  teller text;
BEGIN
  FOR part, teller IN VALUES ('addresses', 'tell_parts_of_users'), ('attestations', 'tell_parts_of_users'),
      ('user_vouches', 'tell_parts_of_users'), ('project_links', 'tell_parts_of_projects'),
      ('project_team', 'tell_parts_of_projects'), ('project_categories', 'tell_parts_of_projects'),
      ('project_chains', 'tell_parts_of_projects') LOOP
    EXECUTE format('CREATE TRIGGER tell_new AFTER INSERT ON %I REFERENCING NEW TABLE AS after '
                   'FOR EACH STATEMENT EXECUTE FUNCTION %I()', part, teller);
    EXECUTE format('CREATE TRIGGER tell_changed AFTER UPDATE ON %I REFERENCING OLD TABLE AS before NEW TABLE AS after '
                   'FOR EACH STATEMENT EXECUTE FUNCTION %I()', part, teller);
    EXECUTE format('CREATE TRIGGER tell_gone AFTER DELETE ON %I REFERENCING OLD TABLE AS before '
                   'FOR EACH STATEMENT EXECUTE FUNCTION %I()', part, teller);
  END LOOP;
END $$;
