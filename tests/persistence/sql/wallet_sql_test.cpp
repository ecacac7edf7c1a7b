#include "auth/signature.hpp"
#include "auth/wallet_keys_local.hpp"
#include "persistence/sql/wallet_sql.hpp"
#include "tests/auth/master_key.hpp"
#include "tests/persistence/sql/identity_store.hpp"
#include "tests/persistence/sql/kept_promises.hpp"

#include <gtest/gtest.h>

namespace credence::persistence {
namespace {

using namespace std::chrono_literals;
using wallets::funding_account;
using wallets::load_wallet;
using wallets::stored_wallet;
using wallets::wallet_id_of;

const timestamp today{1767225600s};
const digest32 some_hash{std::byte{7}};

class WalletSql : public testing::Test {
protected:
  wallets::wallet_made make(profile_id owner) {
    const auto made = keys.make(wallet_id_of(owner));
    return {owner, wallet_id_of(owner), made.at, made.key, today};
  }
  stored_wallet of(profile_id owner) { return store.read<stored_wallet>(load_wallet{owner}); }

  test::one_store store;
  auth::wallet_keys_local keys{auth::master_keys{auth::master(1, 'a')}};
};

TEST_F(WalletSql, AWalletComesBackToItsProfileAndSigns) {
  const auto made = make(profile_id{7});
  ASSERT_EQ(store.result_of(made), write_result::stored);
  const auto found = of(profile_id{7});
  ASSERT_TRUE(found.found);
  EXPECT_EQ(found.profile, profile_id{7});
  EXPECT_EQ(found.id, 7);
  EXPECT_EQ(found.at, made.at);
  EXPECT_EQ(found.made_at, today);
  EXPECT_FALSE(found.exported_at);
  const auto by = keys.sign(found.id, found.key, some_hash);
  const auto signer = auth::recover_signer(some_hash, {by.r, by.s, by.y_parity});
  ASSERT_TRUE(signer);
  EXPECT_EQ(*signer, made.at);
  EXPECT_FALSE(of(profile_id{8}).found);
  EXPECT_EQ(
    store.number("SELECT count(*) FROM audit_log WHERE act = 'wallet_made' AND profile_id = 7 AND after = 'address "
                 + lower_text(made.at) + "'"),
    1);
  test::expect_kept(store.url, promises_of("wallets"));
}

TEST_F(WalletSql, TheAccountThatPaysForGasBelongsToNobody) {
  const auto made = make(funding_account);
  ASSERT_EQ(store.result_of(made), write_result::stored);
  EXPECT_EQ(of(funding_account).at, made.at);
  EXPECT_EQ(store.number("SELECT count(*) FROM managed_wallets WHERE profile_id IS NULL AND id = 0"), 1);
  test::expect_kept(store.url, promises_of("wallets"));
}

TEST_F(WalletSql, AProfileHasOneWalletAndAnAddressOneOwner) {
  const auto first = make(profile_id{7});
  ASSERT_EQ(store.result_of(first), write_result::stored);
  EXPECT_EQ(store.result_of(make(profile_id{7})), write_result::failed);
  auto same = make(profile_id{8});
  same.at = first.at;
  EXPECT_EQ(store.result_of(same), write_result::failed);
  EXPECT_EQ(of(profile_id{7}).at, first.at);
}

TEST_F(WalletSql, AnExportIsNotedAndTold) {
  ASSERT_EQ(store.result_of(make(profile_id{7})), write_result::stored);
  ASSERT_EQ(store.result_of(wallets::wallet_exported{profile_id{7}, 7, today + 2h}), write_result::stored);
  ASSERT_EQ(store.result_of(wallets::wallet_exported{profile_id{7}, 7, today + 1h}), write_result::stored);
  EXPECT_EQ(of(profile_id{7}).exported_at, today + 2h);
  EXPECT_EQ(store.number("SELECT count(*) FROM audit_log WHERE act = 'wallet_exported' AND profile_id = 7"), 2);
}

TEST_F(WalletSql, AKeyStaysWhoseItIs) {
  ASSERT_EQ(store.result_of(make(profile_id{7})), write_result::stored);
  for (const auto* sql :
       {"DELETE FROM managed_wallets", "UPDATE managed_wallets SET address = decode(repeat('ab', 20), 'hex')",
        "UPDATE managed_wallets SET id = 8, profile_id = 8",
        "UPDATE managed_wallets SET sealed_key = decode(repeat('ab', 129), 'hex')",
        "UPDATE managed_wallets SET created_at = now()"})
    EXPECT_EQ(test::refusal_of(store.url, sql), "23514") << sql;
  EXPECT_EQ(test::refusal_of(store.url, "UPDATE managed_wallets SET master_version = 2"), "");
  test::run_sql(store.url, "UPDATE managed_wallets SET master_version = 2");
  EXPECT_EQ(test::refusal_of(store.url, "UPDATE managed_wallets SET master_version = 1"), "23514");
}

TEST_F(WalletSql, AWalletOfAProfileThatIsTakenBackIsNobodys) {
  ASSERT_EQ(store.result_of(make(profile_id{7})), write_result::stored);
  const auto at = of(profile_id{7}).at;
  test::run_sql(store.url, "UPDATE profiles SET archived = true, orphaned = true WHERE id = 7");
  test::run_sql(
    store.url,
    "UPDATE profiles SET archived = false, orphaned = false WHERE id = 7"); // the id came again, of somebody else
  const auto found = of(profile_id{7});
  EXPECT_FALSE(found.found);
  EXPECT_TRUE(found.orphaned);
  EXPECT_TRUE(found.key.bytes.empty());
  EXPECT_EQ(store.result_of(wallets::wallet_exported{profile_id{7}, 7, today + 2h}), write_result::failed)
    << "nobody takes the key out";
  wallets::transaction_stored fresh{profile_id{7}, 0, {}, {wei{10}, wei{1}}, "signed", some_hash, 0, today};
  fresh.plan = {at, wei{5}, "", 21'000, "review", "", {}};
  EXPECT_EQ(store.result_of(fresh), write_result::failed) << "nothing is signed with it";
  EXPECT_EQ(store.result_of(make(profile_id{7})), write_result::failed) << "there is no second one under its number";
  test::run_sql(
    store.url,
    "UPDATE managed_wallets SET orphaned_at = NULL WHERE id = 7"); // an operator knows that it is the same profile
  EXPECT_EQ(of(profile_id{7}).at, at);
  EXPECT_EQ(store.result_of(fresh), write_result::stored);
}

TEST_F(WalletSql, ARotationThatIsCutOffGoesOnWhereItWas) {
  for (int each = 1; each <= 8; ++each)
    ASSERT_EQ(store.result_of(make(profile_id{each})), write_result::stored);
  auth::wallet_keys_local both{auth::master_keys{auth::master(2, 'b'), auth::master(1, 'a')}};
  const auto until = deadline_in(60s);
  {
    auto on = test::look_into(store.url);
    transaction first{on, until};
    const auto done = rotate_wallets(on, both, 2, -1, 3, until);
    first.commit(until);
    EXPECT_EQ(done.sealed, 3);
    EXPECT_EQ(done.last, 3);
    EXPECT_TRUE(done.more);
    transaction second{on, until};
    EXPECT_EQ(rotate_wallets(on, both, 2, done.last, 3, until).sealed, 3);
    on.close(); // as if it were killed before it could commit
  }
  EXPECT_EQ(store.number("SELECT count(*) FROM managed_wallets WHERE master_version = 2"), 3);
  auto on = test::look_into(store.url);
  const auto rest = rotate_wallets(on, both, 2, -1, 100, until);
  EXPECT_EQ(rest.sealed, 5);
  EXPECT_FALSE(rest.more);
  EXPECT_EQ(rotate_wallets(on, both, 2, -1, 100, until).sealed, 0);
  auth::wallet_keys_local alone{auth::master_keys{auth::master(2, 'b')}};
  for (int each = 1; each <= 8; ++each) {
    const auto found = of(profile_id{each});
    const auto by = alone.sign(found.id, found.key, some_hash);
    const auto signer = auth::recover_signer(some_hash, {by.r, by.s, by.y_parity});
    ASSERT_TRUE(signer);
    EXPECT_EQ(*signer, found.at) << each;
  }
}

TEST_F(WalletSql, ARotationLeavesWhatItCannotReadAndSaysWhy) {
  for (int each = 1; each <= 3; ++each)
    ASSERT_EQ(store.result_of(make(profile_id{each})), write_result::stored);
  auth::wallet_keys_local stranger{auth::master_keys{auth::master(1, 'c')}};
  const auto foreign = stranger.make(4);
  ASSERT_EQ(store.result_of(wallets::wallet_made{profile_id{4}, 4, foreign.at, foreign.key, today}),
            write_result::stored);
  auth::wallet_keys_local both{auth::master_keys{auth::master(2, 'b'), auth::master(1, 'a')}};
  auto on = test::look_into(store.url);
  const auto until = deadline_in(60s);
  const auto done = rotate_wallets(on, both, 2, -1, 100, until);
  EXPECT_EQ(done.sealed, 3);
  ASSERT_EQ(done.unreadable.size(), 1u);
  EXPECT_NE(done.unreadable[0].find("wallet 4 "), std::string::npos) << done.unreadable[0];
  EXPECT_EQ(of(profile_id{4}).key.bytes, foreign.key.bytes);
  const auto counted = count_wallets(on, until);
  ASSERT_EQ(counted.size(), 2u);
  EXPECT_EQ(counted[0].wallets, 1);
  EXPECT_EQ(counted[1].wallets, 3);
  EXPECT_EQ(wallets_of_ends(on, until).size(), 2u);
}

TEST_F(WalletSql, AnOperatorSeesThemInPages) {
  for (const auto owner : {funding_account, profile_id{3}, profile_id{5}})
    ASSERT_EQ(store.result_of(make(owner)), write_result::stored);
  test::run_sql(store.url, "UPDATE profiles SET archived = true WHERE id = 5");
  auto on = test::look_into(store.url);
  const auto until = deadline_in(60s);
  const auto first = list_wallets(on, -1, 2, until);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0].wallet.profile, funding_account);
  EXPECT_EQ(first[1].wallet.profile, profile_id{3});
  EXPECT_TRUE(first[1].wallet.key.bytes.empty()) << "a list has no keys";
  const auto second = list_wallets(on, 3, 2, until);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_TRUE(second[0].profile_archived);
}

} // namespace
} // namespace credence::persistence
