-- What one change counts anew for the score has a bound: so many records of a kind in the change itself, the rest in pieces behind it.
-- Before, archiving a profile weighed all its reviews and votes in the transaction that everybody's writes wait for.

-- -- what is due ------------------------------------------------------------------------

CREATE SEQUENCE recount_turns;
CREATE TABLE recounts_due (
  what text NOT NULL CHECK (what IN ('reviews by', 'votes by', 'votes on', 'reviews of', 'vouches of', 'vouchees of', 'cuts by')),
  whose text NOT NULL, -- a profile, a user, `review 12`, `0x… 0` (a subject and its generation), `0x… 0 api` (also a contract), `1 7` (a slash, who lost it)
  place bigint NOT NULL, -- the last record that is counted, by the order of its kind
  cause text NOT NULL, -- for the history of scores
  turn bigint NOT NULL DEFAULT nextval('recount_turns'), -- another one when it begins anew
  most int, -- smaller pieces than others', as one took too long
  not_before timestamptz NOT NULL DEFAULT '-infinity', -- later than now: a piece failed
  error text, -- why
  PRIMARY KEY (what, whose)
);
CREATE INDEX recounts_due_turn ON recounts_due (turn);
COMMENT ON TABLE recounts_due IS 'records that a change left to be counted anew in pieces, by what they have in common';

-- Pieces go down these.
CREATE INDEX reviews_by_author ON reviews (author_profile, id);
CREATE INDEX reviews_by_subject ON reviews (subject_key, subject_generation, id);
CREATE INDEX vouches_by_subject ON vouches (subject_key, subject_generation, contract, number);
CREATE INDEX vouches_by_author ON vouches (author_profile, contract, number);

-- Counts the next `most` records behind `after` anew, and returns the last of them; null: none is left behind them.
CREATE FUNCTION recount_piece(the_what text, the_whose text, after bigint, the_cause text, most int) RETURNS bigint LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off
  SET jit = off AS $$
DECLARE
  places bigint[];
  the_key bytea;
  the_generation int;
  the_kind text;
  the_target int;
BEGIN
  CASE the_what
    WHEN 'reviews by' THEN
      places := ARRAY(SELECT id FROM reviews WHERE author_profile = the_whose::int AND id > after ORDER BY id LIMIT most);
      PERFORM move_scored_reviews(places::int[], the_cause);
    WHEN 'votes by' THEN
      places := ARRAY(SELECT number FROM activity_votes WHERE voter = the_whose::int AND number > after ORDER BY number LIMIT most);
      PERFORM move_scored_votes(array_agg(kind), array_agg(target_id), array_agg(voter), the_cause)
        FROM activity_votes WHERE number = ANY (places) HAVING count(*) > 0;
    WHEN 'votes on' THEN
      the_kind := split_part(the_whose, ' ', 1);
      the_target := split_part(the_whose, ' ', 2)::int;
      places := ARRAY(SELECT voter FROM activity_votes WHERE kind = the_kind AND target_id = the_target AND voter > after ORDER BY voter LIMIT most);
      PERFORM move_scored_votes(array_agg(the_kind), array_agg(the_target), array_agg(voter::int), the_cause) FROM unnest(places) voter HAVING count(*) > 0;
    WHEN 'vouchees of' THEN -- whom a user vouches for
      places := ARRAY(SELECT user_id FROM score_pairs WHERE author_user = the_whose::int AND user_id > after ORDER BY user_id LIMIT most);
      PERFORM mark_influences(places::int[]);
    WHEN 'cuts by' THEN -- a slash
      most := greatest(most / 20, 1); -- each writes a vouch with all its parts
      places := cut_vouches_of(split_part(the_whose, ' ', 1)::int, split_part(the_whose, ' ', 2)::int, after, most);
    ELSE
      the_key := decode(substr(split_part(the_whose, ' ', 1), 3), 'hex');
      the_generation := split_part(the_whose, ' ', 2)::int;
      IF the_what = 'reviews of' THEN
        places := ARRAY(SELECT id FROM reviews WHERE subject_key = the_key AND subject_generation = the_generation AND id > after ORDER BY id LIMIT most);
        PERFORM move_scored_reviews(places::int[], the_cause);
      ELSE
        most := greatest(most / 4, 1); -- with their parts
        the_kind := split_part(the_whose, ' ', 3);
        places := ARRAY(SELECT number FROM vouches WHERE subject_key = the_key AND subject_generation = the_generation AND contract = the_kind
          AND number > after ORDER BY number LIMIT most);
        PERFORM move_scored_vouches(array_agg(the_kind), array_agg(number::int), the_cause) FROM unnest(places) number HAVING count(*) > 0;
      END IF;
  END CASE;
  RETURN places[most];
