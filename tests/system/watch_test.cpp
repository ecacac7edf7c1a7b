// Whatever dies in the server is replaced, or the server ends and is started again; whatever
// stands still is told by /livez and to the service manager.
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/faults.hpp"
#include "tests/system/ledger.hpp"
#include "tests/waiting.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace credence::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

const std::vector<int> projects{1, 2, 3, 4, 5, 6};
const std::vector<std::string> as_admin{"--admin", "1", "--actors-period-advance", "manual"};

/// A server whose actors can be ended and held.
struct watched_server {
  watched_server() {
    server.run_with(actors.in_front());
    server.keep_production_times(); // how long the writer may stand still follows from these
  }
  void start() { server.start(as_admin); }

  faulty_actors actors;
  service server;
};

/// Waits until `holds`; how long that took in seconds.
double seconds_until(const char* text, const std::function<bool()>& holds) {
  const auto began = steady_clock::now();
  await(text, holds, 2 * wait_at_most);
  return seconds_since(began);
}
constexpr double seen_within = 10; // seconds until a thread that stands still is told of

/// Everybody there is one of, and one of each kind there are many of.
const char* const everybody[]{
  "writer",       "readers", "reader",  "reader",      "reader",    "reader", "people",     "period",   "listing",
  "market_board", "slash",   "records", "idempotency", "key usage", "news",   "signatures", "projects", "profiles",
  "funds_router", "markets", "project", "profile",     "notes",     "scores", "integrity",  "tidying",  "change feed"};

/// Whether it answers reads and stores votes; an admin's vote is there already or is taken.
bool serves(service& on) {
  auto client = on.client();
  for (const auto* path :
       {"/api/v2/projects/2/voters?scope=global", "/api/v2/internal/listings", "/api/v2/projects/votes/balance",
        "/api/v1/slashes", "/api/v1/markets/search?q=ada", "/api/v2/user/2", "/api/v2/xp/tips/stats"})
    if (client.get(path, on.token(2)).status != 200)
      return false;
  const auto vote = client.post("/api/v2/projects/2/votes", R"({"voteType":"BULLISH"})", on.token(1));
  return vote.status == 200 || vote.body.find("ALREADY_VOTED") != std::string::npos;
}

TEST(Watch, WhoeverDiesIsReplacedOrTheServerEndsToBeStartedAgain) {
  watched_server on;
  on.start();
  ledger book{on.server};
  int ended = 0;
  const auto is_up =
    [&] { // a part that cannot be replaced ends the server a moment later, when it may have answered again
      if (!on.server.running()) {
        EXPECT_EQ(on.server.ends(), part_died);
        ++ended;
        on.start(); // as systemd would
      }
      return serves(on.server);
    };
  for (const std::string name : everybody) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(await("a new period", [&] {
      return is_up()
             && on.server.client().post("/api/v2/projects/votes/reallocate", "", on.server.token(1)).status == 200;
    }));
    const auto enough = book.acknowledged() + 30;
    std::atomic<bool> stop{false};
    std::thread crowd{[&] { book.vote(on.server.voters(), projects, 4, stop); }};
    EXPECT_TRUE(await("acknowledged votes", [&] { return is_up() && book.acknowledged() >= enough; }));
    EXPECT_TRUE(on.actors.order("kill " + name)) << "there is nobody of that name";
    EXPECT_TRUE(await("one that serves", [&] { return is_up() && on.server.client().get("/readyz").status == 200; }));
    std::this_thread::sleep_for(
      300ms); // so that it ends in this round, if it does; a later end is seen in the next one
    EXPECT_TRUE(await("one that serves", is_up));
    stop = true;
    crowd.join();
    book.resolve_unknown();
  }
  EXPECT_GT(ended, 5);
  EXPECT_EQ(book.violations(projects), std::vector<std::string>{});
  EXPECT_TRUE(sound(on.server, true));
}

