#include "http/server/packer.hpp"

#include "tests/http/server/unpacked.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace credence::http {
namespace {

using namespace std::chrono_literals;
using test::unpacked;

constexpr steady_time start{1h};

std::string rows(std::size_t bytes) {
  std::string out;
  for (int row = 0; out.size() < bytes; ++row)
    out.append(R"({"profileId":)").append(std::to_string(row)).append(R"(,"status":"ACTIVE"},)");
  out.resize(bytes);
  return out;
}

TEST(Packer, PacksOneTextAfterTheOther) {
  packer packs;
  for (const auto size : {packer::bytes_min, std::size_t{10'000}, std::size_t{300'000}, packer::bytes_min}) {
    const auto text = rows(size);
    const auto packed = packs.pack(text, start);
    ASSERT_TRUE(packed) << size;
    EXPECT_LT(packed->size() * 2, size);
    EXPECT_EQ(unpacked(*packed), text);
  }
}

TEST(Packer, LeavesWhatWouldNotPay) {
  packer packs;
  EXPECT_FALSE(packs.pack(rows(packer::bytes_min - 1), start));
  EXPECT_FALSE(packs.pack(rows(packer::bytes_max + 1), start));
  std::mt19937 chance{7};
  std::string noise(5000, '\0');
  for (auto& each : noise)
    each = static_cast<char>(chance());
  EXPECT_FALSE(packs.pack(noise, start)) << "it would become larger";
  EXPECT_TRUE(packs.pack(rows(5000), start)) << "which spoils nothing";
}

TEST(Packer, PacksOnlySoMuchWithinASecond) {
  packer packs;
  const auto text = rows(packer::bytes_max);
  for (std::size_t i = 0; i < packer::bytes_per_second_max / packer::bytes_max; ++i)
    EXPECT_TRUE(packs.pack(text, start)) << i;
  EXPECT_FALSE(packs.pack(text, start + 999ms));
  EXPECT_TRUE(packs.pack(text, start + 1s));
}

} // namespace
} // namespace credence::http
