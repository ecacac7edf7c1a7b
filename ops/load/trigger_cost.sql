-- What the triggers cost a batch of 100 writes, with and without those of records (0020, 0023) and of the score (0024, 0029):
--   psql -X -q -d DATABASE -f ops/load/trigger_cost.sql
-- DATABASE holds the demo (`credence_demo`), and no server uses it. Medians of 15 rounds in turn, in milliseconds, without the commit.
-- Nothing stays.
\set ON_ERROR_STOP on
BEGIN;
SET LOCAL client_min_messages = warning;
CREATE TEMP TABLE cost (what text, triggers text, ms float8);

-- Each kind of write as a batch has it: votes on projects and tips are one statement, records are a statement each.
CREATE FUNCTION pg_temp.write(what text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  project int := (SELECT min(id) FROM projects WHERE status = 'ACTIVE');
  period int := (SELECT id FROM voting_periods WHERE closed_at IS NULL);
  next_id int;
BEGIN
  IF what = 'votes on a project' THEN
    INSERT INTO votes (seq, cast_at, project_id, voter_id, number, period_id, bullish, reason, weight)
      SELECT 1000000000 + n, now(), project, p.id, (SELECT coalesce(max(number), 0) FROM votes WHERE project_id = project) + n, period, true, 'x', 1
      FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM profiles WHERE NOT archived
        AND NOT EXISTS (SELECT FROM votes v WHERE v.voter_id = profiles.id AND v.project_id = project AND v.period_id = period) LIMIT 100) p;
  ELSIF what = 'tips' THEN
    INSERT INTO xp_movements (kind, seq, at, amount, from_account, to_account, source_type, source_id)
      SELECT 'XP_TIP_SENT', 1000000000 + row_number() OVER (ORDER BY a.id), now(), 1, a.id, 1, 'profile', 1
      FROM xp_accounts a JOIN profiles p ON p.id = a.id WHERE a.balance > 0 AND a.id <> 1 LIMIT 100;
  ELSIF what = 'reviews' THEN
    next_id := (SELECT max(id) FROM reviews);
    FOR n IN 1..100 LOOP
      INSERT INTO reviews (id, author_profile, subject_key, subject_generation, score, comment, metadata, created_at, updated_at, seq)
        SELECT next_id + n, 200 + n, r.subject_key, r.subject_generation, n % 3, 'kept its word', '', now(), now(), 1000000000 + n
        FROM reviews r WHERE r.id = 1 + n;
    END LOOP;
  ELSE
    next_id := (SELECT max(number) FROM activity_votes);
    FOR n IN 1..100 LOOP
      INSERT INTO activity_votes (kind, target_id, voter, number, upvote, created_at, updated_at)
        VALUES ('review', 1 + n, 1000 + n, next_id + n, n % 4 > 0, now(), now());
    END LOOP;
  END IF;
END $$;

-- Milliseconds of one batch, which is taken back.
CREATE FUNCTION pg_temp.time_of(what text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
  began timestamptz;
  took float8;
BEGIN
  BEGIN
    began := clock_timestamp();
    PERFORM pg_temp.write(what);
    took := extract(epoch FROM clock_timestamp() - began) * 1000;
    RAISE EXCEPTION 'undo' USING ERRCODE = 'P0001';
  EXCEPTION WHEN SQLSTATE 'P0001' THEN
    RETURN took;
  END;
END $$;

DO $$
DECLARE
  one record;
  which record;
  round int;
BEGIN
  FOR round IN 0..15 LOOP
    FOR which IN SELECT * FROM (VALUES ('all', '^$'), ('without the score', '^score_|^count_part'),
        ('without the score and records', '^score_|^count_(part|reviews|vouches|activity_votes|replies|comments)|^show_|^check_new_ids')) w (name, off) LOOP
      FOR one IN SELECT c.oid::regclass AS part, t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
          WHERE NOT t.tgisinternal AND t.tgname ~ which.off LOOP
        EXECUTE format('ALTER TABLE %s DISABLE TRIGGER %I', one.part, one.tgname);
      END LOOP;
      FOR one IN SELECT unnest(ARRAY['votes on a project', 'tips', 'reviews', 'votes on reviews']) AS what LOOP
        IF round = 0 THEN
          PERFORM pg_temp.time_of(one.what); -- makes the plans
        ELSE
          INSERT INTO cost VALUES (one.what, which.name, pg_temp.time_of(one.what));
        END IF;
      END LOOP;
      FOR one IN SELECT c.oid::regclass AS part, t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
          WHERE NOT t.tgisinternal AND t.tgname ~ which.off LOOP
        EXECUTE format('ALTER TABLE %s ENABLE TRIGGER %I', one.part, one.tgname);
      END LOOP;
    END LOOP;
  END LOOP;
END $$;
SELECT what, triggers, round((percentile_cont(0.5) WITHIN GROUP (ORDER BY ms))::numeric, 1) AS ms FROM cost GROUP BY 1, 2 ORDER BY 1, 3 DESC;
ROLLBACK;
