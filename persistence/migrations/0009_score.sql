-- The score: the parts of vouches, what each record counts for whom, the sums of each user, epochs and history.
--
-- A record counts by a rule that looks at it, at its subject and at its author's standing (the views counted_…). What it counts is
-- kept beside it (score_reviews, score_votes, score_vouches, vouch_parts.counts_for), and moves the sums in score_inputs by the
-- difference between what it counted before and what it counts now. So sums never depend on the order of events.

-- -- parts of vouches -----------------------------------------------------------------

-- What the balance of a vouch consists of: what was put in on a day and is still there.
CREATE TABLE vouch_parts (
  contract text NOT NULL,
  number int NOT NULL,
  day date NOT NULL CHECK (day >= '1970-01-01'),
  amount numeric(78, 0) NOT NULL CHECK (amount > 0 AND amount < 340282366920938463463374607431768211456), -- 2^128
  counts_for int REFERENCES users, -- whose score it counts for; null: nobody's
  PRIMARY KEY (contract, number, day),
  FOREIGN KEY (contract, number) REFERENCES vouches ON DELETE CASCADE
);
CREATE INDEX vouch_parts_user ON vouch_parts (counts_for, day) WHERE counts_for IS NOT NULL;
COMMENT ON TABLE vouch_parts IS 'what the balance of a vouch consists of, by the day on which it was put in';

-- -- tables ---------------------------------------------------------------------------
CREATE TABLE score_inputs (
  user_id int PRIMARY KEY REFERENCES users,
  starting int NOT NULL CHECK (starting BETWEEN 0 AND 2800), -- the score that the user came with
  negative bigint NOT NULL DEFAULT 0 CHECK (negative >= 0),
  negative_scores bigint NOT NULL DEFAULT 0 CHECK (negative_scores >= 0),
  neutral bigint NOT NULL DEFAULT 0 CHECK (neutral >= 0),
  neutral_scores bigint NOT NULL DEFAULT 0 CHECK (neutral_scores >= 0),
  positive bigint NOT NULL DEFAULT 0 CHECK (positive >= 0),
  positive_scores bigint NOT NULL DEFAULT 0 CHECK (positive_scores >= 0),
  young_wei numeric(78, 0) NOT NULL DEFAULT 0 CHECK (young_wei >= 0),
  young_days numeric(78, 0) NOT NULL DEFAULT 0 CHECK (young_days >= 0), -- sum of wei times day since 1970
  mature_wei numeric(78, 0) NOT NULL DEFAULT 0 CHECK (mature_wei >= 0),
  as_of date NOT NULL DEFAULT '1970-01-01', -- what was 180 days old then is mature
  vouchers bigint NOT NULL DEFAULT 0 CHECK (vouchers >= 0),
  mutual_vouchers bigint NOT NULL DEFAULT 0 CHECK (mutual_vouchers >= 0),
  votes_up bigint NOT NULL DEFAULT 0 CHECK (votes_up >= 0),
  votes_down bigint NOT NULL DEFAULT 0 CHECK (votes_down >= 0),
  unhealthy bigint NOT NULL DEFAULT 0 CHECK (unhealthy >= 0)
) WITH (fillfactor = 70);
COMMENT ON TABLE score_inputs IS 'derived by triggers: the sums that the score of a user is worked out from';
CREATE INDEX score_inputs_young ON score_inputs (user_id) WHERE young_wei > 0;

CREATE SEQUENCE score_marks;

CREATE TABLE score_dirty (
  user_id int PRIMARY KEY REFERENCES users,
  mark bigint NOT NULL DEFAULT nextval('score_marks'), -- of the newest fact
  since timestamptz NOT NULL DEFAULT clock_timestamp(), -- when the first came
  cause text NOT NULL, -- the newest
  others int NOT NULL DEFAULT 0 -- causes before it
);
CREATE INDEX score_dirty_mark ON score_dirty (mark);
CREATE INDEX score_dirty_since ON score_dirty (since);
COMMENT ON TABLE score_dirty IS 'users whose score is to be worked out anew';

