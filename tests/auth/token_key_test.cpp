#include "auth/token_key.hpp"

#include "auth/access_token.hpp"
#include "tests/scratch_directory.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace credence::auth {
namespace {

namespace fs = std::filesystem;

class TokenKey : public testing::Test {
protected:
  signing_keys read() const { return read_signing_keys({}, {}, dir); }

  const test::scratch_directory scratch{"keys"};
  const std::string dir = scratch.path().string();
};

TEST_F(TokenKey, IsMadeOnceAndReadableByItsOwnerAlone) {
  const auto first = read();
  EXPECT_EQ(first.now.reveal().size(), 64u);
  EXPECT_TRUE(first.older.empty());
  EXPECT_EQ(read().now.reveal(), first.now.reveal());
  struct stat about {};
  ASSERT_EQ(::stat((dir + "/token.key").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
}

TEST_F(TokenKey, OneOfAnEarlierReleaseGoesOn) {
  const std::string key(64, '7');
  std::ofstream{dir + "/token.key"} << key << "\n";
  fs::permissions(dir + "/token.key", fs::perms{0600});
  EXPECT_EQ(read().now.reveal(), key);
}

TEST_F(TokenKey, ANewOneSignsAndTheOldOnesAreKeptUntilTheyAreRetired) {
  const auto first = read().now.reveal();
  const auto id = rotate_signing_keys(dir);
  const auto both = read();
  EXPECT_EQ(signing_key_id(both.now), id);
  ASSERT_EQ(both.older.size(), 1u);
  EXPECT_EQ(both.older[0].reveal(), first);
  EXPECT_THROW(retire_signing_key(dir, id), std::runtime_error) << "the one that signs";
  EXPECT_THROW(retire_signing_key(dir, "unknown"), std::runtime_error);
  retire_signing_key(dir, signing_key_id(secret{first}));
  EXPECT_TRUE(read().older.empty());
  EXPECT_EQ(signing_key_id(read().now), id);
}

TEST_F(TokenKey, FourAreTheMost) {
  read();
  for (std::size_t i = 1; i < signing_keys_max; ++i)
    rotate_signing_keys(dir);
  EXPECT_EQ(read().older.size(), signing_keys_max - 1);
  EXPECT_THROW(rotate_signing_keys(dir), std::runtime_error);
}

TEST_F(TokenKey, IsRefusedWhereOthersMayReadItOrItIsShort) {
  read();
  fs::permissions(dir + "/token.key", fs::perms{0640});
  EXPECT_THROW(read(), std::runtime_error);
  fs::permissions(dir + "/token.key", fs::perms{0600});
  std::ofstream{dir + "/token.key", std::ios::app} << "short\n";
  EXPECT_THROW(read(), std::runtime_error);
  EXPECT_THROW(read_signing_keys(secret{"short"}, {}, dir), std::runtime_error);
  EXPECT_THROW(read_signing_keys(secret{std::string(32, 'a')}, secret{"short"}, dir), std::runtime_error);
}

} // namespace
} // namespace credence::auth
