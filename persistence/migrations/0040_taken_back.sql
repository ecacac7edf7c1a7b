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

-- Slashes and markets of a chain take votes and replies of the API once their blocks are settled (0037_settled.sql).
ALTER TABLE slashes ADD COLUMN since_block bigint;
ALTER TABLE chain_markets ADD COLUMN since_block bigint;
CREATE TRIGGER stands_since_new BEFORE INSERT ON slashes FOR EACH ROW WHEN (NEW.block IS NOT NULL) EXECUTE FUNCTION stands_since();
CREATE TRIGGER stands_since_new BEFORE INSERT ON chain_markets FOR EACH ROW EXECUTE FUNCTION stands_since();
UPDATE slashes SET since_block = block WHERE block > (SELECT authority FROM chain_follow);
UPDATE chain_markets SET since_block = block WHERE block > (SELECT authority FROM chain_follow);
