#!/usr/bin/env bash
# Once, in a new PostgreSQL, by its image: the roles and the database of ops/roles.sql, with the passwords of the secrets.
set -euo pipefail
psql -v ON_ERROR_STOP=1 -U postgres -q -f /usr/share/credence/roles.sql
psql -v ON_ERROR_STOP=1 -U postgres -q <<'SQL'
\set owner `sed -n 's/.* password=//p' /run/secrets/owner_url`
\set server `sed -n 's/.* password=//p' /run/secrets/server_url`
ALTER ROLE credence_owner PASSWORD :'owner';
ALTER ROLE credence PASSWORD :'server';
GRANT pg_read_all_stats TO credence; -- for the alert CredenceDatabaseOldTransaction; nobody else uses this PostgreSQL
SQL
