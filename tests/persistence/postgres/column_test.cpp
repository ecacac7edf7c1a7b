#include "actors/people/lookup_types.hpp"
#include "actors/slash/slash_storage.hpp"
#include "tests/persistence/database.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace credence::persistence {
namespace {

using namespace std::chrono_literals;

connection& open_one() {
  static connection on{secret{test::shared_postgres().url("columns")}, session{}, 60s};
  return on;
}

rows answer_to(const char* sql) { return open_one().exec_params(sql, deadline_in(60s)); }

/// What is said against reading the column `name` of `in` as a `T`.
template <class T>
std::string complaint(const rows& in, const char* name) {
  try {
    column<T>{in, name}[0];
  } catch (const database_error& why) {
    EXPECT_EQ(why.why(), trouble::usage);
    return why.what();
  }
  return "none";
}

TEST(Column, IsFoundByItsNameWhereverItStands) {
  for (const auto* sql : {"SELECT n AS number, 'w' || n AS word FROM generate_series(1, 3) n",
                          "SELECT 'w' || n AS word, 7::int8 AS another, n AS number FROM generate_series(1, 3) n"}) {
    const auto found = answer_to(sql);
    const column<std::int32_t> number{found, "number"};
    const column<std::string_view> word{found, "word"};
    ASSERT_EQ(found.count(), 3);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(number[i], i + 1);
      EXPECT_EQ(word[i], "w" + std::to_string(i + 1));
    }
  }
}

TEST(Column, CarriesTheWordsOfTheService) {
  const auto found = answer_to(
    "SELECT 7 AS id, decode(repeat('ab', 20), 'hex') AS address, decode(repeat('cd', 32), 'hex') AS digest,"
    " 12345678901234567890::numeric AS wei, 'SLASHED' AS outcome, ARRAY[3, -4] AS numbers, NULL::text AS service");
  EXPECT_EQ(found.first<profile_id>("id"), profile_id{7});
  EXPECT_EQ(lower_text(found.first<address>("address")).substr(0, 6), "0xabab");
  EXPECT_EQ((found.first<std::array<std::byte, 32>>("digest")[31]), std::byte{0xcd});
  EXPECT_EQ(found.first<wei>("wei"), *parse_wei("12345678901234567890"));
  EXPECT_EQ(found.first<slash::verdict>("outcome"), slash::verdict::slashed);
  EXPECT_EQ(found.first<std::vector<std::int32_t>>("numbers"), (std::vector<std::int32_t>{3, -4}));
  EXPECT_EQ(found.first<std::optional<people::account_service>>("service"), std::nullopt);
}

TEST(Column, NamesTheOneThatIsNotThereOrTwice) {
  const auto found = answer_to("SELECT 1 AS weight, 2 AS id, 3 AS id");
  EXPECT_EQ(complaint<std::int32_t>(found, "wieght"), "the column \"wieght\" of an answer is not there");
  EXPECT_EQ(complaint<std::int32_t>(found, "id"), "the column \"id\" of an answer is there twice");
  EXPECT_EQ(complaint<std::int32_t>(rows{}, "id"), "the column \"id\" of an answer is not there");
}

TEST(Column, NamesTheOneOfAnotherTypeAlsoWhereThereAreNoRows) {
  const auto found = answer_to("SELECT 1::int8 AS weight, 'x'::text AS reason, 1.5::float4 AS share WHERE false");
  EXPECT_EQ(complaint<std::int32_t>(found, "weight"), "the column \"weight\" of an answer is int8 and read as int4");
  EXPECT_EQ(complaint<timestamp>(found, "weight"),
            "the column \"weight\" of an answer is int8 and read as timestamptz");
  EXPECT_EQ(complaint<std::optional<wei>>(found, "reason"),
            "the column \"reason\" of an answer is text and read as numeric");
  EXPECT_EQ(complaint<double>(found, "share"),
            "the column \"share\" of an answer is of the type 700 and read as float8");
  EXPECT_EQ(complaint<std::int64_t>(found, "weight"), "the column \"weight\" of an answer has no row 0");
}

TEST(Column, NamesTheOneWhoseValueCannotBeRead) {
  const auto found =
    answer_to("SELECT NULL::int4 AS weight, 0.5::numeric AS price, '\\x01'::bytea AS address, 'UNDECIDED' AS outcome,"
              " ARRAY[1, NULL] AS numbers");
  EXPECT_EQ(complaint<std::int32_t>(found, "weight"), "the column \"weight\" of an answer is null");
  EXPECT_EQ(complaint<wei>(found, "price"), "the column \"price\" of an answer is not a whole number of wei");
  EXPECT_EQ(complaint<address>(found, "address"),
            "the column \"address\" of an answer has another length than the code expects");
  EXPECT_EQ(complaint<slash::verdict>(found, "outcome"),
            "the column \"outcome\" of an answer says what the code does not know");
  EXPECT_EQ(complaint<std::vector<std::int32_t>>(found, "numbers"),
            "the column \"numbers\" of an answer is not an array of integers");
}

TEST(Column, IsNotReadFromAnAnswerInText) {
  const auto found = open_one().exec("SELECT 1 AS weight", deadline_in(60s));
  EXPECT_EQ(complaint<std::int32_t>(found, "weight"),
            "the column \"weight\" of an answer is text of a statement without parameters, which nobody reads");
}

TEST(Column, NeedsNoNameWhereTheAnswerIsOneValue) {
  EXPECT_EQ(answer_to("SELECT count(*) FROM generate_series(1, 12)").value<std::int64_t>(), 12);
  EXPECT_EQ(answer_to("SELECT NULL::text").value<std::optional<std::string>>(), std::nullopt);
  EXPECT_THROW(answer_to("SELECT 1, 2").value<std::int32_t>(), database_error);
  EXPECT_THROW(answer_to("SELECT n FROM generate_series(1, 2) n").value<std::int32_t>(), database_error);
}

} // namespace
} // namespace credence::persistence
