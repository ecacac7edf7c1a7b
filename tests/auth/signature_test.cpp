#include "auth/address.hpp"
#include "auth/signature.hpp"
#include "tests/auth/vectors.hpp"
#include "tests/auth/wallet.hpp"
#include "tests/there.hpp"
#include "tests/waiting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <unordered_set>
#include <vector>

namespace credence::auth {
namespace {

const std::string order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
const std::string half_order = "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0";
const std::string above_half = "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a1";
const std::string below_order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140";
const std::string zero(64, '0');
const std::string scalar_one = std::string(63, '0') + "1";

std::string hex(std::string_view bytes) {
  std::string out;
  append_hex(out, std::as_bytes(std::span{bytes}));
  return out;
}

std::string bytes(std::string_view digits) {
  std::string out(digits.size() / 2, '\0');
  EXPECT_TRUE(decode_hex(digits, std::as_writable_bytes(std::span{out}))) << digits;
  return out;
}

digest hash_of(std::string_view digits) { return sha256(bytes(digits)); }

TEST(Signature, IsHashedAsWalletsDo) {
  const auto hash = personal_message_hash("hello");
  EXPECT_EQ(hex({reinterpret_cast<const char*>(hash.data()), hash.size()}),
            "50b2c43fd39106bafbba0da34fc430e1f91e3c96ea2acee2bc34119f92b37750");
}

TEST(Signature, NamesItsSigner) {
  const wallet alice{"alice"};
  for (const auto& message :
       {std::string{}, std::string{"hello"}, std::string{"line\nline"}, std::string(10000, 'x')}) {
    const auto text = alice.sign(message);
    const auto read = parse_signature(text);
    ASSERT_TRUE(read) << text;
    const auto signer = test::there(recover_signer(personal_message_hash(message), *read));
    EXPECT_EQ(*signer, alice.account());
    const auto of_another = recover_signer(personal_message_hash(message + "."), *read);
    EXPECT_FALSE(of_another && *of_another == alice.account()) << "one byte more is another message";
  }
}

TEST(Signature, HasItsLastByteWrittenInTwoWays) {
  const wallet alice{"alice"};
  auto text = alice.sign("hello");
  const auto v = text.substr(130);
  ASSERT_TRUE(v == "1b" || v == "1c");
  text.replace(130, 2, v == "1b" ? "00" : "01");
  EXPECT_EQ(*recover_signer(personal_message_hash("hello"), *parse_signature(text)), alice.account());
  text.replace(130, 2, v == "1b" ? "1C" : "1B");
  const auto signer = recover_signer(personal_message_hash("hello"), *parse_signature(text));
  EXPECT_FALSE(signer && *signer == alice.account()) << "the other parity is another key";
}

TEST(Signature, RefusalsSayWhatIsWrong) {
  using enum signature_error;
  const auto good = wallet{"alice"}.sign("hello");
  const auto with = [](const std::string& r, const std::string& s, const std::string& v) { return "0x" + r + s + v; };
  struct row {
    std::string text;
    signature_error why;
  };
  std::vector<row> rows{
    {"", wrong_length},
    {"0x", wrong_length},
    {good.substr(0, 131), wrong_length},
    {good + "0", wrong_length},
    {good.substr(2), wrong_length},
    {good.substr(0, 130), wrong_length},
    {good + good.substr(2), wrong_length},
    {"0X" + good.substr(2), not_hex},
    {"00" + good.substr(2), not_hex},
    {good.substr(0, 131) + "g", not_hex},
    {good.substr(0, 131) + " ", not_hex},
    {good.substr(0, 131) + "\n", not_hex},
    {"0x" + std::string(130, '\0'), not_hex},
    {"0x" + std::string(130, '\xC3'), not_hex},
    {with(zero, scalar_one, "1b"), r_out_of_range},
    {with(order, scalar_one, "1b"), r_out_of_range},
    {with(std::string(64, 'f'), scalar_one, "1b"), r_out_of_range},
    {with(scalar_one, zero, "1b"), s_out_of_range},
    {with(scalar_one, order, "1b"), s_out_of_range},
    {with(scalar_one, std::string(64, 'F'), "1b"), s_out_of_range},
    {with(scalar_one, above_half, "1b"), high_s},
    {with(scalar_one, below_order, "1c"), high_s},
  };
  for (int v = 0; v < 256; ++v)
    if (v != 0 && v != 1 && v != 27 && v != 28)
      rows.push_back({with(scalar_one, scalar_one, hex({reinterpret_cast<const char*>(&v), 1})), wrong_v});
  for (const auto& [text, why] : rows) {
    const auto answer = parse_signature(text);
    ASSERT_FALSE(answer) << text;
    EXPECT_EQ(answer.why(), why) << text;
    EXPECT_FALSE(explain(answer.why()).empty());
  }
  EXPECT_TRUE(parse_signature(with(below_order, half_order, "1b"))) << "the greatest r and s that there are";
  EXPECT_TRUE(parse_signature(with(scalar_one, scalar_one, "00"))) << "and the least";
}

TEST(Signature, OfNoKeyNamesNoSigner) {
  // No point of the curve has 5 as its x.
  const auto read = test::there(parse_signature("0x" + std::string(63, '0') + "5" + scalar_one + "1b"));
  const auto signer = recover_signer(personal_message_hash("hello"), *read);
  ASSERT_FALSE(signer);
  EXPECT_EQ(signer.why(), signature_error::no_signer);
}

TEST(Signature, IsCheckedFromManyThreadsAtOnce) {
  const wallet alice{"alice"};
  const auto read = *parse_signature(alice.sign("hello"));
  std::atomic<int> right{0};
  test::at_once(4, [&] {
    for (int k = 0; k < 20; ++k)
      right += *recover_signer(personal_message_hash("hello"), read) == alice.account();
  });
  EXPECT_EQ(right, 80);
}

// -- wycheproof: verification with a known key, here by recovering the signer ---------

/// Whom r and s name, for both values of v; refusals to read them are counted.
struct walked {
  std::set<address> signers;
  std::optional<signature_error> refused;
};

walked walk(const digest& hash, const std::array<std::byte, 32>& r, const std::array<std::byte, 32>& s) {
  walked out;
  for (const std::uint8_t v : {27, 28}) {
    const auto read = parse_signature(signature_text(r, s, v));
    if (!read) {
      out.refused = read.why();
      continue;
    }
    if (const auto signer = recover_signer(hash, *read))
      out.signers.insert(*signer);
  }
  return out;
}

address key_of(const rapidjson::Value& group) {
  return address_of_key(bytes(text_in(group["publicKey"], "uncompressed").substr(2)));
}

/// Whether the point is the one whose x is r + n. Ethereum's v has no value for that, and no
/// text is read as such a signature; a signer meets it once in 2^127 signatures.
bool exceeds_order(const digest& hash, const std::array<std::byte, 32>& r, const std::array<std::byte, 32>& s,
                   const address& key) {
  for (const std::uint8_t recovery_id : {2, 3})
    if (const auto signer = recover_signer(hash, {r, s, recovery_id}); signer && *signer == key)
      return true;
  return false;
}

struct tally {
  int accepted = 0, without_v = 0, refused = 0, not_expressible = 0;
};

void check_pair(const rapidjson::Value& test, const address& key, const std::array<std::byte, 32>& r,
                std::array<std::byte, 32> s, bool low_s_required, tally& count) {
  const auto hash = hash_of(text_in(test, "msg"));
  const auto id = test["tcId"].GetInt();
  auto found = walk(hash, r, s);
  if (text_in(test, "result") != "valid") {
    EXPECT_FALSE(found.signers.contains(key)) << id;
    ++count.refused;
    return;
  }
  if (found.refused == signature_error::high_s) { // valid by plain ECDSA; its low form must be
    EXPECT_FALSE(low_s_required) << id;
    EXPECT_TRUE(found.signers.empty()) << id;
    s = other_s(s);
    found = walk(hash, r, s);
  }
  EXPECT_FALSE(found.refused) << id;
  if (!found.signers.contains(key) && exceeds_order(hash, r, s, key)) {
    ++count.without_v;
    return;
  }
  EXPECT_TRUE(found.signers.contains(key)) << id << ' ' << text_in(test, "comment");
  ++count.accepted;
}

TEST(Signature, AgreesWithWycheproofsPairsOfRAndS) {
  CREDENCE_VECTORS(file, "secp256k1", "ecdsa_secp256k1_sha256_p1363_test.json");
  tally count;
  for (const auto& group : file["testGroups"].GetArray()) {
    const auto key = key_of(group);
    for (const auto& test : group["tests"].GetArray()) {
      const auto sig = text_in(test, "sig");
      if (sig.size() != 128) { // numbers of another length are no signature of ours
        EXPECT_EQ(text_in(test, "result"), "invalid");
        for (const auto* v : {"00", "1b", "1c"})
          EXPECT_FALSE(parse_signature("0x" + sig + v)) << test["tcId"].GetInt();
        ++count.not_expressible;
        continue;
      }
      std::array<std::byte, 32> r, s;
      ASSERT_TRUE(decode_hex(sig.substr(0, 64), r) && decode_hex(sig.substr(64), s));
      check_pair(test, key, r, s, false, count);
    }
  }
  EXPECT_EQ(count.accepted + count.without_v, 167);
  EXPECT_EQ(count.without_v, 2);
  EXPECT_EQ(count.refused, 67);
  EXPECT_EQ(count.not_expressible, 18);
}

/// An integer of strict DER with at most 32 bytes, taken from the front.
bool take_integer(std::string_view& der, std::array<std::byte, 32>& out) {
  if (der.size() < 3 || der[0] != 2)
    return false;
  const auto size = static_cast<unsigned char>(der[1]);
  if (size == 0 || size > 33 || der.size() < 2u + size)
    return false;
  auto number = der.substr(2, size);
  der.remove_prefix(2u + size);
  const auto negative = [](char c) { return (c & 0x80) != 0; };
  if (negative(number[0]) || (size > 1 && number[0] == 0 && !negative(number[1])))
    return false;
  if (number[0] == 0)
    number.remove_prefix(1);
  if (number.size() > 32)
    return false;
  out = {};
  std::copy(number.begin(), number.end(), reinterpret_cast<char*>(out.data()) + (32 - number.size()));
  return true;
}

bool decode_der(std::string_view der, std::array<std::byte, 32>& r, std::array<std::byte, 32>& s) {
  if (der.size() < 2 || der[0] != 0x30 || static_cast<unsigned char>(der[1]) != der.size() - 2)
    return false;
  der.remove_prefix(2);
  return take_integer(der, r) && take_integer(der, s) && der.empty();
}

TEST(Signature, AgreesWithWycheproofsSignaturesOfBitcoin) {
  CREDENCE_VECTORS(file, "secp256k1", "ecdsa_secp256k1_sha256_bitcoin_test.json");
  tally count;
  for (const auto& group : file["testGroups"].GetArray()) {
    const auto key = key_of(group);
    for (const auto& test : group["tests"].GetArray()) {
      std::array<std::byte, 32> r, s;
      if (!decode_der(bytes(text_in(test, "sig")), r, s)) {
        // Wrong as DER, or numbers beyond 32 bytes: 65 bytes cannot say either.
        EXPECT_EQ(text_in(test, "result"), "invalid") << test["tcId"].GetInt();
        ++count.not_expressible;
        continue;
      }
      check_pair(test, key, r, s, true, count);
    }
  }
  EXPECT_EQ(count.accepted + count.without_v, 162);
  EXPECT_EQ(count.without_v, 1);
  EXPECT_EQ(count.refused + count.not_expressible, 301);
  EXPECT_GE(count.refused, 50);
}

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

const std::string checksummed = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const std::string lower = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed";

TEST(Address, IsReadInAnyCaseAndWrittenInTwo) {
  for (const auto& text : {checksummed, lower, std::string{"0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED"}}) {
    const auto read = parse_address(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(lower_text(*read), lower);
    EXPECT_EQ(checksummed_text(*read), checksummed);
  }
  EXPECT_EQ(lower_text(address{}), "0x" + std::string(40, '0'));
}

TEST(Address, WithAChecksumIsReadInOneCaseOnly) {
  EXPECT_EQ(parse_checksummed_address(checksummed), parse_address(checksummed));
  for (std::size_t i = 2; i < checksummed.size(); ++i) {
    auto other = checksummed;
    if (other[i] <= '9')
      continue;
    other[i] ^= 0x20;
    EXPECT_FALSE(parse_checksummed_address(other)) << other;
    EXPECT_TRUE(parse_address(other)) << other;
  }
  EXPECT_FALSE(parse_checksummed_address(lower));
  EXPECT_TRUE(parse_checksummed_address("0x" + std::string(40, '0'))) << "digits have no case";
}

TEST(Address, RefusesEveryOtherText) {
  for (const auto& text : {std::string{}, std::string{"0x"}, lower.substr(2), "0X" + lower.substr(2), lower + "0",
                           lower.substr(0, 41), " " + lower, lower + "\n", "0x" + std::string(39, 'a') + "g",
                           "0x" + std::string(39, 'a') + "\xE9", std::string(42, '\0'), "1x" + lower.substr(2)}) {
    EXPECT_FALSE(parse_address(text)) << text;
    EXPECT_FALSE(parse_checksummed_address(text)) << text;
  }
}

TEST(Address, IsOrderedByItsBytesAndFoundByItsHash) {
  const auto low = *parse_address("0x00000000000000000000000000000000000000ff");
  const auto high = *parse_address("0x0100000000000000000000000000000000000000");
  EXPECT_LT(low, high);
  EXPECT_NE(low, high);
  const std::unordered_set<address> known{low, high, low};
  EXPECT_EQ(known.size(), 2u);
  EXPECT_TRUE(known.contains(*parse_address("0x00000000000000000000000000000000000000FF")));
}

TEST(Address, AgreesWithThePublishedChecksums) {
  CREDENCE_VECTORS(file, "eip55", "checksum.json");
  for (const auto& each : file["valid"].GetArray()) {
    const auto read = parse_checksummed_address(each.GetString());
    ASSERT_TRUE(read) << each.GetString();
    EXPECT_EQ(checksummed_text(*read), each.GetString());
  }
  for (const auto& each : file["invalid"].GetArray()) {
    EXPECT_FALSE(parse_checksummed_address(each.GetString())) << each.GetString();
    EXPECT_TRUE(parse_address(each.GetString())) << each.GetString();
  }
  for (const auto& each : file["lowercase"].GetArray()) {
    EXPECT_FALSE(parse_checksummed_address(each[0].GetString())) << each[0].GetString();
    EXPECT_EQ(checksummed_text(*parse_address(each[0].GetString())), each[1].GetString());
  }
  for (const auto& each : file["malformed"].GetArray())
    EXPECT_FALSE(parse_address(each.GetString())) << each.GetString();
  EXPECT_EQ(file["valid"].Size() + file["invalid"].Size() + file["lowercase"].Size() + file["malformed"].Size(), 22u);
}

/// Texts are kept by a part of the address: others of the same part are told apart.
TEST(Address, TextsOfAddressesThatShareTheirLastByteAreToldApart) {
  const auto one = parse_address("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed").value();
  auto other = one;
  other.bytes.front() = std::byte{0xab};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(checksummed_text(one), "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed");
    EXPECT_EQ(parse_address(checksummed_text(other)), other);
    EXPECT_EQ(parse_address(checksummed_text(address{})), address{});
  }
}

} // namespace
} // namespace credence::auth
