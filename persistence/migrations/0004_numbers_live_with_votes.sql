-- The count of an entity's changes is the number of its last vote; these were never written.
ALTER TABLE profiles DROP COLUMN last_seq;
ALTER TABLE projects DROP COLUMN last_seq;
