-- What slashes for XP and for money come to, in the transaction that opens or closes them: XP is put aside and paid out, declared
-- vouches are cut. A slash closes once (check_closing), so each of this happens once, whoever closes it.

-- -- XP -------------------------------------------------------------------------------

ALTER TABLE slashes
  DROP CONSTRAINT slashes_type_check,
  ADD CONSTRAINT slashes_type_check CHECK (type IN ('SCORE', 'FINANCIAL', 'XP')),
  DROP CONSTRAINT slashes_amount_check,
  ADD CONSTRAINT slashes_amount_check CHECK (amount BETWEEN 1 AND CASE type WHEN 'XP' THEN 1000000 ELSE 1000 END),
  ADD CONSTRAINT slashes_xp_subject CHECK (type <> 'XP' OR subject_profile_id IS NOT NULL);
CREATE INDEX slashes_open_xp ON slashes (id) WHERE type = 'XP' AND closed_at IS NULL;

-- Where XP lies while a slash for it is open.
ALTER TABLE xp_accounts
  DROP CONSTRAINT accounts_new_id_check,
  ADD CONSTRAINT xp_accounts_id_check CHECK (id >= -2);
INSERT INTO xp_accounts (id) VALUES (-2);
COMMENT ON TABLE xp_accounts IS
  'where XP lies: one per profile, the issuer (0), what is burned (-1), what open slashes put aside (-2); all balances add up to zero';

-- The author and the subject put the amount aside. Who has less refuses the slash (xp_never_negative).
CREATE FUNCTION put_xp_aside() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO xp_movements (at, amount, from_account, to_account, kind, source_type, source_id)
    VALUES (NEW.created_at, NEW.amount, NEW.author_id, -2, 'XP_SLASH_ESCROW_AUTHOR', 'slash', NEW.id),
      (NEW.created_at, NEW.amount, NEW.subject_profile_id, -2, 'XP_SLASH_ESCROW_SUBJECT', 'slash', NEW.id);
  PERFORM tell_changes('profile', ARRAY[NEW.author_id, NEW.subject_profile_id]);
  RETURN NULL;
END $$;
CREATE TRIGGER put_xp_aside AFTER INSERT ON slashes FOR EACH ROW WHEN (NEW.type = 'XP') EXECUTE FUNCTION put_xp_aside();

-- The winner takes both stakes; without a winner everybody has their own again.
CREATE FUNCTION pay_xp_out() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO xp_movements (at, amount, from_account, to_account, kind, source_type, source_id)
    SELECT NEW.closed_at, NEW.amount, -2, account, kind, 'slash', NEW.id FROM (VALUES
      (CASE NEW.outcome WHEN 'DEFENDED' THEN NEW.subject_profile_id ELSE NEW.author_id END, 'XP_SLASH_STAKE_RETURNED'),
      (CASE NEW.outcome WHEN 'SLASHED' THEN NEW.author_id ELSE NEW.subject_profile_id END,
       CASE WHEN NEW.outcome IN ('SLASHED', 'DEFENDED') THEN 'XP_SLASH_STAKE_WON' ELSE 'XP_SLASH_STAKE_RETURNED' END)) paid (account, kind);
  PERFORM tell_changes('profile', ARRAY[NEW.author_id, NEW.subject_profile_id]);
  RETURN NULL;
END $$;
CREATE TRIGGER pay_xp_out AFTER UPDATE OF closed_at ON slashes FOR EACH ROW
  WHEN (OLD.closed_at IS NULL AND NEW.closed_at IS NOT NULL AND NEW.type = 'XP') EXECUTE FUNCTION pay_xp_out();

-- -- money ----------------------------------------------------------------------------

-- Declared, not held: what was put in is there, was taken back, or was lost to slashes. A change that was decided on
-- figures from before a cut breaks this sum, so it is refused.
ALTER TABLE vouches
  ADD COLUMN slashed numeric(78, 0) NOT NULL DEFAULT 0 CHECK (slashed >= 0),
  DROP CONSTRAINT vouches_of_api,
  ADD CONSTRAINT vouches_of_api CHECK (source = 'chain' OR (number > 0 AND seq IS NOT NULL AND staked > 0 AND deposited = staked
    AND balance + withdrawn + slashed = deposited AND char_length(comment) <= 2000 AND char_length(metadata) <= 5000));

-- What a slash took of which vouch.
CREATE TABLE slash_cuts (
  slash_id int NOT NULL REFERENCES slashes,
  contract text NOT NULL,
  number int NOT NULL,
  amount numeric(78, 0) NOT NULL CHECK (amount > 0),
  PRIMARY KEY (slash_id, contract, number),
  FOREIGN KEY (contract, number) REFERENCES vouches ON DELETE CASCADE
);
CREATE INDEX slash_cuts_vouch ON slash_cuts (contract, number);

-- What is left of the parts of a vouch when so much is cut off, from the newest on.
CREATE FUNCTION cut_vouch_parts(the_contract text, the_number int, cut numeric) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  days int[];
  amounts numeric[];
BEGIN
  SELECT coalesce(array_agg(day - date '1970-01-01'), '{}'), coalesce(array_agg(amount), '{}') INTO days, amounts FROM (
    SELECT day, amount - least(amount, greatest(cut - (sum(amount) OVER (ORDER BY day DESC) - amount), 0)) AS amount
    FROM vouch_parts WHERE contract = the_contract AND number = the_number) rest WHERE amount > 0;
  PERFORM put_vouch_parts(the_contract, the_number, days, amounts);
END $$;

-- Who lost loses the basis points of each vouch that is active: the subject that was slashed, or the author of a slash that was
-- defended. What a contract holds is cut by the contract's own events.
CREATE FUNCTION cut_vouches() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  loser int := CASE NEW.outcome WHEN 'DEFENDED' THEN NEW.author_id ELSE (SELECT p.id FROM profiles p WHERE p.user_id = coalesce(
    (SELECT coalesce(merged_into, id) FROM users WHERE id = NEW.subject_user_id),
    (SELECT user_id FROM addresses WHERE address = NEW.subject_address),
    (SELECT user_id FROM attestations WHERE service = NEW.subject_service AND account = NEW.subject_account AND NOT archived LIMIT 1))) END;
  vouch record;
BEGIN
  FOR vouch IN SELECT contract, number, div(balance * NEW.amount, 10000) AS cut FROM vouches
      WHERE author_profile = loser AND NOT archived AND source = 'api' ORDER BY number FOR UPDATE LOOP
    CONTINUE WHEN vouch.cut = 0;
    INSERT INTO slash_cuts VALUES (NEW.id, vouch.contract, vouch.number, vouch.cut);
    PERFORM cut_vouch_parts(vouch.contract, vouch.number, vouch.cut);
    UPDATE vouches SET balance = balance - vouch.cut, slashed = slashed + vouch.cut
      WHERE contract = vouch.contract AND number = vouch.number;
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER cut_vouches AFTER UPDATE OF closed_at ON slashes FOR EACH ROW
  WHEN (OLD.closed_at IS NULL AND NEW.closed_at IS NOT NULL AND NEW.type = 'FINANCIAL' AND NEW.outcome IN ('SLASHED', 'DEFENDED'))
  EXECUTE FUNCTION cut_vouches();

COMMENT ON TABLE slash_cuts IS 'what closed slashes for money took of declared vouches';
COMMENT ON COLUMN vouches.slashed IS 'what slashes took';
