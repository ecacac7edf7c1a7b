#include "ops/demo/words.hpp"
#include "tests/system/partner_page.hpp"

namespace credence::test {
namespace {

service& shared() {
  return shared_service([](service& one) { one.start(); });
}

/// A script of tests/clients/, with the wallet of a profile of the demo.
finished ran_by(unsigned profile, const std::string& program, const std::string& script) {
  return run_program({program, test::built::source + "/tests/clients/" + script},
                     {{"CREDENCE_URL", "http://127.0.0.1:" + std::to_string(shared().port())},
                      {"CREDENCE_ORIGIN", "http://127.0.0.1:8080"}, // what a server calls itself that was told nothing
                      {"CREDENCE_WALLET_KEY", std::string{persistence::demo_words::wallets[profile - 1].key}},
                      {"CREDENCE_TIP_RECEIVER", "profileId:" + std::to_string(profile + 3)}});
}

/// Clients with the libraries that wallets and scripts are made with; see tests/clients/.
class Clients : public testing::TestWithParam<const char*> {};

TEST_P(Clients, SignInAndMakeUseAndRevokeKeys) {
  ASSERT_EQ(run_program({"node", "--version"}).code, 0) << "node is not installed; ops/test does that";
  const std::string library = GetParam();
  const auto ran = ran_by(library == "siwe" ? 1 : library == "viem" ? 2 : 3, "node", library + ".mjs");
  EXPECT_EQ(ran.code, 0) << ran.err << "\nIn tests/clients: npm ci --ignore-scripts";
  EXPECT_EQ(ran.out, library + ": all is well\n");
}

INSTANTIATE_TEST_SUITE_P(Of, Clients, testing::Values("siwe", "viem", "ethers"),
                         [](const auto& row) { return std::string{row.param}; });

/// The packages of http/clients/, each made, installed and used as somebody would who has nothing but them.
class ClientPackages : public testing::TestWithParam<const char*> {};

TEST_P(ClientPackages, AreMadeInstalledAndHaveOneEffectForEachAct) {
  const std::string script = GetParam();
  const auto ran = script.ends_with(".py") ? ran_by(4, "python3", script) : ran_by(5, "node", script);
  EXPECT_EQ(ran.code, 0) << ran.err << "\nIn tests/clients and http/clients/typescript: npm ci --ignore-scripts";
  EXPECT_EQ(ran.out, "packed: all is well\n");
}

INSTANTIATE_TEST_SUITE_P(Of, ClientPackages, testing::Values("packed.mjs", "packed.py"), [](const auto& row) {
  return std::string{row.param}.ends_with(".py") ? "Python" : "TypeScript";
});

/// The example of docs/partners/ in a real browser, which decides on cookies and preflights; see
/// tests/clients/partners.mjs.
TEST(PartnersInABrowser, SignInActAndAreRefusedElsewhere) {
  constexpr int profile = 1;
  service server;
  const auto url = "http://127.0.0.1:" + std::to_string(server.port());
  const held_port page; // where the partner's page is served
  server.start({"--public-url", url, "--wallets-partner-origins", "http://localhost:" + std::to_string(page.number())});
  const auto ran = run_program({"node", test::built::source + "/tests/clients/partners.mjs"},
                               {{"CREDENCE_URL", url},
                                {"CREDENCE_TOKEN", fresh_token(server, profile)},
                                {"CREDENCE_PROFILE", std::to_string(profile)},
                                {"CREDENCE_WALLET_KEY", std::string{persistence::demo_words::wallets[profile - 1].key}},
                                {"CREDENCE_PARTNER_PORT", std::to_string(page.number())}});
  EXPECT_EQ(ran.code, 0) << ran.err << "\nIn tests/clients: npm ci --ignore-scripts";
  EXPECT_EQ(ran.out, "partners: all is well\n");
}

} // namespace
} // namespace credence::test
