-- Notes of profiles, which never go away: one that is archived stays for its author.
CREATE TABLE notes (
  author_id int NOT NULL REFERENCES profiles,
  number int NOT NULL CHECK (number > 0), -- the author's own gapless count
  text text NOT NULL CHECK (char_length(text) BETWEEN 1 AND 280),
  written_at timestamptz NOT NULL,
  archived boolean NOT NULL DEFAULT false,
  seq bigint NOT NULL UNIQUE CHECK (seq > 0),
  PRIMARY KEY (author_id, number)
);
