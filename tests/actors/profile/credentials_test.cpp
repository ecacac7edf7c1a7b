#include "actors/profile/credential_slot.hpp"
#include "actors/profile/credentials.hpp"
#include "tests/there.hpp"

#include <gtest/gtest.h>

namespace credence::profile {
namespace {

using namespace std::chrono_literals;

constexpr timestamp noon = std::chrono::sys_days{std::chrono::year{2026} / 3 / 10} + 12h;
constexpr profile_id me{7};

address wallet_of(int number) {
  address out{};
  out.bytes[19] = static_cast<std::byte>(number);
  return out;
}

digest32 hash_of(int number) {
  digest32 out{};
  out[0] = static_cast<std::byte>(number & 0xFF);
  out[1] = static_cast<std::byte>(number >> 8);
  return out;
}

create_key key_wanted(int number, timestamp expires_at = noon + 24h) {
  create_key out;
  out.key = {"key-" + std::to_string(number),     me,         wallet_of(1), "a name",
             noon + std::chrono::seconds{number}, expires_at, std::nullopt};
  out.token_hash = hash_of(number);
  out.by = {wallet_of(1), "nonce-" + std::to_string(number), noon + 10min};
  return out;
}

session session_of(int number, timestamp rotated_at = noon) {
  return {"session-" + std::to_string(number), me, hash_of(number), std::nullopt, rotated_at, noon, noon + 720h};
}

open_session session_wanted(int number, timestamp rotated_at = noon) {
  return {session_of(number, rotated_at), signed_nonce{wallet_of(1), "login-" + std::to_string(number), noon + 10min}};
}

credentials enabled(std::chrono::seconds idle = std::chrono::days{365}) {
  stored_credentials stored;
  stored.live = stored.api_access = true;
  return credentials{std::move(stored), idle};
}

template <class T>
std::optional<refusal_code> no(const outcome<T>& decided) {
  return decided ? std::nullopt : std::optional{decided.why().code};
}

/// Decides, applies and commits; what was decided.
template <class Question>
auto carry_out(credentials& on, const Question& question, timestamp now = noon) {
  const auto decided = on.decide(question, now);
  EXPECT_TRUE(decided) << decided.why().detail;
  on.apply(*decided);
  on.commit(*decided);
  return *decided;
}

// -- API keys ---------------------------------------------------------------------------

TEST(Credentials, AKeyIsThereOnceItIsCommitted) {
  auto mine = enabled();
  const auto made = test::there(mine.decide(key_wanted(1), noon));
  mine.apply(*made);
  EXPECT_EQ(mine.key("key-1", hash_of(1)), nullptr) << "not stored yet";
  EXPECT_TRUE(mine.keys().empty());
  mine.commit(*made);
  ASSERT_TRUE(mine.key("key-1", hash_of(1)));
  EXPECT_EQ(mine.key("key-1", hash_of(2)), nullptr) << "another token";
  EXPECT_EQ(mine.key("key-2", hash_of(1)), nullptr);
}

TEST(Credentials, OnlyALiveProfileWithAccessGetsKeys) {
  for (const auto& [live, access] : {std::pair{false, true}, {true, false}, {false, false}}) {
    auto mine = enabled();
    mine.set_access(live, access);
    EXPECT_EQ(no(mine.decide(key_wanted(1), noon)), refusal_code::forbidden) << live << access;
  }
  auto mine = enabled();
  mine.set_access(true, false);
  mine.set_access(true, true);
  EXPECT_TRUE(mine.decide(key_wanted(1), noon));
}

TEST(Credentials, ANonceCountsOncePerWalletFromTheMomentItIsApplied) {
  auto mine = enabled();
  const auto made = mine.decide(key_wanted(1), noon);
  mine.apply(*made);
  auto again = key_wanted(2);
  again.by = key_wanted(1).by;
  EXPECT_EQ(no(mine.decide(again, noon)), refusal_code::nonce_reused) << "pending";
  mine.commit(*made);
  EXPECT_EQ(no(mine.decide(again, noon)), refusal_code::nonce_reused);
  again.by.signer = wallet_of(2);
  EXPECT_TRUE(mine.decide(again, noon)) << "another wallet's own";
  auto login = session_wanted(1);
  login.by = key_wanted(1).by;
  EXPECT_EQ(no(mine.decide(login, noon)), refusal_code::nonce_reused) << "whatever the message was for";
}

TEST(Credentials, ANonceOfAKeyThatWasNeverStoredIsFreeAgain) {
  auto mine = enabled();
  mine.apply(*mine.decide(key_wanted(1), noon));
  mine.take_back();
  EXPECT_TRUE(mine.decide(key_wanted(1), noon));
  EXPECT_TRUE(mine.keys().empty());
}

TEST(Credentials, StoredNoncesStayUsed) {
  stored_credentials stored;
  stored.live = stored.api_access = true;
  stored.nonces = {key_wanted(1).by};
  const credentials mine{std::move(stored)};
  EXPECT_EQ(no(mine.decide(key_wanted(1), noon)), refusal_code::nonce_reused);
}

TEST(Credentials, TwentyFiveActiveKeysAreTheMost) {
  auto mine = enabled();
  for (int i = 0; i < 24; ++i)
    carry_out(mine, key_wanted(i));
  const auto last = test::there(mine.decide(key_wanted(24), noon));
  mine.apply(*last);
  EXPECT_EQ(no(mine.decide(key_wanted(25), noon)), refusal_code::key_limit_reached) << "one on its way counts";
  mine.commit(*last);
  EXPECT_EQ(no(mine.decide(key_wanted(25), noon)), refusal_code::key_limit_reached);
  const auto revoked = mine.decide(revoke_key{me, "key-3"}, noon);
  mine.apply(*revoked);
  EXPECT_EQ(no(mine.decide(key_wanted(25), noon)), refusal_code::key_limit_reached) << "until it is gone for good";
  mine.commit(*revoked);
  EXPECT_TRUE(mine.decide(key_wanted(25), noon));
}

TEST(Credentials, ExpiredKeysAreListedAndDoNotCount) {
  auto mine = enabled();
  for (int i = 0; i < 25; ++i)
    carry_out(mine, key_wanted(i, noon + 1h));
  EXPECT_EQ(no(mine.decide(key_wanted(25), noon + 1h - 1us)), refusal_code::key_limit_reached);
  EXPECT_TRUE(mine.decide(key_wanted(25), noon + 1h));
  EXPECT_EQ(mine.keys().size(), 25u);
}

TEST(Credentials, OfKeysThatHaveExpiredTheLastOnesAreKept) {
  auto mine = enabled();
  carry_out(mine, key_wanted(0, noon + 24h));
  for (int i = 1; i < 130; ++i)
    carry_out(mine, key_wanted(i, noon + std::chrono::seconds{i + 1}), noon + std::chrono::seconds{i});
  EXPECT_EQ(mine.keys().size(), 100u);
  EXPECT_TRUE(mine.key("key-0", hash_of(0))) << "it holds";
  EXPECT_TRUE(mine.key("key-129", hash_of(129)));
  EXPECT_TRUE(mine.has_key("key-31"));
  EXPECT_FALSE(mine.has_key("key-30"));
}

TEST(Credentials, KeysAreListedNewestFirst) {
  auto mine = enabled();
  for (const int i : {2, 1, 3})
    carry_out(mine, key_wanted(i));
  const auto keys = test::exactly(3, mine.keys());
  EXPECT_EQ(keys[0].id, "key-3");
  EXPECT_EQ(keys[2].id, "key-1");
}

TEST(Credentials, AKeyIsRevokedOnce) {
  auto mine = enabled();
  carry_out(mine, key_wanted(1));
  EXPECT_EQ(no(mine.decide(revoke_key{me, "key-2"}, noon)), refusal_code::key_not_found);
  const auto revoked = test::there(mine.decide(revoke_key{me, "key-1"}, noon));
  mine.apply(*revoked);
  EXPECT_EQ(no(mine.decide(revoke_key{me, "key-1"}, noon)), refusal_code::key_not_found) << "on its way";
  EXPECT_TRUE(mine.key("key-1", hash_of(1))) << "holds until it is stored";
  mine.take_back();
  EXPECT_TRUE(mine.decide(revoke_key{me, "key-1"}, noon)) << "it was not";
  carry_out(mine, revoke_key{me, "key-1"});
  EXPECT_EQ(mine.key("key-1", hash_of(1)), nullptr);
  EXPECT_TRUE(mine.keys().empty());
}

TEST(Credentials, AKeyThatIsBeingMadeCannotBeRevokedYet) {
  auto mine = enabled();
  mine.apply(*mine.decide(key_wanted(1), noon));
  EXPECT_EQ(no(mine.decide(revoke_key{me, "key-1"}, noon)), refusal_code::key_not_found);
}

// -- sessions ---------------------------------------------------------------------------

constexpr auto leeway = credentials::refresh_leeway;
using presented = credentials::presented;

refresh_session refresh(int presented_hash, int fresh_hash = 1000, int number = 1) {
  return {me, "session-" + std::to_string(number), hash_of(presented_hash), hash_of(fresh_hash)};
}

void rotate(credentials& on, int from, int to, timestamp now) {
  const auto change = on.rotate(refresh(from, to), now);
  on.apply(change);
  on.commit(change);
}

TEST(Credentials, ARefreshTokenIsGoodOnceAndALittleLongerForRequestsSideBySide) {
  auto mine = enabled();
  carry_out(mine, session_wanted(1));
  EXPECT_EQ(mine.judge(refresh(1), noon), presented::current);
  rotate(mine, 1, 2, noon + 1h);
  const auto rotated = noon + 1h;
  struct row {
    int token;
    timestamp at;
    presented expected;
  };
  for (const auto& [token, at, expected] : std::vector<row>{
         {2, rotated, presented::current},
         {2, rotated + 200h, presented::current},
         {1, rotated, presented::just_replaced},
         {1, rotated + leeway - 1us, presented::just_replaced},
         {1, rotated - 1h, presented::just_replaced}, // the clock was set back
         {1, rotated + leeway, presented::stolen},
         {1, rotated + 200h, presented::stolen},
         {3, rotated, presented::stolen}, // signed by this service for this session, and replaced long ago
       })
    EXPECT_EQ(mine.judge(refresh(token), at), expected) << token << " " << (at - rotated).count();
}

TEST(Credentials, OnlyTheTokenBeforeTheCurrentOneHasALeeway) {
  auto mine = enabled();
  carry_out(mine, session_wanted(1));
  rotate(mine, 1, 2, noon);
  rotate(mine, 2, 3, noon + 1s);
  EXPECT_EQ(mine.judge(refresh(1), noon + 2s), presented::stolen);
  EXPECT_EQ(mine.judge(refresh(2), noon + 2s), presented::just_replaced);
  EXPECT_EQ(mine.judge(refresh(3), noon + 2s), presented::current);
}

TEST(Credentials, TwoRequestsThatRefreshAtOnceRotateOnce) {
  auto mine = enabled();
  carry_out(mine, session_wanted(1));
  const auto change = mine.rotate(refresh(1, 2), noon);
  mine.apply(change);
  EXPECT_EQ(mine.judge(refresh(1, 3), noon), presented::just_replaced);
  mine.take_back();
  EXPECT_EQ(mine.judge(refresh(1, 3), noon), presented::current) << "the first one came to nothing";
}

TEST(Credentials, ASessionThatIsOverIsUnknown) {
  auto mine = enabled();
  carry_out(mine, session_wanted(1));
  EXPECT_EQ(mine.judge(refresh(1), noon + 720h - 1us), presented::current);
  EXPECT_EQ(mine.judge(refresh(1), noon + 720h), presented::unknown) << "expired";
  EXPECT_EQ(mine.judge(refresh(1, 1000, 2), noon), presented::unknown) << "never opened";
  mine.set_access(false, true);
  EXPECT_EQ(mine.judge(refresh(1), noon), presented::unknown) << "its profile is archived";
  mine.set_access(true, true);
  const auto ended = test::there(mine.decide(end_session{me, "session-1"}, noon));
  mine.apply(*ended);
  EXPECT_EQ(mine.judge(refresh(1), noon), presented::unknown) << "ending";
  EXPECT_EQ(no(mine.decide(end_session{me, "session-1"}, noon)), refusal_code::session_not_found);
  mine.commit(*ended);
  EXPECT_EQ(mine.find_session("session-1", noon), nullptr);
  EXPECT_EQ(mine.judge(refresh(1), noon), presented::unknown);
}

TEST(Credentials, ASessionThatNobodyRefreshesEnds) {
  auto mine = enabled(1h);
  carry_out(mine, session_wanted(1));
  carry_out(mine, session_wanted(2, noon + 1min));
  EXPECT_EQ(mine.judge(refresh(1), noon + 1h - 1us), presented::current);
  EXPECT_EQ(mine.judge(refresh(1), noon + 1h), presented::unknown);
  EXPECT_EQ(mine.find_session("session-1", noon + 1h), nullptr);
  ASSERT_EQ(mine.sessions(noon + 1h).size(), 1u);
  EXPECT_EQ(mine.sessions(noon + 1h)[0].id, "session-2");
}

TEST(Credentials, AllSessionsEndButTheOneThatIsNamed) {
  auto mine = enabled();
  for (int i = 1; i <= 3; ++i)
    carry_out(mine, session_wanted(i));
  carry_out(mine, end_other_sessions{me, "session-2"});
  ASSERT_EQ(mine.sessions(noon).size(), 1u);
  EXPECT_EQ(mine.sessions(noon)[0].id, "session-2");
  carry_out(mine, end_other_sessions{me, std::nullopt});
  EXPECT_TRUE(mine.sessions(noon).empty());
  carry_out(mine, end_other_sessions{me, std::nullopt});
}

TEST(Credentials, WithoutItsWalletASessionHoldsNoMore) {
  auto mine = enabled();
  carry_out(mine, session_wanted(1));
  carry_out(mine, session_wanted(2));
  mine.set_without_wallet({"session-1"});
  EXPECT_EQ(mine.judge(refresh(1), noon), presented::unknown);
  EXPECT_EQ(mine.find_session("session-1", noon), nullptr);
  EXPECT_EQ(mine.sessions_without_wallet(), std::vector<std::string>{"session-1"});
  EXPECT_EQ(mine.judge(refresh(2, 1000, 2), noon), presented::current);
}

TEST(Credentials, BeyondTheMostSessionsTheLeastRefreshedOneGoes) {
  auto mine = enabled();
  const int most = static_cast<int>(credentials::sessions_max);
  for (int i = 0; i < most; ++i)
    carry_out(mine, session_wanted(i, noon + std::chrono::seconds{i == 40 ? 0 : 1 + i}));
  const auto opened = test::there(mine.decide(session_wanted(most), noon + 1h));
  EXPECT_EQ(opened->in_place_of, "session-40");
  mine.apply(*opened);
  EXPECT_EQ(mine.judge(refresh(40, 1000, 40), noon + 1h), presented::unknown);
  mine.commit(*opened);
  EXPECT_EQ(mine.sessions(noon + 1h).size(), credentials::sessions_max);
  EXPECT_EQ(mine.find_session("session-40", noon + 1h), nullptr);
  EXPECT_FALSE(mine.decide(session_wanted(most + 1), noon + 720h)->in_place_of) << "the others have expired";
}

TEST(Credentials, BeyondTheMostAPartnersPageEndsASessionOfItsOwn) {
  auto mine = enabled();
  const auto of_page = [](int number, timestamp at) {
    auto out = session_wanted(number, at);
    out.opened.partner = "https://partner.example";
    return out;
  };
  const int most = static_cast<int>(credentials::sessions_max);
  for (int i = 0; i < most; ++i)
    carry_out(mine,
              i == 40 ? of_page(i, noon + std::chrono::seconds{i}) : session_wanted(i, noon + std::chrono::seconds{i}));
  EXPECT_EQ(mine.decide(of_page(most, noon + 1h), noon + 1h)->in_place_of, "session-40");
  EXPECT_EQ(mine.decide(session_wanted(most, noon + 1h), noon + 1h)->in_place_of, "session-0");
}

TEST(Credentials, AnArchivedProfileOpensNoSession) {
  auto mine = enabled();
  mine.set_access(false, true);
  EXPECT_EQ(no(mine.decide(session_wanted(1), noon)), refusal_code::forbidden);
}

// -- slots ------------------------------------------------------------------------------

TEST(CredentialSlot, OnceExpiredStaysExpired) {
  credential_slot slot{credential_kind::api_key, "k", me, noon};
  EXPECT_TRUE(slot.holds(noon - 1us));
  EXPECT_FALSE(slot.holds(noon));
  EXPECT_FALSE(slot.holds(noon - 1h)) << "whatever the clock does then";
}

TEST(CredentialSlot, IsStampedOnceAMinute) {
  credential_slot slot{credential_kind::api_key, "k", me, noon + 24h};
  EXPECT_EQ(slot.used_at(), timestamp{});
  EXPECT_TRUE(slot.use(noon + 30s));
  EXPECT_EQ(slot.used_at(), noon + 30s);
  EXPECT_FALSE(slot.use(noon + 60s)) << "another minute of the clock, but not one of use";
  EXPECT_FALSE(slot.use(noon + 90s - 1us));
  EXPECT_FALSE(slot.use(noon - 1h)) << "a clock that was set back";
  EXPECT_EQ(slot.used_at(), noon + 30s);
  EXPECT_TRUE(slot.use(noon + 90s));
  EXPECT_EQ(slot.used_at(), noon + 90s);
}

TEST(CredentialRegistry, IsOneSlotForOneCredential) {
  credential_registry all;
  const auto first = all.intern(credential_kind::api_key, "k", me, noon);
  EXPECT_EQ(all.intern(credential_kind::api_key, "k", me, noon), first);
  EXPECT_NE(all.intern(credential_kind::api_key, "l", me, noon), first);
}

TEST(CredentialRegistry, EndsWhatItsOwnerDoesNotKnowAnyMore) {
  credential_registry all;
  const auto kept = all.intern(credential_kind::api_key, "k", me, noon);
  const auto gone = all.intern(credential_kind::session, "s", me, noon);
  const auto other = all.intern(credential_kind::api_key, "o", profile_id{8}, noon);
  all.end_others(me, {kept});
  EXPECT_TRUE(kept->holds(noon - 1s));
  EXPECT_FALSE(gone->holds(noon - 1s));
  EXPECT_TRUE(other->holds(noon - 1s));
}

const std::string page = "https://partner.example";
const std::string other_page = "https://other.example";

credentials live() {
  stored_credentials stored;
  stored.live = true;
  return credentials{std::move(stored)};
}

make_partner_code code_wanted(int number, const std::string& origin = page) {
  return {me, {hash_of(number), origin, noon + 60s}};
}

open_session session_with(int code, const std::string& origin = page) {
  open_session out;
  out.opened = {"a session", me, hash_of(100 + code), std::nullopt, noon, noon, noon + 720h, std::nullopt, origin};
  out.code = hash_of(code);
  return out;
}

std::optional<refusal_code> refused(const credentials& on, const open_session& question, timestamp now = noon) {
  const auto decided = on.decide(question, now);
  return decided ? std::nullopt : std::optional{decided.why().code};
}

TEST(PartnerRules, MayActOnceTheyAreLetIn) {
  auto mine = live();
  EXPECT_EQ(mine.of_partners().check(page).why().code, refusal_code::endpoint_disabled);
  const auto switched = mine.decide(switch_partner{me, page, true}, noon);
  mine.apply(*switched);
  EXPECT_FALSE(mine.of_partners().check(page)) << "that is not stored yet";
  mine.commit(*switched);
  EXPECT_TRUE(mine.of_partners().check(page));
  EXPECT_FALSE(mine.of_partners().check(other_page)) << "another one";
}

TEST(PartnerRules, MayNotActFromTheMomentTheyAreLockedOut) {
  auto mine = live();
  carry_out(mine, switch_partner{me, page, true});
  const auto off = mine.decide(switch_partner{me, page, false}, noon + 1s);
  mine.apply(*off);
  EXPECT_FALSE(mine.of_partners().check(page)) << "it is on its way";
  mine.take_back();
  EXPECT_TRUE(mine.of_partners().check(page)) << "it came to nothing";
  mine.apply(*off);
  mine.commit(*off);
  EXPECT_FALSE(mine.of_partners().check(page));
  ASSERT_EQ(mine.of_partners().list().size(), 1u);
  EXPECT_FALSE(mine.of_partners().list().front().enabled);
  EXPECT_EQ(mine.of_partners().list().front().changed_at, noon + 1s);
}

TEST(PartnerRules, AreLockedOutOnlyWhereTheyWereLetIn) {
  auto mine = live();
  EXPECT_EQ(mine.decide(switch_partner{me, page, false}, noon).why().code, refusal_code::not_found)
    << "there is nothing to write";
  mine.apply(*mine.decide(switch_partner{me, page, true}, noon));
  EXPECT_TRUE(mine.decide(switch_partner{me, page, false}, noon)) << "it is being let in";
  EXPECT_FALSE(mine.decide(switch_partner{me, other_page, false}, noon));
}

TEST(PartnerRules, AreLockedOutOfAnArchivedProfileByAnOperatorAlone) {
  auto mine = live();
  carry_out(mine, switch_partner{me, page, true});
  mine.set_access(false, true);
  switch_partner off{me, page, false};
  EXPECT_EQ(mine.decide(off, noon).why().code, refusal_code::profile_not_live);
  off.by_order = true;
  EXPECT_TRUE(mine.decide(off, noon));
  off.enabled = true;
  EXPECT_EQ(mine.decide(off, noon).why().code, refusal_code::profile_not_live);
}

TEST(PartnerRules, ASessionIsRefreshedOnPagesOfItsOwnOriginAlone) {
  auto mine = live();
  carry_out(mine, code_wanted(1));
  carry_out(mine, session_with(1));
  const auto at = [](const std::string& origin) {
    return refresh_session{me, "a session", hash_of(101), hash_of(3), origin};
  };
  EXPECT_EQ(mine.judge(at(page), noon), credentials::presented::current);
  EXPECT_EQ(mine.judge(at(other_page), noon), credentials::presented::unknown);
  EXPECT_EQ(mine.judge(at({}), noon), credentials::presented::unknown) << "nor on pages of ours";
}

TEST(PartnerRules, ACodeLetsThemInAndIsTradedOnce) {
  auto mine = live();
  carry_out(mine, code_wanted(1));
  EXPECT_TRUE(mine.of_partners().check(page));
  const auto opened = test::there(mine.decide(session_with(1), noon));
  mine.apply(*opened);
  EXPECT_EQ(refused(mine, session_with(1)), refusal_code::code_not_valid) << "somebody trades it just now";
  mine.take_back();
  EXPECT_EQ(refused(mine, session_with(1)), std::nullopt) << "that came to nothing";
  mine.apply(*opened);
  mine.commit(*opened);
  EXPECT_EQ(refused(mine, session_with(1)), refusal_code::code_not_valid);
}

TEST(PartnerRules, ACodeIsForItsOriginAndForAMinute) {
  auto mine = live();
  carry_out(mine, code_wanted(1));
  EXPECT_EQ(refused(mine, session_with(1, other_page)), refusal_code::code_not_valid);
  EXPECT_EQ(refused(mine, session_with(2)), refusal_code::code_not_valid) << "nobody made it";
  EXPECT_EQ(refused(mine, session_with(1), noon + 60s), refusal_code::code_not_valid);
  EXPECT_EQ(refused(mine, session_with(1), noon + 59s), std::nullopt);
}

TEST(PartnerRules, ACodeIsGoodOnceItIsStored) {
  auto mine = live();
  const auto made = mine.decide(code_wanted(1), noon);
  mine.apply(*made);
  EXPECT_EQ(refused(mine, session_with(1)), refusal_code::code_not_valid);
  mine.commit(*made);
  EXPECT_EQ(refused(mine, session_with(1)), std::nullopt);
}

TEST(PartnerRules, HaveAFewCodesAtATime) {
  auto mine = live();
  for (int i = 0; i <= static_cast<int>(partners::codes_max); ++i)
    carry_out(mine, code_wanted(i));
  EXPECT_EQ(refused(mine, session_with(0)), refusal_code::code_not_valid) << "the oldest had to go";
  EXPECT_EQ(refused(mine, session_with(1)), std::nullopt);
}

TEST(PartnerRules, AreLetInByLiveProfilesAlone) {
  credentials archived{stored_credentials{}};
  EXPECT_EQ(archived.decide(switch_partner{me, page, true}, noon).why().code, refusal_code::profile_not_live);
  EXPECT_EQ(archived.decide(code_wanted(1), noon).why().code, refusal_code::profile_not_live);
  EXPECT_EQ(refused(archived, session_with(1)), refusal_code::code_not_valid)
    << "a code that nobody made does not tell who is live";
}

TEST(CredentialRegistry, HasTheOwnerAskedAtOnceWhereThereIsDoubt) {
  constexpr timestamp now{std::chrono::seconds{1'790'000'000}};
  credential_registry registry;
  const auto key = registry.intern(credential_kind::api_key, "a", profile_id{12}, now + 24h);
  const auto other = registry.intern(credential_kind::api_key, "b", profile_id{13}, now + 24h);
  for (const auto& each : {key, other}) {
    EXPECT_TRUE(each->due(now, 60s));
    EXPECT_FALSE(each->due(now + 1s, 60s));
  }
  registry.doubt(profile_id{12});
  EXPECT_TRUE(key->due(now + 1s, 60s));
  EXPECT_FALSE(key->due(now + 2s, 60s)) << "once";
  EXPECT_FALSE(other->due(now + 2s, 60s));
}

} // namespace
} // namespace credence::profile
