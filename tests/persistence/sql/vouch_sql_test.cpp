#include "tests/actors/reputation/record_examples.hpp"
#include "tests/persistence/sql/identity_store.hpp"

namespace credence::persistence {
namespace {

using namespace reputation;
using namespace std::chrono_literals;

/// Vouches, replies and votes as they are written and read. Profiles 1 to 20 have users of the same ids.
struct VouchSql : test::store_tests {
  /// Put in on the day of noon.
  static std::vector<score::vouch_part> of(std::int64_t amount) {
    return {{wei{amount}, std::chrono::floor<std::chrono::days>(noon)}};
  }
  static vouch_created vouch(int id, int author, int subject, std::int64_t amount, bool first,
                             vouch_token token = vouch_token::eth) {
    vouch_created out;
    auto& record = out.record;
    record.id = vouch_id{id};
    record.author = profile_id{author};
    record.subject = {by_profile(subject), 0};
    record.subject_user = user_id{subject};
    record.subject_profile = profile_id{subject};
    record.token = token;
    record.staked = record.deposited = record.balance = wei{amount};
    record.parts = of(amount);
    record.comment = "stands for it";
    record.vouched_at = noon;
    if (first)
      out.subject = fresh_subject{by_profile(subject), 0, user_id{subject}, std::nullopt};
    return out;
  }
  std::int64_t sum(int user, const std::string& text, const std::string& token = "eth") {
    return store.number("SELECT " + text + "::int8 FROM user_vouches WHERE user_id = " + std::to_string(user)
                        + " AND token = '" + token + "'");
  }
  std::int64_t tally(const std::string& text) {
    return store.number("SELECT " + text + " FROM activity_tallies WHERE kind = 'vouch' AND target_id = 1");
  }
};

TEST_F(VouchSql, EverythingAboutAVouchComesBack) {
  const auto sent = vouch(1, 1, 5, 1000, true);
  put(sent);
  auto parts = of(900);
  parts.push_back({wei{600}, parts.front().day + std::chrono::days{1}});
  put(vouch_moved{vouch_id{1}, profile_id{1}, vouch_move::increase, wei{1500}, wei{1500}, wei{1500}, wei{0}, parts,
                  false, noon});
  EXPECT_EQ(store.read(get_vouch{vouch_id{1}})->parts, parts);
  put(vouch_moved{
    vouch_id{1}, profile_id{1}, vouch_move::withdraw, wei{1500}, wei{1500}, wei{0}, wei{1500}, {}, true, noon + 1h});
  put(vouch_marked_unhealthy{vouch_id{1}, profile_id{1}, noon + 2h});
  const auto found = test::there(store.read(get_vouch{vouch_id{1}}));
  EXPECT_EQ(found->author, profile_id{1});
  EXPECT_FALSE(found->author_address);
  EXPECT_EQ(found->subject.name.key, by_profile(5).key);
  EXPECT_EQ(found->subject_user, user_id{5});
  EXPECT_EQ(found->subject_profile, profile_id{5});
  EXPECT_EQ(found->staked, 1500);
  EXPECT_EQ(found->balance, 0);
  EXPECT_EQ(found->withdrawn, 1500);
  EXPECT_TRUE(found->parts.empty());
  EXPECT_EQ(found->comment, "stands for it");
  EXPECT_TRUE(found->archived);
  EXPECT_TRUE(found->unhealthy);
  EXPECT_EQ(found->vouched_at, noon);
  EXPECT_EQ(found->unvouched_at, noon + 1h);
  EXPECT_EQ(found->unhealthy_at, noon + 2h);
}

TEST_F(VouchSql, SumsFollowEitherWayAndGoAlongWithTheSubject) {
  put(vouch(1, 1, 5, 1000, true));
  put(vouch(2, 2, 5, 300, false));
  put(vouch(3, 1, 5, 7, false, vouch_token::whuf));
  EXPECT_EQ(sum(5, "received_wei"), 1300);
  EXPECT_EQ(sum(5, "received_count"), 2);
  EXPECT_EQ(sum(1, "given_wei"), 1000);
  EXPECT_EQ(sum(5, "received_wei", "whuf"), 7);
  put(vouch_moved{vouch_id{1}, profile_id{1}, vouch_move::increase, wei{1500}, wei{1500}, wei{1500}, wei{0}, of(1500),
                  false, noon});
  EXPECT_EQ(sum(5, "received_wei"), 1800);
  put(vouch_moved{
    vouch_id{1}, profile_id{1}, vouch_move::withdraw, wei{1500}, wei{1500}, wei{0}, wei{1500}, {}, true, noon});
  EXPECT_EQ(sum(5, "received_wei"), 300);
  EXPECT_EQ(sum(5, "received_count"), 1);
  EXPECT_EQ(sum(5, "lifetime_received_wei"), 1800);
  EXPECT_EQ(sum(1, "given_count"), 0);
  EXPECT_EQ(sum(1, "lifetime_given_count"), 1);
  test::run_sql(store.url, "UPDATE subjects SET user_id = 6");
  EXPECT_EQ(sum(5, "received_wei"), 0);
  EXPECT_EQ(sum(6, "received_wei"), 300);
  EXPECT_EQ(sum(6, "lifetime_received_count"), 2);
}

TEST_F(VouchSql, TheDatabaseRefusesWhatTheKeeperNeverSends) {
  put(vouch(1, 1, 5, 1000, true));
  EXPECT_TRUE(refuses(vouch(2, 1, 5, 10, false))) << "a second one of the pair";
  EXPECT_TRUE(refuses(vouch(3, 2, 5, 10, false))) << "a gap";
  EXPECT_TRUE(refuses(vouch(2, 2, 5, 0, false))) << "nothing put in";
  EXPECT_TRUE(refuses(vouch_moved{vouch_id{1}, profile_id{1}, vouch_move::decrease, wei{1000}, wei{1000}, wei{900},
                                  wei{0}, of(900), false, noon}))
    << "money that is gone";
  put(vouch_moved{
    vouch_id{1}, profile_id{1}, vouch_move::withdraw, wei{1000}, wei{1000}, wei{0}, wei{1000}, {}, true, noon});
  EXPECT_EQ(test::refusal_of(store.url, "UPDATE vouches SET archived = false, unvouched_at = NULL"), "23514")
    << "for good";
  put(vouch(2, 1, 5, 10, false));
}

TEST_F(VouchSql, TheActiveOnesOfAnAuthorAreReadAndHowManyASubjectHas) {
  put(vouch(1, 1, 5, 1000, true));
  put(vouch(2, 1, 6, 1000, true));
  put(vouch(3, 2, 5, 1000, false));
  put(vouch_moved{
    vouch_id{2}, profile_id{1}, vouch_move::withdraw, wei{1000}, wei{1000}, wei{0}, wei{1000}, {}, true, noon});
  record_keys keys;
  keys.vouchers = {profile_id{1}};
  keys.vouches = {vouch_id{3}};
  keys.subjects.emplace(by_profile(5).key, by_profile(5));
  const record_rows rows{store.read(load_records{keys})};
  ASSERT_EQ(rows.active_vouches_of(profile_id{1}).size(), 1u);
  EXPECT_EQ(rows.active_vouches_of(profile_id{1}).front().id, vouch_id{1});
  EXPECT_TRUE(rows.vouch(vouch_id{3}));
  EXPECT_EQ(rows.active_vouches_for(user_id{5}), 2);
  EXPECT_EQ(rows.last().vouch, vouch_id{3});
}

TEST_F(VouchSql, RepliesAndVotesAreTallied) {
  put(vouch(1, 1, 5, 1000, true));
  const activity on{activity_kind::vouch, 1};
  put(reply_created{{reply_id{1}, profile_id{2}, on, std::nullopt, "so it was", "{}", noon, noon, 0, false}});
  put(reply_created{{reply_id{2}, profile_id{3}, on, reply_id{1}, "was it?", "", noon, noon, 0, false}});
  put(reply_edited{reply_id{2}, "it was", "", 1, noon + 1h, profile_id{3}});
  const auto reply = test::there(store.read(get_reply{reply_id{2}}));
  EXPECT_EQ(reply->content, "it was");
  EXPECT_EQ(reply->on, on);
  EXPECT_EQ(reply->parent, reply_id{1});
  EXPECT_EQ(reply->edits, 1);
  EXPECT_EQ(tally("replies"), 2);
  put(reply_created{
    {reply_id{3}, profile_id{3}, {activity_kind::project, 1}, std::nullopt, "well listed", "", noon, noon, 0, false}});
  EXPECT_EQ(store.number("SELECT comment_count FROM projects WHERE id = 1"), 1) << "the comments of a listing";
  activity_vote vote{on, profile_id{2}, 1, true, false, noon, noon};
  put(activity_voted{vote, true});
  put(activity_voted{{on, profile_id{3}, 2, false, false, noon, noon}, true});
  EXPECT_EQ(tally("up * 10 + down"), 11);
  vote.upvote = false;
  put(activity_voted{vote, false});
  EXPECT_EQ(tally("up * 10 + down"), 2);
  vote.archived = true;
  put(activity_voted{vote, false});
  EXPECT_EQ(tally("up * 10 + down"), 1);
  EXPECT_TRUE(store.read(get_vote{on, profile_id{2}})->archived);
  EXPECT_FALSE(store.read(get_vote{on, profile_id{9}}));
  EXPECT_TRUE(refuses(activity_voted{{on, profile_id{2}, 3, true, false, noon, noon}, true})) << "there is one";
}

TEST_F(VouchSql, WhatMayBeRepliedToIsWhatIsThere) {
  put(vouch(1, 1, 5, 1000, true));
  put(reply_created{
    {reply_id{1}, profile_id{2}, {activity_kind::vouch, 1}, std::nullopt, "x", "", noon, noon, 0, false}});
  test::run_sql(store.url, "UPDATE projects SET status = 'ARCHIVED' WHERE id = 2");
  record_keys keys;
  for (const auto kind : {activity_kind::attestation, activity_kind::discussion, activity_kind::market,
                          activity_kind::project, activity_kind::review, activity_kind::slash, activity_kind::vouch})
    for (int id : {1, 2})
      keys.activities.insert({kind, id});
  const record_rows rows{store.read(load_records{keys})};
  EXPECT_TRUE(rows.find({activity_kind::vouch, 1}));
  EXPECT_FALSE(rows.find({activity_kind::vouch, 2}));
  EXPECT_TRUE(rows.find({activity_kind::discussion, 1}));
  EXPECT_FALSE(rows.find({activity_kind::project, 1})->archived);
  EXPECT_TRUE(rows.find({activity_kind::project, 2})->archived);
  for (const auto kind :
       {activity_kind::attestation, activity_kind::market, activity_kind::review, activity_kind::slash})
    EXPECT_FALSE(rows.find({kind, 1})) << name_of(kind);
}

} // namespace
} // namespace credence::persistence
