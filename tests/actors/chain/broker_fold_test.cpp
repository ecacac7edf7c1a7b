#include "tests/actors/chain/fold_world.hpp"

namespace credence::chain {
namespace {

using samples::address_of;
using namespace broker_events;

const address ada = address_of(1), bob = address_of(2), token = address_of(9), other_token = address_of(10);

class BrokerFold : public testing::Test, public fold_world {
public:
  BrokerFold() {
    join(1, ada);
    join(2, bob);
  }
  static post_created post(std::int32_t number, std::int32_t author = 1) {
    return {{number}, {author}, post_level::premium, "Audit", "two weeks", "100 WHUF", "{}", {1'600'000'000}};
  }
  const post_row& row(std::int32_t number) const { return *rows.posts.find({number}); }
  uint256 credit(std::int32_t profile_of, const address& of) const {
    return rows.credits.find({{profile_of}, of})->balance;
  }
};

TEST_F(BrokerFold, APostHasItsTextsFromTheEvent) {
  applied(post(1));
  EXPECT_EQ(
    row(1),
    (post_row{{1}, post_level::premium, "Audit", "two weeks", "100 WHUF", "{}", {1'600'000'000}, {1'600'000'000}}));
  applied(post_updated{{1}, {1}, "Audits", "three weeks", "90 WHUF", "[]", {1'600'000'500}});
  EXPECT_EQ(
    row(1),
    (post_row{{1}, post_level::premium, "Audits", "three weeks", "90 WHUF", "[]", {1'600'000'000}, {1'600'000'500}}));
  applied(post_updated{{1}, {1}, "Audits", "", "", "", {5}});
  EXPECT_EQ(row(1).updated_at, unix_time{1'600'000'000}) << "never before it was made";
}

TEST_F(BrokerFold, APostIsMadeOnceByAProfileThatIsThere) {
  applied(post(1));
  EXPECT_EQ(fold(post(1, 2)), "duplicate");
  EXPECT_EQ(fold(post(2, 9)), "missing_profile");
  EXPECT_EQ(fold(post_updated{{3}, {1}, "", "", "", "", {}}), "missing_post");
  EXPECT_EQ(row(1).author, profile_id{1});
}

TEST_F(BrokerFold, AFeeIsKeptBeforeItsPostAndBehindIt) {
  applied(premium_post_fee_paid{{1}, token, 50, bob});
  applied(post(1));
  EXPECT_EQ(*rows.post_fees.find({1}), (post_fee_row{token, 50, bob}));
  applied(premium_post_fee_paid{{1}, other_token, 60, ada});
  EXPECT_EQ(*rows.post_fees.find({1}), (post_fee_row{other_token, 60, ada})) << "the last one";
}

TEST_F(BrokerFold, CreditIsWhatTheContractSaysIsLeft) {
  applied(credit_balance_updated{{1}, token, 7, 500});
  applied(credit_balance_updated{{1}, other_token, 0, 3});
  applied(credit_used{{1}, token, {1}, 50, 440});
  EXPECT_EQ(credit(1, token), 440) << "not added up";
  EXPECT_EQ(credit(1, other_token), 3);
  EXPECT_EQ(fold(credit_balance_updated{{9}, token, 0, 1}), "missing_profile");
  EXPECT_EQ(fold(credit_used{{9}, token, {1}, 0, 1}), "missing_profile");
}

TEST_F(BrokerFold, PostsAreNumberedFromOne) {
  applied(post(1));
  EXPECT_TRUE(effects.gaps.empty());
  applied(post(4));
  EXPECT_EQ(effects.gaps, (std::vector<id_gap>{{"post", 2, 3}}));
}

TEST_F(BrokerFold, TheOffsetCounts) {
  how.id_offset = 100;
  EXPECT_EQ(fold(profile_events::profile_created{{3}, address_of(3)}), "");
  applied(post(1, 3));
  EXPECT_EQ(row(101).author, profile_id{103});
  how.id_offset = 2147483640;
  EXPECT_EQ(fold(post(8, 3)), "id_out_of_range");
  EXPECT_EQ(fold(post_updated{{8}, {3}, "", "", "", "", {}}), "id_out_of_range");
  EXPECT_EQ(fold(premium_post_fee_paid{{8}, token, 1, ada}), "id_out_of_range");
  EXPECT_EQ(fold(credit_used{{8}, token, {1}, 1, 1}), "id_out_of_range");
}

TEST_F(BrokerFold, ALevelBeyondPremiumIsNone) {
  auto log = encode_log(post(1));
  log.data.at(31) = std::byte{2};
  const auto read = decode_log(contract_kind::broker, log.topics, log.data);
  EXPECT_EQ(fate_of(read), failed(decode_error::bad_enum));
}

} // namespace
} // namespace credence::chain
