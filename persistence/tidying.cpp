#include "persistence/tidying.hpp"

#include "ops/log.hpp"
#include "ops/metrics.hpp"
#include "persistence/console/rings.hpp"
#include "persistence/sql/idempotency_sql.hpp"
#include "persistence/vitals.hpp"

#include <cmath>

namespace credence::persistence {

namespace {

using namespace std::chrono_literals;

/// Nonces and sessions stay a day beyond their end: clocks are set back, too.
constexpr auto expired_kept_for = 24h;
/// So that whoever waits behind the emptying of a table, such as a look-up, hardly notices.
constexpr auto lock_timeout = 100ms;
/// Rows that go at once, and how often in a round: 3,300 a second, more than can come.
constexpr std::int32_t piece_rows = 1000;
constexpr int pieces_max = 200;
/// Bonds that end at once: each of them moves the standing of a person, whom the writer may want to move.
constexpr std::int64_t lapsed_at_once = 100;
/// The history of scores is kept whole for so long.
constexpr auto history_whole_for = std::chrono::days{30};

constexpr auto lapsed_sql = "SELECT lapse_bonds($1::timestamptz)";
constexpr auto clock_sql = "SELECT clock_timestamp()";
constexpr auto records_sql = "SELECT forget_records($1::int4)";
constexpr auto nonces_sql = "DELETE FROM used_nonces WHERE ctid = ANY(ARRAY("
                            "SELECT ctid FROM used_nonces WHERE expires_at < $1::timestamptz LIMIT 1000))";
constexpr auto sessions_sql = "DELETE FROM sessions WHERE ctid = ANY(ARRAY("
                              "SELECT ctid FROM sessions WHERE expires_at < $1::timestamptz LIMIT 1000))";
constexpr auto revocations_sql = "DELETE FROM revoked_tokens WHERE ctid = ANY(ARRAY("
                                 "SELECT ctid FROM revoked_tokens WHERE expires_at < $1::timestamptz LIMIT 1000))";
constexpr auto codes_sql = "DELETE FROM partner_codes WHERE ctid = ANY(ARRAY("
                           "SELECT ctid FROM partner_codes WHERE expires_at < $1::timestamptz LIMIT 1000))";
constexpr auto tidying_history_sql = "SELECT thin_score_history(date '1970-01-01' + $1::int4, $2::int4)";

} // namespace

void tidying::round() {
  if (!status_.owned.load(std::memory_order_acquire) || status_.superseded.load(std::memory_order_acquire))
    return;
  if (!on_ || !on_->open()) {
    session mine;
    mine.application_name = "credence-tidying";
    mine.lock_timeout = lock_timeout;
    mine.options = "-c enable_seqscan=off"; // whatever it deletes is found by an index
    on_.emplace(how_.database_url, mine, how_.connect_timeout);
  }
  const auto now = on_->run(clock_sql, deadline_in(how_.statement_timeout)).value<timestamp>();
  forget_records(now);
  forget_expired(nonces_sql, now - expired_kept_for);
  forget_expired(sessions_sql, now - expired_kept_for);
  forget_expired(revocations_sql, now - expired_kept_for);
  forget_expired(codes_sql, now - expired_kept_for);
  lapse_bonds(now);
  thin_scores(now);
  tell_vitals(); // last, as nothing else needs it
}

void tidying::tell_vitals() {
  const auto found = read_vitals(*on_, deadline_in(how_.statement_timeout));
  auto& told = ops::the_metrics().database;
  told.connections.set(found.connections);
  told.connections_max.set(found.connections_max);
  told.transaction_age_s.set(found.transaction_age_s);
  told.xid_age.set(found.xid_age);
  told.bytes.set(found.bytes);
  told.vacuum_due_percent.set(std::llround(100 * found.vacuum_due));
  told.archive_fails.set(found.archive_fails ? 1 : 0);
  told.known.set(1);
  tell_rings(*on_, deadline_in(how_.statement_timeout));
}

/// Takes the same time whatever they hold. Who holds a table just then is not waited for.
void tidying::forget_records(timestamp now) {
  for (const auto slot : forgotten_slots(now)) {
    try {
      on_->run(records_sql, parameters{}.int4(slot), deadline_in(how_.statement_timeout));
    } catch (const database_error& why) {
      if (why.sqlstate() != "55P03")
        throw;
    }
  }
}

/// People whose bonds have run out are verified no longer. Where somebody holds one of these rows just then, its piece
/// and those behind it are left to the next round.
void tidying::lapse_bonds(timestamp now) {
  try {
    for (int piece = 0; piece < pieces_max; ++piece)
      if (on_->run(lapsed_sql, parameters{}.time(now), deadline_in(how_.statement_timeout)).value<std::int64_t>()
          < lapsed_at_once)
        return;
  } catch (const database_error& why) {
    if (why.sqlstate() != "55P03")
      throw;
  }
}

void tidying::forget_expired(const char* static_sql, timestamp before) {
  for (int piece = 0; piece < pieces_max; ++piece)
    if (on_->run(static_sql, parameters{}.time(before), deadline_in(how_.statement_timeout)).affected() < piece_rows)
      return;
}

/// A piece visits rows that none has visited before, so what stays costs nothing later.
void tidying::thin_scores(timestamp now) {
  const auto before = std::chrono::floor<std::chrono::days>(now) - history_whole_for;
  const auto with = parameters{}.int4(static_cast<std::int32_t>(before.time_since_epoch().count())).int4(piece_rows);
  for (int piece = 0; piece < pieces_max; ++piece)
    if (on_->run(tidying_history_sql, with, deadline_in(how_.statement_timeout)).value<std::int32_t>() < piece_rows)
      return;
}

// -- the actor ---------------------------------------------------------------------------------

/// Time for a round.
struct tidy_up {};
struct writer_gone {};

namespace {

constexpr auto round_every = 60s;

void try_round(tidying& tidying) {
  auto& metrics = ops::the_metrics().store;
  metrics.tidied.add();
  try {
    tidying.round();
  } catch (const database_error& why) {
    metrics.tidy_failures.add();
    ops::log(ops::level::warn, "tidying_failed", {{"sqlstate", why.sqlstate()}, {"error", why.what()}});
  }
}

class tidier : public actor {
public:
  static inline const char* name = "tidying";
  using takes = types<tidy_up, writer_gone>;

  void start(const settings::store& how, const store_status* status, const actor_ref& writer) {
    running_.emplace(how, *status);
    when_gone(writer, [me = weak_actor_ref{this_actor()}](bool, const std::string&) {
      send(actor_handle<writer_gone>{me.lock()}, writer_gone{});
    });
    after(how.tidy_after, tidy_up{});
  }
  void on(const tidy_up&) {
    try_round(*running_);
    after(round_every, tidy_up{});
  }
  void on(const writer_gone&) { quit(); }

private:
  std::optional<tidying> running_;
};

} // namespace

actor_ref spawn_tidying(caf::actor_system& sys, const settings::store& how, const store_status& status,
                        const actor_ref& writer) {
  return spawn_on_own_thread<tidier>(sys, how, &status, writer);
}

} // namespace credence::persistence
