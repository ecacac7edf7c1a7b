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