END $$;

-- Records of a kind that a change counts anew by itself.
CREATE FUNCTION recounted_at_once() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 25';

-- Counts the first records anew, and notes the rest. What was noted before of the same begins anew.
CREATE FUNCTION recount(the_what text, the_whose text, the_cause text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  last CONSTANT bigint := recount_piece(the_what, the_whose, -1, the_cause, CASE the_what WHEN 'cuts by' THEN 100 ELSE recounted_at_once() END);
BEGIN
  IF last IS NULL THEN
    DELETE FROM recounts_due WHERE what = the_what AND whose = the_whose;
  ELSE
    INSERT INTO recounts_due AS d (what, whose, place, cause) VALUES (the_what, the_whose, last, the_cause)
      ON CONFLICT (what, whose) DO UPDATE SET place = excluded.place, cause = excluded.cause,
      turn = nextval('recount_turns'), most = NULL, not_before = '-infinity', error = NULL;
  END IF;
END $$;

-- Does the next piece of what has waited longest, of `most` records, and has it wait behind the others; `kind`: of that kind alone. One that
-- fails waits for a minute and holds up nobody, and one that took too long goes on in smaller pieces. What begins anew meanwhile, by another
-- program, has another turn and stays as it is. Returns whether there was any.
CREATE FUNCTION recount_due(the_most int, kind text DEFAULT NULL) RETURNS boolean LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  it recounts_due;
  last bigint;
  why text;
  state text;
BEGIN
  SELECT * INTO it FROM recounts_due WHERE not_before <= now() AND (kind IS NULL OR what = kind) ORDER BY turn LIMIT 1;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  BEGIN
    last := recount_piece(it.what, it.whose, it.place, it.cause, least(the_most, it.most));
  EXCEPTION WHEN query_canceled OR OTHERS THEN
    GET STACKED DIAGNOSTICS why = MESSAGE_TEXT, state = RETURNED_SQLSTATE;
    UPDATE recounts_due SET turn = nextval('recount_turns'), not_before = now() + interval '1 minute', error = why,
        most = CASE state WHEN '57014' THEN greatest(least(the_most, it.most) / 2, 1) ELSE it.most END
      WHERE what = it.what AND whose = it.whose AND turn = it.turn;
    RETURN true;
  END;
  IF last IS NULL THEN
    DELETE FROM recounts_due WHERE what = it.what AND whose = it.whose AND turn = it.turn;
  ELSE
    UPDATE recounts_due SET place = last, turn = nextval('recount_turns'), error = NULL WHERE what = it.what AND whose = it.whose AND turn = it.turn;
  END IF;
  RETURN true;
END $$;

-- -- who leaves something ----------------------------------------------------------------

CREATE OR REPLACE FUNCTION score_changed_profile() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  cause text := cause_of(NEW.source, NEW.event_id, 'profile ' || NEW.id);
BEGIN
  IF (OLD.archived, OLD.orphaned) IS DISTINCT FROM (NEW.archived, NEW.orphaned) THEN
    PERFORM recount('reviews by', NEW.id::text, cause);
    PERFORM recount('votes by', NEW.id::text, cause);
  END IF;
  PERFORM mark_scores(ARRAY[NEW.user_id], cause);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION score_moved_subject() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  whose CONSTANT text := '0x' || encode(NEW.key, 'hex') || ' ' || NEW.generation;
  cause CONSTANT text := cause_of(NEW.source, NEW.event_id, 'move of subject 0x' || encode(NEW.key, 'hex'));
BEGIN
  PERFORM recount('reviews of', whose, cause);
  PERFORM recount('vouches of', whose || ' ' || contract, cause) FROM unnest(ARRAY['api', 'vouch', 'vouchV2']) contract;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION influence_of_profile() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM recount('vouchees of', who::text, 'profile ' || NEW.id) FROM (SELECT OLD.user_id UNION SELECT NEW.user_id) u (who) WHERE who IS NOT NULL;
  RETURN NULL;
END $$;
-- The pieces of an epoch count whom an author vouches for, unless the author is visited in several.
CREATE OR REPLACE FUNCTION influence_of_rescored() RETURNS trigger LANGUAGE plpgsql
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
-- Whose followers have another score is known before the influence of an epoch is worked out.
CREATE OR REPLACE FUNCTION epoch_influence_piece(the_day date, most int) RETURNS boolean LANGUAGE plpgsql AS $$
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

-- Votes on records that count no more, or again: the first of each at once, fewer of each where there are many records.
CREATE FUNCTION recount_votes_on(kinds text[], targets int[], causes text[]) RETURNS void LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  few CONSTANT int := least(recounted_at_once(), 1000 / cardinality(targets));
BEGIN
  PERFORM move_scored_votes(array_agg(k.kind ORDER BY k.place), array_agg(k.target_id ORDER BY k.place), array_agg(v.voter ORDER BY k.place),
      array_agg(k.cause ORDER BY k.place))
    FROM unnest(kinds, targets, causes) WITH ORDINALITY k (kind, target_id, cause, place)
      CROSS JOIN LATERAL (SELECT voter FROM activity_votes WHERE kind = k.kind AND target_id = k.target_id ORDER BY voter LIMIT few) v
    HAVING count(*) > 0;
  INSERT INTO recounts_due AS d (what, whose, place, cause)
    SELECT DISTINCT ON (k.kind, k.target_id) 'votes on', k.kind || ' ' || k.target_id, l.last, k.cause
    FROM unnest(kinds, targets, causes) WITH ORDINALITY k (kind, target_id, cause, place)
      CROSS JOIN LATERAL (SELECT coalesce(max(voter), -1) AS last
        FROM (SELECT voter FROM activity_votes WHERE kind = k.kind AND target_id = k.target_id ORDER BY voter LIMIT few) first) l
    WHERE EXISTS (SELECT FROM activity_votes WHERE kind = k.kind AND target_id = k.target_id AND voter > l.last)
    ORDER BY k.kind, k.target_id, k.place DESC
    ON CONFLICT (what, whose) DO UPDATE SET place = excluded.place, cause = excluded.cause,
      turn = nextval('recount_turns'), most = NULL, not_before = '-infinity', error = NULL;
END $$;
CREATE OR REPLACE FUNCTION score_reviews_of() RETURNS trigger LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  ids int[];
  causes text[];
BEGIN
  SELECT array_agg(id ORDER BY event_id, id), array_agg(cause_of(source, event_id, 'review ' || id) ORDER BY event_id, id)
    INTO ids, causes FROM fresh;
  IF ids IS NULL THEN
    RETURN NULL;
  END IF;
  PERFORM move_scored_reviews(ids, causes);
  -- Votes on what is archived count nothing.
  IF TG_OP = 'UPDATE' THEN
    SELECT array_agg(f.id ORDER BY f.event_id, f.id), array_agg(cause_of(f.source, f.event_id, 'review ' || f.id) ORDER BY f.event_id, f.id)
      INTO ids, causes
      FROM (SELECT id, max(source) AS source, max(event_id) AS event_id
        FROM (SELECT id, archived, source, event_id FROM fresh UNION ALL SELECT id, archived, NULL, NULL FROM gone) both_sides
        GROUP BY id HAVING bool_or(archived) AND NOT bool_and(archived)) f;
  END IF;
  IF TG_OP <> 'INSERT' AND ids IS NOT NULL THEN
    PERFORM recount_votes_on(array_fill('review'::text, ARRAY[cardinality(ids)]), ids, causes);
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION score_vouches_of() RETURNS trigger LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  each record;
  kinds text[] := '{}';
  ids int[] := '{}';
  causes text[] := '{}';
  votes_too boolean := TG_OP = 'DELETE'; -- votes on what is archived count nothing
BEGIN
  FOR each IN SELECT contract, number, archived, cause_of(source, event_id, 'vouch ' || number) AS cause FROM fresh LOOP
    PERFORM move_scored_vouches(ARRAY[each.contract], ARRAY[each.number], each.cause);
    IF TG_OP = 'UPDATE' THEN
      votes_too := EXISTS (SELECT FROM gone g WHERE g.contract = each.contract AND g.number = each.number AND g.archived <> each.archived);
    END IF;
    IF votes_too THEN
      kinds := kinds || CASE each.contract WHEN 'vouchV2' THEN 'vouchV2' ELSE 'vouch' END;
      ids := ids || each.number;
      causes := causes || each.cause;
    END IF;
  END LOOP;
  IF ids <> '{}' THEN
    PERFORM recount_votes_on(kinds, ids, causes);
  END IF;
  RETURN NULL;
END $$;

-- -- what a slash takes of vouches --------------------------------------------------------

-- Who lost a slash for money: the profile that was slashed, or the author of a slash that was defended.
CREATE FUNCTION loser_of(it slashes) RETURNS int LANGUAGE sql STABLE AS $$
  SELECT CASE it.outcome WHEN 'DEFENDED' THEN it.author_id ELSE (SELECT p.id FROM profiles p WHERE p.user_id = coalesce(
    (SELECT coalesce(merged_into, id) FROM users WHERE id = it.subject_user_id),
    (SELECT user_id FROM addresses WHERE address = it.subject_address),
    (SELECT user_id FROM attestations WHERE service = it.subject_service AND account = it.subject_account AND NOT archived LIMIT 1))) END
$$;
-- Takes a slash's part of the next `most` declared vouches of `loser`, a profile, behind number `after`, and returns their numbers. What a contract holds is cut
-- by the contract's own events. What was made after the slash had closed is not touched.
CREATE FUNCTION cut_vouches_of(the_slash int, loser int, after bigint, most int) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
  it slashes;
  vouch record;
  places bigint[] := '{}';
BEGIN
  SELECT * INTO it FROM slashes WHERE id = the_slash;
  FOR vouch IN SELECT contract, number, archived OR vouched_at > it.closed_at AS spared, div(balance * it.amount, 10000) AS cut FROM vouches
      WHERE author_profile = loser AND contract = 'api' AND number > after ORDER BY number LIMIT most LOOP
    places := places || vouch.number::bigint;
    CONTINUE WHEN vouch.spared OR vouch.cut = 0;
    INSERT INTO slash_cuts VALUES (the_slash, vouch.contract, vouch.number, vouch.cut);
    PERFORM cut_vouch_parts(vouch.contract, vouch.number, vouch.cut);
    UPDATE vouches SET balance = balance - vouch.cut, slashed = slashed + vouch.cut WHERE contract = vouch.contract AND number = vouch.number;
  END LOOP;
  RETURN places;
END $$;
CREATE OR REPLACE FUNCTION cut_vouches() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  loser CONSTANT int := loser_of(NEW); -- as of now, whoever has the address or account later
BEGIN
  IF loser IS NOT NULL THEN
    PERFORM recount('cuts by', NEW.id || ' ' || loser, 'api slash ' || NEW.id);
  END IF;
  RETURN NULL;
END $$;

DO $$
DECLARE
  entry text;
BEGIN
  FOREACH entry IN ARRAY ARRAY['score_changed_profile()', 'score_moved_subject()', 'influence_of_profile()', 'cut_vouches_of(int, int, bigint, int)'] LOOP
    EXECUTE format('ALTER FUNCTION %s SET plan_cache_mode = force_generic_plan', entry);
    EXECUTE format('ALTER FUNCTION %s SET enable_seqscan = off', entry);
  END LOOP;
END $$;
