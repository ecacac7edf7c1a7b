-- Slashes, of the API and of a chain, the votes on them, and what they come to, in the transaction that opens or closes them.
-- A slash closes once (check_closing), so each of this happens once, whoever closes it.

-- Slashes and the votes on them. A slash is opened, takes votes and is closed, once; what it
-- came to follows from its votes, whoever closes it.
CREATE TABLE slashes (
  id int PRIMARY KEY, -- gapless, in the order in which they were opened
  author_id int NOT NULL REFERENCES profiles,
  -- A wallet or an account elsewhere; and who that was at the time, if anybody was known.
  subject_address bytea CHECK (octet_length(subject_address) = 20),
  subject_service text CHECK (subject_service IN ('discord', 'farcaster', 'github', 'telegram', 'x.com')),
  subject_account text CHECK (subject_account <> ''),
  subject_user_id int REFERENCES users,
  subject_profile_id int,
  type text NOT NULL,
  amount int NOT NULL,
  duration_s int NOT NULL,
  comment text NOT NULL,
  metadata text NOT NULL,
  -- Whole seconds, so that the end is exactly this and the duration.
  created_at timestamptz(0) NOT NULL,
  seq bigint UNIQUE CHECK (seq > 0),
  closed_at timestamptz(0),
  cancelled_at timestamptz(0),
  outcome text,
  slash_weight bigint CHECK (slash_weight >= 0),
  defend_weight bigint CHECK (defend_weight >= 0),
  closed_seq bigint UNIQUE CHECK (closed_seq > seq),
  source text NOT NULL DEFAULT 'api' CHECK (source IN ('chain', 'api')),
  event_id bigint,
  block bigint,
  subject_hash bytea CHECK (octet_length(subject_hash) = 32), -- of an account; `subjects` knows which, once somebody has attested it
  ends_at timestamptz(0),
  ended_by text CHECK (ended_by IN ('time', 'cancelled', 'resolved')),
  resolution text CHECK (resolution IN ('CANCELLED', 'SLASHED', 'DEFENDED', 'INCONCLUSIVE')), -- that the contract told
  resolution_bps numeric(78, 0) NOT NULL DEFAULT 0 CHECK (resolution_bps >= 0),
  executed boolean NOT NULL DEFAULT false,
  penalties jsonb, -- [user, reason, points] of each whom it costs score: so a block that is taken back brings back what was
  since_block bigint,
  FOREIGN KEY (subject_profile_id, subject_user_id) REFERENCES profiles (id, user_id),
  CHECK (subject_profile_id IS NULL OR subject_user_id IS NOT NULL),
  CONSTRAINT slashes_type_check CHECK (type IN ('SCORE', 'FINANCIAL', 'XP')),
  CONSTRAINT slashes_id_check CHECK (id > 0 OR (source = 'chain' AND id = 0)),
  CONSTRAINT slashes_not_oneself CHECK (source = 'chain' OR subject_profile_id <> author_id),
  CONSTRAINT slashes_amount_check
    CHECK (CASE source WHEN 'chain' THEN amount >= 0 ELSE amount BETWEEN 1 AND CASE type WHEN 'XP' THEN 1000000 ELSE 1000 END END),
  CONSTRAINT slashes_duration_s_check CHECK (CASE source WHEN 'chain' THEN duration_s >= 0 ELSE duration_s BETWEEN 1 AND 604800 END),
  CONSTRAINT slashes_comment_check CHECK (source = 'chain' OR char_length(comment) BETWEEN 1 AND 2000),
  CONSTRAINT slashes_metadata_check CHECK (source = 'chain' OR char_length(metadata) <= 5000),
  CONSTRAINT slashes_one_subject CHECK (num_nonnulls(subject_address, subject_account, subject_hash) = 1
    AND (subject_account IS NULL) = (subject_service IS NULL)),
  CONSTRAINT slashes_xp_subject CHECK (source = 'chain' OR type <> 'XP' OR subject_profile_id IS NOT NULL),
  CONSTRAINT slashes_closed_whole CHECK ((cancelled_at IS NULL OR closed_at IS NOT NULL) AND CASE source
    WHEN 'api' THEN num_nonnulls(closed_at, outcome, slash_weight, defend_weight, closed_seq) IN (0, 5)
    ELSE num_nonnulls(closed_at, outcome, slash_weight, defend_weight, ended_by) IN (0, 5) END),
  CONSTRAINT slashes_closed_in_time
    CHECK (source = 'chain' OR closed_at = coalesce(cancelled_at, created_at + duration_s * interval '1 second')),
  CONSTRAINT slashes_cancelled_in_time CHECK (source = 'chain'
    OR (cancelled_at >= created_at AND cancelled_at < created_at + duration_s * interval '1 second')),
  CONSTRAINT slashes_outcome CHECK (outcome = CASE WHEN ended_by = 'resolved' THEN resolution WHEN cancelled_at IS NOT NULL THEN 'CANCELLED'
    WHEN slash_weight * 100 > (slash_weight + defend_weight) * 60 THEN 'SLASHED'
    WHEN slash_weight * 100 < (slash_weight + defend_weight) * 40 THEN 'DEFENDED' ELSE 'INCONCLUSIVE' END),
  CONSTRAINT slashes_of_api CHECK (source = 'chain'
    OR (num_nulls(event_id, block, subject_hash, ends_at, ended_by, resolution, penalties) = 7 AND seq IS NOT NULL AND NOT executed)),
  CONSTRAINT slashes_of_chain CHECK (source = 'api' OR (num_nonnulls(seq, closed_seq) = 0 AND num_nonnulls(event_id, block, ends_at) = 3))
);
-- The list, latest first: all, by state, by author, by subject.
CREATE INDEX slashes_created ON slashes (created_at DESC, id DESC);
CREATE INDEX slashes_created_open ON slashes (created_at DESC, id DESC) WHERE closed_at IS NULL;
CREATE INDEX slashes_created_closed ON slashes (created_at DESC, id DESC) WHERE closed_at IS NOT NULL;
CREATE INDEX slashes_author ON slashes (author_id, created_at DESC, id DESC);
CREATE INDEX slashes_address ON slashes (subject_address) WHERE subject_address IS NOT NULL;
CREATE INDEX slashes_account ON slashes (subject_service, subject_account) WHERE subject_account IS NOT NULL;
CREATE INDEX slashes_user ON slashes (subject_user_id) WHERE subject_user_id IS NOT NULL;
CREATE INDEX slashes_slashed ON slashes (closed_at) WHERE outcome = 'SLASHED';
COMMENT ON TABLE slashes IS 'slashes: opened, then closed; the outcome follows from the votes, unless a contract told it';
CREATE INDEX slashes_open_xp ON slashes (id) WHERE type = 'XP' AND closed_at IS NULL;
CREATE UNIQUE INDEX slashes_open_author ON slashes (author_id) WHERE closed_at IS NULL AND source = 'api';
CREATE UNIQUE INDEX slashes_open_address ON slashes (subject_address) WHERE closed_at IS NULL AND source = 'api';
CREATE UNIQUE INDEX slashes_open_account ON slashes (subject_service, subject_account) WHERE closed_at IS NULL AND source = 'api';
CREATE UNIQUE INDEX slashes_open_user ON slashes (subject_user_id) WHERE closed_at IS NULL AND source = 'api';
CREATE INDEX slashes_hash ON slashes (subject_hash) WHERE subject_hash IS NOT NULL;
CREATE INDEX slashes_api ON slashes (id) WHERE source = 'api';
CREATE INDEX slashes_due ON slashes (ends_at) WHERE closed_at IS NULL AND source = 'chain';

