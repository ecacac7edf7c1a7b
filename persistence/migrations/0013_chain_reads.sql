-- What is read from contracts, as no event tells it.

-- Texts of reviews, replies and vouches that are followed: events leave them out, so they are read from the contracts afterwards. A row here
-- for each such record says how far that is. Triggers keep the rows, so whatever writes a record or takes it back has its text
-- read again or forgotten with it.
CREATE SEQUENCE chain_text_stamps;

CREATE TABLE chain_texts (
  kind text NOT NULL,
  id int NOT NULL CHECK (id >= 0),
  stamp bigint NOT NULL DEFAULT nextval('chain_text_stamps'), -- a text that was read for an older one is left aside
  block bigint NOT NULL, -- of the event that asks for it
  since timestamptz NOT NULL, -- when it was asked for, by the service's clock
  state text NOT NULL DEFAULT 'wanted' CHECK (state IN ('wanted', 'here', 'failed')),
  reason text CHECK (reason <> ''), -- what the last attempt came to
  attempts int NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  refusals int NOT NULL DEFAULT 0 CHECK (refusals BETWEEN 0 AND attempts), -- attempts of which the contract itself said that there is no text
  next_at timestamptz NOT NULL DEFAULT 'epoch', -- not tried before that
  PRIMARY KEY (kind, id),
  CHECK (state <> 'failed' OR reason IS NOT NULL),
  CONSTRAINT chain_texts_kind_check CHECK (kind IN ('review', 'reply', 'vouch', 'bond', 'inviter', 'balance'))
);
CREATE INDEX chain_texts_due ON chain_texts (next_at, stamp) WHERE state = 'wanted';
CREATE INDEX chain_texts_oldest ON chain_texts (since) WHERE state = 'wanted';
CREATE INDEX chain_texts_failed ON chain_texts (kind, reason) WHERE state = 'failed';
COMMENT ON TABLE chain_texts IS 'what is read from contracts, as no event tells it: what is still to be read, and what could not be';
-- Vouches whose balance in the contract is another one than events come to.
CREATE INDEX chain_texts_differing ON chain_texts (id) WHERE reason = 'balance_differs';

-- -- what was held before the first block -------------------------------------------------

-- What a wallet held before the first block never changes: it is what the contract says at a block, less what events moved up to there.
CREATE SEQUENCE token_audits AS int;

CREATE FUNCTION take_told_expiration() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.expires_at := coalesce(NEW.told_expires_at, NEW.read_expires_at);
  NEW.lapsed := false; -- whoever ends bonds looks at it again
  RETURN NEW;
END $$;
CREATE TRIGGER take_told_expiration_new BEFORE INSERT ON bonds FOR EACH ROW WHEN (NEW.told_expires_at IS NOT NULL)
  EXECUTE FUNCTION take_told_expiration();
CREATE TRIGGER take_told_expiration_changed BEFORE UPDATE OF told_expires_at ON bonds FOR EACH ROW
  WHEN (NEW.told_expires_at IS DISTINCT FROM OLD.told_expires_at) EXECUTE FUNCTION take_told_expiration();

-- A new record and every edit ask for the text, also an edit that a reorganisation takes back: its text may be here already.
CREATE FUNCTION want_texts() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  the_kind text := TG_ARGV[0];
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM chain_texts t USING gone g WHERE t.kind = the_kind AND t.id = g.id;
  ELSIF TG_OP = 'INSERT' THEN
    INSERT INTO chain_texts (kind, id, block, since) SELECT the_kind, f.id, f.block, coalesce((SELECT moved_at FROM chain_follow), f.created_at)
      FROM fresh f WHERE f.source = 'chain' ORDER BY f.id;
  ELSE
    PERFORM want_text_again(the_kind, edited.id, edited.block, edited.updated_at)
      FROM (SELECT id, max(block) AS block, max(updated_at) AS updated_at
        FROM (SELECT id, edits, block, updated_at FROM fresh UNION ALL SELECT id, edits, NULL, NULL FROM gone) both_sides
        GROUP BY id HAVING min(edits) <> max(edits)) edited;
  END IF;
  RETURN NULL;
END $$;

-- Texts of a vouch never change. Those of other contracts than this one are in its events.
CREATE FUNCTION want_texts_of_vouches() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM chain_texts t USING gone g WHERE t.kind = 'vouch' AND g.contract = 'vouch' AND t.id = g.number;
  ELSE
    INSERT INTO chain_texts (kind, id, block, since) SELECT 'vouch', f.number, f.block, coalesce((SELECT moved_at FROM chain_follow), f.vouched_at)
      FROM fresh f WHERE f.source = 'chain' AND f.contract = 'vouch' ORDER BY f.number;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER want_texts_new AFTER INSERT ON vouches REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION want_texts_of_vouches();
CREATE TRIGGER want_texts_gone AFTER DELETE ON vouches REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION want_texts_of_vouches();

