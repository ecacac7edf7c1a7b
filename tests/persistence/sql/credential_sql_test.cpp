#include "auth/signature.hpp"
#include "persistence/sql/wallet_sql.hpp"
#include "tests/auth/master_key.hpp"
#include "tests/persistence/sql/identity_store.hpp"
#include "tests/persistence/sql/kept_promises.hpp"

namespace credence::persistence {
namespace {

using namespace std::chrono_literals;
using idempotency::answer_recorded;
using idempotency::load_record;
using idempotency::stored_record;

digest32 digest(int n) {
  digest32 out{};
  out[0] = static_cast<std::byte>(n);
  out[31] = std::byte{0xFF};
  return out;
}

address wallet(int n) {
  address out;
  out.bytes[0] = static_cast<std::byte>(n);
  return out;
}

std::string uuid(int n) { return "00000000-0000-4000-8000-0000000000" + std::to_string(10 + n); }

const timestamp today{1767225600s};

profile::key_created key(int n, int owner = 1) {
  return {{uuid(n), profile_id{owner}, wallet(n), "Schlüssel " + std::to_string(n), today + 1s * n, today + 24h,
           std::nullopt},
          digest(n),
          {wallet(n), "nonce-number-" + std::to_string(n), today + 10min}};
}

profile::session_opened session(int n, int owner = 1) {
  return {{uuid(n), profile_id{owner}, digest(n), std::nullopt, today, today, today + 24h},
          profile::signed_nonce{wallet(n), "nonce-number-" + std::to_string(n), today + 10min},
          std::nullopt};
}

std::shared_ptr<const write_context> note(int n, timestamp at = today, int body = 1) {
  return std::make_shared<const write_context>(digest(n), digest(100 + body), at);
}

struct CredentialSql : test::store_tests {
  profile::stored_credentials of(int who) { return store.read(profile::load_credentials{profile_id{who}}); }
  stored_record record(int n) { return store.read(load_record{digest(n)}); }
  write_result answer(int n, std::string body, int fingerprint = 1, timestamp at = today) {
    return store.result_of(answer_recorded{digest(n), digest(100 + fingerprint), at, 200, std::move(body)});
  }
};

TEST_F(CredentialSql, AKeyComesBackUntilItIsRevoked) {
  put(key(1));
  put(key(2));
  put(key(3, 2));
  auto found = of(1);
  EXPECT_TRUE(found.live);
  EXPECT_TRUE(found.api_access);
  ASSERT_EQ(found.keys.size(), 2u);
  const auto& [first, hash] = found.keys[0];
  EXPECT_EQ(first.id, uuid(1));
  EXPECT_EQ(first.profile, profile_id{1});
  EXPECT_EQ(first.signer, wallet(1));
  EXPECT_EQ(first.name, "Schlüssel 1");
  EXPECT_EQ(first.created_at, today + 1s);
  EXPECT_EQ(first.expires_at, today + 24h);
  EXPECT_FALSE(first.last_used_at);
  EXPECT_EQ(hash, digest(1));
  ASSERT_EQ(found.nonces.size(), 2u);
  EXPECT_EQ(found.nonces[0].nonce, "nonce-number-1");
  EXPECT_EQ(found.nonces[0].expires_at, today + 10min);

  put(profile::keys_used{{{uuid(1), today + 1h}, {uuid(3), today + 2h}}});
  put(profile::keys_used{{{uuid(1), today + 30min}}});
  EXPECT_EQ(of(1).keys[0].first.last_used_at, today + 1h) << "it does not go back";
  put(profile::key_revoked{profile_id{1}, uuid(1), today + 1h});
  found = of(1);
  ASSERT_EQ(found.keys.size(), 1u);
  EXPECT_EQ(found.keys[0].first.id, uuid(2));
  EXPECT_EQ(of(2).keys.size(), 1u);
  EXPECT_FALSE(of(99).live);
}

TEST_F(CredentialSql, OfKeysThatHaveExpiredTheLastOnesComeBack) {
  test::run_sql(store.url,
                "SET session_replication_role = replica;"
                "INSERT INTO api_keys (id, profile_id, address, name, token_hash, created_at, expires_at)"
                " SELECT gen_random_uuid(), 1, decode(repeat('01', 20), 'hex'), 'gone ' || n,"
                "  sha256(n::text::bytea), timestamptz '2020-01-01' + n * interval '1 s',"
                "  timestamptz '2020-01-02' + n * interval '1 s' FROM generate_series(1, 2000) n; ANALYZE api_keys");
  put(key(1));
  const auto found = of(1);
  ASSERT_EQ(found.keys.size(), 100u);
  EXPECT_EQ(found.keys.front().first.name, "gone 1902");
  EXPECT_EQ(found.keys.back().first.id, uuid(1)) << "the one that holds";
}

TEST_F(CredentialSql, ActsOfADayComeBackAsTheyWereCountedLast) {
  using idempotency::day_count;
  const auto day = std::chrono::floor<std::chrono::days>(today);
  const auto used = [&](int who) {
    std::map<std::string, std::pair<std::chrono::sys_days, std::int64_t>> out;
    for (const auto& each : store.read(idempotency::load_day{profile_id{who}}).counts)
      out[each.act] = {each.day, each.used};
    return out;
  };
  ASSERT_EQ(
    store.result_of(idempotency::days_counted{
      {{profile_id{1}, "replies", day, 5}, {profile_id{1}, "links", day, 1}, {profile_id{2}, "links", day, 9}}}),
    write_result::stored);
  put(idempotency::days_counted{{{profile_id{1}, "replies", day + std::chrono::days{1}, 2}}});
  EXPECT_EQ(used(1), (decltype(used(1)){{"replies", {day + std::chrono::days{1}, 2}}, {"links", {day, 1}}}));
  EXPECT_EQ(used(2), (decltype(used(1)){{"links", {day, 9}}}));
  EXPECT_TRUE(used(3).empty());
}

TEST_F(CredentialSql, NobodyRevokesSomebodyElsesKey) {
  put(key(1));
  store.write(profile::key_revoked{profile_id{2}, uuid(1), today + 1h});
  EXPECT_EQ(of(1).keys.size(), 1u);
}

TEST_F(CredentialSql, ANonceCountsOncePerWallet) {
  put(key(1));
  auto again = key(2);
  again.by = key(1).by;
  EXPECT_TRUE(refuses(again));
  EXPECT_EQ(of(1).keys.size(), 1u) << "and no key comes of it";
  again.by.signer = wallet(9);
  put(again);
  auto login = session(3);
  login.by = key(1).by;
  EXPECT_TRUE(refuses(login)) << "of keys and sessions together";
  EXPECT_TRUE(of(1).sessions.empty());
}

TEST_F(CredentialSql, TwentyFiveKeysAreTheMost) {
  for (int n = 1; n <= 25; ++n)
    ASSERT_EQ(store.result_of(key(n)), write_result::stored) << n;
  EXPECT_TRUE(refuses(key(26)));
  put(key(27, 2));
  put(profile::key_revoked{profile_id{1}, uuid(4), today});
  put(key(28));
}

TEST_F(CredentialSql, ASessionComesBackUntilItEnds) {
  put(session(1));
  auto rotated = session(1).opened;
  rotated.refresh_hash = digest(50);
  rotated.rotated_at = today + 1h;
  put(profile::session_rotated{rotated});
  auto found = of(1);
  ASSERT_EQ(found.sessions.size(), 1u);
  EXPECT_EQ(found.sessions[0].id, uuid(1));
  EXPECT_EQ(found.sessions[0].refresh_hash, digest(50));
  EXPECT_EQ(found.sessions[0].previous_hash, digest(1));
  EXPECT_EQ(found.sessions[0].rotated_at, today + 1h);
  EXPECT_EQ(found.sessions[0].created_at, today);
  EXPECT_EQ(found.sessions[0].expires_at, today + 24h);
  auto second = session(2);
  second.in_place_of = uuid(1);
  put(second);
  found = of(1);
  ASSERT_EQ(found.sessions.size(), 1u) << "one ended with the change that opened the other";
  EXPECT_EQ(found.sessions[0].id, uuid(2));
  EXPECT_FALSE(found.sessions[0].previous_hash);
  put(profile::sessions_ended{profile_id{1}, {uuid(2)}, today + 1h});
  EXPECT_TRUE(of(1).sessions.empty());
}

// -- Idempotency-Keys ----------------------------------------------------------------------

TEST_F(CredentialSql, WhatWasDoneIsRecordedWithItAndAnsweredLater) {
  test::run_sql(store.url, "INSERT INTO xp_movements (at, amount, from_account, to_account, kind)"
                           " VALUES (now(), 100, 0, 1, 'CLAIM')");
  const profile::xp_tipped tip{profile_id{1}, profile_id{2}, 5, std::nullopt, std::nullopt, today};
  EXPECT_FALSE(record(1).exists);
  const auto outcome = store.write(tip, note(1));
  ASSERT_EQ(outcome.result, write_result::stored);
  auto found = record(1);
  ASSERT_TRUE(found.exists);
  EXPECT_EQ(found.fingerprint, digest(101));
  EXPECT_EQ(found.at, today);
  EXPECT_EQ(found.record.effect, std::to_string(outcome.number)) << "it names the tip";
  EXPECT_EQ(found.record.status, 0);
  ASSERT_EQ(answer(1, "{\"ü\":\"\\u0000\"}"), write_result::stored);
  found = record(1);
  EXPECT_EQ(found.record.effect, std::to_string(outcome.number));
  EXPECT_EQ(found.record.status, 200);
  EXPECT_EQ(found.record.body, "{\"ü\":\"\\u0000\"}");
  EXPECT_TRUE(refuses(tip, note(1))) << "one key, one effect";
  EXPECT_EQ(store.how_many("xp_movements WHERE kind = 'XP_TIP_SENT'"), 1);
  ASSERT_EQ(answer(1, "another"), write_result::stored);
  EXPECT_EQ(record(1).record.body, found.record.body) << "the first answer stays";
}

TEST_F(CredentialSql, EveryKindOfEffectIsNamed) {
  ASSERT_EQ(store.result_of(key(1), note(1)), write_result::stored);
  EXPECT_EQ(record(1).record.effect, uuid(1));
  ASSERT_EQ(store.result_of(profile::key_revoked{profile_id{1}, uuid(1), today}, note(2)), write_result::stored);
  EXPECT_TRUE(record(2).exists);
  EXPECT_EQ(record(2).record.effect, "");
}

TEST_F(CredentialSql, WhatIsRefusedLeavesNoRecord) {
  const profile::xp_tipped overdraft{profile_id{1}, profile_id{2}, 5, std::nullopt, std::nullopt, today};
  EXPECT_TRUE(refuses(overdraft, note(1)));
  EXPECT_FALSE(record(1).exists);
}

TEST_F(CredentialSql, AnAnswerWithoutAnEffectIsKept) {
  ASSERT_EQ(answer(1, "{}"), write_result::stored);
  EXPECT_EQ(record(1).record.status, 200);
  ASSERT_EQ(answer(1, "another", 2), write_result::stored);
  EXPECT_EQ(record(1).record.body, "{}");
  EXPECT_EQ(record(1).fingerprint, digest(101)) << "of another request";
}

TEST_F(CredentialSql, AKeyMayBeUsedAgainAfterADay) {
  ASSERT_EQ(store.result_of(key(1), note(1)), write_result::stored);
  ASSERT_EQ(answer(1, "old"), write_result::stored);
  EXPECT_TRUE(refuses(key(2), note(1, today + 3h, 2)));
  ASSERT_EQ(store.result_of(key(2), note(1, today + 24h, 2)), write_result::stored);
  auto found = record(1);
  EXPECT_EQ(found.fingerprint, digest(102));
  EXPECT_EQ(found.record.effect, uuid(2));
  EXPECT_EQ(found.record.status, 0) << "the old answer is gone";
  ASSERT_EQ(answer(1, "new", 2, today + 24h), write_result::stored);
  EXPECT_EQ(record(1).record.body, "new");
  EXPECT_FALSE(store.read(load_record{digest(1), today + 24h}).exists) << "older than asked for";
}

using wallets::funding_account;
using wallets::load_wallet;
using wallets::stored_wallet;
using wallets::wallet_id_of;
const digest32 some_hash{std::byte{7}};

struct WalletSql : test::store_tests {
  wallets::wallet_made make(profile_id owner) {
    const auto made = keys.make(wallet_id_of(owner));
    return {owner, wallet_id_of(owner), made.at, made.key, today};
  }
  stored_wallet of(profile_id owner) { return store.read(load_wallet{owner}); }

