-- The chain that is followed: how far, its newest blocks, and the events of its contracts. Whoever moves the tip names the
-- one that it stood at, so that no block is applied twice or left out, whoever sends it.

CREATE TABLE chain_follow (
  chain_id bigint PRIMARY KEY CHECK (chain_id > 0),
  contracts text NOT NULL CHECK (contracts <> ''), -- that its events are of, as the settings name them
  kinds text NOT NULL DEFAULT '', -- records that events are made into, with commas between them
  id_offset int NOT NULL DEFAULT 0 CHECK (id_offset >= 0), -- added to the ids of contracts
  start_block bigint NOT NULL CHECK (start_block > 0),
  tip_number bigint NOT NULL CHECK (tip_number >= start_block - 1),
  tip_hash bytea NOT NULL CHECK (octet_length(tip_hash) = 32),
  tip_parent bytea NOT NULL CHECK (octet_length(tip_parent) = 32),
  tip_at timestamptz NOT NULL,
  finalized bigint NOT NULL DEFAULT 0 CHECK (finalized >= 0), -- 0: the chain has told of none
  last_event bigint NOT NULL DEFAULT 0 CHECK (last_event >= 0),
  moved_at timestamptz, -- when the tip last moved, by the service's clock
  reorganisations bigint NOT NULL DEFAULT 0 CHECK (reorganisations >= 0)
);
CREATE UNIQUE INDEX chain_follow_one ON chain_follow ((true));

CREATE TABLE chain_blocks (
  chain_id bigint NOT NULL REFERENCES chain_follow,
  number bigint NOT NULL CHECK (number >= 0),
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  parent_hash bytea NOT NULL CHECK (octet_length(parent_hash) = 32),
  at timestamptz NOT NULL,
  PRIMARY KEY (chain_id, number)
);

CREATE TABLE chain_events (
  id bigint PRIMARY KEY CHECK (id > 0),
  chain_id bigint NOT NULL REFERENCES chain_follow,
  block_number bigint NOT NULL,
  block_hash bytea NOT NULL CHECK (octet_length(block_hash) = 32),
  block_at timestamptz NOT NULL,
  tx_hash bytea NOT NULL CHECK (octet_length(tx_hash) = 32),
  block_index int NOT NULL CHECK (block_index >= 0), -- of the transaction within its block
  log_index int NOT NULL CHECK (log_index >= 0),     -- of the log within the block
  contract text NOT NULL CHECK (contract <> ''),
  address bytea NOT NULL CHECK (octet_length(address) = 20),
  topics bytea NOT NULL CHECK (octet_length(topics) IN (0, 32, 64, 96, 128)),
  data bytea NOT NULL,
  event_name text,
  log_data text,
  status text NOT NULL CHECK (status IN ('applied', 'ignored', 'failed')),
  reason text CHECK (reason <> ''),
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL CHECK (updated_at >= created_at),
  CONSTRAINT chain_events_once UNIQUE (chain_id, block_number, log_index),
  CHECK ((status = 'applied') = (reason IS NULL)),
  CHECK (log_data IS NULL OR event_name IS NOT NULL)
);
CREATE INDEX chain_events_tx ON chain_events (tx_hash);
CREATE INDEX chain_events_failed ON chain_events (id) WHERE status = 'failed';

-- Events of blocks that a reorganisation took back, for 30 days. Their ids are not given out again.
CREATE TABLE chain_orphans (LIKE chain_events);
ALTER TABLE chain_orphans
  ADD PRIMARY KEY (id),
  ADD COLUMN orphaned_at timestamptz NOT NULL,
  ADD COLUMN ancestor bigint NOT NULL; -- the last block that stayed
CREATE INDEX chain_orphans_at ON chain_orphans (orphaned_at);

-- -- records that are made of events ----------------------------------------------------

CREATE TABLE chain_params (
  contract text NOT NULL CHECK (contract <> ''),
  name text NOT NULL CHECK (name <> ''),
  value text NOT NULL,
  PRIMARY KEY (contract, name)
);

