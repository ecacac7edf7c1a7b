-- A chain that is followed: its blocks and events, and how rows are made of them and taken back.

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
  reorganisations bigint NOT NULL DEFAULT 0 CHECK (reorganisations >= 0),
  replaying text NOT NULL DEFAULT '', -- kinds that are being added, with commas between them
  replay_place bigint NOT NULL DEFAULT 0 CHECK (replay_place >= 0), -- the last one of their events that is applied
  authority bigint NOT NULL DEFAULT 0,
  reprocess_after bigint CHECK (reprocess_after >= 0), -- the last one that was tried; null: nobody has asked for it
  CONSTRAINT chain_follow_authority CHECK (authority BETWEEN 0 AND tip_number)
);
CREATE UNIQUE INDEX chain_follow_one ON chain_follow ((true));
COMMENT ON TABLE chain_follow IS 'the chain that is followed, and how far';
COMMENT ON COLUMN chain_follow.authority IS 'rights rest on blocks up to this one';
COMMENT ON COLUMN chain_follow.reprocess_after IS 'failed events behind this one are to be tried again; null: nobody has asked for that';

CREATE TABLE chain_blocks (
  chain_id bigint NOT NULL REFERENCES chain_follow,
  number bigint NOT NULL CHECK (number >= 0),
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  parent_hash bytea NOT NULL CHECK (octet_length(parent_hash) = 32),
  at timestamptz NOT NULL,
  PRIMARY KEY (chain_id, number)
);
COMMENT ON TABLE chain_blocks IS 'the last block applied, and those behind the last final one';