/// Red in time, by whoever answers at all, and green again once it goes on.
void expect_red_while_held(const std::string& who, const std::string& shown) {
  SCOPED_TRACE(who);
  watched_server on;
  on.start();
  const auto livez = [&](std::uint16_t port) {
    http_client client{port, 1000};
    return client.get("/livez");
  };
  const auto green = [&] {
    return livez(on.server.port()).status == 200 && livez(on.server.operator_port()).status == 200;
  };
  EXPECT_TRUE(await("a green /livez", green));
  ASSERT_TRUE(on.actors.order("hold " + who));
  std::atomic<bool> stop{false};
  std::thread asking{[&] { // work for whoever is to be held
    while (!stop) {
      http_client client{on.server.port(), 200};
      client.get("/api/v2/internal/listings");
      std::this_thread::sleep_for(50ms);
    }
  }};
  std::string said;
  const auto red = [&] {
    for (const auto port : {on.server.operator_port(), on.server.port()})
      if (const auto came = livez(port); came.status == 503)
        said = came.body;
    return !said.empty();
  };
  EXPECT_LT(seconds_until("a red /livez", red), seen_within * bars::slack());
  EXPECT_TRUE(has(said, shown));
  EXPECT_TRUE(on.actors.order("go on"));
  EXPECT_TRUE(await("a green /livez", green));
  stop = true;
  asking.join();
}

TEST(Watch, LivezIsRedWithinTenSecondsWhileAThreadOfActorsStandsStill) {
  expect_red_while_held("listing", "actor_thread_");
}
TEST(Watch, LivezIsRedWithinTenSecondsWhileTheWriterStandsStill) { expect_red_while_held("writer", "writer"); }
TEST(Watch, LivezIsRedWithinTenSecondsWhileAThreadOfTheFrontStandsStill) { expect_red_while_held("io", "_thread"); }

TEST(Watch, LivezStaysGreenWhilePostgresStandsStill) {
  service server;
  server.keep_production_times();
  server.start();
  auto client = server.client();
  server.database().pause();
  for (const auto began = steady_clock::now(); seconds_since(began) < 10;) {
    EXPECT_EQ(client.get("/livez").status, 200);
    std::this_thread::sleep_for(100ms);
  }
  server.database().resume();
  EXPECT_TRUE(server.becomes_ready());
}

/// Stands in for systemd: hears what the server tells it.
class manager {
public:
  manager()
    : path_("/tmp/credence-notify-" + std::to_string(::getpid())),
      socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    path_.copy(at.sun_path, sizeof at.sun_path - 1);
    ::unlink(path_.c_str());
    if (::bind(socket_, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0)
      throw std::runtime_error("no socket for notifications");
  }
  ~manager() {
    ::close(socket_);
    ::unlink(path_.c_str());
  }
  const std::string& path() const { return path_; }
  /// The next message, or nothing within that time.
  std::string hear(std::chrono::milliseconds most) {
    pollfd waiting{socket_, POLLIN, 0};
    char text[256];
    if (::poll(&waiting, 1, static_cast<int>(most.count())) <= 0)
      return {};
    const auto length = ::recv(socket_, text, sizeof text, 0);
    return {text, static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
  }
  /// Whether this message comes within that time, whatever comes before it.
  bool hears(const std::string& text, std::chrono::milliseconds most) {
    const auto until = steady_clock::now() + most;
    while (steady_clock::now() < until)
      if (hear(std::chrono::ceil<std::chrono::milliseconds>(until - steady_clock::now())) == text)
        return true;
    return false;
  }

private:
  std::string path_;
  int socket_;
};

TEST(Watch, TheServiceManagerHearsThatAllIsWellOnlyWhileItIs) {
  manager systemd;
  watched_server on;
  auto around = on.actors.in_front();
  around.emplace_back("NOTIFY_SOCKET", systemd.path());
  around.emplace_back("WATCHDOG_USEC", "10000000");
  on.server.run_with(around);
  on.start();
  EXPECT_TRUE(systemd.hears("READY=1", wait_at_most));
  EXPECT_TRUE(systemd.hears("WATCHDOG=1", wait_at_most));
  EXPECT_TRUE(systemd.hears("WATCHDOG=1", wait_at_most));
  ASSERT_TRUE(on.actors.order("hold writer"));
  const auto red = [&] { return http_client{on.server.operator_port(), 1000}.get("/livez").status == 503; };
  ASSERT_TRUE(await("a red /livez", red));
  while (!systemd.hear(0ms).empty()) // from before
    ;
  EXPECT_EQ(systemd.hear(4s), "") << "a server that stands still is not to be kept alive";
  EXPECT_TRUE(on.actors.order("go on"));
  EXPECT_TRUE(systemd.hears("WATCHDOG=1", wait_at_most));
  EXPECT_EQ(on.server.terminate(), 0);
  EXPECT_TRUE(systemd.hears("STOPPING=1", wait_at_most));
}

} // namespace
} // namespace credence::test
