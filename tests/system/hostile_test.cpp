#include "auth/token_key.hpp"
#include "tests/http/server/small_server.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/sanitized.hpp"
#include "tests/system/hostile_cases.hpp"
#include "tests/system/service.hpp"
#include "tests/text_of_file.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

namespace credence::test {
namespace {

using http::test::answer;
using http::test::wire;

constexpr std::int64_t growth_max = 64 << 20;
constexpr std::size_t body_bytes_max = 64 * 1024;

/// The service that all of these attack, one after another, and what it has acknowledged.
struct target {
  static constexpr int projects = 12;
  service server{service::size{60, projects, 200}};
  hostile_material material;
  std::string smuggled;
  pid_t pid = 0;
  std::int64_t resident = 0;
  int stored_before = 0;
  int acknowledged = 0;

  target() : material(start(), projects) {
    EXPECT_EQ(server.client().post("/api/v2/projects/votes/reallocate", "", server.token(1)).status, 200);
    smuggled = material.vote_body(R"({"voteType":"BEARISH","voteReason":"smuggled"})");
    pid = server.pid();
    stored_before = stored();
    good_vote_counts();
    resident = server.resident();
  }

  std::vector<std::string> start() {
    server.start({"--admin", "1"});
    std::vector<std::string> tokens;
    for (const int voter : server.voters())
      tokens.push_back(server.token(voter));
    return tokens;
  }

  int stored(const std::string& where = "true") {
    return std::stoi(server.database().sql("SELECT count(*) FROM votes WHERE " + where));
  }

  void note(const answer& came) { acknowledged += came.status == 200 && came.body.starts_with(R"({"success":true)"); }

  void good_vote_counts() {
    wire one{server.port()};
    const auto came = one.send(material.vote_body(good_vote)).next();
    EXPECT_EQ(came.status, 200) << came.body;
    note(came);
  }
};

struct Hostile : testing::Test {
  static target& it() {
    static target one;
    return one;
  }

