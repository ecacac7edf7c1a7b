#include "http/server/bounds.hpp"

#include "tests/http/server/small_server.hpp"
#include "tests/waiting.hpp"

#include <vector>

namespace credence::http {
namespace {

using namespace std::chrono_literals;
using test::request;
using test::wire;

// -- the gate --------------------------------------------------------------------------------

const steady_time noon{12h};
constexpr std::nullopt_t nothing = std::nullopt;

TEST(WriteGateTest, HasAsManyPlacesAsItWasTold) {
  write_gate gate{2, 500ms};
  place one, two, three;
  EXPECT_TRUE(gate.admit(one, nothing, noon));
  EXPECT_TRUE(gate.admit(two, nothing, noon));
  EXPECT_FALSE(gate.admit(three, nothing, noon));
  one.give_back();
  EXPECT_TRUE(gate.admit(three, nothing, noon));
}

TEST(WriteGateTest, HasNoBoundWhenItIsNone) {
  write_gate gate{0, 500ms};
  std::vector<place> many(100);
  for (auto& each : many)
    EXPECT_TRUE(gate.admit(each, noon - 1s, noon));
}

TEST(WriteGateTest, LetsNobodyInEarlyWhileMoreThanThreeQuartersAreTaken) {
  write_gate gate{8, 500ms};
  std::vector<place> five(5);
  place sixth, seventh, early;
  for (auto& each : five)
    EXPECT_TRUE(gate.admit(each, nothing, noon));
  EXPECT_EQ(gate.room_for_early(noon), 1);
  EXPECT_TRUE(gate.admit(early, noon - 1s, noon));
  EXPECT_EQ(gate.room_for_early(noon), 0);
  early.give_back();
  EXPECT_TRUE(gate.admit(sixth, nothing, noon));
  EXPECT_TRUE(gate.admit(seventh, nothing, noon));
  EXPECT_FALSE(gate.admit(early, noon + 9s, noon + 10s)) << "however long ago the last one came";
}

TEST(WriteGateTest, LetsNobodyInWhoMayHaveAskedInACrowd) {
  write_gate gate{2, 500ms};
  place one, two, early;
  for (auto* each : {&one, &two})
    EXPECT_TRUE(gate.admit(*each, nothing, noon + 10ms));
  one.give_back();
  two.give_back();
  EXPECT_FALSE(gate.admit(early, noon, noon + 10s));
  EXPECT_TRUE(gate.admit(one, nothing, noon + 20ms)) << "who is not early gets in";
  one.give_back();
  EXPECT_TRUE(gate.admit(early, noon + 20ms, noon + 30ms)) << "refused after the crowd";
}

TEST(WriteGateTest, HasRoomForThoseWhoComeEarlyAfterOnePauseOfCalm) {
  write_gate gate{2, 500ms};
  place one, two;
  EXPECT_EQ(gate.room_for_early(noon), 1);
  for (auto* each : {&one, &two})
    EXPECT_TRUE(gate.admit(*each, nothing, noon));
  EXPECT_EQ(gate.room_for_early(noon + 10s), 0);
  one.give_back();
  two.give_back();
  EXPECT_EQ(gate.room_for_early(noon + 490ms), 0);
  EXPECT_EQ(gate.room_for_early(noon + 500ms), 1);
}

// -- the server ------------------------------------------------------------------------------

/// One write fits.
struct WritesBoundTest : test::small_server {
  WritesBoundTest() {
    how.writes_in_flight_max = 1;
    refused_pause = 1s; // long enough to be seen
  }
  /// Takes the only place, until `release`.
  void fill() {
    inside.emplace(port());
    inside->send(hold);
    wait_for_held(1);
  }
  void empty() {
    release();
    EXPECT_EQ(inside->next().status, 200);
  }
  bool paused_become(std::int64_t count) {
    return credence::test::comes_true([&] { return ops::the_metrics().http.paused.value() == count; });
  }

