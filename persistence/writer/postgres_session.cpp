#include "persistence/writer/write_session.hpp"

#include "persistence/migrations/migrate.hpp"
#include "persistence/writer/batch_encoder.hpp"

#include <string>

namespace credence::persistence {

namespace {

using namespace std::chrono_literals;

constexpr auto connect_slice = 20ms; // the writer's mailbox waits this long at most

// As `owns_sql`, and renews the lease. It waits for nothing: a row that somebody has locked keeps its lease until the
// next time, and a beat that a crash of PostgreSQL loses is followed by others, so that its commit waits for no disk
// and no standby.
constexpr auto renew_sql =
  "WITH mine AS (SELECT FROM shard_owners WHERE shard = $1::int4 AND owner = $2::text AND epoch >= $3::int8"
  "  FOR NO KEY UPDATE SKIP LOCKED),"
  " beat AS (UPDATE shard_owners SET lease_until = clock_timestamp() + $4::int8 * interval '1 second'"
  "  WHERE shard = $1::int4 AND EXISTS (SELECT FROM mine))"
  " SELECT clock_timestamp() AS now, set_config('synchronous_commit', 'off', true) FROM shard_owners"
  " WHERE shard = $1::int4 AND owner = $2::text AND epoch >= $3::int8";

// An owner is one process, which may have taken over once more without having heard of it. A standby may not have heard
// of the next owner.
constexpr auto owns_sql =
  "SELECT clock_timestamp() AS now FROM shard_owners WHERE shard = $1::int4 AND owner = $2::text AND epoch >= $3::int8"
  " AND NOT pg_is_in_recovery()";

/// `before` is the other end of the session before this one, until it is replaced.
class postgres_session final : public write_session {
public:
  postgres_session(connection on, backend& before, const std::string& application_name)
    : on_(std::move(on)), before_(before), application_name_(application_name) {}

  ownership take_over(const claim& mine, const std::optional<batch_id>& doubtful, steady_time deadline) override {
    refuse_unfit(deadline);
    end_backend(on_, before_, application_name_, deadline);
    const auto here = read_backend(on_, deadline);
    const auto found = persistence::take_over(on_, mine, doubtful, deadline);
    before_ = here;
    next_beat_ = steady_clock::now() + owner_beat_every;
    return found;
  }

  std::optional<lease> lease_of_another(const claim& mine, steady_time deadline) override {
    refuse_unfit(deadline);
    return persistence::lease_of_another(on_, mine, deadline);
  }

  void give_back(const claim& mine, steady_time deadline) override { persistence::give_back(on_, mine, deadline); }

  void prepare(steady_time deadline) override { batch_encoder::prepare(on_, deadline); }

  void commit(const batch& batch, const claim& mine, steady_time deadline) override {
    const auto answers = on_.pipeline(encoder_.encode(batch, mine), deadline);
    if (encoder_.lone() && answers.front().affected() != 1) // nothing was changed; the long way tells why
      on_.pipeline(encoder_.encode_long(batch, mine), deadline);
  }

  std::optional<timestamp> owns(const claim& mine, steady_time deadline) override {
    auto with = parameters{}.int4(static_cast<std::int32_t>(mine.of)).text(mine.owner).int8(mine.epoch);
    const auto now_in = [](const rows& found) {
      return found.empty() ? std::nullopt : std::optional{found.first<timestamp>("now")};
    };
    if (mine.of != shard::service || steady_clock::now() < next_beat_)
      return now_in(on_.run(owns_sql, with, deadline));
    next_beat_ = steady_clock::now() + owner_beat_every;
    try {
      auto for_longer = with;
      return now_in(on_.run(renew_sql, for_longer.int8(owner_lease.count()), deadline));
    } catch (const database_error& why) {
      if (why.why() != trouble::refused) // it can be read, if not written
        throw;
      return now_in(on_.run(owns_sql, with, deadline));
    }
  }

private:
  void refuse_unfit(steady_time deadline) {
    if (const auto why = unfit(on_, deadline))
      throw database_error(trouble::usage, {}, *why);
    if (const auto* why = what_to_do(check_schema(on_, deadline)))
      throw database_error(trouble::usage, {}, why);
  }

  connection on_;
  backend& before_;
  const std::string& application_name_;
  batch_encoder encoder_;
  steady_time next_beat_{};
};

class postgres final : public write_sessions {
public:
  postgres(const settings::store& how, std::string application_name) : how_(how) {
    session_.application_name = std::move(application_name);
    // A statement that takes too long is ended by the server before this side gives up: its outcome is known then, and
    // the connection stands.
    session_.statement_timeout = how.statement_timeout * 3 / 4;
    // A lock is waited for less long than the answer: the batch is then refused, not in doubt.
    session_.lock_timeout = how.statement_timeout / 2;
    // Plans are made once, and must not read a whole table because it was small then.
    session_.options = "-c plan_cache_mode=force_generic_plan -c enable_seqscan=off"
                       // Who has waited for another's records must see them.
                       " -c default_transaction_isolation=read\\ committed";
  }

  std::unique_ptr<write_session> connect() override {
    try {
      if (!attempt_)
        attempt_.emplace(how_.database_url, session_, how_.connect_timeout);
      auto fresh = attempt_->go_on(connect_slice);
      if (!fresh)
        return nullptr;
      attempt_.reset();
      return std::make_unique<postgres_session>(std::move(*fresh), last_, session_.application_name);
    } catch (const database_error&) {
      attempt_.reset();
      throw;
    }
  }

private:
  settings::store how_;
  session session_;
  std::optional<connecting> attempt_;
  backend last_;
};

} // namespace

std::unique_ptr<write_sessions> postgres_sessions(const settings::store& how, std::string application_name) {
  return std::make_unique<postgres>(how, std::move(application_name));
}

} // namespace credence::persistence
