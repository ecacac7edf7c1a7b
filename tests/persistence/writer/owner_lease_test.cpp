#include "ops/chain_metrics.hpp"
#include "ops/standby.hpp"
#include "tests/persistence/postgres/cutting_proxy.hpp"
#include "tests/persistence/writer/batch_writer_fixture.hpp"

// The lease by which a standby knows whether it has to wait for the owner.
namespace credence::persistence {
namespace {

using namespace std::chrono_literals;

struct OwnerLease : BatchWriter {
  ~OwnerLease() override { ops::the_standby().end(); }

  std::string lease() { return text("SELECT coalesce(lease_until::text, 'none') FROM shard_owners WHERE shard = 1"); }
  std::string owner() { return text("SELECT owner FROM shard_owners WHERE shard = 1"); }
  std::string text(const char* sql) {
    return test::look_into(url).exec_params(sql, deadline_in(longest)).value<std::string>();
  }
  void set(const char* sql) { test::look_into(url).exec(sql, deadline_in(longest)); }
};

/// A writer that waits for the lease of whoever owns the database.
struct PatientWriter : OwnerLease {
  PatientWriter() {
    claim mine;
    mine.patient = true;
    patient_ = std::make_unique<batch_writer>(
      how, its_status, [](const write_listener&, const write_outcome&) {}, postgres_sessions(how, "credence-writer"),
      clock_source{}, mine);
  }

  template <class Done>
  bool patient_works_until(Done done) {
    const auto until = steady_clock::now() + longest;
    while (!done()) {
      if (steady_clock::now() > until)
        return false;
      std::this_thread::sleep_until(std::min(patient_->work(), steady_clock::now() + 10ms));
    }
    return true;
  }
  /// While the owner, which does nothing meanwhile, has a lease.
  bool waits() {
    set("UPDATE shard_owners SET lease_until = clock_timestamp() + interval '1 hour'");
    return patient_works_until([] {
      const auto told = ops::the_standby().now();
      return told && !told->owner.empty();
    });
  }

