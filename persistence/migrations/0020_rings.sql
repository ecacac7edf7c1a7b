-- What looking for rings has found, from run to run. Nobody who serves clients writes or reads these tables.

CREATE TABLE ring_runs (
  number int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  started_at timestamptz NOT NULL,
  ended_at timestamptz NOT NULL CHECK (ended_at >= started_at),
  votes bigint NOT NULL CHECK (votes >= 0),
  people bigint NOT NULL CHECK (people >= 0),
  found int NOT NULL CHECK (found >= 0),
  fresh int NOT NULL CHECK (fresh >= 0),
  grown int NOT NULL CHECK (grown >= 0 AND fresh + grown <= found),
  gone int NOT NULL CHECK (gone >= 0)
);
COMMENT ON TABLE ring_runs IS 'runs whose findings are stored; the newest hundred are kept';
COMMENT ON COLUMN ring_runs.gone IS 'rings that the run before had found, and this one has not';

-- A row is a few kB at most, and there are a thousand at most, so each run reads them all.
CREATE TABLE rings (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  change text NOT NULL CHECK (change IN ('new', 'grown', 'same', 'gone')),
  mark text NOT NULL DEFAULT 'open' CHECK (mark IN ('open', 'looked_at', 'honest', 'acted_on')),
  marked_by text NOT NULL DEFAULT '',
  marked_at timestamptz,
  remark text NOT NULL DEFAULT '' CHECK (length(remark) <= 500),
  first_found timestamptz NOT NULL,
  last_found timestamptz NOT NULL CHECK (last_found >= first_found),
  runs int NOT NULL CHECK (runs > 0),
  members int[] NOT NULL CHECK (cardinality(members) BETWEEN 1 AND 500),
  seen int[] NOT NULL CHECK (cardinality(seen) <= 1000 AND seen @> members),
  decades float8 NOT NULL,
  sign_decades int[] NOT NULL CHECK (cardinality(sign_decades) = 4),
  sign_pairs int[] NOT NULL CHECK (cardinality(sign_pairs) = 4),
  mutual int[] NOT NULL CHECK (cardinality(mutual) = 3),
  moments int NOT NULL CHECK (moments >= 0),
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  CONSTRAINT rings_marked CHECK (mark = 'open' OR (marked_at IS NOT NULL AND marked_by <> ''))
);
COMMENT ON TABLE rings IS 'profiles that look as if one hand led them; a ring keeps its id while half of it stays together';
COMMENT ON COLUMN rings.change IS 'what the newest run says of it';
COMMENT ON COLUMN rings.mark IS 'what people have made of it; open again when it has grown';
COMMENT ON COLUMN rings.members IS 'of the newest run that found it';
COMMENT ON COLUMN rings.seen IS 'members in any run';
COMMENT ON COLUMN rings.sign_pairs IS 'by sign: same seconds, fresh alike, reciprocal, burst';
COMMENT ON COLUMN rings.mutual IS 'pairs of members by kind of tie: reviews, vouches, upvotes';
