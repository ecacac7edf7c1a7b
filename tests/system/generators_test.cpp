#include "tests/system/service.hpp"

namespace credence::test {
namespace {

constexpr int admin = 1;
constexpr int voter = 2;
const std::string folder = test::built::source + "/tests/generators/";

service& shared() {
  return shared_service([](service& one) { one.start({"--admin", std::to_string(admin)}); });
}

std::string at(std::uint16_t port) { return "http://127.0.0.1:" + std::to_string(port); }

/// A client that this generator makes of the documents that the server serves compiles, and calls it;
/// tests/generators/clients.mjs says how.
void makes_a_client(const std::string& generator) {
  if (!std::filesystem::exists(folder + "node_modules/.package-lock.json"))
    GTEST_SKIP() << "the generators are not installed; in tests/generators: npm ci --ignore-scripts";
  const auto admin_token = shared().command({"token", std::to_string(admin), "--admin"}).out;
  const auto ran = run_program({"node", folder + "clients.mjs", generator},
                               {{"CREDENCE_URL", at(shared().port())},
                                {"CREDENCE_ADMIN_URL", at(shared().admin_port())},
                                {"CREDENCE_ADMIN_TOKEN", admin_token.substr(0, admin_token.find('\n'))},
                                {"CREDENCE_TOKEN", shared().token(voter)},
                                {"CREDENCE_PROFILE", std::to_string(voter)}});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, generator + ": all is well\n");
}

TEST(Generators, OrvalMakesAClientThatCompilesAndCalls) { makes_a_client("orval"); }
TEST(Generators, HeyApiMakesAClientThatCompilesAndCalls) { makes_a_client("hey-api"); }
TEST(Generators, OpenapiZodClientMakesAClientThatCompilesAndCalls) { makes_a_client("openapi-zod-client"); }
TEST(Generators, OazapftsMakesAClientThatCompilesAndCalls) { makes_a_client("oazapfts"); }
TEST(Generators, SwaggerTypescriptApiMakesAClientThatCompilesAndCalls) { makes_a_client("swagger-typescript-api"); }

} // namespace
} // namespace credence::test