  store_status its_status;
  std::unique_ptr<batch_writer> patient_;
};

TEST_F(OwnerLease, IsRenewedWhileTheOwnerIsIdleAndWhileItWrites) {
  ASSERT_TRUE(connect());
  const auto first = lease();
  EXPECT_NE(first, "none");
  ASSERT_TRUE(work_until([&] { return lease() != first; }));
  const auto idle = lease();
  const auto epoch = text("SELECT epoch::text FROM shard_owners WHERE shard = 1");
  int voter = 0;
  ASSERT_TRUE(work_until([&] {
    if (writer().settled(writer().taken()))
      send(1, vote(1, 1 + ++voter % 20));
    return lease() != idle;
  }));
  EXPECT_EQ(text("SELECT epoch::text FROM shard_owners WHERE shard = 1"), epoch);
}

TEST_F(OwnerLease, IsLeftAsItIsWhileSomebodyHasTheRowLockedAndNothingWaitsForThat) {
  ASSERT_TRUE(connect());
  auto holder = test::look_into(url);
  transaction held{holder, deadline_in(longest)};
  holder.exec("SELECT FROM shard_owners FOR UPDATE", deadline_in(longest));
  const auto first = lease();
  const auto until = steady_clock::now() + 2 * owner_beat_every;
  bool always = true;
  work_until([&] {
    always = always && writer().connected();
    return steady_clock::now() > until;
  });
  EXPECT_TRUE(always);
  EXPECT_EQ(lease(), first);
}

TEST_F(OwnerLease, IsGivenBackByAnOwnerThatEnds) {
  ASSERT_TRUE(connect());
  send(1, vote(1, 1));
  writer().finish(steady_clock::now() + longest);
  EXPECT_EQ(count(1, write_result::stored), 1u);
  EXPECT_EQ(lease(), "none");
}

TEST_F(PatientWriter, WaitsForTheOwnerAndTakesOverOnceItsLeaseHasEnded) {
  ASSERT_TRUE(connect());
  ASSERT_TRUE(waits());
  EXPECT_EQ(ops::the_standby().now()->owner, mine.owner);
  EXPECT_FALSE(patient_->connected());
  EXPECT_FALSE(its_status.owned);
  set("UPDATE shard_owners SET lease_until = clock_timestamp() - interval '1 ms'");
  ASSERT_TRUE(patient_works_until([&] { return patient_->connected(); }));
  EXPECT_TRUE(its_status.writable);
  EXPECT_NE(owner(), mine.owner);
  EXPECT_TRUE(work_until([&] { return status.superseded.load(); })) << "the epoch shuts it out";
}

TEST_F(PatientWriter, TakesOverFromAnOwnerThatRenewsNothingThoughTheClockOfTheDatabaseHasGoneBack) {
  ASSERT_TRUE(connect());
  ASSERT_TRUE(waits());
  writer().finish(steady_clock::now() + longest);
  set("UPDATE shard_owners SET lease_until = clock_timestamp() + interval '1 day'");
  ASSERT_TRUE(patient_works_until([&] { return patient_->connected(); }));
  EXPECT_NE(owner(), mine.owner);
}

TEST_F(PatientWriter, TakesOverAtOnceWhereTheLeaseWasGivenBack) {
  ASSERT_TRUE(connect());
  ASSERT_TRUE(waits());
  writer().finish(steady_clock::now() + longest);
  EXPECT_TRUE(patient_works_until([&] { return patient_->connected(); }));
}

TEST_F(PatientWriter, SaysWhyItCouldNotTakeOverWhileItWaits) {
  ASSERT_TRUE(connect());
  ASSERT_TRUE(waits());
  set("INSERT INTO schema_migrations (version, name, checksum) SELECT version + 1, 'of the future', checksum"
      " FROM schema_migrations ORDER BY version DESC LIMIT 1");
  EXPECT_TRUE(patient_works_until([] {
    const auto told = ops::the_metrics().store.trouble.read();
    return told && told->text.find("newer") != std::string::npos;
  }));
  EXPECT_FALSE(patient_->connected());
  EXPECT_FALSE(ops::the_standby().now()->able);
  set("DELETE FROM schema_migrations WHERE name = 'of the future'");
  EXPECT_TRUE(patient_works_until([] { return ops::the_standby().now()->able; }));
}

using test::number_from;
using test::run_sql;

/// The two writers of a process: of what clients write, and of what comes from a chain.
struct ChainWriter : BatchWriter {
  struct one {
    explicit one(const settings::store& how, const claim& who)
      : one(how, who, postgres_sessions(how, who.of == shard::chain ? "credence-chain-writer" : "credence-writer")) {}
    one(const settings::store& how, const claim& who, std::unique_ptr<write_sessions> sessions)
      : writer(
        how, status,
        [this](const write_listener&, const write_outcome& outcome) {
          if (outcome.result == write_result::stored)
            stored += outcome.count;
          if (outcome.result == write_result::not_written)
            not_written += outcome.count;
          if (outcome.result == write_result::too_long)
            too_long += outcome.count;
        },
        std::move(sessions), {}, who) {}
    void send(change change) {
      writer.take({{1, 0}, std::move(change), write_listener{}, steady_clock::now() + longest});
    }
    template <class Done>
    bool work_until(Done done, std::chrono::seconds timeout = longest) {
      const auto until = steady_clock::now() + timeout;
      while (!done() && steady_clock::now() < until)
        std::this_thread::sleep_until(std::min(writer.work(), steady_clock::now() + 10ms));
      return done();
    }
    bool connect() {
      return work_until([this] { return writer.connected(); });
    }
    bool work_off() {
      return work_until([this] { return writer.settled(writer.taken()); });
    }

    store_status status;
    std::uint32_t stored = 0;
    std::uint32_t not_written = 0;
    std::uint32_t too_long = 0;
    batch_writer writer;
  };

  std::unique_ptr<one> of_service(const std::string& owner) {
    return std::make_unique<one>(how, claim{owner, 0, shard::service});
  }
  std::unique_ptr<one> of_chain(const std::string& owner) {
    return std::make_unique<one>(how, claim{owner, 0, shard::chain});
  }

