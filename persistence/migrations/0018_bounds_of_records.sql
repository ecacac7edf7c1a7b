-- What a change of a record looks through or writes has a bound that nobody moves by what they store.

-- -- names that many listings show --------------------------------------------------------

-- Renaming a category or chain notes that alone; whoever reads what has changed finds its listings.
ALTER TABLE categories ADD changed xid8;
ALTER TABLE chains ADD changed xid8;
COMMENT ON COLUMN categories.changed IS 'when it was last changed, by transaction; null: never';
COMMENT ON COLUMN chains.changed IS 'when it was last changed, by transaction; null: never';

DROP TRIGGER mark_listings ON categories;
DROP TRIGGER mark_listings ON chains;
DROP FUNCTION mark_listings_in_category, mark_listings_on_chain;

CREATE FUNCTION mark_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed := pg_current_xact_id();
  RETURN NEW;
END $$;
CREATE TRIGGER mark_name BEFORE UPDATE ON categories FOR EACH ROW EXECUTE FUNCTION mark_name();
CREATE TRIGGER mark_name BEFORE UPDATE ON chains FOR EACH ROW EXECUTE FUNCTION mark_name();

DROP INDEX project_categories_category, project_chains_chain;
CREATE INDEX project_categories_category ON project_categories (category_id, project_id);
CREATE INDEX project_chains_chain ON project_chains (chain_id, project_id);

-- -- penalties ------------------------------------------------------------------------------

-- A penalty stays with the user whom the slash cost it. Who turns out to be somebody else leaves it to that person where scores are
-- read: of two of the same slash the larger one.
CREATE OR REPLACE VIEW full_score_inputs AS
  SELECT i.*, coalesce(u.human_verification = 'VERIFIED', false) AS human_verified,
    (SELECT min((coalesce(a.first_seen_at, a.added_at) AT TIME ZONE 'UTC')::date) FROM addresses a WHERE a.user_id = i.user_id) AS first_seen,
    (SELECT min(CASE WHEN a.account ~ '^[1-9][0-9]{0,18}$' THEN CASE WHEN a.account::numeric < 9223372036854775808
      THEN a.account::bigint END END) FROM attestations a
      WHERE a.user_id = i.user_id AND a.service = 'x.com' AND NOT a.archived) AS x_account,
    (SELECT coalesce(e.score, 1200) FROM profiles p JOIN profiles o ON o.id = p.invited_by LEFT JOIN epoch_scores e ON e.user_id = o.user_id
      WHERE p.user_id = i.user_id) AS inviter_score,
    n.slashes, n.reasons, n.penalties,
    (SELECT max(day) FROM vouch_parts v WHERE v.counts_for = i.user_id) AS newest_part
  FROM score_inputs i JOIN users u ON u.id = i.user_id CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(d.slash_id ORDER BY d.slash_id), '{}') AS slashes,
      coalesce(array_agg(array_position(ARRAY['subject', 'author', 'vouch', 'review'], d.reason) - 1 ORDER BY d.slash_id), '{}') AS reasons,
      coalesce(array_agg(d.points ORDER BY d.slash_id), '{}') AS penalties
    FROM (SELECT DISTINCT ON (p.slash_id) p.slash_id, p.reason, p.points FROM slash_penalties p
      WHERE u.merged_into IS NULL AND p.user_id = ANY (ARRAY(SELECT i.user_id UNION ALL SELECT m.id FROM users m WHERE m.merged_into = i.user_id))
      ORDER BY p.slash_id, p.points DESC, p.user_id <> i.user_id) d) n;

CREATE OR REPLACE FUNCTION score_changed_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.merged_into IS DISTINCT FROM OLD.merged_into AND EXISTS (SELECT FROM slash_penalties WHERE user_id = NEW.id) THEN
    PERFORM open_scores(array_remove(ARRAY[OLD.merged_into, NEW.merged_into], NULL), 'merge of user ' || NEW.id);
  END IF;
  PERFORM mark_scores(ARRAY[NEW.id, OLD.merged_into], 'user ' || NEW.id);
  RETURN NULL;
END $$;

DROP TRIGGER divide_penalties ON users;
DROP FUNCTION divide_penalties;

