-- Keys, sessions, tokens that were taken back, partners, and the audit.

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
  last_used_at timestamptz,
  scopes text[],
  allowed_networks text[] CHECK (cardinality(allowed_networks) BETWEEN 1 AND 20),
  CONSTRAINT api_keys_scopes_check
    CHECK (scopes <@ ARRAY['read', 'vote', 'tip', 'trade', 'keys', 'record'] AND cardinality(scopes) > 0)
) WITH (fillfactor = 80);
CREATE INDEX api_keys_profile ON api_keys (profile_id) WHERE revoked_at IS NULL;
COMMENT ON TABLE api_keys IS 'keys made with a wallet signature; of the token only its hash';
COMMENT ON COLUMN api_keys.scopes IS 'what the key may do; null: whatever its profile may';
COMMENT ON COLUMN api_keys.allowed_networks IS 'addresses and networks it may be used from; null: any';

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
COMMENT ON TABLE used_nonces IS 'nonces of signed messages that have been used';

CREATE TABLE sessions (
  id uuid PRIMARY KEY,
  profile_id int NOT NULL REFERENCES profiles,
  refresh_hash bytea NOT NULL UNIQUE CHECK (octet_length(refresh_hash) = 32),
  previous_hash bytea CHECK (octet_length(previous_hash) = 32), -- of the token before; its use is a theft
  rotated_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL CHECK (expires_at > created_at),
  ended_at timestamptz,
  address bytea CHECK (octet_length(address) = 20),
  partner_origin text CHECK (char_length(partner_origin) BETWEEN 8 AND 300)
) WITH (fillfactor = 80);
CREATE INDEX sessions_profile ON sessions (profile_id) WHERE ended_at IS NULL;
CREATE INDEX sessions_expired ON sessions (expires_at);
COMMENT ON TABLE sessions IS 'browser sessions; of the refresh token only its hash';
COMMENT ON COLUMN sessions.address IS 'the wallet that signed in; the session ends when it leaves the profile';
COMMENT ON COLUMN sessions.partner_origin IS 'the origin of the partner whose pages alone it is for; null: our own pages';

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
  profile_id int, -- whom or whose it is about
  caller_id int, -- the profile that asked; null: nobody had to show who they are, or it was no request
  credential text NOT NULL, -- which one was shown, or the wallet that signed; never a secret
  request_id text NOT NULL,
  address text NOT NULL, -- of the client
  subject text NOT NULL,
  before text,
  after text,
  previous bytea NOT NULL CHECK (octet_length(previous) = 32), -- hash of the row before; zeros in the first one
  hash bytea NOT NULL CHECK (octet_length(hash) = 32)
);
CREATE INDEX audit_log_profile ON audit_log (profile_id, number);
COMMENT ON TABLE audit_log IS 'append-only and chained by hash: logins, keys, sessions, acts of admins, money in and out';
-- What a partner did for a profile is found by the credential that it showed: `partner`, its origin, and more.
CREATE INDEX audit_log_partner ON audit_log (caller_id, split_part(credential, ' ', 2), number) WHERE credential LIKE 'partner %';
-- What operators look for in the audit, and whether a wallet has made a call before, is found by these.
CREATE INDEX audit_log_request ON audit_log (request_id, number);
CREATE INDEX audit_log_act ON audit_log (act, number);
CREATE INDEX audit_log_caller ON audit_log (caller_id, number);
-- What operators look for in the audit by its time would otherwise be looked for row by row from the newest one. With the number
-- behind the time, a page is read from the index in its order, also where many entries have one time.
CREATE INDEX audit_log_at ON audit_log (at, number);

CREATE TABLE notification_marks (
  profile_id int PRIMARY KEY REFERENCES profiles,
  read_to timestamptz NOT NULL
);
COMMENT ON TABLE notification_marks IS 'up to when a profile has read what it is notified of';

