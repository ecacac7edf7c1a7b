#include "tests/persistence/sql/identity_store.hpp"

namespace credence::persistence {
namespace {

using namespace slash;
using namespace std::chrono_literals;

const timestamp noon = std::chrono::sys_days{std::chrono::year{2026} / 3 / 10} + 12h;

struct SlashSql : test::store_tests {
  static subject wallet(int number, int profile = 0) {
    subject out;
    out.wallet.emplace().bytes[19] = static_cast<std::byte>(number);
    if (profile) {
      out.user = user_id{profile};
      out.profile = profile_id{profile};
    }
    return out;
  }
  static slash_record one(int id, int author, subject who, timestamp at = noon) {
    return {slash_id{id}, profile_id{author}, std::move(who), slash_type::score, 100, 48h, "because", "", at};
  }
  static slash_voted vote(int on, int number, int voter, vote_side side, int weight, timestamp at = noon + 1h) {
    return {slash_id{on}, number, profile_id{voter}, side, weight, at};
  }
  static slash_closed closed(int which, verdict how, weights votes, timestamp at = noon + 48h) {
    return {slash_id{which}, {at, how, votes}};
  }
  void store_all(std::initializer_list<change> changes) {
    for (const auto& each : changes)
      ASSERT_EQ(store.result_of(each), write_result::stored);
  }
  slash_page find(find_slashes query = {}) { return store.read(std::move(query)); }
  static std::vector<int> ids(const slash_page& page) {
    std::vector<int> out;
    for (const auto& each : page.values)
      out.push_back(each.id.value);
    return out;
  }
  stored_open_slashes load() { return store.read(load_open_slashes{noon}); }
};

TEST_F(SlashSql, EverythingAboutASlashComesBack) {
  auto sent = one(1, 1, wallet(7, 5));
  sent.type = slash_type::financial;
  sent.comment = "für \"alle\" 👍\n\\N";
  sent.metadata = R"({"links":["https://a.example"]})";
  auto by_account = one(2, 2, {});
  by_account.subject.account = account{people::account_service::github, "some-one"};
  store_all({slash_opened{sent}, slash_opened{by_account}});
  const auto first = test::there(store.read(get_slash{slash_id{1}}));
  EXPECT_EQ(first->author, profile_id{1});
  EXPECT_EQ(first->subject.wallet, sent.subject.wallet);
  EXPECT_EQ(first->subject.user, user_id{5});
  EXPECT_EQ(first->subject.profile, profile_id{5});
  EXPECT_FALSE(first->subject.account);
  EXPECT_EQ(first->type, slash_type::financial);
  EXPECT_EQ(first->amount, 100);
  EXPECT_EQ(first->lasts, 48h);
  EXPECT_EQ(first->comment, sent.comment);
  EXPECT_EQ(first->metadata, sent.metadata);
  EXPECT_EQ(first->created_at, noon);
  EXPECT_FALSE(first->closed);
  const auto second = test::there(store.read(get_slash{slash_id{2}}));
  EXPECT_EQ(second->subject.account, by_account.subject.account);
  EXPECT_FALSE(second->subject.user);
  EXPECT_FALSE(second->subject.profile);
  EXPECT_FALSE(store.read(get_slash{slash_id{3}}));
}

TEST_F(SlashSql, TakesGlobalNumbersInTheOrderOfDecisions) {
  store_all(
    {slash_opened{one(1, 1, wallet(7))}, vote(1, 1, 4, vote_side::slash, 7), closed(1, verdict::slashed, {7, 0})});
  EXPECT_EQ(store.number("SELECT seq FROM slashes") + 1, store.number("SELECT seq FROM slash_votes"));
  EXPECT_EQ(store.number("SELECT closed_seq FROM slashes"), store.number("SELECT seq FROM slash_votes") + 1);
  EXPECT_EQ(store.number("SELECT max(last_seq) FROM batches"), store.number("SELECT closed_seq FROM slashes"));
}

TEST_F(SlashSql, OpenOnesAreLoadedWithTheVotesThatCount) {
  store_all({slash_opened{one(1, 1, wallet(1))}, slash_opened{one(2, 2, wallet(2))},
             slash_opened{one(3, 3, wallet(3, 9))}, vote(2, 1, 4, vote_side::slash, 7),
             vote(2, 2, 5, vote_side::defend, 0), vote(2, 3, 4, vote_side::defend, 6),
             vote(3, 1, 4, vote_side::slash, 1), closed(3, verdict::slashed, {1, 0}),
             closed(1, verdict::cancelled, {0, 0}, noon + 1h)});
  const auto stored = load();
  EXPECT_EQ(stored.last, slash_id{3});
  ASSERT_EQ(stored.open.size(), 1u);
  EXPECT_EQ(stored.open[0].record.id, slash_id{2});
  EXPECT_EQ(stored.open[0].last_number, 3);
  EXPECT_EQ(stored.open[0].votes.slash, 0);
  EXPECT_EQ(stored.open[0].votes.defend, 6);
  const auto ballots = store.read(load_ballots{slash_id{2}, profile_id{}});
  EXPECT_TRUE(ballots.last);
  ASSERT_EQ(ballots.ballots.size(), 2u);
  EXPECT_EQ(ballots.ballots[0].voter, profile_id{4});
  EXPECT_EQ(ballots.ballots[0].side, vote_side::defend);
  EXPECT_EQ(ballots.ballots[0].weight, 6);
  EXPECT_EQ(ballots.ballots[0].votes, 2);
  EXPECT_EQ(ballots.ballots[1].weight, 0);
  EXPECT_EQ(store.read(load_ballots{slash_id{2}, profile_id{4}}).ballots.size(), 1u) << "the rest";
  ASSERT_EQ(stored.slashed.size(), 1u);
  EXPECT_EQ(stored.slashed[0].who.user, user_id{9});
  EXPECT_EQ(stored.slashed[0].at, noon + 48h);
  EXPECT_TRUE(store.read(load_open_slashes{noon + 48h}).slashed.empty());
}

TEST_F(SlashSql, AreFoundByEveryFilterLatestFirst) {
  subject account_of_9;
  account_of_9.account = account{people::account_service::x, "900"};
  account_of_9.user = user_id{9};
  store_all({slash_opened{one(1, 1, wallet(1, 9), noon)}, closed(1, verdict::cancelled, {0, 0}, noon + 1s),
             slash_opened{one(2, 1, wallet(2), noon + 2h)}, slash_opened{one(3, 2, account_of_9, noon + 1h)},
             slash_opened{one(4, 3, wallet(3), noon + 2h)}});
  using list = std::vector<int>;
  EXPECT_EQ(ids(find()), (list{4, 2, 3, 1})) << "by the moment, then by number";
  EXPECT_EQ(find().total, 4);
  find_slashes query;
  query.author = profile_id{1};
  EXPECT_EQ(ids(find(query)), (list{2, 1}));
  query.open = true;
  EXPECT_EQ(ids(find(query)), (list{2}));
  query.open = false;
  EXPECT_EQ(ids(find(query)), (list{1}));
  EXPECT_EQ(find(query).values[0].closed->how, verdict::cancelled);
  query.author.reset();
  EXPECT_EQ(ids(find(query)), (list{1}));
  query.open = true;
  EXPECT_EQ(ids(find(query)), (list{4, 2, 3}));
  query.open.reset();
  query.subject.emplace().user = user_id{9};
  EXPECT_EQ(ids(find(query)), (list{3, 1})) << "whichever way it was named";
  query.open = true;
  EXPECT_EQ(ids(find(query)), (list{3}));
  query.author = profile_id{1};
  EXPECT_EQ(ids(find(query)), list{});
  EXPECT_EQ(find(query).total, 0);
  query = {};
  query.subject = wallet(2);
  EXPECT_EQ(ids(find(query)), (list{2}));
  query.subject.emplace().account = account{people::account_service::x, "900"};
  EXPECT_EQ(ids(find(query)), (list{3}));
  query.subject.emplace().account = account{people::account_service::discord, "900"};
  EXPECT_EQ(ids(find(query)), list{});
  query.subject.emplace();
  EXPECT_EQ(ids(find(query)), list{}) << "nobody";
  query = {};
  query.slice = {2, 1};
  EXPECT_EQ(ids(find(query)), (list{2, 3}));
  EXPECT_EQ(find(query).total, 4);
  query.slice = {2, 9};
  EXPECT_EQ(ids(find(query)), list{});
  EXPECT_EQ(find(query).total, 4) << "also beyond the end";
  query.slice = {0, 0};
  EXPECT_EQ(find(query).total, 4);
}

TEST_F(SlashSql, TellsWhoHasWhichPart) {
  store_all({slash_opened{one(1, 1, wallet(1, 9))}, vote(1, 1, 4, vote_side::slash, 7),
             vote(1, 2, 5, vote_side::defend, 0), vote(1, 3, 4, vote_side::defend, 7),
             vote(1, 4, 6, vote_side::slash, 1)});
  load_roles query{slash_id{1},
                   {profile_id{6}, profile_id{9}, profile_id{20}, profile_id{1}, profile_id{4}, profile_id{5}}};
  EXPECT_EQ(store.read(query).roles, (get_roles::answer_type{{profile_id{6}, role::voter},
                                                             {profile_id{9}, role::defender},
                                                             {profile_id{1}, role::slasher},
                                                             {profile_id{4}, role::voter},
                                                             {profile_id{5}, role::voter}}))
    << "while it is open";
  query.viewer = profile_id{4};
  EXPECT_EQ(store.read(query).roles[3].second, role::voted_defend) << "to the voter alone";
  EXPECT_EQ(store.read(query).roles[4].second, role::voter);
  query.viewer = {};
  store_all({closed(1, verdict::defended, {1, 7})});
  const auto found = store.read(query);
  EXPECT_TRUE(found.exists);
  EXPECT_EQ(found.roles, (get_roles::answer_type{{profile_id{6}, role::voted_slash},
                                                 {profile_id{9}, role::defender},
                                                 {profile_id{1}, role::slasher},
                                                 {profile_id{4}, role::voted_defend},
                                                 {profile_id{5}, role::voted_defend}}));
  EXPECT_FALSE(store.read(load_roles{slash_id{2}, {profile_id{1}}}).exists);
}

TEST_F(SlashSql, AreClosedOnce) {
  store_all({slash_opened{one(1, 1, wallet(1))}, closed(1, verdict::cancelled, {0, 0}, noon + 1h)});
  EXPECT_TRUE(refuses(closed(1, verdict::inconclusive, {0, 0})));
  EXPECT_TRUE(refuses(closed(1, verdict::cancelled, {0, 0}, noon + 2h)));
  EXPECT_TRUE(refuses(vote(1, 1, 4, vote_side::slash, 1)));
  const auto stands = store.read(get_slash{slash_id{1}});
  EXPECT_EQ(stands->closed->at, noon + 1h);
  EXPECT_EQ(store.result_of(slash_opened{one(2, 1, wallet(1))}), write_result::stored) << "the writer goes on";
}

TEST_F(SlashSql, CloseAsTheirVotesSayAndNoOtherWay) {
  store_all(
    {slash_opened{one(1, 1, wallet(1))}, vote(1, 1, 4, vote_side::slash, 7), vote(1, 2, 5, vote_side::defend, 2)});
  EXPECT_TRUE(refuses(closed(1, verdict::slashed, {7, 1}))) << "other votes";
  EXPECT_TRUE(refuses(closed(1, verdict::defended, {7, 2}))) << "another outcome";
  EXPECT_TRUE(refuses(closed(1, verdict::slashed, {7, 2}, noon + 47h))) << "another end";
  EXPECT_TRUE(refuses(closed(1, verdict::cancelled, {7, 2}, noon + 48h))) << "too late";
  put(closed(1, verdict::slashed, {7, 2}));
}

TEST_F(SlashSql, ABoundOnVotesHoldsAlsoBelowTheRules) {
  store_all({slash_opened{one(1, 1, wallet(1))}});
  for (int i = 1; i <= 10; ++i)
    ASSERT_EQ(store.result_of(vote(1, i, 4, i % 2 ? vote_side::slash : vote_side::defend, 7)), write_result::stored);
  EXPECT_TRUE(refuses(vote(1, 11, 4, vote_side::slash, 7)));
  put(vote(1, 11, 5, vote_side::slash, 7));
  EXPECT_EQ(store.number("SELECT for_it * 1000 + against_it FROM slash_tallies"), 7007);
}

} // namespace
} // namespace credence::persistence
