#include "tests/build_paths.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/service.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace credence::test {
namespace {

/// Where strangers could reach the API: every address of the machine.
const std::vector<std::string> everywhere{"--http-address", "0.0.0.0"};

TEST(DemoGuard, ADatabaseWithTheDemosWalletsIsServedOnThisMachineAlone) {
  service server;
  auto words = everywhere;
  words.insert(words.begin(), {"serve", "--port", "0", "--operator-port", "0", "--admin-port", "0"});
  const auto refused = server.command(words);
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("0.0.0.0"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("http.public_demo"), std::string::npos) << refused.err;
  auto meant = everywhere;
  meant.insert(meant.end(), {"--http-public-demo", "true"});
  server.start(meant);
  EXPECT_EQ(server.client().get("/api/v2/healthcheck").status, 200);
}

TEST(DemoGuard, WithoutThoseWalletsItIsServedEverywhere) {
  service server;
  // The ten published wallets leave; made-up ones of the demo may stay.
  server.database().sql("DELETE FROM addresses WHERE user_id IN (SELECT user_id FROM profiles WHERE id <= 10)");
  server.start(everywhere);
  EXPECT_EQ(server.client().get("/api/v2/healthcheck").status, 200);
}

TEST(DemoGuard, TokensOfTheDemoAreToldOnlyOfTheDemo) {
  service server;
  server.database().sql("DELETE FROM addresses WHERE user_id IN (SELECT user_id FROM profiles WHERE id <= 10)");
  std::filesystem::remove(server.data_dir() / "demo.json");
  const auto again = server.command({}, built::demo);
  EXPECT_EQ(again.code, 0);
  EXPECT_NE(again.out.find("no demo data"), std::string::npos) << again.out;
  EXPECT_FALSE(std::filesystem::exists(server.data_dir() / "demo.json"));
}

} // namespace
} // namespace credence::test
