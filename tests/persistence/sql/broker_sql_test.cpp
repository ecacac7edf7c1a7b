#include "persistence/sql/record_lists_sql.hpp"

#include "config/limits.hpp"
#include "tests/persistence/database.hpp"

#include <gtest/gtest.h>

namespace credence::persistence {
namespace {

using namespace reputation;

steady_time soon() { return deadline_in(std::chrono::seconds{60}); }

/// Posts of the broker as clients read them; those of odd numbers are of profile 1.
class BrokerSql : public testing::Test {
protected:
  BrokerSql() {
    test::run_sql(url,
                  "INSERT INTO broker_posts (id, author_profile, level, title, description, price, metadata, "
                  "created_at, updated_at, source)"
                  " SELECT i, 2 - i % 2, CASE WHEN i = 3 THEN 'PREMIUM' ELSE 'BASIC' END, 'Audit ' || i, repeat('é', "
                  "70000), '100', '{}',"
                  " to_timestamp(1700000000 + i), to_timestamp(1700000100 + i), 'chain' FROM generate_series(1, 5) i");
    test::run_sql(
      url,
      "INSERT INTO broker_fees (post_id, token, amount, recipient, source) VALUES (3, decode(repeat('AB', 20), 'hex'),"
      " 2::numeric ^ 200, decode(repeat('cd', 20), 'hex'), 'chain')");
  }
  std::vector<std::int32_t> ids(const list_broker_posts& question) {
    std::vector<std::int32_t> out;
    total = 0;
    const auto found = read(on, question, soon());
    total = found.total;
    for (const auto& row : found.rows)
      out.push_back(row.record.id.value);
    return out;
  }

  std::string url = test::fresh_database();
  connection on = test::look_into(url);
  std::int64_t total = 0;
};

TEST_F(BrokerSql, PostsAreListedTheNewestFirst) {
  list_broker_posts all;
  all.slice = {2, 1};
  EXPECT_EQ(ids(all), (std::vector<std::int32_t>{4, 3}));
  EXPECT_EQ(total, 5);
  list_broker_posts of_one;
  of_one.slice = {10, 0};
  of_one.author = profile_id{2};
  EXPECT_EQ(ids(of_one), (std::vector<std::int32_t>{4, 2}));
  EXPECT_EQ(total, 2);
  list_broker_posts premium;
  premium.slice = {10, 0};
  premium.level = broker_post_level::premium;
  EXPECT_EQ(ids(premium), (std::vector<std::int32_t>{3}));
  premium.author = profile_id{2};
  EXPECT_TRUE(ids(premium).empty());
}

TEST_F(BrokerSql, OneComesWithItsTextsItsFeeAndItsAuthor) {
  list_broker_posts one;
  one.slice = {1, 0};
  one.id = broker_post_id{3};
  const auto found = read(on, one, soon());
  ASSERT_EQ(found.rows.size(), 1u);
  const auto& post = found.rows.front().record;
  EXPECT_EQ(post.author, profile_id{1});
  EXPECT_EQ(post.level, broker_post_level::premium);
  EXPECT_EQ(post.title, "Audit 3");
  EXPECT_EQ(post.description.size(), 2u * 65536) << "characters, not bytes";
  ASSERT_TRUE(post.fee);
  EXPECT_EQ(post.fee->amount, wei{1} << 200);
  EXPECT_EQ(post.fee->recipient.bytes.front(), std::byte{0xCD});
  ASSERT_TRUE(found.rows.front().author);
  EXPECT_TRUE(found.users.contains(*found.rows.front().author));
  one.id = broker_post_id{2};
  EXPECT_FALSE(read(on, one, soon()).rows.front().record.fee);
  one.id = broker_post_id{77};
  EXPECT_TRUE(read(on, one, soon()).rows.empty());
}

TEST_F(BrokerSql, AListShowsTheBeginningsOfLongTexts) {
  list_broker_posts all;
  all.slice = {1, 0};
  EXPECT_EQ(read(on, all, soon()).rows.front().record.description.size(), 2u * 4096);
}

TEST_F(BrokerSql, EveryQuestionReadsWhatItAnswersWith) {
  test::run_sql(url, "INSERT INTO broker_posts (id, author_profile, level, title, description, price, metadata, "
                     "created_at, updated_at, source)"
                     " SELECT i, CASE WHEN i % 1000 = 0 THEN 3 ELSE 2 - i % 2 END, CASE WHEN i % 1000 < 2 THEN "
                     "'PREMIUM' ELSE 'BASIC' END, 'x', 'x',"
                     " '1', '{}', now(), now(), 'chain' FROM generate_series(1000, 19999) i; ANALYZE broker_posts");
  on.exec("SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off", soon()); // as readers have it
  const auto rows_read = [&](const list_broker_posts& question) {
    return test::rows_read_by(on, url, "'broker_posts'", [&] { ids(question); }).all;
  };
  list_broker_posts one;
  one.id = broker_post_id{1500};
  one.slice = {1, 0};
  EXPECT_LE(rows_read(one), 1);
  EXPECT_EQ(total, 1);
  list_broker_posts few;
  few.slice = {10, 0};
  EXPECT_LE(rows_read(few), 10 + limits::list_depth_max);
  few.author = profile_id{3};
  EXPECT_LE(rows_read(few), 10 + 19);
  EXPECT_EQ(total, 19);
  few.level = broker_post_level::premium;
  EXPECT_LE(rows_read(few), 10 + 19);
  few.author = profile_id{1};
  EXPECT_LE(rows_read(few), 10 + 20);
  EXPECT_EQ(total, 20);
  few.author = profile_id{4};
  EXPECT_EQ(rows_read(few), 0);
  few.author = std::nullopt;
  EXPECT_LE(rows_read(few), 10 + 39);
  EXPECT_EQ(total, 39);
}

} // namespace
} // namespace credence::persistence
