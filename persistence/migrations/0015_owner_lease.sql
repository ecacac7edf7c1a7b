-- Until when the owner of a shard has it, by PostgreSQL's clock: a standby (`credence serve --standby`) waits for that. The owner renews it
-- between its batches. It shuts nobody out, the epoch does.
ALTER TABLE shard_owners ADD COLUMN lease_until timestamptz;
COMMENT ON COLUMN shard_owners.lease_until IS 'a standby waits so long for the owner, who renews it; null: it was given back';