CREATE TABLE score_epochs (
  day date PRIMARY KEY,
  through int NOT NULL DEFAULT 0, -- the last user that was visited
  begun_at timestamptz NOT NULL,
  finished_at timestamptz,
  step int NOT NULL DEFAULT 0, -- pieces that are done
  stage int NOT NULL DEFAULT 10,
  place jsonb NOT NULL DEFAULT '{}'
);
CREATE UNIQUE INDEX score_epochs_open ON score_epochs ((true)) WHERE finished_at IS NULL;
COMMENT ON TABLE score_epochs IS 'days at whose beginning scores became epoch scores';

CREATE TABLE epoch_scores (
  -- of whom there is no row: 1200
  user_id int PRIMARY KEY REFERENCES users,
  score int NOT NULL CHECK (score BETWEEN 0 AND 2800),
  day date NOT NULL,
  before int CHECK (before BETWEEN 0 AND 2800),
  reviews_through int, -- by id
  votes_through int, -- by number
  invited_through int, -- profiles that the author invited
  CONSTRAINT epoch_scores_half CHECK (num_nulls(before, reviews_through, votes_through, invited_through) IN (0, 4))
);
COMMENT ON TABLE epoch_scores IS 'scores as they were at the last epoch: what opinions weigh by';
CREATE UNIQUE INDEX epoch_scores_turning ON epoch_scores ((true)) WHERE before IS NOT NULL;

CREATE TABLE score_history (
  number bigint GENERATED ALWAYS AS IDENTITY,
  user_id int NOT NULL REFERENCES users,
  at timestamptz NOT NULL,
  day date NOT NULL, -- that it was worked out for
  score int NOT NULL CHECK (score BETWEEN 0 AND 2800),
  points int[] NOT NULL, -- by element
  cause text NOT NULL,
  PRIMARY KEY (user_id, number)
);
COMMENT ON TABLE score_history IS 'how scores became what they are';
CREATE INDEX score_history_by_day ON score_history (day, user_id, number);

CREATE TABLE score_reviews (
  review_id int PRIMARY KEY,
  user_id int NOT NULL REFERENCES users,
  author_user int,
  how smallint NOT NULL CHECK (how BETWEEN 0 AND 2),
  weight int NOT NULL CHECK (weight BETWEEN 0 AND 2800)
);
COMMENT ON TABLE score_reviews IS 'derived by triggers: what each review counts, for whom';
CREATE INDEX score_reviews_by_author ON score_reviews (author_user, review_id);
CREATE INDEX score_reviews_of ON score_reviews (user_id, how);
-- Followers are visited one after the other, in the order of their ids.
CREATE INDEX score_reviews_praise ON score_reviews (user_id, author_user) WHERE how = 2;

CREATE TABLE score_votes (
  kind text NOT NULL,
  target_id int NOT NULL,
  voter int NOT NULL,
  user_id int NOT NULL REFERENCES users,
  voter_user int NOT NULL,
  upvote boolean NOT NULL,
  weight int NOT NULL CHECK (weight BETWEEN 0 AND 7),
  PRIMARY KEY (kind, target_id, voter)
);
COMMENT ON TABLE score_votes IS 'derived by triggers: what each vote on a review or vouch counts, for whom';
CREATE INDEX score_votes_of ON score_votes (user_id);

CREATE TABLE score_vouches (
  contract text NOT NULL,
  number int NOT NULL,
  author_user int NOT NULL,
  user_id int NOT NULL REFERENCES users,
  active boolean NOT NULL,
  in_ether boolean NOT NULL,
  unhealthy boolean NOT NULL,
  PRIMARY KEY (contract, number)
);
COMMENT ON TABLE score_vouches IS 'derived by triggers: what each vouch counts, for whom';
CREATE INDEX score_vouches_of ON score_vouches (user_id);

CREATE TABLE score_pairs (
  -- who vouches for whom
  author_user int NOT NULL,
  user_id int NOT NULL REFERENCES users,
  vouches int NOT NULL CHECK (vouches > 0),
  PRIMARY KEY (author_user, user_id)
);
COMMENT ON TABLE score_pairs IS 'derived by triggers: who vouches for whom';
CREATE INDEX score_pairs_followers ON score_pairs (user_id, author_user);

-- The score with a million users: an epoch, the thinning of history and a recount go in pieces of bounded size.

-- -- an epoch -----------------------------------------------------------------------------

