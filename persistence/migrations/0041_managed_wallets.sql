-- Managed wallets: accounts of a chain whose keys the service holds, sealed under a master key that is kept outside of the database.

CREATE TABLE managed_wallets (
  id bigint PRIMARY KEY,                     -- its profile's; 0: the account that pays for the gas of others
  profile_id int UNIQUE REFERENCES profiles,
  address bytea NOT NULL UNIQUE CHECK (octet_length(address) = 20),
  master_version int NOT NULL CHECK (master_version > 0), -- of the master key that seals it
  sealed_key bytea NOT NULL CHECK (octet_length(sealed_key) BETWEEN 64 AND 4096),
  created_at timestamptz NOT NULL,
  exported_at timestamptz,
  orphaned_at timestamptz,                   -- nobody signs with it
  CONSTRAINT managed_wallets_owner CHECK (CASE WHEN id = 0 THEN profile_id IS NULL ELSE profile_id IS NOT NULL AND profile_id = id END)
) WITH (fillfactor = 80);
CREATE INDEX managed_wallets_version ON managed_wallets (master_version, id);

-- A key that is gone takes what its account holds with it, so rows stay, and so does whose and which account they are. Only the seal
-- changes, to a later master key, and when the owner took the key out.
CREATE TRIGGER managed_wallets_stay BEFORE DELETE OR TRUNCATE ON managed_wallets FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER managed_wallets_keep_their_key BEFORE UPDATE ON managed_wallets FOR EACH ROW
  WHEN (NEW.id <> OLD.id OR NEW.profile_id IS DISTINCT FROM OLD.profile_id OR NEW.address <> OLD.address OR NEW.created_at <> OLD.created_at
    OR NEW.master_version < OLD.master_version OR (NEW.master_version = OLD.master_version AND NEW.sealed_key <> OLD.sealed_key)
    OR (OLD.exported_at IS NOT NULL AND (NEW.exported_at IS NULL OR NEW.exported_at < OLD.exported_at)))
  EXECUTE FUNCTION refuse_change();

-- The id of a profile whose block is taken back may come again, of somebody else, who must not get the key and what it holds. So the
-- wallet stands still from then on: it signs nothing and is not given out. Only an operator who knows that the profile is the same
-- one gives it back.
CREATE FUNCTION orphan_wallet() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE managed_wallets SET orphaned_at = coalesce((SELECT moved_at FROM chain_follow), now()) WHERE id = NEW.id AND orphaned_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER orphan_wallet AFTER UPDATE ON profiles FOR EACH ROW WHEN (NEW.orphaned AND NOT OLD.orphaned) EXECUTE FUNCTION orphan_wallet();
CREATE TRIGGER managed_wallets_orphans_stay_inside BEFORE UPDATE ON managed_wallets FOR EACH ROW
  WHEN (OLD.orphaned_at IS NOT NULL AND NEW.exported_at IS DISTINCT FROM OLD.exported_at) EXECUTE FUNCTION refuse_change();

-- The server adds wallets, seals them anew and notes exports; roles that were given the whole table by default keep no more than that.
DO $$
DECLARE
  who text;
BEGIN
  FOR who IN SELECT DISTINCT grantee::text FROM information_schema.role_table_grants
      WHERE table_schema = current_schema() AND table_name = 'managed_wallets' AND grantee NOT IN (current_user, 'PUBLIC') LOOP
    EXECUTE format('REVOKE ALL ON managed_wallets FROM %I', who);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE (master_version, sealed_key, exported_at, orphaned_at) ON managed_wallets TO %I', who);
  END LOOP;
END $$;

COMMENT ON TABLE managed_wallets IS 'accounts of a chain that the service signs for; their private keys are sealed';
COMMENT ON COLUMN managed_wallets.sealed_key IS 'the private key under a data key of its own, that under the master key';
COMMENT ON COLUMN managed_wallets.exported_at IS 'when its owner last took the private key out';
COMMENT ON COLUMN managed_wallets.orphaned_at IS 'when the block of its profile was taken back; null: it is in use';
