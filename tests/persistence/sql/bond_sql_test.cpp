#include "tests/actors/reputation/record_examples.hpp"
#include "tests/persistence/sql/identity_store.hpp"

namespace credence::persistence {
namespace {

using namespace reputation;
using namespace std::chrono_literals;
using people::human_verification;

/// Bonds as they are written and read, and who is verified by them. Profiles 1 to 20 have users of the same ids.
class BondSql : public testing::Test {
protected:
  static bond_created bond(int id, int author, int subject, bool first = false, timestamp expires_at = noon + 1h) {
    bond_created out;
    auto& record = out.record;
    record.id = bond_id{id};
    record.author = profile_id{author};
    record.subject = {by_profile(subject), 0};
    record.subject_profile = profile_id{subject};
    record.type = "HUMAN";
    record.amount = "500";
    record.amount_type = "XP";
    record.statement = "I met her";
    record.method = verification_method::voice;
    record.comment = "by phone";
    record.expires_at = expires_at;
    record.created_at = record.updated_at = noon;
    if (first)
      out.subject = fresh_subject{by_profile(subject), 0, user_id{subject}, std::nullopt};
    out.by = profile_id{1};
    return out;
  }
  static bond_archived end(int id, int author, int subject) {
    return {bond_id{id}, profile_id{author}, profile_id{subject}, {noon + 1h, profile_id{1}, "was another"}};
  }
  void put(change change) { ASSERT_EQ(store.result_of(std::move(change)), write_result::stored); }
  verification_status verification(int user) {
    return store.read<verification_status>(load_verification{user_id{user}});
  }
  auto status(int user) { return verification(user).status; }