CREATE OR REPLACE FUNCTION put_chain_penalties() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  whose int[];
BEGIN
  WITH gone AS (DELETE FROM slash_penalties WHERE slash_id = NEW.id RETURNING user_id) SELECT array_agg(user_id) INTO whose FROM gone;
  INSERT INTO slash_penalties SELECT NEW.id, u.id, d ->> 1, (d ->> 2)::int
    FROM jsonb_array_elements(NEW.penalties) d JOIN users u ON u.id = (d ->> 0)::int;
  whose := whose || ARRAY(SELECT user_id FROM slash_penalties WHERE slash_id = NEW.id);
  PERFORM open_scores(ARRAY(SELECT DISTINCT coalesce(u.merged_into, u.id) FROM users u WHERE u.id = ANY (whose)),
    CASE NEW.ended_by WHEN 'time' THEN 'slash ' || NEW.id ELSE cause_of('chain', NEW.event_id, '') END);
  RETURN NULL;
END $$;
DROP FUNCTION put_penalties;

-- Those of slashes of a chain that were moved are where the slash put them again.
DELETE FROM slash_penalties p USING slashes s WHERE s.id = p.slash_id AND s.source = 'chain';
INSERT INTO slash_penalties SELECT s.id, u.id, d ->> 1, (d ->> 2)::int
  FROM slashes s CROSS JOIN jsonb_array_elements(s.penalties) d JOIN users u ON u.id = (d ->> 0)::int WHERE s.source = 'chain';

-- -- parameters of contracts ----------------------------------------------------------------

-- A parameter tells which event set it, as other rows do. Who set those that are there is not known, so no earlier event sets them again.
ALTER TABLE chain_params ADD event_id bigint;
UPDATE chain_params SET event_id = coalesce((SELECT last_event FROM chain_follow), 0);
ALTER TABLE chain_params ALTER event_id SET NOT NULL;
UPDATE chain_undo SET before = before || jsonb_build_object('event_id', coalesce((SELECT last_event FROM chain_follow), 0))
  WHERE relation = 'chain_params' AND before IS NOT NULL;

DO $$
BEGIN
  EXECUTE replace(pg_get_functiondef('chain_tables'::regproc), $f$'{contract,name}', '{value}'$f$, $f$'{contract,name}', '{value,event_id}'$f$);
  PERFORM make_chain_writers();
END $$;

-- Whether a later event has changed a row that this one would change.
CREATE OR REPLACE FUNCTION changed_by_later_events(the_event bigint, the_name text, relations text[], images text[]) RETURNS boolean
  LANGUAGE plpgsql STABLE AS $$
DECLARE
  t record;
  coming jsonb;
  later boolean;
BEGIN
  FOR t IN SELECT * FROM chain_tables() c WHERE c.name = ANY (relations) AND 'event_id' = ANY (c.changes) LOOP
    SELECT jsonb_agg(i.image::jsonb) INTO coming FROM unnest(relations, images) i (relation, image) WHERE i.relation = t.name;
    EXECUTE format('SELECT EXISTS (SELECT FROM %1$I t JOIN jsonb_populate_recordset(NULL::%1$I, $1) n ON (%2$s) = (%3$s) WHERE t.event_id > $2)',
                   t.name, columns_of('t.', t.keys), columns_of('n.', t.keys)) INTO later USING coming, the_event;
    IF later THEN
      RETURN true;
    END IF;
  END LOOP;
  RETURN false;
END $$;

-- -- verifiers ------------------------------------------------------------------------------

DROP INDEX bonds_authors;
CREATE INDEX bonds_authors ON bonds (subject_profile, author_profile, id);
COMMENT ON COLUMN bonded_people.verifiers IS 'whose bonds are in force; 3: three or more';
UPDATE bonded_people SET verifiers = 3 WHERE verifiers > 3;

-- Three verifiers are enough, so no more are looked for.
CREATE OR REPLACE FUNCTION count_bonds_of(the_profile int) RETURNS void LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  who int := (SELECT user_id FROM profiles WHERE id = the_profile);
  in_force int;