CREATE TABLE chain_events (
  id bigint PRIMARY KEY CHECK (id > 0),
  chain_id bigint NOT NULL REFERENCES chain_follow,
  block_number bigint NOT NULL,
  block_hash bytea NOT NULL CHECK (octet_length(block_hash) = 32),
  block_at timestamptz NOT NULL,
  tx_hash bytea NOT NULL CHECK (octet_length(tx_hash) = 32),
  block_index int NOT NULL CHECK (block_index >= 0), -- of the transaction within its block
  log_index int NOT NULL CHECK (log_index >= 0), -- of the log within the block
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
COMMENT ON TABLE chain_events IS 'logs of the contracts, each once, in order; kept for good';

-- Events of blocks that a reorganisation took back, for 30 days. Their ids are not given out again.
CREATE TABLE chain_orphans (
  LIKE chain_events,
  orphaned_at timestamptz NOT NULL,
  ancestor bigint NOT NULL, -- the last block that stayed
  PRIMARY KEY (id)
);
CREATE INDEX chain_orphans_at ON chain_orphans (orphaned_at);
COMMENT ON TABLE chain_orphans IS 'events of blocks that a reorganisation took back; for 30 days';

-- -- records that are made of events ----------------------------------------------------
CREATE TABLE chain_params (
  contract text NOT NULL CHECK (contract <> ''),
  name text NOT NULL CHECK (name <> ''),
  value text NOT NULL,
  PRIMARY KEY (contract, name)
);
COMMENT ON TABLE chain_params IS 'settings of contracts, as their events told them last';

CREATE TABLE chain_last_ids (
  name text PRIMARY KEY CHECK (name <> ''),
  last bigint NOT NULL CHECK (last >= 0)
);
COMMENT ON TABLE chain_last_ids IS 'the last id that each contract gave out';

-- What rows were before a block changed them.
CREATE TABLE chain_undo (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  block_number bigint NOT NULL,
  relation text NOT NULL,
  key jsonb NOT NULL,
  before jsonb -- the columns that events write; null: there was no row
);
CREATE INDEX chain_undo_block ON chain_undo (block_number);
COMMENT ON TABLE chain_undo IS 'what rows were before blocks that a reorganisation may still take back';

-- Events whose rows the database refuses: they are stored as failed when the step that holds them comes again.
CREATE TABLE chain_refusals (
  block_hash bytea NOT NULL CHECK (octet_length(block_hash) = 32),
  log_index int NOT NULL CHECK (log_index >= 0),
  reason text NOT NULL CHECK (reason <> ''),
  PRIMARY KEY (block_hash, log_index)
);
COMMENT ON TABLE chain_refusals IS 'events of the next step whose rows the database refuses, and why';

-- Events of such a kind up to that one were applied behind it, in their order.
CREATE TABLE chain_kinds (
  kind text PRIMARY KEY CHECK (kind <> ''),
  after_event bigint NOT NULL CHECK (after_event >= 0)
);
COMMENT ON TABLE chain_kinds IS 'kinds that were added to the chain that is followed, and after which event';

-- -- threads ------------------------------------------------------------------------------

-- Replies that know their target, below which others wait for it. These join in pieces: one text that comes late may be above any number.
CREATE TABLE chain_threads (
  reply int PRIMARY KEY REFERENCES replies ON DELETE CASCADE
);
COMMENT ON TABLE chain_threads IS 'replies whose answers are still to join their thread';

-- Where they come in: behind that event, by the kinds that were followed then, in the order of numbers.
CREATE TABLE chain_reprocessed (
  event_id bigint PRIMARY KEY CHECK (event_id > 0),
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  after_event bigint NOT NULL CHECK (after_event >= 0),
  kinds text NOT NULL
);
COMMENT ON TABLE chain_reprocessed IS 'failed events that were tried again, and behind which event';

-- The tables of such records, in an order in which rows may be written: the key, what events change, and what only a new row is given.
-- What triggers keep is none of it.
CREATE FUNCTION chain_tables() RETURNS TABLE (place int, name text, keys text[], changes text[], news text[]) LANGUAGE sql IMMUTABLE AS $$
  VALUES
    (1, 'users', '{id}'::text[], '{status,merged_into}'::text[], '{display_name,avatar_url,first_seen_at}'::text[]),
    (2, 'profiles', '{id}', '{archived,orphaned,created_at,updated_at,invites_available,told_inviter,source,event_id,block}', '{user_id}'),
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
    (12, 'chain_last_ids', '{name}', '{last}', '{}'),
    (13, 'vouches', '{contract,number}', '{author_profile,subject_key,subject_generation,subject_profile,token,staked,deposited,balance,withdrawn,slashed,told_parts,told_metadata,archived,unhealthy,frozen,vouched_at,unvouched_at,unhealthy_at,source,event_id,block}',
      '{author_address,comment,metadata}'),
    (14, 'vouch_rewards', '{profile}', '{balance,deposited,withdrawn,source,event_id,block}', '{}'),
    (15, 'bonds', '{id}', '{author_profile,bond_type,amount,amount_type,told_expiration,told_expires_at,archived,archived_at,archived_by_wallet,archive_reason,created_at,updated_at,source,event_id,block}', '{statement,comment}'),
    (20, 'broker_posts', '{id}', '{author_profile,level,title,description,price,metadata,created_at,updated_at,source,event_id,block}',
      '{}'),
    (21, 'broker_fees', '{post_id}', '{token,amount,recipient,source,event_id,block}', '{}'),
    (22, 'broker_credits', '{profile_id,token}', '{balance,source,event_id,block}', '{}'),
    (23, 'chain_projects', '{id}', '{user_id,userkey,archived,name,metadata,managers,created_at,updated_at,source,event_id,block}', '{}'),
    (24, 'token_balances', '{holder,token}', '{balance,missing,source,event_id,block}', '{}'),
    (25, 'reward_balances', '{holder,contract}', '{balance,source,event_id,block}', '{}'),
    (26, 'slashes', '{id}', '{author_id,subject_address,subject_hash,subject_user_id,subject_profile_id,type,amount,duration_s,comment,metadata,created_at,ends_at,closed_at,ended_by,outcome,resolution,resolution_bps,executed,slash_weight,defend_weight,penalties,source,event_id,block}',
      '{}'),
    (40, 'chain_markets', '{contract,id}', '{creator,recipient,liquidity,base_price,creation_cost,trust,distrust,trust_price,distrust_price,backing,withdrawn,bought,sold,trades,trust_trades,prices,standing,userkey,userkey_hash,pricing_contract,trust_token,distrust_token,created_at,updated_at,source,event_id,block}',
      '{}'),
    (41, 'chain_trades', '{event_id}', '{contract,market_id,account,buys,trusts,votes,funds,number,side_number,account_number,account_side_number,volume_after,bought_after,at,source,block}', '{}'),
    (42, 'chain_prices', '{event_id}', '{contract,market_id,number,trust,distrust,trust_price,distrust_price,at,source,block}', '{}'),
    (43, 'chain_positions', '{contract,market_id,account}', '{trust,distrust,source,event_id,block}', '{}'),
    (44, 'chain_market_accounts', '{contract,account}', '{bought,sold,donations,trades,trust_trades,source,event_id,block}', '{}')
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

-- Takes back what a block, the newest one, changed. What a slash comes to depends on what was written before it, so a block may
-- be written in pieces; a row that is in several of them becomes what it was before the first.
CREATE FUNCTION take_back_chain_rows(the_block bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  t record;
  gone jsonb;
  back jsonb;
BEGIN
  FOR t IN SELECT * FROM chain_tables() ORDER BY place DESC LOOP
    SELECT jsonb_agg(key) FILTER (WHERE before IS NULL), jsonb_agg(before) FILTER (WHERE before IS NOT NULL) INTO gone, back
      FROM (SELECT DISTINCT ON (u.key) u.key, u.before FROM chain_undo u WHERE u.block_number = the_block AND u.relation = t.name
        ORDER BY u.key, u.number) first;
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

-- -- large blocks -------------------------------------------------------------------------

-- Moves the tip from the block `before` to a later one, with so many events, of which the last one has that id; or for some events of
-- the next block, which is final: then the tip stays, and its number and hash come again.
CREATE FUNCTION advance_chain(chain bigint, before bytea, number bigint, hash bytea, parent bytea, block_at timestamptz,
                              is_finalized bigint, events bigint, the_last_event bigint, now_is timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  settled bigint;
BEGIN
  UPDATE chain_follow f SET tip_number = number, tip_hash = hash, tip_parent = parent, tip_at = block_at,
    finalized = greatest(f.finalized, is_finalized), last_event = f.last_event + events, moved_at = now_is
  WHERE f.chain_id = chain AND f.tip_hash = before AND (events = 0 OR f.last_event + events = the_last_event)
    AND (f.tip_number < number OR (f.tip_number = number AND hash = before AND events > 0 AND number < is_finalized))
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

-- Notes a reply that is read, where others wait below it.
CREATE FUNCTION join_threads(the_reply int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO chain_threads SELECT the_reply WHERE waits_below(the_reply) ON CONFLICT DO NOTHING;
END $$;

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

-- Where blocks are taken back, rights rest on those that are left. Else the block never moves back.
CREATE FUNCTION keep_authority() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.authority := least(greatest(NEW.authority, OLD.authority), NEW.tip_number);
  RETURN NEW;
END $$;
CREATE TRIGGER keep_authority BEFORE UPDATE ON chain_follow FOR EACH ROW
  WHEN (NEW.authority <> OLD.authority OR NEW.tip_number < OLD.tip_number) EXECUTE FUNCTION keep_authority();

-- Rights rest on blocks up to that one, where the chain stands at the block of that hash.
CREATE FUNCTION settle_chain(chain bigint, hash bytea, up_to bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE chain_follow f SET authority = greatest(f.authority, up_to) WHERE f.chain_id = chain AND f.tip_hash = hash;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'chain % does not stand where block % is settled', chain, up_to USING ERRCODE = '23514';
  END IF;
END $$;

CREATE FUNCTION waits_below(the_reply int) RETURNS boolean LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  RETURN EXISTS (SELECT FROM replies t CROSS JOIN LATERAL
      (SELECT r.target_kind, r.source FROM replies r WHERE r.parent_id = t.id AND r.target_id IS NULL OFFSET 0) n
    WHERE t.id = the_reply AND t.target_id IS NOT NULL AND n.target_kind = t.target_kind AND n.source = 'chain');
END $$;

-- Brings at most `most` replies into their threads, those first that are nearest to one that is there.
CREATE FUNCTION join_waiting_replies(most int) RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  rest int := most;
  thread replies;
  below int[];
BEGIN
  WHILE rest > 0 LOOP
    SELECT r.* INTO thread FROM replies r WHERE r.id = (SELECT min(reply) FROM chain_threads);
    EXIT WHEN thread.id IS NULL;
    -- OFFSET has each step down look up its own rows by that index, instead of going through all of it.
    WITH RECURSIVE reached (id) AS (
      SELECT thread.id
      UNION
      SELECT n.id FROM reached b CROSS JOIN LATERAL
          (SELECT r.id, r.target_kind, r.source FROM replies r WHERE r.parent_id = b.id AND r.target_id IS NULL OFFSET 0) n
        WHERE n.target_kind = thread.target_kind AND n.source = 'chain')
    SELECT coalesce(array_agg(b.id), '{}') INTO below FROM (SELECT id FROM reached LIMIT rest + 1) b
      WHERE b.id <> thread.id AND thread.target_id IS NOT NULL;
    UPDATE replies SET target_id = thread.target_id WHERE id = ANY (below);
    DELETE FROM chain_threads WHERE reply = thread.id AND NOT waits_below(thread.id);
    INSERT INTO chain_threads SELECT b FROM unnest(below) b WHERE cardinality(below) >= rest AND waits_below(b) ON CONFLICT DO NOTHING;
    rest := rest - greatest(cardinality(below), 10); -- looking below a reply costs as much as ten that join
  END LOOP;
END $$;

-- Whether a later event has changed a row that this one would change. Parameters of contracts do not tell which event set them.
CREATE FUNCTION changed_by_later_events(the_event bigint, the_name text, relations text[], images text[]) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
  t record;
  coming jsonb;
  later boolean;
BEGIN
  IF 'chain_params' = ANY (relations) AND EXISTS (SELECT FROM chain_events l JOIN chain_events e ON e.contract = l.contract
      WHERE e.id = the_event AND l.id > the_event AND l.event_name = the_name AND l.status = 'applied') THEN
    RETURN true;
  END IF;
  FOR t IN SELECT * FROM chain_tables() c WHERE c.name = ANY (relations) AND 'event_id' = ANY (c.changes) LOOP
    SELECT jsonb_agg(i.image::jsonb) INTO coming FROM unnest(relations, images) i (relation, image) WHERE i.relation = t.name;
    EXECUTE format('SELECT EXISTS (SELECT FROM %1$I t JOIN jsonb_populate_recordset(NULL::%1$I, $1) n ON (%2$s) = (%3$s) WHERE t.event_id > $2)',
                   t.name, columns_of('t.', t.keys), columns_of('n.', t.keys)) INTO later USING coming, the_event;
    IF later THEN
      RETURN true;
    END IF;
  END LOOP;
  RETURN false;
END $$;

-- A failed event has been tried again: it is this now, with these rows, unless a later event or the database has something against
-- them; then it has failed anew, and nothing of it is written. Event 0: none is left.
CREATE FUNCTION reprocess_chain_event(chain bigint, tip bytea, before bigint, the_event bigint, the_name text, the_log text, the_status text,
                                      the_reason text, relations text[], images text[], pieces int[], now_is timestamptz)
  RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  f chain_follow;
  piece int;
  why text;
BEGIN
  UPDATE chain_follow c SET reprocess_after = nullif(the_event, 0)
    WHERE c.chain_id = chain AND c.tip_hash = tip AND c.replaying = '' AND c.reprocess_after = before AND (the_event = 0 OR the_event > before)
    RETURNING * INTO f;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the failed events of chain % are not tried again up to event %', chain, before USING ERRCODE = '23514';
  END IF;
  IF the_event = 0 THEN
    RETURN;
  END IF;
  IF the_status = 'applied' AND changed_by_later_events(the_event, the_name, relations, images) THEN
    the_status := 'failed';
    the_reason := 'refused:later_events';
  ELSE
    BEGIN
      FOR piece IN SELECT DISTINCT x FROM unnest(pieces) x ORDER BY x LOOP
        PERFORM put_chain_rows(0, array_agg(i.relation), array_agg(i.image)) FROM unnest(relations, images, pieces) i (relation, image, piece_of)
          WHERE i.piece_of = piece;
      END LOOP;
      SET CONSTRAINTS ALL IMMEDIATE;
    EXCEPTION WHEN integrity_constraint_violation OR data_exception OR raise_exception THEN
      GET STACKED DIAGNOSTICS why = CONSTRAINT_NAME;
      IF coalesce(why, '') = '' THEN
        GET STACKED DIAGNOSTICS why = MESSAGE_TEXT;
      END IF;
      the_status := 'failed';
      the_reason := 'refused:' || left(why, 200);
    END;
    SET CONSTRAINTS ALL DEFERRED;
  END IF;
  UPDATE chain_events e SET status = the_status, reason = the_reason, event_name = the_name, log_data = the_log,
      updated_at = greatest(e.created_at, now_is) WHERE e.id = the_event AND e.status = 'failed';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'event % has not failed', the_event USING ERRCODE = '23514';
  END IF;
  DELETE FROM chain_reprocessed r WHERE r.event_id = the_event;
  IF the_status <> 'ignored' THEN -- else it comes in when its kind is added
    INSERT INTO chain_reprocessed (event_id, after_event, kinds) VALUES (the_event, f.last_event, f.kinds);
  END IF;
END $$;

-- Each table that holds rows of a chain has a function of its own that writes them, whose plans a connection keeps; a statement put
-- together at each call would mostly be planning, while votes wait behind it. The functions are made from chain_tables(): a migration that gives a chain another table calls make_chain_writers() again.

-- `{"id": t.id, …}`
CREATE FUNCTION object_of(which text, names text[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT format('jsonb_build_object(%s)', string_agg(format('%L, %s%I', n, which, n), ', ' ORDER BY i)) FROM unnest(names) WITH ORDINALITY x (n, i)
$$;

CREATE FUNCTION make_chain_writer(t record) RETURNS void LANGUAGE plpgsql AS $make$
DECLARE
  rows_coming text := format('jsonb_populate_recordset(NULL::%I, coming) n', t.name);
  same text := format('(%s) = (%s)', columns_of('t.', t.keys), columns_of('n.', t.keys));
  undo text := format('INSERT INTO chain_undo (block_number, relation, key, before) SELECT the_block, %L, %s, CASE WHEN t.%I IS NOT NULL THEN %s END '
                      'FROM %s LEFT JOIN %I t ON %s;', t.name, object_of('n.', t.keys), t.keys[1], object_of('t.', t.keys || t.changes),
                      rows_coming, t.name, same);
  fresh text := format('INSERT INTO %1$I (%2$s) SELECT %3$s FROM %4$s WHERE NOT EXISTS (SELECT FROM %1$I t WHERE %5$s);', t.name,
                       columns_of('', t.keys || t.changes || t.news), columns_of('n.', t.keys || t.changes || t.news), rows_coming, same);
  known text := format('IF EXISTS (SELECT FROM %1$s JOIN %2$I t ON %3$s) THEN UPDATE %2$I t SET (%4$s) = ROW(%5$s) FROM %1$s WHERE %3$s; END IF;',
                       rows_coming, t.name, same, columns_of('', t.changes), columns_of('n.', t.changes));
  room text := CASE t.name WHEN 'addresses' THEN 'PERFORM make_room_for_addresses(coming);'
                           WHEN 'attestations' THEN 'PERFORM make_room_for_attestations(coming, the_block);' ELSE '' END;
BEGIN
  -- The rows that come are few and found by their keys. A kept plan knows nothing of how a table has grown since it was made, so it may not
  -- read all of it. A table without an index then looks so dear that PostgreSQL would compile the statement, so that is off, too.
  EXECUTE format('CREATE OR REPLACE FUNCTION %I(the_block bigint, coming jsonb) RETURNS void LANGUAGE plpgsql '
                 'SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS %L', 'put_chain_rows_of_' || t.name,
                 concat_ws(E'\n', 'BEGIN', 'IF the_block > 0 THEN', undo, 'END IF;', room,
                           CASE t.name WHEN 'users' THEN fresh ELSE '' END, -- others are merged into them
                           known, fresh, 'END'));
END $make$;

CREATE FUNCTION make_chain_writers() RETURNS void LANGUAGE plpgsql AS $make$
DECLARE
  t record;
  known text[] := '{}';
  each text := '';
BEGIN
  FOR t IN SELECT * FROM chain_tables() ORDER BY place LOOP
    PERFORM make_chain_writer(t);
    known := known || t.name;
    each := each || format(E'  IF coming ? %L THEN PERFORM %I(the_block, coming -> %1$L); END IF;\n', t.name, 'put_chain_rows_of_' || t.name);
  END LOOP;
  -- Writes rows as events have left them, each a JSON object of columns. What they were before is kept, unless the block is 0.
  EXECUTE format('CREATE OR REPLACE FUNCTION put_chain_rows(the_block bigint, relations text[], images text[]) RETURNS void LANGUAGE plpgsql AS %L',
    format($body$
DECLARE
  coming jsonb;
BEGIN
  SELECT jsonb_object_agg(g.relation, g.images) INTO coming
    FROM (SELECT i.relation, jsonb_agg(i.image::jsonb) AS images FROM unnest(relations, images) i (relation, image) GROUP BY i.relation) g;
%s  IF coming - %L::text[] <> '{}' THEN
    RAISE EXCEPTION 'make_chain_writers() knows no table %%', coming - %2$L::text[] USING ERRCODE = 'undefined_table';
  END IF;
END $body$, each, known));
END $make$;

-- What comes from a chain is written on a connection of its own. What makes records and scores looks at others of them, so two transactions may not
-- do that beside each other: each takes this lock first. CR004 tells that it was not to be had in time, so that it is tried again.
CREATE FUNCTION lock_records() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7022);
EXCEPTION WHEN lock_not_available THEN
  RAISE EXCEPTION 'the other writer makes records' USING ERRCODE = 'CR004';
END $$;

DO $$
DECLARE
  t record;
BEGIN
  FOR t IN VALUES
    ('profiles', 'OLD.archived AND NOT NEW.archived'),
    ('addresses', 'NEW.user_id <> OLD.user_id'),
    ('attestations', 'NEW.user_id <> OLD.user_id OR OLD.archived AND NOT NEW.archived'),
    ('subjects', 'NEW.user_id <> OLD.user_id'),
    ('reviews', 'OLD.archived AND NOT NEW.archived'),
    ('vouches', 'OLD.archived AND NOT NEW.archived'),
    ('replies', 'false'),
    ('bonds', 'OLD.archived AND NOT NEW.archived'),
    ('projects', 'OLD.status = ''ARCHIVED'' AND NEW.status <> ''ARCHIVED''')
  LOOP
    EXECUTE format('CREATE TRIGGER stands_since_new BEFORE INSERT ON %I FOR EACH ROW WHEN (NEW.block IS NOT NULL)'
                   ' EXECUTE FUNCTION stands_since()', t.column1);
    EXECUTE format('CREATE TRIGGER stands_since_moved BEFORE UPDATE ON %I FOR EACH ROW WHEN (NEW.block IS NOT NULL AND (%s))'
                   ' EXECUTE FUNCTION stands_since()', t.column1, t.column2);
  END LOOP;
END $$;
