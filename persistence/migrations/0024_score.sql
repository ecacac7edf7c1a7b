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

CREATE TABLE score_epochs (
  day date PRIMARY KEY,
  through int NOT NULL DEFAULT 0, -- the last user that was visited
  begun_at timestamptz NOT NULL,
  finished_at timestamptz
);
CREATE UNIQUE INDEX score_epochs_open ON score_epochs ((true)) WHERE finished_at IS NULL;
INSERT INTO score_epochs VALUES ((now() AT TIME ZONE 'UTC')::date, 0, now(), now());

CREATE TABLE epoch_scores ( -- of whom there is no row: 1200
  user_id int PRIMARY KEY REFERENCES users,
  score int NOT NULL CHECK (score BETWEEN 0 AND 2800),
  day date NOT NULL
);

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
CREATE INDEX score_history_at ON score_history (at);
CREATE INDEX score_history_day ON score_history (day, user_id);

CREATE TABLE score_reviews (
  review_id int PRIMARY KEY,
  user_id int NOT NULL REFERENCES users,
  author_user int,
  how smallint NOT NULL CHECK (how BETWEEN 0 AND 2),
  weight int NOT NULL CHECK (weight BETWEEN 0 AND 2800)
);
CREATE INDEX score_reviews_author ON score_reviews (author_user);
CREATE INDEX score_reviews_praise ON score_reviews (user_id) WHERE how = 2;

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
CREATE INDEX score_votes_voter ON score_votes (voter_user);

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
CREATE TABLE score_pairs ( -- who vouches for whom
  author_user int NOT NULL,
  user_id int NOT NULL REFERENCES users,
  vouches int NOT NULL CHECK (vouches > 0),
  PRIMARY KEY (author_user, user_id)
);
CREATE INDEX score_pairs_user ON score_pairs (user_id);

CREATE TABLE slash_penalties (
  slash_id int NOT NULL REFERENCES slashes,
  user_id int NOT NULL REFERENCES users,
  reason text NOT NULL CHECK (reason IN ('subject', 'author', 'vouch', 'review')),
  points int NOT NULL CHECK (points BETWEEN 0 AND 2800),
  PRIMARY KEY (slash_id, user_id)
);
CREATE INDEX slash_penalties_user ON slash_penalties (user_id, slash_id);

-- -- what counts ------------------------------------------------------------------------

-- What the opinion of a profile weighs: the epoch score, or 0 without a live profile.
CREATE VIEW standings AS
  SELECT p.id AS profile_id, p.user_id, CASE WHEN p.archived OR p.orphaned THEN 0 ELSE coalesce(e.score, 1200) END AS standing
  FROM profiles p LEFT JOIN epoch_scores e ON e.user_id = p.user_id;