CREATE TABLE chain_last_ids (
  name text PRIMARY KEY CHECK (name <> ''),
  last bigint NOT NULL CHECK (last >= 0)
);

-- What rows were before a block changed them.
CREATE TABLE chain_undo (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  block_number bigint NOT NULL,
  relation text NOT NULL,
  key jsonb NOT NULL,
  before jsonb -- the columns that events write; null: there was no row
);
CREATE INDEX chain_undo_block ON chain_undo (block_number);

-- Events whose rows the database refuses: they are stored as failed when the step that holds them comes again.
CREATE TABLE chain_refusals (
  block_hash bytea NOT NULL CHECK (octet_length(block_hash) = 32),
  log_index int NOT NULL CHECK (log_index >= 0),
  reason text NOT NULL CHECK (reason <> ''),
  PRIMARY KEY (block_hash, log_index)
);

-- Contracts bound texts in their own way.
ALTER TABLE attestations DROP CONSTRAINT attestations_evidence_check,
  ADD CONSTRAINT attestations_evidence_check CHECK (source = 'chain' OR char_length(evidence) BETWEEN 1 AND 5000),
  ADD CONSTRAINT attestations_account_length CHECK (octet_length(account) <= 1000); -- an index holds no more than some 2,700

-- Whoever is invited, uninvited and invited again is looked up by every one of these events.
CREATE INDEX invitations_recipient ON invitations (recipient);

-- The tables of such records, in an order in which rows may be written: the key, what events change, and what only a new row is given.
-- What triggers keep is none of it.
CREATE FUNCTION chain_tables() RETURNS TABLE (place int, name text, keys text[], changes text[], news text[]) LANGUAGE sql IMMUTABLE AS $$
  VALUES
    (1, 'users', '{id}'::text[], '{status,merged_into}'::text[], '{display_name,avatar_url,first_seen_at}'::text[]),
    (2, 'profiles', '{id}', '{archived,orphaned,created_at,updated_at,invites_available,invited_by,source,event_id,block}', '{user_id}'),
    (3, 'addresses', '{address}', '{user_id,kind,compromised,unlinked_at,first_seen_at,source,event_id,block}', '{added_at}'),
    (4, 'attestations', '{id}', '{hash,user_id,profile_id,service,account,evidence,archived,created_at,updated_at,source,event_id,block}', '{}'),
    (5, 'subjects', '{key,generation}', '{user_id,service,account,source,event_id,block}', '{}'),
    (6, 'placeholders', '{mock_id}', '{key,generation,source,event_id,block}', '{}'),
    (7, 'invitations', '{id}', '{sender,recipient,status,invited_at,accepted_at,profile,source,event_id,block}', '{}'),
    (8, 'reviews', '{id}', '{author_profile,author_address,subject_key,subject_generation,score,archived,created_at,updated_at,edits,source,event_id,block}',
      '{comment,metadata}'),
    (9, 'activity_votes', '{kind,target_id,voter}', '{number,upvote,archived,created_at,updated_at,source,event_id,block}', '{}'),
    (10, 'replies', '{id}', '{author_profile,target_kind,created_at,updated_at,edits,source,event_id,block}', '{content,metadata}'),
    (11, 'chain_params', '{contract,name}', '{value}', '{}'),
    (12, 'chain_last_ids', '{name}', '{last}', '{}')