-- Appended and never changed; the last one of a voter counts.
CREATE TABLE slash_votes (
  seq bigint NOT NULL UNIQUE CHECK (seq > 0),
  cast_at timestamptz NOT NULL,
  slash_id int NOT NULL REFERENCES slashes,
  number int NOT NULL CHECK (number > 0), -- the slash's own gapless count
  voter_id int NOT NULL REFERENCES profiles,
  weight int NOT NULL CHECK (weight BETWEEN 0 AND 7), -- by the voter's score at that moment
  for_slash boolean NOT NULL,
  PRIMARY KEY (slash_id, number)
);
COMMENT ON TABLE slash_votes IS 'append-only votes on slashes; the last one of a voter counts (slash_ballots)';

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
COMMENT ON TABLE slash_ballots IS 'derived by trigger: the vote of each profile that counts (of a slash of a chain from activity_votes)';

CREATE TABLE slash_tallies (
  slash_id int PRIMARY KEY,
  votes int NOT NULL CHECK (votes >= 0), -- number of the last one
  for_it bigint NOT NULL CHECK (for_it >= 0),
  against_it bigint NOT NULL CHECK (against_it >= 0)
) WITH (fillfactor = 50); -- rewritten all the time, in place where there is room
COMMENT ON TABLE slash_tallies IS 'derived by trigger: how many votes were stored on a slash, and what those that count weigh';

