#include "tests/persistence/sql/identity_store.hpp"

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

class CredentialSql : public testing::Test {
protected:
  profile::stored_credentials of(int who) {
    return store.read<profile::stored_credentials>(profile::load_credentials{profile_id{who}});
  }
  stored_record record(int n) { return store.read<stored_record>(load_record{digest(n)}); }
  write_result answer(int n, std::string body, int fingerprint = 1, timestamp at = today) {
    return store.result_of(answer_recorded{digest(n), digest(100 + fingerprint), at, 200, std::move(body)});
  }

  test::one_store store;
};

TEST_F(CredentialSql, AKeyComesBackUntilItIsRevoked) {
  ASSERT_EQ(store.result_of(key(1)), write_result::stored);
  ASSERT_EQ(store.result_of(key(2)), write_result::stored);
  ASSERT_EQ(store.result_of(key(3, 2)), write_result::stored);
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

  EXPECT_EQ(store.result_of(profile::keys_used{{{uuid(1), today + 1h}, {uuid(3), today + 2h}}}), write_result::stored);
  EXPECT_EQ(store.result_of(profile::keys_used{{{uuid(1), today + 30min}}}), write_result::stored);
  EXPECT_EQ(of(1).keys[0].first.last_used_at, today + 1h) << "it does not go back";
  EXPECT_EQ(store.result_of(profile::key_revoked{profile_id{1}, uuid(1), today + 1h}), write_result::stored);
  found = of(1);
  ASSERT_EQ(found.keys.size(), 1u);
  EXPECT_EQ(found.keys[0].first.id, uuid(2));
  EXPECT_EQ(of(2).keys.size(), 1u);
  EXPECT_FALSE(of(99).live);
}

TEST_F(CredentialSql, ActsOfADayComeBackAsTheyWereCountedLast) {
  using idempotency::day_count;
  const auto day = std::chrono::floor<std::chrono::days>(today);
  const auto used = [&](int who) {
    std::map<std::string, std::pair<std::chrono::sys_days, std::int64_t>> out;
    for (const auto& each : store.read<idempotency::stored_day>(idempotency::load_day{profile_id{who}}).counts)
      out[each.act] = {each.day, each.used};
    return out;
  };
  ASSERT_EQ(
    store.result_of(idempotency::days_counted{
      {{profile_id{1}, "replies", day, 5}, {profile_id{1}, "links", day, 1}, {profile_id{2}, "links", day, 9}}}),
    write_result::stored);
  ASSERT_EQ(store.result_of(idempotency::days_counted{{{profile_id{1}, "replies", day + std::chrono::days{1}, 2}}}),
            write_result::stored);
  EXPECT_EQ(used(1), (decltype(used(1)){{"replies", {day + std::chrono::days{1}, 2}}, {"links", {day, 1}}}));
  EXPECT_EQ(used(2), (decltype(used(1)){{"links", {day, 9}}}));
  EXPECT_TRUE(used(3).empty());
}

TEST_F(CredentialSql, NobodyRevokesSomebodyElsesKey) {
  ASSERT_EQ(store.result_of(key(1)), write_result::stored);
  store.write(profile::key_revoked{profile_id{2}, uuid(1), today + 1h});
  EXPECT_EQ(of(1).keys.size(), 1u);
}

TEST_F(CredentialSql, ANonceCountsOncePerWallet) {
  ASSERT_EQ(store.result_of(key(1)), write_result::stored);
  auto again = key(2);
  again.by = key(1).by;
  EXPECT_EQ(store.result_of(again), write_result::failed);
  EXPECT_EQ(of(1).keys.size(), 1u) << "and no key comes of it";
  again.by.signer = wallet(9);
  EXPECT_EQ(store.result_of(again), write_result::stored);
  auto login = session(3);
  login.by = key(1).by;
  EXPECT_EQ(store.result_of(login), write_result::failed) << "of keys and sessions together";
  EXPECT_TRUE(of(1).sessions.empty());
}

TEST_F(CredentialSql, TwentyFiveKeysAreTheMost) {
  for (int n = 1; n <= 25; ++n)
    ASSERT_EQ(store.result_of(key(n)), write_result::stored) << n;
  EXPECT_EQ(store.result_of(key(26)), write_result::failed);
  EXPECT_EQ(store.result_of(key(27, 2)), write_result::stored);
  EXPECT_EQ(store.result_of(profile::key_revoked{profile_id{1}, uuid(4), today}), write_result::stored);
  EXPECT_EQ(store.result_of(key(28)), write_result::stored);
}

TEST_F(CredentialSql, ASessionComesBackUntilItEnds) {
  ASSERT_EQ(store.result_of(session(1)), write_result::stored);
  auto rotated = session(1).opened;
  rotated.refresh_hash = digest(50);
  rotated.rotated_at = today + 1h;
  ASSERT_EQ(store.result_of(profile::session_rotated{rotated}), write_result::stored);
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
  ASSERT_EQ(store.result_of(second), write_result::stored);
  found = of(1);
  ASSERT_EQ(found.sessions.size(), 1u) << "one ended with the change that opened the other";
  EXPECT_EQ(found.sessions[0].id, uuid(2));
  EXPECT_FALSE(found.sessions[0].previous_hash);
  ASSERT_EQ(store.result_of(profile::sessions_ended{profile_id{1}, {uuid(2)}, today + 1h}), write_result::stored);
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
  EXPECT_EQ(store.result_of(tip, note(1)), write_result::failed) << "one key, one effect";
  EXPECT_EQ(store.number("SELECT count(*) FROM xp_movements WHERE kind = 'XP_TIP_SENT'"), 1);
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
  EXPECT_EQ(store.result_of(overdraft, note(1)), write_result::failed);
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
  EXPECT_EQ(store.result_of(key(2), note(1, today + 3h, 2)), write_result::failed);
  ASSERT_EQ(store.result_of(key(2), note(1, today + 24h, 2)), write_result::stored);
  auto found = record(1);
  EXPECT_EQ(found.fingerprint, digest(102));
  EXPECT_EQ(found.record.effect, uuid(2));
  EXPECT_EQ(found.record.status, 0) << "the old answer is gone";
  ASSERT_EQ(answer(1, "new", 2, today + 24h), write_result::stored);
  EXPECT_EQ(record(1).record.body, "new");
  EXPECT_FALSE(store.read<stored_record>(load_record{digest(1), today + 24h}).exists) << "older than asked for";
}

} // namespace
} // namespace credence::persistence
