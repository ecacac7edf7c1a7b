-- Slashes that events of a chain make, in the table of those of the API. The contract decides who may slash whom and when, so what the
-- API promises of its own slashes (numbers without gaps, one open slash per author and subject, a pause, closed for good) is promised of
-- those alone.

ALTER TABLE slashes
  ADD COLUMN source text NOT NULL DEFAULT 'api' CHECK (source IN ('chain', 'api')),
  ADD COLUMN event_id bigint,
  ADD COLUMN block bigint,
  ADD COLUMN subject_hash bytea CHECK (octet_length(subject_hash) = 32), -- of an account; `subjects` knows which, once somebody has attested it
  ADD COLUMN ends_at timestamptz(0),
  ADD COLUMN ended_by text CHECK (ended_by IN ('time', 'cancelled', 'resolved')),
  ADD COLUMN resolution text CHECK (resolution IN ('CANCELLED', 'SLASHED', 'DEFENDED', 'INCONCLUSIVE')), -- that the contract told
  ADD COLUMN resolution_bps numeric(78, 0) NOT NULL DEFAULT 0 CHECK (resolution_bps >= 0),
  ADD COLUMN executed boolean NOT NULL DEFAULT false,
  ADD COLUMN penalties jsonb, -- [user, reason, points] of each whom it costs score: so a block that is taken back brings back what was
  ALTER COLUMN seq DROP NOT NULL,
  DROP CONSTRAINT slashes_id_check,
  ADD CONSTRAINT slashes_id_check CHECK (id > 0 OR (source = 'chain' AND id = 0)),
  DROP CONSTRAINT slashes_check,
  ADD CONSTRAINT slashes_not_oneself CHECK (source = 'chain' OR subject_profile_id <> author_id),
  DROP CONSTRAINT slashes_amount_check,
  ADD CONSTRAINT slashes_amount_check
    CHECK (CASE source WHEN 'chain' THEN amount >= 0 ELSE amount BETWEEN 1 AND CASE type WHEN 'XP' THEN 1000000 ELSE 1000 END END),
  DROP CONSTRAINT slashes_duration_s_check,
  ADD CONSTRAINT slashes_duration_s_check CHECK (CASE source WHEN 'chain' THEN duration_s >= 0 ELSE duration_s BETWEEN 1 AND 604800 END),
  DROP CONSTRAINT slashes_comment_check,
  ADD CONSTRAINT slashes_comment_check CHECK (source = 'chain' OR char_length(comment) BETWEEN 1 AND 2000),
  DROP CONSTRAINT slashes_metadata_check,
  ADD CONSTRAINT slashes_metadata_check CHECK (source = 'chain' OR char_length(metadata) <= 5000),
  DROP CONSTRAINT slashes_one_subject,
  ADD CONSTRAINT slashes_one_subject CHECK (num_nonnulls(subject_address, subject_account, subject_hash) = 1
    AND (subject_account IS NULL) = (subject_service IS NULL)),
  DROP CONSTRAINT slashes_xp_subject,
  ADD CONSTRAINT slashes_xp_subject CHECK (source = 'chain' OR type <> 'XP' OR subject_profile_id IS NOT NULL),
  DROP CONSTRAINT slashes_closed_whole,
  ADD CONSTRAINT slashes_closed_whole CHECK ((cancelled_at IS NULL OR closed_at IS NOT NULL) AND CASE source
    WHEN 'api' THEN num_nonnulls(closed_at, outcome, slash_weight, defend_weight, closed_seq) IN (0, 5)
    ELSE num_nonnulls(closed_at, outcome, slash_weight, defend_weight, ended_by) IN (0, 5) END),
  DROP CONSTRAINT slashes_closed_in_time,
  ADD CONSTRAINT slashes_closed_in_time
    CHECK (source = 'chain' OR closed_at = coalesce(cancelled_at, created_at + duration_s * interval '1 second')),
  DROP CONSTRAINT slashes_cancelled_in_time,
  ADD CONSTRAINT slashes_cancelled_in_time CHECK (source = 'chain'
    OR (cancelled_at >= created_at AND cancelled_at < created_at + duration_s * interval '1 second')),
  DROP CONSTRAINT slashes_outcome,
  ADD CONSTRAINT slashes_outcome CHECK (outcome = CASE WHEN ended_by = 'resolved' THEN resolution WHEN cancelled_at IS NOT NULL THEN 'CANCELLED'
    WHEN slash_weight * 100 > (slash_weight + defend_weight) * 60 THEN 'SLASHED'
    WHEN slash_weight * 100 < (slash_weight + defend_weight) * 40 THEN 'DEFENDED' ELSE 'INCONCLUSIVE' END),
  ADD CONSTRAINT slashes_of_api CHECK (source = 'chain'
    OR (num_nulls(event_id, block, subject_hash, ends_at, ended_by, resolution, penalties) = 7 AND seq IS NOT NULL AND NOT executed)),
  ADD CONSTRAINT slashes_of_chain CHECK (source = 'api' OR (num_nonnulls(seq, closed_seq) = 0 AND num_nonnulls(event_id, block, ends_at) = 3));

