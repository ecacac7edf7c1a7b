-- Records: who joins, reviews, vouches, replies, votes on activities. A record comes from the API or is followed from
-- a chain (`source`); one of a chain names its event and block. Sums are kept by triggers on the rows they count,
-- whoever writes those: each insert, update or delete moves them by its share.

ALTER TABLE api_keys DROP CONSTRAINT api_keys_scopes_check,
  ADD CONSTRAINT api_keys_scopes_check
    CHECK (scopes <@ ARRAY['read', 'vote', 'tip', 'trade', 'keys', 'record'] AND cardinality(scopes) > 0);

-- -- people ---------------------------------------------------------------------------

-- Reviews, vouches and comments were figures that only the demo data had; from here on they count rows.
UPDATE users SET reviews_negative = 0, reviews_neutral = 0, reviews_positive = 0
  WHERE (reviews_negative, reviews_neutral, reviews_positive) <> (0, 0, 0);
DELETE FROM user_vouches;
UPDATE projects SET comment_count = 0 WHERE comment_count > 0;

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
  -- What active vouches for it hold, and all that there ever were.
  eth_wei numeric(78, 0) NOT NULL DEFAULT 0 CHECK (eth_wei >= 0),
  eth_count bigint NOT NULL DEFAULT 0 CHECK (eth_count >= 0),
  eth_ever_wei numeric(78, 0) NOT NULL DEFAULT 0 CHECK (eth_ever_wei >= eth_wei),
  eth_ever_count bigint NOT NULL DEFAULT 0 CHECK (eth_ever_count >= eth_count),
  whuf_wei numeric(78, 0) NOT NULL DEFAULT 0 CHECK (whuf_wei >= 0),
  whuf_count bigint NOT NULL DEFAULT 0 CHECK (whuf_count >= 0),
  whuf_ever_wei numeric(78, 0) NOT NULL DEFAULT 0 CHECK (whuf_ever_wei >= whuf_wei),
  whuf_ever_count bigint NOT NULL DEFAULT 0 CHECK (whuf_ever_count >= whuf_count),
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
  taken_down boolean NOT NULL DEFAULT false CHECK (archived OR NOT taken_down), -- by an admin: its author cannot restore it
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

-- -- joining --------------------------------------------------------------------------

CREATE TABLE invitations (
  id int PRIMARY KEY CHECK (id > 0),
  sender int NOT NULL REFERENCES profiles,
  recipient bytea NOT NULL CHECK (octet_length(recipient) = 20),
  status text NOT NULL DEFAULT 'INVITED' CHECK (status IN ('INVITED', 'ACCEPTED', 'ACCEPTED_OTHER_INVITATION', 'WITHDRAWN')),
  invited_at timestamptz NOT NULL,
  accepted_at timestamptz,
  profile int REFERENCES profiles, -- that was made for the recipient
  seq bigint UNIQUE CHECK (seq > 0),
  source text NOT NULL DEFAULT 'api' CHECK (source IN ('chain', 'api')),
  event_id bigint,
  block bigint,
  CHECK ((accepted_at IS NOT NULL) = (status IN ('ACCEPTED', 'ACCEPTED_OTHER_INVITATION')) AND (accepted_at IS NULL) = (profile IS NULL)),
  CHECK (source = 'chain' OR seq IS NOT NULL)
);
CREATE UNIQUE INDEX invitations_open ON invitations (recipient, sender) WHERE status = 'INVITED';
CREATE INDEX invitations_sender ON invitations (sender, invited_at DESC);

-- No address changes its owner while an open slash names it or that owner.
CREATE FUNCTION check_no_open_slash(the_address bytea, the_user int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM slashes WHERE closed_at IS NULL AND (subject_address = the_address OR subject_user_id = the_user)) THEN
    RAISE EXCEPTION 'an open slash names % or user %', the_address, the_user USING ERRCODE = '23514';
  END IF;