  static change score(int user, int value) {
    return score::score_changed{user_id{user},          value, {value}, score::day{std::chrono::days{20000}}, "a test",
                                timestamp{1767225600s}, 0};
  }
};

TEST_F(ChainWriter, WritesOnceItsProcessOwnsTheService) {
  auto chain = of_chain(mine.owner);
  EXPECT_FALSE(chain->work_until([&] { return chain->writer.connected(); }, 1s))
    << "nobody said that this process owns anything";
  EXPECT_FALSE(chain->status.superseded);
  ASSERT_TRUE(connect());
  ASSERT_TRUE(chain->connect());
  chain->send(score(3, 1300));
  ASSERT_TRUE(chain->work_off());
  EXPECT_EQ(chain->stored, 1u);
  EXPECT_EQ(number_from(url, "SELECT score FROM users WHERE id = 3"), 1300);
  send(1, vote(1, 1));
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(1, write_result::stored), 1u) << "each has batches of its own";
}

TEST_F(ChainWriter, IsShutOutWithItsProcess) {
  ASSERT_TRUE(connect());
  auto chain = of_chain(mine.owner);
  ASSERT_TRUE(chain->connect());
  auto late = of_chain(mine.owner); // never got round to connecting
  auto newer = of_service("credence-newer");
  ASSERT_TRUE(newer->connect());
  chain->send(score(3, 1300));
  ASSERT_TRUE(chain->work_off());
  EXPECT_TRUE(chain->status.superseded) << "though nobody has taken the chain's shard by itself yet";
  EXPECT_EQ(chain->stored, 0u);
  EXPECT_FALSE(late->work_until([&] { return late->writer.connected(); }, 1s));
  auto newer_chain = of_chain("credence-newer");
  ASSERT_TRUE(newer_chain->connect());
  newer_chain->send(score(3, 1400));
  ASSERT_TRUE(newer_chain->work_off());
  EXPECT_EQ(number_from(url, "SELECT score FROM users WHERE id = 3"), 1400);
}

TEST_F(ChainWriter, GoesOnWhenTheServiceConnectsAnew) {
  ASSERT_TRUE(connect());
  auto chain = of_chain(mine.owner);
  ASSERT_TRUE(chain->connect());
  run_sql(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'credence-writer' AND "
               "datname = current_database()");
  send(1, vote(1, 1));
  ASSERT_TRUE(work_off());
  ASSERT_TRUE(connect());
  chain->send(score(3, 1300));
  ASSERT_TRUE(chain->work_off());
  EXPECT_EQ(chain->stored, 1u);
  EXPECT_FALSE(chain->status.superseded);
}

TEST_F(ChainWriter, HearsOfItsLastBatchAlsoAfterAnotherProcessHasWritten) {
  ASSERT_TRUE(connect());
  test::cutting_proxy proxy{test::shared_postgres().directory().string()};
  auto here = how;
  here.database_url = secret{proxy.through(url)};
  one chain{here, claim{mine.owner, 0, shard::chain}};
  ASSERT_TRUE(chain.connect());
  proxy.cut_next(test::cutting_proxy::moment::after);
  chain.send(score(3, 1300));
  ASSERT_TRUE(chain.work_until([&] { return !chain.writer.connected(); }));
  EXPECT_EQ(chain.stored, 0u) << "nobody knows yet";
  auto newer = of_service("credence-newer");
  ASSERT_TRUE(newer->connect());
  auto newer_chain = of_chain("credence-newer");
  ASSERT_TRUE(newer_chain->connect());
  newer_chain->send(score(4, 1400));
  ASSERT_TRUE(newer_chain->work_off());
  ASSERT_TRUE(chain.work_off());
  EXPECT_EQ(chain.stored, 1u);
  EXPECT_TRUE(chain.status.superseded);
}

TEST_F(ChainWriter, IsWaitedForByWhoTakesItsProcessOver) {
  ASSERT_TRUE(connect());
  auto chain = of_chain(mine.owner);
  ASSERT_TRUE(chain->connect());
  auto under_way = test::look_into(url); // a batch of the chain that is being written
  under_way.exec("BEGIN; SELECT lock_records(); UPDATE shard_owners SET sequence = sequence + 1 WHERE shard = 2",
                 deadline_in(longest));
  auto newer = of_service("credence-newer");
  EXPECT_FALSE(newer->work_until([&] { return newer->writer.connected(); }, 2s));
  under_way.exec("ROLLBACK", deadline_in(longest));
  EXPECT_TRUE(newer->connect());
}

TEST_F(ChainWriter, HoldsUpRecordsOfTheServiceAndNoVotes) {
  how.statement_timeout = 6s; // a lock is waited for half as long
  ASSERT_TRUE(connect());
  auto records = test::look_into(url); // what a batch of a chain holds while it is written
  records.exec("BEGIN; SELECT lock_records()", deadline_in(longest));
  send(1, vote(1, 1)); // by the short way
  ASSERT_TRUE(work_off());
  send(1, vote(1, 2)), send(1, vote(1, 3));
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(1, write_result::stored), 3u);
  send(2, score(3, 1300)), send(1, vote(1, 4));
  writer().work(); // it waits as long as a lock may be waited for
  EXPECT_EQ(count(2, write_result::stored) + count(2, write_result::in_doubt), 0u);
  EXPECT_EQ(count(1, write_result::stored), 3u) << "a vote in a batch with records waits with them";
  EXPECT_TRUE(status.writable) << "to wait for the other writer is no outage";
  records.exec("COMMIT", deadline_in(longest));
  ASSERT_TRUE(work_off());
  EXPECT_EQ(count(2, write_result::stored), 1u);
  EXPECT_EQ(count(1, write_result::stored), 4u);
}

