-- The database with its two roles, made by a superuser of PostgreSQL:
--   psql -U postgres -f ops/roles.sql
-- `credence_owner` owns the tables and runs `credence migrate up` (and in a checkout `credence_demo`). `credence` is the server: it reads and writes
-- rows. It cannot change the schema, switch off a trigger or empty a table, whoever gets hold of it. It may see statistics, for the states
-- of PostgreSQL's standbys. Texts are UTF-8, whatever the locale was that the cluster was made in.
CREATE ROLE credence_owner LOGIN;
CREATE ROLE credence LOGIN;
CREATE DATABASE credence TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8' OWNER credence_owner;
\connect credence
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT CREATE ON SCHEMA public TO credence_owner;
ALTER DEFAULT PRIVILEGES FOR ROLE credence_owner IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO credence;
ALTER DEFAULT PRIVILEGES FOR ROLE credence_owner IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO credence;
GRANT pg_read_all_stats TO credence;
