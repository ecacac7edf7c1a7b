-- What operators look for in the audit by its time would otherwise be looked for row by row from the newest one. With the number
-- behind the time, a page is read from the index in its order, also where many entries have one time.
CREATE INDEX audit_log_at ON audit_log (at, number);
