#include "http/routes.hpp"
#include "http/server/packer.hpp"
#include "http/server/route_table.hpp"
#include "tests/http/server/small_server.hpp"
#include "tests/waiting.hpp"

#include <zlib.h>

#include <random>
#include <sstream>
#include <string>

namespace credence::http {

/// What was packed with gzip; empty for what was not, or not to its end.
inline std::string unpacked(const std::string& packed) {
  z_stream stream{};
  if (inflateInit2(&stream, MAX_WBITS + 16) != Z_OK)
    return {};
  std::string copy = packed;
  std::string out(std::size_t{1} << 21, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const bool whole = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0;
  out.resize(whole ? stream.total_out : 0);
  inflateEnd(&stream);
  return out;
}

namespace {

/// Requests whose handlers wait for actors.
class Exchange : public test::small_server {};
using test::request;
using test::wire;

TEST_F(Exchange, WaitsForTheAnswersOfActors) {
  EXPECT_EQ(get("/api/v2/ask/now").body, R"({"said":"now"})");
  EXPECT_EQ(get("/api/v2/ask/twice").body, R"({"said":"now"})");
  const auto no = get("/api/v2/ask/refuse");
  EXPECT_EQ(no.status, 400);
  EXPECT_EQ(no.body, R"({"message":"once is enough","code":"ALREADY_VOTED"})");
  const auto busy = get("/api/v2/ask/fail");
  EXPECT_EQ(busy.status, 429);
  EXPECT_EQ(busy.header("retry-after"), "1");
}

TEST_F(Exchange, Answers503ForAQuestionThatAnActorDropped) {
  const auto came = get("/api/v2/ask/drop");
  EXPECT_EQ(came.status, 503);
  EXPECT_EQ(came.header("retry-after"), "1");
}

TEST_F(Exchange, TellsOfAnUnknownOutcomeWhereSomethingMayHaveBeenWritten) {
  how.answer_timeout = std::chrono::milliseconds{50};
  const auto knows = [this](const char* verb, const std::string& path) {
    wire one{port()};
    const auto came = one.send(request(verb, path)).next();
    EXPECT_EQ(came.status, 503) << verb << ' ' << path;
    return came.body.find("the outcome is unknown") == std::string::npos;
  };
  for (const auto* how_it_ends : {"drop", "hold"}) {
    EXPECT_TRUE(knows("GET", std::string{"/api/v2/ask/"} + how_it_ends));
    EXPECT_TRUE(knows("POST", std::string{"/api/v2/look/"} + how_it_ends));
    EXPECT_FALSE(knows("POST", std::string{"/api/v2/ask/"} + how_it_ends));
  }
}

TEST_F(Exchange, Answers503AtTheDeadlineAndDropsTheLateAnswer) {
  how.answer_timeout = std::chrono::seconds{3};
  wire one{port()};
  const auto late = one.send(request("GET", "/api/v2/ask/hold-1")).next();
  EXPECT_EQ(late.status, 503);
  EXPECT_EQ(late.header("retry-after"), "1");
  one.send(request("GET", "/api/v2/ask/hold-2"));
  wait_for_held(2);
  release(); // both are answered now; only the second still has somebody who waits
  EXPECT_EQ(one.next().body, R"({"said":"hold-2"})");
  EXPECT_EQ(one.send(request("GET", "/api/v2/ask/now")).next().body, R"({"said":"now"})");
}

TEST_F(Exchange, OutlivesClientsThatLeaveWithQuestionsOut) {
  for (std::size_t i = 0; i < 20; ++i) {
    wire gone{port()};
    gone.send(request("GET", "/api/v2/ask/hold"));
    wait_for_held(i + 1);
  }
  release();
  wait_for_held(0);
  expect_alive();
}

TEST_F(Exchange, TakesOnlySoManyRequestsAtATime) {
  how.requests_in_flight_max = 2;
  wire first{port()}, second{port()};
  first.send(request("GET", "/api/v2/ask/hold"));
  second.send(request("GET", "/api/v2/ask/hold"));
  wait_for_held(2);
  const auto came = get("/api/v2/hello/you");
  EXPECT_EQ(came.status, 503);
  EXPECT_EQ(came.header("retry-after"), "1");
  EXPECT_EQ(get("/livez").status, 200) << "life does not depend on load";
  release();
  EXPECT_EQ(first.next().status, 200);
  EXPECT_EQ(second.next().status, 200);
  expect_alive();
}

TEST_F(Exchange, SurvivesHandlersWithBugs) {
  for (const auto* path : {"/api/v2/throw", "/api/v2/silent"}) {
    wire one{port()};
    const auto came = one.send(request("GET", path)).next();
    EXPECT_EQ(came.status, 500) << path;
    EXPECT_EQ(came.body, R"({"message":"the request could not be handled","code":"INTERNAL_SERVER_ERROR"})");
    EXPECT_EQ(one.send(request("GET", "/api/v2/hello/you")).next().status, 200) << path;
  }
}

TEST_F(Exchange, CountsQuestionsUntilAnActorIsDoneWithThem) {
  how.answer_timeout = std::chrono::milliseconds{50};
  actors.all_questions = std::make_shared<gate>(2);
  EXPECT_EQ(get("/api/v2/ask/hold").status, 503); // the front has given up, the actor has not
  EXPECT_EQ(get("/api/v2/ask/hold").status, 503);
  wait_for_held(2);
  const auto came = get("/api/v2/ask/now");
  EXPECT_EQ(came.status, 503);
  EXPECT_NE(came.body.find("too much to do"), std::string::npos) << came.body;
  EXPECT_EQ(get("/api/v2/hello/you").status, 200) << "asks nobody";
  release();
  wait_for_held(0);
  EXPECT_TRUE(credence::test::await("an answer in time", [this] { return get("/api/v2/ask/now").status == 200; }));
}

TEST_F(Exchange, AnswersTheApiOnlyOnceItsDataIsThere) {
  std::atomic<bool> loaded{false};
  may_open = [&loaded] { return loaded.load(); };
  const auto early = get("/api/v2/hello/you");
  EXPECT_EQ(early.status, 503);
  EXPECT_EQ(early.header("retry-after"), "1");
  EXPECT_EQ(get("/livez").status, 200);
  EXPECT_EQ(get("/api/v2/nothing").status, 404);
  loaded = true;
  EXPECT_EQ(get("/api/v2/hello/you").status, 200);
  loaded = false;
  EXPECT_EQ(get("/api/v2/hello/you").status, 200) << "what has been read stays";
}

TEST_F(Exchange, PacksLargeAnswersForWhoTakesThem) {
  std::string body = "[";
  for (int i = 0; i < 500; ++i)
    body += std::to_string(i) + ",";
  body += "0]";
  const auto echoed = [&](const std::string& more) {
    return ask(request("POST", "/api/v2/echo", "Content-Type: application/json\r\n" + more, body));
  };
  const auto plain = echoed("");
  EXPECT_FALSE(plain.has("content-encoding"));
  EXPECT_EQ(plain.body, body);
  EXPECT_NE(plain.header("vary").find("Accept-Encoding"), std::string::npos) << "a cache must know";
  const auto packed = echoed("Accept-Encoding: gzip, deflate, br\r\n");
  EXPECT_EQ(packed.header("content-encoding"), "gzip");
  EXPECT_EQ(packed.header("content-type"), "application/json");
  EXPECT_LT(packed.body.size() * 2, body.size());
  EXPECT_EQ(unpacked(packed.body), body);
  EXPECT_FALSE(echoed("Accept-Encoding: gzip;q=0\r\n").has("content-encoding"));
  EXPECT_FALSE(echoed("Accept-Encoding: identity, gzip;q=0.5\r\n").has("content-encoding"))
    << "it prefers the answer as it is";
  EXPECT_FALSE(get("/api/v2/hello/you", "Accept-Encoding: gzip\r\n").has("content-encoding")) << "too small to pay";
}

TEST_F(Exchange, PacksMetricsOnlyForWhoAsksForThat) {
  wire operators{running().operator_port()};
  const auto plain = operators.send(request("GET", "/metrics")).next();
  EXPECT_FALSE(plain.has("content-encoding"));
  EXPECT_NE(plain.body.find("credence_"), std::string::npos);
  const auto packed = operators.send(request("GET", "/metrics/", "Accept-Encoding: gzip\r\n")).next();
  EXPECT_EQ(packed.header("content-encoding"), "gzip");
  EXPECT_NE(unpacked(packed.body).find("credence_"), std::string::npos);
}

using namespace std::chrono_literals;

constexpr steady_time start{1h};

std::string rows(std::size_t bytes) {
  std::string out;
  for (int row = 0; out.size() < bytes; ++row)
    out.append(R"({"profileId":)").append(std::to_string(row)).append(R"(,"status":"ACTIVE"},)");
  out.resize(bytes);
  return out;
}

TEST(Packer, PacksOneTextAfterTheOther) {
  packer packs;
  for (const auto size : {packer::bytes_min, std::size_t{10'000}, std::size_t{300'000}, packer::bytes_min}) {
    const auto text = rows(size);
    const auto packed = packs.pack(text, start);
    ASSERT_TRUE(packed) << size;
    EXPECT_LT(packed->size() * 2, size);
    EXPECT_EQ(unpacked(*packed), text);
  }
}

TEST(Packer, LeavesWhatWouldNotPay) {
  packer packs;
  EXPECT_FALSE(packs.pack(rows(packer::bytes_min - 1), start));
  EXPECT_FALSE(packs.pack(rows(packer::bytes_max + 1), start));
  std::mt19937 chance{7};
  std::string noise(5000, '\0');
  for (auto& each : noise)
    each = static_cast<char>(chance());
  EXPECT_FALSE(packs.pack(noise, start)) << "it would become larger";
  EXPECT_TRUE(packs.pack(rows(5000), start)) << "which spoils nothing";
}

TEST(Packer, PacksOnlySoMuchWithinASecond) {
  packer packs;
  const auto text = rows(packer::bytes_max);
  for (std::size_t i = 0; i < packer::bytes_per_second_max / packer::bytes_max; ++i)
    EXPECT_TRUE(packs.pack(text, start)) << i;
  EXPECT_FALSE(packs.pack(text, start + 999ms));
  EXPECT_TRUE(packs.pack(text, start + 1s));
}

/// Prometheus keeps every series of every instance: a server must not bring thousands.
TEST(MetricSeries, AreFewWithEveryRouteUsedByManyClients) {
  const route_table all{routes()};
  route_table::match found;
  for (const auto& each : routes()) {
    all.find(each.path, found);
    const auto* entry = found.by_method[static_cast<std::size_t>(each.verb)];
    ASSERT_NE(entry, nullptr) << each.path;
    for (const std::size_t kind : {2, 4, 5})
      entry->metrics->status[kind].add();
    entry->metrics->latency.observe(std::chrono::milliseconds{1});
    if (entry->deprecated)
      for (int i = 0; i < 100; ++i)
        entry->deprecated->clients.add("client" + std::to_string(i) + "@1.0");
  }
  auto& metrics = ops::the_metrics();
  metrics.provider.reads.add();
  metrics.news.on.set(1);
  std::istringstream text{metrics.render()};
  int series = 0;
  bool cpu_is_a_counter = false;
  for (std::string line; std::getline(text, line);) {
    series += !line.empty() && line[0] != '#';
    cpu_is_a_counter = cpu_is_a_counter || line == "# TYPE process_cpu_seconds_total counter";
  }
  metrics.news.on.set(0);
  EXPECT_LT(series, 2000);
  EXPECT_GT(series, 500) << "they are there";
  EXPECT_TRUE(cpu_is_a_counter);
}

TEST(MetricSeries, OfAReadAreThoseOfItsResourceUnlessItIsSentAllTheTime) {
  const auto measured = [](method verb, std::string_view path) {
    for (const auto& each : routes())
      if (each.verb == verb && each.path == path)
        return std::string{measured_as(each)};
    return "there is no " + std::string{path};
  };
  EXPECT_EQ(measured(method::get, "/api/v2/users/search"), "/api/v2/users");
  EXPECT_EQ(measured(method::post, "/api/v2/activities/profile/all"), "/api/v2/activities") << "a read by POST";
  EXPECT_EQ(measured(method::get, "/api/v1/markets/holdings/{address}/total"), "/api/v1/markets");
  EXPECT_EQ(measured(method::post, "/api/v2/projects/{projectId}/votes"), "/api/v2/projects/{projectId}/votes");
  EXPECT_EQ(measured(method::post, "/api/v2/wallets/managed/post/review/by-x"), "/api/v2/wallets")
    << "as slow as the chain";
  for (const auto* hot :
       {"/api/v2/projects/votes/balance", "/api/v2/projects/{projectId}/voters", "/api/v2/projects/{projectId}/chart",
        "/api/v2/projects/votes/bulk-totals", "/api/v2/internal/listings", "/api/v2/internal/listings/{username}",
        "/api/v2/score/address", "/api/v2/score/userkey", "/api/v2/user/by/x/{accountIdOrUsername}"})
    EXPECT_EQ(measured(method::get, hot), hot);
  for (const auto* hot :
       {"/api/v2/score/addresses", "/api/v2/score/userkeys", "/api/v2/users/by/x", "/api/v2/markets/news"})
    EXPECT_EQ(measured(method::post, hot), hot);
}

} // namespace
} // namespace credence::http
