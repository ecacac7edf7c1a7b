#pragma once

#include "actors/integrity/rings.hpp"
#include "actors/kernel/ask.hpp"
#include "actors/kernel/door.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// What the operator console asks of the database, apart from what clients do: an actor with a thread and a connection
/// of its own, so that nobody else waits for it.
namespace credence::console {

/// An act that is no change of data has been done: it goes into the audit. Answered once it is written, or, while the
/// database is away, kept to be written. Refused where too many are kept.
struct kept {};
struct note_act {
  using answer_type = kept;
  timestamp at{};
  std::string act;
  std::optional<profile_id> profile;
  std::string subject;
  std::optional<std::string> before, after;
  std::shared_ptr<const request_origin> from;
  /// A session that this ends, or a link that it uses up: it counts as revoked until then.
  std::optional<std::string> ends = {};
  timestamp ends_until = {};
};

/// The sessions and links that have ended before their time.
struct load_ended {
  using answer_type = std::vector<std::string>;
};

struct audit_entry {
  std::int64_t number = 0;
  timestamp at{};
  std::string act;
  std::optional<profile_id> profile, caller;
  std::string credential, request_id, address, subject;
  std::optional<std::string> before, after;
};
/// Entries of the audit, newest first: by number, or by time where `from` or `to` is given. Behind `after_number` the
/// oldest first, by number: it counts only where neither is given.
struct read_audit {
  using answer_type = std::vector<audit_entry>;
  std::optional<std::int64_t> before_number,
    after_number;                    // `before_number`: behind that entry, in the order of the list
  std::optional<timestamp> from, to; // at `from` or later, earlier than `to`
  std::optional<profile_id> profile, caller;
  std::optional<std::string> act, request_id, credential;
  std::int32_t limit = 50;
};

/// A vote on a project.
struct cast_vote {
  project_id project;
  std::string project_name;
  profile_id voter;
  std::string voter_name;
  std::int32_t number = 0; // the project's own count
  bool bullish = false;
  std::int32_t weight = 0;
  std::optional<std::string> reason;
  timestamp at{};
};
/// Votes that a page looks at, at most; of a voter these are those of the newest periods, whatever the page.
constexpr std::int32_t votes_looked_at_max = 10'000;
struct votes_page {
  std::vector<cast_vote> values;
  std::optional<std::int32_t> next; // for `after`; also where nothing was found among those that were looked at
};
/// Votes one by one, newest first: on the project, or, where none is named, of the voter.
struct read_votes {
  using answer_type = votes_page;
  std::optional<project_id> project;
  profile_id voter;
  std::optional<bool> bullish;
  std::optional<timestamp> from, to; // at `from` or later, earlier than `to`
  std::optional<std::int32_t> after; // on a project: below this number; of a voter: behind so many
  std::int32_t limit = 50;
};

struct shard {
  std::int32_t number = 0;
  std::string owner;
  std::int64_t epoch = 0, batches = 0, last_sequence = 0, last_number = 0;
};
struct table_size {
  std::string name;
  std::int64_t rows = 0, bytes = 0, index_bytes = 0;
};
struct migration {
  std::int32_t version = 0;
  std::string name, state;
};
struct stored {
  std::vector<shard> shards;
  std::string server_version;
  std::int64_t bytes = 0;
  std::vector<table_size> tables;
  std::vector<migration> migrations;
};
/// What is where in the database; not older than five seconds.
struct read_store {
  using answer_type = std::shared_ptr<const stored>;
};

/// A statement or transaction that a session of PostgreSQL has under way.
struct statement {
  std::int32_t pid = 0;
  std::string application, state, text;
  double seconds = 0; // since the statement began, or, where none runs, the transaction
  std::optional<std::string> waits_for;
  std::string blocked_by; // pids; empty: nobody
};
/// What was run so far, with its parameters left out.
struct slow_statement {
  std::string text;
  std::int64_t calls = 0, rows = 0;
  double total_ms = 0, mean_ms = 0;
};
struct connection_count {
  std::string application, state;
  std::int64_t count = 0;
};
struct activity {
  std::vector<statement> under_way; // the oldest first
  std::vector<connection_count> connections;
  std::optional<std::vector<slow_statement>> slow; // nothing where pg_stat_statements is not there
  std::optional<timestamp> archived_at;            // the last piece of the write-ahead log
};
/// What PostgreSQL is at, as far as the server's role may see it.
struct read_activity {
  using answer_type = std::shared_ptr<const activity>;
};

struct promise_checked {
  std::string name, promise;
  std::int64_t differences = 0;
  std::vector<std::string> examples;
};
/// A verification that runs, or the last one.
struct verification {
  enum class state : std::uint8_t { running, done, stopped, failed };
  std::int64_t number = 0; // since the start; 0: none
  state now = state::running;
  timestamp started_at{};
  std::optional<timestamp> ended_at;
  std::string by, part, error;
  double share = 0;
  std::vector<promise_checked> results;
};
/// Begins one; nothing where one runs already.
struct start_verification {
  using answer_type = std::optional<verification>;
  std::string by;
};
struct get_verification {
  using answer_type = verification;
};
struct stop_verification {
  using answer_type = kept;
};

/// Lets a profile have API keys, or not. Refused with `not_found`. The audit tells of it in the same transaction.
struct set_api_access {
  using answer_type = kept;
  profile_id profile;
  bool allowed = false;
  timestamp at{};
  std::shared_ptr<const request_origin> from;
};

/// Has texts of the chain that could not be read tried again. The audit tells of it in the same transaction.
struct retry_texts {
  using answer_type = kept;
  timestamp at{};
  std::shared_ptr<const request_origin> from;
};

/// Has failed events of the chain tried again, by the follower. Refused with `not_found` where no chain is stored. The
/// audit tells of it in the same transaction.
struct events_tried_again {
  std::int64_t events = 0; // that have failed
};
struct reprocess_failed {
  using answer_type = events_tried_again;
  timestamp at{};
  std::shared_ptr<const request_origin> from;
};

/// Stores what an analysis has found, compared with the rings that are known. Nothing where the newest run that is
/// stored ended then, or later. The audit tells of it in the same transaction.
struct store_findings {
  using answer_type = std::optional<integrity::ring_run>;
  std::shared_ptr<const integrity::findings> found;
  timestamp started_at{};
  timestamp ended_at{};
  timestamp at{};
  std::shared_ptr<const request_origin> from;
};

/// The rings that are stored, and the newest runs.
struct stored_rings {
  std::vector<integrity::ring> rings;    // those that nobody has marked first, then the ones most unlikely by chance
  std::vector<integrity::ring_run> runs; // the newest first
};
struct read_rings {
  using answer_type = std::shared_ptr<const stored_rings>;
};

/// Says what somebody has made of a ring. Refused with `not_found`, and with `sequence_mismatch` where another number
/// of runs has found it. The audit tells of it in the same transaction.
struct mark_ring {
  using answer_type = integrity::ring;
  std::int32_t ring = 0;
  std::int32_t runs = 0; // that had found it when somebody looked at it
  integrity::ring_mark mark = integrity::ring_mark::looked_at;
  std::string remark;
  std::string by; // for people
  timestamp at{};
  std::shared_ptr<const request_origin> from;
};

/// Votes of several members for one side of a project.
struct shared_vote {
  project_id project;
  bool bullish = false;
  std::vector<std::int32_t> voters; // in order
  timestamp first_at{};
  timestamp last_at{};
};
/// A review, a vouch or an upvote of a review by one member for another.
struct ring_tie {
  integrity::tie_kind kind = integrity::tie_kind::review;
  profile_id giver, receiver;
  timestamp at{};
};
struct ring_review {
  std::vector<shared_vote> votes; // those of most members first
  std::vector<ring_tie> ties;     // the newest first
};
/// What the first 100 members of a ring did together and for each other, among the newest 200 votes and ties of a kind
/// of each; the first 200 votes and 500 ties. Refused with `not_found`.
struct review_ring {
  using answer_type = ring_review;
  std::int32_t ring = 0;
};

/// One ring that is stored. Refused as `mark_ring` is.
struct read_ring {
  using answer_type = integrity::ring;
  std::int32_t ring = 0;
  std::int32_t runs = 0;
};

/// The port to it; persistence implements it.
using admin_database_handle =
  actor_handle<note_act, load_ended, read_audit, read_votes, read_store, read_activity, start_verification,
               get_verification, stop_verification, set_api_access, retry_texts, reprocess_failed, store_findings,
               read_rings, mark_ring, read_ring, review_ring>;
struct admin_database_door {
  using handle = admin_database_handle;
};

} // namespace credence::console
