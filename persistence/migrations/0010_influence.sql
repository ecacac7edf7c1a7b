-- Influence: what the epoch scores of followers come to.

-- Influence, worked out at the epoch; and the model by which vouched ether counts.
--
-- Influence is how far the people reach who stand behind a user. It is worked out after scores have become epoch scores.
--
-- Followers of a user are those who vouch for the user, or praise the user in a review that counts; nobody is counted twice, and
-- no one follows oneself. The reach of a user is the sum of what the epoch scores of followers with a live profile exceed 1200 by.
-- Whatever may move a reach notes the user in influence_due. So a user who is not noted has exactly the reach that a recount finds.

-- -- tables -------------------------------------------------------------------------------
CREATE TABLE influences (
  -- of whom there is no row: 0
  user_id int PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  reach bigint NOT NULL CHECK (reach > 0)
);
CREATE INDEX influences_by_reach ON influences (reach, user_id);
COMMENT ON TABLE influences IS 'the sum of what the epoch scores of a user''s followers exceed 1200 by, as of the last epoch that visited the user';

CREATE SEQUENCE influence_marks;

CREATE TABLE influence_due (
  user_id int PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  mark bigint NOT NULL DEFAULT nextval('influence_marks') -- of the newest fact
);
COMMENT ON TABLE influence_due IS 'users whose influence the next epoch works out anew';

-- How current percentiles are, by numbers of influence_marks: they are behind while `through` is less than `moved`.
CREATE TABLE influence_percentiles (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  moved bigint NOT NULL, -- when a reach changed first since they were last begun
  began bigint NOT NULL, -- when they were last begun
  through bigint NOT NULL -- when those began that were written last
);
COMMENT ON TABLE influence_percentiles IS 'whether a reach changed since percentiles were worked out';

-- -- how vouched ether counts -------------------------------------------------------------

-- The model that scores are worked out by. When the service is set to another one, everybody is marked in pieces.
CREATE TABLE score_model (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  vouches text NOT NULL CHECK (vouches IN ('standard', 'hardened')),
  marked_through int -- the last user that is marked; null: all are
);
COMMENT ON TABLE score_model IS 'how vouched ether counts in scores';

-- ln(1 + reach / 400), to three digits; decimals throughout, so it is the same on every machine.
CREATE FUNCTION influence_factor_of(reach bigint) RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
  SELECT round(ln(1 + reach / 400.0), 3)::double precision
$$;

-- -- who is due ---------------------------------------------------------------------------

