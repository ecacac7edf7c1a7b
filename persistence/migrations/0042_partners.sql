-- Partners: whose pages may act for a profile, the sessions that are for those pages alone, and the codes they are handed.

ALTER TABLE sessions ADD COLUMN partner_origin text CHECK (char_length(partner_origin) BETWEEN 8 AND 300);
COMMENT ON COLUMN sessions.partner_origin IS 'the origin of the partner whose pages alone it is for; null: our own pages';

CREATE TABLE partner_grants (
  profile_id int NOT NULL REFERENCES profiles,
  origin text NOT NULL CHECK (char_length(origin) BETWEEN 8 AND 300),
  enabled boolean NOT NULL,
  changed_at timestamptz NOT NULL,
  PRIMARY KEY (profile_id, origin)
) WITH (fillfactor = 80);
COMMENT ON TABLE partner_grants IS 'whether the pages of a partner may act for a profile; a row stays when that is taken back';

CREATE TABLE partner_codes (
  hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32), -- SHA-256 of the code
  profile_id int NOT NULL REFERENCES profiles,
  origin text NOT NULL CHECK (char_length(origin) BETWEEN 8 AND 300),
  made_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL CHECK (expires_at > made_at),
  used_at timestamptz
);
CREATE INDEX partner_codes_profile ON partner_codes (profile_id) WHERE used_at IS NULL;
CREATE INDEX partner_codes_expired ON partner_codes (expires_at);
COMMENT ON TABLE partner_codes IS 'codes that a partner''s page trades for a session, once; of the code only its hash';

-- Uses a code up; whoever comes second with it is refused, and with it the whole change.
CREATE FUNCTION use_partner_code(hash_ bytea, profile_ int, at_ timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE partner_codes SET used_at = at_ WHERE hash = hash_ AND profile_id = profile_ AND used_at IS NULL;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'a code of a partner is used already' USING ERRCODE = '23505';
  END IF;
END $$;

-- What a partner did for a profile is found by the credential that it showed: `partner`, its origin, and more.
CREATE INDEX audit_log_partner ON audit_log (caller_id, split_part(credential, ' ', 2), number) WHERE credential LIKE 'partner %';

-- What a profile has let partners do goes with the block that brought it. Whoever gets its id next has let in nobody.
CREATE FUNCTION forget_partners_of_orphan() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM partner_grants WHERE profile_id = NEW.id;
  DELETE FROM partner_codes WHERE profile_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER forget_partners_of_orphan AFTER UPDATE ON profiles FOR EACH ROW WHEN (NEW.orphaned AND NOT OLD.orphaned)
  EXECUTE FUNCTION forget_partners_of_orphan();
