-- What is looked through grows with what is asked for, and not with what there is.

-- Whoever forgets a user or a subject, as when a block of a chain is taken back, looks for rows that name it.
CREATE INDEX users_merged ON users (merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX placeholders_subject ON placeholders (key, generation);
CREATE INDEX bonds_subject_key ON bonds (subject_key, subject_generation) WHERE subject_key IS NOT NULL;
CREATE INDEX project_chains_chain ON project_chains (chain_id);
CREATE INDEX attestations_hash ON attestations (hash) WHERE NOT archived;

-- Anybody may make any number of bonds on a chain, also for one person: who stands for a person is found from author to author.
DROP INDEX bonds_in_force;
CREATE INDEX bonds_in_force ON bonds (subject_profile, author_profile) WHERE NOT archived AND NOT lapsed;
CREATE INDEX bonds_authors ON bonds (subject_profile, author_profile);

CREATE OR REPLACE FUNCTION count_bonds_of(the_profile int) RETURNS void LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  who int := (SELECT user_id FROM profiles WHERE id = the_profile);
  in_force int;
BEGIN
  PERFORM FROM users WHERE id = who FOR NO KEY UPDATE; -- whoever counts, or decides on this person, at the same time is waited for
  WITH RECURSIVE authors (id) AS (
    (SELECT author_profile FROM bonds WHERE subject_profile = the_profile AND NOT archived AND NOT lapsed ORDER BY author_profile LIMIT 1)
    UNION ALL
    SELECT (SELECT b.author_profile FROM bonds b WHERE b.subject_profile = the_profile AND NOT b.archived AND NOT b.lapsed
        AND b.author_profile > a.id ORDER BY b.author_profile LIMIT 1) FROM authors a WHERE a.id IS NOT NULL)
  SELECT count(id) INTO in_force FROM authors;
  INSERT INTO bonded_people (user_id, given) SELECT id, human_verification FROM users WHERE id = who ON CONFLICT DO NOTHING;
  UPDATE bonded_people SET verifiers = in_force, reached = reached OR in_force >= 3 WHERE user_id = who;
  UPDATE users u SET human_verification = bonded_status(b.verifiers, b.reached, b.given) FROM bonded_people b
    WHERE u.id = who AND b.user_id = who AND u.human_verification IS DISTINCT FROM bonded_status(b.verifiers, b.reached, b.given)
      AND NOT EXISTS (SELECT FROM human_verifications h WHERE h.user_id = who);
END $$;

-- Whether bonds of three authors were ever in force at once. Who made the bonds is looked at first: of fewer than three none is read.
CREATE OR REPLACE FUNCTION bonded_by_three(the_profile int) RETURNS boolean LANGUAGE sql STABLE
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
  WITH RECURSIVE authors (id, place) AS (
    (SELECT author_profile, 1 FROM bonds WHERE subject_profile = the_profile ORDER BY author_profile LIMIT 1)
    UNION ALL
    SELECT (SELECT b.author_profile FROM bonds b WHERE b.subject_profile = the_profile AND b.author_profile > a.id
        ORDER BY b.author_profile LIMIT 1), place + 1 FROM authors a WHERE a.id IS NOT NULL AND place < 3),
  spans AS ( -- in which an author's bonds were in force, without gap or overlap
    SELECT unnest(range_agg(tstzrange(created_at, greatest(created_at, coalesce(least(archived_at, expires_at), 'infinity'))))) AS span
      FROM bonds WHERE subject_profile = the_profile AND (SELECT count(id) FROM authors) = 3 GROUP BY author_profile)
  SELECT EXISTS (SELECT FROM (SELECT sum(step) OVER (ORDER BY at, step) AS authors_at_once
    FROM (SELECT lower(span) AS at, 1 AS step FROM spans UNION ALL SELECT upper(span), -1 FROM spans) moved) counted WHERE authors_at_once >= 3)
$$;