-- As people::vote_weight_of.
CREATE FUNCTION vote_weight(score int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN score < 1400 THEN 0 ELSE least((score - 1400) / 200 + 1, 7) END
$$;

-- A positive review that its subject voted down says nothing (EIP-6).
CREATE VIEW counted_reviews AS
  SELECT r.id AS review_id, s.user_id, a.user_id AS author_user,
    CASE WHEN r.score = 2 AND EXISTS (SELECT FROM activity_votes v JOIN profiles p ON p.id = v.voter WHERE v.kind = 'review'
      AND v.target_id = r.id AND p.user_id = s.user_id AND NOT v.archived AND NOT v.upvote) THEN 1::smallint ELSE r.score END AS how,
    coalesce(a.standing, 0) AS weight
  FROM reviews r JOIN subjects s ON s.key = r.subject_key AND s.generation = r.subject_generation
    LEFT JOIN standings a ON a.profile_id = r.author_profile
  WHERE NOT r.archived AND a.user_id IS DISTINCT FROM s.user_id;

CREATE VIEW counted_vouches AS
  SELECT v.contract, v.number, a.user_id AS author_user, s.user_id, NOT v.archived AS active, v.token = 'eth' AS in_ether, v.unhealthy
  FROM vouches v JOIN subjects s ON s.key = v.subject_key AND s.generation = v.subject_generation
    JOIN profiles a ON a.id = v.author_profile
  WHERE (NOT v.archived OR v.unhealthy) AND a.user_id <> s.user_id;

CREATE VIEW counted_votes AS
  SELECT v.kind, v.target_id, v.voter, t.user_id, w.user_id AS voter_user, v.upvote, vote_weight(w.standing) AS weight
  FROM activity_votes v JOIN standings w ON w.profile_id = v.voter
    CROSS JOIN LATERAL (
      SELECT p.user_id FROM reviews r JOIN profiles p ON p.id = r.author_profile
        WHERE v.kind = 'review' AND r.id = v.target_id AND NOT r.archived
      UNION ALL SELECT p.user_id FROM vouches o JOIN profiles p ON p.id = o.author_profile
        WHERE v.kind = 'vouch' AND o.contract IN ('vouch', 'api') AND o.number = v.target_id AND NOT o.archived
      UNION ALL SELECT p.user_id FROM vouches o JOIN profiles p ON p.id = o.author_profile
        WHERE v.kind = 'vouchV2' AND o.contract = 'vouchV2' AND o.number = v.target_id AND NOT o.archived) t
  WHERE NOT v.archived AND t.user_id <> w.user_id;

-- -- moving sums ------------------------------------------------------------------------

-- Marks users whose score is worked out at all.
CREATE FUNCTION mark_scores(users int[], the_cause text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO score_dirty AS d (user_id, cause)
    SELECT i.user_id, the_cause FROM score_inputs i WHERE i.user_id = ANY (users) ORDER BY i.user_id
    ON CONFLICT (user_id) DO UPDATE SET mark = excluded.mark, cause = excluded.cause,
      others = d.others + (d.cause <> excluded.cause)::int
$$;
-- From now on the scores of these users are worked out; what they show now is where they start.
CREATE FUNCTION open_scores(users int[], the_cause text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO score_inputs (user_id, starting) SELECT u.id, u.score FROM users u WHERE u.id = ANY (users) ORDER BY u.id
    ON CONFLICT (user_id) DO NOTHING;
  PERFORM mark_scores(users, the_cause);
END $$;
-- How history names a record: by its event where it is of a chain.
CREATE FUNCTION cause_of(the_source text, the_event bigint, what text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN the_source = 'chain' AND the_event IS NOT NULL THEN 'event ' || the_event ELSE the_source || ' ' || what END
$$;

CREATE FUNCTION move_scored_reviews(ids int[], the_cause text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  gone score_reviews[];
  fresh score_reviews[];
BEGIN
  SELECT array_agg(ROW(d.*)::score_reviews) INTO gone FROM (SELECT * FROM score_reviews WHERE review_id = ANY (ids)
    EXCEPT SELECT * FROM counted_reviews WHERE review_id = ANY (ids)) d;
  SELECT array_agg(ROW(d.*)::score_reviews) INTO fresh FROM (SELECT * FROM counted_reviews WHERE review_id = ANY (ids)
    EXCEPT SELECT * FROM score_reviews WHERE review_id = ANY (ids)) d;
  IF gone IS NULL AND fresh IS NULL THEN
    RETURN;
  END IF;
  DELETE FROM score_reviews WHERE review_id IN (SELECT g.review_id FROM unnest(gone) g);
  INSERT INTO score_reviews SELECT * FROM unnest(fresh);
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

CREATE FUNCTION move_scored_votes(kinds text[], targets int[], voters int[], the_cause text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  gone score_votes[];
  fresh score_votes[];
BEGIN
  SELECT array_agg(ROW(d.*)::score_votes) INTO gone FROM (
    SELECT s.* FROM unnest(kinds, targets, voters) k (kind, target_id, voter) JOIN score_votes s USING (kind, target_id, voter)
    EXCEPT SELECT c.* FROM unnest(kinds, targets, voters) k (kind, target_id, voter) JOIN counted_votes c USING (kind, target_id, voter)) d;
  SELECT array_agg(ROW(d.*)::score_votes) INTO fresh FROM (
    SELECT c.* FROM unnest(kinds, targets, voters) k (kind, target_id, voter) JOIN counted_votes c USING (kind, target_id, voter)
    EXCEPT SELECT s.* FROM unnest(kinds, targets, voters) k (kind, target_id, voter) JOIN score_votes s USING (kind, target_id, voter)) d;
  IF gone IS NULL AND fresh IS NULL THEN
    RETURN;
  END IF;
  DELETE FROM score_votes s USING unnest(gone) g WHERE s.kind = g.kind AND s.target_id = g.target_id AND s.voter = g.voter;
  INSERT INTO score_votes SELECT * FROM unnest(fresh);
  PERFORM open_scores(ARRAY(SELECT user_id FROM unnest(gone) UNION SELECT user_id FROM unnest(fresh)), the_cause);
  UPDATE score_inputs i SET votes_up = i.votes_up + d.up, votes_down = i.votes_down + d.down
  FROM (SELECT user_id, coalesce(sum(n * weight) FILTER (WHERE upvote), 0) AS up, coalesce(sum(n * weight) FILTER (WHERE NOT upvote), 0) AS down
    FROM (SELECT 1 AS n, f.* FROM unnest(fresh) f UNION ALL SELECT -1, g.* FROM unnest(gone) g) m GROUP BY user_id) d
  WHERE i.user_id = d.user_id;
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
CREATE FUNCTION score_parts() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE FUNCTION score_reviews_of() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  each record;
  votes_too boolean := TG_OP = 'DELETE'; -- votes on what is archived count nothing
BEGIN
  FOR each IN SELECT id, archived, cause_of(source, event_id, 'review ' || id) AS cause FROM fresh LOOP
    PERFORM move_scored_reviews(ARRAY[each.id], each.cause);
    IF TG_OP = 'UPDATE' THEN
      votes_too := EXISTS (SELECT FROM gone g WHERE g.id = each.id AND g.archived <> each.archived);
    END IF;
    IF votes_too THEN
      PERFORM move_scored_votes(array_agg(kind), array_agg(target_id), array_agg(voter), each.cause) FROM activity_votes
        WHERE kind = 'review' AND target_id = each.id HAVING count(*) > 0;
    END IF;
  END LOOP;
  RETURN NULL;
END $$;
CREATE FUNCTION score_vouches_of() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  each record;
  votes_too boolean := TG_OP = 'DELETE';
BEGIN
  FOR each IN SELECT contract, number, archived, cause_of(source, event_id, 'vouch ' || number) AS cause FROM fresh LOOP
    PERFORM move_scored_vouches(ARRAY[each.contract], ARRAY[each.number], each.cause);
    IF TG_OP = 'UPDATE' THEN
      votes_too := EXISTS (SELECT FROM gone g WHERE g.contract = each.contract AND g.number = each.number AND g.archived <> each.archived);
    END IF;
    IF votes_too THEN
      PERFORM move_scored_votes(array_agg(kind), array_agg(target_id), array_agg(voter), each.cause) FROM activity_votes
        WHERE kind = CASE each.contract WHEN 'vouchV2' THEN 'vouchV2' ELSE 'vouch' END AND target_id = each.number HAVING count(*) > 0;
    END IF;
  END LOOP;
  RETURN NULL;
END $$;
CREATE FUNCTION score_votes_of() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  each record;
BEGIN
  FOR each IN SELECT kind, target_id, voter, cause_of(source, event_id, 'vote on ' || kind || ' ' || target_id) AS cause FROM fresh
      WHERE kind IN ('review', 'vouch', 'vouchV2') LOOP
    PERFORM move_scored_votes(ARRAY[each.kind], ARRAY[each.target_id], ARRAY[each.voter], each.cause);
    IF each.kind = 'review' THEN -- the subject's own vote says what the review counts
      PERFORM move_scored_reviews(ARRAY[each.target_id], each.cause);
    END IF;
  END LOOP;
  RETURN NULL;
END $$;
CREATE FUNCTION score_names_of() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM mark_scores(array_agg(DISTINCT user_id), CASE TG_TABLE_NAME WHEN 'addresses' THEN 'address' ELSE 'account' END) FROM fresh
    HAVING count(*) > 0;
  IF TG_OP = 'UPDATE' THEN -- whose it was
    PERFORM mark_scores(array_agg(DISTINCT user_id), CASE TG_TABLE_NAME WHEN 'addresses' THEN 'address' ELSE 'account' END) FROM gone
      HAVING count(*) > 0;
  END IF;
  RETURN NULL;
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

-- A subject that moves takes along what it has received.
CREATE FUNCTION score_moved_subject() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  cause text := cause_of(NEW.source, NEW.event_id, 'move of subject 0x' || encode(NEW.key, 'hex'));
BEGIN
  PERFORM move_scored_reviews(ARRAY(SELECT id FROM reviews WHERE subject_key = NEW.key AND subject_generation = NEW.generation), cause);
  PERFORM move_scored_vouches(array_agg(contract), array_agg(number), cause) FROM vouches
    WHERE subject_key = NEW.key AND subject_generation = NEW.generation HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER score_moved_subject AFTER UPDATE OF user_id ON subjects FOR EACH ROW WHEN (OLD.user_id <> NEW.user_id)
  EXECUTE FUNCTION score_moved_subject();

-- Whoever joins has a score that is worked out. (What came without a number or an event was there before, or is of the demo.)
CREATE FUNCTION score_new_profile() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM open_scores(ARRAY[NEW.user_id], cause_of(NEW.source, NEW.event_id, 'profile ' || NEW.id));
  RETURN NULL;
END $$;
CREATE TRIGGER score_new_profile AFTER INSERT ON profiles FOR EACH ROW WHEN (NEW.seq IS NOT NULL OR NEW.source = 'chain')
  EXECUTE FUNCTION score_new_profile();
CREATE FUNCTION score_changed_profile() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  cause text := cause_of(NEW.source, NEW.event_id, 'profile ' || NEW.id);
BEGIN
  PERFORM move_scored_reviews(ARRAY(SELECT id FROM reviews WHERE author_profile = NEW.id), cause);
  PERFORM move_scored_votes(array_agg(kind), array_agg(target_id), array_agg(voter), cause) FROM activity_votes
    WHERE voter = NEW.id HAVING count(*) > 0;
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
DECLARE
  subject int := coalesce((SELECT coalesce(merged_into, id) FROM users WHERE id = NEW.subject_user_id),
    (SELECT user_id FROM addresses WHERE address = NEW.subject_address),
    (SELECT user_id FROM attestations WHERE service = NEW.subject_service AND account = NEW.subject_account AND NOT archived LIMIT 1));
  author int := (SELECT user_id FROM profiles WHERE id = NEW.author_id);
BEGIN
  IF NEW.outcome = 'DEFENDED' THEN
    INSERT INTO slash_penalties VALUES (NEW.id, author, 'author', least(NEW.amount, 2800));
  ELSIF NEW.outcome = 'SLASHED' AND subject IS NOT NULL THEN
    INSERT INTO slash_penalties
      SELECT NEW.id, subject, 'subject', least(NEW.amount, 2800)
      UNION ALL SELECT NEW.id, author_user, 'vouch', least(NEW.amount * 20 / 100, 2800) FROM score_pairs WHERE user_id = subject
      UNION ALL SELECT DISTINCT NEW.id, r.author_user, 'review', least(NEW.amount * 10 / 100, 2800) FROM score_reviews r
        WHERE r.user_id = subject AND r.how = 2 AND r.author_user IS NOT NULL
          AND NOT EXISTS (SELECT FROM score_pairs p WHERE p.author_user = r.author_user AND p.user_id = subject);
  END IF;
  PERFORM open_scores(ARRAY(SELECT user_id FROM slash_penalties WHERE slash_id = NEW.id), 'api slash ' || NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER punish AFTER UPDATE OF closed_at ON slashes FOR EACH ROW
  WHEN (OLD.closed_at IS NULL AND NEW.closed_at IS NOT NULL AND NEW.type = 'SCORE') EXECUTE FUNCTION punish();

-- -- scores and epochs ------------------------------------------------------------------

CREATE FUNCTION set_score(the_user int, the_score int, the_points int[], the_day date, the_cause text, the_time timestamptz, the_mark bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users SET score = the_score WHERE id = the_user AND score <> the_score;
  INSERT INTO score_history (user_id, at, day, score, points, cause) SELECT the_user, the_time, the_day, the_score, the_points, the_cause
    WHERE NOT EXISTS (SELECT FROM (SELECT score, points FROM score_history WHERE user_id = the_user ORDER BY number DESC LIMIT 1) last
                      WHERE last.score = the_score AND last.points = the_points);
  DELETE FROM score_dirty WHERE user_id = the_user AND mark <= the_mark;
END $$;

CREATE FUNCTION begin_epoch(the_day date, the_time timestamptz) RETURNS void LANGUAGE sql AS $$
  INSERT INTO score_epochs (day, begun_at) SELECT the_day, the_time
    WHERE the_day > (SELECT max(day) FROM score_epochs) AND NOT EXISTS (SELECT FROM score_epochs WHERE finished_at IS NULL)
$$;

-- Elements go by the ages of addresses and accounts: marks those who come to another age in days after `before`.
CREATE FUNCTION mark_aged(before date, the_day date) RETURNS void LANGUAGE sql AS $$
  SELECT mark_scores(array_agg(DISTINCT user_id), 'epoch ' || the_day) FROM (
    SELECT user_id, (coalesce(first_seen_at, added_at) AT TIME ZONE 'UTC')::date AS born FROM addresses
    UNION ALL SELECT user_id, (to_timestamp((floor(account::numeric / 4194304)::bigint + 1288834974657) / 1000) AT TIME ZONE 'UTC')::date
      FROM (SELECT user_id, CASE WHEN account ~ '^[1-9][0-9]{12,18}$' THEN account END AS account FROM attestations
            WHERE service = 'x.com' AND NOT archived) x WHERE account IS NOT NULL) each
  WHERE EXISTS (SELECT FROM unnest(ARRAY[90, 365, 730, 1461]) age WHERE born + age > before AND born + age <= the_day) HAVING count(*) > 0
$$;

-- The next users whose score is another than their epoch score, or who hold young ether; without any, the epoch ends.
CREATE FUNCTION turn_epoch_page(the_day date, after_user int, most int, the_time timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  cause CONSTANT text := 'epoch ' || the_day;
  before CONSTANT date := (SELECT max(day) FROM score_epochs WHERE day < the_day);
  users int[];
  rescored int[];
BEGIN
  IF NOT EXISTS (SELECT FROM score_epochs WHERE day = the_day AND finished_at IS NULL AND through = after_user) THEN
    RETURN; -- somebody has turned it
  END IF;
  users := ARRAY(SELECT u.id FROM users u LEFT JOIN epoch_scores e ON e.user_id = u.id LEFT JOIN score_inputs i ON i.user_id = u.id
    WHERE u.id > after_user AND (u.score <> coalesce(e.score, 1200) OR (i.young_wei > 0 AND i.as_of < the_day)) ORDER BY u.id LIMIT most);
  IF users = '{}' THEN
    PERFORM mark_aged(before, the_day);
    -- Of days more than 30 days ago the last row of each stays.
    DELETE FROM score_history h WHERE h.day >= before - 31 AND h.day < the_day - 30
      AND EXISTS (SELECT FROM score_history o WHERE o.user_id = h.user_id AND o.day = h.day AND o.number > h.number);
    UPDATE score_epochs SET finished_at = the_time WHERE day = the_day;
    RETURN;
  END IF;
  WITH changed AS (INSERT INTO epoch_scores AS e SELECT u.id, u.score, the_day FROM users u LEFT JOIN epoch_scores o ON o.user_id = u.id
      WHERE u.id = ANY (users) AND u.score <> coalesce(o.score, 1200)
      ON CONFLICT (user_id) DO UPDATE SET score = excluded.score, day = excluded.day RETURNING e.user_id)
    SELECT coalesce(array_agg(user_id), '{}') INTO rescored FROM changed;
  PERFORM move_scored_reviews(ARRAY(SELECT review_id FROM score_reviews WHERE author_user = ANY (rescored)), cause);
  PERFORM move_scored_votes(array_agg(kind), array_agg(target_id), array_agg(voter), cause) FROM score_votes
    WHERE voter_user = ANY (rescored) HAVING count(*) > 0;
  PERFORM mark_scores(ARRAY(SELECT p.user_id FROM profiles i JOIN profiles p ON p.invited_by = i.id WHERE i.user_id = ANY (rescored)), cause);
  -- Only those with young ether: sums without it are right on any day.
  UPDATE score_inputs i SET young_wei = i.young_wei - m.wei, young_days = i.young_days - m.days, mature_wei = i.mature_wei + m.wei, as_of = the_day
  FROM (SELECT o.user_id, coalesce(sum(p.amount), 0) AS wei, coalesce(sum(p.amount * (p.day - date '1970-01-01')), 0) AS days
    FROM score_inputs o LEFT JOIN vouch_parts p ON p.counts_for = o.user_id AND o.as_of - p.day < 180 AND the_day - p.day >= 180
    WHERE o.user_id = ANY (users) AND o.young_wei > 0 AND o.as_of < the_day GROUP BY o.user_id) m WHERE i.user_id = m.user_id;
  PERFORM mark_scores(ARRAY(SELECT user_id FROM score_inputs WHERE user_id = ANY (users) AND as_of = the_day), cause);
  UPDATE score_epochs SET through = users[cardinality(users)] WHERE day = the_day;
END $$;

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

-- Works every sum out from what is kept as counted, then brings that to what the records say. Returns how many users had sums that
-- did not follow from what was counted.
CREATE FUNCTION recount_scores() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  differ bigint;
BEGIN
  DELETE FROM score_pairs;
  INSERT INTO score_pairs SELECT author_user, user_id, count(*) FROM score_vouches WHERE active GROUP BY author_user, user_id;
  WITH right_ones AS (
    SELECT i.user_id, coalesce(r.negative, 0) AS negative, coalesce(r.negative_scores, 0) AS negative_scores, coalesce(r.neutral, 0) AS neutral,
      coalesce(r.neutral_scores, 0) AS neutral_scores, coalesce(r.positive, 0) AS positive, coalesce(r.positive_scores, 0) AS positive_scores,
      coalesce(p.young, 0) AS young_wei, coalesce(p.days, 0) AS young_days, coalesce(p.mature, 0) AS mature_wei,
      (SELECT count(*) FROM score_pairs a WHERE a.user_id = i.user_id) AS vouchers,
      (SELECT count(*) FROM score_pairs a JOIN score_pairs b ON b.author_user = a.user_id AND b.user_id = a.author_user
        WHERE a.user_id = i.user_id) AS mutual_vouchers,
      coalesce(v.up, 0) AS votes_up, coalesce(v.down, 0) AS votes_down,
      (SELECT count(*) FROM score_vouches a WHERE a.user_id = i.user_id AND a.unhealthy) AS unhealthy
    FROM score_inputs i
      LEFT JOIN (SELECT user_id, count(*) FILTER (WHERE how = 0) AS negative, sum(weight) FILTER (WHERE how = 0) AS negative_scores,
          count(*) FILTER (WHERE how = 1) AS neutral, sum(weight) FILTER (WHERE how = 1) AS neutral_scores,
          count(*) FILTER (WHERE how = 2) AS positive, sum(weight) FILTER (WHERE how = 2) AS positive_scores
        FROM score_reviews GROUP BY user_id) r USING (user_id)
      LEFT JOIN (SELECT o.user_id, sum(amount) FILTER (WHERE o.as_of - day < 180) AS young,
          sum(amount * (day - date '1970-01-01')) FILTER (WHERE o.as_of - day < 180) AS days, sum(amount) FILTER (WHERE o.as_of - day >= 180) AS mature
        FROM vouch_parts JOIN score_inputs o ON o.user_id = counts_for GROUP BY o.user_id) p USING (user_id)
      LEFT JOIN (SELECT user_id, sum(weight) FILTER (WHERE upvote) AS up, sum(weight) FILTER (WHERE NOT upvote) AS down
        FROM score_votes GROUP BY user_id) v USING (user_id)),
  corrected AS (
    UPDATE score_inputs i SET negative = o.negative, negative_scores = o.negative_scores, neutral = o.neutral, neutral_scores = o.neutral_scores,
      positive = o.positive, positive_scores = o.positive_scores, young_wei = o.young_wei, young_days = o.young_days, mature_wei = o.mature_wei,
      vouchers = o.vouchers, mutual_vouchers = o.mutual_vouchers, votes_up = o.votes_up, votes_down = o.votes_down, unhealthy = o.unhealthy
    FROM right_ones o WHERE o.user_id = i.user_id
      AND (i.negative, i.negative_scores, i.neutral, i.neutral_scores, i.positive, i.positive_scores, i.young_wei, i.young_days, i.mature_wei,
           i.vouchers, i.mutual_vouchers, i.votes_up, i.votes_down, i.unhealthy)
       <> (o.negative, o.negative_scores, o.neutral, o.neutral_scores, o.positive, o.positive_scores, o.young_wei, o.young_days, o.mature_wei,
           o.vouchers, o.mutual_vouchers, o.votes_up, o.votes_down, o.unhealthy) RETURNING i.user_id)
    SELECT count(*) INTO differ FROM corrected;
  PERFORM move_scored_reviews(ARRAY(SELECT id FROM reviews UNION SELECT review_id FROM score_reviews), 'recompute');
  PERFORM move_scored_vouches(array_agg(contract), array_agg(number), 'recompute') FROM (SELECT contract, number FROM vouches
    UNION SELECT contract, number FROM score_vouches) each HAVING count(*) > 0;
  PERFORM move_scored_votes(array_agg(kind), array_agg(target_id), array_agg(voter), 'recompute') FROM (SELECT kind, target_id, voter
    FROM activity_votes UNION SELECT kind, target_id, voter FROM score_votes) each HAVING count(*) > 0;
  UPDATE vouch_parts p SET counts_for = k.counts_for FROM (SELECT o.contract, o.number, o.day, s.user_id AS counts_for FROM vouch_parts o
      LEFT JOIN score_vouches s ON s.contract = o.contract AND s.number = o.number AND s.active AND s.in_ether) k
    WHERE (p.contract, p.number, p.day) = (k.contract, k.number, k.day) AND p.counts_for IS DISTINCT FROM k.counts_for;
  RETURN differ;
END $$;

-- -- what is there already --------------------------------------------------------------

INSERT INTO epoch_scores SELECT id, score, (SELECT max(day) FROM score_epochs) FROM users WHERE score <> 1200;
ALTER TABLE vouches DROP CONSTRAINT vouches_ended;
ALTER TABLE vouches DROP COLUMN wei_days0;
ALTER TABLE vouches ADD CONSTRAINT vouches_ended CHECK (archived = (unvouched_at IS NOT NULL) AND (NOT archived OR balance = 0)
  AND unhealthy = (unhealthy_at IS NOT NULL));
SELECT open_scores(ARRAY(SELECT user_id FROM profiles WHERE seq IS NOT NULL), 'recompute');
SELECT move_scored_reviews(ARRAY(SELECT id FROM reviews), 'recompute');
SELECT move_scored_vouches(array_agg(contract), array_agg(number), 'recompute') FROM vouches HAVING count(*) > 0;
INSERT INTO vouch_parts (contract, number, day, amount)
  SELECT contract, number, greatest((vouched_at AT TIME ZONE 'UTC')::date, date '1970-01-01'), balance FROM vouches WHERE balance > 0;
SELECT move_scored_votes(array_agg(kind), array_agg(target_id), array_agg(voter), 'recompute') FROM activity_votes HAVING count(*) > 0;

COMMENT ON TABLE vouch_parts IS 'what the balance of a vouch consists of, by the day on which it was put in';
COMMENT ON TABLE score_inputs IS 'derived by triggers: the sums that the score of a user is worked out from';
COMMENT ON TABLE score_dirty IS 'users whose score is to be worked out anew';
COMMENT ON TABLE score_epochs IS 'days at whose beginning scores became epoch scores';
COMMENT ON TABLE epoch_scores IS 'scores as they were at the last epoch: what opinions weigh by';
COMMENT ON TABLE score_history IS 'how scores became what they are';
COMMENT ON TABLE score_reviews IS 'derived by triggers: what each review counts, for whom';
COMMENT ON TABLE score_votes IS 'derived by triggers: what each vote on a review or vouch counts, for whom';
COMMENT ON TABLE score_vouches IS 'derived by triggers: what each vouch counts, for whom';
COMMENT ON TABLE score_pairs IS 'derived by triggers: who vouches for whom';
COMMENT ON TABLE slash_penalties IS 'points that closed slashes cost, by user';
