-- An account has one live attestation. Events of a chain may archive one and restore another, and one statement writes what came of
-- both: it is looked at when the statement ends, and no longer row by row, where the order of rows decided.
DROP INDEX attestations_account;
ALTER TABLE attestations ADD CONSTRAINT attestations_account EXCLUDE USING btree (service WITH =, account WITH =) WHERE (NOT archived) DEFERRABLE;
