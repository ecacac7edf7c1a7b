-- Records: reviews, vouches, replies, votes on activities, invitations, bonds. Sums are kept by triggers on the rows they count,
-- whoever writes those: each insert, update or delete moves them by its share.

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
  since_block bigint,
  read_service text,
  read_account text CHECK (read_account <> ''),
  PRIMARY KEY (key, generation),
  CHECK ((service IS NULL) = (account IS NULL) AND (service IS NULL OR octet_length(key) = 32)),
  CHECK ((read_service IS NULL) = (read_account IS NULL) AND (read_service IS NULL OR octet_length(key) = 32))
) WITH (fillfactor = 80);
CREATE INDEX subjects_user ON subjects (user_id);
COMMENT ON TABLE subjects IS 'what reviews and vouches are about, with what it has received (kept by triggers) and whose it is';

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
COMMENT ON TABLE placeholders IS 'ids that a chain gave to people who had not joined yet';

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
  since_block bigint,
  came_in_at timestamptz,
  FOREIGN KEY (subject_key, subject_generation) REFERENCES subjects,
  CONSTRAINT reviews_of_api CHECK (source = 'chain' OR (id > 0 AND seq IS NOT NULL AND author_profile IS NOT NULL
    AND char_length(comment) BETWEEN 1 AND 2000 AND char_length(metadata) <= 5000))
);
CREATE INDEX reviews_author ON reviews (author_profile, created_at DESC, id DESC);
CREATE INDEX reviews_subject ON reviews (subject_key, subject_generation, created_at DESC, id DESC);
COMMENT ON TABLE reviews IS 'reviews of a subject by a profile; archived ones count for nothing';
CREATE INDEX reviews_between ON reviews (author_profile, subject_key, subject_generation, created_at DESC, id DESC) WHERE NOT archived;
-- Pieces go down these.
CREATE INDEX reviews_by_author ON reviews (author_profile, id);
CREATE INDEX reviews_by_subject ON reviews (subject_key, subject_generation, id);

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
COMMENT ON TABLE invitations IS 'who asked whom to join, and what became of it';
CREATE INDEX invitations_of_sender ON invitations (sender, status, id DESC);
CREATE INDEX invitations_of_status ON invitations (status, id DESC);
-- Whoever is invited, uninvited and invited again is looked up by every one of these events.
CREATE INDEX invitations_recipient ON invitations (recipient);
CREATE INDEX invitations_profile ON invitations (profile) WHERE status = 'ACCEPTED_OTHER_INVITATION';

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
  slashed numeric(78, 0) NOT NULL DEFAULT 0 CHECK (slashed >= 0),
  told_parts text, -- what the balance consists of, as events tell: [[day since 1970, "wei"], …]; null: of the API
  told_metadata text, -- as an event told it; null: no event did
  since_block bigint,
  came_in_at timestamptz,
  PRIMARY KEY (contract, number),
  FOREIGN KEY (subject_key, subject_generation) REFERENCES subjects,
  CHECK ((source = 'api') = (contract = 'api')),
  CONSTRAINT vouches_ended CHECK (archived = (unvouched_at IS NOT NULL) AND (NOT archived OR balance = 0)
  AND unhealthy = (unhealthy_at IS NOT NULL)),
  CONSTRAINT vouches_of_api CHECK (source = 'chain' OR (number > 0 AND seq IS NOT NULL AND staked > 0 AND deposited = staked
    AND balance + withdrawn + slashed = deposited AND char_length(comment) <= 2000 AND char_length(metadata) <= 5000)),
  CONSTRAINT vouches_of_chain CHECK (source = 'api' OR told_parts IS NOT NULL)
);
CREATE UNIQUE INDEX vouches_active ON vouches (author_profile, subject_key, subject_generation, token) WHERE NOT archived;
CREATE INDEX vouches_author ON vouches (author_profile, vouched_at DESC);
CREATE INDEX vouches_subject ON vouches (subject_key, subject_generation, vouched_at DESC);
COMMENT ON TABLE vouches IS 'money that profiles stand behind a subject with; declared over the API, held by a contract';
CREATE INDEX vouches_given ON vouches (author_profile, archived, vouched_at DESC, number DESC);
CREATE INDEX vouches_received ON vouches (subject_key, subject_generation, archived, vouched_at DESC, number DESC);
CREATE INDEX vouches_made ON vouches (archived, vouched_at DESC, number DESC);
COMMENT ON COLUMN vouches.slashed IS 'what slashes took';
CREATE INDEX vouches_pool ON vouches (subject_profile) WHERE contract = 'vouch' AND NOT archived;
CREATE INDEX vouches_wallet ON vouches (author_address) WHERE contract = 'vouchV2' AND NOT archived;
COMMENT ON COLUMN vouches.told_parts IS 'of a vouch of a chain: its parts, from which vouch_parts is derived by a trigger';
CREATE INDEX vouches_by_subject ON vouches (subject_key, subject_generation, contract, number);
CREATE INDEX vouches_by_author ON vouches (author_profile, contract, number);

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
  since_block bigint,
  came_in_at timestamptz,
  CONSTRAINT replies_of_api CHECK (source = 'chain' OR (id > 0 AND seq IS NOT NULL AND author_profile IS NOT NULL AND target_id IS NOT NULL
    AND char_length(content) BETWEEN 1 AND 2000 AND char_length(metadata) <= 5000))
);
CREATE INDEX replies_author ON replies (author_profile, created_at DESC);
COMMENT ON TABLE replies IS 'what profiles say to an activity';
-- Whether somebody takes part in the discussion of an activity. It is asked for by `id + 0`, which no other index has: a plan that
-- walks replies until it meets one must not be thought cheaper.
CREATE INDEX replies_of_author_on ON replies (author_profile, target_kind, target_id, (id + 0));
CREATE INDEX replies_on ON replies (target_kind, target_id, created_at DESC, id DESC);
-- Replies below one whose target is known now come into its thread, whichever text was read first.
CREATE INDEX replies_below ON replies (parent_id) WHERE target_id IS NULL;

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
  came_in_at timestamptz,
  PRIMARY KEY (kind, target_id, voter)
);
COMMENT ON TABLE activity_votes IS 'the vote of a profile on an activity, as it stands';
-- Votes that count, one way or the other, the latest first.
CREATE INDEX activity_votes_latest ON activity_votes (kind, target_id, upvote, updated_at DESC, number DESC) WHERE NOT archived;
CREATE INDEX activity_votes_by_voter ON activity_votes (voter, number);

