-- People: users, profiles, their addresses and accounts, and who is verified. A record comes from the API or is followed from
-- a chain (`source`); one of a chain names its event and block.

CREATE EXTENSION IF NOT EXISTS pg_trgm; -- comes with PostgreSQL, and is trusted: the owner of the database may create it

-- -- people ---------------------------------------------------------------------------
CREATE TABLE users (
  id int PRIMARY KEY CHECK (id > 0),
  display_name text NOT NULL CHECK (display_name <> ''),
  username text CHECK (username <> ''),
  avatar_url text NOT NULL,
  description text,
  score int NOT NULL DEFAULT 1200 CHECK (score BETWEEN 0 AND 2800),
  status text NOT NULL CHECK (status IN ('ACTIVE', 'INACTIVE', 'MERGED')),
  xp_streak_days int NOT NULL DEFAULT 0 CHECK (xp_streak_days >= 0),
  xp_removed_due_to_abuse boolean NOT NULL DEFAULT false,
  influence_factor float8 NOT NULL DEFAULT 0 CHECK (influence_factor >= 0),
  influence_percentile float8 NOT NULL DEFAULT 0 CHECK (influence_percentile BETWEEN 0 AND 100),
  human_verification text CHECK (human_verification IN ('REQUESTED', 'VERIFIED', 'REVOKED', 'PENDING')),
  validator_nft_count int NOT NULL DEFAULT 0 CHECK (validator_nft_count >= 0),
  holdings_wei numeric(78, 0) CHECK (holdings_wei >= 0),
  reviews_negative bigint NOT NULL DEFAULT 0 CHECK (reviews_negative >= 0),
  reviews_neutral bigint NOT NULL DEFAULT 0 CHECK (reviews_neutral >= 0),
  reviews_positive bigint NOT NULL DEFAULT 0 CHECK (reviews_positive >= 0),
  validator_acquired_at timestamptz,
  verifier_blocked boolean NOT NULL DEFAULT false,
  merged_into int REFERENCES users CHECK (merged_into IS NULL OR (merged_into <> id AND status = 'MERGED')),
  first_seen_at timestamptz,
  CONSTRAINT users_validator_acquired_at_check CHECK (validator_acquired_at IS NULL OR validator_nft_count > 0)
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX users_username ON users (lower(username));
COMMENT ON TABLE users IS 'people and listed projects as others see them; figures that no table here yields are kept as given';
-- Both names in one index, as a search looks at either; they rarely change.
CREATE INDEX users_names ON users USING gin (lower(username) gin_trgm_ops, lower(display_name) gin_trgm_ops);
COMMENT ON COLUMN users.merged_into IS 'the user that this one turned out to be';

CREATE TABLE user_vouches (
  user_id int NOT NULL,
  token text NOT NULL CHECK (token IN ('eth', 'whuf')),
  given_wei numeric(78, 0) NOT NULL DEFAULT 0 CHECK (given_wei >= 0),
  received_wei numeric(78, 0) NOT NULL DEFAULT 0 CHECK (received_wei >= 0),
  given_count bigint NOT NULL DEFAULT 0 CHECK (given_count >= 0),
  received_count bigint NOT NULL DEFAULT 0 CHECK (received_count >= 0),
  lifetime_given_wei numeric(78, 0) NOT NULL DEFAULT 0 CHECK (lifetime_given_wei >= given_wei),
  lifetime_received_wei numeric(78, 0) NOT NULL DEFAULT 0 CHECK (lifetime_received_wei >= received_wei),
  lifetime_given_count bigint NOT NULL DEFAULT 0 CHECK (lifetime_given_count >= given_count),
  lifetime_received_count bigint NOT NULL DEFAULT 0 CHECK (lifetime_received_count >= received_count),
  PRIMARY KEY (user_id, token),
  CONSTRAINT user_vouches_user_id_fkey FOREIGN KEY (user_id) REFERENCES users ON DELETE CASCADE
);
COMMENT ON TABLE user_vouches IS 'per user and token: open and lifetime vouches in wei';

CREATE TABLE profiles (
  id int PRIMARY KEY CHECK (id > 0),
  user_id int NOT NULL UNIQUE REFERENCES users,
  archived boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL CHECK (updated_at >= created_at),
  invites_available int NOT NULL DEFAULT 0 CHECK (invites_available BETWEEN 0 AND 2048),
  invited_by int REFERENCES profiles CHECK (invited_by <> id),
  api_access boolean NOT NULL DEFAULT false,
  orphaned boolean NOT NULL DEFAULT false,
  source text NOT NULL DEFAULT 'api' CHECK (source IN ('chain', 'api')),
  event_id bigint,
  block bigint,
  seq bigint UNIQUE CHECK (seq > 0), -- null: it was there before profiles were made over the API
  since_block bigint,
  told_inviter int,
  read_inviter int,
  UNIQUE (id, user_id) -- for what names both, so that they cannot disagree
);
COMMENT ON TABLE profiles IS 'who takes part: one per user, archived but never deleted';
COMMENT ON COLUMN profiles.orphaned IS 'its block was taken back; archived for every rule until an event brings it again';
CREATE INDEX profiles_invited ON profiles (invited_by, id) WHERE invited_by IS NOT NULL;
CREATE INDEX profiles_standing ON profiles (archived, id DESC);
CREATE INDEX profiles_of_api_ids ON profiles (id) WHERE source = 'api';
COMMENT ON COLUMN profiles.since_block IS 'the block that made it, or brought it back from the archive';

CREATE TABLE addresses (
  address bytea PRIMARY KEY CHECK (octet_length(address) = 20),
  user_id int NOT NULL REFERENCES users,
  kind text NOT NULL CHECK (kind IN ('primary', 'linked', 'embedded', 'smart')),
  added_at timestamptz NOT NULL,
  compromised boolean NOT NULL DEFAULT false,
  unlinked_at timestamptz,
  first_seen_at timestamptz,
  source text NOT NULL DEFAULT 'api' CHECK (source IN ('chain', 'api')),
  event_id bigint,
  block bigint,
  since_block bigint
);
CREATE INDEX addresses_user ON addresses (user_id);
CREATE UNIQUE INDEX addresses_primary ON addresses (user_id) WHERE kind = 'primary';
COMMENT ON TABLE addresses IS 'Ethereum addresses of users, each of one user only';
COMMENT ON COLUMN addresses.unlinked_at IS 'when its last owner let it go';
CREATE INDEX addresses_born ON addresses (((coalesce(first_seen_at, added_at) AT TIME ZONE 'UTC')::date), address);
COMMENT ON COLUMN addresses.since_block IS 'the block that gave it to its user';

CREATE TABLE attestations (
  id int PRIMARY KEY CHECK (id > 0),
  -- keccak256(abi.encode(service, account))
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  user_id int NOT NULL REFERENCES users,
  profile_id int,
  service text NOT NULL CHECK (service IN ('discord', 'farcaster', 'github', 'telegram', 'x.com')),
  account text NOT NULL CHECK (account <> ''),
  username text,
  url text,
  archived boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL,
  evidence text,
  attested_by int CHECK (attested_by > 0), -- null: not over the API
  updated_at timestamptz, -- null: when it was created
  source text NOT NULL DEFAULT 'api' CHECK (source IN ('chain', 'api')),
  event_id bigint,
  block bigint,
  since_block bigint,
  FOREIGN KEY (profile_id, user_id) REFERENCES profiles (id, user_id),
  CONSTRAINT attestations_whole CHECK (attested_by IS NULL OR num_nonnulls(profile_id, evidence, updated_at) = 3),
  CONSTRAINT attestations_in_time CHECK (updated_at >= created_at),
  CONSTRAINT attestations_evidence_check CHECK (source = 'chain' OR char_length(evidence) BETWEEN 1 AND 5000),
  CONSTRAINT attestations_account_length CHECK (octet_length(account) <= 1000), -- an index holds no more than some 2,700
  CONSTRAINT attestations_account EXCLUDE USING btree (service WITH =, account WITH =) WHERE (NOT archived) DEFERRABLE
);
CREATE INDEX attestations_user ON attestations (user_id);
CREATE INDEX attestations_username ON attestations (service, lower(username)) WHERE NOT archived;
COMMENT ON TABLE attestations IS 'accounts elsewhere that a user has proved; a live one is of one user only';
CREATE INDEX attestations_of_account ON attestations (service, account, archived, id DESC);
COMMENT ON COLUMN attestations.attested_by IS 'the admin or attestor who said last whose the account is';
CREATE INDEX attestations_of_api_ids ON attestations (id) WHERE source = 'api';

CREATE TABLE x_username_history (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  user_id int NOT NULL REFERENCES users,
  username text NOT NULL CHECK (username <> ''),
  change_observed_at timestamptz -- null: the name that was there when it was first looked at
);
CREATE INDEX x_username_history_user ON x_username_history (user_id);
CREATE UNIQUE INDEX x_username_history_first ON x_username_history (user_id) WHERE change_observed_at IS NULL;
COMMENT ON TABLE x_username_history IS 'names that a user had at x.com, as they were observed';

-- -- human verification ---------------------------------------------------------------
CREATE TABLE human_verifications (
  user_id int PRIMARY KEY REFERENCES users,
  profile_id int NOT NULL,
  verified boolean NOT NULL, -- false: it was withdrawn
  method text CHECK (method IN ('IRL', 'VIDEO', 'VOICE')),
  comment text NOT NULL CHECK (char_length(comment) BETWEEN 1 AND 2000),
  decided_by int NOT NULL CHECK (decided_by > 0), -- the id in the admin's token
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL CHECK (updated_at >= created_at),
  verified_at timestamptz CHECK (verified_at >= created_at),
  source text NOT NULL DEFAULT 'api' CHECK (source IN ('chain', 'api')),
  event_id bigint,
  block bigint,
  FOREIGN KEY (profile_id, user_id) REFERENCES profiles (id, user_id),
  CHECK (NOT verified OR verified_at IS NOT NULL)
);
COMMENT ON TABLE human_verifications IS 'what an admin said last of the person behind a profile: verified, or not any more';

-- How many profiles there are, and what live ones may still send.
CREATE TABLE profile_sums (
  archived boolean PRIMARY KEY,
  profiles bigint NOT NULL CHECK (profiles >= 0),
  invites bigint NOT NULL CHECK (invites >= 0)
);
COMMENT ON TABLE profile_sums IS 'derived by triggers: how many profiles are live and archived, and the invitations that they may send';

-- What a statement changed is found by grouping its rows before and after, by hash or sorted, however many there are. A join of the two
-- would keep the plan that suited the first statement, mostly of one row, and compare each row with each.
CREATE FUNCTION tell_profiles() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM tell_changes('profile', array_agg(id)) FROM after;
  ELSE
    PERFORM tell_changes('profile', array_agg(id)) FROM (TABLE after EXCEPT ALL TABLE before) changed;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER tell_new AFTER INSERT ON profiles REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION tell_profiles();
CREATE TRIGGER tell_changed AFTER UPDATE ON profiles REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION tell_profiles();

-- A listing shows the user that it is of.
CREATE FUNCTION tell_people(users int[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF cardinality(users) > 0 THEN
    PERFORM tell_changes('profile', array_agg(id)) FROM profiles WHERE user_id = ANY (users);
    PERFORM tell_changes('project', array_agg(id)) FROM projects WHERE user_id = ANY (users);
  END IF;
END $$;

CREATE FUNCTION tell_users() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell_people(array_agg(id)) FROM (TABLE after EXCEPT ALL TABLE before) changed;
  RETURN NULL;
END $$;
CREATE TRIGGER tell_changed AFTER UPDATE ON users REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION tell_users();

CREATE FUNCTION tell_parts_of_users() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    PERFORM tell_people(array_agg(DISTINCT user_id)) FROM after;
  END IF;
  IF TG_OP <> 'INSERT' THEN -- also whose it was before
    PERFORM tell_people(array_agg(DISTINCT user_id)) FROM before;
  END IF;
  RETURN NULL;
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

-- Makes an account a profile's: a new row, or the account's row, which is of the_before, or else of the profile's user.
CREATE FUNCTION attest_account(the_id int, the_hash bytea, the_service text, the_account text, the_profile int, the_user int, is_fresh boolean,
                               the_before int, is_merged boolean, the_username text, the_evidence text, the_attestor int,
                               the_creation timestamptz, the_time timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF (is_fresh OR the_before IS NOT NULL) AND EXISTS (SELECT FROM slashes WHERE closed_at IS NULL
      AND ((subject_service = the_service AND subject_account = the_account) OR subject_user_id = the_before)) THEN
    RAISE EXCEPTION 'an open slash names account % at % or user %', the_account, the_service, the_before USING ERRCODE = '23514';
  END IF;
  IF EXISTS (SELECT FROM projects WHERE user_id = the_before) THEN
    RAISE EXCEPTION 'account % at % is a listing''s', the_account, the_service USING ERRCODE = '23514';
  END IF;
  IF is_fresh THEN
    INSERT INTO attestations (id, hash, user_id, profile_id, service, account, username, evidence, attested_by, created_at, updated_at)
      VALUES (the_id, the_hash, the_user, the_profile, the_service, the_account, the_username, the_evidence, the_attestor, the_creation, the_time);
  ELSE
    UPDATE attestations SET hash = the_hash, user_id = the_user, profile_id = the_profile, username = the_username, evidence = the_evidence,
      attested_by = the_attestor, archived = false, created_at = the_creation, updated_at = the_time
      WHERE id = the_id AND service = the_service AND account = the_account AND user_id = coalesce(the_before, the_user);
    IF NOT FOUND THEN
      RAISE EXCEPTION 'account % at % belongs to somebody else', the_account, the_service USING ERRCODE = '23514';
    END IF;
  END IF;
  UPDATE subjects SET user_id = the_user WHERE key = the_hash AND user_id <> the_user
    AND generation = (SELECT max(generation) FROM subjects WHERE key = the_hash);
  IF is_merged THEN
    IF EXISTS (SELECT FROM profiles WHERE user_id = the_before) THEN
      RAISE EXCEPTION 'user % has a profile', the_before USING ERRCODE = '23514';
    END IF;
    UPDATE subjects SET user_id = the_user WHERE user_id = the_before;
    UPDATE users SET status = 'MERGED', merged_into = the_user WHERE id = the_before;
  END IF;
END $$;

-- What an admin says of the person behind a profile, and the status that follows from it.
CREATE FUNCTION decide_verification(the_profile int, the_user int, is_verified boolean, the_method text, the_comment text, the_admin int,
                                    the_creation timestamptz, the_time timestamptz, the_verification timestamptz) RETURNS void LANGUAGE sql AS $$
  INSERT INTO human_verifications (user_id, profile_id, verified, method, comment, decided_by, created_at, updated_at, verified_at)
    VALUES (the_user, the_profile, is_verified, the_method, the_comment, the_admin, the_creation, the_time, the_verification)
    ON CONFLICT (user_id) DO UPDATE SET verified = excluded.verified, method = excluded.method, comment = excluded.comment,
      decided_by = excluded.decided_by, updated_at = excluded.updated_at, verified_at = excluded.verified_at;
  UPDATE users SET human_verification = CASE WHEN is_verified THEN 'VERIFIED' ELSE 'REVOKED' END WHERE id = the_user;
$$;

-- No profile is ever deleted.
CREATE FUNCTION count_new_profiles() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE profile_sums s SET profiles = s.profiles + d.n, invites = s.invites + d.invites
    FROM (SELECT archived, count(*) AS n, sum(invites_available) AS invites FROM fresh GROUP BY archived) d WHERE s.archived = d.archived;
  RETURN NULL;
END $$;
CREATE TRIGGER count_new_profiles AFTER INSERT ON profiles REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION count_new_profiles();

CREATE FUNCTION count_changed_profile() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE profile_sums SET profiles = profiles + (archived = NEW.archived)::int - (archived = OLD.archived)::int,
    invites = invites + CASE WHEN archived = NEW.archived THEN NEW.invites_available ELSE 0 END
      - CASE WHEN archived = OLD.archived THEN OLD.invites_available ELSE 0 END;
  RETURN NULL;
END $$;
CREATE TRIGGER count_changed_profile AFTER UPDATE ON profiles FOR EACH ROW
  WHEN ((OLD.archived, OLD.invites_available) IS DISTINCT FROM (NEW.archived, NEW.invites_available)) EXECUTE FUNCTION count_changed_profile();

-- -- since when a row is as it is ----------------------------------------------------------

-- `block` is that of the last event that changed a row, in whatever column. Rights rest on less: on the row being there, live, and
-- of whom it is of. `since_block` is the block that brought that; null: no event brought it, or that is not known.
CREATE FUNCTION stands_since() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.since_block := NEW.block;
  RETURN NEW;
END $$;

-- -- when records came in ------------------------------------------------------------------

-- A block is stored some time after its own time, and somebody may have marked everything as read in between. So notices of
-- records that events brought count by the time at which they came in here. Null: the API brought it, or that is not known.
CREATE FUNCTION comes_in() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.came_in_at := (SELECT moved_at FROM chain_follow);
  RETURN NEW;
END $$;

-- Votes hang on these, so they are archived or closed, never deleted or renumbered.
CREATE TRIGGER profiles_stay BEFORE DELETE OR TRUNCATE ON profiles
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER profiles_keep_id BEFORE UPDATE OF id, user_id ON profiles FOR EACH ROW
  WHEN ((NEW.id, NEW.user_id) IS DISTINCT FROM (OLD.id, OLD.user_id)) EXECUTE FUNCTION refuse_change();

INSERT INTO profile_sums VALUES (false, 0, 0), (true, 0, 0);
