-- The score with a million users: an epoch, the thinning of history and a recount go in pieces of bounded size.

-- -- an epoch -----------------------------------------------------------------------------

-- What an epoch does, one after the other. `piece` is a function (day date, most int) RETURNS boolean that does the next piece, looks
-- at no more than a small multiple of `most` rows, and returns whether nothing of its stage is left. Where it stands it keeps in
-- score_epochs.through and score_epochs.place, which are 0 and empty when a stage begins. Further stages are further rows.
CREATE TABLE epoch_stages (
  number int PRIMARY KEY,
  piece text NOT NULL UNIQUE
);
INSERT INTO epoch_stages VALUES (10, 'epoch_scores_piece'), (20, 'epoch_ether_piece'), (30, 'epoch_addresses_piece'), (40, 'epoch_accounts_piece');

ALTER TABLE score_epochs
  ADD COLUMN step int NOT NULL DEFAULT 0, -- pieces that are done
  ADD COLUMN stage int NOT NULL DEFAULT 10,
  ADD COLUMN place jsonb NOT NULL DEFAULT '{}';

-- An author with more records than one piece moves is visited in several. The records up to these numbers weigh by `score`, those
-- behind them by `before`. Without `before` all weigh by `score`.
ALTER TABLE epoch_scores
  ADD COLUMN before int CHECK (before BETWEEN 0 AND 2800),
  ADD COLUMN reviews_through int, -- by id
  ADD COLUMN votes_through int, -- by number
  ADD COLUMN invited_through int, -- profiles that the author invited
  ADD CONSTRAINT epoch_scores_half CHECK (num_nulls(before, reviews_through, votes_through, invited_through) IN (0, 4));
CREATE UNIQUE INDEX epoch_scores_turning ON epoch_scores ((true)) WHERE before IS NOT NULL;

CREATE INDEX score_inputs_young ON score_inputs (user_id) WHERE young_wei > 0;
CREATE INDEX score_reviews_by_author ON score_reviews (author_user, review_id);
DROP INDEX score_reviews_author;
CREATE INDEX score_reviews_of ON score_reviews (user_id, how);
DROP INDEX score_reviews_praise;
CREATE INDEX activity_votes_by_voter ON activity_votes (voter, number);
DROP INDEX activity_votes_voter;
CREATE INDEX score_votes_of ON score_votes (user_id);
DROP INDEX score_votes_voter;
CREATE INDEX score_vouches_of ON score_vouches (user_id);

CREATE OR REPLACE VIEW standings AS
  SELECT p.id AS profile_id, p.user_id, CASE WHEN p.archived OR p.orphaned THEN 0 ELSE coalesce(e.score, 1200) END AS standing,
    CASE WHEN p.archived OR p.orphaned THEN 0 ELSE e.before END AS before, e.reviews_through, e.votes_through
  FROM profiles p LEFT JOIN epoch_scores e ON e.user_id = p.user_id;

-- A vote is looked up by its key, however many votes there are on a review: IS NOT TRUE is written so that
-- the planner leaves the index of those that are not archived alone, which begins with the review as well.
CREATE OR REPLACE VIEW counted_reviews AS
  SELECT r.id AS review_id, s.user_id, a.user_id AS author_user,
    CASE WHEN r.score = 2 AND EXISTS (SELECT FROM activity_votes v WHERE v.kind = 'review' AND v.target_id = r.id
      AND v.voter = (SELECT p.id FROM profiles p WHERE p.user_id = s.user_id) AND v.archived IS NOT TRUE AND NOT v.upvote)
      THEN 1::smallint ELSE r.score END AS how,
    CASE WHEN r.id > a.reviews_through THEN a.before ELSE coalesce(a.standing, 0) END AS weight
  FROM reviews r JOIN subjects s ON s.key = r.subject_key AND s.generation = r.subject_generation
    LEFT JOIN standings a ON a.profile_id = r.author_profile
  WHERE NOT r.archived AND a.user_id IS DISTINCT FROM s.user_id;

CREATE OR REPLACE VIEW counted_votes AS
  SELECT v.kind, v.target_id, v.voter, t.user_id, w.user_id AS voter_user, v.upvote,
    vote_weight(CASE WHEN v.number > w.votes_through THEN w.before ELSE w.standing END) AS weight
  FROM activity_votes v JOIN standings w ON w.profile_id = v.voter
    CROSS JOIN LATERAL (
      SELECT p.user_id FROM reviews r JOIN profiles p ON p.id = r.author_profile
        WHERE v.kind = 'review' AND r.id = v.target_id AND NOT r.archived
      UNION ALL SELECT p.user_id FROM vouches o JOIN profiles p ON p.id = o.author_profile
        WHERE v.kind = 'vouch' AND o.contract IN ('vouch', 'api') AND o.number = v.target_id AND NOT o.archived
      UNION ALL SELECT p.user_id FROM vouches o JOIN profiles p ON p.id = o.author_profile
        WHERE v.kind = 'vouchV2' AND o.contract = 'vouchV2' AND o.number = v.target_id AND NOT o.archived) t
  WHERE v.archived IS NOT TRUE AND t.user_id <> w.user_id;

-- -- moving sums --------------------------------------------------------------------------

