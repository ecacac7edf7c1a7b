#include "tests/actors/reputation/record_examples.hpp"
#include "tests/persistence/sql/identity_store.hpp"

namespace credence::persistence {
namespace {

using namespace reputation;
using namespace std::chrono_literals;

/// Reviews as they are written and read, and the sums that follow from them. Profiles 1 to 20 have users of the same
/// ids.
struct ReviewSql : test::store_tests {
  static review_created review(int id, int author, named_subject about, review_score score,
                               std::optional<fresh_subject> fresh = std::nullopt) {
    return {review_record{review_id{id}, profile_id{author}, wallet_of(author), subject_ref{std::move(about), 0}, score,
                          "kept its word", R"({"a":1})", false, noon, noon, 0},
            std::move(fresh)};
  }
  /// A review of a wallet that nobody knows, which user 100 gets.
  static review_created first_of_nobody(int id, review_score score) {
    return review(id, 1, by_wallet(0xAB), score,
                  fresh_subject{by_wallet(0xAB), 0, user_id{100}, fresh_user{"0x00…ab", "data:,", 0}});
  }
  /// Negative, neutral and positive reviews that a user has received, as one number.
  std::int64_t received(int user) {
    return store.number("SELECT reviews_negative * 100 + reviews_neutral * 10 + reviews_positive FROM users WHERE id = "
                        + std::to_string(user));
  }
  stored_records load(record_keys keys) { return store.read(load_records{std::move(keys)}); }
};

TEST_F(ReviewSql, EverythingAboutAReviewComesBack) {
  auto sent =
    review(1, 1, by_account("some-one"), review_score::neutral,
           fresh_subject{by_account("some-one"), 0, user_id{100}, fresh_user{"github/some-one", "data:,", 7}});
  sent.record.comment = "für \"alle\" 👍\n\\N";
  put(sent);
  put(review_edited{review_id{1}, "better", "{}", 1, noon + 1h, profile_id{1}});
  put(review_archived{review_id{1}, true, noon + 2h, profile_id{1}});
  const auto found = test::there(store.read(get_review{review_id{1}}));
  EXPECT_EQ(found->author, profile_id{1});
  EXPECT_EQ(found->author_address, wallet_of(1));
  EXPECT_EQ(found->subject.name.key, by_account("some-one").key);
  EXPECT_EQ(found->subject.name.account, by_account("some-one").account);
  EXPECT_EQ(found->score, review_score::neutral);
  EXPECT_EQ(found->comment, "better");
  EXPECT_EQ(found->metadata, "{}");
  EXPECT_TRUE(found->archived);
  EXPECT_EQ(found->created_at, noon);
  EXPECT_EQ(found->updated_at, noon + 2h);
  EXPECT_EQ(found->edits, 1);
  EXPECT_FALSE(store.read(get_review{review_id{2}}));
  EXPECT_EQ(store.number("SELECT user_id FROM attestations WHERE service = 'github' AND account = 'some-one'"), 100)
    << "found by its account";
}

TEST_F(ReviewSql, CountForWhomTheyAreAboutUnlessTheyAreArchived) {
  put(first_of_nobody(1, review_score::positive));
  put(review(2, 2, by_wallet(0xAB), review_score::positive));
  put(review(3, 3, by_wallet(0xAB), review_score::negative));
  EXPECT_EQ(received(100), 102);
  put(review_archived{review_id{2}, true, noon, profile_id{2}});
  EXPECT_EQ(received(100), 101);
  put(review_archived{review_id{2}, false, noon, profile_id{2}});
  EXPECT_EQ(received(100), 102);
  put(review_edited{review_id{1}, "other", "", 1, noon, profile_id{1}});
  EXPECT_EQ(received(100), 102);
  EXPECT_EQ(store.number("SELECT reviews_positive FROM subjects"), 2);
}

TEST_F(ReviewSql, GoAlongWithTheirSubject) {
  put(first_of_nobody(1, review_score::positive));
  put(review(2, 2, by_wallet(0xAB), review_score::negative));
  test::run_sql(store.url, "UPDATE users SET reviews_neutral = 5 WHERE id = 6; UPDATE subjects SET user_id = 6");
  EXPECT_EQ(received(6), 151) << "beside what was there";
  EXPECT_EQ(received(100), 0);
  test::run_sql(store.url, "DELETE FROM reviews WHERE id = 2"); // as when a block is taken back
  EXPECT_EQ(received(6), 51);
  EXPECT_EQ(store.how_many("activities"), 1);
}

TEST_F(ReviewSql, TheDatabaseRefusesWhatTheKeeperNeverSends) {
  put(first_of_nobody(1, review_score::positive));
  EXPECT_TRUE(refuses(review(3, 2, by_wallet(0xAB), review_score::positive))) << "a gap";
  EXPECT_TRUE(refuses(review(1, 2, by_wallet(0xAB), review_score::positive))) << "twice";
  EXPECT_TRUE(refuses(review(2, 99, by_wallet(0xAB), review_score::positive))) << "an author who is not there";
  EXPECT_TRUE(refuses(review(2, 2, by_wallet(0xCD), review_score::positive))) << "a subject that is not there";
  auto silent = review(2, 2, by_wallet(0xAB), review_score::positive);
  silent.record.comment.clear();
  EXPECT_TRUE(refuses(silent)) << "without a word";
  EXPECT_EQ(test::refusal_of(store.url, "UPDATE reviews SET score = 0"), "23514");
  EXPECT_EQ(test::refusal_of(store.url, "UPDATE users SET merged_into = 5 WHERE id = 6"), "23514")
    << "who is not merged";
  EXPECT_EQ(received(100), 1);
  put(review(2, 2, by_wallet(0xAB), review_score::positive));
}

TEST_F(ReviewSql, TheRowsOfARequestComeFromOneReading) {
  put(first_of_nobody(1, review_score::positive));
  test::run_sql(store.url, "INSERT INTO addresses (address, user_id, kind, added_at) VALUES"
                           " ('\\x0000000000000000000000000000000000000001', 1, 'linked', '2026-01-01'),"
                           " ('\\x0000000000000000000000000000000000000002', 1, 'primary', '2026-02-01');"
                           "UPDATE profiles SET archived = true WHERE id = 2");
  record_keys keys;
  keys.profiles = {profile_id{1}, profile_id{2}, profile_id{99}};
  for (const auto& each : {by_wallet(0xAB), by_wallet(1), by_wallet(0xEF), by_profile(7), by_account("nobody")})
    keys.subjects.emplace(each.key, each);
  keys.reviews = {review_id{1}, review_id{5}};
  const auto found = load(keys);
  EXPECT_EQ(found.last.review, review_id{1});
  EXPECT_EQ(found.last.user, user_id{100});
  ASSERT_EQ(found.profiles.size(), 2u);
  EXPECT_EQ(found.profiles[0].wallet(), wallet_of(2));
  EXPECT_FALSE(found.profiles[0].archived);
  EXPECT_TRUE(found.profiles[1].archived);
  EXPECT_FALSE(found.profiles[1].wallet());
  ASSERT_EQ(found.reviews.size(), 1u);
  const record_rows rows{found};
  EXPECT_EQ(rows.subject_for(by_wallet(0xAB), "").user, user_id{100});
  EXPECT_FALSE(rows.subject_for(by_wallet(0xAB), "").fresh);
  EXPECT_EQ(rows.subject_for(by_wallet(1), "").user, user_id{1});
  EXPECT_EQ(rows.subject_for(by_profile(7), "").user, user_id{7});
  EXPECT_EQ(rows.subject_for(by_wallet(0xEF), "").user, user_id{101}) << "nobody's";
  EXPECT_EQ(rows.subject_for(by_account("nobody"), "").user, user_id{101});
}

/// Projects as they are written and read. Profiles 1 to 20 have users of the same ids; there are no projects.
struct ProjectRecordSql : test::store_tests {
  ProjectRecordSql() {
    first_ = static_cast<int>(store.number("SELECT coalesce(max(id), 0) + 1 FROM projects"));
    put(category_saved{{category_id{50}, "Tools", "tools", std::nullopt, true, false, std::nullopt}, true, noon});
    put(category_saved{
      {category_id{51}, "Games", "games", "to play", false, true, "https://a.example/c.png"}, true, noon});
    put(chain_saved{{chain_id{50}, "Chain of the test", std::nullopt, std::nullopt}, true, noon});
  }
  /// A project of an account that nobody knows, which user 100 + `after` gets.
  project_created project(int after = 0) const {
    const auto account = std::string(1, static_cast<char>('a' + after)) + "-project";
    const user_id user{100 + after};
    project_created out;
    out.record.id = project_id{first_ + after};
    out.record.user = user;
    out.record.userkey = "service:github:" + account;
    out.record.details = {
      "was es \"tut\" 👍\nmehr",
      "https://a.example/b.png",
      true,
      false,
      {{listing::link_type::discord, "https://d.example"}, {listing::link_type::website, "https://a.example"}},
      {{profile_id{1}, "founder", true}, {profile_id{2}, std::nullopt, false}},
      {category_id{50}, category_id{51}},
      {chain_id{50}}};
    out.record.created_at = out.record.updated_at = noon;
    out.shown =
      profile_texts{"A Project", "a_project" + std::to_string(after), "https://a.example/p.png", std::nullopt};
    out.subject = fresh_subject{by_account(account), 0, user, fresh_user{"A Project", "data:,", 70 + after}};
    return out;
  }
  stored_records load(record_keys keys) { return store.read(load_records{std::move(keys)}); }
  project_record stored(project_id which) {
    record_keys keys;
    keys.projects = {which};
    return load(keys).projects.at(0);
  }