BEGIN
  PERFORM FROM users WHERE id = who FOR NO KEY UPDATE; -- whoever counts, or decides on this person, at the same time is waited for
  WITH RECURSIVE authors (id, place) AS (
    (SELECT author_profile, 1 FROM bonds WHERE subject_profile = the_profile AND NOT archived AND NOT lapsed ORDER BY author_profile LIMIT 1)
    UNION ALL
    SELECT (SELECT b.author_profile FROM bonds b WHERE b.subject_profile = the_profile AND NOT b.archived AND NOT b.lapsed
        AND b.author_profile > a.id ORDER BY b.author_profile LIMIT 1), place + 1 FROM authors a WHERE a.id IS NOT NULL AND place < 3)
  SELECT count(id) INTO in_force FROM authors;
  INSERT INTO bonded_people (user_id, given) SELECT id, human_verification FROM users WHERE id = who ON CONFLICT DO NOTHING;
  UPDATE bonded_people SET verifiers = in_force, reached = reached OR in_force >= 3 WHERE user_id = who;
  UPDATE users u SET human_verification = bonded_status(b.verifiers, b.reached, b.given) FROM bonded_people b
    WHERE u.id = who AND b.user_id = who AND u.human_verification IS DISTINCT FROM bonded_status(b.verifiers, b.reached, b.given)
      AND NOT EXISTS (SELECT FROM human_verifications h WHERE h.user_id = who);
END $$;

-- Whether bonds of three authors were ever in force at once, by the first 32 bonds of each of the first 32 authors. Null: not among
-- these, and there are more.
CREATE OR REPLACE FUNCTION bonded_by_three(the_profile int) RETURNS boolean LANGUAGE sql STABLE
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
  WITH RECURSIVE authors (id, place) AS (
    (SELECT author_profile, 1 FROM bonds WHERE subject_profile = the_profile ORDER BY author_profile LIMIT 1)
    UNION ALL
    SELECT (SELECT b.author_profile FROM bonds b WHERE b.subject_profile = the_profile AND b.author_profile > a.id
        ORDER BY b.author_profile LIMIT 1), place + 1 FROM authors a WHERE a.id IS NOT NULL AND place <= 32),
  looked_at AS MATERIALIZED (
    SELECT a.id, b.* FROM authors a CROSS JOIN LATERAL (
      SELECT row_number() OVER (ORDER BY o.id) AS number, o.created_at, o.archived_at, o.expires_at FROM bonds o
      WHERE o.subject_profile = the_profile AND o.author_profile = a.id ORDER BY o.id LIMIT 33) b
    WHERE a.id IS NOT NULL AND a.place <= 32 AND (SELECT count(id) FROM authors) >= 3),
  spans AS ( -- in which an author's bonds were in force, without gap or overlap
    SELECT unnest(range_agg(tstzrange(created_at, greatest(created_at, coalesce(least(archived_at, expires_at), 'infinity'))))) AS span
      FROM looked_at WHERE number <= 32 GROUP BY id)
  SELECT CASE WHEN EXISTS (SELECT FROM (SELECT sum(step) OVER (ORDER BY at, step) AS authors_at_once
      FROM (SELECT lower(span) AS at, 1 AS step FROM spans UNION ALL SELECT upper(span), -1 FROM spans) moved) counted WHERE authors_at_once >= 3)
    THEN true WHEN (SELECT count(id) FROM authors) > 32 OR EXISTS (SELECT FROM looked_at WHERE number > 32) THEN NULL ELSE false END
$$;

-- Whom a bond is about may be known only when others of its kind have ended: whoever had three in force at once was verified then. What
-- cannot be told stays as it is.
CREATE OR REPLACE FUNCTION count_bonds() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    UPDATE bonded_people p SET reached = coalesce(bonded_by_three(OLD.subject_profile), true) FROM profiles s
      WHERE s.id = OLD.subject_profile AND p.user_id = s.user_id AND p.reached;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    PERFORM count_bonds_of(OLD.subject_profile);
  END IF;
  IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND NEW.subject_profile IS DISTINCT FROM OLD.subject_profile) THEN
    PERFORM count_bonds_of(NEW.subject_profile);
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.source = 'chain' AND NEW.subject_profile IS DISTINCT FROM OLD.subject_profile THEN
    UPDATE bonded_people p SET reached = true FROM profiles s
      WHERE s.id = NEW.subject_profile AND p.user_id = s.user_id AND NOT p.reached AND bonded_by_three(NEW.subject_profile);
    IF FOUND THEN
      PERFORM count_bonds_of(NEW.subject_profile);
    END IF;
  END IF;
  RETURN NULL;
