#include "tests/actors/reputation/rule_tests.hpp"

namespace credence::reputation {
namespace {

using namespace std::chrono_literals;

/// Profiles 1 to 4 of users 11 to 14 (4 is archived), categories 1 and 2, chain 1.
struct Projects : RecordRules {
  Projects() { rows = record_rows{stored()}; }

  static category_record category(int id, const std::string& name, const std::string& slug) {
    category_record out;
    out.id = category_id{id};
    out.name = name;
    out.slug = slug;
    return out;
  }
  static stored_records stored() {
    auto out = four_profiles();
    out.last.project = project_id{5};
    out.last.category = category_id{2};
    out.last.chain = chain_id{1};
    out.categories = {category(1, "DeFi", "defi"), category(2, "Tools", "tools")};
    out.chains = {{chain_id{1}, "Base", std::nullopt, std::nullopt}};
    for (int i = 1; i <= 4; ++i)
      out.listed.push_back({user_id{10 + i}, profile_id{i}, out.profiles[static_cast<std::size_t>(i - 1)].texts});
    return out;
  }
  static create_project project_of(const std::string& account) {
    return {by_account(account), "service:github:" + account, {}, {}, false};
  }
  /// Project 6, of somebody new, with profile 2 as its manager and profile 3 in its team.
  void make_one() {
    auto query = project_of("some-one");
    query.details.team = {{profile_id{2}, "lead", true}, {profile_id{3}, std::nullopt, false}};
    ASSERT_TRUE(decided_on(query));
  }
  static edit_project edit_by(int profile, bool as_admin = false) {
    edit_project out;
    out.id = project_id{6};
    out.by = profile_id{profile};
    out.as_admin = as_admin;
    return out;
  }
};

TEST_F(Projects, AreNumberedOneAfterTheOtherAndMakeTheirUser) {
  auto query = project_of("some-one");
  query.names = {"Some One", "some_one", std::nullopt};
  const auto made = test::there(decided_on(query));
  EXPECT_EQ(made->answer, project_id{6});
  EXPECT_EQ(made->change->record.user, user_id{21});
  ASSERT_TRUE(made->change->subject && made->change->subject->new_user);
  ASSERT_TRUE(made->change->shown);
  EXPECT_EQ(made->change->shown->display_name, "Some One");
  EXPECT_EQ(made->change->shown->avatar_url, how.default_avatar) << "it was not named";
  EXPECT_EQ(decided_on(project_of("another"))->answer, project_id{7});
}

TEST_F(Projects, OfOneUserAreOne) {
  ASSERT_TRUE(decided_on(project_of("some-one")));
  EXPECT_EQ(refused(project_of("some-one")), refusal_code::project_exists) << "also in the same round";
  create_project of_wallet{by_wallet(2), "address:0x02", {}, {}, false};
  ASSERT_TRUE(decided_on(of_wallet));
  EXPECT_EQ(rows.at(wallet_of(2))->listed, true) << "an address of a listing joins nobody else";
  of_wallet.userkey = "address:another";
  EXPECT_EQ(refused(of_wallet), refusal_code::project_exists) << "whatever the key";
}

TEST_F(Projects, AreTriedWithoutANumber) {
  auto query = project_of("some-one");
  query.dry_run = true;
  EXPECT_EQ(decide(rows, query, how, noon)->answer, project_id{});
}

TEST_F(Projects, NameNobodyWhoHasAProfileAndTakeNoName) {
  create_project command{by_wallet(2), "address:0x02", {"Not Me", std::nullopt, std::nullopt}, {}, false};
  EXPECT_EQ(refused(command), refusal_code::forbidden);
  auto another = project_of("some-one");
  another.names.username = "Profile1";
  EXPECT_EQ(refused(another), refusal_code::username_taken);
}

TEST_F(Projects, NameLiveMembersAndWhatIsInTheCatalogue) {
  auto query = project_of("some-one");
  query.details.team = {{profile_id{4}, std::nullopt, false}};
  EXPECT_EQ(refused(query), refusal_code::profile_not_live);
  query.details.team = {};
  query.details.categories = {category_id{1}, category_id{3}};
  EXPECT_EQ(refused(query), refusal_code::not_found);
  query.details.categories = {category_id{1}, category_id{2}};
  query.details.chains = {chain_id{2}};
  EXPECT_EQ(refused(query), refusal_code::not_found);
  query.details.chains = {chain_id{1}};
  EXPECT_TRUE(decided_on(query));
}

TEST_F(Projects, AreEditedByTheirManagersAndAdmins) {
  make_one();
  auto edit = edit_by(2);
  edit.description = "what it does";
  const auto done = decided_on(edit, noon + 1h);
  ASSERT_TRUE(done && done->change);
  EXPECT_EQ(done->change->record.details.description, "what it does");
  EXPECT_EQ(done->change->record.details.team.size(), 2u) << "what is absent stays";
  EXPECT_EQ(done->change->record.updated_at, noon + 1h);
  EXPECT_FALSE(decided_on(edit)->change) << "nothing changes";
  edit.by = profile_id{3};
  EXPECT_EQ(refused(edit), refusal_code::forbidden) << "in the team, no manager";
  edit.by = profile_id{1};
  EXPECT_EQ(refused(edit), refusal_code::forbidden);
  edit.as_admin = true;
  edit.description = "";
  EXPECT_EQ(decided_on(edit)->change->record.details.description, std::nullopt) << "empty: none";
  edit.id = project_id{9};
  EXPECT_EQ(refused(edit), refusal_code::project_not_found);
}

TEST_F(Projects, AManagerMayNotPromoteAProjectAndAnAdminMay) {
  make_one();
  auto edit = edit_by(2);
  edit.promoted = true;
  EXPECT_EQ(refused(edit), refusal_code::forbidden);
  edit.as_admin = true;
  EXPECT_TRUE(decided_on(edit)->change->record.details.promoted);
}

TEST_F(Projects, AListIsReplacedAsAWholeAndAManagerWhoLeavesIsNoneAnyMore) {
  make_one();
  auto edit = edit_by(2);
  edit.team = std::vector<team_member>{{profile_id{3}, "lead", true}};
  ASSERT_TRUE(decided_on(edit));
  edit = edit_by(2);
  edit.description = "still me";
  EXPECT_EQ(refused(edit), refusal_code::forbidden);
  edit.by = profile_id{3};
  EXPECT_TRUE(decided_on(edit));
}

TEST_F(Projects, WhoeverIsArchivedEditsNothingAndMayStayInATeam) {
  make_one();
  rows.apply(profile_archived{profile_id{2}, user_id{12}, true, noon});
  auto edit = edit_by(2);
  edit.description = "x";
  EXPECT_EQ(refused(edit), refusal_code::profile_not_live);
  edit = edit_by(1, true);
  edit.team = std::vector<team_member>{{profile_id{2}, "was lead", false}};
  EXPECT_TRUE(decided_on(edit));
}

TEST_F(Projects, AreArchivedAndRestored) {
  make_one();
  EXPECT_TRUE(decided_on(archive_project{project_id{6}})->change->archived);
  EXPECT_FALSE(decided_on(archive_project{project_id{6}})->change) << "it is so already";
  auto edit = edit_by(2);
  edit.description = "x";
  EXPECT_EQ(refused(edit), refusal_code::record_archived);
  edit.as_admin = true;
  EXPECT_TRUE(decided_on(edit)) << "an admin may";
  EXPECT_FALSE(decided_on(archive_project{project_id{6}, false})->change->archived);
  EXPECT_EQ(refused(archive_project{project_id{9}}), refusal_code::project_not_found);
}

TEST_F(Projects, AreNamedUntilTheirUserHasAProfile) {
  make_one();
  auto edit = edit_by(2);
  edit.names = {"Some One", "some_one", "https://a.example/p.png"};
  const auto done = decided_on(edit);
  ASSERT_TRUE(done && done->change && done->change->shown);
  EXPECT_EQ(rows.user_named("some_one"), user_id{21});
  edit.names.username = "another";
  ASSERT_TRUE(decided_on(edit));
  EXPECT_EQ(rows.user_named("some_one"), user_id{}) << "the name is free again";
}

TEST_F(Projects, CategoriesAndChainsHaveNamesOfTheirOwn) {
  const create_category fresh{category(0, "Games", "games"), false};
  EXPECT_EQ(decided_on(fresh)->answer.id, category_id{3});
  EXPECT_EQ(refused(fresh), refusal_code::name_taken) << "also in the same round";
  edit_category edit;
  edit.id = category_id{3};
  edit.slug = "tools";
  EXPECT_EQ(refused(edit), refusal_code::name_taken);
  edit.slug = "games";
  EXPECT_FALSE(decided_on(edit)->change) << "its own";
  edit.slug = "play";
  edit.on_leaderboard = false;
  EXPECT_FALSE(decided_on(edit)->change->record.on_leaderboard);
  edit.id = category_id{9};
  EXPECT_EQ(refused(edit), refusal_code::not_found);
  EXPECT_EQ(refused(create_chain{{{}, "Base", std::nullopt, std::nullopt}, false}), refusal_code::name_taken);
  EXPECT_EQ(decided_on(create_chain{{{}, "Solana", std::nullopt, std::nullopt}, false})->answer.id, chain_id{2});
  edit_chain chain;
  chain.id = chain_id{2};
  chain.url = "https://solana.example";
  EXPECT_EQ(decided_on(chain)->change->record.url, "https://solana.example");
}

} // namespace
} // namespace credence::reputation