-- Asks anew for what was asked for before.
CREATE FUNCTION want_text_again(the_kind text, the_id int, the_block bigint, the_time timestamptz) RETURNS void LANGUAGE sql AS $$
  UPDATE chain_texts SET stamp = nextval('chain_text_stamps'), block = the_block, since = coalesce((SELECT moved_at FROM chain_follow), the_time),
      state = 'wanted', reason = NULL, attempts = 0, refusals = 0, next_at = 'epoch' WHERE kind = the_kind AND id = the_id
$$;

-- The contract may have returned an expiration that a reorganisation takes back: then it is asked again.
CREATE FUNCTION want_texts_of_bonds() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM chain_texts t USING gone g WHERE t.kind = 'bond' AND t.id = g.id;
  ELSIF TG_OP = 'INSERT' THEN
    INSERT INTO chain_texts (kind, id, block, since) SELECT 'bond', f.id, f.block, coalesce((SELECT moved_at FROM chain_follow), f.created_at)
      FROM fresh f WHERE f.source = 'chain' ORDER BY f.id;
  ELSE
    PERFORM want_text_again('bond', moved.id, moved.block, moved.updated_at)
      FROM (SELECT id, max(block) AS block, max(updated_at) AS updated_at
        FROM (SELECT id, coalesce(told_expiration, '') AS told, block, updated_at FROM fresh WHERE source = 'chain'
              UNION ALL SELECT id, coalesce(told_expiration, ''), NULL, NULL FROM gone WHERE source = 'chain') both_sides
        GROUP BY id HAVING min(told) <> max(told)) moved;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER want_texts_new AFTER INSERT ON bonds REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION want_texts_of_bonds();
CREATE TRIGGER want_texts_changed AFTER UPDATE ON bonds REFERENCING OLD TABLE AS gone NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION want_texts_of_bonds();
CREATE TRIGGER want_texts_gone AFTER DELETE ON bonds REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION want_texts_of_bonds();

-- A bond that was read: its statement, when it expires, whom it is about. Nobody declares one for themselves. Returns why nobody is
-- named by it.
CREATE FUNCTION put_read_bond(the_bond int, the_statement text, the_expiration timestamptz, whom int) RETURNS text LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
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

CREATE FUNCTION take_inviter() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.invited_by := coalesce(NEW.told_inviter, NEW.read_inviter);
  RETURN NEW;
END $$;
CREATE TRIGGER take_inviter_new BEFORE INSERT ON profiles FOR EACH ROW WHEN (NEW.source = 'chain') EXECUTE FUNCTION take_inviter();
CREATE TRIGGER take_inviter_changed BEFORE UPDATE OF told_inviter, read_inviter ON profiles FOR EACH ROW WHEN (NEW.source = 'chain')
  EXECUTE FUNCTION take_inviter();

-- Whoever joined by one of several open invitations: the contract knows by which. It forgets who never joined.
CREATE FUNCTION want_inviters() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
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
        FROM (SELECT id, max(profile) AS profile, max(block) AS block, max(accepted_at) AS accepted_at
          FROM (SELECT id, profile, block, accepted_at, source = 'chain' AND status = 'ACCEPTED_OTHER_INVITATION' AS joins, false AS joined FROM fresh
                UNION ALL SELECT id, NULL, NULL, NULL, false, profile IS NOT NULL FROM gone) both_sides
          GROUP BY id HAVING bool_or(joins) AND NOT bool_or(joined)) f
        ORDER BY f.profile ON CONFLICT DO NOTHING;
    lost := ARRAY(SELECT DISTINCT max(was)
      FROM (SELECT id, profile AS was, NULL::int AS stays FROM gone UNION ALL SELECT id, NULL, profile FROM fresh) both_sides
      GROUP BY id HAVING max(was) IS NOT NULL AND max(stays) IS NULL);
  ELSE
    lost := ARRAY(SELECT DISTINCT g.profile FROM gone g WHERE g.source = 'chain' AND g.profile IS NOT NULL);
  END IF;
  DELETE FROM chain_texts WHERE kind = 'inviter' AND id = ANY (lost);
  UPDATE profiles SET read_inviter = NULL WHERE id = ANY (lost) AND read_inviter IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER want_inviters_new AFTER INSERT ON invitations REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION want_inviters();
CREATE TRIGGER want_inviters_changed AFTER UPDATE ON invitations REFERENCING OLD TABLE AS gone NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION want_inviters();
CREATE TRIGGER want_inviters_gone AFTER DELETE ON invitations REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION want_inviters();

-- The inviter that was read, whose invitation was the one. Returns why there is none.
CREATE FUNCTION put_read_inviter(the_profile int, whom int) RETURNS text LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  UPDATE profiles p SET read_inviter = i.id, invited_by = coalesce(p.told_inviter, i.id) FROM profiles i
    WHERE p.id = the_profile AND p.source = 'chain' AND NOT p.orphaned AND i.id = whom AND i.id <> p.id AND NOT i.orphaned;
  IF NOT FOUND THEN
    RETURN 'missing_profile';
  END IF;
  UPDATE invitations SET status = 'ACCEPTED' WHERE profile = the_profile AND sender = whom AND status = 'ACCEPTED_OTHER_INVITATION' AND source = 'chain';
  RETURN NULL;
