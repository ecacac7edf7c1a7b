#include "actors/wallets/action_state.hpp"
#include "tests/there.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace credence::wallets {
namespace {

using namespace reputation;
using chain::contract_kind;

constexpr std::int32_t offset = 1000;
constexpr profile_id ann{offset + 1};

address filled(unsigned char byte) {
  address out;
  out.bytes.fill(std::byte{byte});
  return out;
}

action_rules rules(const settings::wallet_functions& declared = {}) {
  auto calls = action_calls::from(declared);
  if (!calls)
    throw std::invalid_argument(calls.why().front());
  return {{},
          *std::move(calls),
          {{contract_kind::review, filled(1)},
           {contract_kind::reputation_market, filled(2)},
           {contract_kind::discussion, filled(3)}},
          offset};
}

create_review review_of(named_subject subject) {
  return {ann, std::move(subject), review_score::positive, "Kept its word", "{}"};
}

void expect_refused(const outcome<contract_action>& decision, refusal_code why, const std::string& detail) {
  ASSERT_FALSE(decision);
  EXPECT_EQ(decision.why().code, why);
  EXPECT_EQ(decision.why().detail, detail);
}

TEST(ActionRules, NobodyIsReviewedByItself) {
  const auto review = review_of({subject_key{filled(7)}, std::nullopt});
  expect_refused(rules().decide(review, ann), refusal_code::cannot_review_self,
                 "the subject is profile 1001 itself; a profile reviews others only");
  for (const auto whose : {std::optional<profile_id>{}, std::optional{profile_id{offset + 2}}}) {
    const auto decision = test::there(rules().decide(review, whose));
    EXPECT_EQ(
      decision->data,
      rules().calls.add_review({chain::review_score::positive, filled(7), {}, "Kept its word", "{}", {}, {}, {}}).data);
  }
}

TEST(ActionRules, AReviewOfAnAccountNamesNoAddress) {
  const account at_x{people::account_service::x, "44196397"};
  const auto decision = test::there(rules().decide(review_of({subject_key{digest32{}}, at_x}), std::nullopt));
  EXPECT_EQ(decision->data,
            rules()
              .calls.add_review({chain::review_score::positive, {}, {}, "Kept its word", "{}", "44196397", "x.com", {}})
              .data);
}

TEST(ActionRules, AnEditKeepsWhatItDoesNotName) {
  review_record now;
  now.comment = "before";
  now.metadata = "{\"description\":\"before\"}";
  edit_review edit{review_id{offset + 5}, ann, "after", std::nullopt};
  EXPECT_EQ(rules().decide(edit, now)->data, rules().calls.edit_review({5}, "after", now.metadata).data);
  edit = {review_id{offset + 5}, ann, std::nullopt, "{}"};
  EXPECT_EQ(rules().decide(edit, now)->data, rules().calls.edit_review({5}, "before", "{}").data);
  EXPECT_EQ(rules().decide(archive_review{review_id{offset + 5}, ann})->data, rules().calls.archive_review({5}).data);
}

TEST(ActionRules, WhatWasWrittenHereIsInNoContract) {
  const auto all = rules();
  const auto review = "review 1000 is in no contract";
  expect_refused(all.decide(edit_review{review_id{offset}, ann, "x", {}}, {}), refusal_code::not_found, review);
  expect_refused(all.decide(archive_review{review_id{offset}, ann}), refusal_code::not_found, review);
  expect_refused(all.vote({activity_kind::review, 7}, true), refusal_code::not_found, "review 7 is in no contract");
  expect_refused(all.vote({activity_kind::slash, offset + 1}, true), refusal_code::not_found,
                 "slash 1001 is in no contract"); // that contract is not followed
  expect_refused(all.decide(create_reply{ann, {activity_kind::vouch, offset + 1}, {}, "x", {}}),
                 refusal_code::not_found, "vouch 1001 is in no contract");
}

TEST(ActionRules, AVoteExcludesTheOtherOnTheSame) {
  const activity on{activity_kind::market, offset + 9};
  const auto up = test::there(rules().decide(put_vote{on, ann, true}, nullptr));
  EXPECT_EQ(up->data, rules().calls.vote({filled(2), {9}, true}).data);
  EXPECT_EQ(up->not_beside, (std::vector{up->data, rules().calls.vote({filled(2), {9}, false}).data}));
  EXPECT_EQ(rules().vote(on, true)->data, up->data);
}

/// The contract takes a vote back that is cast again, so it is told the direction that stands.
TEST(ActionRules, AVoteIsWithdrawnInItsOwnDirection) {
  const activity on{activity_kind::review, offset + 9};
  put_vote withdrawal{on, ann, true};
  withdrawal.wish = vote_wish::withdraw;
  activity_vote down{on, ann, 3};
  down.upvote = false;
  EXPECT_EQ(rules().decide(withdrawal, &down)->data, rules().calls.vote({filled(1), {9}, false}).data);
  expect_refused(rules().decide(withdrawal, nullptr), refusal_code::not_found,
                 "you have no vote on review 1009 to withdraw");
}

TEST(ActionRules, ARepliesTargetIsAnActivityOfAContract) {
  const auto reply = rules().decide(create_reply{ann, {activity_kind::discussion, offset + 4}, {}, "Thanks", "{}"});
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->data, rules().calls.add_reply({filled(3), {4}, "Thanks", "{}"}).data);
}

TEST(ActionRules, BondsNeedADeclaredFunction) {
  bond_call bond;
  bond.subject = {offset};
  expect_refused(rules().decide(bond), refusal_code::not_found, "profile 1000 is in no contract");
  bond.subject = {offset + 2};
  bond_end_call end;
  end.bond = {offset + 3};
  const auto undeclared = "the settings of this service declare no function of the contract of bonds for this";
  expect_refused(rules().decide(bond), refusal_code::endpoint_disabled, undeclared);
  expect_refused(rules().decide(end), refusal_code::endpoint_disabled, undeclared);
  settings::wallet_functions declared;
  declared.create_bond = "createBond(uint256 subjectProfileId, uint256 randValue)";
  declared.archive_bond = "archiveBond(uint256 bondId, string archiveReason)";
  const auto with_both = rules(declared);
  auto onchain = bond;
  onchain.subject = {2};
  EXPECT_EQ(with_both.decide(bond)->data, with_both.calls.create_bond(onchain)->data);
  auto onchain_end = end;
  onchain_end.bond = {3};
  EXPECT_EQ(with_both.decide(end)->data, with_both.calls.archive_bond(onchain_end)->data);
}

} // namespace
} // namespace credence::wallets
