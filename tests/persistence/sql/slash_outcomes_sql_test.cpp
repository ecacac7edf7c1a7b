#include "tests/actors/reputation/record_examples.hpp"
#include "tests/persistence/sql/identity_store.hpp"

namespace credence::persistence {
namespace {

using namespace slash;
using namespace std::chrono_literals;
using reputation::noon;

/// What slashes for XP and for money come to. Profiles 1 to 20 have users of the same ids.
struct SlashOutcomesSql : test::store_tests {
  static slash_opened opened(int id, slash_type type, std::int64_t amount) {
    subject who;
    who.wallet.emplace().bytes[19] = static_cast<std::byte>(id);
    who.user = user_id{2};
    who.profile = profile_id{2};
    return {{slash_id{id}, profile_id{1}, who, type, amount, 48h, "because", "", noon}};
  }
  /// Closes it with a vote of this weight either way.
  void close(int id, int for_it, int against_it) {
    int number = 0;
    for (const auto& [side, weight] : {std::pair{vote_side::slash, for_it}, std::pair{vote_side::defend, against_it}})
      if (weight > 0) {
        ++number;
        put(slash_voted{slash_id{id}, number, profile_id{10 + number}, side, weight, noon + 1h});
      }
    put(slash_closed{slash_id{id}, {noon + 48h, verdict_of({for_it, against_it}), {for_it, against_it}}});
  }
  static verdict verdict_of(weights votes) {
    return votes.slash > votes.defend   ? verdict::slashed
           : votes.slash < votes.defend ? verdict::defended
                                        : verdict::inconclusive;
  }
  void give(int profile, int amount) {
    test::run_sql(store.url, "INSERT INTO xp_movements (at, amount, from_account, to_account, kind) VALUES (now(), "
                               + std::to_string(amount) + ", 0, " + std::to_string(profile) + ", 'CLAIM')");
  }
  std::int64_t xp(int account) {
    return store.number("SELECT balance FROM xp_accounts WHERE id = " + std::to_string(account));
  }
  void vouch(int id, int author, int subject, std::vector<score::vouch_part> parts) {
    reputation::vouch_created out;
    auto& record = out.record;
    record.id = vouch_id{id};
    record.author = profile_id{author};
    record.subject = {reputation::by_profile(subject), 0};
    record.subject_user = user_id{subject};
    record.subject_profile = profile_id{subject};
    for (const auto& each : parts)
      record.balance += each.amount;
    record.staked = record.deposited = record.balance;
    record.parts = std::move(parts);
    record.vouched_at = noon;
    out.subject = reputation::fresh_subject{reputation::by_profile(subject), 0, user_id{subject}, std::nullopt};
    put(out);
  }
  std::int64_t of_vouch(int id, const std::string& text) {
    return store.number("SELECT " + text
                        + "::int8 FROM vouches WHERE contract = 'api' AND number = " + std::to_string(id));
  }
};

TEST_F(SlashOutcomesSql, XpIsPutAsideAndTheWinnerTakesIt) {
  give(1, 100);
  give(2, 70);
  EXPECT_TRUE(refuses(opened(1, slash_type::xp, 71))) << "the subject has less";
  put(opened(1, slash_type::xp, 60));
  EXPECT_EQ(xp(1), 40);
  EXPECT_EQ(xp(2), 10);
  EXPECT_EQ(xp(-2), 120);
  EXPECT_TRUE(refuses(profile::xp_tipped{profile_id{2}, profile_id{3}, 11, {}, {}, noon})) << "it is put aside";
  close(1, 5, 0);
  EXPECT_EQ(xp(1), 160);
  EXPECT_EQ(xp(2), 10);
  EXPECT_EQ(xp(-2), 0);
  EXPECT_TRUE(refuses(slash_closed{slash_id{1}, {noon + 48h, verdict::slashed, {5, 0}}})) << "once";
  EXPECT_EQ(xp(1), 160);
}

TEST_F(SlashOutcomesSql, XpGoesToTheDefendedOrBack) {
  give(1, 100);
  give(2, 100);
  put(opened(1, slash_type::xp, 100));
  close(1, 0, 5);
  EXPECT_EQ(xp(1), 0);
  EXPECT_EQ(xp(2), 200);
  give(1, 50);
  put(opened(2, slash_type::xp, 50));
  close(2, 3, 3);
  EXPECT_EQ(xp(1), 50) << "nobody won";
  EXPECT_EQ(xp(2), 200);
  put(opened(3, slash_type::xp, 50));
  put(slash_closed{slash_id{3}, {noon + 1h, verdict::cancelled, {}}});
  EXPECT_EQ(xp(1), 50);
  EXPECT_EQ(xp(2), 200);
  EXPECT_EQ(xp(-2), 0);
  EXPECT_EQ(store.how_many("xp_movements WHERE kind = 'XP_SLASH_STAKE_WON'"), 1);
}

TEST_F(SlashOutcomesSql, MoneyCutsTheVouchesOfWhoLost) {
  const auto day = std::chrono::floor<std::chrono::days>(noon);
  vouch(1, 2, 5, {{wei{900}, day - std::chrono::days{9}}, {wei{60}, day}});
  vouch(2, 2, 6, {{wei{9}, day}});
  vouch(3, 1, 7, {{wei{1000}, day}});
  put(opened(1, slash_type::financial, 1000));
  close(1, 5, 0);
  EXPECT_EQ(of_vouch(1, "balance"), 864) << "ten percent less";
  EXPECT_EQ(of_vouch(1, "slashed"), 96);
  EXPECT_EQ(of_vouch(2, "balance"), 9) << "nothing, rounded down";
  EXPECT_EQ(of_vouch(3, "balance"), 1000) << "of the author of the slash";
  const auto left = store.read(reputation::get_vouch{vouch_id{1}})->parts;
  ASSERT_EQ(left.size(), 1u) << "the newest part went first";
  EXPECT_EQ(left[0].amount, wei{864});
  EXPECT_EQ(store.number("SELECT received_wei::int8 FROM user_vouches WHERE user_id = 5 AND token = 'eth'"), 864);
  EXPECT_EQ(store.number("SELECT (young_wei + mature_wei)::int8 FROM score_inputs WHERE user_id = 5"), 864);
  using reputation::vouch_move;
  EXPECT_TRUE(
    refuses(reputation::vouch_moved{vouch_id{1}, profile_id{2}, vouch_move::decrease, wei{960}, wei{960}, wei{860},
                                    wei{100}, std::vector{score::vouch_part{wei{860}, day}}, false, noon}))
    << "decided before it was cut";
  put(reputation::vouch_moved{
    vouch_id{1}, profile_id{2}, vouch_move::withdraw, wei{960}, wei{960}, wei{0}, wei{864}, {}, true, noon});
}

TEST_F(SlashOutcomesSql, ADefendedSlashForMoneyCostsItsAuthor) {
  const auto day = std::chrono::floor<std::chrono::days>(noon);
  vouch(1, 2, 5, {{wei{1000}, day}});
  vouch(2, 1, 7, {{wei{1000}, day}});
  put(opened(1, slash_type::financial, 500));
  close(1, 0, 5);
  EXPECT_EQ(of_vouch(1, "balance"), 1000);
  EXPECT_EQ(of_vouch(2, "balance"), 950);
  put(opened(2, slash_type::financial, 500));
  close(2, 3, 3);
  EXPECT_EQ(of_vouch(1, "balance") + of_vouch(2, "balance"), 1950) << "nobody lost";
}

TEST_F(SlashOutcomesSql, VersionOneListsNoSlashesForXp) {
  give(1, 100);
  give(2, 100);
  put(opened(1, slash_type::xp, 60));
  find_slashes query;
  query.slice = {10, 0};
  EXPECT_EQ(store.read(query).total, 1);
  EXPECT_EQ(store.read(query).values.front().type, slash_type::xp);
  query.with_xp = false;
  EXPECT_EQ(store.read(query).total, 0);
  const auto xp = store.read(load_xp_at_hand{profile_id{1}, profile_id{3}});
  EXPECT_EQ(xp.author, 40);
  EXPECT_EQ(xp.subject, 0);
}

} // namespace
} // namespace credence::persistence