END $$;

-- More is missing than there was: then the contract did not say what was held.
CREATE FUNCTION want_balances() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM chain_texts t USING gone g WHERE t.kind = 'balance' AND t.id = g.audit;
  ELSE
    INSERT INTO chain_texts (kind, id, block, since) SELECT 'balance', f.audit, f.block, coalesce((SELECT moved_at FROM chain_follow), now())
      FROM fresh f WHERE f.audit IS NOT NULL;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER want_balances_new AFTER INSERT ON token_balances REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION want_balances();
CREATE TRIGGER want_balances_gone AFTER DELETE ON token_balances REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION want_balances();

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

-- The queue of texts holds hundreds of thousands while a chain is caught up with, and forty are taken at a time. The planner expects that next
-- to no row passes `kind <> ALL (…)`, where nearly all do. So it read the whole queue, sorted it, and took forty: half a second, over and
-- over. These functions leave it only what reads the queue in its order, whatever it knows of the table.
CREATE FUNCTION due_texts(the_time timestamptz, most int, unread text[], young interval, after_time timestamptz, after_stamp bigint)
  RETURNS TABLE (kind text, id int, stamp bigint, attempts int, refusals int, next_at timestamptz, holder bytea)
  LANGUAGE plpgsql STABLE
  SET enable_sort = off SET enable_bitmapscan = off SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  balances boolean := (SELECT moved_at - tip_at < young FROM chain_follow);
BEGIN
  RETURN QUERY
    SELECT t.kind, t.id, t.stamp, t.attempts, t.refusals, t.next_at,
        CASE WHEN t.kind = 'balance' THEN (SELECT b.holder FROM token_balances b WHERE b.audit = t.id) END
      FROM chain_texts t
      WHERE t.state = 'wanted' AND t.next_at <= the_time AND (t.next_at, t.stamp) > (after_time, after_stamp) AND t.kind <> ALL (unread)
        AND (t.kind <> 'balance' OR balances)
      ORDER BY t.next_at, t.stamp LIMIT most;
END $$;

CREATE FUNCTION count_texts(unread text[]) RETURNS TABLE (wanted bigint, failed bigint, differing bigint, oldest timestamptz)
  LANGUAGE plpgsql STABLE
  SET enable_sort = off SET enable_bitmapscan = off SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan
  SET max_parallel_workers_per_gather = 0
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT (SELECT count(*) FROM (SELECT FROM chain_texts t WHERE t.state = 'wanted' AND t.kind <> ALL (unread) LIMIT 100000) few),
      (SELECT count(*) FROM (SELECT FROM chain_texts t WHERE t.state = 'failed' LIMIT 100000) few),
      (SELECT count(*) FROM (SELECT FROM chain_texts t WHERE t.reason = 'balance_differs' LIMIT 100000) few),
      (SELECT t.since FROM chain_texts t WHERE t.state = 'wanted' AND t.kind <> ALL (unread || 'balance'::text) ORDER BY t.since LIMIT 1);
END $$;

-- More is missing than there was: then the contract did not say what was held.
CREATE FUNCTION want_changed_balances() RETURNS trigger LANGUAGE plpgsql SET enable_nestloop = off SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  INSERT INTO chain_texts (kind, id, block, since) SELECT 'balance', f.audit, f.block, coalesce((SELECT moved_at FROM chain_follow), now())
    FROM fresh f JOIN gone g USING (holder, token) WHERE f.audit IS NOT NULL AND g.audit IS NULL;
  PERFORM want_text_again('balance', f.audit, f.block, now()) FROM fresh f JOIN gone g USING (holder, token)
    WHERE g.audit IS NOT NULL AND f.missing > g.missing AND f.missing > f.earlier;
  RETURN NULL;
END $$;
CREATE TRIGGER want_balances_changed AFTER UPDATE ON token_balances REFERENCING OLD TABLE AS gone NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION want_changed_balances();

DO $$
DECLARE
  part text;
  the_kind text;
BEGIN
  FOR part, the_kind IN VALUES ('reviews', 'review'), ('replies', 'reply') LOOP
    EXECUTE format('CREATE TRIGGER want_texts_new AFTER INSERT ON %1$I REFERENCING NEW TABLE AS fresh '
                   'FOR EACH STATEMENT EXECUTE FUNCTION want_texts(%2$L)', part, the_kind);
    EXECUTE format('CREATE TRIGGER want_texts_changed AFTER UPDATE ON %1$I REFERENCING OLD TABLE AS gone NEW TABLE AS fresh '
                   'FOR EACH STATEMENT EXECUTE FUNCTION want_texts(%2$L)', part, the_kind);
    EXECUTE format('CREATE TRIGGER want_texts_gone AFTER DELETE ON %1$I REFERENCING OLD TABLE AS gone '
                   'FOR EACH STATEMENT EXECUTE FUNCTION want_texts(%2$L)', part, the_kind);
  END LOOP;
END $$;

SELECT make_chain_writers();