CREATE TABLE slash_penalties (
  slash_id int NOT NULL REFERENCES slashes,
  user_id int NOT NULL REFERENCES users,
  reason text NOT NULL CHECK (reason IN ('subject', 'author', 'vouch', 'review')),
  points int NOT NULL CHECK (points BETWEEN 0 AND 2800),
  PRIMARY KEY (slash_id, user_id)
);
CREATE INDEX slash_penalties_user ON slash_penalties (user_id, slash_id);
COMMENT ON TABLE slash_penalties IS 'points that closed slashes cost, by user';

-- What a slash took of which vouch.
CREATE TABLE slash_cuts (
  slash_id int NOT NULL REFERENCES slashes,
  contract text NOT NULL,
  number int NOT NULL,
  amount numeric(78, 0) NOT NULL CHECK (amount > 0),
  PRIMARY KEY (slash_id, contract, number),
  FOREIGN KEY (contract, number) REFERENCES vouches ON DELETE CASCADE
);
CREATE INDEX slash_cuts_vouch ON slash_cuts (contract, number);
COMMENT ON TABLE slash_cuts IS 'what closed slashes for money took of declared vouches';

CREATE FUNCTION check_new_slash() RETURNS trigger LANGUAGE plpgsql AS $$
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
  IF EXISTS (SELECT FROM slashes s WHERE s.outcome = 'SLASHED' AND s.closed_at > NEW.created_at - interval '168 hours'
      AND (s.subject_address = NEW.subject_address OR s.subject_user_id = NEW.subject_user_id
           OR (s.subject_service, s.subject_account) = (NEW.subject_service, NEW.subject_account))) THEN
    RAISE EXCEPTION 'the subject of slash % was slashed less than seven days ago', NEW.id USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER check_new_slash BEFORE INSERT ON slashes FOR EACH ROW WHEN (NEW.source = 'api') EXECUTE FUNCTION check_new_slash();

CREATE FUNCTION check_closing() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER check_closing BEFORE UPDATE ON slashes FOR EACH ROW WHEN (OLD.source = 'api') EXECUTE FUNCTION check_closing();

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

CREATE FUNCTION tally_slash() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO slash_tallies VALUES (NEW.id, 0, 0, 0);
  RETURN NULL;
END $$;
CREATE TRIGGER tally_slash AFTER INSERT ON slashes FOR EACH ROW EXECUTE FUNCTION tally_slash();

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

-- The author and the subject put the amount aside. Who has less refuses the slash (xp_never_negative).
CREATE FUNCTION put_xp_aside() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO xp_movements (at, amount, from_account, to_account, kind, source_type, source_id)
    VALUES (NEW.created_at, NEW.amount, NEW.author_id, -2, 'XP_SLASH_ESCROW_AUTHOR', 'slash', NEW.id),
      (NEW.created_at, NEW.amount, NEW.subject_profile_id, -2, 'XP_SLASH_ESCROW_SUBJECT', 'slash', NEW.id);
  PERFORM tell_changes('profile', ARRAY[NEW.author_id, NEW.subject_profile_id]);
  RETURN NULL;
END $$;
CREATE TRIGGER put_xp_aside AFTER INSERT ON slashes FOR EACH ROW WHEN (NEW.type = 'XP' AND NEW.source = 'api') EXECUTE FUNCTION put_xp_aside();

-- The winner takes both stakes; without a winner everybody has their own again.
CREATE FUNCTION pay_xp_out() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO xp_movements (at, amount, from_account, to_account, kind, source_type, source_id)
    SELECT NEW.closed_at, NEW.amount, -2, account, kind, 'slash', NEW.id FROM (VALUES
      (CASE NEW.outcome WHEN 'DEFENDED' THEN NEW.subject_profile_id ELSE NEW.author_id END, 'XP_SLASH_STAKE_RETURNED'),
      (CASE NEW.outcome WHEN 'SLASHED' THEN NEW.author_id ELSE NEW.subject_profile_id END,
       CASE WHEN NEW.outcome IN ('SLASHED', 'DEFENDED') THEN 'XP_SLASH_STAKE_WON' ELSE 'XP_SLASH_STAKE_RETURNED' END)) paid (account, kind);
  PERFORM tell_changes('profile', ARRAY[NEW.author_id, NEW.subject_profile_id]);
  RETURN NULL;
