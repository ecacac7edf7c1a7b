-- Slashes and the votes on them. A slash is opened, takes votes and is closed, once; what it
-- came to follows from its votes, whoever closes it.

CREATE TABLE slashes (
  id int PRIMARY KEY CHECK (id > 0), -- gapless, in the order in which they were opened
  author_id int NOT NULL REFERENCES profiles,
  -- A wallet or an account elsewhere; and who that was at the time, if anybody was known.
  subject_address bytea CHECK (octet_length(subject_address) = 20),
  subject_service text CHECK (subject_service IN ('discord', 'farcaster', 'github', 'telegram', 'x.com')),
  subject_account text CHECK (subject_account <> ''),
  subject_user_id int REFERENCES users,
  subject_profile_id int CHECK (subject_profile_id <> author_id),
  type text NOT NULL CHECK (type IN ('SCORE', 'FINANCIAL')),
  amount int NOT NULL CHECK (amount BETWEEN 1 AND 1000),
  duration_s int NOT NULL CHECK (duration_s BETWEEN 1 AND 604800),
  comment text NOT NULL CHECK (char_length(comment) BETWEEN 1 AND 2000),
  metadata text NOT NULL CHECK (char_length(metadata) <= 5000),
  -- Whole seconds, so that the end is exactly this and the duration.
  created_at timestamptz(0) NOT NULL,
  seq bigint NOT NULL UNIQUE CHECK (seq > 0),
  closed_at timestamptz(0),
  cancelled_at timestamptz(0),
  outcome text,
  slash_weight bigint CHECK (slash_weight >= 0),
  defend_weight bigint CHECK (defend_weight >= 0),
  closed_seq bigint UNIQUE CHECK (closed_seq > seq),
  FOREIGN KEY (subject_profile_id, subject_user_id) REFERENCES profiles (id, user_id),
  CHECK (subject_profile_id IS NULL OR subject_user_id IS NOT NULL),
  CONSTRAINT slashes_one_subject CHECK (num_nonnulls(subject_address, subject_account) = 1
    AND (subject_account IS NULL) = (subject_service IS NULL)),
  CONSTRAINT slashes_closed_whole CHECK (num_nonnulls(closed_at, outcome, slash_weight, defend_weight, closed_seq) IN (0, 5)
    AND (cancelled_at IS NULL OR closed_at IS NOT NULL)),
  CONSTRAINT slashes_closed_in_time CHECK (closed_at = coalesce(cancelled_at, created_at + duration_s * interval '1 second')),
  CONSTRAINT slashes_cancelled_in_time
    CHECK (cancelled_at >= created_at AND cancelled_at < created_at + duration_s * interval '1 second'),
  CONSTRAINT slashes_outcome CHECK (outcome = CASE WHEN cancelled_at IS NOT NULL THEN 'CANCELLED'
    WHEN slash_weight * 100 > (slash_weight + defend_weight) * 60 THEN 'SLASHED'
    WHEN slash_weight * 100 < (slash_weight + defend_weight) * 40 THEN 'DEFENDED' ELSE 'INCONCLUSIVE' END)
);
-- An author has one open slash at a time, and so has a subject, by whatever is known of it.
CREATE UNIQUE INDEX slashes_open_author ON slashes (author_id) WHERE closed_at IS NULL;
CREATE UNIQUE INDEX slashes_open_address ON slashes (subject_address) WHERE closed_at IS NULL;
CREATE UNIQUE INDEX slashes_open_account ON slashes (subject_service, subject_account) WHERE closed_at IS NULL;
CREATE UNIQUE INDEX slashes_open_user ON slashes (subject_user_id) WHERE closed_at IS NULL;
-- The list, latest first: all, by state, by author, by subject.
CREATE INDEX slashes_created ON slashes (created_at DESC, id DESC);
CREATE INDEX slashes_created_open ON slashes (created_at DESC, id DESC) WHERE closed_at IS NULL;
CREATE INDEX slashes_created_closed ON slashes (created_at DESC, id DESC) WHERE closed_at IS NOT NULL;
CREATE INDEX slashes_author ON slashes (author_id, created_at DESC, id DESC);
CREATE INDEX slashes_address ON slashes (subject_address) WHERE subject_address IS NOT NULL;
CREATE INDEX slashes_account ON slashes (subject_service, subject_account) WHERE subject_account IS NOT NULL;
CREATE INDEX slashes_user ON slashes (subject_user_id) WHERE subject_user_id IS NOT NULL;
CREATE INDEX slashes_slashed ON slashes (closed_at) WHERE outcome = 'SLASHED';

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
CREATE INDEX slash_votes_voter ON slash_votes (slash_id, voter_id, number DESC);

-- What the votes on a slash come to.
CREATE FUNCTION slash_weights(the_slash int, OUT for_it bigint, OUT against_it bigint) LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(weight) FILTER (WHERE for_slash), 0), coalesce(sum(weight) FILTER (WHERE NOT for_slash), 0)
  FROM (SELECT DISTINCT ON (voter_id) weight, for_slash FROM slash_votes WHERE slash_id = the_slash
        ORDER BY voter_id, number DESC) last
$$;

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
CREATE TRIGGER check_new_slash BEFORE INSERT ON slashes FOR EACH ROW EXECUTE FUNCTION check_new_slash();

CREATE FUNCTION check_closing() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  as_before slashes := NEW;
  counted record;
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
  SELECT * INTO counted FROM slash_weights(OLD.id);
  IF (counted.for_it, counted.against_it) IS DISTINCT FROM (NEW.slash_weight, NEW.defend_weight) THEN
    RAISE EXCEPTION 'the votes on slash % weigh % to %', OLD.id, counted.for_it, counted.against_it USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER check_closing BEFORE UPDATE ON slashes FOR EACH ROW EXECUTE FUNCTION check_closing();

CREATE FUNCTION check_slash_vote() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  it slashes;
BEGIN
  -- Locked, so that it cannot be closed under a vote.
  SELECT * INTO it FROM slashes WHERE id = NEW.slash_id FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'slash % is not there', NEW.slash_id USING ERRCODE = '23503';
  END IF;
  IF it.closed_at IS NOT NULL OR NEW.cast_at < it.created_at
     OR NEW.cast_at >= it.created_at + it.duration_s * interval '1 second' THEN
    RAISE EXCEPTION 'slash % takes no vote at %', NEW.slash_id, NEW.cast_at USING ERRCODE = '23514';
  END IF;
  IF NEW.voter_id IN (it.author_id, it.subject_profile_id) THEN
    RAISE EXCEPTION 'profile % is the author or the subject of slash %', NEW.voter_id, NEW.slash_id USING ERRCODE = '23514';
  END IF;
  IF (SELECT archived FROM profiles WHERE id = NEW.voter_id) THEN
    RAISE EXCEPTION 'profile % is archived', NEW.voter_id USING ERRCODE = '23503';
  END IF;
  IF NEW.number <> coalesce((SELECT max(number) FROM slash_votes WHERE slash_id = NEW.slash_id), 0) + 1 THEN
    RAISE EXCEPTION 'vote % on slash % does not follow the last one', NEW.number, NEW.slash_id USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER check_slash_vote BEFORE INSERT ON slash_votes FOR EACH ROW EXECUTE FUNCTION check_slash_vote();

CREATE TRIGGER slashes_stay BEFORE DELETE OR TRUNCATE ON slashes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER slash_votes_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON slash_votes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

COMMENT ON TABLE slashes IS 'slashes: opened, then closed once; the outcome follows from slash_votes';
COMMENT ON TABLE slash_votes IS 'append-only votes on slashes; the last one of a voter counts';
