#include "ops/demo/words.hpp"
#include "tests/build_paths.hpp"
#include "tests/system/service.hpp"

#include <gtest/gtest.h>

#include <string>

namespace credence::test {
namespace {

service& shared() {
  return shared_service([](service& one) { one.start(); });
}

/// Clients with the libraries that wallets and scripts are made with; see tests/clients/.
class Clients : public testing::TestWithParam<const char*> {};

TEST_P(Clients, SignInAndMakeUseAndRevokeKeys) {
  ASSERT_EQ(run_program({"node", "--version"}).code, 0) << "node is not installed; ops/test does that";
  const std::string library = GetParam();
  const auto profile = library == "siwe" ? 1u : library == "viem" ? 2u : 3u;
  const auto ran =
    run_program({"node", test::built::source + "/tests/clients/" + library + ".mjs"},
                {{"CREDENCE_URL", "http://127.0.0.1:" + std::to_string(shared().port())},
                 {"CREDENCE_ORIGIN", "http://127.0.0.1:8080"}, // what a server calls itself that was told nothing
                 {"CREDENCE_WALLET_KEY", std::string{persistence::demo_words::wallets[profile - 1].key}},
                 {"CREDENCE_TIP_RECEIVER", "profileId:" + std::to_string(profile + 3)}});
  EXPECT_EQ(ran.code, 0) << ran.err << "\nIn tests/clients: npm ci --ignore-scripts";
  EXPECT_EQ(ran.out, library + ": all is well\n");
}

INSTANTIATE_TEST_SUITE_P(Of, Clients, testing::Values("siwe", "viem", "ethers"),
                         [](const auto& row) { return std::string{row.param}; });

} // namespace
} // namespace credence::test
