-- The service's own rows: who writes, what was written last, what was answered.
-- Wrong data is impossible whoever writes: what a constraint of a column cannot say, a trigger does.
-- This file and those up to 0014 are the baseline: none of them is ever edited.

-- -- who writes -----------------------------------------------------------------------------------

-- The owner of a shard, and its last batch, in one row that every batch writes in place.
CREATE TABLE shard_owners (
  shard int PRIMARY KEY,
  owner text NOT NULL,
  epoch bigint NOT NULL,
  sequence bigint NOT NULL DEFAULT 0,
  last_seq bigint NOT NULL DEFAULT 0,
  batch uuid,
  open_period int
) WITH (fillfactor = 10);
COMMENT ON TABLE shard_owners IS 'who may write a shard, and the last batch that was; a takeover raises the epoch';
COMMENT ON COLUMN shard_owners.open_period IS 'as voting_periods says; a batch of one vote looks here';

-- What a client's Idempotency-Key has done, written in the transaction of the effect; the answer follows before the client gets it.
-- Records lie in eight tables of four hours each, in turn, by the time of their request. Four hours are emptied at once when a day
-- has passed, which costs the same whatever they hold. Rows are only ever inserted: one for the effect, one for the answer.
CREATE TABLE idempotency_records (
  slot smallint NOT NULL, -- hours since 1970 by four, modulo eight
  answered boolean NOT NULL, -- which of the two rows
  status smallint,
  at timestamptz NOT NULL, -- of the request; the same in both
  id bytea NOT NULL, -- SHA-256 of caller, method, path and key
  fingerprint bytea NOT NULL, -- SHA-256 of the body
  effect text, -- names what was done, such as the number of a tip
  body bytea,
  PRIMARY KEY (id, answered, slot),
  CONSTRAINT idempotency_records_check CHECK (octet_length(id) = 32 AND octet_length(fingerprint) = 32
    AND answered = (status IS NOT NULL) AND answered = (body IS NOT NULL) AND answered = (effect IS NULL)
    AND (status IS NULL OR status BETWEEN 200 AND 299))
) PARTITION BY LIST (slot);
COMMENT ON TABLE idempotency_records IS 'what was done under an Idempotency-Key, and what was answered, for 24 hours';
DO $$
BEGIN
  -- Emptied before a vacuum could pay.
  FOR i IN 0..7 LOOP
    EXECUTE format('CREATE TABLE idempotency_records_%s PARTITION OF idempotency_records FOR VALUES IN (%s)'
                   ' WITH (autovacuum_enabled = off)', i, i);
  END LOOP;
END $$;

CREATE TABLE takeovers (
  shard int NOT NULL,
  epoch bigint NOT NULL, -- that began
  batch uuid, -- the last one before it
  PRIMARY KEY (shard, epoch)
);
COMMENT ON TABLE takeovers IS 'the last batch before an epoch, to tell after a lost connection whether a batch is in';

-- What profiles have used up of their daily bounds (actors/domain/daily_act.hpp): one row for each kind of act, written anew as it
-- grows and when another day begins. So it holds at most one for each profile and kind, and nothing has to be tidied.
CREATE TABLE daily_acts (
  profile_id int NOT NULL CHECK (profile_id > 0),
  act text NOT NULL CHECK (char_length(act) BETWEEN 1 AND 64),
  day date NOT NULL,
  used bigint NOT NULL CHECK (used >= 0),
  PRIMARY KEY (profile_id, act)
) WITH (fillfactor = 80);

-- -- what must stay ----------------------------------------------------------------------------
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% on % is not allowed: its rows stay as they are', TG_OP, TG_TABLE_NAME USING ERRCODE = '23514';
END $$;
-- An epoch that fell would let a writer back in that was shut out.
CREATE TRIGGER shard_owners_stay BEFORE DELETE OR TRUNCATE ON shard_owners
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Begins every batch: proves that the writer still owns the shard, in a way that a takeover has to wait for, and leaves the batch's
-- identity in its transaction. The update is the proof: it finds no row unless the writer owns the shard and the batch follows the
-- last one. Only the last batch of an owner can be in doubt; `takeovers` has it once there is another owner.
CREATE FUNCTION fence_batch(the_shard int, the_owner text, the_epoch bigint, the_sequence bigint, the_id uuid,
                            the_first_seq bigint, the_last_seq bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  before shard_owners;
BEGIN
  UPDATE shard_owners SET sequence = the_sequence, last_seq = the_last_seq, batch = the_id
    WHERE shard = the_shard AND owner = the_owner AND epoch = the_epoch
      AND sequence = the_sequence - 1 AND last_seq = the_first_seq - 1 AND the_last_seq >= the_first_seq - 1;
  IF FOUND THEN
    RETURN;
  END IF;
  SELECT * INTO before FROM shard_owners WHERE shard = the_shard;
  IF before.owner IS DISTINCT FROM the_owner OR before.epoch IS DISTINCT FROM the_epoch THEN
    RAISE EXCEPTION 'shard % is no longer owned by % in epoch %', the_shard, the_owner, the_epoch USING ERRCODE = 'CR001';
  END IF;
  RAISE EXCEPTION 'batch % from % to % does not follow batch % up to %', the_sequence, the_first_seq, the_last_seq,
    before.sequence, before.last_seq USING ERRCODE = 'CR002';
END $$;

-- What other programs change of people and listings is told at once to whoever listens on the
-- channel credence_changes: 'profile 1,2,3' or 'project 4', or '*' instead of ids for perhaps
-- all of them. Nothing that votes, tips or trades write is told: NOTIFY takes a lock at commit
-- that all databases of the server share.
CREATE FUNCTION tell_changes(what text, ids int[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  in_a_note CONSTANT int := 500; -- of up to 11 characters: a note holds less than 8,000 bytes
  notes_most CONSTANT int := 10;
BEGIN
  IF cardinality(ids) > in_a_note * notes_most THEN
    PERFORM pg_notify('credence_changes', what || ' *');
    RETURN;
  END IF;
  FOR i IN 1 .. coalesce(cardinality(ids), 0) BY in_a_note LOOP
    PERFORM pg_notify('credence_changes', what || ' ' || array_to_string(ids[i : i + in_a_note - 1], ','));
  END LOOP;
END $$;

CREATE VIEW batches AS SELECT shard, sequence, epoch, batch AS id, last_seq FROM shard_owners;
COMMENT ON VIEW batches IS 'the last batch of each shard';

CREATE FUNCTION check_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.shard <= 0 OR NEW.owner = '' OR NEW.epoch <= 0 THEN
    RAISE EXCEPTION 'shard % cannot have the owner "%" with epoch %', NEW.shard, NEW.owner, NEW.epoch USING ERRCODE = '23514';
  END IF;
  IF TG_OP = 'UPDATE' AND (NEW.shard <> OLD.shard OR NEW.epoch < OLD.epoch) THEN
    RAISE EXCEPTION 'an epoch that fell would let a writer back in that was shut out' USING ERRCODE = '23514';
  END IF;
  NEW.open_period := (SELECT id FROM voting_periods WHERE closed_at IS NULL);
  RETURN NEW;
END $$;
CREATE TRIGGER check_owner BEFORE INSERT OR UPDATE OF shard, owner, epoch ON shard_owners
  FOR EACH ROW EXECUTE FUNCTION check_owner();

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
