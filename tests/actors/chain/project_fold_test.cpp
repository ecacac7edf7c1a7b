#include "tests/actors/chain/fold_world.hpp"

namespace credence::chain {
namespace {

using samples::address_of;
using namespace project_events;

const address ada = address_of(1), bob = address_of(2), cyd = address_of(3);

class ProjectFold : public testing::Test, public fold_world {
public:
  ProjectFold() {
    join(1, ada);
    join(2, bob);
  }
  static project_created project(std::int32_t number, const std::string& account) {
    return {{number}, {1'600'000'000}, false, "{}", {account, "x.com"}, {{2}, {1}, {2}, {77}}};
  }
  static project_details_updated details(std::int32_t number, const std::string& name, const std::string& account) {
    return {{number}, name, "[1]", {account, "x.com"}};
  }
  const project_row& row(std::int32_t number) const { return *rows.projects.find({number}); }
};

TEST_F(ProjectFold, AProjectIsOfTheUserOfItsAccount) {
  applied(project(1, "7"));
  const auto& made = row(1);
  EXPECT_EQ(made.userkey, "service:x.com:7");
  EXPECT_FALSE(made.archived);
  EXPECT_FALSE(made.name);
  EXPECT_EQ(made.metadata, "{}");
  EXPECT_EQ(made.managers, (std::vector<profile_id>{{1}, {2}, {77}})) << "also one whom nobody knows";
  EXPECT_EQ(made.created_at, unix_time{1'600'000'000});
  EXPECT_EQ(effects.projects, std::set{project_id{1}}) << "the board is told";
  const auto subject = rows.newest(attestation_hash("x.com", "7"));
  ASSERT_TRUE(subject);
  EXPECT_EQ(rows.subjects.find(*subject)->user, made.user);
  EXPECT_EQ(rows.subjects.find(*subject)->account, "7");
  EXPECT_FALSE(user_row_of(made.user).active);
  attest(1, 1, "8");
  applied(project(2, "8"));
  EXPECT_EQ(row(2).user, user(1)) << "who attested it";
}

TEST_F(ProjectFold, AUserHasOneProject) {
  applied(project(1, "7"));
  EXPECT_EQ(fold(project(1, "8")), "duplicate");
  const auto users_before = users();
  EXPECT_EQ(fold(project(2, "7")), "duplicate");
  EXPECT_EQ(users(), users_before);
  attest(1, 1, "8");
  attest(2, 1, "9");
  applied(project(3, "8"));
  EXPECT_EQ(fold(project(4, "9")), "duplicate") << "both accounts are of one user";
}

TEST_F(ProjectFold, AProjectOfNoAccountIsNone) {
  auto made = project(1, "7");
  made.attestation_details.service = "myspace";
  EXPECT_EQ(fold(made), "unknown_service");
  EXPECT_EQ(fold(project(1, "")), "missing_account");
  EXPECT_EQ(fold(project(1, std::string(1001, 'a'))), "too_long");
  applied(project(1, std::string(1000, 'a')));
}

TEST_F(ProjectFold, ItIsArchivedAndRestored) {
  applied(project(1, "7"));
  applied(project_archived{{1}, true});
  EXPECT_TRUE(row(1).archived);
  EXPECT_EQ(effects.projects, std::set{project_id{1}});
  applied(project_archived{{1}, false});
  EXPECT_FALSE(row(1).archived);
  EXPECT_EQ(fold(project_archived{{2}, true}), "missing_project");
}

TEST_F(ProjectFold, ItsNameItsMetadataAndItsAccountChange) {
  applied(project(1, "7"));
  const auto before = row(1).user;
  applied(details(1, "Lighthouse", "7"));
  EXPECT_EQ(row(1).name, "Lighthouse");
  EXPECT_EQ(row(1).metadata, "[1]");
  EXPECT_EQ(row(1).user, before);
  applied(details(1, " \t", "8"));
  EXPECT_FALSE(row(1).name) << "a blank name is none";
  EXPECT_EQ(row(1).userkey, "service:x.com:8");
  EXPECT_NE(row(1).user, before);
  applied(project(2, "7"));
  EXPECT_EQ(row(2).user, before) << "whom it left";
  EXPECT_EQ(fold(details(1, "", "7")), "duplicate") << "who has a project";
  EXPECT_EQ(row(1).userkey, "service:x.com:8");
  EXPECT_EQ(fold(details(5, "", "7")), "missing_project");
  auto wrong = details(1, "", "7");
  wrong.attestation_details.service = "";
  EXPECT_EQ(fold(wrong), "unknown_service");
}

TEST_F(ProjectFold, ItsTeamIsReplaced) {
  applied(project(1, "7"));
  applied(project_manager_profile_ids_updated{{1}, {{5}}});
  EXPECT_EQ(row(1).managers, (std::vector<profile_id>{{5}}));
  applied(project_manager_profile_ids_updated{{1}, {}});
  EXPECT_TRUE(row(1).managers.empty());
  EXPECT_EQ(fold(project_manager_profile_ids_updated{{2}, {{5}}}), "missing_project");
}

TEST_F(ProjectFold, WhoeverTakesAnAccountTakesItsProject) {
  applied(project(1, "7"));
  const auto nobody = row(1).user;
  attest(1, 1, "7");
  EXPECT_EQ(row(1).user, user(1));
  EXPECT_EQ(user_row_of(nobody).merged_into, user(1));
  EXPECT_EQ(effects.projects, std::set{project_id{1}});
  applied(attestation_events::attestation_claimed{{1}, people::account_service::x, "7", "", {2}});
  EXPECT_EQ(row(1).user, user(2)) << "the account went from one profile to another";
}

TEST_F(ProjectFold, WhoHasAProjectTakesNoOther) {
  applied(project(1, "7"));
  const auto nobody = row(1).user;
  attest(1, 1, "8");
  applied(project(2, "8"));
  attest(2, 1, "7");
  EXPECT_EQ(row(1).user, nobody);
  EXPECT_FALSE(user_row_of(nobody).merged_into) << "whose project it stays";
  EXPECT_EQ(row(2).user, user(1));
}

TEST_F(ProjectFold, ProjectsAreNumberedFromOneAndTheOffsetCounts) {
  applied(project(3, "7"));
  EXPECT_EQ(effects.gaps, (std::vector<id_gap>{{"project", 1, 2}}));
  how.id_offset = 2147483640;
  EXPECT_EQ(fold(project(8, "8")), "id_out_of_range");
  EXPECT_EQ(fold(project_archived{{8}, true}), "id_out_of_range");
  how.id_offset = 100;
  auto made = project(4, "8");
  applied(made);
  EXPECT_EQ(row(104).managers, (std::vector<profile_id>{{101}, {102}, {177}}));
  how.id_offset = 2147483600;
  made = project(9, "9");
  EXPECT_EQ(fold(made), "id_out_of_range") << "of a manager";
  made.manager_profile_ids.clear();
  applied(made);
  EXPECT_EQ(fold(project_manager_profile_ids_updated{{9}, {{77}}}), "id_out_of_range");
}

} // namespace
} // namespace credence::chain
