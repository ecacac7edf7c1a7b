-- What profiles have used up of their daily bounds (actors/domain/daily_act.hpp): one row for each kind of act, written anew as it
-- grows and when another day begins. So it holds at most one for each profile and kind, and nothing has to be tidied.

CREATE TABLE daily_acts (
  profile_id int NOT NULL CHECK (profile_id > 0),
  act text NOT NULL CHECK (char_length(act) BETWEEN 1 AND 64),
  day date NOT NULL,
  used bigint NOT NULL CHECK (used >= 0),
  PRIMARY KEY (profile_id, act)
) WITH (fillfactor = 80);
