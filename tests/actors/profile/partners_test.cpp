#include "actors/profile/credentials.hpp"

#include <gtest/gtest.h>

#include <string>

namespace credence::profile {
namespace {

using namespace std::chrono_literals;

constexpr timestamp noon = std::chrono::sys_days{std::chrono::year{2026} / 3 / 10} + 12h;
constexpr profile_id me{7};
const std::string page = "https://partner.example";
const std::string other = "https://other.example";

digest32 hash_of(int number) {
  digest32 out{};
  out[0] = static_cast<std::byte>(number);
  return out;
}

credentials live() {
  stored_credentials stored;
  stored.live = true;
  return credentials{std::move(stored)};
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
  EXPECT_FALSE(mine.of_partners().check(other)) << "another one";
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
  EXPECT_FALSE(mine.decide(switch_partner{me, other, false}, noon));
}

TEST(PartnerRules, ASessionIsRefreshedOnPagesOfItsOwnOriginAlone) {
  auto mine = live();
  carry_out(mine, code_wanted(1));
  carry_out(mine, session_with(1));
  const auto at = [](const std::string& origin) {
    return refresh_session{me, "a session", hash_of(101), hash_of(3), origin};
  };
  EXPECT_EQ(mine.judge(at(page), noon), credentials::presented::current);
  EXPECT_EQ(mine.judge(at(other), noon), credentials::presented::unknown);
  EXPECT_EQ(mine.judge(at({}), noon), credentials::presented::unknown) << "nor on pages of ours";
}

TEST(PartnerRules, ACodeLetsThemInAndIsTradedOnce) {
  auto mine = live();
  carry_out(mine, code_wanted(1));
  EXPECT_TRUE(mine.of_partners().check(page));
  const auto opened = mine.decide(session_with(1), noon);
  ASSERT_TRUE(opened);
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
  EXPECT_EQ(refused(mine, session_with(1, other)), refusal_code::code_not_valid);
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

} // namespace
} // namespace credence::profile
