-- Who calls: API keys, sessions, and what makes a signed message or a retried request count once.
-- Of every secret only its SHA-256 is kept.

CREATE TABLE api_keys (
  id uuid PRIMARY KEY,
  profile_id int NOT NULL REFERENCES profiles,
  address bytea NOT NULL CHECK (octet_length(address) = 20), -- the wallet that signed
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL CHECK (expires_at > created_at AND expires_at <= created_at + interval '365 days'),
  revoked_at timestamptz,
  last_used_at timestamptz
) WITH (fillfactor = 80);
CREATE INDEX api_keys_profile ON api_keys (profile_id) WHERE revoked_at IS NULL;

-- The profile decides; this is the net below it.
CREATE FUNCTION check_api_keys() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  wrong int;
BEGIN
  SELECT k.profile_id INTO wrong FROM api_keys k JOIN (SELECT DISTINCT profile_id, created_at AS at FROM fresh) f USING (profile_id)
    WHERE k.revoked_at IS NULL AND k.expires_at > f.at GROUP BY k.profile_id, f.at HAVING count(*) > 25 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'profile % would have more than 25 active API keys', wrong USING ERRCODE = '23514';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER check_api_keys AFTER INSERT ON api_keys REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION check_api_keys();
-- Revoked is revoked.
CREATE TRIGGER api_keys_stay_revoked BEFORE UPDATE ON api_keys FOR EACH ROW
  WHEN (OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER api_keys_stay BEFORE DELETE OR TRUNCATE ON api_keys
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- A signed message counts once. Rows may go once their message has long expired.
CREATE TABLE used_nonces (
  address bytea NOT NULL CHECK (octet_length(address) = 20),
  nonce text NOT NULL CHECK (char_length(nonce) BETWEEN 8 AND 256),
  profile_id int NOT NULL REFERENCES profiles,
  used_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL, -- of the message
  PRIMARY KEY (address, nonce)
);
CREATE INDEX used_nonces_profile ON used_nonces (profile_id);
CREATE INDEX used_nonces_expired ON used_nonces (expires_at);

CREATE TABLE sessions (
  id uuid PRIMARY KEY,
  profile_id int NOT NULL REFERENCES profiles,
  refresh_hash bytea NOT NULL UNIQUE CHECK (octet_length(refresh_hash) = 32),
  previous_hash bytea CHECK (octet_length(previous_hash) = 32), -- of the token before; its use is a theft
  rotated_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL CHECK (expires_at > created_at),
  ended_at timestamptz
) WITH (fillfactor = 80);
CREATE INDEX sessions_profile ON sessions (profile_id) WHERE ended_at IS NULL;
CREATE INDEX sessions_expired ON sessions (expires_at);

-- What a client's Idempotency-Key has done, written in the transaction of the effect. The
-- answer follows before the client gets it.
CREATE TABLE idempotency_records (
  id bytea PRIMARY KEY CHECK (octet_length(id) = 32),          -- SHA-256 of caller, method, path and key
  fingerprint bytea NOT NULL CHECK (octet_length(fingerprint) = 32), -- SHA-256 of the body
  at timestamptz NOT NULL,
  effect text NOT NULL, -- names what was done, such as the number of a tip
  status int CHECK (status BETWEEN 200 AND 299),
  body bytea,
  CHECK ((status IS NULL) = (body IS NULL))
) WITH (fillfactor = 70);
CREATE INDEX idempotency_records_at ON idempotency_records USING brin (at);

-- Takes the place of a record older than a day; a younger one refuses the whole batch.
CREATE FUNCTION record_effects(ids bytea[], fingerprints bytea[], ats timestamptz[], effects text[]) RETURNS void
  LANGUAGE plpgsql AS $$
DECLARE
  written int;
BEGIN
  INSERT INTO idempotency_records AS r (id, fingerprint, at, effect)
    SELECT * FROM unnest(ids, fingerprints, ats, effects)
    ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint, at = excluded.at, effect = excluded.effect,
      status = NULL, body = NULL WHERE r.at <= excluded.at - interval '24 hours';
  GET DIAGNOSTICS written = ROW_COUNT;
  IF written <> cardinality(ids) THEN
    RAISE EXCEPTION 'an Idempotency-Key is used already' USING ERRCODE = '23505';
  END IF;
END $$;

COMMENT ON TABLE api_keys IS 'keys made with a wallet signature; of the token only its hash';
COMMENT ON TABLE used_nonces IS 'nonces of signed messages that have been used';
COMMENT ON TABLE sessions IS 'browser sessions; of the refresh token only its hash';
COMMENT ON TABLE idempotency_records IS 'what was done under an Idempotency-Key, and what was answered, for 24 hours';