  test::one_store store;
};

TEST_F(BondSql, EverythingAboutABondComesBack) {
  put(bond(1, 2, 5, true));
  const auto found = store.read<found_bond>(load_bond{bond_id{1}}).record;
  ASSERT_TRUE(found);
  EXPECT_EQ(found->author, profile_id{2});
  EXPECT_EQ(found->subject_profile, profile_id{5});
  EXPECT_EQ(found->subject.name.key, by_profile(5).key);
  EXPECT_EQ(found->type + found->amount + found->amount_type + found->statement + found->comment,
            "HUMAN500XPI met herby phone");
  EXPECT_EQ(found->method, verification_method::voice);
  EXPECT_EQ(found->expires_at, noon + 1h);
  EXPECT_FALSE(found->ended);
  put(bond_expiration_set{bond_id{1}, profile_id{2}, profile_id{5}, noon + 1h, noon + 5h, profile_id{1}, noon + 1h});
  put(end(1, 2, 5));
  const auto ended = store.read<found_bond>(load_bond{bond_id{1}}).record;
  EXPECT_EQ(ended->expires_at, noon + 5h);
  ASSERT_TRUE(ended->ended);
  EXPECT_EQ(ended->ended->at, noon + 1h);
  EXPECT_EQ(ended->ended->by, profile_id{1});
  EXPECT_EQ(ended->ended->reason, "was another");
  EXPECT_FALSE(store.read<found_bond>(load_bond{bond_id{2}}).record);
  const auto about = verification(5).bonds;
  ASSERT_EQ(about.size(), 1u);
  EXPECT_EQ(about[0].author->id, user_id{2});
  EXPECT_EQ(store.result_of(end(1, 2, 5)), write_result::failed) << "it has ended";
  EXPECT_EQ(store.result_of(bond(3, 2, 5)), write_result::failed) << "numbers have no gaps";
}

TEST_F(BondSql, ThreeVerifiersAtOnceVerify) {
  put(bond(1, 2, 5, true));
  EXPECT_EQ(status(5), human_verification::pending);
  put(bond(2, 2, 5));
  put(bond(3, 3, 5));
  EXPECT_EQ(status(5), human_verification::pending) << "three bonds of two verifiers";
  put(bond(4, 4, 5));
  EXPECT_EQ(status(5), human_verification::verified);
  put(end(2, 2, 5));
  EXPECT_EQ(status(5), human_verification::verified) << "verifier 2 has another one";
  put(end(1, 2, 5));
  EXPECT_EQ(status(5), human_verification::revoked);
  put(bond(5, 6, 5));
  EXPECT_EQ(status(5), human_verification::verified);
}

TEST_F(BondSql, WhatAnAdminSaidStands) {
  put(bond(1, 2, 5, true));
  verification_decided said{{profile_id{5}, user_id{5}, false, {}, "bought", profile_id{1}, noon, noon, {}},
                            human_verification::pending};
  put(said);
  put(bond(2, 3, 5));
  put(bond(3, 4, 5));
  EXPECT_EQ(status(5), human_verification::revoked) << "bonds do not outvote an admin";
  said.record.verified = true;
  said.record.verified_at = said.record.updated_at = noon + 1h;
  put(said);
  put(end(3, 4, 5));
  put(end(2, 3, 5));
  put(end(1, 2, 5));
  EXPECT_EQ(status(5), human_verification::verified);
}

TEST_F(BondSql, AStatusThatWasThereIsNotMadeWorse) {
  test::run_sql(
    store.url,
    "UPDATE users SET human_verification = CASE id WHEN 5 THEN 'VERIFIED' ELSE 'REQUESTED' END WHERE id IN (5, 6)");
  put(bond(1, 2, 5, true));
  EXPECT_EQ(status(5), human_verification::verified);
  put(bond(2, 2, 6, true));
  EXPECT_EQ(status(6), human_verification::pending);
  put(end(2, 2, 6));
  EXPECT_EQ(status(6), human_verification::requested) << "as before";
}

TEST_F(BondSql, ABondEndsWhenItsTimeIsOver) {
  put(bond(1, 2, 5, true, noon + 1h));
  put(bond(2, 3, 5, false, noon + 2h));
  put(bond(3, 4, 5, false, noon + 3h));
  const auto lapse = [&](const char* at) {
    return store.number("SELECT lapse_bonds('2026-03-10 " + std::string{at} + "+00')");
  };
  EXPECT_EQ(lapse("12:59:59"), 0);
  EXPECT_EQ(status(5), human_verification::verified);
  EXPECT_EQ(lapse("13:00:00"), 1);
  EXPECT_EQ(lapse("13:00:00"), 0) << "once";
  EXPECT_EQ(status(5), human_verification::revoked);
  EXPECT_EQ(store.number("SELECT count(*) FROM score_dirty WHERE user_id = 5"), 0) << "whose score is not worked out";
  put(bond_expiration_set{bond_id{1}, profile_id{2}, profile_id{5}, noon + 1h, noon + 9h, profile_id{1}, noon + 90min});
  EXPECT_EQ(status(5), human_verification::verified) << "it was made to last";
}

TEST_F(BondSql, AreInFeedsAndTakeVotes) {
  put(bond(1, 2, 5, true));
  put(bond(2, 3, 5));
  put(end(2, 3, 5));
  list_feed feed{feed_side::received, user_id{5}};
  feed.slice = {10, 0};
  const auto both = store.read<feed_page>(feed);
  ASSERT_EQ(both.rows.size(), 2u);
  EXPECT_EQ(both.rows[0].kind, feed_kind::bond);
  EXPECT_EQ(std::get<bond_record>(both.rows[0].record).id, bond_id{2});
  EXPECT_EQ(both.rows[0].author, user_id{3});
  feed.with_archived = false;
  EXPECT_EQ(store.read<feed_page>(feed).rows.size(), 1u);
  record_keys keys;
  keys.activities = {{activity_kind::bond, 1}, {activity_kind::bond, 2}, {activity_kind::bond, 3}};
  keys.verifications = {profile_id{7}};
  const record_rows rows{store.read<stored_records>(load_records{keys})};
  EXPECT_FALSE(rows.find({activity_kind::bond, 1})->archived);
  EXPECT_TRUE(rows.find({activity_kind::bond, 2})->archived);
  EXPECT_FALSE(rows.find({activity_kind::bond, 3}));
  EXPECT_EQ(rows.last().bond, 2);
  EXPECT_FALSE(rows.verification(profile_id{7})->verifier);
  test::run_sql(store.url,
                "UPDATE users SET human_verification = 'VERIFIED', score = 1601, validator_nft_count = 1 WHERE id = 7");
  EXPECT_TRUE(record_rows{store.read<stored_records>(load_records{keys})}.verification(profile_id{7})->verifier);
}

} // namespace
} // namespace credence::persistence
