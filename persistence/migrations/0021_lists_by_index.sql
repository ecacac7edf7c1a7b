-- Lists read their page down an index, and their length from what is kept of it.

-- -- invitations ----------------------------------------------------------------------------

CREATE TABLE invitation_tallies (
  sender int NOT NULL, -- 0: all
  status text NOT NULL,
  invitations bigint NOT NULL DEFAULT 0 CHECK (invitations >= 0),
  PRIMARY KEY (sender, status)
);
COMMENT ON TABLE invitation_tallies IS 'derived by triggers: how many invitations of each status a profile, or everybody, has sent';

CREATE FUNCTION move_invitation_tallies(senders int[], statuses text[], numbers int[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO invitation_tallies (sender, status)
    SELECT DISTINCT w.sender, m.status FROM unnest(senders, statuses) m (sender, status) CROSS JOIN LATERAL (VALUES (0), (m.sender)) w (sender)
      ORDER BY 1, 2 ON CONFLICT DO NOTHING;
  UPDATE invitation_tallies t SET invitations = t.invitations + d.n FROM (
    SELECT w.sender, m.status, sum(m.n) AS n FROM unnest(senders, statuses, numbers) m (sender, status, n)
      CROSS JOIN LATERAL (VALUES (0), (m.sender)) w (sender) GROUP BY w.sender, m.status HAVING sum(m.n) <> 0) d
    WHERE t.sender = d.sender AND t.status = d.status;
END $$;

CREATE FUNCTION count_invitations() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM move_invitation_tallies(array_agg(sender), array_agg(status), array_agg(1)) FROM fresh HAVING count(*) > 0;
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM move_invitation_tallies(array_agg(sender), array_agg(status), array_agg(-1)) FROM gone HAVING count(*) > 0;
  ELSE
    PERFORM move_invitation_tallies(array_agg(sender), array_agg(status), array_agg(n)) FROM (
      SELECT sender, status, 1 AS n FROM fresh UNION ALL SELECT sender, status, -1 FROM gone) moved HAVING count(*) > 0;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER count_invitations_new AFTER INSERT ON invitations REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION count_invitations();
CREATE TRIGGER count_invitations_changed AFTER UPDATE ON invitations REFERENCING OLD TABLE AS gone NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION count_invitations();
CREATE TRIGGER count_invitations_gone AFTER DELETE ON invitations REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION count_invitations();

INSERT INTO invitation_tallies SELECT coalesce(sender, 0), status, count(*) FROM invitations GROUP BY GROUPING SETS ((sender, status), (status));

-- Open ones to an address lie in the order of their senders, and whoever looks for all to an address finds them by it as well.
DROP INDEX invitations_recipient;
CREATE INDEX invitations_recipient ON invitations (recipient, status, sender, id);
