
#include "tests/persistence/read_now.hpp"

#include <gtest/gtest.h>

namespace credence::persistence {
namespace {

using namespace std::chrono_literals;
using people::account_service;
using people::lookup_key;
using form = lookup_key::form;

/// Twenty people and five listed accounts (users 21 to 25), and who owns what.
struct Lookup : testing::Test, test::one_database {
  Lookup() {
    sql("INSERT INTO addresses (address, user_id, kind, added_at) VALUES"
        " (decode(repeat('0c', 20), 'hex'), 3, 'primary', '2026-01-02'),"
        " (decode(repeat('ab', 20), 'hex'), 3, 'linked', '2026-01-03'),"
        " (decode(repeat('ee', 20), 'hex'), 3, 'embedded', '2026-01-01'),"
        " (decode(repeat('5a', 20), 'hex'), 3, 'smart', '2026-01-04'),"
        " (decode(repeat('22', 20), 'hex'), 22, 'primary', '2026-01-01');"
        "INSERT INTO attestations (id, hash, user_id, profile_id, service, account, username, url,"
        " created_at, archived) VALUES"
        " (1, decode(repeat('01', 32), 'hex'), 3, 3, 'x.com', '77', 'Ada_X', 'https://x.com/ada_x',"
        "  '2026-01-05', false),"
        " (2, decode(repeat('02', 32), 'hex'), 4, 4, 'x.com', '78', '77', NULL, '2026-01-05', false),"
        " (3, decode(repeat('03', 32), 'hex'), 5, 5, 'x.com', '79', '555', NULL, '2026-01-05', false),"
        " (4, decode(repeat('04', 32), 'hex'), 6, 6, 'x.com', '80', 'ADA_x', NULL, '2026-01-06', true),"
        " (5, decode(repeat('05', 32), 'hex'), 3, 3, 'discord', '88', NULL, NULL, '2026-01-07', true),"
        " (6, decode(repeat('06', 32), 'hex'), 7, 7, 'github', 'octo', NULL, NULL, '2026-01-07', false),"
        " (7, decode(repeat('07', 32), 'hex'), 22, NULL, 'x.com', '90', 'listed', NULL, '2026-01-07', false);"
        "UPDATE users SET score = 2222, validator_nft_count = 1,"
        " validator_acquired_at = '2026-02-03 04:05:06', verifier_blocked = true WHERE id = 3;"
        "UPDATE profiles SET invited_by = 9, invites_available = 4 WHERE id = 3;"
        "INSERT INTO x_username_history (user_id, username, change_observed_at) VALUES"
        " (3, 'first', NULL), (3, 'second', '2026-01-10'), (3, 'ada_x', '2026-01-20')");
  }

  static lookup_key address(char byte, form how = form::address) { return {.how = how, .text = std::string(20, byte)}; }
  static lookup_key account(account_service service, std::string id) {
    return {.how = form::account, .service = service, .text = std::move(id)};
  }
  static lookup_key text(form how, std::string text) { return {.how = how, .text = std::move(text)}; }
  static lookup_key number(form how, std::int32_t t) { return {.how = how, .number = t}; }

