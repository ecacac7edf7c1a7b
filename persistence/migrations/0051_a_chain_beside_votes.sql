-- What comes from a chain is written on a connection of its own. What makes records and scores looks at others of them, so two transactions may not
-- do that beside each other: each takes this lock first. CR004 tells that it was not to be had in time, so that it is tried again.
CREATE FUNCTION lock_records() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7022);
EXCEPTION WHEN lock_not_available THEN
  RAISE EXCEPTION 'the other writer makes records' USING ERRCODE = 'CR004';
END $$;

-- Scores were written one by one, each by a call of its own whose five statements fired the triggers on users for a single row: 0.3 ms a score, a
-- fifth of what a chain that is caught up with cost PostgreSQL. The scores of a batch are written by four statements now.

DROP FUNCTION set_score;
-- Writes scores, of a user one at most. `each_points`: arrays as text, the points of each user.
CREATE FUNCTION set_scores(the_users int[], the_scores int[], each_points text[], the_days date[], the_causes text[], the_times timestamptz[],
  the_marks bigint[]) RETURNS void LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
BEGIN
  UPDATE users u SET score = n.score FROM unnest(the_users, the_scores) n (id, score) WHERE u.id = n.id AND u.score <> n.score;
  WITH noted AS (
    INSERT INTO score_history (user_id, at, day, score, points, cause)
      SELECT n.id, n.at, n.day, n.score, n.points::int[], n.cause
      FROM unnest(the_users, the_scores, each_points, the_days, the_causes, the_times) n (id, score, points, day, cause, at)
        LEFT JOIN LATERAL (SELECT h.score, h.points FROM score_history h WHERE h.user_id = n.id ORDER BY h.number DESC LIMIT 1) last ON true
      WHERE (last.score, last.points) IS DISTINCT FROM (n.score, n.points::int[])
      RETURNING user_id, at)
  INSERT INTO score_latest AS l SELECT user_id, at FROM noted ON CONFLICT (user_id) DO UPDATE SET at = greatest(l.at, excluded.at);
  DELETE FROM score_dirty d USING unnest(the_users, the_marks) n (id, mark) WHERE d.user_id = n.id AND d.mark <= n.mark;
END $$;

-- Rows that are counted up in place find room on their page, else each move writes all indexes, of users also the one of trigrams.
ALTER TABLE users SET (fillfactor = 80);
ALTER TABLE subjects SET (fillfactor = 80);