END $$;
CREATE TRIGGER pay_xp_out AFTER UPDATE OF closed_at ON slashes FOR EACH ROW
  WHEN (OLD.closed_at IS NULL AND NEW.closed_at IS NOT NULL AND NEW.type = 'XP' AND NEW.source = 'api') EXECUTE FUNCTION pay_xp_out();

-- What is left of the parts of a vouch when so much is cut off, from the newest on.
CREATE FUNCTION cut_vouch_parts(the_contract text, the_number int, cut numeric) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  days int[];
  amounts numeric[];
BEGIN
  SELECT coalesce(array_agg(day - date '1970-01-01'), '{}'), coalesce(array_agg(amount), '{}') INTO days, amounts FROM (
    SELECT day, amount - least(amount, greatest(cut - (sum(amount) OVER (ORDER BY day DESC) - amount), 0)) AS amount
    FROM vouch_parts WHERE contract = the_contract AND number = the_number) rest WHERE amount > 0;
  PERFORM put_vouch_parts(the_contract, the_number, days, amounts);
END $$;

-- Who lost loses the basis points of each vouch that is active: the subject that was slashed, or the author of a slash that was
-- defended. What a contract holds is cut by the contract's own events.
CREATE FUNCTION cut_vouches() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  loser CONSTANT int := loser_of(NEW); -- as of now, whoever has the address or account later
BEGIN
  IF loser IS NOT NULL THEN
    PERFORM recount('cuts by', NEW.id || ' ' || loser, 'api slash ' || NEW.id);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER cut_vouches AFTER UPDATE OF closed_at ON slashes FOR EACH ROW
  WHEN (OLD.closed_at IS NULL AND NEW.closed_at IS NOT NULL AND NEW.type = 'FINANCIAL' AND NEW.outcome IN ('SLASHED', 'DEFENDED')
    AND NEW.source = 'api') EXECUTE FUNCTION cut_vouches();

-- -- votes -------------------------------------------------------------------------------

-- Votes on a slash of a chain are votes on activities. What counts of them is kept where votes on slashes of the API are: the vote of each
-- profile with the weight by the epoch score when it came, but for the author and the subject, who are no judges of it.
-- Any number of votes at once, as many of them as there are on slashes of a chain.
CREATE FUNCTION weigh_slash_votes(the_slashes int[], the_voters int[]) RETURNS void LANGUAGE plpgsql
  SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT s.id, x.voter, x.voter <> s.author_id AND x.voter IS DISTINCT FROM s.subject_profile_id AS judge
    FROM unnest(the_slashes, the_voters) x (slash, voter) JOIN slashes s ON s.id = x.slash AND s.source = 'chain'),
  fresh AS MATERIALIZED (
    SELECT a.id, a.voter, n.for_slash, n.weight, b.for_slash AS for_slash_before, b.weight AS weight_before
    FROM asked a LEFT JOIN slash_ballots b ON b.slash_id = a.id AND b.voter_id = a.voter
      LEFT JOIN LATERAL (SELECT v.upvote AS for_slash, vote_weight(w.standing) AS weight FROM activity_votes v
        JOIN standings w ON w.profile_id = v.voter
        WHERE a.judge AND v.kind = 'slash' AND v.target_id = a.id AND v.voter = a.voter AND v.archived IS NOT TRUE OFFSET 0) n ON true
    WHERE n.for_slash IS DISTINCT FROM b.for_slash),
  gone AS (DELETE FROM slash_ballots b USING fresh f WHERE b.slash_id = f.id AND b.voter_id = f.voter AND f.for_slash IS NULL),
  kept AS (
    INSERT INTO slash_ballots SELECT id, voter, for_slash, weight, 1 FROM fresh WHERE for_slash IS NOT NULL ORDER BY id, voter
      ON CONFLICT (slash_id, voter_id) DO UPDATE SET for_slash = excluded.for_slash, weight = excluded.weight)
  UPDATE slash_tallies t SET for_it = t.for_it + change.for_it, against_it = t.against_it + change.against_it
    FROM (SELECT id, coalesce(sum(weight) FILTER (WHERE for_slash), 0)
                     - coalesce(sum(weight_before) FILTER (WHERE for_slash_before), 0) AS for_it,
            coalesce(sum(weight) FILTER (WHERE NOT for_slash), 0)
                     - coalesce(sum(weight_before) FILTER (WHERE NOT for_slash_before), 0) AS against_it FROM fresh GROUP BY id) change
    WHERE t.slash_id = change.id;