END $$;

-- -- what is looked up ------------------------------------------------------------------------

-- Open slashes that name somebody, and those who were slashed lately, however many were closed before.
CREATE INDEX slashes_open_on_address ON slashes (subject_address) WHERE closed_at IS NULL;
CREATE INDEX slashes_open_on_account ON slashes (subject_service, subject_account) WHERE closed_at IS NULL;
CREATE INDEX slashes_open_on_user ON slashes (subject_user_id) WHERE closed_at IS NULL;
CREATE INDEX slashes_slashed_address ON slashes (subject_address, closed_at) WHERE outcome = 'SLASHED';
CREATE INDEX slashes_slashed_account ON slashes (subject_service, subject_account, closed_at) WHERE outcome = 'SLASHED';
CREATE INDEX slashes_slashed_user ON slashes (subject_user_id, closed_at) WHERE outcome = 'SLASHED';

CREATE OR REPLACE FUNCTION check_no_open_slash(the_address bytea, the_user int) RETURNS void LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  IF EXISTS (SELECT FROM slashes WHERE closed_at IS NULL AND subject_address = the_address)
      OR EXISTS (SELECT FROM slashes WHERE closed_at IS NULL AND subject_user_id = the_user) THEN
    RAISE EXCEPTION 'an open slash names % or user %', the_address, the_user USING ERRCODE = '23514';
  END IF;
END $$;

CREATE OR REPLACE FUNCTION check_new_slash() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  since CONSTANT timestamptz := NEW.created_at - interval '168 hours';
BEGIN
  IF NEW.closed_at IS NOT NULL THEN
    RAISE EXCEPTION 'slash % begins closed', NEW.id USING ERRCODE = '23514';
  END IF;
  IF NEW.id <> coalesce((SELECT max(id) FROM slashes), 0) + 1 THEN
    RAISE EXCEPTION 'slash % does not follow the last one', NEW.id USING ERRCODE = '23514';
  END IF;
  IF (SELECT archived FROM profiles WHERE id = NEW.author_id) THEN
    RAISE EXCEPTION 'profile % is archived', NEW.author_id USING ERRCODE = '23503';
  END IF;
  IF EXISTS (SELECT FROM slashes s WHERE s.outcome = 'SLASHED' AND s.closed_at > since AND s.subject_address = NEW.subject_address)
      OR EXISTS (SELECT FROM slashes s WHERE s.outcome = 'SLASHED' AND s.closed_at > since AND s.subject_user_id = NEW.subject_user_id)
      OR EXISTS (SELECT FROM slashes s WHERE s.outcome = 'SLASHED' AND s.closed_at > since
        AND (s.subject_service, s.subject_account) = (NEW.subject_service, NEW.subject_account)) THEN
    RAISE EXCEPTION 'the subject of slash % was slashed less than seven days ago', NEW.id USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;

-- Keys that have expired stay for good.
DROP INDEX api_keys_profile;
CREATE INDEX api_keys_profile ON api_keys (profile_id, expires_at) WHERE revoked_at IS NULL;
ALTER FUNCTION check_api_keys() SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION check_api_keys() SET enable_seqscan = off;

CREATE INDEX partner_codes_profile_all ON partner_codes (profile_id);

-- As before, but of penalties of users that were merged those score into whom they were.
CREATE OR REPLACE FUNCTION forget_chain_slash() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  before int[];
BEGIN
  WITH gone AS (DELETE FROM slash_penalties WHERE slash_id = OLD.id RETURNING user_id)
    SELECT array_agg(DISTINCT coalesce(u.merged_into, u.id)) INTO before FROM gone JOIN users u ON u.id = gone.user_id;
  IF before IS NOT NULL THEN
    PERFORM open_scores(before, 'slash ' || OLD.id);
  END IF;
  DELETE FROM slash_ballots WHERE slash_id = OLD.id;
  DELETE FROM slash_tallies WHERE slash_id = OLD.id;
  RETURN OLD;
END $$;