DROP INDEX slashes_open_author, slashes_open_address, slashes_open_account, slashes_open_user;
CREATE UNIQUE INDEX slashes_open_author ON slashes (author_id) WHERE closed_at IS NULL AND source = 'api';
CREATE UNIQUE INDEX slashes_open_address ON slashes (subject_address) WHERE closed_at IS NULL AND source = 'api';
CREATE UNIQUE INDEX slashes_open_account ON slashes (subject_service, subject_account) WHERE closed_at IS NULL AND source = 'api';
CREATE UNIQUE INDEX slashes_open_user ON slashes (subject_user_id) WHERE closed_at IS NULL AND source = 'api';
CREATE INDEX slashes_hash ON slashes (subject_hash) WHERE subject_hash IS NOT NULL;
CREATE INDEX slashes_api ON slashes (id) WHERE source = 'api';
CREATE INDEX slashes_due ON slashes (ends_at) WHERE closed_at IS NULL AND source = 'chain';

-- -- what holds of those of the API alone ----------------------------------------------------

DROP TRIGGER check_new_slash ON slashes;
CREATE TRIGGER check_new_slash BEFORE INSERT ON slashes FOR EACH ROW WHEN (NEW.source = 'api') EXECUTE FUNCTION check_new_slash();
DROP TRIGGER check_closing ON slashes;
CREATE TRIGGER check_closing BEFORE UPDATE ON slashes FOR EACH ROW WHEN (OLD.source = 'api') EXECUTE FUNCTION check_closing();
DROP TRIGGER slashes_stay ON slashes;
CREATE TRIGGER slashes_stay BEFORE TRUNCATE ON slashes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER slashes_of_api_stay BEFORE DELETE ON slashes FOR EACH ROW WHEN (OLD.source = 'api') EXECUTE FUNCTION refuse_change();
-- XP and declared vouches are of the API; what a contract holds it cuts itself.
DROP TRIGGER put_xp_aside ON slashes;
CREATE TRIGGER put_xp_aside AFTER INSERT ON slashes FOR EACH ROW WHEN (NEW.type = 'XP' AND NEW.source = 'api') EXECUTE FUNCTION put_xp_aside();
DROP TRIGGER pay_xp_out ON slashes;
CREATE TRIGGER pay_xp_out AFTER UPDATE OF closed_at ON slashes FOR EACH ROW
  WHEN (OLD.closed_at IS NULL AND NEW.closed_at IS NOT NULL AND NEW.type = 'XP' AND NEW.source = 'api') EXECUTE FUNCTION pay_xp_out();
DROP TRIGGER cut_vouches ON slashes;
CREATE TRIGGER cut_vouches AFTER UPDATE OF closed_at ON slashes FOR EACH ROW
  WHEN (OLD.closed_at IS NULL AND NEW.closed_at IS NOT NULL AND NEW.type = 'FINANCIAL' AND NEW.outcome IN ('SLASHED', 'DEFENDED')
    AND NEW.source = 'api') EXECUTE FUNCTION cut_vouches();

-- -- votes -------------------------------------------------------------------------------

