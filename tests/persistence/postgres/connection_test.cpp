#include "persistence/postgres/connection.hpp"

#include "tests/persistence/database.hpp"
#include "tests/waiting.hpp"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <limits>
#include <stdexcept>
#include <thread>

namespace credence::persistence {
namespace {

using namespace std::chrono_literals;

constexpr auto in_time = 60s;

/// An empty database that these tests share.
const std::string& any_database() {
  static const std::string url = test::shared_postgres().url("connection_tests");
  return url;
}

connection open_one() { return test::look_into(any_database()); }

/// What `run` throws.
template <class Run>
database_error error_of(Run run) {
  try {
    run();
  } catch (const database_error& why) {
    return why;
  }
  return {trouble::usage, "none", "nothing was thrown"};
}

TEST(Connection, CarriesEveryTypeThereAndBack) {
  auto on = open_one();
  const timestamp when{1767225600123456us};
  const std::array<std::byte, 3> raw{std::byte{0}, std::byte{255}, std::byte{7}};
  parameters with;
  with.int4(-7).int8(std::numeric_limits<std::int64_t>::min()).float8(-0.125).boolean(true).text("naïve \"✓\"");
  with.bytes(raw).time(when).null();
  const auto got =
    on.exec_params("SELECT $1::int4 AS four, $2::int8 AS eight, $3::float8 AS real, $4::bool AS yes, $5::text AS words,"
                   " $6::bytea AS bytes, $7::timestamptz AS moment, $8::text AS nothing, '1999-12-31'::date AS day,"
                   " (-3)::int2 AS two",
                   with, deadline_in(in_time));
  ASSERT_EQ(got.count(), 1);
  EXPECT_EQ(got.first<std::int32_t>("four"), -7);
  EXPECT_EQ(got.first<std::int64_t>("eight"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(got.first<double>("real"), -0.125);
  EXPECT_TRUE(got.first<bool>("yes"));
  EXPECT_EQ(got.first<std::string>("words"), "naïve \"✓\"");
  EXPECT_EQ(got.first<std::string>("bytes"), (std::string_view{"\0\377\7", 3}));
  EXPECT_EQ(got.first<timestamp>("moment"), when);
  EXPECT_EQ(got.first<std::optional<std::string>>("nothing"), std::nullopt);
  EXPECT_EQ(got.first<std::chrono::sys_days>("day"), std::chrono::sys_days{std::chrono::year{1999} / 12 / 31});
  EXPECT_EQ(got.first<std::int16_t>("two"), -3);
}

TEST(Connection, CarriesArraysWithNulls) {
  auto on = open_one();
  binary_array numbers{sql_type::int4};
  binary_array words{sql_type::text};
  for (int round = 0; round < 2; ++round) { // arrays are used again
    numbers.clear();
    words.clear();
    for (int n = 1; n <= 3; ++n) {
      numbers.int4(n * 10);
      n == 2 ? words.null() : words.text("w" + std::to_string(n));
    }
  }
  parameters with;
  with.array(numbers).array(words);
  const auto got =
    on.exec_params("SELECT * FROM unnest($1::int4[], $2::text[]) AS t (number, word)", with, deadline_in(in_time));
  ASSERT_EQ(got.count(), 3);
  const column<std::int32_t> number{got, "number"};
  const column<std::optional<std::string>> word{got, "word"};
  EXPECT_EQ(number[2], 30);
  EXPECT_EQ(word[0], "w1");
  EXPECT_TRUE(word.null(1));
}

TEST(Connection, AcceptsAnEmptyArray) {
  auto on = open_one();
  binary_array none{sql_type::int8};
  parameters with;
  with.array(none);
  EXPECT_TRUE(on.exec_params("SELECT unnest($1::int8[])", with, deadline_in(in_time)).empty());
}

TEST(Connection, RefusesToReadAColumnAsAnotherType) {
  auto on = open_one();
  const auto got = on.exec_params("SELECT 1::int8 AS large, NULL::int4 AS nothing", deadline_in(in_time));
  EXPECT_EQ(error_of([&] { got.first<std::int32_t>("large"); }).why(), trouble::usage);
  EXPECT_EQ(error_of([&] { got.first<std::int32_t>("nothing"); }).why(), trouble::usage);
}

TEST(Connection, TellsARefusalByItsSqlstateAndGoesOn) {
  auto on = open_one();
  const auto why = error_of([&] { on.exec("SELECT 1/0", deadline_in(in_time)); });
  EXPECT_EQ(why.why(), trouble::refused);
  EXPECT_EQ(why.sqlstate(), "22012");
  EXPECT_EQ(why.sqlclass(), "22");
  EXPECT_EQ(on.exec_params("SELECT 5", deadline_in(in_time)).value<std::int32_t>(), 5);
}

TEST(Connection, GivesUpAtItsOwnDeadline) {
  auto on = open_one();
  const auto why = error_of([&] { on.exec("SELECT pg_sleep(60)", deadline_in(50ms)); });
  EXPECT_EQ(why.why(), trouble::deadline);
  EXPECT_FALSE(on.open());
  EXPECT_EQ(error_of([&] { on.exec("SELECT 1", deadline_in(in_time)); }).why(), trouble::lost);
}

TEST(Connection, NoticesThatItsSessionWasEnded) {
  auto on = open_one();
  auto other = open_one();
  other.exec("SELECT pg_terminate_backend(" + std::to_string(on.backend_pid()) + ", 60000)", deadline_in(in_time));
  EXPECT_EQ(error_of([&] { on.exec("SELECT 1", deadline_in(in_time)); }).why(), trouble::lost);
  EXPECT_FALSE(on.open());
}

TEST(Connection, NoticesThatItsSessionWasEndedBeforeItAsks) {
  auto on = open_one();
  auto other = open_one();
  EXPECT_TRUE(on.still_open());
  other.exec("SELECT pg_terminate_backend(" + std::to_string(on.backend_pid()) + ", 60000)", deadline_in(in_time));
  EXPECT_TRUE(test::comes_true([&] { return !on.still_open(); })) << "the end may still be on its way";
  EXPECT_FALSE(on.open());
  EXPECT_TRUE(other.still_open());
}

TEST(Connection, NeverShowsThePassword) {
  const std::string password = "hunter2-very-secret";
  const session how;
  for (const auto& url :
       {"postgresql://u:" + password + "@127.0.0.1:1/none", "host=/nonexistent user=u password=" + password,
        "postgresql://u:" + password + "@[broken/none", "password=" + password + " nonsense",
        "host=/nonexistent user=" + password + " password=" + password}) {
    const auto why = error_of([&] { connection{secret{url}, how, 5s}; });
    EXPECT_NE(why.sqlstate(), "none");
    EXPECT_EQ(std::string{why.what()}.find(password), std::string::npos);
  }
}

/// A port of this machine that takes connections and says nothing.
class silent_host {
public:
  silent_host() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof any;
    if (::bind(socket_, reinterpret_cast<sockaddr*>(&any), size) != 0 || ::listen(socket_, 16) != 0
        || ::getsockname(socket_, reinterpret_cast<sockaddr*>(&any), &size) != 0)
      throw std::runtime_error("no port for a silent host");
    port_ = ntohs(any.sin_port);
  }
  silent_host(const silent_host&) = delete;
  silent_host& operator=(const silent_host&) = delete;
  ~silent_host() { ::close(socket_); }

  std::string port() const { return std::to_string(port_); }
  /// How many have connected since the last call.
  int callers() {
    int count = 0;
    pollfd watched{socket_, POLLIN, 0};
    for (; ::poll(&watched, 1, 0) == 1; ++count)
      ::close(::accept(socket_, nullptr, nullptr));
    return count;
  }

private:
  int socket_;
  std::uint16_t port_ = 0;
};

/// A URL of the hosts, each with its port, in this order.
std::string url_of(const std::vector<std::pair<std::string, std::string>>& hosts) {
  std::string names;
  std::string ports;
  for (const auto& [name, port] : hosts) {
    names += (names.empty() ? "" : ",") + name;
    ports += (ports.empty() ? "" : ",") + port;
  }
  return "host=" + names + " port=" + ports + " user=postgres dbname=postgres";
}

TEST(SeveralHosts, OneThatDoesNotAnswerKeepsNobodyFromTheOthersAndIsTriedLastFromThenOn) {
  silent_host silent;
  const secret url{url_of({{"127.0.0.1", silent.port()}, {test::shared_postgres().directory().string(), "5432"}})};
  connection first{url, {}, 5s}; // which is how long this test takes
  EXPECT_EQ(first.exec_params("SELECT 5", deadline_in(in_time)).value<std::int32_t>(), 5);
  EXPECT_EQ(silent.callers(), 1);
  connection second{url, {}, in_time};
  EXPECT_EQ(second.exec_params("SELECT 6", deadline_in(in_time)).value<std::int32_t>(), 6);
  EXPECT_EQ(silent.callers(), 0) << "the host that was good last comes first";
}

TEST(SeveralHosts, OneThatTakesNoWritesIsPassedOver) {
  test::private_postgres frozen;
  frozen.sql("ALTER SYSTEM SET default_transaction_read_only = on", "postgres");
  frozen.stop();
  frozen.start();
  const auto hosts =
    url_of({{frozen.directory().string(), "5432"}, {test::shared_postgres().directory().string(), "5432"}});
  const auto writes = [](connection on) {
    return on.exec_params("SELECT current_setting('transaction_read_only')", deadline_in(in_time)).value<std::string>()
           == "off";
  };
  EXPECT_TRUE(writes({secret{hosts}, {}, in_time}));
  EXPECT_FALSE(writes({secret{hosts + " target_session_attrs=read-only"}, {}, in_time}))
    << "what the URL asks for goes first";
  EXPECT_FALSE(writes({secret{url_of({{frozen.directory().string(), "5432"}})}, {}, in_time}))
    << "one alone is told by its answers";
}

TEST(SeveralHosts, AreAllNamedWhereNoneIsGood) {
  silent_host silent;
  const auto why = error_of([&] {
    connection{secret{url_of({{"/nonexistent", "7"}, {"127.0.0.1", silent.port()}})}, {}, 200ms};
  });
  EXPECT_EQ(why.why(), trouble::deadline);
  const std::string text = why.what();
  EXPECT_NE(text.find("/nonexistent 7: "), std::string::npos) << text;
  EXPECT_NE(text.find("127.0.0.1 " + silent.port() + ": "), std::string::npos) << text;
  EXPECT_EQ(error_of([] { connection{secret{"host=a,b,c port=1,2"}, {}, 1s}; }).why(), trouble::usage);
}

TEST(SeveralHosts, HaveASqlstateInCommonOrNone) {
  const auto& good = test::shared_postgres().directory().string();
  const auto state_of = [](const std::vector<std::pair<std::string, std::string>>& hosts) {
    auto url = url_of(hosts);
    url.replace(url.find("dbname=postgres"), 15, "dbname=none_of_that_name");
    return error_of([&] { connection{secret{url}, {}, in_time}; }).sqlstate();
  };
  EXPECT_EQ(state_of({{good, "5432"}, {good, "5432"}}), "3D000");
  EXPECT_EQ(state_of({{"/nonexistent", "5432"}, {good, "5432"}}), "") << "the one that is away may have the database";
  EXPECT_EQ(state_of({{good, "5432"}, {"/nonexistent", "5432"}}), "");
}

TEST(Connection, DoubtsACommitThatTheServerWarnsAbout) {
  auto on = open_one();
  on.exec("DROP TABLE IF EXISTS warned", deadline_in(in_time));
  on.exec("CREATE TABLE warned (n int4)", deadline_in(in_time));
  const test::waiting_for_a_standby nobody_replicates;
  transaction one{on, deadline_in(in_time)};
  on.exec("INSERT INTO warned VALUES (1)", deadline_in(in_time));
  std::jthread canceller{[](const std::stop_token& over) { test::cancel_waits_for_a_standby(over); }};
  const auto why = error_of([&] { one.commit(deadline_in(in_time)); });
  EXPECT_EQ(why.why(), trouble::lost) << why.what();
  EXPECT_EQ(why.sqlstate(), "01000");
  EXPECT_FALSE(on.open());
  EXPECT_EQ(open_one().exec_params("SELECT count(*) FROM warned", deadline_in(in_time)).value<std::int64_t>(), 1)
    << "it is on this machine alone";
}

TEST(Connection, KeepsTheOptionsOfTheUrl) {
  connection on{secret{any_database() + " options='-c extra_float_digits=2'"}, session{}, in_time};
  EXPECT_EQ(on.exec_params("SELECT current_setting('extra_float_digits')", deadline_in(in_time)).value<std::string>(),
            "2");
  EXPECT_EQ(on.exec_params("SELECT current_setting('statement_timeout')", deadline_in(in_time)).value<std::string>(),
            "5s");
  EXPECT_EQ(on.exec_params("SELECT current_setting('client_connection_check_interval')", deadline_in(in_time))
              .value<std::string>(),
            "1s");
}

TEST(Connection, RefusesASessionThatIsNotAsItAskedFor) {
  session other;
  other.options = "-c statement_timeout=7777"; // as if somebody between had changed it
  const auto changed = error_of([&] { connection{secret{any_database()}, other, in_time}; });
  EXPECT_EQ(changed.why(), trouble::usage);
  EXPECT_TRUE(std::string_view{changed.what()}.starts_with("the settings of a session do not hold")) << changed.what();
  auto mine = open_one();
  const auto mark = mine.exec_params("SELECT current_setting('credence.session')", deadline_in(in_time));
  const auto lent = any_database() + " options='-c credence.session=" + mark.value<std::string>() + "'";
  const auto shared = error_of([&] { connection{secret{lent}, session{}, in_time}; });
  EXPECT_EQ(shared.why(), trouble::usage);
  EXPECT_TRUE(std::string_view{shared.what()}.starts_with("a new connection has the session of another"))
    << shared.what();
}

TEST(Connection, PreparesAStatementOnceAndNoticesThatItNoLongerFits) {
  auto on = open_one();
  on.exec("CREATE TABLE IF NOT EXISTS shaped (n int4)", deadline_in(in_time));
  constexpr auto all = "SELECT * FROM shaped";
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(on.run(all, deadline_in(in_time)).empty());
  EXPECT_EQ(on.exec_params("SELECT count(*) FROM pg_prepared_statements", deadline_in(in_time)).value<std::int64_t>(),
            1);
  on.exec("ALTER TABLE shaped ADD more int4", deadline_in(in_time));
  EXPECT_EQ(error_of([&] { on.run(all, deadline_in(in_time)); }).why(), trouble::lost);
  EXPECT_FALSE(on.open());
  auto another = open_one();
  EXPECT_TRUE(another.run(all, deadline_in(in_time)).empty());
}

struct Pipeline : ::testing::Test {
  Pipeline() : on(open_one()) {
    on.exec("CREATE TEMP TABLE t (n int4 CHECK (n < 100))", deadline_in(in_time));
    on.prepare("put", "INSERT INTO t VALUES ($1)", deadline_in(in_time));
    one.int4(1);
    two.int4(2);
    bad.int4(100);
  }
  std::int64_t rows_there() {
    return on.exec_params("SELECT count(*) FROM t", deadline_in(in_time)).value<std::int64_t>();
  }

  connection on;
  parameters one, two, bad;
};

TEST_F(Pipeline, CommitsAllOfItsStatements) {
  const std::array<pipelined, 2> both{pipelined{"put", &one}, pipelined{"put", &two}};
  const auto answers = test::exactly(2, on.pipeline(both, deadline_in(in_time)));
  EXPECT_EQ(answers[0].affected(), 1);
  EXPECT_EQ(rows_there(), 2);
}

TEST_F(Pipeline, RollsAllBackWhenOneIsRefused) {
  const std::array<pipelined, 3> all{pipelined{"put", &one}, pipelined{"put", &bad}, pipelined{"put", &two}};
  const auto why = error_of([&] { on.pipeline(all, deadline_in(in_time)); });
  EXPECT_EQ(why.why(), trouble::refused);
  EXPECT_EQ(why.sqlstate(), "23514");
  EXPECT_EQ(rows_there(), 0);
  const std::array<pipelined, 1> good{pipelined{"put", &one}};
  on.pipeline(good, deadline_in(in_time));
  EXPECT_EQ(rows_there(), 1);
}

TEST(Copy, BringsRowsInAndOut) {
  auto on = open_one();
  on.exec("CREATE TEMP TABLE t (n int4, word text)", deadline_in(in_time));
  binary_rows rows_in;
  int n = 0;
  const auto copied = on.copy_in(
    "COPY t FROM STDIN (FORMAT binary)",
    [&](std::string& chunk) {
      for (int i = 0; i < 1000; ++i) {
        rows_in.row(2);
        rows_in.int4(++n);
        n % 3 ? rows_in.text("word") : rows_in.null();
      }
      const bool more = n < 50000;
      if (!more)
        rows_in.end();
      chunk = rows_in.take();
      return more;
    },
    deadline_in(in_time));
  EXPECT_EQ(copied, 50000);
  const auto found =
    on.exec_params("SELECT string_agg(coalesce(word, '-'), ' ' ORDER BY n) FROM t WHERE n < 4", deadline_in(in_time));
  EXPECT_EQ(found.value<std::string>(), "word word -");
}

TEST(Copy, TellsWhatTheServerRefuses) {
  auto on = open_one();
  on.exec("CREATE TEMP TABLE t (n int4)", deadline_in(in_time));
  const auto once = [](std::string& chunk) {
    chunk = "not a number\n";
    return false;
  };
  EXPECT_EQ(error_of([&] { on.copy_in("COPY t FROM STDIN", once, deadline_in(in_time)); }).sqlstate(), "22P02");
  EXPECT_EQ(error_of([&] { on.copy_in("COPY none FROM STDIN", once, deadline_in(in_time)); }).sqlstate(), "42P01");
  EXPECT_EQ(on.exec_params("SELECT 5", deadline_in(in_time)).value<std::int32_t>(), 5);
}

TEST(Copy, LeavesNothingWhenTheSourceThrows) {
  auto on = open_one();
  on.exec("CREATE TABLE IF NOT EXISTS half_copied (n int4)", deadline_in(in_time));
  EXPECT_THROW(on.copy_in(
                 "COPY half_copied FROM STDIN", [](std::string&) -> bool { throw std::runtime_error("no more"); },
                 deadline_in(in_time)),
               std::runtime_error);
  EXPECT_FALSE(on.open());
  EXPECT_EQ(test::how_many(any_database(), "half_copied"), 0);
}

TEST(Transaction, RollsBackUnlessCommitted) {
  auto on = open_one();
  on.exec("CREATE TEMP TABLE t (n int4)", deadline_in(in_time));
  {
    transaction dropped{on, deadline_in(in_time)};
    on.exec("INSERT INTO t VALUES (1)", deadline_in(in_time));
  }
  {
    transaction kept{on, deadline_in(in_time)};
    on.exec("INSERT INTO t VALUES (2)", deadline_in(in_time));
    kept.commit(deadline_in(in_time));
  }
  const auto got = on.exec_params("SELECT n FROM t", deadline_in(in_time));
  ASSERT_EQ(got.count(), 1);
  EXPECT_EQ(got.value<std::int32_t>(), 2);
}

} // namespace
} // namespace credence::persistence
