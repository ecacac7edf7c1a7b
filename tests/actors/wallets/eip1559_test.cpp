#include "actors/wallets/eip1559.hpp"

#include "actors/domain/hash.hpp"

#include <gtest/gtest.h>

#include <span>
#include <stdexcept>

namespace credence::wallets {
namespace {

std::string hex(std::span<const std::byte> bytes) {
  std::string out;
  append_hex(out, bytes);
  return out;
}
std::string hex(const std::string& bytes) { return hex(std::as_bytes(std::span{bytes})); }

std::array<std::byte, 32> scalar(std::string_view digits) {
  std::array<std::byte, 32> out{};
  EXPECT_TRUE(decode_hex(digits, out));
  return out;
}

/// Made and signed by viem 2.57 and by ethers 6.17 with the key 0x4646…46.
unsigned_transaction transfer() {
  unsigned_transaction out;
  out.chain_id = 8453;
  out.nonce = 9;
  out.max_priority_fee = *parse_wei("1000000000");
  out.max_fee = *parse_wei("20000000000");
  out.gas_limit = 21000;
  out.to = parse_address("0x3535353535353535353535353535353535353535");
  out.value = *parse_wei("1000000000000000000");
  return out;
}
key_signature signature() {
  return {scalar("a88a97a62984adfd77937dcb54250e0e0ca50d95f62a2b4d512f1f11bbc60e46"),
          scalar("456cfe42a07bdc63f6437305673886547a7f2e4c014fa308c5670c3fb3ae55b7"), 1};
}
constexpr auto signed_hex =
  "02f87582210509843b9aca008504a817c800825208943535353535353535353535353535353535353535880de0b6b3a764000080c001a0"
  "a88a97a62984adfd77937dcb54250e0e0ca50d95f62a2b4d512f1f11bbc60e46a0"
  "456cfe42a07bdc63f6437305673886547a7f2e4c014fa308c5670c3fb3ae55b7";

TEST(Eip1559, WritesWhatOtherLibrariesWrite) {
  EXPECT_EQ(hex(signing_bytes(transfer())),
            "02f282210509843b9aca008504a817c800825208943535353535353535353535353535353535353535880de0b6b3a764000080c0");
  EXPECT_EQ(hex(signed_bytes(transfer(), signature())), signed_hex);
  EXPECT_EQ(hex(transaction_hash(signed_bytes(transfer(), signature()))),
            "adbc5404e41c854e5b69c32461d5b9c99b0b4e37e9da91350d523110955e02e2");
}

TEST(Eip1559, WritesAContractsCreationOfNothing) {
  unsigned_transaction made;
  made.chain_id = 1;
  made.data = "\x60\x01";
  EXPECT_EQ(hex(signing_bytes(made)), "02cb01808080808080826001c0");
}

TEST(Eip1559, ReadsWhatItWrites) {
  auto made = transfer();
  made.data = std::string(100, '\xAB');
  const auto read = parse_transaction(signed_bytes(made, signature()));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->of, made);
  EXPECT_EQ(read->by.r, signature().r);
  EXPECT_EQ(read->by.s, signature().s);
  EXPECT_EQ(read->by.y_parity, 1);
}

TEST(Eip1559, RefusesWhatIsNoSignedTransactionOfThisKind) {
  const auto good = signed_bytes(transfer(), signature());
  ASSERT_TRUE(parse_transaction(good));
  EXPECT_FALSE(parse_transaction(""));
  EXPECT_FALSE(parse_transaction(signing_bytes(transfer()))) << "not signed";
  EXPECT_FALSE(parse_transaction(good + "x"));
  EXPECT_FALSE(parse_transaction("\x01" + good.substr(1))) << "another type";
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(parse_transaction(good.substr(0, size))) << size;
  auto other = signature();
  other.s = scalar("7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a1");
  EXPECT_FALSE(parse_transaction(signed_bytes(transfer(), other))) << "s above half the order (EIP-2)";
  other = signature();
  other.r = {};
  EXPECT_FALSE(parse_transaction(signed_bytes(transfer(), other)));
}

TEST(Eip1559, CostsTheWholeGasAtTheHighestFeeAndTheValue) {
  EXPECT_EQ(cost_at_most(transfer()), *parse_wei("1000420000000000000"));
  auto endless = transfer();
  endless.max_fee = std::numeric_limits<uint256>::max();
  EXPECT_THROW(cost_at_most(endless), std::runtime_error);
}

} // namespace
} // namespace credence::wallets
