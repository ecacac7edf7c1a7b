#include "ops/demo/words.hpp"
#include "tests/build_paths.hpp"
#include "tests/system/held_port.hpp"
#include "tests/system/partner_page.hpp"

#include <gtest/gtest.h>

#include <string>

namespace credence::test {
namespace {

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