-- Votes on a slash of a chain are votes on activities. What counts of them is kept where votes on slashes of the API are: the vote of each
-- profile with the weight by the epoch score when it came, but for the author and the subject, who are no judges of it.
-- Any number of votes at once, as many of them as there are on slashes of a chain.
CREATE FUNCTION weigh_slash_votes(the_slashes int[], the_voters int[]) RETURNS void LANGUAGE plpgsql
  SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off AS $$
BEGIN
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT s.id, x.voter, x.voter <> s.author_id AND x.voter IS DISTINCT FROM s.subject_profile_id AS judge
    FROM unnest(the_slashes, the_voters) x (slash, voter) JOIN slashes s ON s.id = x.slash AND s.source = 'chain'),
  fresh AS MATERIALIZED (
    SELECT a.id, a.voter, n.for_slash, n.weight, b.for_slash AS for_slash_before, b.weight AS weight_before
    FROM asked a LEFT JOIN slash_ballots b ON b.slash_id = a.id AND b.voter_id = a.voter
      LEFT JOIN LATERAL (SELECT v.upvote AS for_slash, vote_weight(w.standing) AS weight FROM activity_votes v
        JOIN standings w ON w.profile_id = v.voter
        WHERE a.judge AND v.kind = 'slash' AND v.target_id = a.id AND v.voter = a.voter AND v.archived IS NOT TRUE OFFSET 0) n ON true
    WHERE n.for_slash IS DISTINCT FROM b.for_slash),
  gone AS (DELETE FROM slash_ballots b USING fresh f WHERE b.slash_id = f.id AND b.voter_id = f.voter AND f.for_slash IS NULL),
  kept AS (
    INSERT INTO slash_ballots SELECT id, voter, for_slash, weight, 1 FROM fresh WHERE for_slash IS NOT NULL ORDER BY id, voter
      ON CONFLICT (slash_id, voter_id) DO UPDATE SET for_slash = excluded.for_slash, weight = excluded.weight)
  UPDATE slash_tallies t SET for_it = t.for_it + change.for_it, against_it = t.against_it + change.against_it
    FROM (SELECT id, coalesce(sum(weight) FILTER (WHERE for_slash), 0)
                     - coalesce(sum(weight_before) FILTER (WHERE for_slash_before), 0) AS for_it,
            coalesce(sum(weight) FILTER (WHERE NOT for_slash), 0)
                     - coalesce(sum(weight_before) FILTER (WHERE NOT for_slash_before), 0) AS against_it FROM fresh GROUP BY id) change
    WHERE t.slash_id = change.id;
END $$;
CREATE FUNCTION weigh_slash_votes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  the_slashes int[];
  the_voters int[];
BEGIN
  SELECT array_agg(target_id), array_agg(voter) INTO the_slashes, the_voters FROM moved WHERE kind = 'slash';
  IF the_slashes IS NOT NULL THEN
    PERFORM weigh_slash_votes(the_slashes, the_voters);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER weigh_slash_votes_new AFTER INSERT ON activity_votes REFERENCING NEW TABLE AS moved
  FOR EACH STATEMENT EXECUTE FUNCTION weigh_slash_votes();
CREATE TRIGGER weigh_slash_votes_changed AFTER UPDATE ON activity_votes REFERENCING NEW TABLE AS moved
  FOR EACH STATEMENT EXECUTE FUNCTION weigh_slash_votes();
CREATE TRIGGER weigh_slash_votes_gone AFTER DELETE ON activity_votes REFERENCING OLD TABLE AS moved
  FOR EACH STATEMENT EXECUTE FUNCTION weigh_slash_votes();
-- Votes that were there before the slash, as where slashes are followed later than votes: those that were given before its end, and as
-- its end moves, those before the new one.
CREATE FUNCTION weigh_early_votes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  since timestamptz := '-infinity';
  the_voters int[];
BEGIN
  IF TG_OP = 'UPDATE' THEN
    since := OLD.ends_at;
  END IF;
  the_voters := ARRAY(SELECT voter FROM activity_votes
    WHERE kind = 'slash' AND target_id = NEW.id AND archived IS NOT TRUE AND created_at >= since AND created_at < NEW.ends_at);
  IF the_voters <> '{}' THEN
    PERFORM weigh_slash_votes(array_fill(NEW.id, ARRAY[cardinality(the_voters)]), the_voters);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER weigh_early_votes AFTER INSERT ON slashes FOR EACH ROW WHEN (NEW.source = 'chain') EXECUTE FUNCTION weigh_early_votes();
