-- Vouches that are made of events, in ether (`vouch`) and in WHUF (`vouchV2`), and bonds.

ALTER TABLE vouches
  ADD COLUMN told_parts text, -- what the balance consists of, as events tell: [[day since 1970, "wei"], …]; null: of the API
  ADD COLUMN told_metadata text, -- as an event told it; null: no event did
  ADD CONSTRAINT vouches_of_chain CHECK (source = 'api' OR told_parts IS NOT NULL);
CREATE INDEX vouches_pool ON vouches (subject_profile) WHERE contract = 'vouch' AND NOT archived;
CREATE INDEX vouches_wallet ON vouches (author_address) WHERE contract = 'vouchV2' AND NOT archived;

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

-- Whom an undone block brought may have given and received; what that came to is nothing by then.
ALTER TABLE user_vouches
  DROP CONSTRAINT user_vouches_user_id_fkey,
  ADD CONSTRAINT user_vouches_user_id_fkey FOREIGN KEY (user_id) REFERENCES users ON DELETE CASCADE;

-- -- bonds ----------------------------------------------------------------------------

-- Events tell neither whom a bond is about nor, at first, when it expires: both are null until they are known.
ALTER TABLE bonds
  ALTER COLUMN subject_key DROP NOT NULL,
  ALTER COLUMN subject_generation DROP NOT NULL,
  ALTER COLUMN subject_profile DROP NOT NULL,
  ALTER COLUMN expires_at DROP NOT NULL,
  ADD COLUMN told_expiration text, -- as an event told it last
  ADD COLUMN told_expires_at timestamptz, -- of the last expiration of an event that could be read
  ADD COLUMN archived_by_wallet bytea CHECK (octet_length(archived_by_wallet) = 20), -- who archived it on the chain
  DROP CONSTRAINT bonds_bond_type_check,
  DROP CONSTRAINT bonds_amount_check,
  DROP CONSTRAINT bonds_amount_type_check,
  DROP CONSTRAINT bonds_archive_reason_check,
  DROP CONSTRAINT bonds_of_api,
  ADD CONSTRAINT bonds_texts CHECK (char_length(bond_type) <= 256 AND char_length(amount) <= 256 AND char_length(amount_type) <= 256
    AND char_length(archive_reason) <= 256),
  ADD CONSTRAINT bonds_of_api CHECK (source = 'chain' OR (id > 0 AND seq IS NOT NULL AND created_by IS NOT NULL
    AND archived = (archived_by IS NOT NULL) AND subject_key IS NOT NULL AND subject_generation IS NOT NULL AND subject_profile IS NOT NULL
    AND expires_at IS NOT NULL AND bond_type <> '' AND amount <> '' AND amount_type <> '' AND archive_reason IS DISTINCT FROM ''));

CREATE FUNCTION take_told_expiration() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.expires_at := NEW.told_expires_at;
  NEW.lapsed := false; -- whoever ends bonds looks at it again
  RETURN NEW;
END $$;
CREATE TRIGGER take_told_expiration_new BEFORE INSERT ON bonds FOR EACH ROW WHEN (NEW.told_expires_at IS NOT NULL)
  EXECUTE FUNCTION take_told_expiration();
CREATE TRIGGER take_told_expiration_changed BEFORE UPDATE OF told_expires_at ON bonds FOR EACH ROW
  WHEN (NEW.told_expires_at IS DISTINCT FROM OLD.told_expires_at) EXECUTE FUNCTION take_told_expiration();

-- Whether bonds of three verifiers for a person were ever in force at once.
CREATE FUNCTION bonded_by_three(the_profile int) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM bonds b WHERE b.subject_profile = the_profile AND (SELECT count(DISTINCT o.author_profile) FROM bonds o
    WHERE o.subject_profile = the_profile AND o.created_at <= b.created_at AND (o.archived_at IS NULL OR o.archived_at > b.created_at)
      AND (o.expires_at IS NULL OR o.expires_at > b.created_at)) >= 3)
$$;
-- A bond goes only with its block: nobody was ever verified by it.
CREATE OR REPLACE FUNCTION count_bonds() RETURNS trigger LANGUAGE plpgsql AS $$
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
  RETURN NULL;
END $$;
DROP TRIGGER count_bonds ON bonds;
CREATE TRIGGER count_bonds AFTER INSERT OR DELETE OR UPDATE OF archived, lapsed, subject_profile ON bonds FOR EACH ROW
  EXECUTE FUNCTION count_bonds();

CREATE OR REPLACE FUNCTION show_bonds() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- -- the tables of rows that are made of events ------------------------------------------

ALTER FUNCTION chain_tables() RENAME TO chain_tables_of_people;
CREATE FUNCTION chain_tables() RETURNS TABLE (place int, name text, keys text[], changes text[], news text[]) LANGUAGE sql IMMUTABLE AS $$
  SELECT * FROM chain_tables_of_people()
  UNION ALL VALUES
    (13, 'vouches', '{contract,number}'::text[], '{author_profile,subject_key,subject_generation,subject_profile,token,staked,deposited,balance,withdrawn,slashed,told_parts,told_metadata,archived,unhealthy,frozen,vouched_at,unvouched_at,unhealthy_at,source,event_id,block}'::text[],
      '{author_address,comment,metadata}'::text[]),
    (14, 'vouch_rewards', '{profile}', '{balance,deposited,withdrawn,source,event_id,block}', '{}'),
    (15, 'bonds', '{id}', '{author_profile,bond_type,amount,amount_type,told_expiration,told_expires_at,archived,archived_at,archived_by_wallet,archive_reason,created_at,updated_at,source,event_id,block}', '{statement,comment}')
$$;

COMMENT ON TABLE vouch_rewards IS 'what fees of vouches brought profiles, as events of the contract tell';
COMMENT ON COLUMN vouches.told_parts IS 'of a vouch of a chain: its parts, from which vouch_parts is derived by a trigger';