  int first_ = 0;
};

TEST_F(ProjectRecordSql, EverythingAboutAProjectComesBack) {
  const auto sent = project();
  put(sent);
  record_keys keys;
  keys.projects = {sent.record.id};
  auto found = load(keys);
  ASSERT_EQ(found.projects.size(), 1u);
  const auto& came = found.projects[0];
  EXPECT_EQ(came.details, sent.record.details);
  EXPECT_EQ(came.user, sent.record.user);
  EXPECT_EQ(came.userkey, sent.record.userkey);
  EXPECT_EQ(came.created_at, noon);
  EXPECT_FALSE(came.archived);
  ASSERT_EQ(found.listed.size(), 1u);
  EXPECT_EQ(found.listed[0].texts, *sent.shown);
  EXPECT_FALSE(found.listed[0].profile);
  EXPECT_EQ(found.last.project, sent.record.id);
  EXPECT_EQ(store.number("SELECT user_id FROM attestations WHERE service = 'github' AND account = 'a-project'"), 100)
    << "found by its account";
}

TEST_F(ProjectRecordSql, AnEditReplacesListsAndAnArchiveLeavesThem) {
  const auto sent = project();
  put(sent);
  auto after = sent.record;
  after.details.links = {{listing::link_type::twitter, "https://x.com/a"}};
  after.details.team = {};
  after.details.categories = {category_id{51}};
  after.details.description = std::nullopt;
  after.updated_at = noon + 1h;
  put(project_edited{after, std::nullopt});
  EXPECT_EQ(stored(after.id).details, after.details);
  EXPECT_EQ(stored(after.id).updated_at, noon + 1h);
  put(project_archived{after.id, true, noon + 2h});
  EXPECT_TRUE(stored(after.id).archived);
  EXPECT_EQ(stored(after.id).details, after.details);
  put(project_archived{after.id, false, noon + 3h});
  EXPECT_FALSE(stored(after.id).archived);
}

TEST_F(ProjectRecordSql, AreFoundByTheirUserkeyAndByTheUserOfASubject) {
  const auto sent = project();
  put(sent);
  record_keys by_key;
  by_key.userkeys = {sent.record.userkey};
  EXPECT_EQ(load(by_key).projects.size(), 1u);
  record_keys by_subject;
  by_subject.userkeys = {"another"};
  by_subject.subjects.emplace(by_account("a-project").key, by_account("a-project"));
  const auto found = load(by_subject);
  ASSERT_EQ(found.projects.size(), 1u);
  EXPECT_EQ(record_rows{found}.project_of(user_id{100}, "another")->id, sent.record.id);
}

TEST_F(ProjectRecordSql, TheDatabaseRefusesWhatTheKeeperNeverSends) {
  EXPECT_TRUE(refuses(project(1))) << "a gap";
  put(project());
  EXPECT_TRUE(refuses(project())) << "twice";
  auto of_the_same = project(1);
  of_the_same.record.user = user_id{100};
  of_the_same.subject.reset();
  EXPECT_TRUE(refuses(of_the_same)) << "a user has one project";
  auto with_nobody = project(1);
  with_nobody.record.details.team = {{profile_id{999}, std::nullopt, false}};
  EXPECT_TRUE(refuses(with_nobody));
  EXPECT_EQ(store.how_many("users WHERE id = 101"), 0) << "nothing of a refused project stays";
  EXPECT_EQ(test::refusal_of(store.url, "UPDATE projects SET userkey = 'another' WHERE user_id = 100"), "23514");
  put(project(1));
}

TEST_F(ProjectRecordSql, CategoriesCountAndRankTheUsersOfActiveProjects) {
  put(project());
  put(project(1));
  test::run_sql(store.url, "UPDATE users SET score = 1900 WHERE id = 101");
  const auto page = store.read(get_categories{{100, 0}, category_id{51}});
  ASSERT_EQ(page.categories.size(), 1u);
  EXPECT_EQ(page.categories[0].users, 2);
  EXPECT_EQ(page.categories[0].record.banner_image_url, "https://a.example/c.png");
  EXPECT_FALSE(page.categories[0].record.on_leaderboard);
  const auto users = store.read(get_category_users{category_id{50}, {1, 0}});
  EXPECT_TRUE(users.known);
  EXPECT_EQ(users.total, 2);
  ASSERT_EQ(users.users.size(), 1u);
  EXPECT_EQ(users.users[0]->id, user_id{101}) << "the higher score";
  const auto ranks = test::exactly(2, store.read(get_user_categories{user_id{100}}).ranks);
  EXPECT_EQ(ranks[0].rank, 2);
  EXPECT_EQ(ranks[0].category.record.slug, "tools");
  put(project_archived{project(1).record.id, true, noon});
  EXPECT_EQ(store.read(get_user_categories{user_id{100}}).ranks[0].rank, 1);
  EXPECT_FALSE(store.read(get_category_users{category_id{99}, {1, 0}}).known);
  const auto chains = store.read(get_chains{{100, 0}, chain_id{50}});
  ASSERT_EQ(chains.chains.size(), 1u);
  EXPECT_EQ(chains.chains[0].name, "Chain of the test");
}

TEST_F(ProjectRecordSql, TheBoardReadsThoseThatAreNamed) {
  put(project());
  put(project(1));
  listing::load_listings listings;
  listings.named = {project(1).record.id};
  const auto found = store.read(listings);
  ASSERT_EQ(found.listings.size(), 1u);
  const auto& core = *found.listings[0].core;
  EXPECT_EQ(core.id, project(1).record.id);
  EXPECT_EQ(core.user->display_name, "A Project");
  EXPECT_EQ(core.links.size(), 2u);
  EXPECT_EQ(core.categories.size(), 2u);
}

} // namespace
} // namespace credence::persistence
