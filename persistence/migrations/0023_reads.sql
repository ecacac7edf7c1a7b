-- Lists of records: each begins where an index says, and walks no further than it shows or counts.

-- Feeds merge a run of rows for each kind, live or archived, of an author, of a subject or of all.
CREATE INDEX activities_given ON activities (author_user, kind, archived, at DESC, id DESC);
CREATE INDEX activities_received ON activities (subject_key, subject_generation, kind, archived, at DESC, id DESC);
CREATE INDEX activities_feed ON activities (kind, archived, at DESC, id DESC);
DROP INDEX activities_author;
DROP INDEX activities_subject;

-- Whether somebody takes part in the discussion of an activity. It is asked for by `id + 0`, which no other index has: a plan that
-- walks replies until it meets one must not be thought cheaper.
CREATE INDEX replies_of_author_on ON replies (author_profile, target_kind, target_id, (id + 0));
CREATE INDEX replies_on ON replies (target_kind, target_id, created_at DESC, id DESC);
DROP INDEX replies_target;

-- Votes that count, one way or the other, the latest first.
CREATE INDEX activity_votes_latest ON activity_votes (kind, target_id, upvote, updated_at DESC, number DESC) WHERE NOT archived;

CREATE INDEX reviews_between ON reviews (author_profile, subject_key, subject_generation, created_at DESC, id DESC) WHERE NOT archived;

CREATE INDEX vouches_given ON vouches (author_profile, archived, vouched_at DESC, number DESC);
CREATE INDEX vouches_received ON vouches (subject_key, subject_generation, archived, vouched_at DESC, number DESC);
CREATE INDEX vouches_made ON vouches (archived, vouched_at DESC, number DESC);

CREATE INDEX invitations_of_sender ON invitations (sender, status, id DESC);
CREATE INDEX invitations_of_status ON invitations (status, id DESC);
DROP INDEX invitations_sender;
CREATE INDEX profiles_invited ON profiles (invited_by, id) WHERE invited_by IS NOT NULL;
CREATE INDEX profiles_standing ON profiles (archived, id DESC);

-- How many profiles there are, and what live ones may still send.
CREATE TABLE profile_sums (
  archived boolean PRIMARY KEY,
  profiles bigint NOT NULL CHECK (profiles >= 0),
  invites bigint NOT NULL CHECK (invites >= 0)
);
COMMENT ON TABLE profile_sums IS 'derived by triggers: how many profiles are live and archived, and the invitations that they may send';
INSERT INTO profile_sums SELECT s.archived, count(p.id), coalesce(sum(p.invites_available), 0)
  FROM (VALUES (false), (true)) s(archived) LEFT JOIN profiles p ON p.archived = s.archived GROUP BY s.archived;

-- No profile is ever deleted.
CREATE FUNCTION count_new_profiles() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE profile_sums s SET profiles = s.profiles + d.n, invites = s.invites + d.invites
    FROM (SELECT archived, count(*) AS n, sum(invites_available) AS invites FROM fresh GROUP BY archived) d WHERE s.archived = d.archived;
  RETURN NULL;
END $$;
CREATE FUNCTION count_changed_profile() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE profile_sums SET profiles = profiles + (archived = NEW.archived)::int - (archived = OLD.archived)::int,
    invites = invites + CASE WHEN archived = NEW.archived THEN NEW.invites_available ELSE 0 END
      - CASE WHEN archived = OLD.archived THEN OLD.invites_available ELSE 0 END;
  RETURN NULL;
END $$;
CREATE TRIGGER count_new_profiles AFTER INSERT ON profiles REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION count_new_profiles();
CREATE TRIGGER count_changed_profile AFTER UPDATE ON profiles FOR EACH ROW
  WHEN ((OLD.archived, OLD.invites_available) IS DISTINCT FROM (NEW.archived, NEW.invites_available)) EXECUTE FUNCTION count_changed_profile();
