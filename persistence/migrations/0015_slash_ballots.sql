-- A slash may be voted on millions of times, so what its votes come to is kept as they come: the vote
-- of each profile that counts, and the weight of both sides. Closing compares two numbers, and
-- whoever loads a slash reads one row a voter.

-- Both follow from slash_votes, by its trigger alone.
CREATE TABLE slash_ballots (
  slash_id int NOT NULL,
  voter_id int NOT NULL,
  for_slash boolean NOT NULL,
  weight int NOT NULL CHECK (weight BETWEEN 0 AND 7),
  votes int NOT NULL CHECK (votes > 0), -- of this profile on this slash
  PRIMARY KEY (slash_id, voter_id)
);
CREATE TABLE slash_tallies (
  slash_id int PRIMARY KEY,
  votes int NOT NULL CHECK (votes >= 0), -- number of the last one
  for_it bigint NOT NULL CHECK (for_it >= 0),
  against_it bigint NOT NULL CHECK (against_it >= 0)
) WITH (fillfactor = 50); -- rewritten all the time, in place where there is room

-- Takes in the votes on a slash with these numbers, which must be the next ones. Rows are looked up
-- one by one, whatever the planner believes: a plan that was made while tables were empty must not
-- read them whole when they are not.
CREATE FUNCTION count_slash_votes(the_slash int, first_number int, last_number int) RETURNS void LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off AS $$
BEGIN
  WITH latest AS MATERIALIZED ( -- a number says more than what stands behind it, so the greatest is the last vote
    SELECT voter_id, count(*)::int AS votes, max(number::bigint << 4 | weight << 1 | for_slash::int) AS packed
    FROM slash_votes WHERE slash_id = the_slash AND number BETWEEN first_number AND last_number GROUP BY voter_id),
  fresh AS MATERIALIZED (
    SELECT l.voter_id, l.votes, l.packed & 1 = 1 AS for_slash, (l.packed >> 1 & 7)::int AS weight,
      b.for_slash AS for_slash_before, b.weight AS weight_before
    FROM latest l LEFT JOIN slash_ballots b ON b.slash_id = the_slash AND b.voter_id = l.voter_id),
  kept AS (
    INSERT INTO slash_ballots AS b (slash_id, voter_id, for_slash, weight, votes)
      SELECT the_slash, voter_id, for_slash, weight, votes FROM fresh
      ON CONFLICT (slash_id, voter_id) DO UPDATE
        SET for_slash = excluded.for_slash, weight = excluded.weight, votes = b.votes + excluded.votes)
  UPDATE slash_tallies t SET votes = last_number, for_it = t.for_it + change.for_it, against_it = t.against_it + change.against_it
    FROM (SELECT coalesce(sum(weight) FILTER (WHERE for_slash), 0)
                 - coalesce(sum(weight_before) FILTER (WHERE for_slash_before), 0) AS for_it,
            coalesce(sum(weight) FILTER (WHERE NOT for_slash), 0)
                 - coalesce(sum(weight_before) FILTER (WHERE NOT for_slash_before), 0) AS against_it FROM fresh) change
    WHERE t.slash_id = the_slash AND t.votes = first_number - 1;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'vote % on slash % does not follow the last one', first_number, the_slash USING ERRCODE = '23514';
  END IF;
END $$;

-- What is there is counted while it may still grow; only what came meanwhile is counted while it may not.
INSERT INTO slash_tallies SELECT id, 0, 0, 0 FROM slashes;
DO $$
DECLARE
  each record;
BEGIN
  FOR pass IN 1..2 LOOP
    IF pass = 2 THEN
      LOCK TABLE slashes, slash_votes IN SHARE ROW EXCLUSIVE MODE;
      INSERT INTO slash_tallies SELECT id, 0, 0, 0 FROM slashes ON CONFLICT DO NOTHING;
    END IF;
    FOR each IN SELECT t.slash_id, t.votes, (SELECT v.number FROM slash_votes v WHERE v.slash_id = t.slash_id
                                             ORDER BY v.number DESC LIMIT 1) AS last FROM slash_tallies t LOOP
      IF each.last > each.votes THEN
        PERFORM count_slash_votes(each.slash_id, each.votes + 1, each.last);
      END IF;
    END LOOP;
  END LOOP;
END $$;
CREATE FUNCTION tally_slash() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO slash_tallies VALUES (NEW.id, 0, 0, 0);
  RETURN NULL;
END $$;
CREATE TRIGGER tally_slash AFTER INSERT ON slashes FOR EACH ROW EXECUTE FUNCTION tally_slash();

