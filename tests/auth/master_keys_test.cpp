#include "tests/auth/master_key.hpp"

#include "tests/scratch_directory.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace credence::auth {
namespace {

namespace fs = std::filesystem;

class MasterKeys : public testing::Test {
protected:
  std::string file(const std::string& content, unsigned mode = 0600) const {
    const auto path = dir + "/key" + std::to_string(count++);
    std::ofstream{path} << content;
    ::chmod(path.c_str(), mode);
    return path;
  }
  static settings::wallet_keys in_file(const std::string& path) {
    settings::wallet_keys out;
    out.master_key_file = path;
    return out;
  }
  /// What reading these settings says is wrong; empty: nothing.
  static std::string flaw(const settings::wallet_keys& with) {
    try {
      read_master_keys(with);
      return {};
    } catch (const std::runtime_error& why) {
      return why.what();
    }
  }

  const test::scratch_directory scratch{"master"};
  const std::string dir = scratch.path().string();
  mutable int count = 0;
};

bool says(const std::string& flaw, const char* part) { return flaw.find(part) != std::string::npos; }

TEST_F(MasterKeys, AreReadFromAFileOrFromText) {
  const auto of_file = read_master_keys(in_file(file(master_hex('a') + "\n")));
  settings::wallet_keys with;
  with.master_key = secret{master_hex('a')};
  const auto of_text = read_master_keys(with);
  EXPECT_EQ(of_file.now().version(), 1);
  EXPECT_EQ(of_file.now().fingerprint(), of_text.now().fingerprint());
  EXPECT_NE(of_file.now().fingerprint(), master(1, 'b').fingerprint());
  EXPECT_EQ(flaw(in_file(file(master_hex('a'), 0400))), "");
}

TEST_F(MasterKeys, AFileThatOthersMayReadIsRefused) {
  for (const unsigned mode : {0640u, 0604u, 0644u, 0660u, 0666u, 0610u, 0700u})
    EXPECT_TRUE(says(flaw(in_file(file(master_hex('a'), mode))), "chmod 600")) << std::oct << mode;
  EXPECT_TRUE(says(flaw(in_file(dir)), "regular file"));
  EXPECT_TRUE(says(flaw(in_file(dir + "/none")), "No such file"));
}

TEST_F(MasterKeys, WhatIsNoKeyIsRefusedAndNeverRepeated) {
  for (const auto& text :
       {std::string{}, master_hex('a').substr(1), master_hex('a') + "0", master_hex('g'),
        "0x" + master_hex('a').substr(2), master_hex('a') + "\n" + master_hex('b'), std::string(5000, 'a')}) {
    const auto wrong = flaw(in_file(file(text)));
    EXPECT_TRUE(says(wrong, "openssl rand -hex 32")) << wrong;
    if (text.size() > 20) {
      EXPECT_FALSE(says(wrong, text.substr(2, 18).c_str())) << "a message must not repeat what may be a key";
    }
  }
  EXPECT_TRUE(says(flaw(in_file(file(std::string(64, '0')))), "one byte repeated"));
}

TEST_F(MasterKeys, TheOneBeforeIsOfTheVersionBefore) {
  auto with = in_file(file(master_hex('b')));
  with.master_version = 3;
  with.master_key_before_file = file(master_hex('a'));
  const auto both = read_master_keys(with);
  EXPECT_EQ(both.now().version(), 3);
  ASSERT_TRUE(both.of(2));
  EXPECT_EQ(both.of(2)->fingerprint(), master(2, 'a').fingerprint());
  EXPECT_FALSE(both.of(1));
  EXPECT_EQ(both.named(),
            "3 (" + hex_of(both.now().fingerprint()) + ") and 2 (" + hex_of(both.of(2)->fingerprint()) + ")");
  with.master_version = 1;
  EXPECT_TRUE(says(flaw(with), "at least 2"));
  with.master_version = 2;
  with.master_key_before_file = file(master_hex('b'));
  EXPECT_TRUE(says(flaw(with), "the same key"));
}

TEST_F(MasterKeys, OneKeyHasOnePlace) {
  auto with = in_file(file(master_hex('a')));
  with.master_key = secret{master_hex('a')};
  EXPECT_TRUE(says(flaw(with), "both set"));
  EXPECT_TRUE(says(flaw({}), "there is no master key"));
}

} // namespace
} // namespace credence::auth