CREATE TRIGGER weigh_early_votes_longer AFTER UPDATE ON slashes FOR EACH ROW
  WHEN (NEW.source = 'chain' AND NEW.ends_at > OLD.ends_at) EXECUTE FUNCTION weigh_early_votes();

DROP TRIGGER slash_ballots_stay ON slash_ballots;
CREATE TRIGGER slash_ballots_stay BEFORE DELETE ON slash_ballots FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER slash_ballots_whole BEFORE TRUNCATE ON slash_ballots FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
DROP TRIGGER slash_tallies_stay ON slash_tallies;
CREATE TRIGGER slash_tallies_stay BEFORE DELETE ON slash_tallies FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER slash_tallies_whole BEFORE TRUNCATE ON slash_tallies FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- -- what a slash costs ------------------------------------------------------------------

-- Of a slash for points of score that closes (score::penalties_of): the one who lost, and who stood by the slashed. So that closing one
-- is a bounded piece of work whoever it is about, it costs a thousand supporters at most: those who vouch before those who praise, and
-- of each of these the users with the lower ids. Both are found by an index, and no more of them are read.
CREATE FUNCTION penalties_of(it slashes) RETURNS TABLE (user_id int, reason text, points int) LANGUAGE plpgsql STABLE AS $$
DECLARE
  subject int := coalesce((SELECT coalesce(u.merged_into, u.id) FROM users u WHERE u.id = it.subject_user_id),
    (SELECT a.user_id FROM addresses a WHERE a.address = it.subject_address),
    (SELECT t.user_id FROM attestations t WHERE t.service = it.subject_service AND t.account = it.subject_account AND NOT t.archived LIMIT 1),
    (SELECT j.user_id FROM subjects j WHERE j.key = it.subject_hash ORDER BY j.generation DESC LIMIT 1));
  author int := (SELECT p.user_id FROM profiles p WHERE p.id = it.author_id);
  most CONSTANT int := 1000; -- supporters
  vouching int[];
  praising int[] := '{}';
  who int := -1; -- of those who praise, by id
BEGIN
  IF it.outcome = 'DEFENDED' THEN
    RETURN QUERY SELECT author, 'author', least(it.amount, 2800);
  ELSIF it.outcome = 'SLASHED' AND subject IS NOT NULL THEN
    vouching := ARRAY(SELECT p.author_user FROM score_pairs p WHERE p.user_id = subject AND p.author_user <> subject
      ORDER BY p.author_user LIMIT most);
    WHILE cardinality(vouching) + cardinality(praising) < most LOOP -- somebody may have praised any number of times
      who := (SELECT r.author_user FROM score_reviews r WHERE r.user_id = subject AND r.how = 2 AND r.author_user > who
        ORDER BY r.author_user LIMIT 1);
      EXIT WHEN who IS NULL;
      IF who <> subject AND who <> ALL (vouching) THEN
        praising := praising || who;
      END IF;
    END LOOP;
    RETURN QUERY SELECT subject, 'subject', least(it.amount, 2800)
      UNION ALL SELECT p.author_user, 'vouch', least(it.amount::bigint * 20 / 100, 2800)::int FROM unnest(vouching) p (author_user)
      UNION ALL SELECT r.author_user, 'review', least(it.amount::bigint * 10 / 100, 2800)::int FROM unnest(praising) r (author_user);
  END IF;
END $$;
CREATE OR REPLACE FUNCTION punish() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO slash_penalties SELECT NEW.id, d.* FROM penalties_of(NEW) d;
  PERFORM open_scores(ARRAY(SELECT user_id FROM slash_penalties WHERE slash_id = NEW.id), 'api slash ' || NEW.id);
  RETURN NULL;
END $$;
DROP TRIGGER punish ON slashes;
CREATE TRIGGER punish AFTER UPDATE OF closed_at ON slashes FOR EACH ROW
  WHEN (OLD.closed_at IS NULL AND NEW.closed_at IS NOT NULL AND NEW.type = 'SCORE' AND NEW.source = 'api') EXECUTE FUNCTION punish();

