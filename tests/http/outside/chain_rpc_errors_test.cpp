#include "http/outside/chain_rpc.hpp"
#include "tests/http/outside/range_refusals.hpp"

#include <gtest/gtest.h>

namespace credence::http {
namespace {

TEST(ChainRpcErrors, KnowWhatProvidersSayOfRangesThatAreTooLarge) {
  for (const auto& [code, text] : test::range_refusals)
    EXPECT_EQ(trouble_with_logs({code, text, {}}), rpc_trouble::range_too_large) << code << " " << text;
  EXPECT_EQ(trouble_of({-32602, "invalid params", {}}), rpc_trouble::other)
    << "of other methods no range can be too large";
}

TEST(ChainRpcErrors, TellOtherTroubleApart) {
  const std::tuple<std::int64_t, const char*, rpc_trouble> rows[]{
    {-32005, "daily request count exceeded, request rate limited", rpc_trouble::rate_limited},
    {429, "", rpc_trouble::rate_limited},
    {-32016, "over rate limit", rpc_trouble::rate_limited},
    {-32000, "unknown block", rpc_trouble::unknown_block},
    {-32001, "Unknown block", rpc_trouble::unknown_block},
    {-32602, "block not found: hash 0xab", rpc_trouble::unknown_block},
    {-32000, "header not found", rpc_trouble::unknown_block},
    {-32601, "", rpc_trouble::not_supported},
    {-32601, "the method eth_getBlockReceipts does not exist/is not available", rpc_trouble::not_supported},
    {3, "execution reverted: no", rpc_trouble::reverted},
    {-32000, "execution reverted", rpc_trouble::reverted},
    {-32000, "internal error", rpc_trouble::other},
    {-32603, "no backend is currently healthy to serve traffic", rpc_trouble::other},
  };
  for (const auto& [code, text, trouble] : rows) {
    EXPECT_EQ(trouble_with_logs({code, text, {}}), trouble) << code << " " << text;
    EXPECT_EQ(trouble_of({code, text, {}}), trouble) << code << " " << text;
  }
}

TEST(ChainRpcErrors, FindTheRangeThatIsSuggested) {
  using range = chain::block_range;
  EXPECT_EQ(suggested_range("Try with this block range [0x1000, 0x10ff]."), (range{0x1000, 0x10ff}));
  EXPECT_EQ(suggested_range("this block range should work: [0x0, 0xA]"), (range{0, 10}));
  EXPECT_EQ(suggested_range("retry with the range 24200000-24200100"), (range{24200000, 24200100}));
  EXPECT_EQ(suggested_range("up to a 2K block range or 10K logs. This block range should work: [0x1,0x2]"),
            (range{1, 2}));
  for (const auto* text : {"", "range", "block range too large", "eth_getLogs is limited to a 10,000 range",
                           "range limited to 1,024 blocks", "the range [0x1, 0xg]", "from 1 to 2",
                           "range 99999999999999999999-1", "range: 6001, max: 5000", "range 2.1-3"})
    EXPECT_FALSE(suggested_range(text)) << text;
}

} // namespace
} // namespace credence::http
