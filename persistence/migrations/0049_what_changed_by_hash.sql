-- What a statement changed was found by joining its rows before and after. The planner knows nothing of such rows, and keeps the plan that
-- suited the first statement, mostly of one row: each row was compared with each, so a thousand users took a second. Sets are grouped by hash
-- or sorted now, however many rows they have.

CREATE OR REPLACE FUNCTION tell_profiles() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM tell_changes('profile', array_agg(id)) FROM after;
  ELSE
    PERFORM tell_changes('profile', array_agg(id)) FROM (TABLE after EXCEPT ALL TABLE before) changed;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tell_users() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell_people(array_agg(id)) FROM (TABLE after EXCEPT ALL TABLE before) changed;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tell_projects() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM tell_changes('project', array_agg(id)) FROM after;
  ELSE
    PERFORM tell_changes('project', array_agg(id)) FROM (TABLE after EXCEPT ALL TABLE before) changed;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION want_texts() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE OR REPLACE FUNCTION want_texts_of_bonds() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE OR REPLACE FUNCTION want_inviters() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- More is missing than there was: then the contract did not say what was held.
CREATE FUNCTION want_changed_balances() RETURNS trigger LANGUAGE plpgsql SET enable_nestloop = off AS $$
BEGIN
  INSERT INTO chain_texts (kind, id, block, since) SELECT 'balance', f.audit, f.block, coalesce((SELECT moved_at FROM chain_follow), now())
    FROM fresh f JOIN gone g USING (holder, token) WHERE f.audit IS NOT NULL AND g.audit IS NULL;
  PERFORM want_text_again('balance', f.audit, f.block, now()) FROM fresh f JOIN gone g USING (holder, token)
    WHERE g.audit IS NOT NULL AND f.missing > g.missing AND f.missing > f.earlier;
  RETURN NULL;
END $$;
DROP TRIGGER want_balances_changed ON token_balances;
CREATE TRIGGER want_balances_changed AFTER UPDATE ON token_balances REFERENCING OLD TABLE AS gone NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION want_changed_balances();
CREATE OR REPLACE FUNCTION want_balances() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM chain_texts t USING gone g WHERE t.kind = 'balance' AND t.id = g.audit;
  ELSE
    INSERT INTO chain_texts (kind, id, block, since) SELECT 'balance', f.audit, f.block, coalesce((SELECT moved_at FROM chain_follow), now())
      FROM fresh f WHERE f.audit IS NOT NULL;
  END IF;
  RETURN NULL;
END $$;

-- Records of one statement count in the order of their events.
CREATE OR REPLACE FUNCTION score_reviews_of() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  ids int[];
  causes text[];
BEGIN
  SELECT array_agg(id ORDER BY event_id, id), array_agg(cause_of(source, event_id, 'review ' || id) ORDER BY event_id, id)
    INTO ids, causes FROM fresh;
  IF ids IS NULL THEN
    RETURN NULL;
  END IF;
  PERFORM move_scored_reviews(ids, causes);
  -- Votes on what is archived count nothing.
  IF TG_OP = 'UPDATE' THEN
    SELECT array_agg(f.id ORDER BY f.event_id, f.id), array_agg(cause_of(f.source, f.event_id, 'review ' || f.id) ORDER BY f.event_id, f.id)
      INTO ids, causes
      FROM (SELECT id, max(source) AS source, max(event_id) AS event_id
        FROM (SELECT id, archived, source, event_id FROM fresh UNION ALL SELECT id, archived, NULL, NULL FROM gone) both_sides
        GROUP BY id HAVING bool_or(archived) AND NOT bool_and(archived)) f;
  END IF;
  IF TG_OP <> 'INSERT' AND ids IS NOT NULL THEN
    PERFORM move_scored_votes(array_agg(v.kind ORDER BY k.place), array_agg(v.target_id ORDER BY k.place), array_agg(v.voter ORDER BY k.place),
        array_agg(k.cause ORDER BY k.place))
      FROM unnest(ids, causes) WITH ORDINALITY k (id, cause, place)
        CROSS JOIN LATERAL (SELECT kind, target_id, voter FROM activity_votes WHERE kind = 'review' AND target_id = k.id OFFSET 0) v HAVING count(*) > 0;
  END IF;
  RETURN NULL;
END $$;

-- Replaced functions keep no settings of 0029, 0032 and 0038.
DO $$
DECLARE
  entry text;
BEGIN
  FOREACH entry IN ARRAY ARRAY['want_texts()', 'want_texts_of_bonds()', 'want_inviters()', 'want_balances()', 'want_changed_balances()',
                               'score_reviews_of()'] LOOP
    EXECUTE format('ALTER FUNCTION %s SET plan_cache_mode = force_generic_plan', entry);
    EXECUTE format('ALTER FUNCTION %s SET enable_seqscan = off', entry);
  END LOOP;
END $$;
