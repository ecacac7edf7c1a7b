-- Texts of reviews, replies and vouches that are followed: events leave them out, so they are read from the contracts afterwards. A row here
-- for each such record says how far that is. Triggers keep the rows, so whatever writes a record or takes it back has its text
-- read again or forgotten with it.

CREATE SEQUENCE chain_text_stamps;
CREATE TABLE chain_texts (
  kind text NOT NULL CHECK (kind IN ('review', 'reply', 'vouch')),
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
  CHECK (state <> 'failed' OR reason IS NOT NULL)
);
CREATE INDEX chain_texts_due ON chain_texts (next_at, stamp) WHERE state = 'wanted';
CREATE INDEX chain_texts_oldest ON chain_texts (since) WHERE state = 'wanted';
CREATE INDEX chain_texts_failed ON chain_texts (kind, reason) WHERE state = 'failed';

-- A new record and every edit ask for the text, also an edit that a reorganisation takes back: its text may be here already.
CREATE FUNCTION want_texts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  the_kind text := TG_ARGV[0];
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM chain_texts t USING gone g WHERE t.kind = the_kind AND t.id = g.id;
  ELSIF TG_OP = 'INSERT' THEN
    INSERT INTO chain_texts (kind, id, block, since) SELECT the_kind, f.id, f.block, coalesce((SELECT moved_at FROM chain_follow), f.created_at)
      FROM fresh f WHERE f.source = 'chain' ORDER BY f.id;
  ELSE
    UPDATE chain_texts t SET stamp = nextval('chain_text_stamps'), block = f.block, since = coalesce((SELECT moved_at FROM chain_follow), f.updated_at),
        state = 'wanted', reason = NULL, attempts = 0, refusals = 0, next_at = 'epoch'
      FROM fresh f JOIN gone g USING (id) WHERE t.kind = the_kind AND t.id = f.id AND f.edits <> g.edits;
  END IF;
  RETURN NULL;
END $$;
DO $$
DECLARE
  part text;
  the_kind text;
BEGIN
  FOR part, the_kind IN VALUES ('reviews', 'review'), ('replies', 'reply') LOOP
    EXECUTE format('INSERT INTO chain_texts (kind, id, block, since) SELECT %2$L, id, block, updated_at FROM %1$I WHERE source = ''chain''',
                   part, the_kind);
    EXECUTE format('CREATE TRIGGER want_texts_new AFTER INSERT ON %1$I REFERENCING NEW TABLE AS fresh '
                   'FOR EACH STATEMENT EXECUTE FUNCTION want_texts(%2$L)', part, the_kind);
    EXECUTE format('CREATE TRIGGER want_texts_changed AFTER UPDATE ON %1$I REFERENCING OLD TABLE AS gone NEW TABLE AS fresh '
                   'FOR EACH STATEMENT EXECUTE FUNCTION want_texts(%2$L)', part, the_kind);
    EXECUTE format('CREATE TRIGGER want_texts_gone AFTER DELETE ON %1$I REFERENCING OLD TABLE AS gone '
                   'FOR EACH STATEMENT EXECUTE FUNCTION want_texts(%2$L)', part, the_kind);
  END LOOP;
END $$;

-- Texts of a vouch never change. Those of other contracts than this one are in its events.
CREATE FUNCTION want_texts_of_vouches() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM chain_texts t USING gone g WHERE t.kind = 'vouch' AND g.contract = 'vouch' AND t.id = g.number;
  ELSE
    INSERT INTO chain_texts (kind, id, block, since) SELECT 'vouch', f.number, f.block, coalesce((SELECT moved_at FROM chain_follow), f.vouched_at)
      FROM fresh f WHERE f.source = 'chain' AND f.contract = 'vouch' ORDER BY f.number;
  END IF;
  RETURN NULL;
END $$;
INSERT INTO chain_texts (kind, id, block, since) SELECT 'vouch', number, block, vouched_at FROM vouches WHERE source = 'chain' AND contract = 'vouch';
CREATE TRIGGER want_texts_new AFTER INSERT ON vouches REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION want_texts_of_vouches();
CREATE TRIGGER want_texts_gone AFTER DELETE ON vouches REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION want_texts_of_vouches();

