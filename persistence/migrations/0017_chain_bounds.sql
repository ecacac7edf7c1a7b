-- What following a chain does in one transaction is bounded, whatever the chain tells.

-- As before, but what is of no use any more goes some at a time: when finality has stood still, many blocks become final at once, and
-- orphans of one reorganisation grow old together. Nothing reads undo rows up to `settled`.
CREATE OR REPLACE FUNCTION advance_chain(chain bigint, before bytea, number bigint, hash bytea, parent bytea, block_at timestamptz,
                              is_finalized bigint, events bigint, the_last_event bigint, now_is timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  settled bigint;
BEGIN
  UPDATE chain_follow f SET tip_number = number, tip_hash = hash, tip_parent = parent, tip_at = block_at,
    finalized = greatest(f.finalized, is_finalized), last_event = f.last_event + events, moved_at = now_is
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

CREATE OR REPLACE FUNCTION undo_blocks(chain bigint, before bytea, to_number bigint, to_hash bytea, now_is timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE chain_follow f SET tip_number = b.number, tip_hash = b.hash, tip_parent = b.parent_hash, tip_at = b.at, moved_at = now_is,
    reorganisations = f.reorganisations + 1
  FROM chain_blocks b WHERE f.chain_id = chain AND f.tip_hash = before AND b.chain_id = chain AND b.number = to_number AND b.hash = to_hash
    AND f.finalized <= to_number AND f.tip_number > to_number;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the blocks of chain % behind % cannot be taken back', chain, to_number USING ERRCODE = '23514';
  END IF;
  PERFORM take_back_chain_rows(u.block_number) FROM (SELECT DISTINCT block_number FROM chain_undo WHERE block_number > to_number
    ORDER BY block_number DESC) u;
  WITH gone AS (DELETE FROM chain_events e WHERE e.chain_id = chain AND e.block_number > to_number RETURNING e.*)
    INSERT INTO chain_orphans SELECT gone.*, now_is, to_number FROM gone;
  DELETE FROM chain_blocks b WHERE b.chain_id = chain AND b.number > to_number;
END $$;

-- As before, and where the server ends the statement for its time, the slowest event is at fault, if it alone took more than half of it.
CREATE OR REPLACE FUNCTION try_chain_rows(events bigint[], relations text[], images text[], ids bigint[], hashes bytea[], logs int[]) RETURNS void
  LANGUAGE plpgsql AS $$
DECLARE
  e bigint;
  refused bigint;
  why text;
  began timestamptz;
  slowest bigint;
  longest interval := '0';
BEGIN
  BEGIN
    FOR e IN SELECT DISTINCT x FROM unnest(events) x ORDER BY x LOOP
      began := clock_timestamp();
      BEGIN
        PERFORM put_chain_rows(0, array_agg(i.relation), array_agg(i.image)) FROM unnest(events, relations, images) i (event, relation, image)
          WHERE i.event = e;
        SET CONSTRAINTS ALL IMMEDIATE;
      EXCEPTION WHEN integrity_constraint_violation OR data_exception OR raise_exception THEN
        GET STACKED DIAGNOSTICS why = CONSTRAINT_NAME;
        IF coalesce(why, '') = '' THEN
          GET STACKED DIAGNOSTICS why = MESSAGE_TEXT;
        END IF;
        refused := e;
        EXIT;
      END;
      IF clock_timestamp() - began > longest THEN
        longest := clock_timestamp() - began;
        slowest := e;
      END IF;
    END LOOP;
    RAISE EXCEPTION 'what was tried is taken back' USING ERRCODE = 'CRTRY';
  EXCEPTION
    WHEN SQLSTATE 'CRTRY' THEN
      NULL;
    WHEN query_canceled THEN
      IF clock_timestamp() - began > longest THEN
        longest := clock_timestamp() - began;
        slowest := e;
      END IF;
      IF slowest IS NULL OR current_setting('statement_timeout') = '0' OR 2 * longest < current_setting('statement_timeout')::interval THEN
        RAISE;
      END IF;
      refused := slowest;
      why := 'too_long';
  END;
  INSERT INTO chain_refusals SELECT p.hash, p.log, 'refused:' || left(why, 200) FROM unnest(ids, hashes, logs) p (id, hash, log)
    WHERE p.id = refused ON CONFLICT DO NOTHING;
END $$;

-- As before, of the first thousand voters: a slash is told later than votes where slashes are followed later, or by a contract that is slow
-- to tell, and anybody may have voted.
CREATE OR REPLACE FUNCTION weigh_early_votes() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  since timestamptz := '-infinity';
  the_voters int[];
BEGIN
  IF TG_OP = 'UPDATE' THEN
    since := OLD.ends_at;
  END IF;
  the_voters := ARRAY(SELECT voter FROM (SELECT voter, archived, created_at FROM activity_votes
      WHERE kind = 'slash' AND target_id = NEW.id ORDER BY voter LIMIT 1000) first
    WHERE archived IS NOT TRUE AND created_at >= since AND created_at < NEW.ends_at);
  IF the_voters <> '{}' THEN
    PERFORM weigh_slash_votes(array_fill(NEW.id, ARRAY[cardinality(the_voters)]), the_voters);
  END IF;
  RETURN NULL;
END $$;
