#include "actors/domain/hash.hpp"
#include "auth/digest.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace credence::auth {
namespace {

std::string text_of(const digest& of) {
  std::string out;
  append_hex(out, of);
  return out;
}

TEST(Digest, IsThatOfTheStandard) {
  // FIPS 180-4, as in its examples.
  EXPECT_EQ(text_of(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(text_of(sha256({})), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(text_of(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Digest, WithAKeyIsThatOfTheStandard) {
  const std::string long_key(131, '\xaa');
  struct row {
    std::string_view key, bytes, mac;
  };
  // RFC 4231, 4.2, 4.3 and 4.7; those without a key as two other programs have them.
  const row rows[] = {
    {"\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b", "Hi There",
     "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
    {"Jefe", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
    {"", "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"},
    {"", "what do ya want for nothing?", "76d9e7194e7dbc3aa00bbe8ffb9f6fcb5a932170f971f948bb2ab61607d2b9d6"},
    {long_key, "Test Using Larger Than Block-Size Key - Hash Key First",
     "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
  };
  for (const auto& each : rows)
    EXPECT_EQ(text_of(hmac_sha256(each.key, each.bytes)), each.mac) << each.bytes;
}

} // namespace
} // namespace credence::auth
