-- More that is read from contracts because no event tells it: the accounts that reviews are about, the authors' wallets of vouches, what bonds are about, who invited somebody
-- that several had invited, and what wallets held of the token before the first block.

ALTER TABLE chain_texts
  DROP CONSTRAINT chain_texts_kind_check,
  ADD CONSTRAINT chain_texts_kind_check CHECK (kind IN ('review', 'reply', 'vouch', 'bond', 'inviter', 'balance'));
-- Vouches whose balance in the contract is another one than events come to.
CREATE INDEX chain_texts_differing ON chain_texts (id) WHERE reason = 'balance_differs';

-- Asks anew for what was asked for before.
CREATE FUNCTION want_text_again(the_kind text, the_id int, the_block bigint, the_time timestamptz) RETURNS void LANGUAGE sql AS $$
  UPDATE chain_texts SET stamp = nextval('chain_text_stamps'), block = the_block, since = coalesce((SELECT moved_at FROM chain_follow), the_time),
      state = 'wanted', reason = NULL, attempts = 0, refusals = 0, next_at = 'epoch' WHERE kind = the_kind AND id = the_id
$$;

-- Of an account that events named by its hash alone, as the contract of reviews told it.
ALTER TABLE subjects
  ADD COLUMN read_service text,
  ADD COLUMN read_account text CHECK (read_account <> ''),
  ADD CHECK ((read_service IS NULL) = (read_account IS NULL) AND (read_service IS NULL OR octet_length(key) = 32));

-- -- bonds ----------------------------------------------------------------------------

-- A contract bounds statements in its own way. What events tell of the expiration stands above what was read.
ALTER TABLE bonds
  ADD COLUMN read_expires_at timestamptz, -- as the contract told it
  DROP CONSTRAINT bonds_statement_check,
  ADD CONSTRAINT bonds_statement_check CHECK (source = 'chain' OR char_length(statement) <= 2000);
CREATE OR REPLACE FUNCTION take_told_expiration() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.expires_at := coalesce(NEW.told_expires_at, NEW.read_expires_at);
  NEW.lapsed := false; -- whoever ends bonds looks at it again
  RETURN NEW;
END $$;

-- The contract may have returned an expiration that a reorganisation takes back: then it is asked again.
CREATE FUNCTION want_texts_of_bonds() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM chain_texts t USING gone g WHERE t.kind = 'bond' AND t.id = g.id;
  ELSIF TG_OP = 'INSERT' THEN
    INSERT INTO chain_texts (kind, id, block, since) SELECT 'bond', f.id, f.block, coalesce((SELECT moved_at FROM chain_follow), f.created_at)
      FROM fresh f WHERE f.source = 'chain' ORDER BY f.id;
  ELSE
    PERFORM want_text_again('bond', f.id, f.block, f.updated_at) FROM fresh f JOIN gone g USING (id)
      WHERE f.source = 'chain' AND f.told_expiration IS DISTINCT FROM g.told_expiration;
  END IF;
  RETURN NULL;
END $$;
INSERT INTO chain_texts (kind, id, block, since) SELECT 'bond', id, block, created_at FROM bonds WHERE source = 'chain';
CREATE TRIGGER want_texts_new AFTER INSERT ON bonds REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION want_texts_of_bonds();
CREATE TRIGGER want_texts_changed AFTER UPDATE ON bonds REFERENCING OLD TABLE AS gone NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION want_texts_of_bonds();
CREATE TRIGGER want_texts_gone AFTER DELETE ON bonds REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION want_texts_of_bonds();

-- Whom a bond is about may be known only when others of its kind have ended: whoever had three in force at once was verified then.
CREATE OR REPLACE FUNCTION count_bonds() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    UPDATE bonded_people p SET reached = bonded_by_three(OLD.subject_profile) FROM profiles s
      WHERE s.id = OLD.subject_profile AND p.user_id = s.user_id AND p.reached;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    PERFORM count_bonds_of(OLD.subject_profile);
  END IF;
  IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND NEW.subject_profile IS DISTINCT FROM OLD.subject_profile) THEN
    PERFORM count_bonds_of(NEW.subject_profile);
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.source = 'chain' AND NEW.subject_profile IS DISTINCT FROM OLD.subject_profile THEN
    UPDATE bonded_people p SET reached = true FROM profiles s
      WHERE s.id = NEW.subject_profile AND p.user_id = s.user_id AND NOT p.reached AND bonded_by_three(NEW.subject_profile);
    IF FOUND THEN
      PERFORM count_bonds_of(NEW.subject_profile);
    END IF;
  END IF;
  RETURN NULL;
END $$;

