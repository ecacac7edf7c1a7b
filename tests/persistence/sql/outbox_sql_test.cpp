#include "persistence/sql/outbox_sql.hpp"
#include "tests/persistence/sql/identity_store.hpp"

#include <gtest/gtest.h>

namespace credence::persistence {
namespace {

using namespace std::chrono_literals;
using wallets::funding_account;
using state = wallets::transaction_state;

const timestamp today{1767225600s};

class OutboxSql : public testing::Test {
protected:
  OutboxSql() {
    for (const auto owner : {funding_account, profile_id{7}})
      EXPECT_EQ(store.result_of(wallets::wallet_made{
                  owner, owner.value, {{std::byte(owner.value + 1)}}, {1, std::string(64, 'k')}, today}),
                write_result::stored);
  }
  std::int64_t add(profile_id owner, std::uint64_t nonce, std::int64_t replaces = 0, int fee = 10,
                   profile_id beneficiary = {}) {
    wallets::transaction_stored fresh{owner, nonce, {}, {wei{fee}, wei{1}}, "signed", {}, replaces, today};
    fresh.plan = {{{std::byte{9}}}, wei{5}, "", 21'000, beneficiary ? "sponsorship" : "review", "", beneficiary};
    fresh.hash[0] = std::byte(++hashes_);
    const auto told = store.write(std::move(fresh));
    EXPECT_EQ(told.result, write_result::stored);
    return told.number;
  }
  void move(profile_id owner, std::vector<wallets::transaction_move> moves) {
    EXPECT_EQ(store.result_of(wallets::transactions_moved{owner, std::move(moves), today + 1s}), write_result::stored);
  }
  wallets::outbox_row one(std::int64_t id) {
    return store.read<wallets::found_transaction>(wallets::load_transaction{profile_id{7}, id}).row.value();
  }

  test::one_store store;

private:
  int hashes_ = 0;
};

TEST_F(OutboxSql, ATransactionThatWasReplacedIsAnsweredByTheOneThatCounts) {
  const auto first = add(profile_id{7}, 0);
  const auto second = add(profile_id{7}, 0, first, 20);
  const auto third = add(profile_id{7}, 0, second, 30);
  EXPECT_EQ(one(first).id, third);
  EXPECT_EQ(one(third).id, third);
  move(profile_id{7}, {{first, state::replaced, "", std::nullopt, true, second},
                       {third, state::replaced, "", std::nullopt, true, second},
                       {second, state::failed, "contract_revert: no", 10, true, 0}});
  for (const auto id : {first, second, third}) {
    EXPECT_EQ(one(id).id, second);
    EXPECT_EQ(one(id).state, state::failed) << "a repeat of the request is told so";
  }
}

TEST_F(OutboxSql, TwoThatNameEachOtherAreAnsweredByTheOneThatCounts) {
  const auto first = add(profile_id{7}, 0);
  const auto second = add(profile_id{7}, 0, first, 20);
  move(profile_id{7},
       {{second, state::replaced, "", std::nullopt, false, first}, {first, state::mined, "", 10, false, 0}});
  EXPECT_EQ(one(first).id, first);
  EXPECT_EQ(one(second).id, first);
}

TEST_F(OutboxSql, ATransactionOfAnotherWalletIsNotFound) {
  const auto paid = add(funding_account, 0, 0, 10, profile_id{7});
  EXPECT_FALSE(store.read<wallets::found_transaction>(wallets::load_transaction{profile_id{7}, paid}).row);
}

TEST_F(OutboxSql, TheNewestTransactionInABlockThatRanACallIsFound) {
  const auto newest = [this](std::vector<std::string> calls, std::byte to = std::byte{9}) {
    const auto row =
      store.read<wallets::found_transaction>(wallets::load_call{profile_id{7}, {{to}}, std::move(calls)}).row;
    return row ? row->id : 0;
  };
  const auto first = add(profile_id{7}, 0), second = add(profile_id{7}, 1), waiting = add(profile_id{7}, 2);
  EXPECT_EQ(newest({""}), 0) << "none is in a block";
  move(profile_id{7}, {{first, state::settled, "", 10, true, 0},
                       {second, state::mined, "", 11, false, 0},
                       {waiting, state::sent, "", std::nullopt, false, 0}});
  EXPECT_EQ(newest({"another", ""}), second);
  EXPECT_EQ(newest({"another"}), 0);
  EXPECT_EQ(newest({""}, std::byte{8}), 0) << "of another contract";
}

TEST_F(OutboxSql, WhatWasSpentOnAWalletHoldsItsFeesAndEachNonceOnce) {
  const auto first = add(funding_account, 0, 0, 10, profile_id{7});
  add(funding_account, 0, first, 20, profile_id{7});
  add(funding_account, 1, 0, 10, profile_id{7});
  const auto refused = add(funding_account, 2, 0, 10, profile_id{7});
  move(funding_account, {{refused, state::failed, "no", std::nullopt, true, 0}});
  const auto found = store.read<wallets::stored_outbox>(wallets::load_outbox{funding_account, today - 1h});
  ASSERT_EQ(found.granted_today.size(), 1u);
  EXPECT_EQ(found.granted_today.at(profile_id{7}), wei{5 + 20 * 21'000 + 5 + 10 * 21'000});
}

} // namespace
} // namespace credence::persistence