-- As before, at less cost: what counts is looked at once, what is kept of a record is written in place, and of users whose score is
-- worked out already nothing but the mark is written. A function in SQL is planned at every call unless it is merged into the
-- statement around it, which one that is called immutable and is not cannot be; a function in PL/pgSQL keeps its plans.
CREATE OR REPLACE FUNCTION mark_scores(users int[], the_cause text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO score_dirty AS d (user_id, cause)
    SELECT i.user_id, the_cause FROM score_inputs i WHERE i.user_id = ANY (users) ORDER BY i.user_id
    ON CONFLICT (user_id) DO UPDATE SET mark = excluded.mark, cause = excluded.cause,
      others = d.others + (d.cause <> excluded.cause)::int;
END $$;
CREATE OR REPLACE FUNCTION cause_of(the_source text, the_event bigint, what text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN the_source = 'chain' AND the_event IS NOT NULL THEN 'event ' || the_event ELSE the_source || ' ' || what END
$$;
CREATE OR REPLACE FUNCTION open_scores(users int[], the_cause text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) FROM score_inputs i WHERE i.user_id = ANY (users)) < cardinality(users) THEN
    INSERT INTO score_inputs (user_id, starting) SELECT u.id, u.score FROM users u WHERE u.id = ANY (users) ORDER BY u.id
      ON CONFLICT (user_id) DO NOTHING;
  END IF;
  PERFORM mark_scores(users, the_cause);
END $$;

CREATE OR REPLACE FUNCTION move_scored_reviews(ids int[], the_cause text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  gone score_reviews[];
  fresh score_reviews[];
BEGIN
  SELECT array_agg(ROW(s.*)::score_reviews) FILTER (WHERE s.review_id IS NOT NULL),
      array_agg(ROW(c.*)::score_reviews) FILTER (WHERE c.review_id IS NOT NULL) INTO gone, fresh
    FROM (SELECT * FROM score_reviews WHERE review_id = ANY (ids)) s
      FULL JOIN (SELECT * FROM counted_reviews WHERE review_id = ANY (ids)) c ON c.review_id = s.review_id
    WHERE (s.review_id, s.user_id, s.author_user, s.how, s.weight) IS DISTINCT FROM (c.review_id, c.user_id, c.author_user, c.how, c.weight);
  IF gone IS NULL AND fresh IS NULL THEN
    RETURN;
  END IF;
  IF gone IS NOT NULL THEN
    DELETE FROM score_reviews WHERE review_id IN (SELECT g.review_id FROM unnest(gone) g EXCEPT SELECT f.review_id FROM unnest(fresh) f);
  END IF;
  INSERT INTO score_reviews SELECT * FROM unnest(fresh) ON CONFLICT (review_id) DO UPDATE SET user_id = excluded.user_id,
    author_user = excluded.author_user, how = excluded.how, weight = excluded.weight;
  PERFORM open_scores(ARRAY(SELECT user_id FROM unnest(gone) UNION SELECT user_id FROM unnest(fresh)), the_cause);
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

CREATE OR REPLACE FUNCTION move_scored_votes(kinds text[], targets int[], voters int[], the_cause text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  gone score_votes[];
  fresh score_votes[];
BEGIN
  SELECT array_agg(ROW(s.*)::score_votes) FILTER (WHERE s.voter IS NOT NULL),
      array_agg(ROW(c.*)::score_votes) FILTER (WHERE c.voter IS NOT NULL) INTO gone, fresh
    FROM unnest(kinds, targets, voters) k (kind, target_id, voter)
      LEFT JOIN score_votes s ON s.kind = k.kind AND s.target_id = k.target_id AND s.voter = k.voter
      LEFT JOIN counted_votes c ON c.kind = k.kind AND c.target_id = k.target_id AND c.voter = k.voter
    WHERE (s.voter, s.user_id, s.voter_user, s.upvote, s.weight) IS DISTINCT FROM (c.voter, c.user_id, c.voter_user, c.upvote, c.weight);
  IF gone IS NULL AND fresh IS NULL THEN
    RETURN;
  END IF;
  IF gone IS NOT NULL THEN
    DELETE FROM score_votes s USING (SELECT g.kind, g.target_id, g.voter FROM unnest(gone) g
        EXCEPT SELECT f.kind, f.target_id, f.voter FROM unnest(fresh) f) o
      WHERE s.kind = o.kind AND s.target_id = o.target_id AND s.voter = o.voter;
  END IF;
  INSERT INTO score_votes SELECT * FROM unnest(fresh) ON CONFLICT (kind, target_id, voter) DO UPDATE SET user_id = excluded.user_id,
    voter_user = excluded.voter_user, upvote = excluded.upvote, weight = excluded.weight;
  PERFORM open_scores(ARRAY(SELECT user_id FROM unnest(gone) UNION SELECT user_id FROM unnest(fresh)), the_cause);
  UPDATE score_inputs i SET votes_up = i.votes_up + d.up, votes_down = i.votes_down + d.down
  FROM (SELECT user_id, coalesce(sum(n * weight) FILTER (WHERE upvote), 0) AS up, coalesce(sum(n * weight) FILTER (WHERE NOT upvote), 0) AS down
    FROM (SELECT 1 AS n, f.* FROM unnest(fresh) f UNION ALL SELECT -1, g.* FROM unnest(gone) g) m GROUP BY user_id) d
  WHERE i.user_id = d.user_id AND (d.up <> 0 OR d.down <> 0);
END $$;

-- What a review counts is looked at only when the vote on it is of whom it is about.
CREATE OR REPLACE FUNCTION score_votes_of() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  each record;
BEGIN
  FOR each IN SELECT kind, target_id, voter, cause_of(source, event_id, 'vote on ' || kind || ' ' || target_id) AS cause FROM fresh
      WHERE kind IN ('review', 'vouch', 'vouchV2') LOOP
    PERFORM move_scored_votes(ARRAY[each.kind], ARRAY[each.target_id], ARRAY[each.voter], each.cause);
    IF each.kind = 'review' AND EXISTS (SELECT FROM reviews r JOIN subjects s ON s.key = r.subject_key AND s.generation = r.subject_generation
        JOIN profiles p ON p.user_id = s.user_id WHERE r.id = each.target_id AND p.id = each.voter) THEN
      PERFORM move_scored_reviews(ARRAY[each.target_id], each.cause);
    END IF;
  END LOOP;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION move_tallies(kinds text[], targets int[], ups int[], downs int[], reply_moves int[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO activity_tallies (kind, target_id) SELECT DISTINCT * FROM unnest(kinds, targets) ORDER BY 1, 2 ON CONFLICT DO NOTHING;
  UPDATE activity_tallies t SET up = t.up + d.up, down = t.down + d.down, replies = t.replies + d.replies
    FROM (SELECT k, i, sum(u) AS up, sum(w) AS down, sum(r) AS replies FROM unnest(kinds, targets, ups, downs, reply_moves) x (k, i, u, w, r)
          GROUP BY k, i) d
    WHERE t.kind = d.k AND t.target_id = d.i AND (d.up, d.down, d.replies) <> (0, 0, 0);
END $$;
CREATE OR REPLACE FUNCTION move_review_counts(keys bytea[], generations int[], scores smallint[], moves int[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE subjects s SET reviews_negative = s.reviews_negative + d.negative, reviews_neutral = s.reviews_neutral + d.neutral,
    reviews_positive = s.reviews_positive + d.positive
  FROM (SELECT u.key, u.generation, coalesce(sum(n) FILTER (WHERE score = 0), 0) AS negative,
          coalesce(sum(n) FILTER (WHERE score = 1), 0) AS neutral, coalesce(sum(n) FILTER (WHERE score = 2), 0) AS positive
        FROM unnest(keys, generations, scores, moves) u (key, generation, score, n) GROUP BY u.key, u.generation) d
  WHERE s.key = d.key AND s.generation = d.generation AND (d.negative, d.neutral, d.positive) <> (0, 0, 0);
END $$;
CREATE OR REPLACE FUNCTION move_user_reviews(users int[], negatives bigint[], neutrals bigint[], positives bigint[]) RETURNS void
  LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users u SET reviews_negative = u.reviews_negative + d.negative, reviews_neutral = u.reviews_neutral + d.neutral,
    reviews_positive = u.reviews_positive + d.positive
  FROM (SELECT user_id, sum(negative) AS negative, sum(neutral) AS neutral, sum(positive) AS positive
        FROM unnest(users, negatives, neutrals, positives) x (user_id, negative, neutral, positive) GROUP BY user_id) d
  WHERE u.id = d.user_id AND (d.negative, d.neutral, d.positive) <> (0, 0, 0);
END $$;

-- Triggers get a row or a few, the planner believes in more, and would plan such a statement anew for each row, which takes longer than
-- the row. And rows are looked up by indexes, also where a plan was made while tables were empty.
DO $$
DECLARE
  entry text;
BEGIN
  FOREACH entry IN ARRAY ARRAY['score_reviews_of()', 'score_vouches_of()', 'score_votes_of()', 'score_parts()', 'score_names_of()',
      'count_reviews()', 'count_activity_votes()', 'count_replies()', 'count_vouches()'] LOOP
    EXECUTE format('ALTER FUNCTION %s SET plan_cache_mode = force_generic_plan', entry);
    EXECUTE format('ALTER FUNCTION %s SET enable_seqscan = off', entry);
  END LOOP;
END $$;

-- Ids of the API have no gaps, as before, with a function for each table, so that its two statements are planned once.
DO $$
DECLARE
  part text;
  what text;
BEGIN
  FOR part, what IN VALUES ('reviews', 'id'), ('invitations', 'id'), ('vouches', 'number'), ('replies', 'id'), ('activity_votes', 'number') LOOP
    EXECUTE format($text$
      CREATE FUNCTION check_new_ids_of_%1$s() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $body$
      DECLARE
        given record;
        before int;
      BEGIN
        SELECT count(*) AS n, min(%2$I) AS least, max(%2$I) AS most INTO given FROM fresh WHERE source = 'api';
        IF given.n > 0 THEN
          SELECT coalesce(max(%2$I), 0) INTO before FROM %1$I WHERE source = 'api' AND %2$I < given.least;
          IF given.least <> before + 1 OR given.most - given.least + 1 <> given.n THEN
            RAISE EXCEPTION 'number %% of %1$s does not follow the last one, %%', given.least, before USING ERRCODE = '23514';
          END IF;
        END IF;
        RETURN NULL;
      END $body$;
      DROP TRIGGER check_new_ids ON %1$I;
      CREATE TRIGGER check_new_ids AFTER INSERT ON %1$I REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT
        EXECUTE FUNCTION check_new_ids_of_%1$s()$text$, part, what);
  END LOOP;
END $$;

-- The records of these users that contain their epoch scores: reviews; votes of whose level is another now; who was invited by them.
CREATE FUNCTION move_standings(users int[], levels int[], the_cause text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM move_scored_reviews(ARRAY(SELECT review_id FROM score_reviews WHERE author_user = ANY (users)), the_cause);
  PERFORM move_scored_votes(array_agg(v.kind), array_agg(v.target_id), array_agg(v.voter), the_cause)
    FROM activity_votes v WHERE v.voter = ANY (ARRAY(SELECT id FROM profiles WHERE user_id = ANY (levels))) HAVING count(*) > 0;
  PERFORM mark_scores(ARRAY(SELECT user_id FROM profiles WHERE invited_by = ANY (ARRAY(SELECT id FROM profiles WHERE user_id = ANY (users)))),
    the_cause);
END $$;

-- The next `most` records of the one author that is visited in several pieces. Returns whether all are visited.
CREATE FUNCTION move_standing_piece(it epoch_scores, most int, the_cause text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  all_of_them CONSTANT int := 2147483647;
  its_profile CONSTANT int := (SELECT id FROM profiles WHERE user_id = it.user_id);
  numbers int[];
BEGIN
  IF it.reviews_through < all_of_them THEN
    numbers := ARRAY(SELECT review_id FROM score_reviews WHERE author_user = it.user_id AND review_id > it.reviews_through
      ORDER BY review_id LIMIT most);
    UPDATE epoch_scores SET reviews_through = coalesce(numbers[most], all_of_them) WHERE user_id = it.user_id;
    PERFORM move_scored_reviews(numbers, the_cause);
  ELSIF it.votes_through < all_of_them AND vote_weight(it.score) <> vote_weight(it.before) THEN
    numbers := ARRAY(SELECT number FROM activity_votes WHERE voter = its_profile AND number > it.votes_through ORDER BY number LIMIT most);
    UPDATE epoch_scores SET votes_through = coalesce(numbers[most], all_of_them) WHERE user_id = it.user_id;
    PERFORM move_scored_votes(array_agg(kind), array_agg(target_id), array_agg(voter), the_cause)
      FROM activity_votes WHERE number = ANY (numbers) HAVING count(*) > 0;
  ELSE
    numbers := ARRAY(SELECT id FROM profiles WHERE invited_by = its_profile AND id > it.invited_through ORDER BY id LIMIT most);
    PERFORM mark_scores(ARRAY(SELECT user_id FROM profiles WHERE id = ANY (numbers)), the_cause);
    UPDATE epoch_scores SET invited_through = coalesce(numbers[most], all_of_them) WHERE user_id = it.user_id;
    RETURN numbers[most] IS NULL;
  END IF;
  RETURN false;
END $$;

-- How many records of an author contain that author's score; those beyond `most` are not looked at.
CREATE FUNCTION standing_records(the_user int, levels boolean, most int) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT (SELECT count(*) FROM (SELECT FROM score_reviews WHERE author_user = the_user LIMIT most) r)
    + (SELECT count(*) FROM (SELECT FROM activity_votes
      WHERE levels AND voter = (SELECT id FROM profiles WHERE user_id = the_user) LIMIT most) v)
    + (SELECT count(*) FROM (SELECT FROM profiles WHERE invited_by = (SELECT id FROM profiles WHERE user_id = the_user) LIMIT most) i)
$$;

-- Scores become epoch scores, with the sums that contain them. Looks at the next 4 * `most` users; an author whose records are too
-- many for the piece ends it, and one with more than `most` of them is visited in pieces of their own.
CREATE FUNCTION epoch_scores_piece(the_day date, most int) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  cause CONSTANT text := 'epoch ' || the_day;
  since CONSTANT int := (SELECT through FROM score_epochs WHERE day = the_day);
  upto int := (SELECT max(id) FROM (SELECT id FROM users WHERE id > since ORDER BY id LIMIT 4 * most) next);
  rest bigint := most;
  whole int[] := '{}';
  levels int[] := '{}';
  half epoch_scores;
  each record;
BEGIN
  SELECT * INTO half FROM epoch_scores WHERE before IS NOT NULL;
  IF FOUND THEN
    IF move_standing_piece(half, most, cause) THEN
      UPDATE epoch_scores SET before = NULL, reviews_through = NULL, votes_through = NULL, invited_through = NULL WHERE user_id = half.user_id;
      UPDATE score_epochs SET through = half.user_id WHERE day = the_day;
    END IF;
    RETURN false;
  ELSIF upto IS NULL THEN
    RETURN true;
  END IF;
  FOR each IN SELECT u.id, u.score, coalesce(e.score, 1200) AS before, vote_weight(u.score) <> vote_weight(coalesce(e.score, 1200)) AS level
      FROM users u LEFT JOIN epoch_scores e ON e.user_id = u.id AND e.user_id > since AND e.user_id <= upto
      WHERE u.id > since AND u.id <= upto AND u.score <> coalesce(e.score, 1200) ORDER BY u.id LOOP
    rest := rest - 1 - standing_records(each.id, each.level, most);
    IF rest < 0 THEN
      upto := each.id - 1;
      EXIT;
    END IF;
    whole := whole || each.id;
    IF each.level THEN
      levels := levels || each.id;
    END IF;
  END LOOP;
  IF rest < 0 AND whole = '{}' THEN
    INSERT INTO epoch_scores AS e VALUES (each.id, each.score, the_day, each.before, -1, -1, -1) ON CONFLICT (user_id) DO UPDATE SET
      score = excluded.score, day = excluded.day, before = excluded.before, reviews_through = -1, votes_through = -1, invited_through = -1;
  ELSIF whole <> '{}' THEN
    INSERT INTO epoch_scores SELECT id, score, the_day FROM users WHERE id = ANY (whole)
      ON CONFLICT (user_id) DO UPDATE SET score = excluded.score, day = excluded.day;
    PERFORM move_standings(whole, levels, cause);
  END IF;
  UPDATE score_epochs SET through = upto WHERE day = the_day;
  RETURN false;
END $$;

-- Ether that is 180 days old becomes mature: sums without young ether are right on any day. Whoever has some is marked, since it
-- counts more every day. A piece takes as many users as have `most` parts that become mature together; the parts of one user are one
-- sum, and read at once.
CREATE FUNCTION epoch_ether_piece(the_day date, most int) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  since CONSTANT int := (SELECT through FROM score_epochs WHERE day = the_day);
  users int[] := '{}';
  rest bigint := most;
  each record;
BEGIN
  FOR each IN SELECT i.user_id, (SELECT count(*) FROM (SELECT FROM vouch_parts p WHERE p.counts_for = i.user_id AND p.day > i.as_of - 180
        AND p.day <= the_day - 180 LIMIT most) few) AS parts
      FROM score_inputs i WHERE i.user_id > since AND i.young_wei > 0 AND i.as_of < the_day ORDER BY i.user_id LIMIT most LOOP
    rest := rest - each.parts;
    EXIT WHEN rest < 0 AND users <> '{}';
    users := users || each.user_id;
  END LOOP;
  IF users = '{}' THEN
    RETURN true;
  END IF;
  UPDATE score_inputs i SET young_wei = i.young_wei - m.wei, young_days = i.young_days - m.days, mature_wei = i.mature_wei + m.wei, as_of = the_day
  FROM (SELECT o.user_id, coalesce(sum(p.amount), 0) AS wei, coalesce(sum(p.amount * (p.day - date '1970-01-01')), 0) AS days
    FROM score_inputs o LEFT JOIN vouch_parts p ON p.counts_for = o.user_id AND p.day > o.as_of - 180 AND p.day <= the_day - 180
    WHERE o.user_id = ANY (users) GROUP BY o.user_id) m WHERE i.user_id = m.user_id;
  PERFORM mark_scores(users, 'epoch ' || the_day);
  UPDATE score_epochs SET through = users[cardinality(users)] WHERE day = the_day;
  RETURN false;
END $$;

-- Elements go by the ages of addresses and accounts. Those that came to another age since the last epoch are found by the day they
-- are from: a range of days for each age.
CREATE FUNCTION x_account_day(account text) RETURNS date LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN account ~ '^[1-9][0-9]{12,18}$' THEN
    (to_timestamp((floor(account::numeric / 4194304)::bigint + 1288834974657) / 1000) AT TIME ZONE 'UTC')::date END
$$;
CREATE INDEX addresses_born ON addresses (((coalesce(first_seen_at, added_at) AT TIME ZONE 'UTC')::date), address);
CREATE INDEX attestations_x_born ON attestations (x_account_day(account), id) WHERE service = 'x.com' AND NOT archived;

-- The range of days of an age, and where a piece begins in it. `place` is `{"age": 1 to 4, "day": …, "key": …}`; before the first
-- piece of an age without day and key. Null in the end.
CREATE FUNCTION age_range(the_day date, OUT age int, OUT since date, OUT key text, OUT until date) LANGUAGE sql STABLE AS $$
  SELECT n, coalesce((place->>'day')::date, (SELECT max(b.day) FROM score_epochs b WHERE b.day < the_day) - ages[n] + 1),
    coalesce(place->>'key', ''), the_day - ages[n]
  FROM (SELECT place, coalesce((place->>'age')::int, 1) AS n, ARRAY[90, 365, 730, 1461] AS ages FROM score_epochs WHERE day = the_day) e
  WHERE n <= cardinality(ages)
$$;
-- Marks the users of a piece, and notes where the next one begins. Returns whether it was the last.
CREATE FUNCTION end_age_piece(the_day date, age int, users int[], most int, last_day date, last_key text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM mark_scores(users, 'epoch ' || the_day);
  UPDATE score_epochs SET place = CASE WHEN cardinality(users) = most THEN jsonb_build_object('age', age, 'day', last_day, 'key', last_key)
    ELSE jsonb_build_object('age', age + 1) END WHERE day = the_day;
  RETURN age = 4 AND cardinality(users) < most;
END $$;
CREATE FUNCTION epoch_addresses_piece(the_day date, most int) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  r record := age_range(the_day);
  found record;
BEGIN
  SELECT coalesce(array_agg(user_id ORDER BY born, address), '{}') AS users, max(born) AS born,
      encode((array_agg(address ORDER BY born DESC, address DESC))[1], 'hex') AS key INTO found
    FROM (SELECT user_id, address, (coalesce(first_seen_at, added_at) AT TIME ZONE 'UTC')::date AS born FROM addresses
      WHERE ((coalesce(first_seen_at, added_at) AT TIME ZONE 'UTC')::date, address) > (r.since, decode(r.key, 'hex'))
        AND (coalesce(first_seen_at, added_at) AT TIME ZONE 'UTC')::date <= r.until
      ORDER BY (coalesce(first_seen_at, added_at) AT TIME ZONE 'UTC')::date, address LIMIT most) next;
  RETURN end_age_piece(the_day, r.age, found.users, most, found.born, found.key);
END $$;
CREATE FUNCTION epoch_accounts_piece(the_day date, most int) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  r record := age_range(the_day);
  found record;
BEGIN
  SELECT coalesce(array_agg(user_id ORDER BY born, id), '{}') AS users, max(born) AS born,
      (array_agg(id ORDER BY born DESC, id DESC))[1]::text AS key INTO found
    FROM (SELECT user_id, id, x_account_day(account) AS born FROM attestations
      WHERE service = 'x.com' AND NOT archived AND (x_account_day(account), id) > (r.since, coalesce(nullif(r.key, '')::int, 0))
        AND x_account_day(account) <= r.until ORDER BY x_account_day(account), id LIMIT most) next;
  RETURN end_age_piece(the_day, r.age, found.users, most, found.born, found.key);
END $$;

-- The next piece of an epoch, if `the_step` pieces of it are done. Rows are looked up by indexes, in their order, whatever the
-- planner believes: a piece must not read all of what its bound leaves out.
DROP FUNCTION turn_epoch_page;
DROP FUNCTION mark_aged;
CREATE FUNCTION turn_epoch_page(the_day date, the_step int, most int, the_time timestamptz) RETURNS void LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off AS $$
DECLARE
  at_stage int;
  stage_done boolean;
  next_stage int;
BEGIN
  SELECT stage INTO at_stage FROM score_epochs WHERE day = the_day AND finished_at IS NULL AND step = the_step;
  IF NOT FOUND THEN
    RETURN; -- somebody has turned it
  END IF;
  EXECUTE format('SELECT %I($1, $2)', (SELECT piece FROM epoch_stages WHERE number = at_stage)) INTO stage_done USING the_day, most;
  IF stage_done THEN
    next_stage := (SELECT min(number) FROM epoch_stages WHERE number > at_stage);
    UPDATE score_epochs SET step = step + 1, stage = coalesce(next_stage, stage), through = 0, place = '{}',
      finished_at = CASE WHEN next_stage IS NULL THEN the_time END WHERE day = the_day;
  ELSE
    UPDATE score_epochs SET step = step + 1 WHERE day = the_day;
  END IF;
END $$;

-- -- history ------------------------------------------------------------------------------

-- When the score of each user changed last.
CREATE TABLE score_latest (
  user_id int PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  at timestamptz NOT NULL
);
INSERT INTO score_latest SELECT user_id, max(at) FROM score_history GROUP BY user_id;
CREATE INDEX score_latest_at ON score_latest (at, user_id);
DROP INDEX score_history_at;

CREATE OR REPLACE FUNCTION set_score(the_user int, the_score int, the_points int[], the_day date, the_cause text, the_time timestamptz,
  the_mark bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users SET score = the_score WHERE id = the_user AND score <> the_score;
  INSERT INTO score_history (user_id, at, day, score, points, cause) SELECT the_user, the_time, the_day, the_score, the_points, the_cause
    WHERE NOT EXISTS (SELECT FROM (SELECT score, points FROM score_history WHERE user_id = the_user ORDER BY number DESC LIMIT 1) last
                      WHERE last.score = the_score AND last.points = the_points);
  IF FOUND THEN
    INSERT INTO score_latest AS l VALUES (the_user, the_time) ON CONFLICT (user_id) DO UPDATE SET at = greatest(l.at, excluded.at);
  END IF;
  DELETE FROM score_dirty WHERE user_id = the_user AND mark <= the_mark;
END $$;

-- Of the rows of a day and user the last one stays. Rows are visited once, in the order of days; this is the last one visited.
CREATE TABLE score_thinning (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  day date NOT NULL,
  user_id int NOT NULL,
  number bigint NOT NULL
);
INSERT INTO score_thinning VALUES (true, '1970-01-01', 0, 0);
CREATE INDEX score_history_by_day ON score_history (day, user_id, number);
DROP INDEX score_history_day;
-- Visits the next `most` rows of days before `the_day`. Returns how many there were.
CREATE FUNCTION thin_score_history(the_day date, most int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  it score_thinning;
  visited record;
BEGIN
  SELECT * INTO it FROM score_thinning;
  -- The order has the next row found down the index, whatever the planner knows of the table so far.
  PERFORM FROM score_history WHERE (day, user_id, number) > (it.day, it.user_id, it.number) AND day < the_day
    ORDER BY day, user_id, number LIMIT 1;
  IF NOT FOUND THEN
    RETURN 0; -- nothing is old: the usual case. A lock would cost a commit, which the writer's commits wait for
  END IF;
  SELECT * INTO it FROM score_thinning FOR UPDATE;
  WITH next AS MATERIALIZED (SELECT day, user_id, number FROM score_history
      WHERE (day, user_id, number) > (it.day, it.user_id, it.number) AND day < the_day ORDER BY day, user_id, number LIMIT most + 1),
    placed AS (SELECT n.*, row_number() OVER w AS place, lead(day) OVER w = day AND lead(user_id) OVER w = user_id AS followed
      FROM next n WINDOW w AS (ORDER BY day, user_id, number)),
    gone AS (DELETE FROM score_history h USING placed p WHERE p.followed AND p.place <= most AND h.user_id = p.user_id AND h.number = p.number)
  SELECT count(*) AS rows, max(day) AS day, (array_agg(user_id ORDER BY place DESC))[1] AS user_id,
    (array_agg(number ORDER BY place DESC))[1] AS number INTO visited FROM placed WHERE place <= most;
  IF visited.rows > 0 THEN
    UPDATE score_thinning SET day = visited.day, user_id = visited.user_id, number = visited.number;
  END IF;
  RETURN visited.rows;
END $$;

-- -- counting anew ------------------------------------------------------------------------

DROP FUNCTION recount_scores;
-- Who vouches for the next users, from what is kept of vouches.
CREATE FUNCTION recount_pairs(users int[]) RETURNS void LANGUAGE sql AS $$
  DELETE FROM score_pairs WHERE user_id = ANY (users);
  INSERT INTO score_pairs SELECT author_user, user_id, count(*) FROM score_vouches WHERE active AND user_id = ANY (users) GROUP BY author_user, user_id
$$;
-- Works the sums of users out from what is kept as counted. Returns how many had other ones.
CREATE FUNCTION recount_sums(users int[]) RETURNS bigint LANGUAGE sql AS $$
  WITH right_ones AS MATERIALIZED (
    SELECT i.user_id, r.*, p.*, v.*,
      (SELECT count(*) FROM score_pairs a WHERE a.user_id = i.user_id) AS vouchers,
      (SELECT count(*) FROM score_pairs a JOIN score_pairs b ON b.author_user = a.user_id AND b.user_id = a.author_user
        WHERE a.user_id = i.user_id) AS mutual_vouchers,
      (SELECT count(*) FROM score_vouches a WHERE a.user_id = i.user_id AND a.unhealthy) AS unhealthy
    FROM score_inputs i,
      LATERAL (SELECT count(*) FILTER (WHERE how = 0) AS negative, coalesce(sum(weight) FILTER (WHERE how = 0), 0) AS negative_scores,
          count(*) FILTER (WHERE how = 1) AS neutral, coalesce(sum(weight) FILTER (WHERE how = 1), 0) AS neutral_scores,
          count(*) FILTER (WHERE how = 2) AS positive, coalesce(sum(weight) FILTER (WHERE how = 2), 0) AS positive_scores
        FROM score_reviews WHERE user_id = i.user_id) r,
      LATERAL (SELECT coalesce(sum(amount) FILTER (WHERE i.as_of - day < 180), 0) AS young_wei,
          coalesce(sum(amount * (day - date '1970-01-01')) FILTER (WHERE i.as_of - day < 180), 0) AS young_days,
          coalesce(sum(amount) FILTER (WHERE i.as_of - day >= 180), 0) AS mature_wei
        FROM vouch_parts WHERE counts_for = i.user_id) p,
      LATERAL (SELECT coalesce(sum(weight) FILTER (WHERE upvote), 0) AS votes_up, coalesce(sum(weight) FILTER (WHERE NOT upvote), 0) AS votes_down
        FROM score_votes WHERE user_id = i.user_id) v
    WHERE i.user_id = ANY (users)),
  corrected AS (
    UPDATE score_inputs i SET negative = o.negative, negative_scores = o.negative_scores, neutral = o.neutral, neutral_scores = o.neutral_scores,
      positive = o.positive, positive_scores = o.positive_scores, young_wei = o.young_wei, young_days = o.young_days, mature_wei = o.mature_wei,
      vouchers = o.vouchers, mutual_vouchers = o.mutual_vouchers, votes_up = o.votes_up, votes_down = o.votes_down, unhealthy = o.unhealthy
    FROM right_ones o WHERE o.user_id = i.user_id
      AND (i.negative, i.negative_scores, i.neutral, i.neutral_scores, i.positive, i.positive_scores, i.young_wei, i.young_days, i.mature_wei,
           i.vouchers, i.mutual_vouchers, i.votes_up, i.votes_down, i.unhealthy)
       <> (o.negative, o.negative_scores, o.neutral, o.neutral_scores, o.positive, o.positive_scores, o.young_wei, o.young_days, o.mature_wei,
           o.vouchers, o.mutual_vouchers, o.votes_up, o.votes_down, o.unhealthy) RETURNING i.user_id)
  SELECT count(*) FROM corrected
$$;
-- Brings what is kept of the reviews, vouches and votes behind a key to what they say, and returns the key of the last. A key that is
-- only kept is behind no record, so both are looked at.
CREATE FUNCTION recount_reviews(place jsonb, most int) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  since CONSTANT int := coalesce((place->>'id')::int, -1);
  ids int[] := ARRAY(SELECT * FROM ((SELECT id FROM reviews WHERE id > since ORDER BY id LIMIT most)
    UNION (SELECT review_id FROM score_reviews WHERE review_id > since ORDER BY review_id LIMIT most)) both_kinds ORDER BY 1 LIMIT most);
BEGIN
  PERFORM move_scored_reviews(ids, 'recompute');
  RETURN jsonb_build_object('id', ids[cardinality(ids)]);
END $$;
CREATE FUNCTION recount_vouches(place jsonb, most int) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  found record;
BEGIN
  SELECT array_agg(contract) AS contracts, array_agg(number) AS numbers INTO found FROM (
    SELECT * FROM ((SELECT contract, number FROM vouches WHERE (contract, number) > (coalesce(place->>'contract', ''), coalesce((place->>'number')::int, -1))
        ORDER BY contract, number LIMIT most)
      UNION (SELECT contract, number FROM score_vouches
        WHERE (contract, number) > (coalesce(place->>'contract', ''), coalesce((place->>'number')::int, -1)) ORDER BY contract, number LIMIT most)) both_kinds
    ORDER BY contract, number LIMIT most) next;
  IF found.numbers IS NULL THEN
    RETURN '{}';
  END IF;
  PERFORM move_scored_vouches(found.contracts, found.numbers, 'recompute');
  UPDATE vouch_parts p SET counts_for = k.counts_for FROM (SELECT o.contract, o.number, o.day, s.user_id AS counts_for
      FROM unnest(found.contracts, found.numbers) n (contract, number) JOIN vouch_parts o ON o.contract = n.contract AND o.number = n.number
      LEFT JOIN score_vouches s ON s.contract = o.contract AND s.number = o.number AND s.active AND s.in_ether) k
    WHERE (p.contract, p.number, p.day) = (k.contract, k.number, k.day) AND p.counts_for IS DISTINCT FROM k.counts_for;
  RETURN jsonb_build_object('contract', found.contracts[cardinality(found.contracts)], 'number', found.numbers[cardinality(found.numbers)]);
END $$;
CREATE FUNCTION recount_votes(place jsonb, most int) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  since_kind CONSTANT text := coalesce(place->>'kind', '');
  since_target CONSTANT int := coalesce((place->>'target')::int, -1);
  since_voter CONSTANT int := coalesce((place->>'voter')::int, -1);
  found record;
BEGIN
  SELECT array_agg(kind) AS kinds, array_agg(target_id) AS targets, array_agg(voter) AS voters INTO found FROM (
    SELECT * FROM ((SELECT kind, target_id, voter FROM activity_votes WHERE (kind, target_id, voter) > (since_kind, since_target, since_voter)
        ORDER BY kind, target_id, voter LIMIT most)
      UNION (SELECT kind, target_id, voter FROM score_votes WHERE (kind, target_id, voter) > (since_kind, since_target, since_voter)
        ORDER BY kind, target_id, voter LIMIT most)) both_kinds
    ORDER BY kind, target_id, voter LIMIT most) next;
  IF found.voters IS NULL THEN
    RETURN '{}';
  END IF;
  PERFORM move_scored_votes(found.kinds, found.targets, found.voters, 'recompute');
  RETURN jsonb_build_object('kind', found.kinds[cardinality(found.kinds)], 'target', found.targets[cardinality(found.targets)],
    'voter', found.voters[cardinality(found.voters)]);
END $$;
-- The next piece of a recount, which begins with `{}`; its stage is `done` when nothing is left. Each piece leaves sums that are those of what is kept,
-- so facts may come in between. `sums` in what it returns is how many users had other sums so far, `marked` how many are marked.
CREATE FUNCTION recount_scores(place jsonb, most int) RETURNS jsonb LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off AS $$
DECLARE
  stages CONSTANT text[] := ARRAY['pairs', 'sums', 'reviews', 'vouches', 'votes', 'marks'];
  stage CONSTANT text := coalesce(place->>'stage', 'pairs');
  told jsonb := jsonb_build_object('sums', coalesce((place->>'sums')::bigint, 0), 'marked', coalesce((place->>'marked')::bigint, 0));
  at_key jsonb := '{}';
  users int[];
BEGIN
  IF stage IN ('pairs', 'sums', 'marks') THEN
    users := ARRAY(SELECT user_id FROM score_inputs WHERE user_id > coalesce((place->>'user')::int, 0) ORDER BY user_id LIMIT most);
    IF users <> '{}' THEN
      at_key := jsonb_build_object('user', users[cardinality(users)]);
    END IF;
  END IF;
  CASE stage
    WHEN 'pairs' THEN PERFORM recount_pairs(users);
    WHEN 'sums' THEN told := told || jsonb_build_object('sums', (told->>'sums')::bigint + recount_sums(users));
    WHEN 'reviews' THEN at_key := recount_reviews(place, most);
    WHEN 'vouches' THEN at_key := recount_vouches(place, most);
    WHEN 'votes' THEN at_key := recount_votes(place, most);
    ELSE
      PERFORM mark_scores(users, 'recompute');
      told := told || jsonb_build_object('marked', (told->>'marked')::bigint + cardinality(users));
  END CASE;
  IF jsonb_strip_nulls(at_key) <> '{}' THEN
    RETURN told || jsonb_build_object('stage', stage) || at_key;
  ELSIF stage = 'marks' THEN
    RETURN told || jsonb_build_object('stage', 'done');
  END IF;
  RETURN told || jsonb_build_object('stage', stages[array_position(stages, stage) + 1]);
END $$;

COMMENT ON TABLE epoch_stages IS 'what an epoch does, one after the other';
COMMENT ON TABLE score_latest IS 'when the score of each user changed last';
COMMENT ON TABLE score_thinning IS 'how far score_history has been thinned out';