END $$;

-- Makes the profile of an address; where that is nobody's (a name is given) its user, too. Of the open invitations to it one is
-- accepted, if any, and the others come to nothing.
CREATE FUNCTION create_profile(the_id int, the_user int, the_name text, the_avatar text, the_address bytea, the_inviter int,
                               the_invitation int, the_invites int, the_time timestamptz, the_seq bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF the_id <> greatest((SELECT max(id) FROM profiles), (SELECT max(mock_id) FROM placeholders), 0) + 1 THEN
    RAISE EXCEPTION 'profile % does not follow the last one', the_id USING ERRCODE = '23514';
  END IF;
  PERFORM check_no_open_slash(the_address, the_user);
  IF the_name IS NOT NULL THEN
    INSERT INTO users (id, display_name, avatar_url, status, first_seen_at) VALUES (the_user, the_name, the_avatar, 'ACTIVE', the_time);
    INSERT INTO addresses (address, user_id, kind, added_at, first_seen_at) VALUES (the_address, the_user, 'primary', the_time, the_time);
  ELSE
    IF NOT EXISTS (SELECT FROM addresses WHERE address = the_address AND user_id = the_user) THEN
      RAISE EXCEPTION 'the address of profile % is not its user''s', the_id USING ERRCODE = '23514';
    END IF;
    UPDATE users SET status = 'ACTIVE' WHERE id = the_user;
  END IF;
  INSERT INTO profiles (id, user_id, created_at, updated_at, invites_available, invited_by, seq)
    VALUES (the_id, the_user, the_time, the_time, the_invites, the_inviter, the_seq);
  UPDATE invitations SET status = CASE WHEN id = the_invitation THEN 'ACCEPTED' ELSE 'ACCEPTED_OTHER_INVITATION' END,
    accepted_at = the_time, profile = the_id WHERE recipient = the_address AND status = 'INVITED';
END $$;

CREATE FUNCTION archive_profile(the_id int, the_user int, is_archived boolean, the_time timestamptz) RETURNS void LANGUAGE sql AS $$
  UPDATE profiles SET archived = is_archived, updated_at = greatest(updated_at, the_time) WHERE id = the_id AND user_id = the_user;
  UPDATE users SET status = CASE WHEN is_archived THEN 'INACTIVE' ELSE 'ACTIVE' END WHERE id = the_user;
$$;

-- An address that is nobody's, or of somebody without a profile (the_before), becomes a profile's. What its subject has received
-- comes along; where that somebody has nothing else they turn out to be the profile's user.
CREATE FUNCTION link_address(the_address bytea, the_user int, the_before int, is_merged boolean, is_primary boolean, the_time timestamptz)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM check_no_open_slash(the_address, the_before);
  IF the_before IS NULL THEN
    INSERT INTO addresses (address, user_id, kind, added_at, first_seen_at)
      VALUES (the_address, the_user, CASE WHEN is_primary THEN 'primary' ELSE 'linked' END, the_time, the_time);
  ELSE
    UPDATE addresses SET user_id = the_user, kind = CASE WHEN is_primary THEN 'primary' ELSE 'linked' END, added_at = the_time,
      compromised = false WHERE address = the_address AND user_id = the_before;
    IF NOT FOUND OR EXISTS (SELECT FROM profiles WHERE user_id = the_before) THEN
      RAISE EXCEPTION 'address % belongs to somebody else', the_address USING ERRCODE = '23514';
    END IF;
  END IF;
  UPDATE subjects SET user_id = the_user
    WHERE key = the_address AND generation = (SELECT max(generation) FROM subjects WHERE key = the_address);
  IF is_merged THEN
    UPDATE subjects SET user_id = the_user WHERE user_id = the_before;
    UPDATE users SET status = 'MERGED', merged_into = the_user WHERE id = the_before;
  END IF;
END $$;

-- A profile lets an address go: it gets a user of its own, and the next generation of its subject if it was ever one.
CREATE FUNCTION unlink_address(the_address bytea, the_profile int, the_user int, the_name text, the_avatar text, the_generation int,
                               the_primary bytea, the_time timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  owner int;
BEGIN
  SELECT user_id INTO owner FROM profiles WHERE id = the_profile;
  PERFORM check_no_open_slash(the_address, owner);
  INSERT INTO users (id, display_name, avatar_url, status, first_seen_at) VALUES (the_user, the_name, the_avatar, 'INACTIVE', the_time);
  UPDATE addresses SET user_id = the_user, kind = 'primary', unlinked_at = the_time WHERE address = the_address AND user_id = owner
    AND kind IN ('primary', 'linked');
  IF NOT FOUND OR NOT EXISTS (SELECT FROM addresses WHERE user_id = owner AND kind IN ('primary', 'linked')) THEN
    RAISE EXCEPTION 'address % cannot leave profile %', the_address, the_profile USING ERRCODE = '23514';
  END IF;
  IF the_primary IS NOT NULL THEN
    UPDATE addresses SET kind = 'primary' WHERE address = the_primary AND user_id = owner;
  END IF;
  IF the_generation IS NOT NULL THEN
    INSERT INTO subjects (key, generation, user_id) VALUES (the_address, the_generation, the_user);
  END IF;
END $$;

-- -- vouches --------------------------------------------------------------------------

CREATE TABLE vouches (
  contract text NOT NULL CHECK (contract IN ('vouch', 'vouchV2', 'api')),
  number int NOT NULL CHECK (number >= 0),
  author_profile int NOT NULL REFERENCES profiles,
  author_address bytea CHECK (octet_length(author_address) = 20),
  subject_key bytea NOT NULL,
  subject_generation int NOT NULL,
  subject_profile int, -- the contract's, which may be of somebody who has not joined
  token text NOT NULL CHECK (token IN ('eth', 'whuf')),
  staked numeric(78, 0) NOT NULL CHECK (staked >= 0),
  deposited numeric(78, 0) NOT NULL CHECK (deposited >= 0 AND deposited <= staked),
  balance numeric(78, 0) NOT NULL CHECK (balance >= 0),
  withdrawn numeric(78, 0) NOT NULL DEFAULT 0 CHECK (withdrawn >= 0),
  wei_days0 numeric(78, 0) NOT NULL CHECK (wei_days0 >= 0),
  comment text NOT NULL,
  metadata text NOT NULL,
  archived boolean NOT NULL DEFAULT false,
  unhealthy boolean NOT NULL DEFAULT false,
  frozen boolean NOT NULL DEFAULT false,
  vouched_at timestamptz NOT NULL,
  unvouched_at timestamptz CHECK (unvouched_at >= vouched_at),
  unhealthy_at timestamptz,
  seq bigint UNIQUE CHECK (seq > 0),
  source text NOT NULL DEFAULT 'api' CHECK (source IN ('chain', 'api')),
  event_id bigint,
  block bigint,
  PRIMARY KEY (contract, number),
  FOREIGN KEY (subject_key, subject_generation) REFERENCES subjects,
  CHECK ((source = 'api') = (contract = 'api')),
  CONSTRAINT vouches_ended CHECK (archived = (unvouched_at IS NOT NULL) AND (NOT archived OR (balance = 0 AND wei_days0 = 0))
    AND unhealthy = (unhealthy_at IS NOT NULL)),
  -- Declared, not held: what was put in is there, or was taken back.
  CONSTRAINT vouches_of_api CHECK (source = 'chain' OR (number > 0 AND seq IS NOT NULL AND staked > 0 AND deposited = staked
    AND balance + withdrawn = deposited AND char_length(comment) <= 2000 AND char_length(metadata) <= 5000))
);
CREATE UNIQUE INDEX vouches_active ON vouches (author_profile, subject_key, subject_generation, token) WHERE NOT archived;
CREATE INDEX vouches_author ON vouches (author_profile, vouched_at DESC);
CREATE INDEX vouches_subject ON vouches (subject_key, subject_generation, vouched_at DESC);

-- What vouches come to: for those who give them, and for their subjects. A lifetime counts all that was ever put in, and more
-- where more came of it.
CREATE FUNCTION move_user_vouches(the_user int, the_token text, given numeric, given_n bigint, given_ever numeric, given_ever_n bigint,
                                  received numeric, received_n bigint, received_ever numeric, received_ever_n bigint) RETURNS void
  LANGUAGE sql AS $$
  INSERT INTO user_vouches (user_id, token) VALUES (the_user, the_token) ON CONFLICT DO NOTHING;
  UPDATE user_vouches SET given_wei = given_wei + given, given_count = given_count + given_n,
    lifetime_given_wei = lifetime_given_wei + given_ever, lifetime_given_count = lifetime_given_count + given_ever_n,
    received_wei = received_wei + received, received_count = received_count + received_n,
    lifetime_received_wei = lifetime_received_wei + received_ever, lifetime_received_count = lifetime_received_count + received_ever_n
    WHERE user_id = the_user AND token = the_token;
$$;
CREATE FUNCTION move_vouch_sums(fresh vouches[], gone vouches[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  d record;
BEGIN
  FOR d IN SELECT (SELECT p.user_id FROM profiles p WHERE p.id = m.author_profile) AS author, m.subject_key, m.subject_generation, m.token,
      coalesce(sum(m.sign * m.balance) FILTER (WHERE NOT m.archived), 0) AS wei,
      coalesce(sum(m.sign) FILTER (WHERE NOT m.archived), 0) AS n,
      sum(m.sign * greatest(m.deposited, m.balance + m.withdrawn)) AS ever, sum(m.sign) AS ever_n
    FROM (SELECT 1 AS sign, f.* FROM unnest(fresh) f UNION ALL SELECT -1, g.* FROM unnest(gone) g) m
    GROUP BY m.author_profile, m.subject_key, m.subject_generation, m.token LOOP
    CONTINUE WHEN (d.wei, d.n, d.ever, d.ever_n) = (0, 0, 0, 0);
    PERFORM move_user_vouches(d.author, d.token, d.wei, d.n, d.ever, d.ever_n, 0, 0, 0, 0);
    IF d.token = 'eth' THEN
      UPDATE subjects SET eth_wei = eth_wei + d.wei, eth_count = eth_count + d.n, eth_ever_wei = eth_ever_wei + d.ever,
        eth_ever_count = eth_ever_count + d.ever_n WHERE key = d.subject_key AND generation = d.subject_generation;
    ELSE
      UPDATE subjects SET whuf_wei = whuf_wei + d.wei, whuf_count = whuf_count + d.n, whuf_ever_wei = whuf_ever_wei + d.ever,
        whuf_ever_count = whuf_ever_count + d.ever_n WHERE key = d.subject_key AND generation = d.subject_generation;
    END IF;
  END LOOP;
END $$;
CREATE FUNCTION count_vouches() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM move_vouch_sums((SELECT array_agg(ROW(f.*)::vouches) FROM fresh f), '{}');
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM move_vouch_sums('{}', (SELECT array_agg(ROW(g.*)::vouches) FROM gone g));
  ELSE
    PERFORM move_vouch_sums((SELECT array_agg(ROW(f.*)::vouches) FROM fresh f), (SELECT array_agg(ROW(g.*)::vouches) FROM gone g));
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION move_subject_vouches(fresh subjects[], gone subjects[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  d record;
BEGIN
  FOR d IN SELECT user_id, sum(sign * eth_wei) AS eth, sum(sign * eth_count) AS eth_n, sum(sign * eth_ever_wei) AS eth_ever,
      sum(sign * eth_ever_count) AS eth_ever_n, sum(sign * whuf_wei) AS whuf, sum(sign * whuf_count) AS whuf_n,
      sum(sign * whuf_ever_wei) AS whuf_ever, sum(sign * whuf_ever_count) AS whuf_ever_n
    FROM (SELECT 1 AS sign, f.* FROM unnest(fresh) f UNION ALL SELECT -1, g.* FROM unnest(gone) g) m GROUP BY user_id LOOP
    IF (d.eth, d.eth_n, d.eth_ever, d.eth_ever_n) <> (0, 0, 0, 0) THEN
      PERFORM move_user_vouches(d.user_id, 'eth', 0, 0, 0, 0, d.eth, d.eth_n::bigint, d.eth_ever, d.eth_ever_n::bigint);
    END IF;
    IF (d.whuf, d.whuf_n, d.whuf_ever, d.whuf_ever_n) <> (0, 0, 0, 0) THEN
      PERFORM move_user_vouches(d.user_id, 'whuf', 0, 0, 0, 0, d.whuf, d.whuf_n::bigint, d.whuf_ever, d.whuf_ever_n::bigint);
    END IF;
  END LOOP;
END $$;
CREATE FUNCTION count_subject_vouches() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM move_subject_vouches((SELECT array_agg(ROW(f.*)::subjects) FROM fresh f), '{}');
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM move_subject_vouches('{}', (SELECT array_agg(ROW(g.*)::subjects) FROM gone g));
  ELSE
    PERFORM move_subject_vouches((SELECT array_agg(ROW(f.*)::subjects) FROM fresh f), (SELECT array_agg(ROW(g.*)::subjects) FROM gone g));
  END IF;
  RETURN NULL;
END $$;

-- An author, a subject and a token make a vouch; once it is withdrawn it stays so.
CREATE FUNCTION check_changed_vouch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'vouch % can only grow, shrink, end and be called unhealthy', OLD.number USING ERRCODE = '23514';
END $$;
CREATE TRIGGER check_changed_vouch BEFORE UPDATE ON vouches FOR EACH ROW
  WHEN (NEW.source = 'api' AND ((OLD.contract, OLD.number, OLD.author_profile, OLD.subject_key, OLD.token, OLD.vouched_at, OLD.seq)
          IS DISTINCT FROM (NEW.contract, NEW.number, NEW.author_profile, NEW.subject_key, NEW.token, NEW.vouched_at, NEW.seq)
        OR (OLD.archived AND NOT NEW.archived))) EXECUTE FUNCTION check_changed_vouch();

-- -- replies and votes on activities ---------------------------------------------------

CREATE TABLE replies (
  id int PRIMARY KEY CHECK (id >= 0),
  author_profile int REFERENCES profiles,
  target_kind text NOT NULL CHECK (target_kind <> ''),
  target_id int,
  parent_id int,
  content text NOT NULL,
  metadata text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL CHECK (updated_at >= created_at),
  edits int NOT NULL DEFAULT 0 CHECK (edits >= 0),
  pinned boolean NOT NULL DEFAULT false,
  seq bigint UNIQUE CHECK (seq > 0),
  source text NOT NULL DEFAULT 'api' CHECK (source IN ('chain', 'api')),
  event_id bigint,
  block bigint,
  CONSTRAINT replies_of_api CHECK (source = 'chain' OR (id > 0 AND seq IS NOT NULL AND author_profile IS NOT NULL AND target_id IS NOT NULL
    AND char_length(content) BETWEEN 1 AND 2000 AND char_length(metadata) <= 5000))
);
CREATE INDEX replies_target ON replies (target_kind, target_id, created_at);
CREATE INDEX replies_author ON replies (author_profile, created_at DESC);

CREATE TABLE activity_votes (
  kind text NOT NULL CHECK (kind <> ''),
  target_id int NOT NULL,
  voter int NOT NULL REFERENCES profiles,
  number int NOT NULL UNIQUE CHECK (number >= 0),
  upvote boolean NOT NULL,
  archived boolean NOT NULL DEFAULT false, -- withdrawn
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL CHECK (updated_at >= created_at),
  source text NOT NULL DEFAULT 'api' CHECK (source IN ('chain', 'api')),
  event_id bigint,
  block bigint,
  PRIMARY KEY (kind, target_id, voter)
);
CREATE INDEX activity_votes_voter ON activity_votes (voter);

CREATE TABLE activity_tallies (
  kind text NOT NULL,
  target_id int NOT NULL,
  up bigint NOT NULL DEFAULT 0 CHECK (up >= 0),
  down bigint NOT NULL DEFAULT 0 CHECK (down >= 0),
  replies bigint NOT NULL DEFAULT 0 CHECK (replies >= 0),
  PRIMARY KEY (kind, target_id)
);
CREATE FUNCTION move_tallies(kinds text[], targets int[], ups int[], downs int[], reply_moves int[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO activity_tallies (kind, target_id) SELECT DISTINCT * FROM unnest(kinds, targets) ORDER BY 1, 2 ON CONFLICT DO NOTHING;
  UPDATE activity_tallies t SET up = t.up + d.up, down = t.down + d.down, replies = t.replies + d.replies
    FROM (SELECT k, i, sum(u) AS up, sum(w) AS down, sum(r) AS replies FROM unnest(kinds, targets, ups, downs, reply_moves) x (k, i, u, w, r)
          GROUP BY k, i) d
    WHERE t.kind = d.k AND t.target_id = d.i AND (d.up, d.down, d.replies) <> (0, 0, 0);
$$;
CREATE FUNCTION count_activity_votes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    PERFORM move_tallies(array_agg(kind), array_agg(target_id), array_agg(-(upvote::int)), array_agg(-((NOT upvote)::int)), array_agg(0))
      FROM gone WHERE NOT archived HAVING count(*) > 0;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    PERFORM move_tallies(array_agg(kind), array_agg(target_id), array_agg(upvote::int), array_agg((NOT upvote)::int), array_agg(0))
      FROM fresh WHERE NOT archived HAVING count(*) > 0;
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION count_replies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    PERFORM move_tallies(array_agg(target_kind), array_agg(target_id), array_agg(0), array_agg(0), array_agg(-1))
      FROM gone WHERE target_id IS NOT NULL HAVING count(*) > 0;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    PERFORM move_tallies(array_agg(target_kind), array_agg(target_id), array_agg(0), array_agg(0), array_agg(1))
      FROM fresh WHERE target_id IS NOT NULL HAVING count(*) > 0;
  END IF;
  RETURN NULL;
END $$;

-- What is said of a listing is counted beside it.
CREATE FUNCTION count_comments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE projects p SET comment_count = p.comment_count + d.n
      FROM (SELECT target_id, count(*) AS n FROM fresh WHERE target_kind = 'project' GROUP BY 1) d WHERE p.id = d.target_id;
  ELSIF TG_OP = 'DELETE' THEN
    UPDATE projects p SET comment_count = p.comment_count - d.n
      FROM (SELECT target_id, count(*) AS n FROM gone WHERE target_kind = 'project' GROUP BY 1) d WHERE p.id = d.target_id;
  END IF;
  RETURN NULL;
END $$;

-- Ids of the API have no gaps.
CREATE FUNCTION check_new_ids() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  what text := TG_ARGV[0]; -- the column
  given record;
  before int;
BEGIN
  EXECUTE format('SELECT count(*) AS n, min(%1$I) AS least, max(%1$I) AS most FROM fresh WHERE source = ''api''', what) INTO given;
  IF given.n > 0 THEN
    EXECUTE format('SELECT coalesce(max(%1$I), 0) FROM %2$I WHERE source = ''api'' AND %1$I < $1', what, TG_TABLE_NAME) INTO before
      USING given.least;
    IF given.least <> before + 1 OR given.most - given.least + 1 <> given.n THEN
      RAISE EXCEPTION 'number % of % does not follow the last one, %', given.least, TG_TABLE_NAME, before USING ERRCODE = '23514';
    END IF;
  END IF;
  RETURN NULL;
END $$;
DO $$
DECLARE
  part text;
  what text;
BEGIN
  FOR part, what IN VALUES ('reviews', 'id'), ('invitations', 'id'), ('vouches', 'number'), ('replies', 'id'), ('activity_votes', 'number') LOOP
    EXECUTE format('CREATE INDEX %1$s_of_api ON %1$I (%2$I) WHERE source = ''api''', part, what);
    EXECUTE format('CREATE TRIGGER check_new_ids AFTER INSERT ON %I REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT '
                   'EXECUTE FUNCTION check_new_ids(%L)', part, what);
  END LOOP;
END $$;

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

-- An edit that feeds do not show leaves their rows alone.
CREATE FUNCTION show_vouches() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    UPDATE activities a SET archived = f.archived, subject_key = f.subject_key, subject_generation = f.subject_generation FROM fresh f
      WHERE a.kind = CASE f.contract WHEN 'vouchV2' THEN 'vouchV2' ELSE 'vouch' END AND a.id = f.number
        AND (a.archived, a.subject_key, a.subject_generation) IS DISTINCT FROM (f.archived, f.subject_key, f.subject_generation);
  ELSIF TG_OP = 'DELETE' THEN
    DELETE FROM activities a USING gone g WHERE a.kind = CASE g.contract WHEN 'vouchV2' THEN 'vouchV2' ELSE 'vouch' END AND a.id = g.number;
  ELSE
    INSERT INTO activities (kind, id, at, author_user, subject_key, subject_generation, archived)
      SELECT CASE contract WHEN 'vouchV2' THEN 'vouchV2' ELSE 'vouch' END, number, vouched_at,
        (SELECT p.user_id FROM profiles p WHERE p.id = author_profile), subject_key, subject_generation, archived FROM fresh;
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION show_replies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM activities a USING gone g WHERE a.kind = 'reply' AND a.id = g.id;
  ELSIF TG_OP = 'INSERT' THEN
    INSERT INTO activities (kind, id, at, author_user)
      SELECT 'reply', id, created_at, (SELECT p.user_id FROM profiles p WHERE p.id = author_profile) FROM fresh;
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION show_reviews() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    UPDATE activities a SET archived = f.archived, subject_key = f.subject_key, subject_generation = f.subject_generation FROM fresh f
      WHERE a.kind = 'review' AND a.id = f.id
        AND (a.archived, a.subject_key, a.subject_generation) IS DISTINCT FROM (f.archived, f.subject_key, f.subject_generation);
  ELSIF TG_OP = 'DELETE' THEN
    DELETE FROM activities a USING gone g WHERE a.kind = 'review' AND a.id = g.id;
  ELSE
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
  FOR part, teller IN VALUES ('reviews', 'count_reviews'), ('subjects', 'count_subjects'), ('subjects', 'count_subject_vouches'),
      ('vouches', 'count_vouches'), ('replies', 'count_replies'), ('replies', 'count_comments'), ('activity_votes', 'count_activity_votes'), ('reviews', 'show_reviews'),
      ('vouches', 'show_vouches'), ('replies', 'show_replies') LOOP
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
COMMENT ON TABLE invitations IS 'who asked whom to join, and what became of it';
COMMENT ON TABLE vouches IS 'money that profiles stand behind a subject with; declared over the API, held by a contract';
COMMENT ON TABLE replies IS 'what profiles say to an activity';
COMMENT ON TABLE activity_votes IS 'the vote of a profile on an activity, as it stands';
COMMENT ON TABLE activity_tallies IS 'derived by triggers: votes on an activity, and replies to it';
