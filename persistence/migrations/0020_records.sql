-- Records: who joins, reviews, vouches, replies, votes on activities. A record comes from the API or is followed from
-- a chain (`source`); one of a chain names its event and block. Sums are kept by triggers on the rows they count,
-- whoever writes those: each insert, update or delete moves them by its share.

ALTER TABLE api_keys DROP CONSTRAINT api_keys_scopes_check,
  ADD CONSTRAINT api_keys_scopes_check
    CHECK (scopes <@ ARRAY['read', 'vote', 'tip', 'trade', 'keys', 'record'] AND cardinality(scopes) > 0);

-- -- people ---------------------------------------------------------------------------

ALTER TABLE users
  ADD COLUMN merged_into int REFERENCES users CHECK (merged_into IS NULL OR (merged_into <> id AND status = 'MERGED')),
  ADD COLUMN first_seen_at timestamptz;
ALTER TABLE profiles
  ADD COLUMN orphaned boolean NOT NULL DEFAULT false,
  ADD COLUMN source text NOT NULL DEFAULT 'api' CHECK (source IN ('chain', 'api')),
  ADD COLUMN event_id bigint,
  ADD COLUMN block bigint,
  ADD COLUMN seq bigint UNIQUE CHECK (seq > 0); -- null: it was there before profiles were made over the API
ALTER TABLE addresses
  ADD COLUMN compromised boolean NOT NULL DEFAULT false,
  ADD COLUMN unlinked_at timestamptz,
  ADD COLUMN first_seen_at timestamptz,
  ADD COLUMN source text NOT NULL DEFAULT 'api' CHECK (source IN ('chain', 'api')),
  ADD COLUMN event_id bigint,
  ADD COLUMN block bigint;
COMMENT ON COLUMN users.merged_into IS 'the user that this one turned out to be';
COMMENT ON COLUMN profiles.orphaned IS 'its block was taken back; archived for every rule until an event brings it again';
COMMENT ON COLUMN addresses.unlinked_at IS 'when its last owner let it go';

-- What reviews and vouches are about. Letting a key go opens its next generation, so that what was received stays where it was.
CREATE TABLE subjects (
  key bytea NOT NULL CHECK (octet_length(key) IN (4, 20, 32)), -- the id of a profile, an address, the hash of an account
  generation int NOT NULL CHECK (generation >= 0),
  user_id int NOT NULL REFERENCES users,
  service text CHECK (service IN ('discord', 'farcaster', 'github', 'telegram', 'x.com')),
  account text CHECK (account <> ''),
  reviews_negative bigint NOT NULL DEFAULT 0 CHECK (reviews_negative >= 0),
  reviews_neutral bigint NOT NULL DEFAULT 0 CHECK (reviews_neutral >= 0),
  reviews_positive bigint NOT NULL DEFAULT 0 CHECK (reviews_positive >= 0),
  source text NOT NULL DEFAULT 'api' CHECK (source IN ('chain', 'api')),
  event_id bigint,
  block bigint,
  PRIMARY KEY (key, generation),
  CHECK ((service IS NULL) = (account IS NULL) AND (service IS NULL OR octet_length(key) = 32))
);
CREATE INDEX subjects_user ON subjects (user_id);