END $$;

CREATE FUNCTION weigh_slash_votes() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  the_slashes int[];
  the_voters int[];
BEGIN
  SELECT array_agg(target_id), array_agg(voter) INTO the_slashes, the_voters FROM moved WHERE kind = 'slash';
  IF the_slashes IS NOT NULL THEN
    PERFORM weigh_slash_votes(the_slashes, the_voters);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER weigh_slash_votes_new AFTER INSERT ON activity_votes REFERENCING NEW TABLE AS moved
  FOR EACH STATEMENT EXECUTE FUNCTION weigh_slash_votes();
CREATE TRIGGER weigh_slash_votes_changed AFTER UPDATE ON activity_votes REFERENCING NEW TABLE AS moved
  FOR EACH STATEMENT EXECUTE FUNCTION weigh_slash_votes();
CREATE TRIGGER weigh_slash_votes_gone AFTER DELETE ON activity_votes REFERENCING OLD TABLE AS moved
  FOR EACH STATEMENT EXECUTE FUNCTION weigh_slash_votes();

-- Votes that were there before the slash, as where slashes are followed later than votes: those that were given before its end, and as
-- its end moves, those before the new one.
CREATE FUNCTION weigh_early_votes() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  since timestamptz := '-infinity';
  the_voters int[];
BEGIN
  IF TG_OP = 'UPDATE' THEN
    since := OLD.ends_at;
  END IF;
  the_voters := ARRAY(SELECT voter FROM activity_votes
    WHERE kind = 'slash' AND target_id = NEW.id AND archived IS NOT TRUE AND created_at >= since AND created_at < NEW.ends_at);
  IF the_voters <> '{}' THEN
    PERFORM weigh_slash_votes(array_fill(NEW.id, ARRAY[cardinality(the_voters)]), the_voters);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER weigh_early_votes AFTER INSERT ON slashes FOR EACH ROW WHEN (NEW.source = 'chain') EXECUTE FUNCTION weigh_early_votes();
CREATE TRIGGER weigh_early_votes_longer AFTER UPDATE ON slashes FOR EACH ROW
  WHEN (NEW.source = 'chain' AND NEW.ends_at > OLD.ends_at) EXECUTE FUNCTION weigh_early_votes();

-- -- what a slash costs ------------------------------------------------------------------

-- Of a slash for points of score that closes (score::penalties_of): the one who lost, and who stood by the slashed. So that closing one
-- is a bounded piece of work whoever it is about, it costs a thousand supporters at most: those who vouch before those who praise, and
-- of each of these the users with the lower ids. Both are found by an index, and no more of them are read.
CREATE FUNCTION penalties_of(it slashes) RETURNS TABLE (user_id int, reason text, points int) LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  subject int := coalesce((SELECT coalesce(u.merged_into, u.id) FROM users u WHERE u.id = it.subject_user_id),
    (SELECT a.user_id FROM addresses a WHERE a.address = it.subject_address),
    (SELECT t.user_id FROM attestations t WHERE t.service = it.subject_service AND t.account = it.subject_account AND NOT t.archived LIMIT 1),
    (SELECT j.user_id FROM subjects j WHERE j.key = it.subject_hash ORDER BY j.generation DESC LIMIT 1));
  author int := (SELECT p.user_id FROM profiles p WHERE p.id = it.author_id);
  most CONSTANT int := 1000; -- supporters
  vouching int[];
  praising int[] := '{}';
  who int := -1; -- of those who praise, by id
