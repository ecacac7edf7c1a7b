-- Idempotency records lie in eight tables of four hours each, in turn, by the time of their request.
-- Four hours are emptied at once when a day has passed, which costs the same whatever they hold.
-- Rows are only ever inserted: one for the effect, one for the answer.

ALTER TABLE idempotency_records RENAME TO records_before;
CREATE TABLE idempotency_records (
  slot smallint NOT NULL,    -- hours since 1970 by four, modulo eight
  answered boolean NOT NULL, -- which of the two rows
  status smallint,
  at timestamptz NOT NULL,   -- of the request; the same in both
  id bytea NOT NULL,          -- SHA-256 of caller, method, path and key
  fingerprint bytea NOT NULL, -- SHA-256 of the body
  effect text,                -- names what was done, such as the number of a tip
  body bytea,
  PRIMARY KEY (id, answered, slot),
  CONSTRAINT idempotency_records_check CHECK (octet_length(id) = 32 AND octet_length(fingerprint) = 32
    AND answered = (status IS NOT NULL) AND answered = (body IS NOT NULL) AND answered = (effect IS NULL)
    AND (status IS NULL OR status BETWEEN 200 AND 299))
) PARTITION BY LIST (slot);
DO $$
BEGIN
  -- Emptied before a vacuum could pay.
  FOR i IN 0..7 LOOP
    EXECUTE format('CREATE TABLE idempotency_records_%s PARTITION OF idempotency_records FOR VALUES IN (%s)'
                   ' WITH (autovacuum_enabled = off)', i, i);
  END LOOP;
END $$;
INSERT INTO idempotency_records (slot, answered, at, id, fingerprint, effect)
  SELECT floor(extract(epoch FROM at) / 14400)::bigint % 8, false, at, id, fingerprint, effect FROM records_before;
INSERT INTO idempotency_records (slot, answered, at, id, fingerprint, status, body)
  SELECT floor(extract(epoch FROM at) / 14400)::bigint % 8, true, at, id, fingerprint, status, body FROM records_before
  WHERE status IS NOT NULL;
DROP TABLE records_before;

-- A record that should have been emptied long ago gives way; a younger one refuses the whole batch.
DROP FUNCTION record_effects(bytea[], bytea[], timestamptz[], text[]);
CREATE FUNCTION record_effects(slots smallint[], ids bytea[], fingerprints bytea[], ats timestamptz[], effects text[]) RETURNS void
  LANGUAGE plpgsql AS $$
DECLARE
  written int;
BEGIN
  INSERT INTO idempotency_records AS r (answered, slot, id, fingerprint, at, effect)
    SELECT false, u.* FROM unnest(slots, ids, fingerprints, ats, effects) u
    ON CONFLICT (id, answered, slot) DO UPDATE SET fingerprint = excluded.fingerprint, at = excluded.at, effect = excluded.effect
      WHERE r.at <= excluded.at - interval '24 hours';
  GET DIAGNOSTICS written = ROW_COUNT;
  IF written <> cardinality(ids) THEN
    RAISE EXCEPTION 'an Idempotency-Key is used already' USING ERRCODE = '23505';
  END IF;
END $$;

COMMENT ON TABLE idempotency_records IS 'what was done under an Idempotency-Key, and what was answered, for 24 hours';

-- Empties one of the eight tables, if there is anything in it. With the owner's rights: the server's role may empty no table.
CREATE FUNCTION forget_records(the_slot int) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  filled boolean;
BEGIN
  EXECUTE format('SELECT EXISTS (SELECT FROM idempotency_records_%s)', the_slot) INTO filled;
  IF filled THEN
    EXECUTE format('TRUNCATE idempotency_records_%s', the_slot);
  END IF;
END $$;