-- Makes a subject, and where it is nobody's (a name is given) its user, who has the wallet or the account.
CREATE FUNCTION open_subject(the_key bytea, the_generation int, the_user int, the_service text, the_account text, the_name text,
                             the_avatar text, the_attestation int, the_time timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF the_name IS NOT NULL THEN
    INSERT INTO users (id, display_name, avatar_url, status, first_seen_at) VALUES (the_user, the_name, the_avatar, 'INACTIVE', the_time);
    IF octet_length(the_key) = 20 THEN
      INSERT INTO addresses (address, user_id, kind, added_at, first_seen_at) VALUES (the_key, the_user, 'primary', the_time, the_time);
    ELSIF the_account IS NOT NULL THEN
      INSERT INTO attestations (id, hash, user_id, service, account, created_at)
        VALUES (the_attestation, the_key, the_user, the_service, the_account, the_time);
    END IF;
  END IF;
  INSERT INTO subjects (key, generation, user_id, service, account) VALUES (the_key, the_generation, the_user, the_service, the_account);
END $$;

-- Ids that a chain gave to people who had not joined yet.
CREATE TABLE placeholders (
  mock_id int PRIMARY KEY CHECK (mock_id > 0),
  key bytea,
  generation int,
  source text NOT NULL DEFAULT 'chain' CHECK (source IN ('chain', 'api')),
  event_id bigint,
  block bigint,
  FOREIGN KEY (key, generation) REFERENCES subjects,
  CHECK ((key IS NULL) = (generation IS NULL))
);

-- -- reviews --------------------------------------------------------------------------

CREATE TABLE reviews (
  id int PRIMARY KEY CHECK (id >= 0),
  author_profile int REFERENCES profiles,
  author_address bytea CHECK (octet_length(author_address) = 20), -- null: the author had none
  subject_key bytea NOT NULL,
  subject_generation int NOT NULL,
  score smallint NOT NULL CHECK (score BETWEEN 0 AND 2), -- negative, neutral, positive
  comment text NOT NULL,
  metadata text NOT NULL,
  archived boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL CHECK (updated_at >= created_at),
  edits int NOT NULL DEFAULT 0 CHECK (edits >= 0),
  seq bigint UNIQUE CHECK (seq > 0),
  source text NOT NULL DEFAULT 'api' CHECK (source IN ('chain', 'api')),
  event_id bigint,
  block bigint,
  FOREIGN KEY (subject_key, subject_generation) REFERENCES subjects,
  CONSTRAINT reviews_of_api CHECK (source = 'chain' OR (id > 0 AND seq IS NOT NULL AND author_profile IS NOT NULL
    AND char_length(comment) BETWEEN 1 AND 2000 AND char_length(metadata) <= 5000))
);
CREATE INDEX reviews_author ON reviews (author_profile, created_at DESC, id DESC);
CREATE INDEX reviews_subject ON reviews (subject_key, subject_generation, created_at DESC, id DESC);

-- Nothing but its own rows counts here: fresh rows, rows that went, or both.
CREATE FUNCTION move_review_counts(keys bytea[], generations int[], scores smallint[], moves int[]) RETURNS void LANGUAGE sql AS $$
  UPDATE subjects s SET reviews_negative = s.reviews_negative + d.negative, reviews_neutral = s.reviews_neutral + d.neutral,
    reviews_positive = s.reviews_positive + d.positive
  FROM (SELECT u.key, u.generation, coalesce(sum(n) FILTER (WHERE score = 0), 0) AS negative,
          coalesce(sum(n) FILTER (WHERE score = 1), 0) AS neutral, coalesce(sum(n) FILTER (WHERE score = 2), 0) AS positive
        FROM unnest(keys, generations, scores, moves) u (key, generation, score, n) GROUP BY u.key, u.generation) d
  WHERE s.key = d.key AND s.generation = d.generation AND (d.negative, d.neutral, d.positive) <> (0, 0, 0)
$$;
CREATE FUNCTION count_reviews() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM move_review_counts(array_agg(subject_key), array_agg(subject_generation), array_agg(score), array_agg(1))
      FROM fresh WHERE NOT archived HAVING count(*) > 0;
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM move_review_counts(array_agg(subject_key), array_agg(subject_generation), array_agg(score), array_agg(-1))
      FROM gone WHERE NOT archived HAVING count(*) > 0;
  ELSE
    PERFORM move_review_counts(array_agg(subject_key), array_agg(subject_generation), array_agg(score), array_agg(n)) FROM (
      SELECT subject_key, subject_generation, score, 1 AS n FROM fresh WHERE NOT archived
      UNION ALL SELECT subject_key, subject_generation, score, -1 FROM gone WHERE NOT archived) moved HAVING count(*) > 0;
  END IF;
  RETURN NULL;
END $$;

-- What a user has received is what its subjects have: a subject that moves takes its share along.
CREATE FUNCTION move_user_reviews(users int[], negatives bigint[], neutrals bigint[], positives bigint[]) RETURNS void LANGUAGE sql AS $$
  UPDATE users u SET reviews_negative = u.reviews_negative + d.negative, reviews_neutral = u.reviews_neutral + d.neutral,
    reviews_positive = u.reviews_positive + d.positive
  FROM (SELECT user_id, sum(negative) AS negative, sum(neutral) AS neutral, sum(positive) AS positive
        FROM unnest(users, negatives, neutrals, positives) x (user_id, negative, neutral, positive) GROUP BY user_id) d
  WHERE u.id = d.user_id AND (d.negative, d.neutral, d.positive) <> (0, 0, 0)
$$;
CREATE FUNCTION count_subjects() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM move_user_reviews(array_agg(user_id), array_agg(reviews_negative), array_agg(reviews_neutral), array_agg(reviews_positive))
      FROM fresh HAVING count(*) > 0;
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM move_user_reviews(array_agg(user_id), array_agg(-reviews_negative), array_agg(-reviews_neutral), array_agg(-reviews_positive))
      FROM gone HAVING count(*) > 0;
  ELSE
    PERFORM move_user_reviews(array_agg(user_id), array_agg(reviews_negative), array_agg(reviews_neutral), array_agg(reviews_positive)) FROM (
      SELECT user_id, reviews_negative, reviews_neutral, reviews_positive FROM fresh
      UNION ALL SELECT user_id, -reviews_negative, -reviews_neutral, -reviews_positive FROM gone) moved HAVING count(*) > 0;
  END IF;
  RETURN NULL;
END $$;

-- Ids of the API have no gaps.
CREATE FUNCTION check_new_reviews() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before int;
  fresh_ones record;
BEGIN
  SELECT count(*) AS n, min(id) AS least, max(id) AS most INTO fresh_ones FROM fresh WHERE source = 'api';
  SELECT coalesce(max(id), 0) INTO before FROM reviews WHERE source = 'api' AND id < fresh_ones.least;
  IF fresh_ones.n > 0 AND (fresh_ones.least <> before + 1 OR fresh_ones.most - fresh_ones.least + 1 <> fresh_ones.n) THEN
    RAISE EXCEPTION 'review % does not follow the last one, %', fresh_ones.least, before USING ERRCODE = '23514';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER check_new_reviews AFTER INSERT ON reviews REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION check_new_reviews();
CREATE INDEX reviews_of_api ON reviews (id) WHERE source = 'api';

-- A record keeps its author, its subject and when it was made.
CREATE FUNCTION check_changed_review() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'review % can only be edited, archived and restored', OLD.id USING ERRCODE = '23514';
END $$;
CREATE TRIGGER check_changed_review BEFORE UPDATE ON reviews FOR EACH ROW
  WHEN (NEW.source = 'api' AND (OLD.id, OLD.author_profile, OLD.author_address, OLD.subject_key, OLD.subject_generation, OLD.score,
                                OLD.created_at, OLD.seq, OLD.source)
        IS DISTINCT FROM (NEW.id, NEW.author_profile, NEW.author_address, NEW.subject_key, NEW.subject_generation, NEW.score,
                          NEW.created_at, NEW.seq, NEW.source)) EXECUTE FUNCTION check_changed_review();

-- -- activities -----------------------------------------------------------------------

-- What feeds are made of: a row for each record that feeds show.
CREATE TABLE activities (
  kind text NOT NULL CHECK (kind <> ''),
  id int NOT NULL CHECK (id >= 0),
  at timestamptz NOT NULL,
  author_user int REFERENCES users, -- null: a chain has an author without a profile
  subject_key bytea,
  subject_generation int,
  archived boolean NOT NULL DEFAULT false,
  PRIMARY KEY (kind, id),
  FOREIGN KEY (subject_key, subject_generation) REFERENCES subjects
);
CREATE INDEX activities_author ON activities (author_user, at DESC);
CREATE INDEX activities_subject ON activities (subject_key, subject_generation, at DESC);

CREATE FUNCTION show_reviews() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM activities a USING gone g WHERE a.kind = 'review' AND a.id = g.id;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO activities (kind, id, at, author_user, subject_key, subject_generation, archived)
      SELECT 'review', id, created_at, (SELECT p.user_id FROM profiles p WHERE p.id = author_profile), subject_key, subject_generation,
        archived FROM fresh;
  END IF;
  RETURN NULL;
END $$;

DO $$
DECLARE
  part text;
  teller text;
BEGIN
  FOR part, teller IN VALUES ('reviews', 'count_reviews'), ('subjects', 'count_subjects'), ('reviews', 'show_reviews') LOOP
    EXECUTE format('CREATE TRIGGER %2$I_new AFTER INSERT ON %1$I REFERENCING NEW TABLE AS fresh '
                   'FOR EACH STATEMENT EXECUTE FUNCTION %2$I()', part, teller);
    EXECUTE format('CREATE TRIGGER %2$I_changed AFTER UPDATE ON %1$I REFERENCING OLD TABLE AS gone NEW TABLE AS fresh '
                   'FOR EACH STATEMENT EXECUTE FUNCTION %2$I()', part, teller);
    EXECUTE format('CREATE TRIGGER %2$I_gone AFTER DELETE ON %1$I REFERENCING OLD TABLE AS gone '
                   'FOR EACH STATEMENT EXECUTE FUNCTION %2$I()', part, teller);
  END LOOP;
END $$;

COMMENT ON TABLE subjects IS 'what reviews and vouches are about, with what it has received (kept by triggers) and whose it is';
COMMENT ON TABLE placeholders IS 'ids that a chain gave to people who had not joined yet';
COMMENT ON TABLE reviews IS 'reviews of a subject by a profile; archived ones count for nothing';
COMMENT ON TABLE activities IS 'derived by triggers: what feeds are made of';
