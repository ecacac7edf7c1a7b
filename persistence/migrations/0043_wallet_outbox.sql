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
  origin text NOT NULL CHECK (char_length(origin) <= 512),       -- the partner's that asked for it; empty: the service itself
  beneficiary int CHECK (beneficiary > 0),                       -- whose gas it pays for
  replaces bigint REFERENCES wallet_transactions,                -- another one of the same nonce, with lower fees
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

-- What was signed stays as it was signed, and what is done stays done.
CREATE TRIGGER wallet_transactions_stay BEFORE DELETE OR TRUNCATE ON wallet_transactions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER wallet_transactions_keep BEFORE UPDATE ON wallet_transactions FOR EACH ROW
  WHEN (OLD.done OR (NEW.seq, NEW.wallet_id, NEW.nonce, NEW.to_address, NEW.value, NEW.data, NEW.gas_limit, NEW.max_fee, NEW.max_priority_fee,
    NEW.signed_bytes, NEW.hash, NEW.kind, NEW.origin, NEW.beneficiary, NEW.replaces, NEW.created_at) IS DISTINCT FROM (OLD.seq, OLD.wallet_id,
    OLD.nonce, OLD.to_address, OLD.value, OLD.data, OLD.gas_limit, OLD.max_fee, OLD.max_priority_fee, OLD.signed_bytes, OLD.hash, OLD.kind,
    OLD.origin, OLD.beneficiary, OLD.replaces, OLD.created_at))
  EXECUTE FUNCTION refuse_change();

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

COMMENT ON TABLE wallet_transactions IS 'transactions of managed wallets, stored before they are sent; several of one nonce are attempts with rising fees';
COMMENT ON COLUMN wallet_transactions.wallet_id IS 'of managed_wallets: the profile that it acts for; 0 pays for the gas of others';