-- Events tell how a slash of a chain ended, and what became of it where the contract said so. The votes and the penalties of that moment
-- are worked out here, once: a later event leaves them as they are, unless it ends the slash otherwise. A row that comes with them is
-- one that a block took back.
CREATE FUNCTION judge_chain_slash() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  same boolean := false;
BEGIN
  IF NEW.event_id = 0 THEN -- its time closes it, and no event
    NEW.event_id := OLD.event_id;
  END IF;
  IF NEW.closed_at IS NULL THEN
    NEW.cancelled_at := NULL;
    NEW.penalties := NULL;
    RETURN NEW;
  END IF;
  IF NEW.slash_weight IS NULL THEN
    IF TG_OP = 'UPDATE' THEN
      same := OLD.closed_at IS NOT NULL AND OLD.type = NEW.type
        AND (NEW.outcome = OLD.outcome OR (NEW.outcome IS NULL AND (NEW.ended_by, NEW.closed_at) = (OLD.ended_by, OLD.closed_at)));
      NEW.slash_weight := OLD.slash_weight; -- those at its end
      NEW.defend_weight := OLD.defend_weight;
    END IF;
    IF NEW.slash_weight IS NULL OR NEW.ended_by = 'time' AND NOT same THEN
      SELECT t.for_it, t.against_it INTO NEW.slash_weight, NEW.defend_weight FROM slash_tallies t WHERE t.slash_id = NEW.id;
      NEW.slash_weight := coalesce(NEW.slash_weight, 0);
      NEW.defend_weight := coalesce(NEW.defend_weight, 0);
    END IF;
    NEW.outcome := coalesce(NEW.outcome, CASE WHEN NEW.slash_weight * 100 > (NEW.slash_weight + NEW.defend_weight) * 60 THEN 'SLASHED'
      WHEN NEW.slash_weight * 100 < (NEW.slash_weight + NEW.defend_weight) * 40 THEN 'DEFENDED' ELSE 'INCONCLUSIVE' END);
    IF same THEN
      NEW.penalties := OLD.penalties;
    ELSIF NEW.type = 'SCORE' THEN
      NEW.penalties := (SELECT jsonb_agg(jsonb_build_array(d.user_id, d.reason, d.points) ORDER BY d.user_id) FROM penalties_of(NEW) d);
    END IF;
  END IF;
  NEW.cancelled_at := CASE WHEN NEW.outcome = 'CANCELLED' THEN NEW.closed_at END;
  RETURN NEW;
END $$;
CREATE TRIGGER judge_chain_slash BEFORE INSERT OR UPDATE ON slashes FOR EACH ROW WHEN (NEW.source = 'chain') EXECUTE FUNCTION judge_chain_slash();