-- A reply tells its target only with its text.
CREATE OR REPLACE FUNCTION count_comments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    UPDATE projects p SET comment_count = p.comment_count - d.n
      FROM (SELECT g.target_id, count(*) AS n FROM gone g WHERE g.target_kind = 'project' GROUP BY 1) d WHERE p.id = d.target_id;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    UPDATE projects p SET comment_count = p.comment_count + d.n
      FROM (SELECT f.target_id, count(*) AS n FROM fresh f WHERE f.target_kind = 'project' GROUP BY 1) d WHERE p.id = d.target_id;
  END IF;
  RETURN NULL;
END $$;

-- Triggers get a row or a few, as those of 0029.
DO $$
DECLARE
  entry text;
BEGIN
  FOREACH entry IN ARRAY ARRAY['want_texts()', 'want_texts_of_vouches()', 'count_comments()'] LOOP
    EXECUTE format('ALTER FUNCTION %s SET plan_cache_mode = force_generic_plan', entry);
    EXECUTE format('ALTER FUNCTION %s SET enable_seqscan = off', entry);
  END LOOP;
END $$;

-- Replies below one whose target is known now come into its thread, whichever text was read first.
CREATE INDEX replies_below ON replies (parent_id) WHERE target_id IS NULL;
CREATE FUNCTION join_threads(the_reply int) RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  at_once CONSTANT int := 1000; -- triggers look through what is given to them
  thread CONSTANT replies := (SELECT r FROM replies r WHERE r.id = the_reply);
  ids int[];
BEGIN
  IF thread.target_id IS NULL THEN
    RETURN;
  END IF;
  -- OFFSET has each step down look up its own rows by that index, instead of going through all of it.
  WITH RECURSIVE below (id) AS (
    SELECT the_reply
    UNION
    SELECT n.id FROM below b CROSS JOIN LATERAL
        (SELECT r.id, r.target_kind, r.source FROM replies r WHERE r.parent_id = b.id AND r.target_id IS NULL OFFSET 0) n
      WHERE n.target_kind = thread.target_kind AND n.source = 'chain')
  SELECT array_agg(b.id) INTO ids FROM below b WHERE b.id <> the_reply;
  FOR i IN 1..coalesce(cardinality(ids), 0) BY at_once LOOP
    UPDATE replies SET target_id = thread.target_id WHERE id = ANY (ids[i:i + at_once - 1]);
  END LOOP;
END $$;

