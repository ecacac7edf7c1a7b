#include "tests/system/identity.hpp"

#include <gtest/gtest.h>

namespace credence::test {
namespace {

TEST(Rates, OfAKeyThatWasRevokedCostItsOwnerNothing) {
  const auth::wallet owner{"somebody whose key was found"};
  service server;
  link_wallet(server, owner, 3);
  server.start({"--http-rate-limits", "true", "--http-rate-read", "1/h burst 10"});
  const auto path = "/api/v2/projects/votes/balance";
  const auto found = make_key(server, owner, "found by others");
  const auto good = make_key(server, owner, "good");
  auto client = server.client();
  EXPECT_EQ(client.send("GET", path, by_key(found.token)).status, 200);
  ASSERT_EQ(client.send("DELETE", "/api/v2/api-keys/" + found.id, by_bearer(server.token(3))).status, 200);
  for (int i = 0; i < 20; ++i) {
    const auto answer = client.send("GET", path, by_key(found.token));
    EXPECT_EQ(answer.status, 401) << answer.body;
    EXPECT_NE(answer.body.find("API key"), std::string::npos) << answer.body;
    EXPECT_EQ(answer.body.find("access token"), std::string::npos) << "a key is called a key: " << answer.body;
  }
  const auto mine = client.send("GET", path, by_key(good.token));
  EXPECT_EQ(mine.status, 200) << mine.body;
  EXPECT_EQ(mine.headers.at("ratelimit").substr(0, 10), R"("read";r=8)");
}

} // namespace
} // namespace credence::test
