-- A step of a chain brings thousands of records at once: what they move is worked out once for all of them. Before, triggers went through
-- them one by one, and that was two thirds of what a step cost.

-- -- marking ------------------------------------------------------------------------------

-- Marks users whose score is worked out at all, each for the last of its causes. A user may be there several times, and null is nobody.
CREATE FUNCTION mark_scores(users int[], causes text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO score_dirty AS d (user_id, cause, others)
    SELECT m.user_id, m.cause, m.causes - 1 FROM (
      SELECT x.user_id, (array_agg(x.cause ORDER BY x.place DESC))[1] AS cause, count(DISTINCT x.cause) AS causes
        FROM unnest(users, causes) WITH ORDINALITY x (user_id, cause, place) WHERE x.user_id IS NOT NULL GROUP BY x.user_id) m
      WHERE EXISTS (SELECT FROM score_inputs i WHERE i.user_id = m.user_id) ORDER BY m.user_id
    ON CONFLICT (user_id) DO UPDATE SET mark = excluded.mark, cause = excluded.cause,
      others = d.others + excluded.others + (d.cause <> excluded.cause)::int;
END $$;
-- From now on the scores of these users are worked out.
CREATE FUNCTION open_scores(users int[], causes text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  fresh CONSTANT int[] := ARRAY(SELECT DISTINCT x FROM unnest(users) x
    WHERE x IS NOT NULL AND NOT EXISTS (SELECT FROM score_inputs i WHERE i.user_id = x));
BEGIN
  IF fresh <> '{}' THEN
    INSERT INTO score_inputs (user_id, starting) SELECT u.id, u.score FROM users u WHERE u.id = ANY (fresh) ORDER BY u.id
      ON CONFLICT (user_id) DO NOTHING;
  END IF;
  PERFORM mark_scores(users, causes);
END $$;
CREATE FUNCTION same_cause(the_cause text, n int) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT array_fill(the_cause, ARRAY[coalesce(n, 0)])
$$;

-- -- reviews ------------------------------------------------------------------------------

-- Each of the reviews with a cause of its own. OFFSET has each record looked up by its key, however many records there are.
CREATE FUNCTION move_scored_reviews(ids int[], causes text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  gone score_reviews[];
  fresh score_reviews[];
  lost int[];
  people int[]; -- before and after, of each review
  reasons text[];
BEGIN
  SELECT array_agg(s.kept) FILTER (WHERE s.review_id IS NOT NULL), array_agg(c.counted) FILTER (WHERE c.review_id IS NOT NULL),
      array_agg(s.review_id) FILTER (WHERE s.review_id IS NOT NULL AND c.review_id IS NULL),
      array_agg(ARRAY[s.user_id, c.user_id] ORDER BY k.place), array_agg(ARRAY[k.cause, k.cause] ORDER BY k.place)
    INTO gone, fresh, lost, people, reasons
    FROM unnest(ids, causes) WITH ORDINALITY k (id, cause, place)
      LEFT JOIN LATERAL (SELECT ROW(r.*)::score_reviews AS kept, r.review_id, r.user_id FROM score_reviews r WHERE r.review_id = k.id OFFSET 0) s ON true
      LEFT JOIN LATERAL (SELECT ROW(r.*)::score_reviews AS counted, r.review_id, r.user_id FROM counted_reviews r WHERE r.review_id = k.id OFFSET 0) c ON true
    WHERE s.kept IS DISTINCT FROM c.counted;
  IF gone IS NULL AND fresh IS NULL THEN
    RETURN;
  END IF;
  IF lost IS NOT NULL THEN
    DELETE FROM score_reviews WHERE review_id = ANY (lost);
  END IF;
  INSERT INTO score_reviews SELECT * FROM unnest(fresh) ON CONFLICT (review_id) DO UPDATE SET user_id = excluded.user_id,
    author_user = excluded.author_user, how = excluded.how, weight = excluded.weight;
  PERFORM open_scores(people, reasons);
  UPDATE score_inputs i SET
    negative = i.negative + d.negative, negative_scores = i.negative_scores + d.negative_scores,
    neutral = i.neutral + d.neutral, neutral_scores = i.neutral_scores + d.neutral_scores,
    positive = i.positive + d.positive, positive_scores = i.positive_scores + d.positive_scores
  FROM (SELECT user_id,
      coalesce(sum(n) FILTER (WHERE how = 0), 0) AS negative, coalesce(sum(n * weight) FILTER (WHERE how = 0), 0) AS negative_scores,
      coalesce(sum(n) FILTER (WHERE how = 1), 0) AS neutral, coalesce(sum(n * weight) FILTER (WHERE how = 1), 0) AS neutral_scores,
      coalesce(sum(n) FILTER (WHERE how = 2), 0) AS positive, coalesce(sum(n * weight) FILTER (WHERE how = 2), 0) AS positive_scores
    FROM (SELECT 1 AS n, f.* FROM unnest(fresh) f UNION ALL SELECT -1, g.* FROM unnest(gone) g) m GROUP BY user_id) d
  WHERE i.user_id = d.user_id;
END $$;
CREATE OR REPLACE FUNCTION move_scored_reviews(ids int[], the_cause text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM move_scored_reviews(ids, same_cause(the_cause, cardinality(ids)));
END $$;

-- -- votes --------------------------------------------------------------------------------

-- As before. IS NOT TRUE has what a vote is on looked up by its number: indexes of what is not archived begin with other columns.
CREATE OR REPLACE VIEW counted_votes AS
  SELECT v.kind, v.target_id, v.voter, t.user_id, w.user_id AS voter_user, v.upvote,
    vote_weight(CASE WHEN v.number > w.votes_through THEN w.before ELSE w.standing END) AS weight
  FROM activity_votes v JOIN standings w ON w.profile_id = v.voter
    CROSS JOIN LATERAL (
      SELECT p.user_id FROM reviews r JOIN profiles p ON p.id = r.author_profile
        WHERE v.kind = 'review' AND r.id = v.target_id AND r.archived IS NOT TRUE
      UNION ALL SELECT p.user_id FROM vouches o JOIN profiles p ON p.id = o.author_profile
        WHERE v.kind = 'vouch' AND o.contract IN ('vouch', 'api') AND o.number = v.target_id AND o.archived IS NOT TRUE
      UNION ALL SELECT p.user_id FROM vouches o JOIN profiles p ON p.id = o.author_profile
        WHERE v.kind = 'vouchV2' AND o.contract = 'vouchV2' AND o.number = v.target_id AND o.archived IS NOT TRUE) t
  WHERE v.archived IS NOT TRUE AND t.user_id <> w.user_id;

CREATE FUNCTION move_scored_votes(kinds text[], targets int[], voters int[], causes text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  gone score_votes[];
  fresh score_votes[];
  lost score_votes[];
  people int[]; -- before and after, of each vote
  reasons text[];
BEGIN
  SELECT array_agg(s.kept) FILTER (WHERE s.voter IS NOT NULL), array_agg(c.counted) FILTER (WHERE c.voter IS NOT NULL),
      array_agg(s.kept) FILTER (WHERE s.voter IS NOT NULL AND c.voter IS NULL),
      array_agg(ARRAY[s.user_id, c.user_id] ORDER BY k.place), array_agg(ARRAY[k.cause, k.cause] ORDER BY k.place)
    INTO gone, fresh, lost, people, reasons
    FROM unnest(kinds, targets, voters, causes) WITH ORDINALITY k (kind, target_id, voter, cause, place)
      LEFT JOIN LATERAL (SELECT ROW(v.*)::score_votes AS kept, v.voter, v.user_id FROM score_votes v
        WHERE v.kind = k.kind AND v.target_id = k.target_id AND v.voter = k.voter OFFSET 0) s ON true
      LEFT JOIN LATERAL (SELECT ROW(v.*)::score_votes AS counted, v.voter, v.user_id FROM counted_votes v
        WHERE v.kind = k.kind AND v.target_id = k.target_id AND v.voter = k.voter OFFSET 0) c ON true
    WHERE s.kept IS DISTINCT FROM c.counted;
  IF gone IS NULL AND fresh IS NULL THEN
    RETURN;
  END IF;
  IF lost IS NOT NULL THEN
    DELETE FROM score_votes s USING unnest(lost) o WHERE s.kind = o.kind AND s.target_id = o.target_id AND s.voter = o.voter;
  END IF;
  INSERT INTO score_votes SELECT * FROM unnest(fresh) ON CONFLICT (kind, target_id, voter) DO UPDATE SET user_id = excluded.user_id,
    voter_user = excluded.voter_user, upvote = excluded.upvote, weight = excluded.weight;
  PERFORM open_scores(people, reasons);
  UPDATE score_inputs i SET votes_up = i.votes_up + d.up, votes_down = i.votes_down + d.down
  FROM (SELECT user_id, coalesce(sum(n * weight) FILTER (WHERE upvote), 0) AS up, coalesce(sum(n * weight) FILTER (WHERE NOT upvote), 0) AS down
    FROM (SELECT 1 AS n, f.* FROM unnest(fresh) f UNION ALL SELECT -1, g.* FROM unnest(gone) g) m GROUP BY user_id) d
  WHERE i.user_id = d.user_id AND (d.up <> 0 OR d.down <> 0);
END $$;
CREATE OR REPLACE FUNCTION move_scored_votes(kinds text[], targets int[], voters int[], the_cause text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM move_scored_votes(kinds, targets, voters, same_cause(the_cause, cardinality(targets)));
END $$;

-- -- triggers -----------------------------------------------------------------------------

-- Records of one statement count in the order of their events.
CREATE OR REPLACE FUNCTION score_reviews_of() RETURNS trigger LANGUAGE plpgsql AS $$
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
      INTO ids, causes FROM fresh f JOIN gone g USING (id) WHERE g.archived <> f.archived;
  END IF;
  IF TG_OP <> 'INSERT' AND ids IS NOT NULL THEN
    PERFORM move_scored_votes(array_agg(v.kind ORDER BY k.place), array_agg(v.target_id ORDER BY k.place), array_agg(v.voter ORDER BY k.place),
        array_agg(k.cause ORDER BY k.place))
      FROM unnest(ids, causes) WITH ORDINALITY k (id, cause, place)
        CROSS JOIN LATERAL (SELECT kind, target_id, voter FROM activity_votes WHERE kind = 'review' AND target_id = k.id OFFSET 0) v HAVING count(*) > 0;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION score_votes_of() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  kinds text[];
  targets int[];
  voters int[];
  causes text[];
BEGIN
  SELECT array_agg(kind ORDER BY event_id, number), array_agg(target_id ORDER BY event_id, number), array_agg(voter ORDER BY event_id, number),
      array_agg(cause_of(source, event_id, 'vote on ' || kind || ' ' || target_id) ORDER BY event_id, number)
    INTO kinds, targets, voters, causes FROM fresh WHERE kind IN ('review', 'vouch', 'vouchV2');
  IF targets IS NULL THEN
    RETURN NULL;
  END IF;
  PERFORM move_scored_votes(kinds, targets, voters, causes);
  -- What a review counts is looked at only when the vote on it is of whom it is about.
  PERFORM move_scored_reviews(array_agg(k.target_id ORDER BY k.place), array_agg(k.cause ORDER BY k.place))
    FROM unnest(kinds, targets, voters, causes) WITH ORDINALITY k (kind, target_id, voter, cause, place)
      CROSS JOIN LATERAL (SELECT FROM reviews r JOIN subjects s ON s.key = r.subject_key AND s.generation = r.subject_generation
        JOIN profiles p ON p.user_id = s.user_id WHERE k.kind = 'review' AND r.id = k.target_id AND p.id = k.voter OFFSET 0) own
    HAVING count(*) > 0;
  RETURN NULL;
END $$;

-- Replaced functions keep no settings of 0029.
DO $$
DECLARE
  entry text;
BEGIN
  FOREACH entry IN ARRAY ARRAY['score_reviews_of()', 'score_votes_of()'] LOOP
    EXECUTE format('ALTER FUNCTION %s SET plan_cache_mode = force_generic_plan', entry);
    EXECUTE format('ALTER FUNCTION %s SET enable_seqscan = off', entry);
  END LOOP;
END $$;

-- Whoever joins has a score that is worked out. (What came without a number or an event was there before, or is of the demo.)
DROP TRIGGER score_new_profile ON profiles;
CREATE OR REPLACE FUNCTION score_new_profile() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  PERFORM open_scores(array_agg(user_id ORDER BY event_id, id), array_agg(cause_of(source, event_id, 'profile ' || id) ORDER BY event_id, id))
    FROM fresh WHERE seq IS NOT NULL OR source = 'chain' HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER score_new_profile AFTER INSERT ON profiles REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION score_new_profile();

-- -- threads ------------------------------------------------------------------------------

-- Replies that know their target, below which others wait for it. These join in pieces: one text that comes late may be above any number.
CREATE TABLE chain_threads (
  reply int PRIMARY KEY REFERENCES replies ON DELETE CASCADE
);
COMMENT ON TABLE chain_threads IS 'replies whose answers are still to join their thread';

CREATE FUNCTION waits_below(the_reply int) RETURNS boolean LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  RETURN EXISTS (SELECT FROM replies t CROSS JOIN LATERAL
      (SELECT r.target_kind, r.source FROM replies r WHERE r.parent_id = t.id AND r.target_id IS NULL OFFSET 0) n
    WHERE t.id = the_reply AND t.target_id IS NOT NULL AND n.target_kind = t.target_kind AND n.source = 'chain');
END $$;

-- Notes a reply that is read, where others wait below it.
CREATE OR REPLACE FUNCTION join_threads(the_reply int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO chain_threads SELECT the_reply WHERE waits_below(the_reply) ON CONFLICT DO NOTHING;
END $$;
-- Brings at most `most` replies into their threads, those first that are nearest to one that is there.
CREATE FUNCTION join_waiting_replies(most int) RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  rest int := most;
  thread replies;
  below int[];
BEGIN
  WHILE rest > 0 LOOP
    SELECT r.* INTO thread FROM replies r WHERE r.id = (SELECT min(reply) FROM chain_threads);
    EXIT WHEN thread.id IS NULL;
    -- OFFSET has each step down look up its own rows by that index, instead of going through all of it.
    WITH RECURSIVE reached (id) AS (
      SELECT thread.id
      UNION
      SELECT n.id FROM reached b CROSS JOIN LATERAL
          (SELECT r.id, r.target_kind, r.source FROM replies r WHERE r.parent_id = b.id AND r.target_id IS NULL OFFSET 0) n
        WHERE n.target_kind = thread.target_kind AND n.source = 'chain')
    SELECT coalesce(array_agg(b.id), '{}') INTO below FROM (SELECT id FROM reached LIMIT rest + 1) b
      WHERE b.id <> thread.id AND thread.target_id IS NOT NULL;
    UPDATE replies SET target_id = thread.target_id WHERE id = ANY (below);
    DELETE FROM chain_threads WHERE reply = thread.id AND NOT waits_below(thread.id);
    INSERT INTO chain_threads SELECT b FROM unnest(below) b WHERE cardinality(below) >= rest AND waits_below(b) ON CONFLICT DO NOTHING;
    rest := rest - greatest(cardinality(below), 10); -- looking below a reply costs as much as ten that join
  END LOOP;
END $$;

-- -- large blocks -------------------------------------------------------------------------

-- As before, and for some events of the next block, which is final: then the tip stays, and its number and hash come again.
CREATE OR REPLACE FUNCTION advance_chain(chain bigint, before bytea, number bigint, hash bytea, parent bytea, block_at timestamptz,
                                         is_finalized bigint, events bigint, the_last_event bigint, now_is timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  settled bigint;
BEGIN
  UPDATE chain_follow f SET tip_number = number, tip_hash = hash, tip_parent = parent, tip_at = block_at,
    finalized = greatest(f.finalized, is_finalized), last_event = f.last_event + events, moved_at = now_is
  WHERE f.chain_id = chain AND f.tip_hash = before AND (events = 0 OR f.last_event + events = the_last_event)
    AND (f.tip_number < number OR (f.tip_number = number AND hash = before AND events > 0 AND number < is_finalized))
  RETURNING greatest(least(f.finalized, f.tip_number), f.tip_number - 10000) INTO settled; -- as many may be taken back
  IF NOT FOUND THEN
    RAISE EXCEPTION 'chain % does not stand where block % follows', chain, number USING ERRCODE = '23514';
  END IF;
  DELETE FROM chain_blocks b WHERE b.chain_id = chain AND b.number < settled;
  DELETE FROM chain_undo u WHERE u.block_number <= settled;
  DELETE FROM chain_refusals;
END $$;
