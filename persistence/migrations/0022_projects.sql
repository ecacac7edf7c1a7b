-- Projects that admins make and managers edit, and the categories and chains that they are filed under.

ALTER TABLE projects
  ADD COLUMN seq bigint UNIQUE CHECK (seq > 0), -- null: it was there before projects were made over the API
  ADD COLUMN source text NOT NULL DEFAULT 'api' CHECK (source IN ('chain', 'api')),
  ADD COLUMN event_id bigint,
  ADD COLUMN block bigint;
ALTER TABLE project_team
  ADD COLUMN role text CHECK (char_length(role) BETWEEN 1 AND 50),
  ADD COLUMN manager boolean NOT NULL DEFAULT false;
ALTER TABLE categories
  ADD COLUMN show_on_leaderboard boolean NOT NULL DEFAULT true,
  ADD COLUMN show_in_daily_service boolean NOT NULL DEFAULT false,
  ADD COLUMN banner_image_url text;
CREATE INDEX project_categories_category ON project_categories (category_id);
COMMENT ON COLUMN project_team.manager IS 'may edit the project';

-- Makes a project; what belongs to it comes in statements of its own.
CREATE FUNCTION create_project(the_id int, the_user int, the_userkey text, the_banner text, is_promoted boolean, is_shown boolean,
                               the_description text, the_time timestamptz, the_seq bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF the_id <> coalesce((SELECT max(id) FROM projects), 0) + 1 THEN
    RAISE EXCEPTION 'project % does not follow the last one', the_id USING ERRCODE = '23514';
  END IF;
  INSERT INTO projects (id, user_id, userkey, banner_image_url, is_promoted, show_archived, description, created_at, updated_at, seq)
    VALUES (the_id, the_user, the_userkey, the_banner, is_promoted, is_shown, the_description, the_time, the_time, the_seq);
END $$;

-- What belongs to a project goes, to be replaced as a whole.
CREATE FUNCTION clear_project(the_id int) RETURNS void LANGUAGE sql AS $$
  DELETE FROM project_links WHERE project_id = the_id;
  DELETE FROM project_team WHERE project_id = the_id;
  DELETE FROM project_categories WHERE project_id = the_id;
  DELETE FROM project_chains WHERE project_id = the_id;
$$;

-- A project keeps its user, its userkey and when it was made.
CREATE FUNCTION check_changed_project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'project % keeps its user, its userkey and when it was made', OLD.id USING ERRCODE = '23514';
END $$;
CREATE TRIGGER check_changed_project BEFORE UPDATE ON projects FOR EACH ROW
  WHEN (NEW.source = 'api' AND OLD.seq IS NOT NULL AND (OLD.user_id, OLD.userkey, OLD.created_at, OLD.seq)
        IS DISTINCT FROM (NEW.user_id, NEW.userkey, NEW.created_at, NEW.seq)) EXECUTE FUNCTION check_changed_project();