/// Sessions of PostgreSQL, of which the first batch is not answered in time and does not arrive.
class late_once final : public write_sessions {
public:
  explicit late_once(std::unique_ptr<write_sessions> real) : real_(std::move(real)) {}
  std::unique_ptr<write_session> connect() override {
    auto made = real_->connect();
    return made ? std::make_unique<late>(std::move(made), was_late_) : nullptr;
  }

private:
  struct late final : write_session {
    late(std::unique_ptr<write_session> behind, bool& was_late) : real(std::move(behind)), done(was_late) {}
    ownership take_over(const claim& mine, const std::optional<batch_id>& doubtful, steady_time deadline) override {
      return real->take_over(mine, doubtful, deadline);
    }
    void prepare(steady_time deadline) override { real->prepare(deadline); }
    void commit(const batch& batch, const claim& mine, steady_time deadline) override {
      if (!std::exchange(done, true))
        throw database_error(trouble::deadline, {}, "the database did not answer in time");
      real->commit(batch, mine, deadline);
    }
    std::optional<timestamp> owns(const claim& mine, steady_time deadline) override {
      return real->owns(mine, deadline);
    }

    std::unique_ptr<write_session> real;
    bool& done;
  };

  std::unique_ptr<write_sessions> real_;
  bool was_late_ = false;
};

TEST_F(ChainWriter, GivesBackWhatWasNotAnsweredInTimeSoThatItComesInSmallerSteps) {
  ASSERT_TRUE(connect());
  one chain{how, claim{mine.owner, 0, shard::chain},
            std::make_unique<late_once>(postgres_sessions(how, "credence-chain-writer"))};
  ASSERT_TRUE(chain.connect());
  chain.send(score(3, 1300));
  ASSERT_TRUE(chain.work_off());
  EXPECT_EQ(chain.too_long, 1u) << "as it was it would take as long again";
  EXPECT_EQ(chain.stored, 0u);
  chain.writer.take({{2, 0}, score(3, 1400), write_listener{}, steady_clock::now() + longest});
  ASSERT_TRUE(chain.work_off());
  EXPECT_EQ(chain.stored, 1u);
  EXPECT_EQ(number_from(url, "SELECT score FROM users WHERE id = 3"), 1400);
}

TEST_F(ChainWriter, AndTheServicesNeverWaitForEachOtherInACircle) {
  how.statement_timeout = longest; // PostgreSQL finds a circle before anybody gives a lock up
  ASSERT_TRUE(connect());
  auto chain = of_chain(mine.owner);
  ASSERT_TRUE(chain->connect());
  const auto refused_batches = [] {
    return ops::the_metrics().store.batch_failures.value() + ops::the_chain_metrics().writer.batch_failures.value();
  };
  const auto refused_before = refused_batches();
  std::atomic<bool> over{false};
  std::thread beside{[&] {
    for (int value = 1000; !over || value < 1200; ++value) {
      chain->send(score(1 + value % 20, value % 2000));
      ASSERT_TRUE(chain->work_off());
    }
  }};
  for (int period = 1; period <= 40; ++period) {
    const auto month = std::chrono::months{period};
    const auto begin = timestamp{std::chrono::sys_days{(std::chrono::year{2026} / 1 + month) / 1}};
    const auto end = timestamp{std::chrono::sys_days{(std::chrono::year{2026} / 2 + month) / 1}};
    send(1, vote(1, 1 + period % 20, period));
    send(2, score(1 + period % 20, 1500));
    send(9, period::period_advanced{
              period_id{period}, period::voting_period{
                                   period_id{period + 1}, 2026 + period / 12, 1 + period % 12, begin, end, {}, 20, 5}});
    EXPECT_TRUE(work_off());
  }
  over = true;
  beside.join();
  EXPECT_EQ(count(9, write_result::stored), 40u);
  EXPECT_EQ(count(2, write_result::stored), 40u);
  EXPECT_GE(chain->stored, 200u);
  EXPECT_EQ(refused_batches(), refused_before) << "a deadlock is one that PostgreSQL refuses";
}

} // namespace
} // namespace credence::persistence
