-- Managed wallets and their transactions.

-- Managed wallets: accounts of a chain whose keys the service holds, sealed under a master key that is kept outside of the database.
CREATE TABLE managed_wallets (
  id bigint PRIMARY KEY, -- its profile's; 0: the account that pays for the gas of others
  profile_id int UNIQUE REFERENCES profiles,
  address bytea NOT NULL UNIQUE CHECK (octet_length(address) = 20),
  master_version int NOT NULL CHECK (master_version > 0), -- of the master key that seals it
  sealed_key bytea NOT NULL CHECK (octet_length(sealed_key) BETWEEN 64 AND 4096),
  created_at timestamptz NOT NULL,
  exported_at timestamptz,
  orphaned_at timestamptz, -- nobody signs with it
  CONSTRAINT managed_wallets_owner CHECK (CASE WHEN id = 0 THEN profile_id IS NULL ELSE profile_id IS NOT NULL AND profile_id = id END)
) WITH (fillfactor = 80);
CREATE INDEX managed_wallets_version ON managed_wallets (master_version, id);
COMMENT ON TABLE managed_wallets IS 'accounts of a chain that the service signs for; their private keys are sealed';
COMMENT ON COLUMN managed_wallets.sealed_key IS 'the private key under a data key of its own, that under the master key';
COMMENT ON COLUMN managed_wallets.exported_at IS 'when its owner last took the private key out';
COMMENT ON COLUMN managed_wallets.orphaned_at IS 'when the block of its profile was taken back; null: it is in use';

-- The outbox of managed wallets: a transaction is stored, signed, before any node is given it, so that it is sent or found again
-- whatever dies.
CREATE TABLE wallet_transactions (
  seq bigint PRIMARY KEY CHECK (seq > 0),
  wallet_id bigint NOT NULL REFERENCES managed_wallets,
  nonce bigint NOT NULL CHECK (nonce >= 0),
  to_address bytea NOT NULL CHECK (octet_length(to_address) = 20),
  value numeric NOT NULL CHECK (value >= 0),
  data bytea NOT NULL,
  gas_limit bigint NOT NULL CHECK (gas_limit > 0),
  max_fee numeric NOT NULL CHECK (max_fee > 0), -- wei for a unit of gas
  max_priority_fee numeric NOT NULL CHECK (max_priority_fee BETWEEN 0 AND max_fee),
  signed_bytes bytea NOT NULL CHECK (octet_length(signed_bytes) > 0),
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  kind text NOT NULL CHECK (char_length(kind) BETWEEN 1 AND 64), -- what it does, such as review
  origin text NOT NULL CHECK (char_length(origin) <= 512), -- the partner's that asked for it; empty: the service itself
  beneficiary int CHECK (beneficiary > 0), -- whose gas it pays for
  replaces bigint REFERENCES wallet_transactions, -- another one of the same nonce, with lower fees
  replaced_by bigint,
  state text NOT NULL DEFAULT 'stored' CHECK (state IN ('stored', 'sent', 'mined', 'settled', 'replaced', 'failed')),
  reason text NOT NULL DEFAULT '' CHECK (char_length(reason) <= 2000), -- why it failed
  block bigint CHECK (block >= 0),
  done boolean NOT NULL DEFAULT false, -- nothing will happen to it any more
  created_at timestamptz NOT NULL,
  changed_at timestamptz NOT NULL,
  CONSTRAINT wallet_transactions_settled CHECK (state <> 'settled' OR (done AND block IS NOT NULL)),
  CONSTRAINT wallet_transactions_waiting CHECK (state NOT IN ('stored', 'sent') OR (NOT done AND block IS NULL)),
  CONSTRAINT wallet_transactions_sponsorship CHECK ((kind = 'sponsorship') = (beneficiary IS NOT NULL))
) WITH (fillfactor = 70);
-- One transaction of a nonce counts: not one that another has replaced, nor one that no node has taken.
CREATE UNIQUE INDEX wallet_transactions_nonce ON wallet_transactions (wallet_id, nonce)
  WHERE state <> 'replaced' AND (state <> 'failed' OR block IS NOT NULL);
-- One that no node has taken may be signed once more, to the same bytes.
CREATE UNIQUE INDEX wallet_transactions_hash ON wallet_transactions (hash) WHERE state <> 'failed' OR block IS NOT NULL;
CREATE INDEX wallet_transactions_open ON wallet_transactions (wallet_id, seq) WHERE NOT done;
CREATE INDEX wallet_transactions_listed ON wallet_transactions (wallet_id, seq DESC);
CREATE INDEX wallet_transactions_by_day ON wallet_transactions (wallet_id, created_at);
CREATE INDEX wallet_transactions_used ON wallet_transactions (wallet_id, nonce) WHERE done AND block IS NOT NULL;
COMMENT ON TABLE wallet_transactions IS 'transactions of managed wallets, stored before they are sent; several of one nonce are attempts with rising fees';
COMMENT ON COLUMN wallet_transactions.wallet_id IS 'of managed_wallets: the profile that it acts for; 0 pays for the gas of others';
CREATE INDEX wallet_transactions_call ON wallet_transactions (wallet_id, to_address, sha256(data), seq);