-- What an epoch does, one after the other. `piece` is a function (day date, most int) RETURNS boolean that does the next piece, looks
-- at no more than a small multiple of `most` rows, and returns whether nothing of its stage is left. Where it stands it keeps in
-- score_epochs.through and score_epochs.place, which are 0 and empty when a stage begins. Further stages are further rows.
CREATE TABLE epoch_stages (
  number int PRIMARY KEY,
  piece text NOT NULL UNIQUE
);
COMMENT ON TABLE epoch_stages IS 'what an epoch does, one after the other';

-- -- history ------------------------------------------------------------------------------

-- When the score of each user changed last.
CREATE TABLE score_latest (
  user_id int PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  at timestamptz NOT NULL
);
CREATE INDEX score_latest_at ON score_latest (at, user_id);
COMMENT ON TABLE score_latest IS 'when the score of each user changed last';

-- Of the rows of a day and user the last one stays. Rows are visited once, in the order of days; this is the last one visited.
CREATE TABLE score_thinning (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  day date NOT NULL,
  user_id int NOT NULL,
  number bigint NOT NULL
);
COMMENT ON TABLE score_thinning IS 'how far score_history has been thinned out';

-- What one change counts anew for the score has a bound: so many records of a kind in the change itself, the rest in pieces behind it.

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

-- -- what counts ------------------------------------------------------------------------

-- What the opinion of a profile weighs: the epoch score, or 0 without a live profile.
CREATE VIEW standings AS
  SELECT p.id AS profile_id, p.user_id, CASE WHEN p.archived OR p.orphaned THEN 0 ELSE coalesce(e.score, 1200) END AS standing,
    CASE WHEN p.archived OR p.orphaned THEN 0 ELSE e.before END AS before, e.reviews_through, e.votes_through
  FROM profiles p LEFT JOIN epoch_scores e ON e.user_id = p.user_id;