CREATE TABLE partner_grants (
  profile_id int NOT NULL REFERENCES profiles,
  origin text NOT NULL CHECK (char_length(origin) BETWEEN 8 AND 300),
  enabled boolean NOT NULL,
  changed_at timestamptz NOT NULL,
  PRIMARY KEY (profile_id, origin)
) WITH (fillfactor = 80);
COMMENT ON TABLE partner_grants IS 'whether the pages of a partner may act for a profile; a row stays when that is taken back';

CREATE TABLE partner_codes (
  hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32), -- SHA-256 of the code
  profile_id int NOT NULL REFERENCES profiles,
  origin text NOT NULL CHECK (char_length(origin) BETWEEN 8 AND 300),
  made_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL CHECK (expires_at > made_at),
  used_at timestamptz
);
CREATE INDEX partner_codes_profile ON partner_codes (profile_id) WHERE used_at IS NULL;
CREATE INDEX partner_codes_expired ON partner_codes (expires_at);
COMMENT ON TABLE partner_codes IS 'codes that a partner''s page trades for a session, once; of the code only its hash';

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

-- What a block that is taken back leaves behind must not become somebody else's: ids of a chain may come again, of another profile,
-- another slash, another market.

-- Keys and sessions of a profile end with the block that brought it. Whoever gets its id next has other ones.
CREATE FUNCTION end_credentials_of_orphan() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  at_ timestamptz := coalesce((SELECT moved_at FROM chain_follow), now());
  keys text[];
  sessions_ text[];
  n int;
BEGIN
  WITH gone AS (UPDATE api_keys SET revoked_at = at_ WHERE profile_id = NEW.id AND revoked_at IS NULL RETURNING id)
    SELECT coalesce(array_agg('API key ' || id ORDER BY id), '{}') INTO keys FROM gone;
  WITH gone AS (UPDATE sessions SET ended_at = at_ WHERE profile_id = NEW.id AND ended_at IS NULL RETURNING id)
    SELECT coalesce(array_agg('session ' || id ORDER BY id), '{}') INTO sessions_ FROM gone;
  n := cardinality(keys) + cardinality(sessions_);
  IF n > 0 THEN
    PERFORM append_audit(array_fill(at_, ARRAY[n]), array_fill('key_revoked'::text, ARRAY[cardinality(keys)])
        || array_fill('session_ended'::text, ARRAY[cardinality(sessions_)]), array_fill(NEW.id, ARRAY[n]), array_fill(NULL::int, ARRAY[n]),
      array_fill(''::text, ARRAY[n]), array_fill(''::text, ARRAY[n]), array_fill(''::text, ARRAY[n]), keys || sessions_,
      array_fill('in force'::text, ARRAY[cardinality(keys)]) || array_fill('open'::text, ARRAY[cardinality(sessions_)]),
      array_fill('ended: the block of the profile was taken back'::text, ARRAY[n]));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER end_credentials_of_orphan AFTER UPDATE ON profiles FOR EACH ROW WHEN (NEW.orphaned AND NOT OLD.orphaned)
  EXECUTE FUNCTION end_credentials_of_orphan();

-- Uses a code up; whoever comes second with it is refused, and with it the whole change.
CREATE FUNCTION use_partner_code(hash_ bytea, profile_ int, at_ timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE partner_codes SET used_at = at_ WHERE hash = hash_ AND profile_id = profile_ AND used_at IS NULL;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'a code of a partner is used already' USING ERRCODE = '23505';
  END IF;
END $$;

-- What a profile has let partners do goes with the block that brought it. Whoever gets its id next has let in nobody.
CREATE FUNCTION forget_partners_of_orphan() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM partner_grants WHERE profile_id = NEW.id;
  DELETE FROM partner_codes WHERE profile_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER forget_partners_of_orphan AFTER UPDATE ON profiles FOR EACH ROW WHEN (NEW.orphaned AND NOT OLD.orphaned)
  EXECUTE FUNCTION forget_partners_of_orphan();

-- Revoked is revoked.
CREATE TRIGGER api_keys_stay_revoked BEFORE UPDATE ON api_keys FOR EACH ROW
  WHEN (OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER api_keys_stay BEFORE DELETE OR TRUNCATE ON api_keys
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_log_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
