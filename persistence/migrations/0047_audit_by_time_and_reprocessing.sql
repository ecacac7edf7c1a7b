-- What operators look for in the audit by its time would otherwise be looked for row by row from the newest one. With the number
-- behind the time, a page is read from the index in its order, also where many entries have one time.
CREATE INDEX audit_log_at ON audit_log (at, number);

-- Failed events of the chain that are tried again, when an operator asks for it: one after the other, behind all that is there.
ALTER TABLE chain_follow
  ADD COLUMN reprocess_after bigint CHECK (reprocess_after >= 0); -- the last one that was tried; null: nobody has asked for it
COMMENT ON COLUMN chain_follow.reprocess_after IS 'failed events behind this one are to be tried again; null: nobody has asked for that';

-- Where they come in: behind that event, by the kinds that were followed then, in the order of numbers.
CREATE TABLE chain_reprocessed (
  event_id bigint PRIMARY KEY CHECK (event_id > 0),
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  after_event bigint NOT NULL CHECK (after_event >= 0),
  kinds text NOT NULL
);
COMMENT ON TABLE chain_reprocessed IS 'failed events that were tried again, and behind which event';

-- Whether a later event has changed a row that this one would change. Parameters of contracts do not tell which event set them.
CREATE FUNCTION changed_by_later_events(the_event bigint, the_name text, relations text[], images text[]) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
  t record;
  coming jsonb;
  later boolean;
BEGIN
  IF 'chain_params' = ANY (relations) AND EXISTS (SELECT FROM chain_events l JOIN chain_events e ON e.contract = l.contract
      WHERE e.id = the_event AND l.id > the_event AND l.event_name = the_name AND l.status = 'applied') THEN
    RETURN true;
  END IF;
  FOR t IN SELECT * FROM chain_tables() c WHERE c.name = ANY (relations) AND 'event_id' = ANY (c.changes) LOOP
    SELECT jsonb_agg(i.image::jsonb) INTO coming FROM unnest(relations, images) i (relation, image) WHERE i.relation = t.name;
    EXECUTE format('SELECT EXISTS (SELECT FROM %1$I t JOIN jsonb_populate_recordset(NULL::%1$I, $1) n ON (%2$s) = (%3$s) WHERE t.event_id > $2)',
                   t.name, columns_of('t.', t.keys), columns_of('n.', t.keys)) INTO later USING coming, the_event;
    IF later THEN
      RETURN true;
    END IF;
  END LOOP;
  RETURN false;
END $$;

-- A failed event has been tried again: it is this now, with these rows, unless a later event or the database has something against
-- them; then it has failed anew, and nothing of it is written. Event 0: none is left.
CREATE FUNCTION reprocess_chain_event(chain bigint, tip bytea, before bigint, the_event bigint, the_name text, the_log text, the_status text,
                                      the_reason text, relations text[], images text[], pieces int[], now_is timestamptz)
  RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  f chain_follow;
  piece int;
  why text;
BEGIN
  UPDATE chain_follow c SET reprocess_after = nullif(the_event, 0)
    WHERE c.chain_id = chain AND c.tip_hash = tip AND c.replaying = '' AND c.reprocess_after = before AND (the_event = 0 OR the_event > before)
    RETURNING * INTO f;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the failed events of chain % are not tried again up to event %', chain, before USING ERRCODE = '23514';
  END IF;
  IF the_event = 0 THEN
    RETURN;
  END IF;
  IF the_status = 'applied' AND changed_by_later_events(the_event, the_name, relations, images) THEN
    the_status := 'failed';
    the_reason := 'refused:later_events';
  ELSE
    BEGIN
      FOR piece IN SELECT DISTINCT x FROM unnest(pieces) x ORDER BY x LOOP
        PERFORM put_chain_rows(0, array_agg(i.relation), array_agg(i.image)) FROM unnest(relations, images, pieces) i (relation, image, piece_of)
          WHERE i.piece_of = piece;
      END LOOP;
      SET CONSTRAINTS ALL IMMEDIATE;
    EXCEPTION WHEN integrity_constraint_violation OR data_exception OR raise_exception THEN
      GET STACKED DIAGNOSTICS why = CONSTRAINT_NAME;
      IF coalesce(why, '') = '' THEN
        GET STACKED DIAGNOSTICS why = MESSAGE_TEXT;
      END IF;
      the_status := 'failed';
      the_reason := 'refused:' || left(why, 200);
    END;
    SET CONSTRAINTS ALL DEFERRED;
  END IF;
  UPDATE chain_events e SET status = the_status, reason = the_reason, event_name = the_name, log_data = the_log,
      updated_at = greatest(e.created_at, now_is) WHERE e.id = the_event AND e.status = 'failed';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'event % has not failed', the_event USING ERRCODE = '23514';
  END IF;
  DELETE FROM chain_reprocessed r WHERE r.event_id = the_event;
  IF the_status <> 'ignored' THEN -- else it comes in when its kind is added
    INSERT INTO chain_reprocessed (event_id, after_event, kinds) VALUES (the_event, f.last_event, f.kinds);
  END IF;
END $$;