-- The id of a profile whose block is taken back may come again, of somebody else, who must not get the key and what it holds. So the
-- wallet stands still from then on: it signs nothing and is not given out. Only an operator who knows that the profile is the same
-- one gives it back.
CREATE FUNCTION orphan_wallet() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE managed_wallets SET orphaned_at = coalesce((SELECT moved_at FROM chain_follow), now()) WHERE id = NEW.id AND orphaned_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER orphan_wallet AFTER UPDATE ON profiles FOR EACH ROW WHEN (NEW.orphaned AND NOT OLD.orphaned) EXECUTE FUNCTION orphan_wallet();

CREATE FUNCTION store_transaction() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed_at := NEW.created_at;
  IF EXISTS (SELECT FROM managed_wallets WHERE id = NEW.wallet_id AND orphaned_at IS NOT NULL) THEN
    RAISE EXCEPTION 'wallet % signs nothing, as the block of its profile was taken back', NEW.wallet_id USING ERRCODE = '23514';
  END IF;
  IF NEW.replaces IS NOT NULL THEN
    UPDATE wallet_transactions SET state = 'replaced', replaced_by = NEW.seq, changed_at = NEW.created_at
      WHERE seq = NEW.replaces AND wallet_id = NEW.wallet_id AND nonce = NEW.nonce AND NOT done AND block IS NULL;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'transaction % replaces %, which does not wait under the same nonce', NEW.seq, NEW.replaces USING ERRCODE = '23514';
    END IF;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER store_transaction BEFORE INSERT ON wallet_transactions FOR EACH ROW EXECUTE FUNCTION store_transaction();

-- A key that is gone takes what its account holds with it, so rows stay, and so does whose and which account they are. Only the seal
-- changes, to a later master key, and when the owner took the key out.
CREATE TRIGGER managed_wallets_stay BEFORE DELETE OR TRUNCATE ON managed_wallets FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER managed_wallets_keep_their_key BEFORE UPDATE ON managed_wallets FOR EACH ROW
  WHEN (NEW.id <> OLD.id OR NEW.profile_id IS DISTINCT FROM OLD.profile_id OR NEW.address <> OLD.address OR NEW.created_at <> OLD.created_at
    OR NEW.master_version < OLD.master_version OR (NEW.master_version = OLD.master_version AND NEW.sealed_key <> OLD.sealed_key)
    OR (OLD.exported_at IS NOT NULL AND (NEW.exported_at IS NULL OR NEW.exported_at < OLD.exported_at)))
  EXECUTE FUNCTION refuse_change();
CREATE TRIGGER managed_wallets_orphans_stay_inside BEFORE UPDATE ON managed_wallets FOR EACH ROW
  WHEN (OLD.orphaned_at IS NOT NULL AND NEW.exported_at IS DISTINCT FROM OLD.exported_at) EXECUTE FUNCTION refuse_change();
-- What was signed stays as it was signed, and what is done stays done.
CREATE TRIGGER wallet_transactions_stay BEFORE DELETE OR TRUNCATE ON wallet_transactions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER wallet_transactions_keep BEFORE UPDATE ON wallet_transactions FOR EACH ROW
  WHEN (OLD.done OR (NEW.seq, NEW.wallet_id, NEW.nonce, NEW.to_address, NEW.value, NEW.data, NEW.gas_limit, NEW.max_fee, NEW.max_priority_fee,
    NEW.signed_bytes, NEW.hash, NEW.kind, NEW.origin, NEW.beneficiary, NEW.replaces, NEW.created_at) IS DISTINCT FROM (OLD.seq, OLD.wallet_id,
    OLD.nonce, OLD.to_address, OLD.value, OLD.data, OLD.gas_limit, OLD.max_fee, OLD.max_priority_fee, OLD.signed_bytes, OLD.hash, OLD.kind,
    OLD.origin, OLD.beneficiary, OLD.replaces, OLD.created_at))
  EXECUTE FUNCTION refuse_change();

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

-- The server adds transactions and moves them; roles that were given the whole table by default keep no more than that.
DO $$
DECLARE
  who text;
BEGIN
  FOR who IN SELECT DISTINCT grantee::text FROM information_schema.role_table_grants
      WHERE table_schema = current_schema() AND table_name = 'wallet_transactions' AND grantee NOT IN (current_user, 'PUBLIC') LOOP
    EXECUTE format('REVOKE ALL ON wallet_transactions FROM %I', who);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE (state, reason, block, done, replaced_by, changed_at) ON wallet_transactions TO %I', who);
  END LOOP;
END $$;
