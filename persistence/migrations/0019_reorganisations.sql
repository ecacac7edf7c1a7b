-- A reorganisation counts once, in however many pieces its blocks are taken back. Who keeps something of a chain's rows sees by
-- `taken_back` that they have been taken back, piece by piece.
ALTER TABLE chain_follow
  ADD COLUMN taken_back bigint NOT NULL DEFAULT 0,
  ADD COLUMN taking_back boolean NOT NULL DEFAULT false;
UPDATE chain_follow SET taken_back = reorganisations;
ALTER TABLE chain_follow ADD CONSTRAINT chain_follow_taken_back CHECK (taken_back >= reorganisations);
COMMENT ON COLUMN chain_follow.reorganisations IS 'times blocks were taken back; all pieces up to the next step count as one';
COMMENT ON COLUMN chain_follow.taken_back IS 'pieces in which blocks were taken back';
COMMENT ON COLUMN chain_follow.taking_back IS 'the last thing done was to take blocks back';

-- As before, and ends a reorganisation.
CREATE OR REPLACE FUNCTION advance_chain(chain bigint, before bytea, number bigint, hash bytea, parent bytea, block_at timestamptz,
                              is_finalized bigint, events bigint, the_last_event bigint, now_is timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  settled bigint;
BEGIN
  UPDATE chain_follow f SET tip_number = number, tip_hash = hash, tip_parent = parent, tip_at = block_at,
    finalized = greatest(f.finalized, is_finalized), last_event = f.last_event + events, moved_at = now_is, taking_back = false
  WHERE f.chain_id = chain AND f.tip_hash = before AND (events = 0 OR f.last_event + events = the_last_event)
    AND (f.tip_number < number OR (f.tip_number = number AND hash = before AND events > 0 AND number < is_finalized))
  RETURNING greatest(least(f.finalized, f.tip_number), f.tip_number - 10000) INTO settled; -- as many may be taken back
  IF NOT FOUND THEN
    RAISE EXCEPTION 'chain % does not stand where block % follows', chain, number USING ERRCODE = '23514';
  END IF;
  DELETE FROM chain_blocks b WHERE b.chain_id = chain AND b.number < settled;
  DELETE FROM chain_undo u WHERE u.number = ANY (ARRAY(SELECT o.number FROM chain_undo o WHERE o.block_number <= settled
    ORDER BY o.block_number LIMIT 2000 + 4 * events)); -- as they come
  DELETE FROM chain_orphans o WHERE o.id = ANY (ARRAY(SELECT x.id FROM chain_orphans x WHERE x.orphaned_at < now_is - interval '30 days'
    ORDER BY x.orphaned_at LIMIT 1000));
  DELETE FROM chain_refusals;
END $$;

-- As before, but for how it counts. Where the tip itself is named, takes back what was written ahead of a block that has not come.
CREATE OR REPLACE FUNCTION undo_blocks(chain bigint, before bytea, to_number bigint, to_hash bytea, now_is timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  ahead CONSTANT boolean := before = to_hash;
BEGIN
  IF ahead THEN
    UPDATE chain_follow f SET taken_back = f.taken_back + 1
      WHERE f.chain_id = chain AND f.tip_hash = to_hash AND f.tip_number = to_number;
  ELSE
    UPDATE chain_follow f SET tip_number = b.number, tip_hash = b.hash, tip_parent = b.parent_hash, tip_at = b.at, moved_at = now_is,
      reorganisations = f.reorganisations + (NOT f.taking_back)::int, taken_back = f.taken_back + 1, taking_back = true
    FROM chain_blocks b WHERE f.chain_id = chain AND f.tip_hash = before AND b.chain_id = chain AND b.number = to_number AND b.hash = to_hash
      AND f.finalized <= to_number AND f.tip_number > to_number;
  END IF;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the blocks of chain % behind % cannot be taken back', chain, to_number USING ERRCODE = '23514';
  END IF;
  PERFORM take_back_chain_rows(u.block_number) FROM (SELECT DISTINCT block_number FROM chain_undo WHERE block_number > to_number
    ORDER BY block_number DESC) u;
  IF ahead THEN -- some events of the next block may be stored, where it is final
    RETURN;
  END IF;
  WITH gone AS (DELETE FROM chain_events e WHERE e.chain_id = chain AND e.block_number > to_number RETURNING e.*)
    INSERT INTO chain_orphans SELECT gone.*, now_is, to_number FROM gone;
  DELETE FROM chain_blocks b WHERE b.chain_id = chain AND b.number > to_number;
END $$;
