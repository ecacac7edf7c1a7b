-- Bonds, and human verification as it follows from them: three verifiers whose bonds for a person are in force at once make the
-- person verified, one or two leave it pending, and whoever had three and has fewer now is revoked. What an admin decided
-- (human_verifications) stands above that.

CREATE TABLE bonds (
  id int PRIMARY KEY CHECK (id >= 0),
  author_profile int NOT NULL REFERENCES profiles,
  subject_key bytea NOT NULL, -- of the profile that it is about
  subject_generation int NOT NULL,
  subject_profile int NOT NULL REFERENCES profiles CHECK (subject_profile <> author_profile),
  bond_type text NOT NULL CHECK (char_length(bond_type) BETWEEN 1 AND 256),
  amount text NOT NULL CHECK (char_length(amount) BETWEEN 1 AND 256), -- a text, as in the contract
  amount_type text NOT NULL CHECK (char_length(amount_type) BETWEEN 1 AND 256),
  statement text NOT NULL CHECK (char_length(statement) <= 2000),
  method text CHECK (method IN ('IRL', 'VIDEO', 'VOICE')),
  comment text NOT NULL CHECK (char_length(comment) <= 2000),
  expires_at timestamptz NOT NULL,
  lapsed boolean NOT NULL DEFAULT false, -- it is known that it has expired
  archived boolean NOT NULL DEFAULT false,
  archived_at timestamptz CHECK (archived_at >= created_at),
  archived_by int CHECK (archived_by > 0), -- the id in the admin's token
  archive_reason text CHECK (char_length(archive_reason) BETWEEN 1 AND 256),
  created_by int CHECK (created_by > 0),
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL CHECK (updated_at >= created_at),
  seq bigint UNIQUE CHECK (seq > 0),
  source text NOT NULL DEFAULT 'api' CHECK (source IN ('chain', 'api')),
  event_id bigint,
  block bigint,
  FOREIGN KEY (subject_key, subject_generation) REFERENCES subjects,
  CONSTRAINT bonds_archived CHECK (archived = (archived_at IS NOT NULL) AND archived = (archive_reason IS NOT NULL)),
  CONSTRAINT bonds_of_api CHECK (source = 'chain' OR (id > 0 AND seq IS NOT NULL AND created_by IS NOT NULL
    AND archived = (archived_by IS NOT NULL)))
);
CREATE INDEX bonds_subject ON bonds (subject_profile, id DESC);
CREATE INDEX bonds_in_force ON bonds (subject_profile) WHERE NOT archived AND NOT lapsed;
CREATE INDEX bonds_to_lapse ON bonds (expires_at) WHERE NOT archived AND NOT lapsed;
CREATE INDEX bonds_of_api_ids ON bonds (id) WHERE source = 'api';
CREATE TRIGGER check_new_ids AFTER INSERT ON bonds REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION check_new_ids('id');

-- What a bond says stays; it ends once.
CREATE FUNCTION check_changed_bond() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'bond %: only its expiration may change, until it is archived for good', OLD.id USING ERRCODE = '23514';
END $$;
CREATE TRIGGER check_changed_bond BEFORE UPDATE ON bonds FOR EACH ROW
  WHEN (NEW.source = 'api' AND (OLD.archived OR (OLD.id, OLD.author_profile, OLD.subject_profile, OLD.bond_type, OLD.amount, OLD.amount_type,
    OLD.created_at, OLD.seq) IS DISTINCT FROM (NEW.id, NEW.author_profile, NEW.subject_profile, NEW.bond_type, NEW.amount, NEW.amount_type,
    NEW.created_at, NEW.seq))) EXECUTE FUNCTION check_changed_bond();

-- -- human verification ---------------------------------------------------------------

-- Who has ever had a bond.
CREATE TABLE bonded_people (
  user_id int PRIMARY KEY REFERENCES users,
  given text, -- the status before the first bond
  verifiers int NOT NULL DEFAULT 0 CHECK (verifiers >= 0), -- whose bonds are in force
  reached boolean NOT NULL DEFAULT false -- there were three once
);

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
CREATE FUNCTION count_bonds() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM count_bonds_of(OLD.subject_profile);
  ELSE
    PERFORM count_bonds_of(NEW.subject_profile);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER count_bonds AFTER INSERT OR DELETE OR UPDATE OF archived, lapsed ON bonds FOR EACH ROW EXECUTE FUNCTION count_bonds();

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
    UPDATE activities a SET archived = f.archived FROM fresh f WHERE a.kind = 'bond' AND a.id = f.id AND a.archived <> f.archived;
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

COMMENT ON TABLE bonds IS 'what verifiers declare to lose if the person behind a profile is not who they say';
COMMENT ON TABLE bonded_people IS 'derived by trigger: whose bonds for a person are in force, and the status before the first';
