#include "ops/alerts.hpp"

#include <algorithm>
#include <cctype>

namespace credence::ops {

namespace {

using namespace std::chrono_literals;
using unit = alert::unit;

constexpr bool page = true;
constexpr bool warn = false;

std::vector<comparison> above(std::vector<term> terms, double bound) {
  return {{std::move(terms), comparison::how::above, bound}};
}
std::vector<comparison> is(term one, double bound) { return {{{std::move(one)}, comparison::how::is, bound}}; }
term value(std::string_view metric, std::vector<label_match> where = {}) {
  return {reading::value, metric, 0s, std::move(where)};
}
term increase(std::string_view metric, std::chrono::seconds over, std::vector<label_match> where = {}) {
  return {reading::increase, metric, over, std::move(where)};
}
term rate(std::string_view metric, std::chrono::seconds over, std::vector<label_match> where = {}) {
  return {reading::rate, metric, over, std::move(where)};
}
term summed(term of) {
  of.summed = true;
  return of;
}
term less(term of) {
  of.subtracted = true;
  return of;
}

/// A server that waits to take over neither writes nor reads.
std::vector<comparison> of_no_standby(comparison of) {
  return {std::move(of), {{value("credence_standby")}, comparison::how::is, 0}};
}

/// What of the writer called `store` was lost and not found again.
std::vector<comparison> unresolved(std::string_view lost, std::string_view stored, std::string_view absent) {
  return above({value(lost), less(value(stored)), less(value(absent))}, 0);
}

/// After a change: Alerts.TheFileOfRulesIsWhatTheTableMakes says where it has written the new
/// ops/prometheus/alerts.yml; alerts_test.yml and docs/operating.md have a part for each.
std::vector<alert> table() {
  return {
    {"CredenceDown",
     page,
     30s,
     {},
     R"(up{job="credence"} == 0)",
     "does not answer scrapes",
     unit::none,
     "Look at its log; a start refuses to serve with exit code 4 when the database is not durable or the schema is not "
     "current."},
    {"CredenceNobodyServes",
     page,
     1min,
     {},
     R"(credence_standby{job="credence"} == 1 and on (job) min by (job) (credence_standby{job="credence"}) == 1)",
     "every server stands by, and none serves",
     unit::none,
     "A standby takes over within seconds once the database takes writes. Look at the database, and at what the "
     "standbys say: /readyz, and "
     "store_unreachable or unfit in their logs."},
    {"CredenceCannotWrite",
     page,
     10s,
     {of_no_standby({{value("credence_store_writable")}, comparison::how::is, 0})},
     {},
     "no writes are taken: the database cannot be reached, or does not write",
     unit::none,
     "Writes get 503 with Retry-After and nothing acknowledged is lost. Mend what the writer's last error names, which "
     "the overview of the console "
     "shows and the log has (store_unreachable, store_lost, store_cannot_write): PostgreSQL that is away, a full disk. "
     "No restart of the service is "
     "needed."},
    {"CredenceWritesPaused",
     warn,
     5min,
     {is(value("credence_writes_paused"), 1)},
     {},
     "an operator lets no writes in",
     unit::none,
     "Writes get 503 WRITES_PAUSED. It ends by itself when its time is over; the page Store of the console says who "
     "paused it, why and until when, "
     "and "
     "ends it."},
    {"CredenceStandsStill",
     page,
     0s,
     {above({value("credence_standing_still")}, 0)},
     {},
     "{value} of its threads or actors show no sign of life",
     unit::none,
     "The log names them (standing_still). systemd restarts it when WatchdogSec is set; otherwise restart it. What was "
     "acknowledged is on disk."},
    {"CredenceRestarts",
     page,
     0s,
     {},
     R"(changes(process_start_time_seconds{job="credence"}[15m]) > 2)",
     "it was started {value} times within 15 minutes",
     unit::none,
     "Look for actor_died or standing_still in its log: each is a bug worth a report. Exit code 8 is a part that "
     "died."},
    {"CredenceLastRunCutOff",
     warn,
     0s,
     {is(value("credence_last_run_cut_off"), 1)},
     {},
     "the run before this one was cut off",
     unit::none,
     "It had no time to end by itself: it was killed, by somebody or for lack of memory, or it crashed, or the machine "
     "went down. Look at the "
     "journal and "
     "the kernel's log of that time. What was acknowledged is on disk."},
    {"CredenceReadsWithoutLease",
     page,
     10s,
     {of_no_standby({{value("credence_store_lease_age_seconds")}, comparison::how::above, 3})},
     {},
     "no reads are answered: it has not been known for {value} whether its data is its own",
     unit::seconds,
     "PostgreSQL is away or does not answer, or the machine stands still. It recovers by itself."},
    {"CredenceClockWrong",
     page,
     10s,
     {is(value("credence_clock_good"), 0)},
     {},
     "no writes are taken: its wall clock is wrong",
     unit::none,
     "credence_clock_difference_seconds is how far it is ahead of PostgreSQL's. Set the clocks right (a time server); "
     "after a true step of more than "
     "a "
     "day restart the service."},
    {"CredenceServerErrors",
     page,
     2min,
     {{{{summed(rate("credence_http_requests_total", 5min, {{"status", "5xx"}}))},
        comparison::how::above,
        0.01,
        {summed(rate("credence_http_requests_total", 5min))}}}},
     {},
     "{value} of the answers are 5xx",
     unit::share,
     "credence_http_requests_total by route says which; the log has a line with the request id for each."},
    {"CredenceStandbyUnable",
     warn,
     2min,
     {is(value("credence_standby_able"), 0)},
     {},
     "it waits as a standby, and could not take over",
     unit::none,
     "Its log says why (store_unreachable): it does not reach PostgreSQL, or its build is not the one of the schema. "
     "The server that it waits for "
     "goes on, "
     "but nothing would take its place."},
    {"CredenceQuorumLost",
     page,
     10s,
     {above({value("credence_database_quorum_needed"), less(value("credence_database_quorum_there"))}, 0)},
     {},
     "PostgreSQL lacks {value} of the standbys that every commit waits for",
     unit::none,
     "No write is acknowledged until a standby is back. Bring one back (/readyz?verbose and the page Store of the "
     "console say which are there). If "
     "none "
     "can come back soon, take it out of synchronous_standby_names and reload: from then on what is acknowledged is on "
     "fewer machines."},
    {"CredenceQuorumThin",
     warn,
     5min,
     {{{{value("credence_database_quorum_there"), less(value("credence_database_quorum_needed"))},
        comparison::how::is,
        0},
       {{value("credence_database_quorum_named"), less(value("credence_database_quorum_needed"))},
        comparison::how::above,
        0}}},
     {},
     "the loss of one more standby of PostgreSQL stops all writes",
     unit::none,
     "Bring the standby back that is missing: /readyz?verbose and the page Store of the console say which are there."},
    {"CredenceStandbyLags",
     warn,
     5min,
     {above({value("credence_database_standby_lag_seconds")}, 60),
      above({value("credence_database_standby_lag_bytes")}, 256.0 * 1024 * 1024)},
     {},
     "the standby {standby} of PostgreSQL lags behind",
     unit::none,
     "A failover to it would take longer, and where commits do not wait for it, lose what it lacks. Look at its disk, "
     "its network, and at long "
     "queries "
     "on it (max_standby_streaming_delay)."},
    {"CredenceSlowCommits",
     warn,
     5min,
     {above({{reading::quantile99, "credence_store_commit_seconds", 5min}}, 0.1)},
     {},
     "a batch takes {value} to commit at p99",
     unit::seconds,
     "A vote is answered after its commit. Look at the disk under PostgreSQL's WAL first."},
    {"CredenceReadsWait",
     warn,
     3min,
     {above({value("credence_store_reads_waiting")}, 500)},
     {},
     "{value} {lane} wait for a connection to PostgreSQL",
     unit::none,
     "Compare credence_store_load_seconds with what PostgreSQL does (pg_stat_activity, application credence-loads, "
     "credence-lists or "
     "credence-console); store.readers "
     "and "
     "store.list_readers are their connections."},
    {"CredenceSlowVotes",
     warn,
     5min,
     {above({{reading::quantile99,
              "credence_http_request_duration_seconds",
              5min,
              {{"method", "POST"}, {"route", "/api/v2/projects/{projectId}/votes"}}}},
            0.25)},
     {},
     "a vote takes {value} at p99",
     unit::seconds,
     "Compare with credence_store_commit_seconds and credence_actor_oldest_wait_seconds: disk or load."},
    {"CredenceUnresolvedOutcome",
     page,
     1min,
     {unresolved("credence_store_unknown_outcomes_total", "credence_store_resolved_stored_total",
                 "credence_store_resolved_absent_total"),
      unresolved("credence_chain_store_unknown_outcomes_total", "credence_chain_store_resolved_stored_total",
                 "credence_chain_store_resolved_absent_total")},
     {},
     "a batch whose outcome was lost has not been looked up",
     unit::none,
     "It is looked up as soon as PostgreSQL can be reached again; until then its votes stay pending."},
    {"CredenceChangeRefusedByDatabase",
     warn,
     0s,
     {above({increase("credence_store_changes_failed_total", 15min)}, 0),
      above({increase("credence_chain_store_changes_failed_total", 15min)}, 0)},
     {},
     "the database refused a change that the rules had allowed",
     unit::none,
     "The change failed alone and its client was told. Rules and constraints disagree: a bug, or rows written past the "
     "service."},
    {"CredenceActorsFail",
     warn,
     0s,
     {above({increase("credence_actor_failed_total", 15min)}, 5)},
     {},
     "actors of kind {kind} keep failing",
     unit::none,
     "Each is loaded afresh from committed rows. While PostgreSQL is away this is expected; otherwise look at the "
     "log."},
    {"CredenceActorsBehind",
     warn,
     2min,
     {above({value("credence_actor_oldest_wait_seconds")}, 0.5)},
     {},
     "questions wait {value} for an actor of kind {kind}",
     unit::seconds,
     "More load than the machine can take; past the bounds clients get 429 or 503."},
    {"CredenceProviderKeysOld",
     warn,
     0s,
     {above({value("credence_provider_keys_age_seconds")}, 3600),
      above({increase("credence_provider_key_failures_total", 1h)}, 20)},
     {},
     "the keys of the identity provider have not been read for a while",
     unit::none,
     "The keys read before still count; once the provider signs with new ones its users are refused. The log says why "
     "(provider_keys_not_read)."},
    {"CredenceTidyingFails",
     warn,
     0s,
     {above({increase("credence_store_tidy_failures_total", 30min)}, 20)},
     {},
     "old idempotency records, nonces and sessions are not removed",
     unit::none,
     "The log says why (tidying_failed). Nothing else suffers before the disk fills; records fill some 150 MB a minute "
     "at 5,000 keyed writes a "
     "second."},
    {"CredenceScoresBehind",
     warn,
     5min,
     {above({{reading::age, "credence_score_oldest_seconds"}}, 600)},
     {},
     "scores have not been worked out for {value} after what they should show",
     unit::seconds,
     "Scores, weights of votes and history lag behind the records, which are safe. The log says why "
     "(score_not_worked_out); credence score recompute "
     "--check tells what differs."},
    {"CredenceNewsSourceAway",
     warn,
     30min,
     {{{{value("credence_news_breaker")}, comparison::how::above, 0},
       {{summed(increase("credence_news_lookups_total", 15min, {{"result", "failed|limited"}}))},
        comparison::how::above,
        0}}},
     {},
     "the source of market news has not been answering",
     unit::none,
     "Items are null, or a day old, until it does. The log says why (news_source_suspended): a token that is no "
     "longer good, a used-up quota, or "
     "the "
     "network."},
    {"CredenceTurnsAway",
     warn,
     5min,
     {above({summed(rate("credence_actor_refused_full_total", 5min)),
             summed(rate("credence_http_refused_connections_total", 5min))},
            1)},
     {},
     "bounds are reached, {value} questions or connections a second are turned away",
     unit::none,
     "credence_actor_refused_full_total by kind says which bound; settings actors.* and http.*_max move it."},
    {"CredenceRefreshTokenReused",
     warn,
     0s,
     {above({increase("credence_refresh_tokens_reused_total", 15min)}, 0)},
     {},
     "a refresh token came back after it had been replaced",
     unit::none,
     "Somebody may have copied a session's cookies; the session was ended. The log names the profile "
     "(refresh_token_reused), audit_log the address."},
    {"CredenceCredentialsRefused",
     warn,
     10min,
     {above({rate("credence_credentials_refused_total", 10min)}, 5)},
     {},
     "{value} credentials of kind {kind} a second are refused",
     unit::none,
     "Somebody guesses, from one address or many, or a client goes on with what has ended. The log has their addresses "
     "(credential_refused)."},
    {"CredenceAnswersNotTaken",
     warn,
     5min,
     {above({rate("credence_http_answers_refused_total", 5min)}, 1)},
     {},
     "{value} large reads a second get 503, because clients do not take their answers",
     unit::none,
     "Many slow clients, or somebody who reads nothing: credence_http_unsent_bytes says how much waits. Each is cut "
     "after http.write_timeout; "
     "http.unsent_bytes_max moves the bound. Behind a proxy set http.trusted_proxies."},
    {"CredenceManyCredentialsRefused",
     warn,
     5min,
     {above({rate("credence_http_rate_limited_total", 5min, {{"bucket", "credentials"}})}, 1)},
     {},
     "somebody goes on trying credentials that are refused",
     unit::none,
     "They are no longer looked at from that address. A client with an old token looks the same; behind a proxy set "
     "http.trusted_proxies."},
    {"CredenceChainHalted",
     page,
     0s,
     {is(value("credence_chain_state", {{"state", "halted"}}), 1)},
     {},
     "the chain is not followed any more",
     unit::none,
     "The log says why (chain_state): mostly a wrong node, or settings that name another chain or other contracts. "
     "Nothing is lost; set it right and "
     "restart."},
    {"CredenceChainUnavailable",
     warn,
     1min,
     {is(value("credence_chain_state", {{"state", "unavailable"}}), 1)},
     {},
     "no node of the chain answers",
     unit::none,
     "Look at the endpoints in the log (chain_endpoint_failed). Events wait; everything else goes on."},
    {"CredenceChainBehind",
     warn,
     5min,
     {above({value("credence_chain_lag_seconds")}, 300)},
     {},
     "it is {value} behind the chain",
     unit::seconds,
     "credence_chain_state backfill: it is catching up. Otherwise the nodes stand still, or do not move their newest "
     "block."},
    {"CredenceChainNodeWithoutPast",
     warn,
     5min,
     {above({value("credence_chain_endpoints_without_past")}, 0)},
     {},
     "{value} nodes of the chain have no old logs",
     unit::none,
     "They tell none of chain.start_block, although its header says that there may be some, so they are not asked for "
     "old blocks "
     "(chain_endpoint_without_past). Take a node that keeps receipts, or set chain.start_block to the block of the "
     "first contract's deployment. "
     "Without "
     "any other node nothing is caught up with."},
    {"CredenceChainLogsMissing",
     warn,
     0s,
     {above({increase("credence_chain_id_gaps_total", 1h)}, 0),
      above({increase("credence_chain_audit_mismatch_total", 2h)}, 0)},
     {},
     "logs of the chain are missing, or differ from those of another node",
     unit::none,
     "The log has what (chain_ids_missing, chain_audit_mismatch, chain_log_withheld), `missing` of "
     "/api/v2/chain/status the ids. Add an endpoint of "
     "another "
     "provider: logs that one withholds are taken from another one."},
    {"CredenceChainSettlesNothing",
     warn,
     5min,
     {{{{{reading::changes, "credence_chain_authority", 30min}}, comparison::how::is, 0},
       {{{reading::changes, "credence_chain_tip", 30min}}, comparison::how::above, 0}}},
     {},
     "the authority block of the chain stands still, and the tip does not",
     unit::none,
     "Who has joined since cannot sign in. Where credence_chain_safe stands still, too, it is the nodes' tag: try "
     "other nodes, or set "
     "chain.authority to a "
     "number of blocks."},
    {"CredenceChainEventsFail",
     warn,
     0s,
     {above({increase("credence_chain_events_total", 15min, {{"status", "failed"}})}, 0)},
     {},
     "{value} events could not be read",
     unit::none,
     "chain_events has them with their reasons: perhaps a contract was upgraded."},
    {"CredenceChainTextsWait",
     warn,
     5min,
     {above({value("credence_chain_texts_age_seconds")}, 900)},
     {},
     "there has been no text of some reviews and replies for {value}",
     unit::seconds,
     "`credence chain texts` counts them by reason, the log tells what is wrong with the endpoints "
     "(chain_endpoint_failed). Records show without "
     "their "
     "texts meanwhile."},
    {"CredenceChainTextsFail",
     warn,
     0s,
     {above({increase("credence_chain_texts_read_total", 15min, {{"state", "failed"}})}, 0)},
     {},
     "contracts do not return {value} texts of records",
     unit::none,
     "`credence chain texts` has the reasons: perhaps a contract was upgraded. `credence chain retry-texts` has them "
     "tried again."},
    {"CredenceWalletTransactionsStuck",
     warn,
     5min,
     {above({increase("credence_wallet_stuck_total", 15min)}, 0)},
     {},
     "a transaction of a managed wallet is in no block, and cannot pay more or has in vain",
     unit::none,
     "The log has its id and why (wallet_transaction_stuck). The chain asks for more than wallets.fee_max_wei or "
     "wallets.priority_fee_max_wei allow, "
     "the "
     "account lacks the ether for it, or no node passes it on. Later ones of that wallet wait behind it."},
    {"CredenceWalletNonceConflicts",
     warn,
     0s,
     {above({increase("credence_wallet_conflicts_total", 15min)}, 0)},
     {},
     "a nonce of a managed wallet was used by a transaction that is none of ours",
     unit::none,
     "Its owner took the key out (exported_at in managed_wallets) and uses it elsewhere, or somebody else has the key: "
     "then switch signing off (POST "
     "/wallets/signing/off on the operator listener) and look at the account."},
    {"CredenceWalletNodesUnclear",
     warn,
     5min,
     {above({rate("credence_wallet_sends_total", 5min, {{"result", "unclear"}})}, 0.1)},
     {},
     "nodes do not say whether they took transactions of managed wallets",
     unit::none,
     "The log has their answers (wallet_transaction_unclear). What is stored is sent again until it is in a block."},
    {"CredenceWalletGasRefused",
     warn,
     0s,
     {above({increase("credence_wallet_grants_total", 15min, {{"result", "refused"}})}, 0)},
     {},
     "the funding account did not pay for gas {value} times",
     unit::none,
     "The log says why (wallet_gas_not_granted): send ether to the account that credence wallets list names as wallet "
     "0, or raise "
     "wallets.sponsor_per_day_wei."},
    {"CredenceWalletSigningOff",
     warn,
     1h,
     {is(value("credence_wallet_signing"), 0)},
     {},
     "managed wallets are switched off",
     unit::none,
     "POST /wallets/signing/on on the operator listener, or wallets.signing, switches them on."},
    {"CredenceDataDiskFills",
     warn,
     5min,
     {{{{value("credence_data_disk_used_bytes")},
        comparison::how::above,
        0.9,
        {value("credence_data_disk_size_bytes")}}}},
     {},
     "the disk with data_dir is filled to {value}",
     unit::share,
     "Make room there. PostgreSQL is often on the same disk, and without room for its log no writes are taken."},
    {"CredenceDiskFills",
     page,
     5min,
     {},
     R"(node_filesystem_avail_bytes{fstype!~"tmpfs|ramfs",mountpoint!~"/run.*|/boot.*"} / node_filesystem_size_bytes < 0.05)",
     "{mountpoint} has {value} of its room left",
     unit::share,
     "Make room there before it is full: PostgreSQL stops writing then, and its log grows while archiving fails "
     "(CredenceDatabaseArchiveFails) or a "
     "replication slot is left behind."},
    {"CredenceDatabaseConnections",
     warn,
     2min,
     {{{{value("credence_database_connections")},
        comparison::how::above,
        0.85,
        {value("credence_database_connections_max")}}}},
     {},
     "{value} of the connections that PostgreSQL takes are in use",
     unit::share,
     "Whoever comes next is turned away, the server too when it has to connect anew. pg_stat_activity says who holds "
     "them; max_connections is the "
     "bound."},
    {"CredenceDatabaseOldTransaction",
     warn,
     5min,
     {above({value("credence_database_transaction_age_seconds")}, 3600)},
     {},
     "a transaction has been open for {value}",
     unit::seconds,
     "As long as it is, dead rows stay, and tables grow. Look for it in pg_stat_activity and pg_prepared_xacts, and "
     "end what nobody waits for "
     "(pg_terminate_backend, ROLLBACK PREPARED)."},
    {"CredenceDatabaseIdsRunOut",
     page,
     10min,
     {above({value("credence_database_xid_age")}, 1e9)},
     {},
     "{value} transactions have not been frozen; PostgreSQL stops writing before 2^31",
     unit::none,
     "Autovacuum should have seen to it long ago. End old transactions, drop prepared ones and replication slots that "
     "nobody uses, then run VACUUM "
     "(FREEZE) as a superuser in the database that pg_database.datfrozenxid names."},
    {"CredenceDatabaseVacuumBehind",
     warn,
     1h,
     {above({value("credence_database_vacuum_due")}, 5)},
     {},
     "a table has {value} times the dead rows at which autovacuum begins",
     unit::none,
     "pg_stat_user_tables names it (n_dead_tup, last_autovacuum). Autovacuum is off or too slow, or an old transaction "
     "or a replication slot keeps "
     "dead rows."},
    {"CredenceDatabaseArchiveFails",
     warn,
     15min,
     {is(value("credence_database_archive_failing"), 1)},
     {},
     "PostgreSQL cannot archive its log",
     unit::none,
     "What is acknowledged is in no backup meanwhile, and pg_wal grows until its disk is full. PostgreSQL's log has "
     "what archive_command said; "
     "pg_stat_archiver names the file."},
    {"CredenceBackupNotRun",
     warn,
     0s,
     {},
     R"(time() - credence_backup_finished_seconds > 172800 or up{job="credence"} unless on () credence_backup_finished_seconds)",
     "no backup has come to its end for two days, or never",
     unit::none,
     "Look at the timers of ops/backup and at the log of credence-backup@full and credence-backup@diff. Backups made "
     "in another way write the "
     "metric themselves: docs/backup.md."},
    {"CredenceRingsUnmarked",
     warn,
     1h,
     {above({value("credence_rings_unmarked")}, 0)},
     {},
     "{value} groups of profiles look as if one hand led them, and nobody has said what they are",
     unit::none,
     "Look at them on the page Integrity of the console, act where it is called for, and mark each: looked at, honest, "
     "or acted on."},
    {"CredenceRingsNotRun", // the age of 0 is none: where nobody wants a search, nobody hears of it
     warn,
     0s,
     {above({{reading::age, "credence_rings_run_seconds"}}, 172800)},
     {},
     "nobody has looked for rings for {value}",
     unit::seconds,
     "Run credence rings --store from a timer; look at that timer (credence-rings.timer), and at its last output."},
    {"CredenceVerifyFoundDifferences",
     page,
     0s,
     {},
     "credence_verify_differences > 0",
     "{value} stored rows contradict each other ({promise})",
     unit::none,
     "Run credence verify, which names the rows. Keep a backup of the database as it is before anything is mended, and "
     "report what it found."},
    {"CredenceVerifyNotRun",
     warn,
     0s,
     {},
     R"(time() - credence_verify_finished_seconds > 172800 or up{job="credence"} unless on () credence_verify_finished_seconds)",
     "credence verify has not come to its end for two days, or never",
     unit::none,
     "Run it from a timer with --metrics, into the directory of the textfile collector; look at that timer, and at its "
     "last output."},
  };
}

} // namespace

const std::vector<alert>& alerts() {
  static const auto all = table();
  return all;
}

std::string section_of(const alert& of) {
  std::string out{of.name};
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

} // namespace credence::ops