$$;
-- The columns as a list, each of that row.
CREATE FUNCTION columns_of(which text, names text[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT string_agg(which || quote_ident(n), ', ' ORDER BY i) FROM unnest(names) WITH ORDINALITY x (n, i)
$$;
CREATE FUNCTION picked(from_row jsonb, names text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_object_agg(k, v) FROM jsonb_each(from_row) x (k, v) WHERE k = ANY (names)
$$;

-- A user has one primary address: those that will not be it any more step back before others take their place.
CREATE FUNCTION make_room_for_addresses(coming jsonb) RETURNS void LANGUAGE sql AS $$
  UPDATE addresses t SET kind = 'linked' FROM jsonb_populate_recordset(NULL::addresses, coming) n
    WHERE t.address = n.address AND t.kind = 'primary' AND (n.kind <> 'primary' OR n.user_id <> t.user_id)
$$;
-- Nobody had attested an account, and somebody reviewed it over the API: the chain tells now whose it is.
CREATE FUNCTION make_room_for_attestations(coming jsonb, the_block bigint) RETURNS void LANGUAGE sql AS $$
  WITH old AS (SELECT t.id, t.archived FROM attestations t JOIN jsonb_populate_recordset(NULL::attestations, coming) n
      ON t.service = n.service AND t.account = n.account AND t.id <> n.id
      WHERE NOT t.archived AND t.profile_id IS NULL AND t.source = 'api' AND NOT n.archived),
    kept AS (INSERT INTO chain_undo (block_number, relation, key, before)
      SELECT the_block, 'attestations', jsonb_build_object('id', t.id), picked(to_jsonb(t), (SELECT keys || changes FROM chain_tables() c
        WHERE c.name = 'attestations')) FROM attestations t JOIN old USING (id) WHERE the_block > 0)
  UPDATE attestations t SET archived = true FROM old WHERE t.id = old.id
$$;

-- Writes rows as events have left them, each a JSON object of columns. What they were before is kept, unless the block is 0.
CREATE FUNCTION put_chain_rows(the_block bigint, relations text[], images text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  t record;
  coming jsonb;
  same text;
  fresh text;
BEGIN
  FOR t IN SELECT * FROM chain_tables() ORDER BY place LOOP
    SELECT jsonb_agg(i.image::jsonb) INTO coming FROM unnest(relations, images) i (relation, image) WHERE i.relation = t.name;
    CONTINUE WHEN coming IS NULL;
    same := format('(%s) = (%s)', columns_of('t.', t.keys), columns_of('n.', t.keys));
    IF the_block > 0 THEN
      EXECUTE format('INSERT INTO chain_undo (block_number, relation, key, before) SELECT $2, $3, picked(to_jsonb(n), $4), '
                     'CASE WHEN t.%1$I IS NOT NULL THEN picked(to_jsonb(t), $4 || $5) END '
                     'FROM jsonb_populate_recordset(NULL::%2$I, $1) n LEFT JOIN %2$I t ON %3$s', t.keys[1], t.name, same)
        USING coming, the_block, t.name, t.keys, t.changes;
    END IF;
    IF t.name = 'addresses' THEN
      PERFORM make_room_for_addresses(coming);
    ELSIF t.name = 'attestations' THEN
      PERFORM make_room_for_attestations(coming, the_block);
    END IF;
    fresh := format('INSERT INTO %1$I (%2$s) SELECT %3$s FROM jsonb_populate_recordset(NULL::%1$I, $1) n '
                    'WHERE NOT EXISTS (SELECT FROM %1$I t WHERE %4$s)', t.name, columns_of('', t.keys || t.changes || t.news),
                    columns_of('n.', t.keys || t.changes || t.news), same);
    IF t.name = 'users' THEN -- others are merged into them
      EXECUTE fresh USING coming;
    END IF;
    EXECUTE format('UPDATE %1$I t SET (%2$s) = ROW(%3$s) FROM jsonb_populate_recordset(NULL::%1$I, $1) n WHERE %4$s', t.name,
                   columns_of('', t.changes), columns_of('n.', t.changes), same) USING coming;
    EXECUTE fresh USING coming;
  END LOOP;
END $$;

-- Whom an undone block brought goes, unless records of the API name that user.
CREATE FUNCTION forget_user(the_user int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM score_dirty WHERE user_id = the_user;
  DELETE FROM score_history WHERE user_id = the_user;
  DELETE FROM epoch_scores WHERE user_id = the_user;
  DELETE FROM score_inputs WHERE user_id = the_user;
  DELETE FROM users WHERE id = the_user;
EXCEPTION WHEN foreign_key_violation THEN
  UPDATE users SET status = 'INACTIVE', merged_into = NULL WHERE id = the_user;
END $$;
CREATE FUNCTION forget_subject(the_key bytea, the_generation int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM subjects WHERE key = the_key AND generation = the_generation;
EXCEPTION WHEN foreign_key_violation THEN
  NULL; -- records of the API are about it
END $$;
-- Profiles are never deleted: the next event with the id fills such a row again.
CREATE FUNCTION forget_chain_rows(relation text, key_columns text[], gone jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF relation = 'users' THEN
    PERFORM forget_user((k ->> 'id')::int) FROM jsonb_array_elements(gone) k;
  ELSIF relation = 'profiles' THEN
    UPDATE profiles SET archived = true, orphaned = true, invited_by = NULL
      WHERE id IN (SELECT (k ->> 'id')::int FROM jsonb_array_elements(gone) k);
  ELSIF relation = 'subjects' THEN
    PERFORM forget_subject(n.key, n.generation) FROM jsonb_populate_recordset(NULL::subjects, gone) n;
  ELSE
    EXECUTE format('DELETE FROM %1$I t USING jsonb_populate_recordset(NULL::%1$I, $1) n WHERE (%2$s) = (%3$s)', relation,
                   columns_of('t.', key_columns), columns_of('n.', key_columns)) USING gone;
  END IF;
END $$;

-- Takes back what a block, the newest one, changed.
CREATE FUNCTION take_back_chain_rows(the_block bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  t record;
  gone jsonb;
  back jsonb;
BEGIN
  FOR t IN SELECT * FROM chain_tables() ORDER BY place DESC LOOP
    SELECT jsonb_agg(key) FILTER (WHERE before IS NULL), jsonb_agg(before) FILTER (WHERE before IS NOT NULL) INTO gone, back
      FROM chain_undo WHERE block_number = the_block AND relation = t.name;
    IF gone IS NOT NULL AND t.name <> 'users' THEN
      PERFORM forget_chain_rows(t.name, t.keys, gone);
    END IF;
    IF back IS NOT NULL THEN
      IF t.name = 'addresses' THEN
        PERFORM make_room_for_addresses(back);
      END IF;
      EXECUTE format('UPDATE %1$I t SET (%2$s) = ROW(%3$s) FROM jsonb_populate_recordset(NULL::%1$I, $1) n WHERE (%4$s) = (%5$s)', t.name,
                     columns_of('', t.changes), columns_of('n.', t.changes), columns_of('t.', t.keys), columns_of('n.', t.keys)) USING back;
    END IF;
    IF gone IS NOT NULL AND t.name = 'users' THEN -- nobody is merged into them any more
      PERFORM forget_chain_rows(t.name, t.keys, gone);
    END IF;
  END LOOP;
  DELETE FROM chain_undo WHERE block_number = the_block;
END $$;

-- Tries rows, event by event, and writes none of them. Notes the first event that the database refuses, and by which constraint.
CREATE FUNCTION try_chain_rows(events bigint[], relations text[], images text[], ids bigint[], hashes bytea[], logs int[]) RETURNS void
  LANGUAGE plpgsql AS $$
DECLARE
  e bigint;
  refused bigint;
  why text;
BEGIN
  BEGIN
    FOR e IN SELECT DISTINCT x FROM unnest(events) x ORDER BY x LOOP
      BEGIN
        PERFORM put_chain_rows(0, array_agg(i.relation), array_agg(i.image)) FROM unnest(events, relations, images) i (event, relation, image)
          WHERE i.event = e;
        SET CONSTRAINTS ALL IMMEDIATE;
      EXCEPTION WHEN integrity_constraint_violation OR data_exception OR raise_exception THEN
        GET STACKED DIAGNOSTICS why = CONSTRAINT_NAME;
        IF coalesce(why, '') = '' THEN
          GET STACKED DIAGNOSTICS why = MESSAGE_TEXT;
        END IF;
        refused := e;
        EXIT;
      END;
    END LOOP;
    RAISE EXCEPTION 'what was tried is taken back' USING ERRCODE = 'CRTRY';
  EXCEPTION WHEN SQLSTATE 'CRTRY' THEN
    NULL;
  END;
  INSERT INTO chain_refusals SELECT p.hash, p.log, 'refused:' || left(why, 200) FROM unnest(ids, hashes, logs) p (id, hash, log)
    WHERE p.id = refused ON CONFLICT DO NOTHING;
END $$;

-- Moves the tip from the block `before` to a later one, with so many events, of which the last one has that id.
CREATE FUNCTION advance_chain(chain bigint, before bytea, number bigint, hash bytea, parent bytea, block_at timestamptz,
                              is_finalized bigint, events bigint, the_last_event bigint, now_is timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  settled bigint;
BEGIN
  UPDATE chain_follow f SET tip_number = number, tip_hash = hash, tip_parent = parent, tip_at = block_at,
    finalized = greatest(f.finalized, is_finalized), last_event = f.last_event + events, moved_at = now_is
  WHERE f.chain_id = chain AND f.tip_hash = before AND f.tip_number < number AND (events = 0 OR f.last_event + events = the_last_event)
  RETURNING greatest(least(f.finalized, f.tip_number), f.tip_number - 10000) INTO settled; -- as many may be taken back
  IF NOT FOUND THEN
    RAISE EXCEPTION 'chain % does not stand where block % follows', chain, number USING ERRCODE = '23514';
  END IF;
  DELETE FROM chain_blocks b WHERE b.chain_id = chain AND b.number < settled;
  DELETE FROM chain_undo u WHERE u.block_number <= settled;
  DELETE FROM chain_refusals;
END $$;

-- Takes the tip back from the block `before` to one that is kept. Nothing final is ever taken back.
CREATE FUNCTION undo_blocks(chain bigint, before bytea, to_number bigint, to_hash bytea, now_is timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE chain_follow f SET tip_number = b.number, tip_hash = b.hash, tip_parent = b.parent_hash, tip_at = b.at, moved_at = now_is,
    reorganisations = f.reorganisations + 1
  FROM chain_blocks b WHERE f.chain_id = chain AND f.tip_hash = before AND b.chain_id = chain AND b.number = to_number AND b.hash = to_hash
    AND f.finalized <= to_number AND f.tip_number > to_number;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the blocks of chain % behind % cannot be taken back', chain, to_number USING ERRCODE = '23514';
  END IF;
  PERFORM take_back_chain_rows(u.block_number) FROM (SELECT DISTINCT block_number FROM chain_undo WHERE block_number > to_number
    ORDER BY block_number DESC) u;
  WITH gone AS (DELETE FROM chain_events e WHERE e.chain_id = chain AND e.block_number > to_number RETURNING e.*)
    INSERT INTO chain_orphans SELECT gone.*, now_is, to_number FROM gone;
  DELETE FROM chain_blocks b WHERE b.chain_id = chain AND b.number > to_number;
  DELETE FROM chain_orphans o WHERE o.orphaned_at < now_is - interval '30 days';
END $$;

COMMENT ON TABLE chain_follow IS 'the chain that is followed, and how far';
COMMENT ON TABLE chain_blocks IS 'the last block applied, and those behind the last final one';
COMMENT ON TABLE chain_events IS 'logs of the contracts, each once, in order; kept for good';
COMMENT ON TABLE chain_orphans IS 'events of blocks that a reorganisation took back; for 30 days';
COMMENT ON TABLE chain_params IS 'settings of contracts, as their events told them last';
COMMENT ON TABLE chain_last_ids IS 'the last id that each contract gave out';
COMMENT ON TABLE chain_undo IS 'what rows were before blocks that a reorganisation may still take back';
COMMENT ON TABLE chain_refusals IS 'events of the next step whose rows the database refuses, and why';