CREATE TABLE activity_tallies (
  kind text NOT NULL,
  target_id int NOT NULL,
  up bigint NOT NULL DEFAULT 0 CHECK (up >= 0),
  down bigint NOT NULL DEFAULT 0 CHECK (down >= 0),
  replies bigint NOT NULL DEFAULT 0 CHECK (replies >= 0),
  PRIMARY KEY (kind, target_id)
);
COMMENT ON TABLE activity_tallies IS 'derived by triggers: votes on an activity, and replies to it';

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
COMMENT ON TABLE activities IS 'derived by triggers: what feeds are made of';
-- Lists of records: each begins where an index says, and walks no further than it shows or counts.

-- Feeds merge a run of rows for each kind, live or archived, of an author, of a subject or of all.
CREATE INDEX activities_given ON activities (author_user, kind, archived, at DESC, id DESC);
CREATE INDEX activities_received ON activities (subject_key, subject_generation, kind, archived, at DESC, id DESC);
CREATE INDEX activities_feed ON activities (kind, archived, at DESC, id DESC);

-- Bonds, and human verification as it follows from them: three verifiers whose bonds for a person are in force at once make the
-- person verified, one or two leave it pending, and whoever had three and has fewer now is revoked. What an admin decided
-- (human_verifications) stands above that.
CREATE TABLE bonds (
  id int PRIMARY KEY CHECK (id >= 0),
  author_profile int NOT NULL REFERENCES profiles,
  subject_key bytea, -- of the profile that it is about
  subject_generation int,
  subject_profile int REFERENCES profiles CHECK (subject_profile <> author_profile),
  bond_type text NOT NULL,
  amount text NOT NULL, -- a text, as in the contract
  amount_type text NOT NULL,
  statement text NOT NULL,
  method text CHECK (method IN ('IRL', 'VIDEO', 'VOICE')),
  comment text NOT NULL CHECK (char_length(comment) <= 2000),
  expires_at timestamptz,
  lapsed boolean NOT NULL DEFAULT false, -- it is known that it has expired
  archived boolean NOT NULL DEFAULT false,
  archived_at timestamptz CHECK (archived_at >= created_at),
  archived_by int CHECK (archived_by > 0), -- the id in the admin's token
  archive_reason text,
  created_by int CHECK (created_by > 0),
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL CHECK (updated_at >= created_at),
  seq bigint UNIQUE CHECK (seq > 0),
  source text NOT NULL DEFAULT 'api' CHECK (source IN ('chain', 'api')),
  event_id bigint,
  block bigint,
  told_expiration text, -- as an event told it last
  told_expires_at timestamptz, -- of the last expiration of an event that could be read
  archived_by_wallet bytea CHECK (octet_length(archived_by_wallet) = 20), -- who archived it on the chain
  since_block bigint,
  read_expires_at timestamptz, -- as the contract told it
  FOREIGN KEY (subject_key, subject_generation) REFERENCES subjects,
  CONSTRAINT bonds_archived CHECK (archived = (archived_at IS NOT NULL) AND archived = (archive_reason IS NOT NULL)),
  CONSTRAINT bonds_texts CHECK (char_length(bond_type) <= 256 AND char_length(amount) <= 256 AND char_length(amount_type) <= 256
    AND char_length(archive_reason) <= 256),
  CONSTRAINT bonds_of_api CHECK (source = 'chain' OR (id > 0 AND seq IS NOT NULL AND created_by IS NOT NULL
    AND archived = (archived_by IS NOT NULL) AND subject_key IS NOT NULL AND subject_generation IS NOT NULL AND subject_profile IS NOT NULL
    AND expires_at IS NOT NULL AND bond_type <> '' AND amount <> '' AND amount_type <> '' AND archive_reason IS DISTINCT FROM '')),
  CONSTRAINT bonds_statement_check CHECK (source = 'chain' OR char_length(statement) <= 2000)
);
CREATE INDEX bonds_subject ON bonds (subject_profile, id DESC);
CREATE INDEX bonds_in_force ON bonds (subject_profile) WHERE NOT archived AND NOT lapsed;
CREATE INDEX bonds_to_lapse ON bonds (expires_at) WHERE NOT archived AND NOT lapsed;
CREATE INDEX bonds_of_api_ids ON bonds (id) WHERE source = 'api';
COMMENT ON TABLE bonds IS 'what verifiers declare to lose if the person behind a profile is not who they say';