-- A bond that was read: its statement, when it expires, whom it is about. Nobody declares one for themselves. Returns why nobody is
-- named by it.
CREATE FUNCTION put_read_bond(the_bond int, the_statement text, the_expiration timestamptz, whom int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  UPDATE bonds b SET statement = the_statement, read_expires_at = the_expiration, expires_at = coalesce(b.told_expires_at, the_expiration),
      lapsed = coalesce(coalesce(b.told_expires_at, the_expiration) <= (SELECT moved_at FROM chain_follow), false)
    WHERE b.id = the_bond AND b.source = 'chain';
  IF NOT EXISTS (SELECT FROM profiles p WHERE p.id = whom AND NOT p.orphaned) THEN
    RETURN 'missing_profile';
  END IF;
  INSERT INTO subjects (key, generation, user_id) SELECT int4send(whom), 0, p.user_id FROM profiles p
    WHERE p.id = whom AND NOT EXISTS (SELECT FROM subjects s WHERE s.key = int4send(whom));
  UPDATE bonds b SET subject_profile = whom, subject_key = s.key, subject_generation = s.generation
    FROM (SELECT key, generation FROM subjects WHERE key = int4send(whom) ORDER BY generation DESC LIMIT 1) s
    WHERE b.id = the_bond AND b.source = 'chain' AND b.author_profile <> whom;
  RETURN CASE WHEN NOT FOUND THEN 'own_bond' END;
END $$;

-- -- who invited somebody ---------------------------------------------------------------

-- Of a profile that events made: what they tell of the inviter stands above what was read.
ALTER TABLE profiles
  ADD COLUMN told_inviter int,
  ADD COLUMN read_inviter int;
UPDATE profiles SET told_inviter = invited_by WHERE source = 'chain';
UPDATE chain_undo SET before = before - 'invited_by' || jsonb_build_object('told_inviter', before -> 'invited_by')
  WHERE relation = 'profiles' AND before ? 'invited_by';
CREATE FUNCTION take_inviter() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.invited_by := coalesce(NEW.told_inviter, NEW.read_inviter);
  RETURN NEW;
END $$;
CREATE TRIGGER take_inviter_new BEFORE INSERT ON profiles FOR EACH ROW WHEN (NEW.source = 'chain') EXECUTE FUNCTION take_inviter();
CREATE TRIGGER take_inviter_changed BEFORE UPDATE OF told_inviter, read_inviter ON profiles FOR EACH ROW WHEN (NEW.source = 'chain')
  EXECUTE FUNCTION take_inviter();

ALTER FUNCTION chain_tables() RENAME TO chain_tables_before_reads;
CREATE FUNCTION chain_tables() RETURNS TABLE (place int, name text, keys text[], changes text[], news text[]) LANGUAGE sql IMMUTABLE AS $$
  SELECT t.place, t.name, t.keys, CASE t.name WHEN 'profiles' THEN array_replace(t.changes, 'invited_by', 'told_inviter') ELSE t.changes END, t.news
    FROM chain_tables_before_reads() t
$$;

-- Whoever joined by one of several open invitations: the contract knows by which. It forgets who never joined.
CREATE FUNCTION want_inviters() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  lost int[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO chain_texts (kind, id, block, since)
      SELECT DISTINCT ON (f.profile) 'inviter', f.profile, f.block, coalesce((SELECT moved_at FROM chain_follow), f.accepted_at) FROM fresh f
        WHERE f.source = 'chain' AND f.status = 'ACCEPTED_OTHER_INVITATION' ORDER BY f.profile ON CONFLICT DO NOTHING;
    RETURN NULL;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO chain_texts (kind, id, block, since)
      SELECT DISTINCT ON (f.profile) 'inviter', f.profile, f.block, coalesce((SELECT moved_at FROM chain_follow), f.accepted_at)
        FROM fresh f JOIN gone g USING (id)
        WHERE f.source = 'chain' AND f.status = 'ACCEPTED_OTHER_INVITATION' AND g.profile IS NULL ORDER BY f.profile ON CONFLICT DO NOTHING;
    lost := ARRAY(SELECT DISTINCT g.profile FROM gone g JOIN fresh f USING (id) WHERE g.profile IS NOT NULL AND f.profile IS NULL);
  ELSE
    lost := ARRAY(SELECT DISTINCT g.profile FROM gone g WHERE g.source = 'chain' AND g.profile IS NOT NULL);
  END IF;
  DELETE FROM chain_texts WHERE kind = 'inviter' AND id = ANY (lost);
  UPDATE profiles SET read_inviter = NULL WHERE id = ANY (lost) AND read_inviter IS NOT NULL;
  RETURN NULL;
END $$;
INSERT INTO chain_texts (kind, id, block, since) SELECT DISTINCT ON (profile) 'inviter', profile, block, accepted_at FROM invitations
  WHERE source = 'chain' AND status = 'ACCEPTED_OTHER_INVITATION' ORDER BY profile;
CREATE TRIGGER want_inviters_new AFTER INSERT ON invitations REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION want_inviters();
CREATE TRIGGER want_inviters_changed AFTER UPDATE ON invitations REFERENCING OLD TABLE AS gone NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION want_inviters();
CREATE TRIGGER want_inviters_gone AFTER DELETE ON invitations REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION want_inviters();
CREATE INDEX invitations_profile ON invitations (profile) WHERE status = 'ACCEPTED_OTHER_INVITATION';

-- The inviter that was read, whose invitation was the one. Returns why there is none.
CREATE FUNCTION put_read_inviter(the_profile int, whom int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  UPDATE profiles p SET read_inviter = i.id, invited_by = coalesce(p.told_inviter, i.id) FROM profiles i
    WHERE p.id = the_profile AND p.source = 'chain' AND NOT p.orphaned AND i.id = whom AND i.id <> p.id AND NOT i.orphaned;
  IF NOT FOUND THEN
    RETURN 'missing_profile';
  END IF;
  UPDATE invitations SET status = 'ACCEPTED' WHERE profile = the_profile AND sender = whom AND status = 'ACCEPTED_OTHER_INVITATION' AND source = 'chain';
  RETURN NULL;
END $$;

-- -- what was held before the first block -------------------------------------------------

-- What a wallet held before the first block never changes: it is what the contract says at a block, less what events moved up to there.
CREATE SEQUENCE token_audits AS int;
ALTER TABLE token_balances
  ADD COLUMN audit int UNIQUE CHECK (audit > 0), -- its number in the queue of what is read; null: nothing is missing
  ADD COLUMN earlier numeric(78, 0), -- held before the first block; null: not read
  ADD COLUMN held numeric(78, 0) GENERATED ALWAYS AS (greatest(balance - missing + coalesce(earlier, missing), 0)) STORED;
CREATE FUNCTION number_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.audit := nextval('token_audits');
  RETURN NEW;
END $$;
CREATE TRIGGER number_audit BEFORE INSERT OR UPDATE OF missing ON token_balances FOR EACH ROW
  WHEN (NEW.source = 'chain' AND NEW.missing > 0 AND NEW.audit IS NULL) EXECUTE FUNCTION number_audit();

-- More is missing than there was: then the contract did not say what was held.
CREATE FUNCTION want_balances() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM chain_texts t USING gone g WHERE t.kind = 'balance' AND t.id = g.audit;
  ELSIF TG_OP = 'INSERT' THEN
    INSERT INTO chain_texts (kind, id, block, since) SELECT 'balance', f.audit, f.block, coalesce((SELECT moved_at FROM chain_follow), now())
      FROM fresh f WHERE f.audit IS NOT NULL;
  ELSE
    INSERT INTO chain_texts (kind, id, block, since) SELECT 'balance', f.audit, f.block, coalesce((SELECT moved_at FROM chain_follow), now())
      FROM fresh f JOIN gone g USING (holder, token) WHERE f.audit IS NOT NULL AND g.audit IS NULL;
    PERFORM want_text_again('balance', f.audit, f.block, now()) FROM fresh f JOIN gone g USING (holder, token)
      WHERE g.audit IS NOT NULL AND f.missing > g.missing AND f.missing > f.earlier;
  END IF;
  RETURN NULL;
END $$;
UPDATE token_balances SET audit = nextval('token_audits') WHERE source = 'chain' AND missing > 0;
INSERT INTO chain_texts (kind, id, block, since) SELECT 'balance', audit, block, now() FROM token_balances WHERE audit IS NOT NULL;
CREATE TRIGGER want_balances_new AFTER INSERT ON token_balances REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION want_balances();
CREATE TRIGGER want_balances_changed AFTER UPDATE ON token_balances REFERENCING OLD TABLE AS gone NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION want_balances();
CREATE TRIGGER want_balances_gone AFTER DELETE ON token_balances REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION want_balances();

CREATE OR REPLACE FUNCTION sum_holdings(people int[]) RETURNS void LANGUAGE sql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
  UPDATE users u SET holdings_wei = h.wei
    FROM (SELECT p.id, (SELECT CASE WHEN count(*) > 0 THEN least(sum(b.held), 2::numeric ^ 256 - 1) END FROM addresses a JOIN token_balances b ON b.holder = a.address
        WHERE a.user_id = p.id) AS wei FROM unnest(people) p (id)) h
    WHERE u.id = h.id AND u.holdings_wei IS DISTINCT FROM h.wei
$$;

-- -- what was read ------------------------------------------------------------------------

-- What reading came to, each for the stamp that it was read for, at the block with that number and hash, or at the newest one (null).
-- Balances are of that block, so they count only while it is one of ours and none behind it has changed the row; else they are read again.
DROP FUNCTION put_chain_texts;
CREATE FUNCTION put_chain_texts(kinds text[], ids int[], stamps bigint[], states text[], reasons text[], texts text[], metadatas text[],
                                parents int[], originals boolean[], nexts timestamptz[], wallets bytea[], amounts numeric[], people int[],
                                expirations timestamptz[], services text[], accounts text[], hashes bytea[], at_number bigint, at_hash bytea)
  RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  ours CONSTANT bigint := (SELECT b.number FROM chain_blocks b WHERE b.number = at_number AND b.hash = at_hash);
  given record;
  why text;
BEGIN
  FOR given IN WITH readings AS (
      SELECT x.*, x.kind = 'balance' AND x.state = 'here' AND NOT EXISTS (SELECT FROM token_balances b WHERE b.audit = x.id AND b.block <= ours) AS moved
        FROM unnest(kinds, ids, stamps, states, reasons, texts, metadatas, parents, originals, nexts, wallets, amounts, people, expirations,
          services, accounts, hashes)
        x (kind, id, stamp, state, reason, body, metadata, parent, original, next_at, wallet, amount, person, expires_at, service, account, hash)),
    noted AS (
      UPDATE chain_texts t SET state = CASE WHEN r.moved THEN 'wanted' ELSE r.state END, reason = CASE WHEN r.moved THEN 'moved' ELSE r.reason END, attempts = t.attempts + 1,
          refusals = t.refusals + (r.state <> 'here' AND r.reason IS DISTINCT FROM 'unanswered')::int, next_at = r.next_at FROM readings r
        WHERE t.kind = r.kind AND t.id = r.id AND t.stamp = r.stamp AND t.state = 'wanted' RETURNING t.kind, t.id)
    SELECT r.* FROM readings r JOIN noted USING (kind, id) WHERE r.state = 'here' AND NOT r.moved ORDER BY r.id, r.kind LOOP
    why := NULL;
    IF given.kind = 'review' THEN
      UPDATE reviews SET comment = given.body, metadata = given.metadata WHERE id = given.id AND source = 'chain';
      IF given.hash IS NOT NULL THEN -- the account's, so nobody else's name is taken
        UPDATE subjects s SET read_service = given.service, read_account = given.account FROM reviews r
          WHERE r.id = given.id AND s.key = r.subject_key AND s.generation = r.subject_generation AND s.key = given.hash AND s.account IS NULL;
      END IF;
    ELSIF given.kind = 'vouch' THEN
      UPDATE vouches SET comment = given.body, metadata = given.metadata, author_address = given.wallet
        WHERE contract = 'vouch' AND number = given.id AND source = 'chain';
      SELECT 'balance_differs' INTO why FROM vouches v
        WHERE v.contract = 'vouch' AND v.number = given.id AND v.block <= ours AND v.balance <> given.amount;
    ELSIF given.kind = 'bond' THEN
      why := put_read_bond(given.id, given.body, given.expires_at, given.person);
    ELSIF given.kind = 'inviter' THEN
      why := put_read_inviter(given.id, given.person);
    ELSIF given.kind = 'balance' THEN
      UPDATE token_balances b SET earlier = given.amount - b.balance + b.missing WHERE b.audit = given.id;
    ELSE
      UPDATE replies r SET content = given.body, metadata = given.metadata,
          target_id = CASE WHEN given.original OR r.target_kind = 'discussion' THEN given.parent
                      ELSE (SELECT p.target_id FROM replies p WHERE p.id = given.parent AND p.target_kind = r.target_kind) END,
          parent_id = CASE WHEN given.original OR r.target_kind = 'discussion' THEN NULL ELSE given.parent END
        WHERE r.id = given.id AND r.source = 'chain';
      PERFORM join_threads(given.id);
    END IF;
    IF why IS NOT NULL THEN
      UPDATE chain_texts SET reason = why WHERE kind = given.kind AND id = given.id;
    END IF;
  END LOOP;
END $$;

-- Each of these statements is about a row or a few, planned once, and by indexes, as those of 0029.
DO $$
DECLARE
  entry text;
BEGIN
  FOREACH entry IN ARRAY ARRAY['want_texts_of_bonds()', 'want_inviters()', 'want_balances()', 'put_read_bond(int,text,timestamptz,int)',
                               'put_read_inviter(int,int)'] LOOP
    EXECUTE format('ALTER FUNCTION %s SET plan_cache_mode = force_generic_plan', entry);
    EXECUTE format('ALTER FUNCTION %s SET enable_seqscan = off', entry);
  END LOOP;
END $$;

COMMENT ON TABLE chain_texts IS 'what is read from contracts, as no event tells it: what is still to be read, and what could not be';
