-- The board ranks by what votes weigh, which is decided when they are cast: an account without standing
-- moves nothing. It is loaded from sums by period and the days of the last months, and afterwards
-- asks only what others have changed.

-- What is there is summed up first, without a lock that anybody waits for. How far the days went when
-- it was: a project that has been tallied since by an earlier version is summed up by its next load.
CREATE TEMP TABLE tallied_before ON COMMIT DROP AS SELECT project_id, through FROM project_rollups;

CREATE TABLE project_period_tallies (
  project_id int NOT NULL,
  period_id int NOT NULL,
  bullish_weight bigint NOT NULL CHECK (bullish_weight >= 0),
  bearish_weight bigint NOT NULL CHECK (bearish_weight >= 0),
  PRIMARY KEY (project_id, period_id)
) WITH (fillfactor = 70);
-- What a voter's level was is not known of votes from before: each weighs one.
INSERT INTO project_period_tallies
  SELECT project_id, period_id, sum(bullish), sum(bearish) FROM project_tallies GROUP BY 1, 2;

-- When a listing was last changed by whatever is shown of it, by transaction.
CREATE TABLE listing_marks (
  project_id int PRIMARY KEY,
  changed xid8 NOT NULL DEFAULT pg_current_xact_id()
);
CREATE INDEX listing_marks_changed ON listing_marks (changed);

ALTER TABLE project_period_tallies ADD FOREIGN KEY (project_id) REFERENCES projects,
  ADD FOREIGN KEY (period_id) REFERENCES voting_periods;
ALTER TABLE votes ADD COLUMN weight smallint NOT NULL DEFAULT 1,
  ADD CONSTRAINT votes_weight CHECK (weight BETWEEN 0 AND 7) NOT VALID;
ALTER TABLE project_tallies ADD COLUMN bullish_weight bigint, ADD COLUMN bearish_weight bigint, -- null: one a vote
  ADD CONSTRAINT project_tallies_weights CHECK (bullish_weight >= 0 AND bearish_weight >= 0
    AND (bullish_weight IS NULL) = (bearish_weight IS NULL)) NOT VALID;
ALTER TABLE project_rollups ADD COLUMN periods_through int; -- `through`, when the periods go as far
UPDATE project_rollups r SET periods_through = b.through FROM tallied_before b WHERE b.project_id = r.project_id;

INSERT INTO listing_marks SELECT id FROM projects;

CREATE FUNCTION mark_project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO listing_marks VALUES (NEW.id) ON CONFLICT (project_id) DO UPDATE SET changed = DEFAULT;
  RETURN NULL;
END $$;
CREATE TRIGGER mark_project AFTER INSERT OR UPDATE ON projects FOR EACH ROW EXECUTE FUNCTION mark_project();

-- Listings are looked up one by one, whatever the planner believes.
CREATE FUNCTION mark_listing() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    UPDATE listing_marks SET changed = DEFAULT WHERE project_id = NEW.project_id;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    UPDATE listing_marks SET changed = DEFAULT WHERE project_id = OLD.project_id;
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION mark_listing_of_user() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    UPDATE listing_marks SET changed = DEFAULT WHERE project_id = (SELECT id FROM projects WHERE user_id = NEW.user_id);
  END IF;
  IF TG_OP <> 'INSERT' THEN
    UPDATE listing_marks SET changed = DEFAULT WHERE project_id = (SELECT id FROM projects WHERE user_id = OLD.user_id);
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION mark_listing_by_user() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  UPDATE listing_marks SET changed = DEFAULT WHERE project_id = (SELECT id FROM projects WHERE user_id = NEW.id);
  RETURN NULL;
END $$;
CREATE FUNCTION mark_listings_in_category() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE listing_marks SET changed = DEFAULT
    WHERE project_id IN (SELECT project_id FROM project_categories WHERE category_id = NEW.id);
  RETURN NULL;
END $$;
CREATE FUNCTION mark_listings_on_chain() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE listing_marks SET changed = DEFAULT
    WHERE project_id IN (SELECT project_id FROM project_chains WHERE chain_id = NEW.id);
  RETURN NULL;
END $$;
CREATE FUNCTION mark_all_listings() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE listing_marks SET changed = DEFAULT;
  RETURN NULL;
END $$;

CREATE TRIGGER mark_listing AFTER INSERT OR UPDATE OR DELETE ON project_links FOR EACH ROW EXECUTE FUNCTION mark_listing();
CREATE TRIGGER mark_listing AFTER INSERT OR UPDATE OR DELETE ON project_team FOR EACH ROW EXECUTE FUNCTION mark_listing();
CREATE TRIGGER mark_listing AFTER INSERT OR UPDATE OR DELETE ON project_categories FOR EACH ROW EXECUTE FUNCTION mark_listing();
CREATE TRIGGER mark_listing AFTER INSERT OR UPDATE OR DELETE ON project_chains FOR EACH ROW EXECUTE FUNCTION mark_listing();
CREATE TRIGGER mark_all_listings AFTER TRUNCATE ON project_links FOR EACH STATEMENT EXECUTE FUNCTION mark_all_listings();
CREATE TRIGGER mark_all_listings AFTER TRUNCATE ON project_team FOR EACH STATEMENT EXECUTE FUNCTION mark_all_listings();
CREATE TRIGGER mark_all_listings AFTER TRUNCATE ON project_categories FOR EACH STATEMENT EXECUTE FUNCTION mark_all_listings();
CREATE TRIGGER mark_all_listings AFTER TRUNCATE ON project_chains FOR EACH STATEMENT EXECUTE FUNCTION mark_all_listings();
CREATE TRIGGER mark_listings AFTER UPDATE ON categories FOR EACH ROW EXECUTE FUNCTION mark_listings_in_category();
CREATE TRIGGER mark_listings AFTER UPDATE ON chains FOR EACH ROW EXECUTE FUNCTION mark_listings_on_chain();
CREATE TRIGGER mark_listing AFTER INSERT OR UPDATE OR DELETE ON addresses FOR EACH ROW EXECUTE FUNCTION mark_listing_of_user();
CREATE TRIGGER mark_listing AFTER INSERT OR UPDATE OR DELETE ON attestations FOR EACH ROW EXECUTE FUNCTION mark_listing_of_user();
CREATE TRIGGER mark_listing AFTER INSERT OR UPDATE OR DELETE ON user_vouches FOR EACH ROW EXECUTE FUNCTION mark_listing_of_user();
-- What others write of a user. XP moves by the service's own tips, and is shown when a listing is next looked at.
CREATE TRIGGER mark_listing AFTER UPDATE OF display_name, username, avatar_url, description, score, status, xp_streak_days,
  xp_removed_due_to_abuse, influence_factor, influence_percentile, human_verification, validator_nft_count, holdings_wei,
  reviews_negative, reviews_neutral, reviews_positive ON users
  FOR EACH ROW WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION mark_listing_by_user();

COMMENT ON COLUMN votes.weight IS 'by the level of the voter when the vote was cast, 0 to 7';
COMMENT ON TABLE project_period_tallies IS 'derived: what the votes of a project and period weigh, up to project_rollups.periods_through';
COMMENT ON TABLE listing_marks IS 'when what is shown of a listing last changed; kept by triggers';