-- -- human verification ---------------------------------------------------------------

-- Who has ever had a bond.
CREATE TABLE bonded_people (
  user_id int PRIMARY KEY REFERENCES users,
  given text, -- the status before the first bond
  verifiers int NOT NULL DEFAULT 0 CHECK (verifiers >= 0), -- whose bonds are in force
  reached boolean NOT NULL DEFAULT false -- there were three once
);
COMMENT ON TABLE bonded_people IS 'derived by trigger: whose bonds for a person are in force, and the status before the first';

-- What the fees of others' vouches brought a profile, also one that nobody has joined by.
CREATE TABLE vouch_rewards (
  profile int PRIMARY KEY,
  balance numeric(78, 0) NOT NULL CHECK (balance >= 0),
  deposited numeric(78, 0) NOT NULL CHECK (deposited >= 0),
  withdrawn numeric(78, 0) NOT NULL CHECK (withdrawn >= 0),
  source text NOT NULL DEFAULT 'chain' CHECK (source = 'chain'),
  event_id bigint,
  block bigint
);
COMMENT ON TABLE vouch_rewards IS 'what fees of vouches brought profiles, as events of the contract tell';

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

-- Nothing but its own rows counts here: fresh rows, rows that went, or both.
CREATE FUNCTION move_review_counts(keys bytea[], generations int[], scores smallint[], moves int[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE subjects s SET reviews_negative = s.reviews_negative + d.negative, reviews_neutral = s.reviews_neutral + d.neutral,
    reviews_positive = s.reviews_positive + d.positive
  FROM (SELECT u.key, u.generation, coalesce(sum(n) FILTER (WHERE score = 0), 0) AS negative,
          coalesce(sum(n) FILTER (WHERE score = 1), 0) AS neutral, coalesce(sum(n) FILTER (WHERE score = 2), 0) AS positive
        FROM unnest(keys, generations, scores, moves) u (key, generation, score, n) GROUP BY u.key, u.generation) d
  WHERE s.key = d.key AND s.generation = d.generation AND (d.negative, d.neutral, d.positive) <> (0, 0, 0);
END $$;

CREATE FUNCTION count_reviews() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
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
CREATE FUNCTION move_user_reviews(users int[], negatives bigint[], neutrals bigint[], positives bigint[]) RETURNS void
  LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users u SET reviews_negative = u.reviews_negative + d.negative, reviews_neutral = u.reviews_neutral + d.neutral,
    reviews_positive = u.reviews_positive + d.positive
  FROM (SELECT user_id, sum(negative) AS negative, sum(neutral) AS neutral, sum(positive) AS positive
        FROM unnest(users, negatives, neutrals, positives) x (user_id, negative, neutral, positive) GROUP BY user_id) d
  WHERE u.id = d.user_id AND (d.negative, d.neutral, d.positive) <> (0, 0, 0);
END $$;

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

-- No address changes its owner while an open slash names it or that owner.
CREATE FUNCTION check_no_open_slash(the_address bytea, the_user int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM slashes WHERE closed_at IS NULL AND (subject_address = the_address OR subject_user_id = the_user)) THEN
    RAISE EXCEPTION 'an open slash names % or user %', the_address, the_user USING ERRCODE = '23514';
  END IF;
END $$;

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

CREATE FUNCTION count_vouches() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
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

CREATE FUNCTION move_tallies(kinds text[], targets int[], ups int[], downs int[], reply_moves int[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO activity_tallies (kind, target_id) SELECT DISTINCT * FROM unnest(kinds, targets) ORDER BY 1, 2 ON CONFLICT DO NOTHING;
  UPDATE activity_tallies t SET up = t.up + d.up, down = t.down + d.down, replies = t.replies + d.replies
    FROM (SELECT k, i, sum(u) AS up, sum(w) AS down, sum(r) AS replies FROM unnest(kinds, targets, ups, downs, reply_moves) x (k, i, u, w, r)
          GROUP BY k, i) d
    WHERE t.kind = d.k AND t.target_id = d.i AND (d.up, d.down, d.replies) <> (0, 0, 0);
END $$;

CREATE FUNCTION count_activity_votes() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
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

CREATE FUNCTION count_replies() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
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

-- A reply tells its target only with its text.
CREATE FUNCTION count_comments() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    UPDATE projects p SET comment_count = p.comment_count - d.n
      FROM (SELECT g.target_id, count(*) AS n FROM gone g WHERE g.target_kind = 'project' GROUP BY 1) d WHERE p.id = d.target_id;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    UPDATE projects p SET comment_count = p.comment_count + d.n
      FROM (SELECT f.target_id, count(*) AS n FROM fresh f WHERE f.target_kind = 'project' GROUP BY 1) d WHERE p.id = d.target_id;
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
CREATE TRIGGER check_new_ids AFTER INSERT ON bonds REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION check_new_ids('id');

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

-- What a bond says stays; it ends once.
CREATE FUNCTION check_changed_bond() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'bond %: only its expiration may change, until it is archived for good', OLD.id USING ERRCODE = '23514';
END $$;
CREATE TRIGGER check_changed_bond BEFORE UPDATE ON bonds FOR EACH ROW
  WHEN (NEW.source = 'api' AND (OLD.archived OR (OLD.id, OLD.author_profile, OLD.subject_profile, OLD.bond_type, OLD.amount, OLD.amount_type,
    OLD.created_at, OLD.seq) IS DISTINCT FROM (NEW.id, NEW.author_profile, NEW.subject_profile, NEW.bond_type, NEW.amount, NEW.amount_type,
    NEW.created_at, NEW.seq))) EXECUTE FUNCTION check_changed_bond();

-- A status that was there before bonds, and that they do not explain, is not made worse by the first of them.
CREATE FUNCTION bonded_status(verifiers int, reached boolean, given text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN verifiers >= 3 THEN 'VERIFIED' WHEN reached THEN 'REVOKED' WHEN given IN ('VERIFIED', 'REVOKED') THEN given
    WHEN verifiers > 0 THEN 'PENDING' ELSE given END
$$;

CREATE FUNCTION count_bonds_of(the_profile int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  who int := (SELECT user_id FROM profiles WHERE id = the_profile);
  in_force int;
BEGIN
  PERFORM FROM users WHERE id = who FOR NO KEY UPDATE; -- whoever counts, or decides on this person, at the same time is waited for
  in_force := (SELECT count(DISTINCT author_profile) FROM bonds WHERE subject_profile = the_profile AND NOT archived AND NOT lapsed);
  INSERT INTO bonded_people (user_id, given) SELECT id, human_verification FROM users WHERE id = who ON CONFLICT DO NOTHING;
  UPDATE bonded_people SET verifiers = in_force, reached = reached OR in_force >= 3 WHERE user_id = who;
  UPDATE users u SET human_verification = bonded_status(b.verifiers, b.reached, b.given) FROM bonded_people b
    WHERE u.id = who AND b.user_id = who AND u.human_verification IS DISTINCT FROM bonded_status(b.verifiers, b.reached, b.given)
      AND NOT EXISTS (SELECT FROM human_verifications h WHERE h.user_id = who);
END $$;

-- Whom a bond is about may be known only when others of its kind have ended: whoever had three in force at once was verified then.
CREATE FUNCTION count_bonds() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    UPDATE bonded_people p SET reached = bonded_by_three(OLD.subject_profile) FROM profiles s
      WHERE s.id = OLD.subject_profile AND p.user_id = s.user_id AND p.reached;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    PERFORM count_bonds_of(OLD.subject_profile);
  END IF;
  IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND NEW.subject_profile IS DISTINCT FROM OLD.subject_profile) THEN
    PERFORM count_bonds_of(NEW.subject_profile);
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.source = 'chain' AND NEW.subject_profile IS DISTINCT FROM OLD.subject_profile THEN
    UPDATE bonded_people p SET reached = true FROM profiles s
      WHERE s.id = NEW.subject_profile AND p.user_id = s.user_id AND NOT p.reached AND bonded_by_three(NEW.subject_profile);
    IF FOUND THEN
      PERFORM count_bonds_of(NEW.subject_profile);
    END IF;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER count_bonds AFTER INSERT OR DELETE OR UPDATE OF archived, lapsed, subject_profile ON bonds FOR EACH ROW
  EXECUTE FUNCTION count_bonds();

-- Ends the bonds whose time is over, as many as may be at once; answers how many.
CREATE FUNCTION lapse_bonds(the_time timestamptz) RETURNS bigint LANGUAGE sql AS $$
  WITH gone AS (UPDATE bonds SET lapsed = true WHERE id = ANY (ARRAY(SELECT id FROM bonds WHERE NOT archived AND NOT lapsed
      AND expires_at <= the_time ORDER BY expires_at LIMIT 100))
    AND NOT archived AND NOT lapsed AND expires_at <= the_time RETURNING 1) -- one of them may have been changed just now
  SELECT count(*) FROM gone
$$;

-- -- feeds ----------------------------------------------------------------------------
CREATE FUNCTION show_bonds() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    UPDATE activities a SET archived = f.archived, subject_key = f.subject_key, subject_generation = f.subject_generation FROM fresh f
      WHERE a.kind = 'bond' AND a.id = f.id
        AND (a.archived, a.subject_key, a.subject_generation) IS DISTINCT FROM (f.archived, f.subject_key, f.subject_generation);
  ELSIF TG_OP = 'DELETE' THEN
    DELETE FROM activities a USING gone g WHERE a.kind = 'bond' AND a.id = g.id;
  ELSE
    INSERT INTO activities (kind, id, at, author_user, subject_key, subject_generation, archived)
      SELECT 'bond', id, created_at, (SELECT p.user_id FROM profiles p WHERE p.id = author_profile), subject_key, subject_generation,
        archived FROM fresh;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER show_bonds_new AFTER INSERT ON bonds REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION show_bonds();
CREATE TRIGGER show_bonds_changed AFTER UPDATE ON bonds REFERENCING OLD TABLE AS gone NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION show_bonds();
CREATE TRIGGER show_bonds_gone AFTER DELETE ON bonds REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION show_bonds();

-- What events tell of metadata stands; where they tell none, what was read of the contract stays.
CREATE FUNCTION take_told_metadata() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.metadata := NEW.told_metadata;
  RETURN NEW;
END $$;
CREATE TRIGGER take_told_metadata BEFORE INSERT OR UPDATE ON vouches FOR EACH ROW WHEN (NEW.told_metadata IS NOT NULL)
  EXECUTE FUNCTION take_told_metadata();

-- The parts are rows, whoever wrote the vouch. Those of a row that goes go with it.
CREATE FUNCTION put_told_parts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM put_vouch_parts(NEW.contract, NEW.number, coalesce(array_agg((p ->> 0)::int), '{}'), coalesce(array_agg((p ->> 1)::numeric), '{}'))
    FROM jsonb_array_elements(NEW.told_parts::jsonb) p;
  RETURN NULL;
END $$;
CREATE TRIGGER put_told_parts_new AFTER INSERT ON vouches FOR EACH ROW WHEN (NEW.told_parts IS NOT NULL)
  EXECUTE FUNCTION put_told_parts();
CREATE TRIGGER put_told_parts_changed AFTER UPDATE OF told_parts ON vouches FOR EACH ROW
  WHEN (NEW.told_parts IS NOT NULL AND NEW.told_parts IS DISTINCT FROM OLD.told_parts) EXECUTE FUNCTION put_told_parts();

-- Whether bonds of three verifiers for a person were ever in force at once.
CREATE FUNCTION bonded_by_three(the_profile int) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM bonds b WHERE b.subject_profile = the_profile AND (SELECT count(DISTINCT o.author_profile) FROM bonds o
    WHERE o.subject_profile = the_profile AND o.created_at <= b.created_at AND (o.archived_at IS NULL OR o.archived_at > b.created_at)
      AND (o.expires_at IS NULL OR o.expires_at > b.created_at)) >= 3)
$$;

CREATE TRIGGER comes_in BEFORE INSERT ON reviews FOR EACH ROW WHEN (NEW.block IS NOT NULL) EXECUTE FUNCTION comes_in();
CREATE TRIGGER comes_in BEFORE INSERT ON vouches FOR EACH ROW WHEN (NEW.block IS NOT NULL) EXECUTE FUNCTION comes_in();
CREATE TRIGGER comes_in BEFORE INSERT ON replies FOR EACH ROW WHEN (NEW.block IS NOT NULL) EXECUTE FUNCTION comes_in();
CREATE TRIGGER comes_in BEFORE INSERT ON activity_votes FOR EACH ROW WHEN (NEW.block IS NOT NULL) EXECUTE FUNCTION comes_in();
CREATE TRIGGER comes_in_anew BEFORE UPDATE ON activity_votes FOR EACH ROW
  WHEN (NEW.block IS NOT NULL AND NEW.updated_at <> OLD.updated_at) EXECUTE FUNCTION comes_in();

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

-- Ids of the API have no gaps. Each table has a function of its own, so that its two statements are planned once.
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
      CREATE INDEX %1$s_of_api ON %1$I (%2$I) WHERE source = 'api';
      CREATE TRIGGER check_new_ids AFTER INSERT ON %1$I REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT
        EXECUTE FUNCTION check_new_ids_of_%1$s()$text$, part, what);
  END LOOP;
END $$;