BEGIN
  IF it.outcome = 'DEFENDED' THEN
    RETURN QUERY SELECT author, 'author', least(it.amount, 2800);
  ELSIF it.outcome = 'SLASHED' AND subject IS NOT NULL THEN
    vouching := ARRAY(SELECT p.author_user FROM score_pairs p WHERE p.user_id = subject AND p.author_user <> subject
      ORDER BY p.author_user LIMIT most);
    WHILE cardinality(vouching) + cardinality(praising) < most LOOP -- somebody may have praised any number of times
      who := (SELECT r.author_user FROM score_reviews r WHERE r.user_id = subject AND r.how = 2 AND r.author_user > who
        ORDER BY r.author_user LIMIT 1);
      EXIT WHEN who IS NULL;
      IF who <> subject AND who <> ALL (vouching) THEN
        praising := praising || who;
      END IF;
    END LOOP;
    RETURN QUERY SELECT subject, 'subject', least(it.amount, 2800)
      UNION ALL SELECT p.author_user, 'vouch', least(it.amount::bigint * 20 / 100, 2800)::int FROM unnest(vouching) p (author_user)
      UNION ALL SELECT r.author_user, 'review', least(it.amount::bigint * 10 / 100, 2800)::int FROM unnest(praising) r (author_user);
  END IF;
END $$;

-- Events tell how a slash of a chain ended, and what became of it where the contract said so. The votes and the penalties of that moment
-- are worked out here, once: a later event leaves them as they are, unless it ends the slash otherwise. A row that comes with them is
-- one that a block took back.
CREATE FUNCTION judge_chain_slash() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  same boolean := false;
BEGIN
  IF NEW.event_id = 0 THEN -- its time closes it, and no event
    NEW.event_id := OLD.event_id;
  END IF;
  IF NEW.closed_at IS NULL THEN
    NEW.cancelled_at := NULL;
    NEW.penalties := NULL;
    RETURN NEW;
  END IF;
  IF NEW.slash_weight IS NULL THEN
    IF TG_OP = 'UPDATE' THEN
      same := OLD.closed_at IS NOT NULL AND OLD.type = NEW.type
        AND (NEW.outcome = OLD.outcome OR (NEW.outcome IS NULL AND (NEW.ended_by, NEW.closed_at) = (OLD.ended_by, OLD.closed_at)));
      NEW.slash_weight := OLD.slash_weight; -- those at its end
      NEW.defend_weight := OLD.defend_weight;
    END IF;
    IF NEW.slash_weight IS NULL OR NEW.ended_by = 'time' AND NOT same THEN
      SELECT t.for_it, t.against_it INTO NEW.slash_weight, NEW.defend_weight FROM slash_tallies t WHERE t.slash_id = NEW.id;
      NEW.slash_weight := coalesce(NEW.slash_weight, 0);
      NEW.defend_weight := coalesce(NEW.defend_weight, 0);
    END IF;
    NEW.outcome := coalesce(NEW.outcome, CASE WHEN NEW.slash_weight * 100 > (NEW.slash_weight + NEW.defend_weight) * 60 THEN 'SLASHED'
      WHEN NEW.slash_weight * 100 < (NEW.slash_weight + NEW.defend_weight) * 40 THEN 'DEFENDED' ELSE 'INCONCLUSIVE' END);
    IF same THEN
      NEW.penalties := OLD.penalties;
    ELSIF NEW.type = 'SCORE' THEN
      NEW.penalties := (SELECT jsonb_agg(jsonb_build_array(d.user_id, d.reason, d.points) ORDER BY d.user_id) FROM penalties_of(NEW) d);
    END IF;
  END IF;
  NEW.cancelled_at := CASE WHEN NEW.outcome = 'CANCELLED' THEN NEW.closed_at END;
  RETURN NEW;
END $$;
CREATE TRIGGER judge_chain_slash BEFORE INSERT OR UPDATE ON slashes FOR EACH ROW WHEN (NEW.source = 'chain') EXECUTE FUNCTION judge_chain_slash();