-- As before, but once for all votes of a statement; and a profile may change its vote within a bound.
DROP TRIGGER check_slash_vote ON slash_votes;
DROP FUNCTION check_slash_vote;
CREATE FUNCTION check_slash_votes() RETURNS trigger LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off AS $$
DECLARE
  run record;
  it slashes;
  wrong int;
BEGIN
  FOR run IN SELECT slash_id, min(number) AS first, max(number) AS last, count(*) AS votes, min(cast_at) AS since,
      max(cast_at) AS until FROM fresh GROUP BY slash_id ORDER BY slash_id LOOP
    -- Locked, so that it cannot be closed under a vote.
    SELECT * INTO it FROM slashes WHERE id = run.slash_id FOR SHARE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'slash % is not there', run.slash_id USING ERRCODE = '23503';
    END IF;
    IF it.closed_at IS NOT NULL OR run.since < it.created_at
       OR run.until >= it.created_at + it.duration_s * interval '1 second' THEN
      RAISE EXCEPTION 'slash % takes no votes from % to %', run.slash_id, run.since, run.until USING ERRCODE = '23514';
    END IF;
    SELECT voter_id INTO wrong FROM fresh
      WHERE slash_id = run.slash_id AND voter_id IN (it.author_id, it.subject_profile_id) LIMIT 1;
    IF FOUND THEN
      RAISE EXCEPTION 'profile % is the author or the subject of slash %', wrong, run.slash_id USING ERRCODE = '23514';
    END IF;
    SELECT f.voter_id INTO wrong FROM fresh f WHERE f.slash_id = run.slash_id
      AND (SELECT p.archived FROM profiles p WHERE p.id = f.voter_id) IS DISTINCT FROM false LIMIT 1;
    IF FOUND THEN
      RAISE EXCEPTION 'profile % is not there or archived', wrong USING ERRCODE = '23503';
    END IF;
    IF run.last - run.first + 1 <> run.votes THEN
      RAISE EXCEPTION 'votes % to % on slash % are not %', run.first, run.last, run.slash_id, run.votes USING ERRCODE = '23514';
    END IF;
    PERFORM count_slash_votes(run.slash_id, run.first, run.last);
    SELECT f.voter_id INTO wrong FROM fresh f WHERE f.slash_id = run.slash_id
      AND (SELECT b.votes FROM slash_ballots b WHERE b.slash_id = f.slash_id AND b.voter_id = f.voter_id) > 10 LIMIT 1;
    IF FOUND THEN
      RAISE EXCEPTION 'profile % has voted often enough on slash %', wrong, run.slash_id USING ERRCODE = '23514';
    END IF;
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER check_slash_votes AFTER INSERT ON slash_votes REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION check_slash_votes();

CREATE OR REPLACE FUNCTION check_closing() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  as_before slashes := NEW;
  counted slash_tallies;
BEGIN
  IF OLD.closed_at IS NOT NULL THEN
    RAISE EXCEPTION 'slash % is closed for good', OLD.id USING ERRCODE = '23514';
  END IF;
  as_before.closed_at := NULL;
  as_before.cancelled_at := NULL;
  as_before.outcome := NULL;
  as_before.slash_weight := NULL;
  as_before.defend_weight := NULL;
  as_before.closed_seq := NULL;
  IF as_before IS DISTINCT FROM OLD THEN
    RAISE EXCEPTION 'slash % can only be closed', OLD.id USING ERRCODE = '23514';
  END IF;
  SELECT * INTO counted FROM slash_tallies WHERE slash_id = OLD.id;
  IF (counted.for_it, counted.against_it) IS DISTINCT FROM (NEW.slash_weight, NEW.defend_weight) THEN
    RAISE EXCEPTION 'the votes on slash % weigh % to %', OLD.id, counted.for_it, counted.against_it USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
DROP FUNCTION slash_weights;
DROP INDEX slash_votes_voter;

CREATE TRIGGER slash_ballots_stay BEFORE DELETE OR TRUNCATE ON slash_ballots
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER slash_ballots_keep BEFORE INSERT OR UPDATE ON slash_ballots
  FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER slash_tallies_stay BEFORE DELETE OR TRUNCATE ON slash_tallies
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER slash_tallies_keep BEFORE INSERT OR UPDATE ON slash_tallies
  FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change();

COMMENT ON TABLE slash_votes IS 'append-only votes on slashes; the last one of a voter counts (slash_ballots)';
COMMENT ON TABLE slash_ballots IS 'derived by trigger: the vote of each profile that counts';
COMMENT ON TABLE slash_tallies IS 'derived by trigger: how many votes were stored on a slash, and what those that count weigh';