  /// The same process answers somebody else.
  static void expect_alive() {
    wire other{it().server.port()};
    ASSERT_EQ(other.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n").next().status, 200);
    ASSERT_TRUE(it().server.running());
    ASSERT_EQ(it().server.pid(), it().pid);
  }

  /// After each table: it serves, has kept its size, and stored what it acknowledged.
  void TearDown() override {
    if (HasFatalFailure())
      return;
    expect_alive();
    it().good_vote_counts();
    EXPECT_EQ(it().stored() - it().stored_before, it().acknowledged);
    EXPECT_EQ(it().stored("reason = 'smuggled'"), 0);
    if (!sanitized)
      EXPECT_LT(it().server.resident() - it().resident, growth_max);
  }

  static answer next_final(wire& from, bool to_head = false) {
    auto came = from.next(to_head);
    while (came.status / 100 == 1)
      came = from.next(to_head);
    it().note(came);
    return came;
  }

  static void expect_an_error_for_programs(const answer& came) {
    EXPECT_EQ(came.header("content-type"), "application/json");
    EXPECT_EQ(came.header("x-content-type-options"), "nosniff");
    EXPECT_FALSE(came.has("server"));
    EXPECT_NO_THROW(json_text(came.body, "/message")) << came.body;
    EXPECT_NO_THROW(json_text(came.body, "/code")) << came.body;
  }

  static void expect(const hostile_case& each) {
    SCOPED_TRACE(each.name + " (" + each.rule + ")");
    wire one{it().server.port()};
    const bool closes = each.connection == hostile_case::closes;
    const bool to_head = each.bytes.starts_with("HEAD ");
    const auto came = next_final(one.send(each.bytes + (closes ? it().smuggled : "")), to_head);
    EXPECT_NE(std::find(each.status.begin(), each.status.end(), came.status), each.status.end())
      << came.status << " " << came.body.substr(0, 300);
    if (came.status >= 400)
      expect_an_error_for_programs(came);
    EXPECT_TRUE(came.status != 405 || came.has("allow"));
    if (closes) {
      EXPECT_EQ(came.header("connection"), "close");
      EXPECT_TRUE(one.ended()) << "what follows is answered";
    } else if (came.header("connection") != "close") {
      EXPECT_EQ(one.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n").next().body, R"({"ok":true})")
        << "where does the next begin?";
    }
    expect_alive();
  }

  static void expect_all(const hostile_cases& cases, std::size_t at_least) {
    EXPECT_GE(cases.size(), at_least);
    for (const auto& each : cases) {
      expect(each);
      if (HasFatalFailure())
        return;
    }
    RecordProperty("rows", static_cast<int>(cases.size()));
  }
};

TEST_F(Hostile, FramingThatReadersCouldTakeDifferently) { expect_all(framing_cases(it().material), 130); }

TEST_F(Hostile, RequestsThatAreWrongOrTooMuch) { expect_all(request_cases(it().material), 200); }

TEST_F(Hostile, BodiesThatAreNoVotes) { expect_all(body_cases(it().material), 80); }

TEST_F(Hostile, TokensThatAreForged) {
  const auto& server = it().server;
  const auto key = auth::read_signing_keys({}, {}, server.data_dir().string()).now;
  const auto one = it().material.next();
  const auto periods = [&] { return std::stoi(it().server.database().sql("SELECT count(*) FROM voting_periods")); };
  const auto before = periods();
  const auto all = forged_tokens(key.reveal(), one.token, server.token(30));
  RecordProperty("rows", static_cast<int>(2 * all.size()));
  EXPECT_GE(all.size(), 100u);
  for (const auto& each : all) {
    // A good token is let in once for each project.
    const auto project = std::to_string(each.vote == 200 ? it().material.next().project : one.project);
    const std::string more = " HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n" + each.fields;
    const auto end = "Content-Length: " + std::to_string(good_vote.size()) + "\r\n\r\n" + good_vote;
    expect({each.name + ", voting",
            each.rule,
            {each.vote},
            hostile_case::stays,
            "POST /api/v2/projects/" + project + "/votes" + more + end});
    expect({each.name + ", advancing",
            each.rule,
            {each.advance},
            hostile_case::stays,
            "POST /api/v2/projects/votes/reallocate" + more + "\r\n"});
  }
  EXPECT_EQ(periods(), before + 1) << "by the good admin among them";
}

// -- requests that come in pieces, or not at all ----------------------------------------------

TEST_F(Hostile, AVoteThatIsCutAfterAnyByte) {
  const auto whole = it().material.vote_body(good_vote);
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    SCOPED_TRACE(cut);
    {
      wire one{it().server.port()};
      EXPECT_EQ(next_final(one.send(whole.substr(0, cut)).end_of_input()).status, 0) << "half a request is answered";
    }
    { wire{it().server.port()}.send(whole.substr(0, cut)); } // gone without a word
    expect_alive();
    if (HasFatalFailure())
      return;
  }
  wire one{it().server.port()};
  EXPECT_EQ(next_final(one.send(whole)).status, 200) << "none of them was counted";
}

TEST_F(Hostile, RequestsThatComeByteByByte) {
  const auto head = it().material.vote_head() + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
  std::vector<std::string> bodies(10, "0\r\n\r\n"); // several: which bytes meet in one read is luck
  bodies.insert(bodies.end(), {"00\r\n\r\n", "0;a=b\r\nX: y\r\n\r\n", "1\r\n{\r\n0\r\n\r\n"});
  for (const auto& body : bodies) {
    wire one{it().server.port()};
    one.send(head);
    for (const char c : body) { // the pause makes it likely that each is read alone; nothing hangs on it
      one.send({&c, 1});
      std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
    EXPECT_EQ(next_final(one).status, 400) << body;
    expect_alive();
  }
}

// -- the corpus of JSON texts -----------------------------------------------------------------

TEST_F(Hostile, JsonTextsOfAllKinds) {
  const std::filesystem::path corpus{test::built::source + "/../shared/vectors/json/test_parsing"};
  if (!std::filesystem::exists(test::built::source + "/../shared/vectors"))
    GTEST_SKIP() << "the public vectors (shared/vectors) are not on this machine";
  ASSERT_TRUE(std::filesystem::exists(corpus)) << "vectors/json is not with the others";
  const auto who = it().material.next();
  const auto post = [&](const std::string& body) {
    wire one{it().server.port()};
    return next_final(one.send("POST /api/v2/projects/" + std::to_string(who.project)
                               + "/votes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + who.token
                               + "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size())
                               + "\r\n\r\n" + body));
  };
  int seen[3]{};
  for (const auto& file : std::filesystem::directory_iterator{corpus}) {
    const auto name = file.path().filename().string();
    SCOPED_TRACE(name);
    const auto text = text_of_file(file.path());
    const auto came = post(text);
    EXPECT_EQ(came.status, text.size() > body_bytes_max ? 413 : 400) << "none of them is a vote: " << came.body;
    if (name.starts_with("y_")) {
      EXPECT_FALSE(has(came.body, "not valid JSON"));
      // As a member that is ignored, all that is wrong is what stands beside it.
      const auto inside = post(R"({"voteType":"SIDEWAYS","x":)" + text + "}");
      EXPECT_EQ(inside.status, 400);
      EXPECT_FALSE(has(inside.body, "not valid JSON"));
    }
    ++seen[name.front() == 'y' ? 0 : name.front() == 'n' ? 1 : 2];
    expect_alive();
  }
  EXPECT_EQ(seen[0], 95);
  EXPECT_EQ(seen[1], 188);
  EXPECT_EQ(seen[2], 35);
}

/// Sends `start`, then a byte of `rest` again and again with hardly a pause, until an answer
/// comes. Only a deadline over the whole can end that.
answer drip(std::uint16_t port, const std::string& start, char rest) {
  wire one{port};
  one.send(start);
  std::atomic<bool> answered{false};
  std::thread sender{[&] {
    while (!answered) {
      one.send(std::string(1, rest));
      std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
  }};
  auto came = one.next();
  answered = true;
  sender.join();
  return came;
}

/// Clients that never stop and never come to an end are cut off by deadlines over the whole
/// header and the whole request, here shortened.
TEST(SlowClients, AreCutOffWhileOthersAreServed) {
  service server{service::size{20, 3, 20}};
  server.start({"--http-header-timeout", "300", "--http-request-timeout", "600"});
  const auto pid = server.pid();
  const std::string post = "POST /api/v2/projects/1/votes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer "
                           + server.token(2) + "\r\nContent-Type: application/json\r\n";

  const auto slow_header = drip(server.port(), "GET /api/v2/healthcheck HTTP/1.1\r\nHost: a\r\nX: ", 'x');
  EXPECT_EQ(slow_header.status, 408);
  EXPECT_EQ(slow_header.header("connection"), "close");

  const auto slow_body = drip(server.port(), post + "Content-Length: 60000\r\n\r\n{", ' ');
  EXPECT_EQ(slow_body.status, 408);
  EXPECT_EQ(slow_body.header("connection"), "close");

  const auto slow_chunk = drip(server.port(), post + "Transfer-Encoding: chunked\r\n\r\nea60\r\n{", ' ');
  EXPECT_EQ(slow_chunk.status, 408);

  EXPECT_EQ(server.client().get("/api/v2/healthcheck").status, 200);
  EXPECT_EQ(server.pid(), pid);
  EXPECT_TRUE(server.running());
}

/// Sends a request, reads `bytes` of the answer and resets the connection.
void hang_up_after(std::uint16_t port, const std::string& request, std::size_t bytes) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  ASSERT_EQ(::send(fd, request.data(), request.size(), MSG_NOSIGNAL), static_cast<ssize_t>(request.size()));
  std::string got(bytes, '\0');
  for (std::size_t have = 0; have < bytes;) {
    const auto n = ::recv(fd, got.data() + have, bytes - have, 0);
    ASSERT_GT(n, 0);
    have += static_cast<std::size_t>(n);
  }
  const linger reset{1, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  ::close(fd);
}

/// A client that loses the answer at any byte asks again and hears that its vote is there: once.
TEST(CutAnswer, AtEveryByteLeavesOneVoteAndAServerThatGoesOn) {
  service server{service::size{400, 8, 500}};
  server.start({"--admin", "1"});
  ASSERT_EQ(server.client().post("/api/v2/projects/votes/reallocate", "", server.token(1)).status, 200);
  const std::string body = R"({"voteType":"BULLISH"})";
  const auto request = [&](int profile) {
    return "POST /api/v2/projects/1/votes HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + server.token(profile)
           + "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  };
  auto client = server.client();
  int profile = 2;
  std::size_t length = 0; // of a whole answer, from a vote that is heard
  {
    const auto heard = ok(client.post("/api/v2/projects/1/votes", body, server.token(profile++)));
    length = std::string{"HTTP/1.1 200 OK\r\n"}.size() + heard.body.size();
    for (const auto& [name, value] : heard.headers)
      length += name.size() + value.size() + 4;
    length -= 8; // request ids differ in length
  }
  int votes = 1;
  for (std::size_t bytes = 0; bytes < length && profile < 390; ++bytes, ++profile) {
    if (profile % 97 == 0)
      ++profile; // archived
    ASSERT_NO_FATAL_FAILURE(hang_up_after(server.port(), request(profile), bytes));
    const auto again = client.post("/api/v2/projects/1/votes", body, server.token(profile));
    ASSERT_TRUE(again.status == 200 || json_text(again.body, "/code") == "ALREADY_VOTED") << again.body;
    ++votes;
  }
  EXPECT_GT(votes, 200);
  EXPECT_EQ(json_number(client.get("/api/v2/projects/1/voters").body, "/totals/totalVoters"), votes);
  EXPECT_TRUE(server.running());
}

} // namespace
} // namespace credence::test