-- What reading texts came to, each for the stamp that it was read for. A reply's parent is a record of the target's contract, or
-- another reply; what answers a reply of another target is in that one's thread. A node that does not answer says nothing of the text.
CREATE FUNCTION put_chain_texts(kinds text[], ids int[], stamps bigint[], states text[], reasons text[], texts text[], metadatas text[],
                                parents int[], originals boolean[], nexts timestamptz[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  given record;
BEGIN
  FOR given IN WITH readings AS (
      SELECT * FROM unnest(kinds, ids, stamps, states, reasons, texts, metadatas, parents, originals, nexts)
        x (kind, id, stamp, state, reason, body, metadata, parent, original, next_at)),
    noted AS (
      UPDATE chain_texts t SET state = r.state, reason = r.reason, attempts = t.attempts + 1,
          refusals = t.refusals + (r.state <> 'here' AND r.reason IS DISTINCT FROM 'unanswered')::int, next_at = r.next_at FROM readings r
        WHERE t.kind = r.kind AND t.id = r.id AND t.stamp = r.stamp AND t.state = 'wanted' RETURNING t.kind, t.id)
    SELECT r.* FROM readings r JOIN noted USING (kind, id) WHERE r.state = 'here' ORDER BY r.id, r.kind LOOP
    IF given.kind = 'review' THEN
      UPDATE reviews SET comment = given.body, metadata = given.metadata WHERE id = given.id AND source = 'chain';
    ELSIF given.kind = 'vouch' THEN
      UPDATE vouches SET comment = given.body, metadata = given.metadata WHERE contract = 'vouch' AND number = given.id AND source = 'chain';
    ELSE
      UPDATE replies r SET content = given.body, metadata = given.metadata,
          target_id = CASE WHEN given.original OR r.target_kind = 'discussion' THEN given.parent
                      ELSE (SELECT p.target_id FROM replies p WHERE p.id = given.parent AND p.target_kind = r.target_kind) END,
          parent_id = CASE WHEN given.original OR r.target_kind = 'discussion' THEN NULL ELSE given.parent END
        WHERE r.id = given.id AND r.source = 'chain';
      PERFORM join_threads(given.id);
    END IF;
  END LOOP;
END $$;

COMMENT ON TABLE chain_texts IS 'texts of followed reviews, replies and vouches: which are still to be read from the contracts, and which could not be';

-- -- kinds that are added ----------------------------------------------------------------

-- Ids of the API that ids of an added kind must not meet; reviews, replies, votes, vouches and bonds have such indexes.
CREATE INDEX profiles_of_api_ids ON profiles (id) WHERE source = 'api';
CREATE INDEX attestations_of_api_ids ON attestations (id) WHERE source = 'api';
CREATE INDEX projects_of_api_ids ON projects (id) WHERE source = 'api';

-- Stored events of an added kind are applied piece by piece; meanwhile the chain is not followed.
ALTER TABLE chain_follow
  ADD COLUMN replaying text NOT NULL DEFAULT '', -- kinds that are being added, with commas between them
  ADD COLUMN replay_place bigint NOT NULL DEFAULT 0 CHECK (replay_place >= 0); -- the last one of their events that is applied

-- Events of such a kind up to that one were applied behind it, in their order.
CREATE TABLE chain_kinds (
  kind text PRIMARY KEY CHECK (kind <> ''),
  after_event bigint NOT NULL CHECK (after_event >= 0)
);

CREATE FUNCTION check_chain_stands() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'chain % is not followed while stored events are applied', OLD.chain_id USING ERRCODE = '23514';
END $$;
CREATE TRIGGER check_chain_stands BEFORE UPDATE ON chain_follow FOR EACH ROW
  WHEN (OLD.replaying <> '' AND (OLD.tip_number, OLD.tip_hash, OLD.last_event) IS DISTINCT FROM (NEW.tip_number, NEW.tip_hash, NEW.last_event))
  EXECUTE FUNCTION check_chain_stands();

-- None of the blocks may be taken back any more, so that nothing of these kinds has to be either. Ids are fixed with the first records.
CREATE FUNCTION add_chain_kinds(chain bigint, tip bytea, all_kinds text, added text, offset_of_ids int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO chain_kinds SELECT k, f.last_event FROM chain_follow f, unnest(string_to_array(added, ',')) k WHERE f.chain_id = chain;
  UPDATE chain_follow f SET kinds = all_kinds, replaying = added, replay_place = 0, id_offset = offset_of_ids
    WHERE f.chain_id = chain AND f.tip_hash = tip AND f.replaying = '' AND (f.kinds = '' OR f.id_offset = offset_of_ids)
      AND NOT EXISTS (SELECT FROM chain_blocks b WHERE b.chain_id = chain AND b.number < f.tip_number);
  IF NOT FOUND THEN
    RAISE EXCEPTION 'chain % does not stand where kinds can be added', chain USING ERRCODE = '23514';
  END IF;
END $$;

CREATE FUNCTION replay_chain_events(chain bigint, before bigint, place bigint, done boolean, ids bigint[], statuses text[], reasons text[],
                                    now_is timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE chain_follow f SET replay_place = place, replaying = CASE WHEN done THEN '' ELSE f.replaying END
    WHERE f.chain_id = chain AND f.replaying <> '' AND f.replay_place = before AND place >= before;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the events of chain % are not applied up to event %', chain, before USING ERRCODE = '23514';
  END IF;
  UPDATE chain_events e SET status = r.status, reason = r.reason, updated_at = greatest(e.created_at, now_is)
    FROM unnest(ids, statuses, reasons) r (id, status, reason) WHERE e.id = r.id;
  DELETE FROM chain_refusals;
END $$;

COMMENT ON TABLE chain_kinds IS 'kinds that were added to the chain that is followed, and after which event';