-- A mark moves on with every fact: an epoch, or a recount, may be visiting the user.
CREATE FUNCTION mark_influences(users int[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF cardinality(users) > 0 THEN
    INSERT INTO influence_due (user_id) SELECT DISTINCT u FROM unnest(users) u WHERE u IS NOT NULL ORDER BY u
      ON CONFLICT (user_id) DO UPDATE SET mark = excluded.mark;
  END IF;
END $$;

CREATE FUNCTION influence_of_reviews() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM mark_influences(ARRAY(SELECT user_id FROM fresh WHERE how = 2));
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM mark_influences(ARRAY(SELECT user_id FROM gone WHERE how = 2));
  ELSE
    PERFORM mark_influences(ARRAY(SELECT user_id FROM fresh WHERE how = 2 UNION ALL SELECT user_id FROM gone WHERE how = 2));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER influence_new AFTER INSERT ON score_reviews REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION influence_of_reviews();
CREATE TRIGGER influence_changed AFTER UPDATE ON score_reviews REFERENCING OLD TABLE AS gone NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION influence_of_reviews();
CREATE TRIGGER influence_gone AFTER DELETE ON score_reviews REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION influence_of_reviews();

CREATE FUNCTION influence_of_pairs() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  PERFORM mark_influences(ARRAY(SELECT user_id FROM moved));
  RETURN NULL;
END $$;
CREATE TRIGGER influence_new AFTER INSERT ON score_pairs REFERENCING NEW TABLE AS moved FOR EACH STATEMENT EXECUTE FUNCTION influence_of_pairs();
CREATE TRIGGER influence_gone AFTER DELETE ON score_pairs REFERENCING OLD TABLE AS moved FOR EACH STATEMENT EXECUTE FUNCTION influence_of_pairs();

-- The pieces of an epoch count whom an author vouches for, unless the author is visited in several.
CREATE FUNCTION influence_of_rescored() RETURNS trigger LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM recount('vouchees of', f.user_id::text, 'epoch') FROM fresh f WHERE EXISTS (SELECT FROM score_pairs p WHERE p.author_user = f.user_id);
  ELSE
    PERFORM recount('vouchees of', f.user_id::text, 'epoch') FROM fresh f JOIN gone g ON g.user_id = f.user_id
      WHERE f.score <> g.score AND EXISTS (SELECT FROM score_pairs p WHERE p.author_user = f.user_id);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER influence_new AFTER INSERT ON epoch_scores REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION influence_of_rescored();
CREATE TRIGGER influence_changed AFTER UPDATE ON epoch_scores REFERENCING OLD TABLE AS gone NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION influence_of_rescored();

CREATE FUNCTION influence_of_profile() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  PERFORM recount('vouchees of', who::text, 'profile ' || NEW.id) FROM (SELECT OLD.user_id UNION SELECT NEW.user_id) u (who) WHERE who IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER influence_of_profile AFTER UPDATE OF archived, orphaned, user_id ON profiles FOR EACH ROW
  WHEN ((OLD.archived, OLD.orphaned, OLD.user_id) IS DISTINCT FROM (NEW.archived, NEW.orphaned, NEW.user_id))
  EXECUTE FUNCTION influence_of_profile();

-- -- working out --------------------------------------------------------------------------

-- What a user shows. Whoever was noted again since `the_mark` stays due. Whoever is not due was visited meanwhile by another one,
-- an epoch or a recount, which may have seen newer facts.
CREATE FUNCTION set_influence(the_user int, the_reach bigint, the_mark bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  changed boolean;
BEGIN
  IF NOT EXISTS (SELECT FROM influence_due WHERE user_id = the_user) THEN
    RETURN;
  END IF;
  IF the_reach > 0 THEN
    INSERT INTO influences AS i SELECT id, the_reach FROM users WHERE id = the_user -- unless a block was undone that the user came with
      ON CONFLICT (user_id) DO UPDATE SET reach = excluded.reach WHERE i.reach <> excluded.reach;
    changed := FOUND;
    UPDATE users SET influence_factor = influence_factor_of(the_reach) WHERE id = the_user AND influence_factor <> influence_factor_of(the_reach);
  ELSE
    DELETE FROM influences WHERE user_id = the_user;
    changed := FOUND;
    UPDATE users SET influence_factor = 0, influence_percentile = 0 WHERE id = the_user AND (influence_factor, influence_percentile) <> (0, 0);
  END IF;
  IF changed THEN
    UPDATE influence_percentiles SET moved = nextval('influence_marks') WHERE moved <= began;
  END IF;
  DELETE FROM influence_due WHERE user_id = the_user AND mark = the_mark;
END $$;

-- Goes through the users that are due, from one follower to the next, `most` steps further. `place` begins as `{}`; what is
-- returned is the place to go on from, null in the end. Somebody with many followers is visited in several pieces.
CREATE FUNCTION influence_piece(place jsonb, most int) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  since int := coalesce((place->>'since')::int, 0); -- the last user that is done
  whose int := (place->>'user')::int;
  its_mark bigint := (place->>'mark')::bigint;
  seen int := coalesce((place->>'follower')::int, 0);
  reach bigint := coalesce((place->>'reach')::bigint, 0);
  follower int;
BEGIN
  FOR i IN 1 .. most LOOP
    IF whose IS NULL THEN
      SELECT user_id, mark INTO whose, its_mark FROM influence_due WHERE user_id > since ORDER BY user_id LIMIT 1;
      IF NOT FOUND THEN
        RETURN NULL;
      END IF;
      seen := 0;
      reach := 0;
    END IF;
    follower := least((SELECT author_user FROM score_reviews WHERE user_id = whose AND how = 2 AND author_user > seen ORDER BY author_user LIMIT 1),
      (SELECT author_user FROM score_pairs WHERE user_id = whose AND author_user > seen ORDER BY author_user LIMIT 1));
    IF follower IS NULL THEN
      PERFORM set_influence(whose, reach, its_mark);
      since := whose;
      whose := NULL;
    ELSE
      reach := reach + greatest(coalesce((SELECT standing FROM standings WHERE user_id = follower), 0) - 1200, 0);
      seen := follower;
    END IF;
  END LOOP;
  RETURN jsonb_strip_nulls(jsonb_build_object('since', since, 'user', whose, 'mark', its_mark, 'follower', seen, 'reach', reach));
END $$;

-- The percentile is the share of the people with a live profile whose reach is not larger, in percent with one digit. First the
-- people are counted, then those with a reach are gone through, the largest first. Places are as above.
CREATE FUNCTION percentile_piece(place jsonb, most int) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  all_people bigint := (place->>'people')::bigint;
  above bigint := coalesce((place->>'above')::bigint, 0); -- people with a larger reach
  counted bigint := coalesce((place->>'counted')::bigint, 0); -- people so far
  last_reach bigint := coalesce((place->>'reach')::bigint, 9223372036854775807);
  last_user int := coalesce((place->>'user')::int, 0);
  users int[] := '{}';
  percentiles double precision[] := '{}';
  its_start bigint := (place->>'began')::bigint;
  each record;
BEGIN
  IF its_start IS NULL THEN
    UPDATE influence_percentiles SET began = nextval('influence_marks') RETURNING began INTO its_start;
  END IF;
  IF all_people IS NULL THEN
    SELECT count(*) AS looked_at, count(*) FILTER (WHERE status = 'ACTIVE') AS active, max(id) AS last INTO each
      FROM (SELECT id, status FROM users WHERE id > last_user ORDER BY id LIMIT 4 * most) window_of_users;
    IF each.looked_at < 4 * most THEN
      RETURN jsonb_build_object('began', its_start, 'people', counted + each.active);
    END IF;
    RETURN jsonb_build_object('began', its_start, 'user', each.last, 'counted', counted + each.active);
  END IF;
  FOR each IN SELECT i.user_id, i.reach, u.status = 'ACTIVE' AS active FROM influences i JOIN users u ON u.id = i.user_id
      WHERE (i.reach, i.user_id) < (last_reach, last_user) ORDER BY i.reach DESC, i.user_id DESC LIMIT most LOOP
    IF each.reach < last_reach THEN
      above := counted;
    END IF;
    last_reach := each.reach;
    last_user := each.user_id;
    users := users || each.user_id;
    percentiles := percentiles || coalesce(round(100.0 * greatest(all_people - above, 0) / nullif(all_people, 0), 1), 0)::double precision;
    counted := counted + each.active::int;
  END LOOP;
  UPDATE users u SET influence_percentile = k.percentile FROM unnest(users, percentiles) k (id, percentile)
    WHERE u.id = k.id AND u.influence_percentile <> k.percentile;
  IF cardinality(users) < most THEN
    UPDATE influence_percentiles SET through = its_start WHERE through < its_start;
    RETURN NULL;
  END IF;
  RETURN jsonb_build_object('began', its_start, 'people', all_people, 'above', above, 'counted', counted, 'reach', last_reach, 'user', last_user);
END $$;

-- Whose followers have another score is known before the influence of an epoch is worked out.
CREATE FUNCTION epoch_influence_piece(the_day date, most int) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  next_place jsonb;
BEGIN
  IF EXISTS (SELECT FROM recounts_due WHERE what = 'vouchees of' AND not_before <= now()) THEN
    PERFORM recount_due(most, 'vouchees of');
    RETURN false;
  END IF;
  next_place := influence_piece((SELECT place FROM score_epochs WHERE day = the_day), most);
  UPDATE score_epochs SET place = coalesce(next_place, '{}') WHERE day = the_day;
  RETURN next_place IS NULL;
END $$;

CREATE FUNCTION epoch_percentiles_piece(the_day date, most int) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  next_place jsonb := percentile_piece((SELECT place FROM score_epochs WHERE day = the_day), most);
BEGIN
  UPDATE score_epochs SET place = coalesce(next_place, '{}') WHERE day = the_day;
  RETURN next_place IS NULL;
END $$;

-- All influence at once, for a database that nobody uses yet.
CREATE FUNCTION work_out_influence() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  place jsonb := '{}';
BEGIN
  WHILE place IS NOT NULL LOOP
    place := influence_piece(place, 10000);
  END LOOP;
  place := '{}';
  WHILE place IS NOT NULL LOOP
    place := percentile_piece(place, 10000);
  END LOOP;
END $$;

-- The next piece of a turn to `the_model`. Does nothing when all are marked for it.
CREATE FUNCTION turn_vouch_model(the_model text, most int) RETURNS void LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off AS $$
DECLARE
  since int;
  users int[];
BEGIN
  UPDATE score_model SET vouches = the_model, marked_through = 0 WHERE vouches <> the_model;
  SELECT marked_through INTO since FROM score_model WHERE marked_through IS NOT NULL;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  users := ARRAY(SELECT user_id FROM score_inputs WHERE user_id > since ORDER BY user_id LIMIT most);
  PERFORM mark_scores(users, 'vouch model ' || the_model);
  UPDATE score_model SET marked_through = users[most];
END $$;

INSERT INTO influence_percentiles VALUES (true, 0, 0, 0);

INSERT INTO epoch_stages VALUES (50, 'epoch_influence_piece'), (60, 'epoch_percentiles_piece');

INSERT INTO score_model VALUES (true, 'standard', NULL);
