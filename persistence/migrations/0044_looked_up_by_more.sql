-- What operators look for in the audit, and whether a wallet has made a call before, would otherwise be looked for row by row
-- through years.
CREATE INDEX audit_log_request ON audit_log (request_id, number);
CREATE INDEX audit_log_act ON audit_log (act, number);
CREATE INDEX audit_log_caller ON audit_log (caller_id, number);

CREATE INDEX wallet_transactions_call ON wallet_transactions (wallet_id, to_address, sha256(data), seq);