  const std::string hold = request("POST", "/api/v2/ask/hold");
  const std::string now = request("POST", "/api/v2/ask/now");
  const std::string read = request("GET", "/api/v2/hello/you");
  std::optional<wire> inside;
};

TEST_F(WritesBoundTest, RefusesBeyondItAndSaysWhenToComeBack) {
  fill();
  const auto before = ops::the_metrics().http.writes_refused.value();
  const auto refused = ask(now);
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.header("retry-after"), "1");
  EXPECT_EQ(refused.header("connection"), "keep-alive") << "it stays";
  EXPECT_NE(refused.body.find(R"("code":"SERVICE_UNAVAILABLE")"), std::string::npos) << refused.body;
  EXPECT_EQ(ops::the_metrics().http.writes_refused.value(), before + 1);
  expect_alive();
  EXPECT_EQ(get("/api/v2/ask/now").status, 200) << "reads are not counted";
  empty();
  EXPECT_EQ(ask(now).status, 200);
}

TEST_F(WritesBoundTest, DoesNotLookAtTheCredentialOfWhomItRefuses) {
  fill();
  const auto refused = ask(request("POST", "/api/v2/mine", "Authorization: Bearer nobody\r\n"));
  EXPECT_EQ(refused.status, 503);
  EXPECT_FALSE(refused.has("www-authenticate"));
  empty();
  EXPECT_EQ(ask(request("POST", "/api/v2/mine", "Authorization: Bearer nobody\r\n")).status, 401);
}

TEST_F(WritesBoundTest, CountsNoRefusalAgainstTheCaller) {
  how.rate_limits = true;
  how.rate_write = {1, 1h, 2};
  fill();
  const auto named = request("POST", "/api/v2/ask/now", "X-Service-Client: bot@1.0\r\n");
  for (int i = 0; i < 5; ++i) {
    const auto refused = ask(named);
    EXPECT_EQ(refused.status, 503);
    EXPECT_FALSE(refused.has("ratelimit"));
  }
  empty();
  EXPECT_EQ(ask(named).status, 200);
}

TEST_F(WritesBoundTest, ReadsNothingFromWhomItRefusedForAPause) {
  fill();
  wire hasty{port()};
  hasty.send(now);
  const auto before = steady_clock::now();
  hasty.send(now);
  EXPECT_EQ(hasty.next().status, 503);
  EXPECT_TRUE(paused_become(1));
  expect_alive();
  EXPECT_EQ(hasty.next().status, 503) << "still no room";
  EXPECT_GE(steady_clock::now() - before, refused_pause);
  hasty.send(read); // not a write, but nothing is read
  EXPECT_EQ(hasty.next().body, R"({"said":"you"})");
  EXPECT_GE(steady_clock::now() - before, 2 * refused_pause);
  EXPECT_EQ(hasty.send(read).next().status, 200);
}

TEST_F(WritesBoundTest, AnswersWhatWasSentAtOnceInItsOrder) {
  fill();
  wire hasty{port()};
  hasty.send(now + read + now).end_of_input();
  EXPECT_EQ(hasty.next().status, 503);
  EXPECT_EQ(hasty.next().status, 200);
  EXPECT_EQ(hasty.next().status, 503);
  EXPECT_TRUE(hasty.ended());
}

TEST_F(WritesBoundTest, ServesWhoCameEarlyOnceThereIsCalm) {
  fill();
  wire hasty{port()};
  EXPECT_EQ(hasty.send(now).next().status, 503);
  empty();
  EXPECT_EQ(hasty.send(now).next().status, 200);
}

TEST_F(WritesBoundTest, ServesWhoWaitedAtOnce) {
  fill();
  wire patient{port()};
  EXPECT_EQ(patient.send(now).next().status, 503);
  EXPECT_TRUE(paused_become(1));
  EXPECT_TRUE(paused_become(0));
  empty();
  EXPECT_EQ(patient.send(now).next().status, 200);
  EXPECT_EQ(ops::the_metrics().http.paused.value(), 0);
}

TEST_F(WritesBoundTest, NoticesAfterThePauseThatAClientHasGone) {
  fill();
  const auto before = ops::the_metrics().http.connections.value();
  {
    wire gone{port()};
    EXPECT_EQ(gone.send(now).next().status, 503);
    EXPECT_TRUE(paused_become(1));
  }
  EXPECT_TRUE(paused_become(0));
  EXPECT_TRUE(credence::test::await("the end of that connection",
                                    [&] { return ops::the_metrics().http.connections.value() == before; }));
}

TEST_F(WritesBoundTest, DoesNotWaitForWhoPausesWhenItDrains) {
  refused_pause = 1h;
  fill();
  wire waits{port()};
  EXPECT_EQ(waits.send(now).next().status, 503);
  EXPECT_TRUE(paused_become(1));
  empty();
  EXPECT_TRUE(running().drain(60s));
  EXPECT_TRUE(waits.ended());
  EXPECT_EQ(ops::the_metrics().http.paused.value(), 0);
}

TEST_F(WritesBoundTest, StopsWhileSomebodyPauses) {
  refused_pause = 1h;
  fill();
  wire waits{port()};
  EXPECT_EQ(waits.send(now).next().status, 503);
  EXPECT_TRUE(paused_become(1));
  running().stop();
}

} // namespace
} // namespace credence::http
