#include "persistence/sql/reputation_sql.hpp"
#include "tests/persistence/sql/chain_rows_fixture.hpp"

namespace credence::persistence {
namespace {

using namespace broker_events;
using namespace project_events;

const address token = samples::address_of(9);

/// Posts, credit and projects of events in a database.
struct ProjectRows : ChainRows {
  ProjectRows() { apply({profile_events::profile_created{{1}, alice}, profile_events::profile_created{{2}, bob}}); }

  static event post(int number, const std::string& title) {
    return post_created{{number}, {1},  post_level::premium, title, "two\nweeks \"at\" most",
                        "100",    "{}", {1'600'000'000}};
  }
  static event project(int number, const std::string& account, const std::string& metadata = "{}") {
    return project_created{{number}, {1'600'000'000}, false, metadata, {account, "x.com"}, {{1}, {77}}};
  }
  static event details(int number, const std::string& name, const std::string& account) {
    return project_details_updated{{number}, name, "{}", {account, "x.com"}};
  }
  static event attested(int number, int profile, const std::string& account) {
    return attestation_events::attestation_created{{profile}, people::account_service::x, account, "", {number}};
  }
  bool holds(const std::string& sql) { return number("SELECT count(*) " + sql) == 1; }
  /// Whether the user of the project is called so.
  bool is_called(int project, const std::string& name) {
    return holds("FROM projects p JOIN users u ON u.id = p.user_id WHERE p.id = " + std::to_string(project)
                 + " AND u.display_name = '" + name + "'");
  }
};

TEST_F(ProjectRows, PostsFeesAndCreditAreStoredAndTakenBack) {
  const auto most = (uint256{1} << 255) + ((uint256{1} << 255) - 1);
  apply({post(1, "Audit"), premium_post_fee_paid{{1}, token, most, bob}, credit_balance_updated{{1}, token, 0, most}});
  EXPECT_TRUE(holds("FROM broker_posts WHERE id = 1001 AND author_profile = 1001 AND level = 'PREMIUM' AND title = "
                    "'Audit' AND source = 'chain'"
                    " AND event_id = 3 AND block = 2 AND description = E'two\\nweeks \"at\" most'"));
  EXPECT_TRUE(holds("FROM broker_fees WHERE post_id = 1001 AND amount = 2::numeric ^ 256 - 1"));
  expect_whole();
  apply({post_updated{{1}, {1}, "Audits", "", "", "", {1'700'000'000}}, credit_used{{1}, token, {1}, 1, 5}});
  EXPECT_TRUE(holds("FROM broker_posts WHERE title = 'Audits' AND updated_at > created_at"));
  EXPECT_TRUE(holds("FROM broker_credits WHERE profile_id = 1001 AND balance = 5"));
  expect_whole();
  undo(1);
  EXPECT_TRUE(holds("FROM broker_posts WHERE title = 'Audit' AND updated_at = created_at"));
  EXPECT_TRUE(holds("FROM broker_credits WHERE balance = 2::numeric ^ 256 - 1"));
  expect_whole();
  undo(1);
  EXPECT_EQ(number("SELECT (SELECT count(*) FROM broker_posts) + (SELECT count(*) FROM broker_fees) + (SELECT count(*) "
                   "FROM broker_credits)"),
            0);
  expect_whole();
}

TEST_F(ProjectRows, AProjectShowsWhatItsEventsSay) {
  apply(
    {project(1, "7", R"({"description":" A log\n\tof ships\u0007","bannerImageUrl":"https://ships.example/b.png"})")});
  EXPECT_TRUE(holds("FROM projects WHERE id = 1001 AND status = 'ACTIVE' AND userkey = 'service:x.com:7' AND "
                    "description = E'A log\\n of ships'"
                    " AND banner_image_url = 'https://ships.example/b.png' AND source = 'chain'"));
  EXPECT_TRUE(holds("FROM project_team WHERE project_id = 1001 AND manager HAVING max(profile_id) = 1001"))
    << "77 has no profile";
  EXPECT_TRUE(is_called(1001, "x.com/7"));
  expect_whole();
  apply(
    {details(1, "  Lighthouse ", "7"), project_manager_profile_ids_updated{{1}, {{2}}}, project_archived{{1}, true}});
  EXPECT_TRUE(is_called(1001, "Lighthouse"));
  EXPECT_TRUE(holds(
    "FROM projects WHERE id = 1001 AND status = 'ARCHIVED' AND description IS NULL AND banner_image_url IS NULL"));
  EXPECT_TRUE(holds("FROM project_team WHERE project_id = 1001 HAVING max(profile_id) = 1002 AND count(*) = 1"));
  expect_whole();
  undo(1);
  EXPECT_TRUE(is_called(1001, "x.com/7"));
  EXPECT_TRUE(holds("FROM projects WHERE id = 1001 AND status = 'ACTIVE' AND description LIKE 'A log% of ships'"));
  EXPECT_TRUE(holds("FROM project_team WHERE project_id = 1001 HAVING max(profile_id) = 1001 AND count(*) = 1"));
  expect_whole();
}

TEST_F(ProjectRows, MetadataThatIsNoJsonSaysNothing) {
  std::string deep(200'000, '[');
  apply({project(1, "1", "no JSON"), project(2, "2", R"j({"description":7,"bannerImageUrl":"javascript:alert(1)"})j"),
         project(3, "3", deep), project(4, "4", R"({"description":"\u0000"})"), project(5, "5", "[\"description\"]"),
         project(6, "6", R"({"bannerImageUrl":"http://x.example"})"), details(6, "\x01\x02", "6")});
  EXPECT_EQ(how_many("projects WHERE description IS NULL AND banner_image_url IS NULL AND NOT orphaned"), 6);
  EXPECT_TRUE(is_called(1006, "x.com/6")) << "a name of nothing that can be read is none";
  expect_whole();
}

TEST_F(ProjectRows, WhoHasAProfileKeepsTheirName) {
  apply({attested(1, 1, "7"), project(1, "7"), details(1, "Lighthouse", "7")});
  EXPECT_FALSE(is_called(1001, "Lighthouse"));
  EXPECT_TRUE(holds("FROM projects WHERE name = 'Lighthouse'"));
  expect_whole();
}

TEST_F(ProjectRows, AProjectThatIsTakenBackIsFilledAgain) {
  apply({project(1, "7"), details(1, "Lighthouse", "7")});
  undo(1);
  EXPECT_TRUE(holds("FROM projects WHERE id = 1001 AND orphaned AND status = 'ARCHIVED' AND NOT show_archived"));
  EXPECT_EQ(how_many("project_team"), 0);
  EXPECT_EQ(how_many("users WHERE display_name = 'Lighthouse'"), 0);
  expect_whole();
  apply({project(1, "8")});
  EXPECT_TRUE(holds("FROM projects WHERE id = 1001 AND NOT orphaned AND status = 'ACTIVE' AND userkey = "
                    "'service:x.com:8' AND name IS NULL"));
  expect_whole();
  undo(1);
  EXPECT_TRUE(holds("FROM projects WHERE id = 1001 AND orphaned"));
  expect_whole();
}

TEST_F(ProjectRows, OneThatWasTakenBackMakesRoomForAnother) {
  apply({attested(1, 1, "7")});
  apply({project(1, "7")});
  undo(1);
  apply({project(2, "7")});
  EXPECT_TRUE(holds(
    "FROM projects p JOIN profiles f ON f.user_id = p.user_id WHERE p.id = 1002 AND f.id = 1001 AND NOT p.orphaned"));
  EXPECT_TRUE(holds("FROM projects WHERE id = 1001 AND orphaned AND user_id IS NULL AND userkey = 'project:1001'"));
  expect_whole();
  apply({project(1, "8")});
  EXPECT_TRUE(
    holds("FROM projects WHERE id = 1001 AND NOT orphaned AND user_id IS NOT NULL AND userkey = 'service:x.com:8'"));
  expect_whole();
}

TEST_F(ProjectRows, OneThatIsTakenBackLeavesNoUser) {
  const auto users = "SELECT count(*) FROM users";
  const auto before = number(users);
  for (int i = 0; i < 3; ++i) {
    apply({project(1, "7"), details(1, "Lighthouse", "7")});
    EXPECT_EQ(number(users), before + 1);
    undo(1);
    EXPECT_EQ(number(users), before) << "the user came with the project";
    EXPECT_TRUE(holds("FROM projects WHERE id = 1001 AND orphaned AND user_id IS NULL"));
    expect_whole();
  }
  apply({project(2, "7")});
  EXPECT_EQ(number(users), before + 1) << "and none stands in for the user of the first one";
  EXPECT_TRUE(is_called(1002, "x.com/7"));
  expect_whole();
}

TEST_F(ProjectRows, OneThatWasTakenBackKeepsItsVotesAndIsNobodys) {
  apply({project(1, "7")});
  sql("INSERT INTO votes (project_id, voter_id, number, period_id, bullish, cast_at, seq, weight)"
      " VALUES (1001, 1001, 1, 1, true, '2026-02-01', 2, 1)");
  undo(1);
  EXPECT_TRUE(holds("FROM votes WHERE project_id = 1001"));
  listing::load_listings board;
  board.named = {project_id{1001}};
  const auto found = read(board);
  ASSERT_EQ(found.listings.size(), 1u);
  EXPECT_TRUE(found.listings[0].core->archived);
  EXPECT_FALSE(found.listings[0].core->show_archived);
  EXPECT_EQ(found.listings[0].core->user, nullptr);
  EXPECT_TRUE(read_projects_here(on, {project_id{1001}}, {"service:x.com:7"}, {}, soon()).empty())
    << "there is nothing to edit";
  EXPECT_ANY_THROW(sql("UPDATE projects SET orphaned = false WHERE id = 1001")) << "one that is there is somebody's";
  apply({project(1, "7")});
  EXPECT_NE(read(board).listings.at(0).core->user, nullptr);
  expect_whole();
}

TEST_F(ProjectRows, ProjectsChangePlacesWithinABlock) {
  apply({project(1, "7"), project(2, "8")});
  apply({details(1, "One", "9"), details(2, "Two", "7"), details(1, "One", "8")});
  EXPECT_TRUE(holds("FROM projects WHERE id = 1001 AND userkey = 'service:x.com:8'"));
  EXPECT_TRUE(holds("FROM projects WHERE id = 1002 AND userkey = 'service:x.com:7'"));
  EXPECT_TRUE(is_called(1001, "One"));
  EXPECT_TRUE(is_called(1002, "Two"));
  expect_whole();
  undo(1);
  EXPECT_TRUE(is_called(1001, "x.com/7"));
  EXPECT_TRUE(is_called(1002, "x.com/8"));
  expect_whole();
}

TEST_F(ProjectRows, AProjectGoesWithItsAccount) {
  apply({project(1, "7")});
  apply({attested(1, 2, "7")});
  EXPECT_TRUE(holds("FROM projects p JOIN profiles f ON f.user_id = p.user_id WHERE p.id = 1001 AND f.id = 1002"));
  EXPECT_EQ(how_many("projects p JOIN users u ON u.id = p.user_id WHERE u.status = 'MERGED'"), 0);
  expect_whole();
  undo(1);
  EXPECT_TRUE(is_called(1001, "x.com/7"));
  expect_whole();
}

TEST_F(ProjectRows, OneOfTheApiStaysAndTheEventFails) {
  sql("INSERT INTO users (id, display_name, avatar_url, status) VALUES (900000, 'Old', '', 'INACTIVE')");
  sql("INSERT INTO projects (id, user_id, userkey, created_at, updated_at) VALUES (1001, 900000, "
      "'service:x.com:7', now(), now())");
  apply({project(1, "5"), project(2, "7"), project(3, "6")});
  ASSERT_EQ(last.events.size(), 3u);
  EXPECT_EQ(last.events[0].reason, "refused:projects_pkey");
  EXPECT_EQ(last.events[1].reason, "refused:projects_userkey_key");
  EXPECT_EQ(last.events[2].status, event_status::applied);
  EXPECT_TRUE(holds("FROM projects WHERE id = 1001 AND source = 'api'"));
  expect_whole();
}

TEST_F(ProjectRows, AVoteOnAnArchivedProjectIsRefused) {
  apply({project(1, "7")});
  const std::string vote =
    "INSERT INTO votes (project_id, voter_id, number, period_id, bullish, cast_at, seq, weight) VALUES (1001, ";
  sql(vote + "1001, 1, 1, true, '2026-02-01', 2, 1)");
  apply({project_archived{{1}, true}});
  EXPECT_ANY_THROW(sql(vote + "1002, 2, 1, true, '2026-02-01', 3, 1)"));
  undo(1);
  sql(vote + "1002, 2, 1, true, '2026-02-01', 3, 1)");
}

TEST_F(ProjectRows, ReplayTellsOfWhatWasTamperedWith) {
  apply({project(1, "7"), post(1, "Audit"), credit_balance_updated{{1}, token, 0, 4}});
  sql("UPDATE projects SET status = 'ARCHIVED' WHERE id = 1001");
  sql("UPDATE broker_posts SET price = '1'");
  sql("UPDATE broker_credits SET balance = 5");
  sql("INSERT INTO broker_fees (post_id, token, amount, recipient, source) SELECT 5, token, 1, token, "
      "'chain' FROM broker_credits");
  expect_differences({"project 1001 is stored otherwise", "broker post 1001 is stored otherwise",
                      "credit of 1001 in " + lower_text(token) + " is stored otherwise",
                      "broker_fees: events make 0, and 1 are stored"});
}

} // namespace
} // namespace credence::persistence
