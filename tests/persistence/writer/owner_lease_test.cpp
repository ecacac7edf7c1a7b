// The lease by which a standby knows whether it has to wait for the owner.
#include "ops/standby.hpp"
#include "tests/persistence/writer/batch_writer_fixture.hpp"

#include <gtest/gtest.h>

namespace credence::persistence {
namespace {

using namespace std::chrono_literals;

class OwnerLease : public BatchWriter {
protected:
  ~OwnerLease() override { ops::the_standby().end(); }

  std::string lease() { return text("SELECT coalesce(lease_until::text, 'none') FROM shard_owners WHERE shard = 1"); }
  std::string owner() { return text("SELECT owner FROM shard_owners WHERE shard = 1"); }
  std::string text(const char* sql) {
    return test::look_into(url).exec_params(sql, deadline_in(longest)).value<std::string>();
  }
  void set(const char* sql) { test::look_into(url).exec(sql, deadline_in(longest)); }
};

/// A writer that waits for the lease of whoever owns the database.
class PatientWriter : public OwnerLease {
protected:
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
  bool waits() {
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

} // namespace
} // namespace credence::persistence
