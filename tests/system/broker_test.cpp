#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/identity.hpp"
#include "tests/system/service.hpp"

#include <gtest/gtest.h>

#include <string>

namespace credence::test {
namespace {

/// Posts of the broker, as the whole service shows them.
class BrokerPosts : public testing::Test {
protected:
  BrokerPosts() {
    server.start();
    server.database().sql(
      "INSERT INTO broker_posts (id, author_profile, level, title, description, price, metadata, created_at, "
      "updated_at, source)"
      " SELECT i, 1 + i % 2, CASE WHEN i = 3 THEN 'PREMIUM' ELSE 'BASIC' END, 'Audit ' || i, repeat('é', 5000), '100 "
      "\"WHUF\"', '{}',"
      " to_timestamp(1700000000 + i), to_timestamp(1700000100 + i), 'chain' FROM generate_series(1, 5) i;"
      " INSERT INTO broker_fees (post_id, token, amount, recipient, source) VALUES (3, decode(repeat('AB', 20), "
      "'hex'), 2::numeric ^ 200,"
      " decode(repeat('cd', 20), 'hex'), 'chain')");
  }
  http_response get(const std::string& target) { return server.client().get("/api/v2/broker/posts" + target); }
  static std::string code(const http_response& of) {
    return std::to_string(of.status) + " " + json_text(of.body, "/code");
  }
  service server;
};

TEST_F(BrokerPosts, AreListedTheNewestFirst) {
  const auto all = get("").body;
  EXPECT_EQ(json_number(all, "/total"), 5) << all;
  EXPECT_EQ(json_number(all, "/values/0/id"), 5);
  EXPECT_EQ(json_number(all, "/values/4/id"), 1);
  EXPECT_EQ(json_text(all, "/values/0/title"), "Audit 5");
  EXPECT_EQ(json_number(all, "/values/0/author/profileId"), 2);
  EXPECT_EQ(json_text(all, "/values/0/description").size(), 2u * 4096) << "a list shows the beginning of long texts";
  const auto some = get("?authorProfileId=2&limit=1&offset=1").body;
  EXPECT_EQ(json_number(some, "/total"), 3);
  EXPECT_EQ(json_number(some, "/values/0/id"), 3);
  const auto premium = get("?level=PREMIUM").body;
  EXPECT_EQ(json_number(premium, "/total"), 1);
  EXPECT_EQ(json_number(premium, "/values/0/id"), 3);
  EXPECT_EQ(get("?level=GOLD").status, 400);
  EXPECT_EQ(get("?authorProfileId=x").status, 400);
}

TEST_F(BrokerPosts, OneIsShownWholeWithItsFee) {
  const auto post = get("/3").body;
  EXPECT_EQ(json_number(post, "/id"), 3) << post;
  EXPECT_EQ(json_number(post, "/authorProfileId"), 2);
  EXPECT_EQ(json_text(post, "/level"), "PREMIUM");
  EXPECT_EQ(json_text(post, "/description").size(), 10000u);
  EXPECT_EQ(json_text(post, "/price"), "100 \"WHUF\"");
  EXPECT_EQ(json_text(post, "/fee/amount"), "1606938044258990275541962092341162602522202993782792835301376");
  EXPECT_EQ(json_text(post, "/fee/token"), "0xABaBaBaBABabABabAbAbABAbABabababaBaBABaB");
  EXPECT_EQ(json_number(post, "/createdAt"), 1700000003);
  EXPECT_EQ(json_number(post, "/updatedAt"), 1700000103);
  EXPECT_NE(get("/2").body.find("\"fee\":null"), std::string::npos);
  EXPECT_EQ(code(get("/77")), "404 NOT_FOUND");
  EXPECT_EQ(get("/x").status, 400);
}

} // namespace
} // namespace credence::test