-- As people::vote_weight_of.
CREATE FUNCTION vote_weight(score int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN score < 1400 THEN 0 ELSE least((score - 1400) / 200 + 1, 7) END
$$;

-- A vote is looked up by its key, however many votes there are on a review: IS NOT TRUE is written so that
-- the planner leaves the index of those that are not archived alone, which begins with the review as well.
CREATE VIEW counted_reviews AS
  SELECT r.id AS review_id, s.user_id, a.user_id AS author_user,
    CASE WHEN r.score = 2 AND EXISTS (SELECT FROM activity_votes v WHERE v.kind = 'review' AND v.target_id = r.id
      AND v.voter = (SELECT p.id FROM profiles p WHERE p.user_id = s.user_id) AND v.archived IS NOT TRUE AND NOT v.upvote)
      THEN 1::smallint ELSE r.score END AS how,
    CASE WHEN r.id > a.reviews_through THEN a.before ELSE coalesce(a.standing, 0) END AS weight
  FROM reviews r JOIN subjects s ON s.key = r.subject_key AND s.generation = r.subject_generation
    LEFT JOIN standings a ON a.profile_id = r.author_profile
  WHERE NOT r.archived AND a.user_id IS DISTINCT FROM s.user_id;

CREATE VIEW counted_vouches AS
  SELECT v.contract, v.number, a.user_id AS author_user, s.user_id, NOT v.archived AS active, v.token = 'eth' AS in_ether, v.unhealthy
  FROM vouches v JOIN subjects s ON s.key = v.subject_key AND s.generation = v.subject_generation
    JOIN profiles a ON a.id = v.author_profile
  WHERE (NOT v.archived OR v.unhealthy) AND a.user_id <> s.user_id;

-- -- votes --------------------------------------------------------------------------------

-- IS NOT TRUE has what a vote is on looked up by its number: indexes of what is not archived begin with other columns.
CREATE VIEW counted_votes AS
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

-- -- moving sums --------------------------------------------------------------------------

-- What counts is looked at once, what is kept of a record is written in place, and of users whose score is worked out already nothing
-- but the mark is written. A function in SQL is planned at every call unless it is merged into the
-- statement around it, which one that is called immutable and is not cannot be; a function in PL/pgSQL keeps its plans.
CREATE FUNCTION mark_scores(users int[], the_cause text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO score_dirty AS d (user_id, cause)
    SELECT i.user_id, the_cause FROM score_inputs i WHERE i.user_id = ANY (users) ORDER BY i.user_id
    ON CONFLICT (user_id) DO UPDATE SET mark = excluded.mark, cause = excluded.cause,
      others = d.others + (d.cause <> excluded.cause)::int;
END $$;

-- From now on the scores of these users are worked out; what they show now is where they start.
CREATE FUNCTION open_scores(users int[], the_cause text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) FROM score_inputs i WHERE i.user_id = ANY (users)) < cardinality(users) THEN
    INSERT INTO score_inputs (user_id, starting) SELECT u.id, u.score FROM users u WHERE u.id = ANY (users) ORDER BY u.id
      ON CONFLICT (user_id) DO NOTHING;
  END IF;
  PERFORM mark_scores(users, the_cause);
END $$;

-- How history names a record: by its event where it is of a chain.
CREATE FUNCTION cause_of(the_source text, the_event bigint, what text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN the_source = 'chain' AND the_event IS NOT NULL THEN 'event ' || the_event ELSE the_source || ' ' || what END
$$;

CREATE FUNCTION move_scored_reviews(ids int[], the_cause text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM move_scored_reviews(ids, same_cause(the_cause, cardinality(ids)));
END $$;

CREATE FUNCTION move_scored_votes(kinds text[], targets int[], voters int[], the_cause text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM move_scored_votes(kinds, targets, voters, same_cause(the_cause, cardinality(targets)));
END $$;

-- A pair that begins or ends makes a voucher, and a mutual one of each where the other vouches, too.
CREATE FUNCTION move_pair(the_author int, the_user int, n int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  before int := coalesce((SELECT vouches FROM score_pairs WHERE author_user = the_author AND user_id = the_user), 0);
  turn int := (before + n > 0)::int - (before > 0)::int;
  mutual int := 0;
BEGIN
  IF before + n = 0 THEN
    DELETE FROM score_pairs WHERE author_user = the_author AND user_id = the_user;
  ELSE
    INSERT INTO score_pairs VALUES (the_author, the_user, before + n) ON CONFLICT (author_user, user_id) DO UPDATE SET vouches = excluded.vouches;
  END IF;
  IF turn = 0 THEN
    RETURN;
  END IF;
  IF EXISTS (SELECT FROM score_pairs WHERE author_user = the_user AND user_id = the_author) THEN
    mutual := turn;
    UPDATE score_inputs SET mutual_vouchers = mutual_vouchers + mutual WHERE user_id = the_author;
  END IF;
  UPDATE score_inputs SET vouchers = vouchers + turn, mutual_vouchers = mutual_vouchers + mutual WHERE user_id = the_user;
END $$;

CREATE FUNCTION move_scored_vouches(contracts text[], numbers int[], the_cause text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  gone score_vouches[];
  fresh score_vouches[];
  pair record;
BEGIN
  SELECT array_agg(ROW(d.*)::score_vouches) INTO gone FROM (
    SELECT s.* FROM unnest(contracts, numbers) k (contract, number) JOIN score_vouches s USING (contract, number)
    EXCEPT SELECT c.* FROM unnest(contracts, numbers) k (contract, number) JOIN counted_vouches c USING (contract, number)) d;
  SELECT array_agg(ROW(d.*)::score_vouches) INTO fresh FROM (
    SELECT c.* FROM unnest(contracts, numbers) k (contract, number) JOIN counted_vouches c USING (contract, number)
    EXCEPT SELECT s.* FROM unnest(contracts, numbers) k (contract, number) JOIN score_vouches s USING (contract, number)) d;
  IF gone IS NULL AND fresh IS NULL THEN
    RETURN;
  END IF;
  DELETE FROM score_vouches s USING unnest(gone) g WHERE s.contract = g.contract AND s.number = g.number;
  INSERT INTO score_vouches SELECT * FROM unnest(fresh);
  -- Also of the authors, who may have a mutual voucher more or less.
  PERFORM open_scores(ARRAY(SELECT user_id FROM unnest(gone) UNION SELECT user_id FROM unnest(fresh)
    UNION SELECT g.author_user FROM unnest(gone) g JOIN score_pairs p ON p.author_user = g.user_id AND p.user_id = g.author_user
    UNION SELECT f.author_user FROM unnest(fresh) f JOIN score_pairs p ON p.author_user = f.user_id AND p.user_id = f.author_user), the_cause);
  FOR pair IN SELECT author_user, user_id, sum(n)::int AS n FROM (
      SELECT 1 AS n, f.* FROM unnest(fresh) f WHERE active UNION ALL SELECT -1, g.* FROM unnest(gone) g WHERE active) m
      GROUP BY author_user, user_id HAVING sum(n) <> 0 ORDER BY 1, 2 LOOP
    PERFORM move_pair(pair.author_user, pair.user_id, pair.n);
  END LOOP;
  UPDATE score_inputs i SET unhealthy = i.unhealthy + d.n FROM (SELECT user_id, sum(n) AS n FROM (
      SELECT 1 AS n, f.* FROM unnest(fresh) f WHERE unhealthy UNION ALL SELECT -1, g.* FROM unnest(gone) g WHERE unhealthy) m
      GROUP BY user_id) d WHERE i.user_id = d.user_id;
  UPDATE vouch_parts p SET counts_for = k.counts_for FROM (SELECT k.contract, k.number, s.user_id AS counts_for
      FROM unnest(contracts, numbers) k (contract, number)
      LEFT JOIN score_vouches s ON s.contract = k.contract AND s.number = k.number AND s.active AND s.in_ether) k
    WHERE p.contract = k.contract AND p.number = k.number AND p.counts_for IS DISTINCT FROM k.counts_for;
END $$;

-- Sums of parts: what was 180 days old on the day of the sums is mature.
CREATE FUNCTION move_parts(fresh vouch_parts[], gone vouch_parts[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  users int[] := ARRAY(SELECT counts_for FROM unnest(fresh) WHERE counts_for IS NOT NULL
    UNION SELECT counts_for FROM unnest(gone) WHERE counts_for IS NOT NULL);
  epoch date := (SELECT max(day) FROM score_epochs);
BEGIN
  IF users = '{}' THEN
    RETURN;
  END IF;
  PERFORM open_scores(users, coalesce((SELECT cause_of(v.source, v.event_id, 'vouch ' || v.number)
    FROM (SELECT * FROM unnest(fresh) UNION ALL SELECT * FROM unnest(gone)) p
      JOIN vouches v ON v.contract = p.contract AND v.number = p.number LIMIT 1), 'chain vouch undone'));
  UPDATE score_inputs SET as_of = epoch WHERE user_id = ANY (users) AND young_wei = 0 AND as_of < epoch;
  UPDATE score_inputs i SET young_wei = i.young_wei + d.young, young_days = i.young_days + d.days, mature_wei = i.mature_wei + d.mature
  FROM (SELECT p.counts_for,
      coalesce(sum(n * amount) FILTER (WHERE o.as_of - p.day < 180), 0) AS young,
      coalesce(sum(n * amount * (p.day - date '1970-01-01')) FILTER (WHERE o.as_of - p.day < 180), 0) AS days,
      coalesce(sum(n * amount) FILTER (WHERE o.as_of - p.day >= 180), 0) AS mature
    FROM (SELECT 1 AS n, f.* FROM unnest(fresh) f UNION ALL SELECT -1, g.* FROM unnest(gone) g) p
      JOIN score_inputs o ON o.user_id = p.counts_for GROUP BY p.counts_for) d
  WHERE i.user_id = d.counts_for;
END $$;

-- All parts of a vouch, as days since 1970 and wei.
CREATE FUNCTION put_vouch_parts(the_contract text, the_number int, days int[], amounts numeric[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM vouch_parts WHERE contract = the_contract AND number = the_number AND day - date '1970-01-01' <> ALL (days);
  INSERT INTO vouch_parts AS p (contract, number, day, amount)
    SELECT the_contract, the_number, date '1970-01-01' + d, a FROM unnest(days, amounts) u (d, a)
    ON CONFLICT (contract, number, day) DO UPDATE SET amount = excluded.amount WHERE p.amount <> excluded.amount;
END $$;

-- -- triggers ---------------------------------------------------------------------------
CREATE FUNCTION count_part_for() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.counts_for := (SELECT user_id FROM score_vouches WHERE contract = NEW.contract AND number = NEW.number AND active AND in_ether);
  RETURN NEW;
END $$;
CREATE TRIGGER count_part_for BEFORE INSERT ON vouch_parts FOR EACH ROW EXECUTE FUNCTION count_part_for();

CREATE FUNCTION score_parts() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM move_parts((SELECT array_agg(ROW(f.*)::vouch_parts) FROM fresh f), '{}');
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM move_parts('{}', (SELECT array_agg(ROW(f.*)::vouch_parts) FROM fresh f));
  ELSE
    PERFORM move_parts((SELECT array_agg(ROW(f.*)::vouch_parts) FROM fresh f), (SELECT array_agg(ROW(g.*)::vouch_parts) FROM gone g));
  END IF;
  RETURN NULL;
END $$;

-- Records of one statement count in the order of their events.
CREATE FUNCTION score_reviews_of() RETURNS trigger LANGUAGE plpgsql
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

CREATE FUNCTION score_vouches_of() RETURNS trigger LANGUAGE plpgsql
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

-- What a review counts is looked at only when the vote on it is of whom it is about.
CREATE FUNCTION score_votes_of() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
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

CREATE FUNCTION score_names_of() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  PERFORM mark_scores(array_agg(DISTINCT user_id), CASE TG_TABLE_NAME WHEN 'addresses' THEN 'address' ELSE 'account' END) FROM fresh
    HAVING count(*) > 0;
  IF TG_OP = 'UPDATE' THEN -- whose it was
    PERFORM mark_scores(array_agg(DISTINCT user_id), CASE TG_TABLE_NAME WHEN 'addresses' THEN 'address' ELSE 'account' END) FROM gone
      HAVING count(*) > 0;
  END IF;
  RETURN NULL;
END $$;

-- A subject that moves takes along what it has received.
CREATE FUNCTION score_moved_subject() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  whose CONSTANT text := '0x' || encode(NEW.key, 'hex') || ' ' || NEW.generation;
  cause CONSTANT text := cause_of(NEW.source, NEW.event_id, 'move of subject 0x' || encode(NEW.key, 'hex'));
BEGIN
  PERFORM recount('reviews of', whose, cause);
  PERFORM recount('vouches of', whose || ' ' || contract, cause) FROM unnest(ARRAY['api', 'vouch', 'vouchV2']) contract;
  RETURN NULL;
END $$;
CREATE TRIGGER score_moved_subject AFTER UPDATE OF user_id ON subjects FOR EACH ROW WHEN (OLD.user_id <> NEW.user_id)
  EXECUTE FUNCTION score_moved_subject();

-- Whoever joins has a score that is worked out. (What came without a number or an event was there before, or is of the demo.)
CREATE FUNCTION score_new_profile() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  PERFORM open_scores(array_agg(user_id ORDER BY event_id, id), array_agg(cause_of(source, event_id, 'profile ' || id) ORDER BY event_id, id))
    FROM fresh WHERE seq IS NOT NULL OR source = 'chain' HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER score_new_profile AFTER INSERT ON profiles REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION score_new_profile();

-- -- who leaves something ----------------------------------------------------------------
CREATE FUNCTION score_changed_profile() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
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
CREATE TRIGGER score_changed_profile AFTER UPDATE OF archived, orphaned, invited_by ON profiles FOR EACH ROW
  WHEN ((OLD.archived, OLD.orphaned, OLD.invited_by) IS DISTINCT FROM (NEW.archived, NEW.orphaned, NEW.invited_by))
  EXECUTE FUNCTION score_changed_profile();

-- A score that a user came with weighs from the start.
CREATE FUNCTION note_given_scores() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO epoch_scores SELECT id, score, (SELECT max(day) FROM score_epochs) FROM fresh WHERE score <> 1200;
  RETURN NULL;
END $$;
CREATE TRIGGER note_given_scores AFTER INSERT ON users REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION note_given_scores();

-- Who turns out to be somebody else leaves the penalties to that person: of two of the same slash the larger one.
CREATE FUNCTION score_changed_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.merged_into IS NOT NULL AND EXISTS (SELECT FROM slash_penalties WHERE user_id = NEW.id) THEN
    INSERT INTO slash_penalties AS p SELECT slash_id, NEW.merged_into, reason, points FROM slash_penalties WHERE user_id = NEW.id
      ON CONFLICT (slash_id, user_id) DO UPDATE SET points = excluded.points, reason = excluded.reason WHERE p.points < excluded.points;
    DELETE FROM slash_penalties WHERE user_id = NEW.id;
    PERFORM open_scores(ARRAY[NEW.merged_into], 'merge of user ' || NEW.id);
  END IF;
  PERFORM mark_scores(ARRAY[NEW.id], 'user ' || NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER score_changed_user AFTER UPDATE OF human_verification, merged_into ON users FOR EACH ROW
  WHEN ((OLD.human_verification, OLD.merged_into) IS DISTINCT FROM (NEW.human_verification, NEW.merged_into))
  EXECUTE FUNCTION score_changed_user();

-- What a slash for points of score costs when it closes (score::penalties_of): the one who lost, and who stood by the slashed.
CREATE FUNCTION punish() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO slash_penalties SELECT NEW.id, d.* FROM penalties_of(NEW) d;
  PERFORM open_scores(ARRAY(SELECT user_id FROM slash_penalties WHERE slash_id = NEW.id), 'api slash ' || NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER punish AFTER UPDATE OF closed_at ON slashes FOR EACH ROW
  WHEN (OLD.closed_at IS NULL AND NEW.closed_at IS NOT NULL AND NEW.type = 'SCORE' AND NEW.source = 'api') EXECUTE FUNCTION punish();

CREATE FUNCTION begin_epoch(the_day date, the_time timestamptz) RETURNS void LANGUAGE sql AS $$
  INSERT INTO score_epochs (day, begun_at) SELECT the_day, the_time
    WHERE the_day > (SELECT max(day) FROM score_epochs) AND NOT EXISTS (SELECT FROM score_epochs WHERE finished_at IS NULL)
$$;

-- All that a score is worked out from: the sums, and what is looked up beside them.
CREATE VIEW full_score_inputs AS
  SELECT i.*, coalesce(u.human_verification = 'VERIFIED', false) AS human_verified,
    (SELECT min((coalesce(a.first_seen_at, a.added_at) AT TIME ZONE 'UTC')::date) FROM addresses a WHERE a.user_id = i.user_id) AS first_seen,
    (SELECT min(CASE WHEN a.account ~ '^[1-9][0-9]{0,18}$' THEN CASE WHEN a.account::numeric < 9223372036854775808
      THEN a.account::bigint END END) FROM attestations a
      WHERE a.user_id = i.user_id AND a.service = 'x.com' AND NOT a.archived) AS x_account,
    (SELECT coalesce(e.score, 1200) FROM profiles p JOIN profiles o ON o.id = p.invited_by LEFT JOIN epoch_scores e ON e.user_id = o.user_id
      WHERE p.user_id = i.user_id) AS inviter_score,
    ARRAY(SELECT slash_id FROM slash_penalties n WHERE n.user_id = i.user_id ORDER BY slash_id) AS slashes,
    ARRAY(SELECT array_position(ARRAY['subject', 'author', 'vouch', 'review'], reason) - 1 FROM slash_penalties n
      WHERE n.user_id = i.user_id ORDER BY slash_id) AS reasons,
    ARRAY(SELECT points FROM slash_penalties n WHERE n.user_id = i.user_id ORDER BY slash_id) AS penalties,
    (SELECT max(day) FROM vouch_parts v WHERE v.counts_for = i.user_id) AS newest_part
  FROM score_inputs i JOIN users u ON u.id = i.user_id;

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

-- Whom an author vouches for is noted in the piece in which the author's score becomes an epoch score.
CREATE FUNCTION standing_records(the_user int, levels boolean, most int) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT (SELECT count(*) FROM (SELECT FROM score_reviews WHERE author_user = the_user LIMIT most) r)
    + (SELECT count(*) FROM (SELECT FROM activity_votes
      WHERE levels AND voter = (SELECT id FROM profiles WHERE user_id = the_user) LIMIT most) v)
    + (SELECT count(*) FROM (SELECT FROM profiles WHERE invited_by = (SELECT id FROM profiles WHERE user_id = the_user) LIMIT most) i)
    + (SELECT count(*) FROM (SELECT FROM score_pairs WHERE author_user = the_user LIMIT most) p)
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

-- -- counting anew ------------------------------------------------------------------------

-- The next piece of a recount, which begins with `{}`; its stage is `done` when nothing is left. Each piece leaves sums that are those
-- of what is kept, so facts may come in between. `sums` in what it returns is how many users had other sums so far, `marked` how many
-- are marked. When sums are right, the influence of everybody is worked out anew as well.
CREATE FUNCTION recount_scores(place jsonb, most int) RETURNS jsonb LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off AS $$
DECLARE
  stages CONSTANT text[] := ARRAY['pairs', 'sums', 'reviews', 'vouches', 'votes', 'marks', 'noting', 'influence', 'percentiles'];
  stage CONSTANT text := coalesce(place->>'stage', 'pairs');
  told jsonb := jsonb_build_object('sums', coalesce((place->>'sums')::bigint, 0), 'marked', coalesce((place->>'marked')::bigint, 0));
  at_key jsonb := '{}';
  users int[];
BEGIN
  IF stage IN ('pairs', 'sums', 'marks') THEN
    users := ARRAY(SELECT user_id FROM score_inputs WHERE user_id > coalesce((place->>'user')::int, 0) ORDER BY user_id LIMIT most);
  ELSIF stage = 'noting' THEN
    users := ARRAY(SELECT id FROM users u WHERE u.id > coalesce((place->>'user')::int, 0) ORDER BY u.id LIMIT most);
  END IF;
  IF users <> '{}' THEN
    at_key := jsonb_build_object('user', users[cardinality(users)]);
  END IF;
  CASE stage
    WHEN 'pairs' THEN PERFORM recount_pairs(users);
    WHEN 'sums' THEN told := told || jsonb_build_object('sums', (told->>'sums')::bigint + recount_sums(users));
    WHEN 'reviews' THEN at_key := recount_reviews(place, most);
    WHEN 'vouches' THEN at_key := recount_vouches(place, most);
    WHEN 'votes' THEN at_key := recount_votes(place, most);
    WHEN 'marks' THEN
      PERFORM mark_scores(users, 'recompute');
      told := told || jsonb_build_object('marked', (told->>'marked')::bigint + cardinality(users));
    WHEN 'noting' THEN PERFORM mark_influences(users);
    ELSE
      at_key := CASE stage WHEN 'influence' THEN influence_piece(coalesce(place->'at', '{}'), most)
        ELSE percentile_piece(coalesce(place->'at', '{}'), most) END;
      IF at_key IS NOT NULL THEN
        RETURN told || jsonb_build_object('stage', stage, 'at', at_key);
      END IF;
      at_key := '{}';
  END CASE;
  IF jsonb_strip_nulls(at_key) <> '{}' THEN
    RETURN told || jsonb_build_object('stage', stage) || at_key;
  END IF;
  RETURN told || jsonb_build_object('stage', coalesce(stages[array_position(stages, stage) + 1], 'done'));
END $$;

-- A step of a chain brings thousands of records at once: what they move is worked out once for all of them.

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

DO $$
DECLARE
  part text;
  teller text;
BEGIN
  FOR part, teller IN VALUES ('reviews', 'score_reviews_of'), ('vouches', 'score_vouches_of'), ('activity_votes', 'score_votes_of'),
      ('vouch_parts', 'score_parts'), ('addresses', 'score_names_of'), ('attestations', 'score_names_of') LOOP
    EXECUTE format('CREATE TRIGGER %2$I_new AFTER INSERT ON %1$I REFERENCING NEW TABLE AS fresh '
                   'FOR EACH STATEMENT EXECUTE FUNCTION %2$I()', part, teller);
    EXECUTE format('CREATE TRIGGER %2$I_changed AFTER UPDATE ON %1$I REFERENCING OLD TABLE AS gone NEW TABLE AS fresh '
                   'FOR EACH STATEMENT EXECUTE FUNCTION %2$I()', part, teller);
    -- What is gone, as an undone block has records go, is looked at like what is there: it counts nothing any more.
    EXECUTE format('CREATE TRIGGER %2$I_gone AFTER DELETE ON %1$I REFERENCING OLD TABLE AS fresh '
                   'FOR EACH STATEMENT EXECUTE FUNCTION %2$I()', part, teller);
  END LOOP;
END $$;

INSERT INTO score_epochs (day, through, begun_at, finished_at) VALUES ((now() AT TIME ZONE 'UTC')::date, 0, now(), now());

INSERT INTO epoch_stages VALUES (10, 'epoch_scores_piece'), (20, 'epoch_ether_piece'), (30, 'epoch_addresses_piece'), (40, 'epoch_accounts_piece');

INSERT INTO score_thinning VALUES (true, '1970-01-01', 0, 0);
