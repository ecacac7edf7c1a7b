#include "http/server/request.hpp"

#include <gtest/gtest.h>

#include <set>

namespace credence::http {
namespace {

TEST(RequestId, TakesWhatIsSafeInHeadersAndLogs) {
  for (const std::string good : {"a", "A-Z_0.9", "00000000-0000-4000-8000-000000000000"})
    EXPECT_TRUE(good_request_id(good)) << good;
  EXPECT_TRUE(good_request_id(std::string(128, 'x')));
  EXPECT_FALSE(good_request_id(std::string(129, 'x')));
  for (const auto* bad : {"", " ", "a b", "a\r\nb", "a\"b", "a/b", "ä", "a,b"})
    EXPECT_FALSE(good_request_id(bad)) << bad;
}

TEST(RequestId, MakesIdsThatAreGoodAndNeverTheSame) {
  request_ids one, other;
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i)
    for (auto* each : {&one, &other}) {
      std::string id;
      each->append(id);
      EXPECT_TRUE(good_request_id(id)) << id;
      EXPECT_TRUE(seen.insert(id).second) << id;
    }
}

} // namespace
} // namespace credence::http
