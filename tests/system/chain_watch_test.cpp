// The writer of a chain beside that of votes: when it dies, the server ends and the next one goes on; when it stands
// still, votes go on.
#include "tests/system/faults.hpp"
#include "tests/system/faulty_actors.hpp"
#include "tests/system/followed_chain.hpp"
#include "tests/waiting.hpp"

#include <chrono>
#include <thread>

namespace credence::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

class ChainWatch : public followed_chain {
protected:
  ChainWatch() { own.run_with(actors.in_front()); }

  void emit(int first, int last) {
    for (int profile = first; profile <= last; ++profile)
      node.emit(profiles, joined(profile));
  }
  bool takes_a_vote(int project) {
    const auto answer = own.client().post("/api/v2/projects/" + std::to_string(project) + "/votes",
                                          R"({"voteType":"BULLISH"})", own.token(1));
    return answer.status == 200;
  }

  faulty_actors actors;
};

TEST_F(ChainWatch, AChainWriterThatDiesEndsTheServerAndTheNextOneGoesOn) {
  emit(1, 20);
  start();
  ASSERT_TRUE(reaches_head());
  ASSERT_TRUE(takes_a_vote(2));
  emit(21, 40); // it has work
  ASSERT_TRUE(actors.order("kill chain writer")) << "there is nobody of that name";
  EXPECT_EQ(own.ends(), part_died);
  start(); // as systemd would
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(stored(), 40);
  EXPECT_EQ(
    number(
      "SELECT count(*) FROM votes WHERE voter_id = 1 AND project_id = 2 AND cast_at > now() - interval '10 minutes'"),
    1);
  EXPECT_TRUE(takes_a_vote(3));
  expect_stored_is_the_chain();
  verify();
}

TEST_F(ChainWatch, LivezIsRedWhileTheChainWriterStandsStillAndVotesGoOn) {
  emit(1, 20);
  start();
  ASSERT_TRUE(reaches_head());
  ASSERT_TRUE(actors.order("hold chain writer"));
  emit(21, 40);
  const auto began = steady_clock::now();
  auto livez = own.client().get("/livez");
  int project = 2;
  EXPECT_TRUE(await("a red /livez", [&] {
    if (project <= 6)
      EXPECT_TRUE(takes_a_vote(project)) << project;
    ++project;
    std::this_thread::sleep_for(100ms);
    livez = own.client().get("/livez");
    return livez.status != 200;
  }));
  EXPECT_LT(seconds_since(began), 10 * bars::slack());
  EXPECT_NE(livez.body.find("chain writer"), std::string::npos) << livez.body;
  EXPECT_EQ(stored(), 20) << "nothing of the chain is written meanwhile";
  EXPECT_TRUE(takes_a_vote(7)) << "votes have a writer of their own";
  ASSERT_TRUE(actors.order("go on"));
  ASSERT_TRUE(reaches_head());
  EXPECT_TRUE(await("a green /livez", [&] { return own.client().get("/livez").status == 200; }));
  EXPECT_EQ(stored(), 40);
  expect_stored_is_the_chain();
  verify();
}

} // namespace
} // namespace credence::test
