#include "tests/system/followed_chain.hpp"

#include <thread>

namespace credence::test {
namespace {

using namespace std::chrono_literals;
using namespace chain;

address wallet(int number) {
  address out;
  out.bytes[19] = static_cast<std::byte>(number);
  return out;
}
event reviewed(int number, int author, int subject) {
  return review_events::review_created{review_score::positive, wallet(author), {}, wallet(subject), {number}, {0}};
}

/// Kinds are added to a chain that is followed already.
class AddedKinds : public followed_chain {
protected:
  void follow(const std::string& kinds, int id_offset = 1000) {
    auto flags = flags_for(node.url());
    flags.insert(flags.end(), {"--chain-kinds", kinds, "--chain-id-offset", std::to_string(id_offset)});
    own.start(flags);
    flags_ = flags;
  }
  void expect_whole() {
    verify();
    std::vector<std::string> words{"chain", "replay", "--check"};
    words.insert(words.end(), flags_.begin(), flags_.end());
    const auto replayed = own.command(words);
    EXPECT_EQ(replayed.code, 0) << replayed.out << replayed.err;
  }
  std::vector<std::string> flags_;
  std::int64_t reviews_stored() { return number("SELECT count(*) FROM reviews WHERE source = 'chain'"); }
};

TEST_F(AddedKinds, GetTheirRecordsFromStoredEvents) {
  node.emit(profiles, joined(1));
  node.emit(reviews, reviewed(0, 1, 2));
  node.emit(reviews, reviewed(1, 1, 3));
  follow("identity");
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(number("SELECT count(*) FROM chain_events WHERE reason = 'kind_not_followed'"), 2);
  EXPECT_EQ(reviews_stored(), 0);
  own.kill_hard();
  node.emit(profiles, joined(2)); // whoever was reviewed joins before the reviews are applied
  node.emit(reviews, review_events::review_archived{{1}, wallet(1), wallet(3)});
  follow("identity,review");
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(reviews_stored(), 2);
  EXPECT_EQ(number("SELECT count(*) FROM reviews WHERE id = 1000 AND author_profile = 1001 AND NOT archived"), 1);
  EXPECT_EQ(number("SELECT count(*) FROM reviews WHERE id = 1001 AND archived"), 1);
  EXPECT_EQ(number("SELECT count(*) FROM chain_events WHERE reason = 'kind_not_followed'"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM chain_follow WHERE kinds = 'identity,review' AND replaying = ''"), 1);
  const auto list = own.client().get("/api/v2/user/by/profile-id/1002").body;
  EXPECT_NE(list.find("1002"), std::string::npos) << list;
  node.emit(reviews, reviewed(2, 2, 1));
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(reviews_stored(), 3);
  expect_whole();
}

TEST_F(AddedKinds, AreAppliedOnceThroughKills) {
  for (int i = 1; i <= 10; ++i)
    node.emit(profiles, joined(i));
  for (int i = 0; i < 60; ++i)
    node.emit(reviews, reviewed(i, 1 + i % 10, 1 + (i + 1) % 10));
  follow("identity");
  ASSERT_TRUE(reaches_head());
  own.kill_hard();
  for (int round = 0; round < 5; ++round) {
    follow("identity,review");
    std::this_thread::sleep_for(std::chrono::milliseconds{15 * round});
    own.kill_hard();
  }
  follow("identity,review");
  ASSERT_TRUE(status_becomes("state", "\"following\""));
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(reviews_stored(), 60);
  EXPECT_EQ(number("SELECT count(*) FROM chain_events WHERE status = 'applied' AND contract = 'review'"), 60);
  expect_whole();
}

TEST_F(AddedKinds, AreRefusedWhereTheirIdsWouldMeetThoseOfTheApi) {
  node.emit(profiles, joined(1));
  follow("", 0);
  ASSERT_TRUE(reaches_head());
  own.kill_hard();
  follow("identity", 0);
  ASSERT_TRUE(status_becomes("state", "\"halted\""));
  EXPECT_TRUE(own.logs("chain.kinds adds identity, of which the API has made records with ids up to")) << own.log();
  EXPECT_EQ(number("SELECT count(*) FROM profiles WHERE source = 'chain'"), 0);
  own.kill_hard();
  follow("identity", 1000); // as nothing was made of events yet
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(number("SELECT count(*) FROM profiles WHERE id = 1001 AND source = 'chain'"), 1);
  expect_whole();
}

TEST_F(AddedKinds, CannotBeTakenAwayAgain) {
  node.emit(profiles, joined(1));
  follow("identity,review");
  ASSERT_TRUE(reaches_head());
  own.kill_hard();
  follow("identity");
  ASSERT_TRUE(status_becomes("state", "\"halted\""));
  EXPECT_TRUE(own.logs("kinds can be added only")) << own.log();
}

} // namespace
} // namespace credence::test