-- Who has turned out to be somebody else leaves the penalty to that person: of two of the same slash the larger one. `whose` are written,
-- or all.
CREATE FUNCTION put_penalties(the_slash int, the_penalties jsonb, the_cause text, whose int[] DEFAULT NULL) RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  before int[];
BEGIN
  WITH gone AS (DELETE FROM slash_penalties WHERE slash_id = the_slash AND (whose IS NULL OR user_id = ANY (whose)) RETURNING user_id)
    SELECT array_agg(user_id) INTO before FROM gone;
  INSERT INTO slash_penalties SELECT DISTINCT ON (who) the_slash, coalesce(u.merged_into, u.id) AS who, d ->> 1, (d ->> 2)::int
    FROM jsonb_array_elements(the_penalties) d JOIN users u ON u.id = (d ->> 0)::int
    WHERE whose IS NULL OR coalesce(u.merged_into, u.id) = ANY (whose) ORDER BY who, (d ->> 2)::int DESC;
  PERFORM open_scores(ARRAY(SELECT unnest(before) UNION SELECT user_id FROM slash_penalties
    WHERE slash_id = the_slash AND (whose IS NULL OR user_id = ANY (whose))), the_cause);
END $$;

CREATE FUNCTION put_chain_penalties() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM put_penalties(NEW.id, NEW.penalties, CASE NEW.ended_by WHEN 'time' THEN 'slash ' || NEW.id ELSE cause_of('chain', NEW.event_id, '') END);
  RETURN NULL;
END $$;
CREATE TRIGGER put_chain_penalties_new AFTER INSERT ON slashes FOR EACH ROW WHEN (NEW.source = 'chain' AND NEW.penalties IS NOT NULL)
  EXECUTE FUNCTION put_chain_penalties();
CREATE TRIGGER put_chain_penalties_changed AFTER UPDATE ON slashes FOR EACH ROW
  WHEN (NEW.source = 'chain' AND NEW.penalties IS DISTINCT FROM OLD.penalties) EXECUTE FUNCTION put_chain_penalties();

-- Who is somebody of their own again, as the block that merged them is taken back, has the penalties again.
CREATE FUNCTION divide_penalties() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  PERFORM put_penalties(s.id, s.penalties, 'user ' || NEW.id, array_remove(ARRAY[NEW.id, OLD.merged_into, NEW.merged_into], NULL))
    FROM slash_penalties p JOIN slashes s ON s.id = p.slash_id
    WHERE p.user_id = OLD.merged_into AND s.source = 'chain';
  RETURN NULL;
END $$;
CREATE TRIGGER divide_penalties AFTER UPDATE OF merged_into ON users FOR EACH ROW
  WHEN (OLD.merged_into IS NOT NULL AND NEW.merged_into IS DISTINCT FROM OLD.merged_into) EXECUTE FUNCTION divide_penalties();

-- One whose block is taken back goes with all that it came to.
CREATE FUNCTION forget_chain_slash() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  before int[];
BEGIN
  WITH gone AS (DELETE FROM slash_penalties WHERE slash_id = OLD.id RETURNING user_id) SELECT array_agg(user_id) INTO before FROM gone;
  IF before IS NOT NULL THEN
    PERFORM open_scores(before, 'slash ' || OLD.id);
  END IF;
  DELETE FROM slash_ballots WHERE slash_id = OLD.id;
  DELETE FROM slash_tallies WHERE slash_id = OLD.id;
  RETURN OLD;
END $$;
CREATE TRIGGER forget_chain_slash BEFORE DELETE ON slashes FOR EACH ROW WHEN (OLD.source = 'chain') EXECUTE FUNCTION forget_chain_slash();

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
CREATE FUNCTION cut_vouches_of(the_slash int, loser int, after bigint, most int) RETURNS bigint[] LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
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

CREATE TRIGGER slash_votes_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON slash_votes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER slash_ballots_keep BEFORE INSERT OR UPDATE ON slash_ballots
  FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER slash_tallies_keep BEFORE INSERT OR UPDATE ON slash_tallies
  FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER slashes_stay BEFORE TRUNCATE ON slashes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER slashes_of_api_stay BEFORE DELETE ON slashes FOR EACH ROW WHEN (OLD.source = 'api') EXECUTE FUNCTION refuse_change();
CREATE TRIGGER slash_ballots_stay BEFORE DELETE ON slash_ballots FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER slash_ballots_whole BEFORE TRUNCATE ON slash_ballots FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER slash_tallies_stay BEFORE DELETE ON slash_tallies FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER slash_tallies_whole BEFORE TRUNCATE ON slash_tallies FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER stands_since_new BEFORE INSERT ON slashes FOR EACH ROW WHEN (NEW.block IS NOT NULL) EXECUTE FUNCTION stands_since();
