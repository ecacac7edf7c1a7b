-- Rows of a chain were written by statements that were put together and planned at each call: a step of one event cost some 4 ms, of which most
-- was planning, while votes waited behind it. Now each table has a function of its own, whose plans a connection keeps, and the functions are
-- made from chain_tables(): a migration that gives a chain another table calls make_chain_writers() again.

-- `{"id": t.id, …}`
CREATE FUNCTION object_of(which text, names text[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT format('jsonb_build_object(%s)', string_agg(format('%L, %s%I', n, which, n), ', ' ORDER BY i)) FROM unnest(names) WITH ORDINALITY x (n, i)
$$;

CREATE FUNCTION make_chain_writer(t record) RETURNS void LANGUAGE plpgsql AS $make$
DECLARE
  rows_coming text := format('jsonb_populate_recordset(NULL::%I, coming) n', t.name);
  same text := format('(%s) = (%s)', columns_of('t.', t.keys), columns_of('n.', t.keys));
  undo text := format('INSERT INTO chain_undo (block_number, relation, key, before) SELECT the_block, %L, %s, CASE WHEN t.%I IS NOT NULL THEN %s END '
                      'FROM %s LEFT JOIN %I t ON %s;', t.name, object_of('n.', t.keys), t.keys[1], object_of('t.', t.keys || t.changes),
                      rows_coming, t.name, same);
  fresh text := format('INSERT INTO %1$I (%2$s) SELECT %3$s FROM %4$s WHERE NOT EXISTS (SELECT FROM %1$I t WHERE %5$s);', t.name,
                       columns_of('', t.keys || t.changes || t.news), columns_of('n.', t.keys || t.changes || t.news), rows_coming, same);
  known text := format('IF EXISTS (SELECT FROM %1$s JOIN %2$I t ON %3$s) THEN UPDATE %2$I t SET (%4$s) = ROW(%5$s) FROM %1$s WHERE %3$s; END IF;',
                       rows_coming, t.name, same, columns_of('', t.changes), columns_of('n.', t.changes));
  room text := CASE t.name WHEN 'addresses' THEN 'PERFORM make_room_for_addresses(coming);'
                           WHEN 'attestations' THEN 'PERFORM make_room_for_attestations(coming, the_block);' ELSE '' END;
BEGIN
  -- The rows that come are few and found by their keys. A kept plan knows nothing of how a table has grown since it was made, so it may not
  -- read all of it. A table without an index then looks so dear that PostgreSQL would compile the statement, so that is off, too.
  EXECUTE format('CREATE OR REPLACE FUNCTION %I(the_block bigint, coming jsonb) RETURNS void LANGUAGE plpgsql '
                 'SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS %L', 'put_chain_rows_of_' || t.name,
                 concat_ws(E'\n', 'BEGIN', 'IF the_block > 0 THEN', undo, 'END IF;', room,
                           CASE t.name WHEN 'users' THEN fresh ELSE '' END, -- others are merged into them
                           known, fresh, 'END'));
END $make$;

CREATE FUNCTION make_chain_writers() RETURNS void LANGUAGE plpgsql AS $make$
DECLARE
  t record;
  known text[] := '{}';
  each text := '';
BEGIN
  FOR t IN SELECT * FROM chain_tables() ORDER BY place LOOP
    PERFORM make_chain_writer(t);
    known := known || t.name;
    each := each || format(E'  IF coming ? %L THEN PERFORM %I(the_block, coming -> %1$L); END IF;\n', t.name, 'put_chain_rows_of_' || t.name);
  END LOOP;
  -- Writes rows as events have left them, each a JSON object of columns. What they were before is kept, unless the block is 0.
  EXECUTE format('CREATE OR REPLACE FUNCTION put_chain_rows(the_block bigint, relations text[], images text[]) RETURNS void LANGUAGE plpgsql AS %L',
    format($body$
DECLARE
  coming jsonb;
BEGIN
  SELECT jsonb_object_agg(g.relation, g.images) INTO coming
    FROM (SELECT i.relation, jsonb_agg(i.image::jsonb) AS images FROM unnest(relations, images) i (relation, image) GROUP BY i.relation) g;
%s  IF coming - %L::text[] <> '{}' THEN
    RAISE EXCEPTION 'make_chain_writers() knows no table %%', coming - %2$L::text[] USING ERRCODE = 'undefined_table';
  END IF;
END $body$, each, known));
END $make$;
SELECT make_chain_writers();