-- Who has turned out to be somebody else leaves the penalty to that person: of two of the same slash the larger one. `whose` are written,
-- or all.
CREATE FUNCTION put_penalties(the_slash int, the_penalties jsonb, the_cause text, whose int[] DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  before int[];
BEGIN
  WITH gone AS (DELETE FROM slash_penalties WHERE slash_id = the_slash AND (whose IS NULL OR user_id = ANY (whose)) RETURNING user_id)
    SELECT array_agg(user_id) INTO before FROM gone;
  INSERT INTO slash_penalties SELECT DISTINCT ON (who) the_slash, coalesce(u.merged_into, u.id) AS who, d ->> 1, (d ->> 2)::int
    FROM jsonb_array_elements(the_penalties) d JOIN users u ON u.id = (d ->> 0)::int
    WHERE whose IS NULL OR coalesce(u.merged_into, u.id) = ANY (whose) ORDER BY who, (d ->> 2)::int DESC;
  PERFORM open_scores(ARRAY(SELECT unnest(before) UNION SELECT user_id FROM slash_penalties
    WHERE slash_id = the_slash AND (whose IS NULL OR user_id = ANY (whose))), the_cause);
END $$;
CREATE FUNCTION put_chain_penalties() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM put_penalties(NEW.id, NEW.penalties, CASE NEW.ended_by WHEN 'time' THEN 'slash ' || NEW.id ELSE cause_of('chain', NEW.event_id, '') END);
  RETURN NULL;
END $$;
CREATE TRIGGER put_chain_penalties_new AFTER INSERT ON slashes FOR EACH ROW WHEN (NEW.source = 'chain' AND NEW.penalties IS NOT NULL)
  EXECUTE FUNCTION put_chain_penalties();
CREATE TRIGGER put_chain_penalties_changed AFTER UPDATE ON slashes FOR EACH ROW
  WHEN (NEW.source = 'chain' AND NEW.penalties IS DISTINCT FROM OLD.penalties) EXECUTE FUNCTION put_chain_penalties();

-- Who is somebody of their own again, as the block that merged them is taken back, has the penalties again.
CREATE FUNCTION divide_penalties() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM put_penalties(s.id, s.penalties, 'user ' || NEW.id, array_remove(ARRAY[NEW.id, OLD.merged_into, NEW.merged_into], NULL))
    FROM slash_penalties p JOIN slashes s ON s.id = p.slash_id
    WHERE p.user_id = OLD.merged_into AND s.source = 'chain';
  RETURN NULL;
END $$;
CREATE TRIGGER divide_penalties AFTER UPDATE OF merged_into ON users FOR EACH ROW
  WHEN (OLD.merged_into IS NOT NULL AND NEW.merged_into IS DISTINCT FROM OLD.merged_into) EXECUTE FUNCTION divide_penalties();

-- One whose block is taken back goes with all that it came to.
CREATE FUNCTION forget_chain_slash() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before int[];
BEGIN
  WITH gone AS (DELETE FROM slash_penalties WHERE slash_id = OLD.id RETURNING user_id) SELECT array_agg(user_id) INTO before FROM gone;
  IF before IS NOT NULL THEN
    PERFORM open_scores(before, 'slash ' || OLD.id);
  END IF;
  DELETE FROM slash_ballots WHERE slash_id = OLD.id;
  DELETE FROM slash_tallies WHERE slash_id = OLD.id;
  RETURN OLD;
END $$;
CREATE TRIGGER forget_chain_slash BEFORE DELETE ON slashes FOR EACH ROW WHEN (OLD.source = 'chain') EXECUTE FUNCTION forget_chain_slash();

-- As with the others: rows are looked up by their keys, whatever the planner believes of tables that were empty.
DO $$
DECLARE
  entry text;
BEGIN
  FOREACH entry IN ARRAY ARRAY['weigh_slash_votes(int[], int[])', 'weigh_slash_votes()', 'weigh_early_votes()', 'penalties_of(slashes)',
      'judge_chain_slash()', 'put_penalties(int, jsonb, text, int[])', 'divide_penalties()', 'forget_chain_slash()'] LOOP
    EXECUTE format('ALTER FUNCTION %s SET plan_cache_mode = force_generic_plan', entry);
    EXECUTE format('ALTER FUNCTION %s SET enable_seqscan = off', entry);
  END LOOP;
END $$;

-- -- how they are written -----------------------------------------------------------------

ALTER FUNCTION chain_tables() RENAME TO chain_tables_before_slashes;
CREATE FUNCTION chain_tables() RETURNS TABLE (place int, name text, keys text[], changes text[], news text[]) LANGUAGE sql IMMUTABLE AS $$
  SELECT * FROM chain_tables_before_slashes() UNION ALL VALUES
    (26, 'slashes', '{id}'::text[], '{author_id,subject_address,subject_hash,subject_user_id,subject_profile_id,type,amount,duration_s,comment,metadata,created_at,ends_at,closed_at,ended_by,outcome,resolution,resolution_bps,executed,slash_weight,defend_weight,penalties,source,event_id,block}'::text[],
      '{}'::text[])
$$;

-- Takes back what a block, the newest one, changed. What a slash comes to depends on what was written before it, so a block may
-- be written in pieces; a row that is in several of them becomes what it was before the first.
CREATE OR REPLACE FUNCTION take_back_chain_rows(the_block bigint) RETURNS void LANGUAGE plpgsql AS $$
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

COMMENT ON TABLE slashes IS 'slashes: opened, then closed; the outcome follows from the votes, unless a contract told it';
COMMENT ON TABLE slash_ballots IS 'derived by trigger: the vote of each profile that counts (of a slash of a chain from activity_votes)';
