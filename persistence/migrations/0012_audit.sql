-- What keys were narrowed to, whose wallet opened a session, which tokens were revoked, and the audit.

ALTER TABLE api_keys
  ADD COLUMN scopes text[] CHECK (scopes <@ ARRAY['read', 'vote', 'tip', 'trade', 'keys'] AND cardinality(scopes) > 0),
  ADD COLUMN allowed_networks text[] CHECK (cardinality(allowed_networks) BETWEEN 1 AND 20);
COMMENT ON COLUMN api_keys.scopes IS 'what the key may do; null: whatever its profile may';
COMMENT ON COLUMN api_keys.allowed_networks IS 'addresses and networks it may be used from; null: any';

ALTER TABLE sessions ADD COLUMN address bytea CHECK (octet_length(address) = 20);
COMMENT ON COLUMN sessions.address IS 'the wallet that signed in; the session ends when it leaves the profile';

-- Access tokens that an operator took back. A row may go once its token has expired.
CREATE TABLE revoked_tokens (
  id text PRIMARY KEY CHECK (char_length(id) BETWEEN 1 AND 64),
  profile_id int NOT NULL,
  revoked_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL -- of the token
);
CREATE INDEX revoked_tokens_profile ON revoked_tokens (profile_id);
COMMENT ON TABLE revoked_tokens IS 'access tokens that were taken back before their time, by the id in them';

-- Who did what that matters: each row is written in the transaction of what it tells, and holds the hash of the
-- row before it, so that none can be changed or taken out from between without a trace.
CREATE TABLE audit_log (
  number bigint PRIMARY KEY CHECK (number > 0),
  at timestamptz NOT NULL,
  act text NOT NULL,
  profile_id int,            -- whom or whose it is about
  caller_id int,             -- the profile that asked; null: nobody had to show who they are, or it was no request
  credential text NOT NULL,  -- which one was shown, or the wallet that signed; never a secret
  request_id text NOT NULL,
  address text NOT NULL,     -- of the client
  subject text NOT NULL,
  before text,
  after text,
  previous bytea NOT NULL CHECK (octet_length(previous) = 32), -- hash of the row before; zeros in the first one
  hash bytea NOT NULL CHECK (octet_length(hash) = 32)
);
CREATE INDEX audit_log_profile ON audit_log (profile_id, number);
COMMENT ON TABLE audit_log IS 'append-only and chained by hash: logins, keys, sessions, acts of admins, money in and out';

-- The hash of a row: SHA-256 of the one before it and of the row's own text, as a JSON array.
CREATE FUNCTION audit_hash(row_ audit_log) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
  SELECT sha256(row_.previous || convert_to(jsonb_build_array(row_.number, (extract(epoch FROM row_.at) * 1000000)::bigint,
    row_.act, row_.profile_id, row_.caller_id, row_.credential, row_.request_id, row_.address, row_.subject, row_.before,
    row_.after)::text, 'UTF8'))
$$;

-- Appends rows behind the last one. Whoever else appends waits for the end of this transaction.
CREATE FUNCTION append_audit(ats timestamptz[], acts text[], profile_ids int[], caller_ids int[], credentials text[],
                             request_ids text[], addresses text[], subjects text[], befores text[], afters text[])
  RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  newest audit_log;
  fresh audit_log;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('audit_log'));
  SELECT * INTO newest FROM audit_log ORDER BY number DESC LIMIT 1;
  fresh.number := coalesce(newest.number, 0);
  fresh.hash := coalesce(newest.hash, decode(repeat('00', 32), 'hex'));
  FOR i IN 1 .. cardinality(ats) LOOP
    fresh.number := fresh.number + 1;
    fresh.previous := fresh.hash;
    fresh.at := ats[i];
    fresh.act := acts[i];
    fresh.profile_id := profile_ids[i];
    fresh.caller_id := caller_ids[i];
    fresh.credential := credentials[i];
    fresh.request_id := request_ids[i];
    fresh.address := addresses[i];
    fresh.subject := subjects[i];
    fresh.before := befores[i];
    fresh.after := afters[i];
    fresh.hash := audit_hash(fresh);
    INSERT INTO audit_log VALUES (fresh.*);
  END LOOP;
END $$;

CREATE TRIGGER audit_log_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