  /// User ids, 0 for nobody.
  std::vector<std::int32_t> users_of(const std::vector<lookup_key>& keys) {
    std::vector<std::int32_t> out;
    for (const auto& each : read(people::find_people{keys}).people)
      out.push_back(each.user.value);
    return out;
  }
};

TEST_F(Lookup, LeadsEveryFormToItsUserInTheOrderAsked) {
  EXPECT_EQ(users_of({number(form::user, 21), number(form::profile, 5), address('\x0c'), address('\xab'),
                      address('\xee', form::embedded_wallet), account(account_service::x, "77"),
                      account(account_service::github, "octo"), text(form::x_handle, "ada_x"),
                      text(form::x_handle, "listed"), text(form::username, "USER8"), number(form::user, 21)}),
            (std::vector{21, 5, 3, 3, 3, 3, 7, 3, 22, 8, 21}));
}

TEST_F(Lookup, SaysWhenThereIsNobody) {
  EXPECT_EQ(users_of({number(form::user, 9999), number(form::profile, 21), address('\x77'),
                      address('\x0c', form::embedded_wallet), account(account_service::x, "ada_x"),
                      account(account_service::telegram, "77"), account(account_service::discord, "88"),
                      text(form::x_handle, "nobody"), text(form::username, "nobody")}),
            std::vector<std::int32_t>(9, 0))
    << "archived accounts and linked wallets lead nowhere";
  EXPECT_TRUE(users_of({}).empty());
}

TEST_F(Lookup, DigitsAreAnIdFirstAndAHandleOtherwise) {
  EXPECT_EQ(users_of({text(form::x_account_or_handle, "77"), text(form::x_account_or_handle, "555"),
                      text(form::x_handle, "77"), text(form::x_account_or_handle, "556")}),
            (std::vector{3, 5, 4, 0}));
}

TEST_F(Lookup, OfTwoProofsOfOneHandleTheLatestCounts) {
  test::run_sql(url, "UPDATE attestations SET archived = false WHERE id = 4");
  EXPECT_EQ(users_of({text(form::x_handle, "ada_x")}), (std::vector{6}));
}

TEST_F(Lookup, TellsProfileScoreAndXp) {
  test::run_sql(
    url,
    "INSERT INTO xp_movements (from_account, to_account, amount, kind, at) VALUES (0, 3, 12345678901, 'CLAIM', now())");
  const auto found = read(people::find_people{{number(form::profile, 3), number(form::user, 22)}}).people;
  EXPECT_EQ(found[0].profile, profile_id{3});
  EXPECT_EQ(found[0].score, 2222);
  EXPECT_FALSE(found[1].profile);
  EXPECT_EQ(found[0].xp_total, 12345678901);
  EXPECT_EQ(found[1].xp_total, 0);
}

TEST_F(Lookup, HostileTextIsOnlyText) {
  const std::string nasty = "'; DROP TABLE users; --";
  EXPECT_EQ(users_of({text(form::username, nasty), text(form::x_handle, "%"), text(form::username, "_ser8"),
                      text(form::username, "{\"a\",NULL}"), text(form::username, "\\")}),
            std::vector<std::int32_t>(5, 0));
  EXPECT_EQ(users_of({number(form::user, 1)}), (std::vector{1}));
}

TEST_F(Lookup, CompleteUsersComeInTheOrderAskedWithGaps) {
  const auto users = test::exactly(
    4,
    read(people::get_people{{number(form::user, 4), address('\x77'), address('\xab'), number(form::user, 4)}}).users);
  EXPECT_EQ(users[0]->id, user_id{4});
  EXPECT_EQ(users[1], nullptr);
  EXPECT_EQ(users[2]->id, user_id{3});
  EXPECT_EQ(users[2]->userkeys.front(), "profileId:3");
  EXPECT_EQ(users[3]->id, user_id{4});
}

TEST_F(Lookup, AManagedWalletLeadsToItsProfileWhoeverElseKnowsTheAddress) {
  test::run_sql(
    url,
    "INSERT INTO managed_wallets (id, profile_id, address, master_version, sealed_key, created_at) VALUES"
    " (0, NULL, decode(repeat('f0', 20), 'hex'), 1, decode(repeat('00', 129), 'hex'), now()),"
    " (5, 5, decode(repeat('f5', 20), 'hex'), 1, decode(repeat('05', 129), 'hex'), now()),"
    " (6, 6, decode(repeat('f6', 20), 'hex'), 1, decode(repeat('06', 129), 'hex'), now());"
    "INSERT INTO addresses (address, user_id, kind, added_at) VALUES"
    " (decode(repeat('f5', 20), 'hex'), 22, 'linked', now()), (decode(repeat('f6', 20), 'hex'), 6, 'linked', now())");
  EXPECT_EQ(users_of({address('\xf5', form::embedded_wallet), address('\xf6', form::embedded_wallet),
                      address('\xf0', form::embedded_wallet), address('\xee', form::embedded_wallet), address('\xf5')}),
            (std::vector{5, 6, 0, 3, 22}));
  for (const int who : {5, 6}) {
    const auto bundle = test::there(read(people::get_bundle{number(form::profile, who)}).found);
    ASSERT_EQ(bundle->addresses.size(), 1u) << "once, also where a chain knows it";
    EXPECT_TRUE(bundle->addresses[0].managed);
  }
}

TEST_F(Lookup, ABundleHoldsEverythingAboutAPerson) {
  const auto bundle = test::there(read(people::get_bundle{address('\xab')}).found);
  EXPECT_EQ(bundle->user->id, user_id{3});
  ASSERT_TRUE(bundle->profile);
  EXPECT_EQ(bundle->profile->invites_available, 4);
  EXPECT_EQ(bundle->profile->invited_by, profile_id{9});
  EXPECT_EQ(bundle->inviter->id, user_id{9});
  ASSERT_EQ(bundle->addresses.size(), 4u);
  EXPECT_EQ(bundle->addresses[0].kind, people::address_kind::primary);
  EXPECT_EQ(bundle->addresses[1].kind, people::address_kind::embedded);
  EXPECT_EQ(bundle->addresses[2].address.bytes[0], std::byte{0xab});
  EXPECT_EQ(bundle->addresses[3].kind, people::address_kind::smart);
  ASSERT_EQ(bundle->attestations.size(), 2u);
  EXPECT_EQ(bundle->attestations[0].username, "Ada_X");
  EXPECT_EQ(bundle->attestations[0].hash[31], std::byte{1});
  EXPECT_EQ(bundle->attestations[1].service, account_service::discord);
  EXPECT_TRUE(bundle->attestations[1].archived);
  EXPECT_EQ(iso_text(*bundle->validator_since).substr(0, 10), "2026-02-03");
  EXPECT_TRUE(bundle->verifier_blocked);
  ASSERT_EQ(bundle->x_usernames.size(), 3u);
  EXPECT_EQ(bundle->x_usernames[0].username, "ada_x");
  EXPECT_EQ(bundle->x_usernames[2].username, "first");
  EXPECT_FALSE(bundle->x_usernames[2].change_observed_at);
}

TEST_F(Lookup, ABundleOfSomebodyWithoutProfileHasNoneOfItsParts) {
  const auto bundle = test::there(read(people::get_bundle{address('\x22')}).found);
  EXPECT_FALSE(bundle->profile);
  EXPECT_EQ(bundle->inviter, nullptr);
  EXPECT_TRUE(bundle->attestations.empty()) << "an account that nobody claimed";
  EXPECT_EQ(bundle->addresses.size(), 1u);
  EXPECT_FALSE(read(people::get_bundle{address('\x77')}).found);
}

TEST_F(Lookup, TheSchemaKeepsWrongPeopleOut) {
  for (const auto* wrong :
       {"UPDATE users SET validator_acquired_at = now() WHERE id = 1", "UPDATE users SET verifier_blocked = NULL",
        "INSERT INTO x_username_history (user_id, username) VALUES (3, 'another first')",
        "INSERT INTO x_username_history (user_id, username) VALUES (1, '')",
        "INSERT INTO x_username_history (user_id, username) VALUES (999, 'nobody')"})
    EXPECT_THROW(test::run_sql(url, wrong), database_error) << wrong;
}

struct Search : Lookup {
  Search() {
    test::run_sql(url, "UPDATE users SET username = 'ada', display_name = 'Zora', score = 100 WHERE id = 1;"
                       "UPDATE users SET username = 'adabel', display_name = 'Zora', score = 1500 WHERE id = 2;"
                       "UPDATE users SET username = 'adamant', display_name = 'Zora', score = 1900 WHERE id = 3;"
                       "UPDATE users SET username = 'quux', display_name = 'Ada Lindqvist', score = 1700 WHERE id = 4;"
                       "UPDATE users SET username = 'merged', display_name = 'Ada', status = 'MERGED' WHERE id = 5;"
                       "UPDATE users SET username = 'the_ada', display_name = 'Zora', score = 2800 WHERE id = 6;"
                       "UPDATE users SET username = '__', display_name = '😀😀' WHERE id = 7;"
                       "UPDATE users SET username = NULL, display_name = 'Ælfgifu Þórsdóttir' WHERE id = 8");
  }
  std::vector<std::int32_t> find(std::string text, page slice = {}, std::optional<people::key_type> having = {}) {
    const auto found = read(people::search_people{std::move(text), slice, having});
    total = found.total;
    std::vector<std::int32_t> out;
    for (const auto& each : found.users)
      out.push_back(each->id.value);
    return out;
  }
  std::int64_t total = -1;
};

TEST_F(Search, BringsTheVeryNameThenBeginningsByScoreThenTheAlike) {
  EXPECT_EQ(find("ada"), (std::vector{1, 3, 4, 2, 6}));
  EXPECT_EQ(total, 5);
  EXPECT_EQ(find("ADA"), (std::vector{1, 3, 4, 2, 6}));
  EXPECT_EQ(find("lindqvist"), (std::vector{4}));
  EXPECT_EQ(find("lindqvists"), (std::vector{4})) << "a letter too many";
  EXPECT_EQ(find("ælf"), (std::vector{8}));
}

TEST_F(Search, TurnsPages) {
  EXPECT_EQ(find("ada", {2, 1}), (std::vector{3, 4}));
  EXPECT_EQ(total, 5);
  EXPECT_TRUE(find("ada", {2, 5}).empty());
  EXPECT_EQ(total, 5);
  EXPECT_TRUE(find("ada", {0, 0}).empty());
  EXPECT_TRUE(find("nobody at all").empty());
  EXPECT_EQ(total, 0);
}

TEST_F(Search, KeepsToThoseWithAKindOfKey) {
  EXPECT_EQ(find("ada", {}, people::key_type::address), (std::vector{3}));
  EXPECT_EQ(find("ada", {}, people::key_type::x), (std::vector{3, 4}));
  EXPECT_TRUE(find("ada", {}, people::key_type::discord).empty()) << "archived";
  EXPECT_EQ(find("ada", {}, people::key_type::profile).size(), 5u);
}

TEST_F(Search, TextWithoutLettersIsAskedAsAUsernameOnly) {
  EXPECT_EQ(find("__"), (std::vector{7}));
  EXPECT_TRUE(find("%%").empty());
  EXPECT_TRUE(find("😀😀").empty());
  EXPECT_TRUE(find("'; DROP TABLE users").empty());
}

} // namespace
} // namespace credence::persistence
