#include "persistence/writer/takeover.hpp"

#include <unistd.h>

#include <cstdio>
#include <random>

namespace credence::persistence {

namespace {

/// So many takeovers are remembered: a writer in doubt about an older batch has asked long ago.
constexpr std::int64_t takeovers_kept = 1000;

std::string at_this_machine() {
  char name[65] = {}; // HOST_NAME_MAX and one
  ::gethostname(name, sizeof name - 1);
  return std::string{"@"} + name;
}

parameters service_of(const claim& mine) {
  return parameters{}.int4(static_cast<std::int32_t>(shard::service)).text(mine.owner);
}

/// Whoever takes the first shard takes the others from whoever has them.
void take_the_others(connection& on, const claim& mine, steady_time deadline) {
  on.exec_params(
    "UPDATE shard_owners SET owner = $2::text, epoch = epoch + 1 WHERE shard <> $1::int4 AND owner <> $2::text",
    service_of(mine), deadline);
}

// Nobody waits for the owner where one has ended, or where it is the same one.
constexpr auto lease_sql = "SELECT owner, lease_until, clock_timestamp() AS now FROM shard_owners"
                           " WHERE shard = $1::int4 AND owner NOT IN ($2::text, $3::text) AND lease_until IS NOT NULL";

parameters lease_with(const claim& mine) {
  return parameters{}.int4(static_cast<std::int32_t>(mine.of)).text(mine.owner).text(mine.ended);
}

/// Nobody has another shard without the first. Comes before the other shard's row is locked, as everybody locks them in
/// their order.
void hold_the_first(connection& on, const claim& mine, steady_time deadline) {
  if (on.exec_params("SELECT FROM shard_owners WHERE shard = $1::int4 AND owner = $2::text FOR KEY SHARE",
                     service_of(mine), deadline)
        .empty())
    throw database_error(trouble::refused, "CR003", "the first shard is not this process's (yet, or any more)");
}

} // namespace

std::string claim::new_owner() {
  std::random_device random;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%08x%08x", random(), random());
  return std::string{"credence-"} + digits + at_this_machine();
}

bool claim::is_of_this_machine(std::string_view owner) { return owner.ends_with(at_this_machine()); }

const statement fence_sql::begin{
  "fence_batch", "SELECT fence_batch($1::int4, $2::text, $3::int8, $4::int8, $5::uuid, $6::int8, $7::int8)"};

void fence_sql::fill(parameters& with, const claim& mine, const batch_identity& batch) {
  with.clear();
  with.int4(static_cast<std::int32_t>(mine.of)).text(mine.owner).int8(mine.epoch).int8(batch.sequence).bytes(batch.id);
  with.int8(batch.first_seq).int8(batch.last_seq);
}

std::optional<std::string> unfit(connection& on, steady_time deadline) {
  if (on.server_version() < 150000)
    return "PostgreSQL 15 or newer is needed; this server is " + std::to_string(on.server_version() / 10000);
  const auto found = on.exec_params(
    "SELECT current_setting('fsync') = 'on' AS fsync, current_setting('full_page_writes') = 'on' AS full_page_writes,"
    " current_setting('synchronous_commit') AS synchronous_commit,"
    " current_setting('synchronous_standby_names') <> '' AS standbys,"
    " pg_is_in_recovery() AS in_recovery",
    deadline);
  if (!found.first<bool>("fsync"))
    return "fsync is off: a crash would lose acknowledged votes; turn it on";
  if (!found.first<bool>("full_page_writes"))
    return "full_page_writes is off: a crash could damage the database; turn it on";
  const auto commit = found.first<std::string_view>("synchronous_commit");
  if (commit == "off")
    return "synchronous_commit is off: votes would be acknowledged before they are on disk; turn it on";
  if (found.first<bool>("standbys") && commit != "on" && commit != "remote_apply")
    return "synchronous_commit is " + std::string{commit}
           + " though synchronous_standby_names names standbys: votes would be acknowledged before they are on a "
             "standby's disk; set it to on or"
             " remote_apply";
  if (found.first<bool>("in_recovery"))
    return in_recovery;
  return std::nullopt;
}

std::optional<lease> lease_of_another(connection& on, const claim& mine, steady_time deadline) {
  const auto found = on.run(lease_sql, lease_with(mine), deadline);
  if (found.empty())
    return std::nullopt;
  return lease{found.first<std::string>("owner"), found.first<timestamp>("lease_until"), found.first<timestamp>("now")};
}

void give_back(connection& on, const claim& mine, steady_time deadline) {
  on.exec_params(
    "UPDATE shard_owners SET lease_until = NULL WHERE shard = $1::int4 AND owner = $2::text AND epoch = $3::int8",
    parameters{}.int4(static_cast<std::int32_t>(mine.of)).text(mine.owner).int8(mine.epoch), deadline);
}

backend read_backend(connection& on, steady_time deadline) {
  const auto found =
    on.exec_params("SELECT pid, backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()", deadline);
  return found.empty() ? backend{} : backend{found.first<std::int32_t>("pid"), found.first<timestamp>("backend_start")};
}

void end_backend(connection& on, const backend& old, const std::string& application_name, steady_time deadline) {
  if (old.pid == 0)
    return;
  on.exec_params("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                 " WHERE pid = $1::int4 AND backend_start = $2::timestamptz AND application_name = $3::text",
                 parameters{}.int4(old.pid).time(old.started_at).text(application_name), deadline);
}

ownership take_over(connection& on, const claim& mine, const std::optional<batch_id>& doubtful, steady_time deadline) {
  transaction all{on, deadline};
  on.exec("SET LOCAL lock_timeout = '500ms'", deadline);
  if (mine.of != shard::service
      && mine.epoch == 0) // who had it before, and has lost the first, finds another owner below
    hold_the_first(on, mine, deadline);
  const auto shard_number = static_cast<std::int32_t>(mine.of);
  auto with_batch = parameters{}.int4(shard_number);
  if (doubtful)
    with_batch.bytes(*doubtful);
  else
    with_batch.null();
  // Batches hold this row until they have ended, one way or the other.
  const auto row =
    on.exec_params("SELECT epoch, owner, sequence, last_seq, batch IS NOT DISTINCT FROM $2::uuid AS doubtful"
                   " FROM shard_owners WHERE shard = $1::int4 FOR UPDATE",
                   with_batch, deadline);
  ownership got;
  got.superseded = mine.epoch != 0 && (row.empty() || row.first<std::string_view>("owner") != mine.owner);
  got.epoch = row.empty() ? 0 : row.first<std::int64_t>("epoch");
  if (!row.empty()) {
    got.last_sequence = row.first<std::int64_t>("sequence");
    got.last_seq = row.first<global_seq>("last_seq");
  }
  if (mine.patient && mine.epoch == 0)
    if (const auto owners = lease_of_another(on, mine, deadline))
      got.held = owners->until > owners->now && owners->until != mine.ended_lease;
  if (doubtful)
    got.doubtful_stored =
      (!row.empty() && row.first<bool>("doubtful"))
      || !on.exec_params("SELECT 1 FROM takeovers WHERE shard = $1::int4 AND batch = $2::uuid", with_batch, deadline)
            .empty();
  if (!got.superseded && !got.held) {
    auto with_lease = parameters{}.int4(shard_number).text(mine.owner).int8(++got.epoch);
    if (mine.of == shard::service) // the others go with it
      with_lease.int8(owner_lease.count());
    else
      with_lease.null();
    on.exec_params("INSERT INTO shard_owners (shard, owner, epoch, lease_until)"
                   " VALUES ($1::int4, $2::text, $3::int8, clock_timestamp() + $4::int8 * interval '1 second')"
                   " ON CONFLICT (shard) DO UPDATE SET owner = excluded.owner, epoch = excluded.epoch, lease_until = "
                   "excluded.lease_until",
                   with_lease, deadline);
    on.exec_params(
      "INSERT INTO takeovers (shard, epoch, batch) SELECT shard, epoch, batch FROM shard_owners WHERE shard = $1::int4"
      " ON CONFLICT DO NOTHING",
      parameters{}.int4(shard_number), deadline);
    on.exec_params("DELETE FROM takeovers WHERE shard = $1::int4 AND epoch <= $2::int8",
                   parameters{}.int4(shard_number).int8(got.epoch - takeovers_kept), deadline);
    if (mine.of == shard::service)
      take_the_others(on, mine, deadline);
  }
  const auto open = on.exec_params("SELECT id FROM voting_periods WHERE closed_at IS NULL", deadline);
  got.era = open.empty() ? 0 : open.first<std::int32_t>("id");
  all.commit(deadline);
  return got;
}

} // namespace credence::persistence