  auth::wallet_keys_local keys{auth::master_keys{auth::master(1, 'a')}};
};

TEST_F(WalletSql, AWalletComesBackToItsProfileAndSigns) {
  const auto made = make(profile_id{7});
  put(made);
  const auto found = of(profile_id{7});
  ASSERT_TRUE(found.found);
  EXPECT_EQ(found.profile, profile_id{7});
  EXPECT_EQ(found.id, 7);
  EXPECT_EQ(found.at, made.at);
  EXPECT_EQ(found.made_at, today);
  EXPECT_FALSE(found.exported_at);
  const auto by = keys.sign(found.id, found.key, some_hash);
  const auto signer = test::there(auth::recover_signer(some_hash, {by.r, by.s, by.y_parity}));
  EXPECT_EQ(*signer, made.at);
  EXPECT_FALSE(of(profile_id{8}).found);
  EXPECT_EQ(store.how_many("audit_log WHERE act = 'wallet_made' AND profile_id = 7 AND after = 'address "
                           + lower_text(made.at) + "'"),
            1);
  test::expect_kept(store.url, promises_of("wallets"));
}

TEST_F(WalletSql, TheAccountThatPaysForGasBelongsToNobody) {
  const auto made = make(funding_account);
  put(made);
  EXPECT_EQ(of(funding_account).at, made.at);
  EXPECT_EQ(store.how_many("managed_wallets WHERE profile_id IS NULL AND id = 0"), 1);
  test::expect_kept(store.url, promises_of("wallets"));
}

TEST_F(WalletSql, AProfileHasOneWalletAndAnAddressOneOwner) {
  const auto first = make(profile_id{7});
  put(first);
  EXPECT_TRUE(refuses(make(profile_id{7})));
  auto same = make(profile_id{8});
  same.at = first.at;
  EXPECT_TRUE(refuses(same));
  EXPECT_EQ(of(profile_id{7}).at, first.at);
}

TEST_F(WalletSql, AnExportIsNotedAndTold) {
  put(make(profile_id{7}));
  put(wallets::wallet_exported{profile_id{7}, 7, today + 2h});
  put(wallets::wallet_exported{profile_id{7}, 7, today + 1h});
  EXPECT_EQ(of(profile_id{7}).exported_at, today + 2h);
  EXPECT_EQ(store.how_many("audit_log WHERE act = 'wallet_exported' AND profile_id = 7"), 2);
}

TEST_F(WalletSql, AKeyStaysWhoseItIs) {
  put(make(profile_id{7}));
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
  put(make(profile_id{7}));
  const auto at = of(profile_id{7}).at;
  test::run_sql(store.url, "UPDATE profiles SET archived = true, orphaned = true WHERE id = 7");
  test::run_sql(
    store.url,
    "UPDATE profiles SET archived = false, orphaned = false WHERE id = 7"); // the id came again, of somebody else
  const auto found = of(profile_id{7});
  EXPECT_FALSE(found.found);
  EXPECT_TRUE(found.orphaned);
  EXPECT_TRUE(found.key.bytes.empty());
  EXPECT_TRUE(refuses(wallets::wallet_exported{profile_id{7}, 7, today + 2h})) << "nobody takes the key out";
  wallets::transaction_stored fresh{profile_id{7}, 0, {}, {wei{10}, wei{1}}, "signed", some_hash, 0, today};
  fresh.plan = {at, wei{5}, "", 21'000, "review", "", {}};
  EXPECT_TRUE(refuses(fresh)) << "nothing is signed with it";
  EXPECT_TRUE(refuses(make(profile_id{7}))) << "there is no second one under its number";
  test::run_sql(
    store.url,
    "UPDATE managed_wallets SET orphaned_at = NULL WHERE id = 7"); // an operator knows that it is the same profile
  EXPECT_EQ(of(profile_id{7}).at, at);
  put(fresh);
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
  EXPECT_EQ(store.how_many("managed_wallets WHERE master_version = 2"), 3);
  auto on = test::look_into(store.url);
  const auto rest = rotate_wallets(on, both, 2, -1, 100, until);
  EXPECT_EQ(rest.sealed, 5);
  EXPECT_FALSE(rest.more);
  EXPECT_EQ(rotate_wallets(on, both, 2, -1, 100, until).sealed, 0);
  auth::wallet_keys_local alone{auth::master_keys{auth::master(2, 'b')}};
  for (int each = 1; each <= 8; ++each) {
    const auto found = of(profile_id{each});
    const auto by = alone.sign(found.id, found.key, some_hash);
    const auto signer = test::there(auth::recover_signer(some_hash, {by.r, by.s, by.y_parity}));
    EXPECT_EQ(*signer, found.at) << each;
  }
}

TEST_F(WalletSql, ARotationLeavesWhatItCannotReadAndSaysWhy) {
  for (int each = 1; each <= 3; ++each)
    ASSERT_EQ(store.result_of(make(profile_id{each})), write_result::stored);
  auth::wallet_keys_local stranger{auth::master_keys{auth::master(1, 'c')}};
  const auto foreign = stranger.make(4);
  put(wallets::wallet_made{profile_id{4}, 4, foreign.at, foreign.key, today});
  auth::wallet_keys_local both{auth::master_keys{auth::master(2, 'b'), auth::master(1, 'a')}};
  auto on = test::look_into(store.url);
  const auto until = deadline_in(60s);
  const auto done = rotate_wallets(on, both, 2, -1, 100, until);
  EXPECT_EQ(done.sealed, 3);
  ASSERT_EQ(done.unreadable.size(), 1u);
  EXPECT_NE(done.unreadable[0].find("wallet 4 "), std::string::npos) << done.unreadable[0];
  EXPECT_EQ(of(profile_id{4}).key.bytes, foreign.key.bytes);
  const auto counted = test::exactly(2, count_wallets(on, until));
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
  const auto first = test::exactly(2, list_wallets(on, -1, 2, until));
  EXPECT_EQ(first[0].wallet.profile, funding_account);
  EXPECT_EQ(first[1].wallet.profile, profile_id{3});
  EXPECT_TRUE(first[1].wallet.key.bytes.empty()) << "a list has no keys";
  const auto second = test::exactly(1, list_wallets(on, 3, 2, until));
  EXPECT_TRUE(second[0].profile_archived);
}

using state = wallets::transaction_state;

struct OutboxSql : test::store_tests {
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
    put(wallets::transactions_moved{owner, std::move(moves), today + 1s});
  }
  wallets::outbox_row one(std::int64_t id) { return store.read(wallets::load_transaction{profile_id{7}, id}).value(); }

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
  EXPECT_FALSE(store.read(wallets::load_transaction{profile_id{7}, paid}));
}

TEST_F(OutboxSql, TheNewestTransactionInABlockThatRanACallIsFound) {
  const auto newest = [this](std::vector<std::string> calls, std::byte to = std::byte{9}) {
    const auto row = store.read(wallets::load_call{profile_id{7}, {{to}}, std::move(calls)});
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
  const auto found = store.read(wallets::load_outbox{funding_account, today - 1h});
  ASSERT_EQ(found.granted_today.size(), 1u);
  EXPECT_EQ(found.granted_today.at(profile_id{7}), wei{5 + 20 * 21'000 + 5 + 10 * 21'000});
}

} // namespace
} // namespace credence::persistence
