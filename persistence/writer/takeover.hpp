#pragma once

#include "actors/domain/ids.hpp"
#include "persistence/postgres/connection.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// Who may write, and how one becomes that.
namespace credence::persistence {

/// What is written in one order. Whoever takes the first shard takes all others from their owner (decision 58).
enum class shard : std::int32_t {
  service = 1, // what clients write; its changes take global numbers
  chain = 2,   // records of a chain that is followed, their texts and scores; none of these takes a number
};

/// Who writes: a name that no other process has, and the epoch it was given.
struct claim {
  std::string owner = new_owner();
  std::int64_t epoch = 0; // 0: none yet
  shard of = shard::service;
  /// Takes the shard only once the lease of its owner has ended, as a standby does. What has an epoch waits for nobody.
  bool patient = false;
  /// The end of a lease that nobody has renewed for as long as it lasts: it has ended, whatever the database's clock
  /// says.
  std::optional<timestamp> ended_lease = {};
  /// An owner that is known to have ended: its lease is not waited for. Empty: none.
  std::string ended = {};

  /// Random, with the name of this machine behind it.
  static std::string new_owner();
  /// Whether a server of this machine has, or had, that name.
  static bool is_of_this_machine(std::string_view owner);
};

/// How long a standby waits after the last sign of life of the first shard's owner, by the database's clock. The owner
/// gives one every `owner_beat_every`. Longer than the lease of reads (`store_status::lease`), so that an owner that is
/// cut off has stopped answering by then.
inline constexpr std::chrono::seconds owner_lease{8};
inline constexpr std::chrono::seconds owner_beat_every{2};

/// Until when the owner of a shard is waited for. All times are the database's.
struct lease {
  std::string owner;
  timestamp until{};
  timestamp now{};
};

using batch_id = std::array<std::byte, 16>;

/// A batch on its way to the database, as it will be found there.
struct batch_identity {
  batch_id id{};
  std::int64_t sequence = 0;
  global_seq first_seq = 0;
  global_seq last_seq = 0; // first_seq - 1 when it holds nothing that is numbered
};

/// The server's side of a writing connection, to be recognised later: process ids
/// are used again, the moment of their start is not.
struct backend {
  std::int32_t pid = 0;
  timestamp started_at{};
};

/// What a takeover found. No earlier batch can still be committed.
struct ownership {
  /// Another process has taken the shard over: nothing was changed, and `epoch` is its own.
  bool superseded = false;
  /// The claim is patient and the owner's lease has not ended: nothing was changed, and `epoch` is the owner's.
  bool held = false;
  std::int64_t epoch = 0;
  std::int64_t last_sequence = 0;
  global_seq last_seq = 0;
  std::int64_t era = 0; // the open voting period's; 0 in a new database
  bool doubtful_stored = false;
};

inline constexpr const char* in_recovery = "the server is in recovery (a standby): give the address of the primary";

/// Why this database is not to be trusted with votes, or nothing. Checks fsync,
/// full_page_writes, synchronous_commit, recovery and the version (reliability 3.5).
std::optional<std::string> unfit(connection& on, steady_time deadline);

/// The lease of the owner, for which a patient claim waits; nothing where nobody has one. Locks nothing.
std::optional<lease> lease_of_another(connection& on, const claim& mine, steady_time deadline);
/// Ends the lease of `mine`, if it is the owner, so that nobody waits for it.
void give_back(connection& on, const claim& mine, steady_time deadline);

/// This connection's other end.
backend read_backend(connection& on, steady_time deadline);
/// Ends `old` if it is still there and still a session of `application_name`.
void end_backend(connection& on, const backend& old, const std::string& application_name, steady_time deadline);

/// Makes this connection the writer: waits (not for long) until no batch of an
/// earlier owner is under way, raises the epoch so that none can come later, and only
/// then looks what is there, in particular whether `doubtful` is. The newest process
/// wins: one that had an epoch before takes over from itself only. Throws `database_error` (`refused`, CR003) for
/// another shard than the first while the first is not this owner's. A patient claim takes nothing from an owner whose
/// lease has not ended.
ownership take_over(connection& on, const claim& mine, const std::optional<batch_id>& doubtful, steady_time deadline);

/// Prepares the statement that begins every batch: it proves ownership and leaves the
/// batch's identity in the same transaction.
struct fence_sql {
  static const statement begin;
  static void fill(parameters& with, const claim& mine, const batch_identity& batch);
};

} // namespace credence::persistence
