-- Rights rest on settled blocks: what came in a block above the authority block is shown, and nothing may hang on it yet.

-- -- the authority block -------------------------------------------------------------------

-- Rights rest on blocks up to this one.
ALTER TABLE chain_follow ADD COLUMN authority bigint NOT NULL DEFAULT 0;
UPDATE chain_follow SET authority = least(finalized, tip_number);
ALTER TABLE chain_follow ADD CONSTRAINT chain_follow_authority CHECK (authority BETWEEN 0 AND tip_number);

-- Where blocks are taken back, rights rest on those that are left. Else the block never moves back.
CREATE FUNCTION keep_authority() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.authority := least(greatest(NEW.authority, OLD.authority), NEW.tip_number);
  RETURN NEW;
END $$;
CREATE TRIGGER keep_authority BEFORE UPDATE ON chain_follow FOR EACH ROW
  WHEN (NEW.authority <> OLD.authority OR NEW.tip_number < OLD.tip_number) EXECUTE FUNCTION keep_authority();

-- Rights rest on blocks up to that one, where the chain stands at the block of that hash.
CREATE FUNCTION settle_chain(chain bigint, hash bytea, up_to bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE chain_follow f SET authority = greatest(f.authority, up_to) WHERE f.chain_id = chain AND f.tip_hash = hash;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'chain % does not stand where block % is settled', chain, up_to USING ERRCODE = '23514';
  END IF;
END $$;

-- -- since when a row is as it is ----------------------------------------------------------

-- `block` is that of the last event that changed a row, in whatever column. Rights rest on less: on the row being there, live, and
-- of whom it is of. `since_block` is the block that brought that; null: it was there before this column, or no event brought it.
CREATE FUNCTION stands_since() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.since_block := NEW.block;
  RETURN NEW;
END $$;

DO $$
DECLARE
  t record;
BEGIN
  FOR t IN VALUES
    ('profiles', 'OLD.archived AND NOT NEW.archived'),
    ('addresses', 'NEW.user_id <> OLD.user_id'),
    ('attestations', 'NEW.user_id <> OLD.user_id OR OLD.archived AND NOT NEW.archived'),
    ('subjects', 'NEW.user_id <> OLD.user_id'),
    ('reviews', 'OLD.archived AND NOT NEW.archived'),
    ('vouches', 'OLD.archived AND NOT NEW.archived'),
    ('replies', 'false'),
    ('bonds', 'OLD.archived AND NOT NEW.archived'),
    ('projects', 'OLD.status = ''ARCHIVED'' AND NEW.status <> ''ARCHIVED''')
  LOOP
    EXECUTE format('ALTER TABLE %I ADD COLUMN since_block bigint', t.column1);
    EXECUTE format('CREATE TRIGGER stands_since_new BEFORE INSERT ON %I FOR EACH ROW WHEN (NEW.block IS NOT NULL)'
                   ' EXECUTE FUNCTION stands_since()', t.column1);
    EXECUTE format('CREATE TRIGGER stands_since_moved BEFORE UPDATE ON %I FOR EACH ROW WHEN (NEW.block IS NOT NULL AND (%s))'
                   ' EXECUTE FUNCTION stands_since()', t.column1, t.column2);
  END LOOP;
END $$;

COMMENT ON COLUMN chain_follow.authority IS 'rights rest on blocks up to this one';
COMMENT ON COLUMN profiles.since_block IS 'the block that made it, or brought it back from the archive';
COMMENT ON COLUMN addresses.since_block IS 'the block that gave it to its user';
COMMENT ON COLUMN projects.since_block IS 'the block that made it, or brought it back from the archive';

-- -- when records came in ------------------------------------------------------------------

-- A block is stored some time after its own time, and somebody may have marked everything as read in between. So notices of
-- records that events brought count by the time at which they came in here. Null: the API brought it, or it was there before this.
CREATE FUNCTION comes_in() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.came_in_at := (SELECT moved_at FROM chain_follow);
  RETURN NEW;
END $$;
ALTER TABLE reviews ADD COLUMN came_in_at timestamptz;
ALTER TABLE vouches ADD COLUMN came_in_at timestamptz;
ALTER TABLE replies ADD COLUMN came_in_at timestamptz;
ALTER TABLE activity_votes ADD COLUMN came_in_at timestamptz;
CREATE TRIGGER comes_in BEFORE INSERT ON reviews FOR EACH ROW WHEN (NEW.block IS NOT NULL) EXECUTE FUNCTION comes_in();
CREATE TRIGGER comes_in BEFORE INSERT ON vouches FOR EACH ROW WHEN (NEW.block IS NOT NULL) EXECUTE FUNCTION comes_in();
CREATE TRIGGER comes_in BEFORE INSERT ON replies FOR EACH ROW WHEN (NEW.block IS NOT NULL) EXECUTE FUNCTION comes_in();
CREATE TRIGGER comes_in BEFORE INSERT ON activity_votes FOR EACH ROW WHEN (NEW.block IS NOT NULL) EXECUTE FUNCTION comes_in();
CREATE TRIGGER comes_in_anew BEFORE UPDATE ON activity_votes FOR EACH ROW
  WHEN (NEW.block IS NOT NULL AND NEW.updated_at <> OLD.updated_at) EXECUTE FUNCTION comes_in();

-- -- what is there -------------------------------------------------------------------------

-- Of rows that are there it is not known since when they are as they are; the last event that changed them is no earlier.
DO $$
DECLARE
  t text;
BEGIN
  FOREACH t IN ARRAY '{profiles,addresses,attestations,subjects,reviews,vouches,replies,bonds,projects}'::text[] LOOP
    EXECUTE format('UPDATE %I SET since_block = block WHERE block > (SELECT authority FROM chain_follow)', t);
  END LOOP;
END $$;
