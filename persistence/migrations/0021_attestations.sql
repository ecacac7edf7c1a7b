-- Attestations and human verification over the API. An account has one row that says whose it is: the live one, or else the
-- newest. Attesting it for another profile moves that row, and the newest generation of the account's subject with it.

ALTER TABLE attestations
  ADD COLUMN evidence text CHECK (char_length(evidence) BETWEEN 1 AND 5000),
  ADD COLUMN attested_by int CHECK (attested_by > 0), -- null: not over the API
  ADD COLUMN updated_at timestamptz,                  -- null: when it was created
  ADD COLUMN source text NOT NULL DEFAULT 'api' CHECK (source IN ('chain', 'api')),
  ADD COLUMN event_id bigint,
  ADD COLUMN block bigint,
  ADD CONSTRAINT attestations_whole CHECK (attested_by IS NULL OR num_nonnulls(profile_id, evidence, updated_at) = 3),
  ADD CONSTRAINT attestations_in_time CHECK (updated_at >= created_at);
CREATE INDEX attestations_of_account ON attestations (service, account, archived, id DESC);
COMMENT ON COLUMN attestations.attested_by IS 'the admin or attestor who said last whose the account is';

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

-- What an admin says of the person behind a profile, and the status that follows from it.
CREATE FUNCTION decide_verification(the_profile int, the_user int, is_verified boolean, the_method text, the_comment text, the_admin int,
                                    the_creation timestamptz, the_time timestamptz, the_verification timestamptz) RETURNS void LANGUAGE sql AS $$
  INSERT INTO human_verifications (user_id, profile_id, verified, method, comment, decided_by, created_at, updated_at, verified_at)
    VALUES (the_user, the_profile, is_verified, the_method, the_comment, the_admin, the_creation, the_time, the_verification)
    ON CONFLICT (user_id) DO UPDATE SET verified = excluded.verified, method = excluded.method, comment = excluded.comment,
      decided_by = excluded.decided_by, updated_at = excluded.updated_at, verified_at = excluded.verified_at;
  UPDATE users SET human_verification = CASE WHEN is_verified THEN 'VERIFIED' ELSE 'REVOKED' END WHERE id = the_user;
$$;

COMMENT ON TABLE human_verifications IS 'what an admin said last of the person behind a profile: verified, or not any more';
