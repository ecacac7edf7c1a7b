-- XP by season, and reads of records that had no index yet.

CREATE TABLE xp_seasons (
  id int PRIMARY KEY CHECK (id >= 0),
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  starts_on date NOT NULL UNIQUE CHECK (starts_on BETWEEN '2000-01-01' AND '2100-01-01')
);
COMMENT ON TABLE xp_seasons IS 'seasons of XP, written by the operator: each lasts until the next one starts, at midnight UTC';
INSERT INTO xp_seasons (id, name, starts_on) VALUES (1, 'Season 1', '2026-01-05');

-- What profiles earn and spend, a row for each day on which anything moved. Tips are neither: the ledger of a profile that tips
-- all day adds nothing here.
CREATE TABLE xp_days (
  account int NOT NULL REFERENCES xp_accounts,
  day date NOT NULL,
  points bigint NOT NULL,
  PRIMARY KEY (account, day)
);
COMMENT ON TABLE xp_days IS 'derived by a trigger: points of a profile by day (UTC), without tips';
INSERT INTO xp_days (account, day, points) SELECT account, (at AT TIME ZONE 'UTC')::date, sum(points) FROM (
    SELECT from_account AS account, at, -amount AS points, kind FROM xp_movements UNION ALL SELECT to_account, at, amount, kind FROM xp_movements) s
  WHERE kind <> 'XP_TIP_SENT' AND account > 0 GROUP BY 1, 2;

CREATE FUNCTION xp_sum_days() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM fresh WHERE kind <> 'XP_TIP_SENT') THEN
    INSERT INTO xp_days AS d (account, day, points) SELECT account, (at AT TIME ZONE 'UTC')::date, sum(points) FROM (
        SELECT from_account AS account, at, -amount AS points, kind FROM fresh UNION ALL SELECT to_account, at, amount, kind FROM fresh) s
      WHERE kind <> 'XP_TIP_SENT' AND account > 0 GROUP BY 1, 2 ORDER BY 1, 2
      ON CONFLICT (account, day) DO UPDATE SET points = d.points + excluded.points;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER xp_sum_days AFTER INSERT ON xp_movements REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION xp_sum_days();
CREATE TRIGGER xp_days_keep BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON xp_days
  FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change();

-- The ledger of one profile, but for tips, which have indexes of their own.
CREATE INDEX xp_spent ON xp_movements (from_account, id) WHERE kind <> 'XP_TIP_SENT' AND from_account > 0;
CREATE INDEX xp_earned ON xp_movements (to_account, id) WHERE kind <> 'XP_TIP_SENT' AND to_account > 0;

CREATE TABLE notification_marks (
  profile_id int PRIMARY KEY REFERENCES profiles,
  read_to timestamptz NOT NULL
);
COMMENT ON TABLE notification_marks IS 'up to when a profile has read what it is notified of';
