-- What other programs change of people and listings is told at once to whoever listens on the
-- channel credence_changes: 'profile 1,2,3' or 'project 4', or '*' instead of ids for perhaps
-- all of them. Nothing that votes, tips or trades write is told: NOTIFY takes a lock at commit
-- that all databases of the server share.

CREATE FUNCTION tell_changes(what text, ids int[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  in_a_note CONSTANT int := 500; -- of up to 11 characters: a note holds less than 8,000 bytes
  notes_most CONSTANT int := 10;
BEGIN
  IF cardinality(ids) > in_a_note * notes_most THEN
    PERFORM pg_notify('credence_changes', what || ' *');
    RETURN;
  END IF;
  FOR i IN 1 .. coalesce(cardinality(ids), 0) BY in_a_note LOOP
    PERFORM pg_notify('credence_changes', what || ' ' || array_to_string(ids[i : i + in_a_note - 1], ','));
  END LOOP;
END $$;

CREATE FUNCTION tell_profiles() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM tell_changes('profile', array_agg(id)) FROM after;
  ELSE
    PERFORM tell_changes('profile', array_agg(a.id)) FROM after a JOIN before b USING (id) WHERE a IS DISTINCT FROM b;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER tell_new AFTER INSERT ON profiles REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION tell_profiles();
CREATE TRIGGER tell_changed AFTER UPDATE ON profiles REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION tell_profiles();

-- A listing shows the user that it is of.
CREATE FUNCTION tell_people(users int[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF cardinality(users) > 0 THEN
    PERFORM tell_changes('profile', array_agg(id)) FROM profiles WHERE user_id = ANY (users);
    PERFORM tell_changes('project', array_agg(id)) FROM projects WHERE user_id = ANY (users);
  END IF;
END $$;

CREATE FUNCTION tell_users() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell_people(array_agg(a.id)) FROM after a JOIN before b USING (id) WHERE a IS DISTINCT FROM b;
  RETURN NULL;
END $$;
CREATE TRIGGER tell_changed AFTER UPDATE ON users REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION tell_users();

CREATE FUNCTION tell_parts_of_users() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    PERFORM tell_people(array_agg(DISTINCT user_id)) FROM after;
  END IF;
  IF TG_OP <> 'INSERT' THEN -- also whose it was before
    PERFORM tell_people(array_agg(DISTINCT user_id)) FROM before;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION tell_projects() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM tell_changes('project', array_agg(id)) FROM after;
  ELSE
    PERFORM tell_changes('project', array_agg(a.id)) FROM after a JOIN before b USING (id) WHERE a IS DISTINCT FROM b;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER tell_new AFTER INSERT ON projects REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION tell_projects();
CREATE TRIGGER tell_changed AFTER UPDATE ON projects REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION tell_projects();

CREATE FUNCTION tell_parts_of_projects() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    PERFORM tell_changes('project', array_agg(DISTINCT project_id)) FROM after;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    PERFORM tell_changes('project', array_agg(DISTINCT project_id)) FROM before;
  END IF;
  RETURN NULL;
END $$;

-- Names that many listings show.
CREATE FUNCTION tell_all_projects() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('credence_changes', 'project *');
  RETURN NULL;
END $$;
CREATE TRIGGER tell_changed AFTER UPDATE ON categories FOR EACH STATEMENT EXECUTE FUNCTION tell_all_projects();
CREATE TRIGGER tell_changed AFTER UPDATE ON chains FOR EACH STATEMENT EXECUTE FUNCTION tell_all_projects();

DO $$
DECLARE
  part text;
  teller text;
BEGIN
  FOR part, teller IN VALUES ('addresses', 'tell_parts_of_users'), ('attestations', 'tell_parts_of_users'),
      ('user_vouches', 'tell_parts_of_users'), ('project_links', 'tell_parts_of_projects'),
      ('project_team', 'tell_parts_of_projects'), ('project_categories', 'tell_parts_of_projects'),
      ('project_chains', 'tell_parts_of_projects') LOOP
    EXECUTE format('CREATE TRIGGER tell_new AFTER INSERT ON %I REFERENCING NEW TABLE AS after '
                   'FOR EACH STATEMENT EXECUTE FUNCTION %I()', part, teller);
    EXECUTE format('CREATE TRIGGER tell_changed AFTER UPDATE ON %I REFERENCING OLD TABLE AS before NEW TABLE AS after '
                   'FOR EACH STATEMENT EXECUTE FUNCTION %I()', part, teller);
    EXECUTE format('CREATE TRIGGER tell_gone AFTER DELETE ON %I REFERENCING OLD TABLE AS before '
                   'FOR EACH STATEMENT EXECUTE FUNCTION %I()', part, teller);
  END LOOP;
END $$;
