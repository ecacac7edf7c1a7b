-- What a batch of one vote costs: a row written in place to begin it, its votes, one look at
-- what they hang on. Checks of columns are read anew from their text by every statement, so
-- those of rows that come with every batch are made where a plan is kept.

-- The last batch of a shard is part of its owner's row: proving who owns the shard, and where the
-- batch belongs, leaves the batch's identity. Only the last batch of an owner can be in doubt;
-- `takeovers` has it once there is another owner.
ALTER TABLE shard_owners
  ADD COLUMN sequence bigint NOT NULL DEFAULT 0,
  ADD COLUMN last_seq bigint NOT NULL DEFAULT 0,
  ADD COLUMN batch uuid;
UPDATE shard_owners o SET sequence = b.sequence, last_seq = b.last_seq, batch = b.id
  FROM (SELECT DISTINCT ON (shard) * FROM batches ORDER BY shard, sequence DESC) b WHERE b.shard = o.shard;
DROP TABLE batches;
CREATE VIEW batches AS SELECT shard, sequence, epoch, batch AS id, last_seq FROM shard_owners;

CREATE TABLE takeovers (
  shard int NOT NULL,
  epoch bigint NOT NULL, -- that began
  batch uuid,            -- the last one before it
  PRIMARY KEY (shard, epoch)
);

ALTER TABLE shard_owners SET (fillfactor = 10); -- rewritten by every batch, in place
ALTER TABLE shard_owners DROP CONSTRAINT shard_owners_shard_check, DROP CONSTRAINT shard_owners_owner_check,
  DROP CONSTRAINT shard_owners_epoch_check;
DROP TRIGGER shard_owners_epoch ON shard_owners;
CREATE FUNCTION check_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.shard <= 0 OR NEW.owner = '' OR NEW.epoch <= 0 THEN
    RAISE EXCEPTION 'shard % cannot have the owner "%" with epoch %', NEW.shard, NEW.owner, NEW.epoch USING ERRCODE = '23514';
  END IF;
  IF TG_OP = 'UPDATE' AND (NEW.shard <> OLD.shard OR NEW.epoch < OLD.epoch) THEN
    RAISE EXCEPTION 'an epoch that fell would let a writer back in that was shut out' USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER check_owner BEFORE INSERT OR UPDATE OF shard, owner, epoch ON shard_owners
  FOR EACH ROW EXECUTE FUNCTION check_owner();

CREATE OR REPLACE FUNCTION fence_batch(the_shard int, the_owner text, the_epoch bigint, the_sequence bigint, the_id uuid,
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

-- The open period is not closed under votes by somebody else. A lock in memory does for that;
-- one on the period's row would be written with every batch.
CREATE FUNCTION lock_open_period() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7021);
  RETURN NULL;
END $$;
CREATE TRIGGER lock_open_period BEFORE UPDATE ON voting_periods FOR EACH STATEMENT EXECUTE FUNCTION lock_open_period();

ALTER TABLE votes DROP CONSTRAINT votes_seq_check, DROP CONSTRAINT votes_number_check, DROP CONSTRAINT votes_reason_check;
CREATE OR REPLACE FUNCTION check_votes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  held text := pg_advisory_xact_lock_shared(7021);
  open_period int;
  wrong record;
BEGIN
  SELECT f.project_id, f.voter_id, f.period_id, f.seq, f.number, f.reason INTO wrong FROM fresh f
    WHERE f.period_id IS DISTINCT FROM (SELECT id FROM voting_periods WHERE closed_at IS NULL)
      OR (SELECT p.status FROM projects p WHERE p.id = f.project_id) IS DISTINCT FROM 'ACTIVE'
      OR (SELECT p.archived FROM profiles p WHERE p.id = f.voter_id) IS DISTINCT FROM false
      OR f.seq <= 0 OR f.number <= 0 OR char_length(f.reason) NOT BETWEEN 1 AND 50 LIMIT 1;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  IF wrong.seq <= 0 OR wrong.number <= 0 OR char_length(wrong.reason) NOT BETWEEN 1 AND 50 THEN
    RAISE EXCEPTION 'a vote has the number %, the global number % and a reason of % characters', wrong.number, wrong.seq,
      char_length(wrong.reason) USING ERRCODE = '23514';
  END IF;
  SELECT id INTO open_period FROM voting_periods WHERE closed_at IS NULL;
  IF wrong.period_id IS DISTINCT FROM open_period THEN
    RAISE EXCEPTION 'voting period % is not the open one', wrong.period_id USING ERRCODE = '23514';
  END IF;
  IF EXISTS (SELECT FROM projects p WHERE p.id = wrong.project_id AND p.status = 'ACTIVE') THEN
    RAISE EXCEPTION 'profile % is not there or archived', wrong.voter_id USING ERRCODE = '23503';
  END IF;
  RAISE EXCEPTION 'project % is not there or takes no votes', wrong.project_id USING ERRCODE = '23503';
END $$;

COMMENT ON TABLE shard_owners IS 'who may write a shard, and the last batch that was; a takeover raises the epoch';
COMMENT ON TABLE takeovers IS 'the last batch before an epoch, to tell after a lost connection whether a batch is in';
COMMENT ON VIEW batches IS 'the last batch of each shard';
