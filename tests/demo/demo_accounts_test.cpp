#include "tests/demo/demo_fixture.hpp"

#include <gtest/gtest.h>

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/obj_mac.h>

#include <array>
#include <memory>
#include <span>

namespace credence::persistence {
namespace {

using test::number_from;

std::string hex(std::span<const std::byte> bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (const auto b : bytes) {
    out += digits[static_cast<unsigned>(b) >> 4];
    out += digits[static_cast<unsigned>(b) & 15];
  }
  return out;
}

/// The Ethereum address of a private key, with the capitals of EIP-55.
std::string address_of(const std::string& private_key) {
  const std::unique_ptr<EC_GROUP, decltype(&EC_GROUP_free)> curve{EC_GROUP_new_by_curve_name(NID_secp256k1),
                                                                  &EC_GROUP_free};
  BIGNUM* parsed = nullptr;
  BN_hex2bn(&parsed, private_key.c_str() + 2);
  const std::unique_ptr<BIGNUM, decltype(&BN_free)> key{parsed, &BN_free};
  const std::unique_ptr<EC_POINT, decltype(&EC_POINT_free)> point{EC_POINT_new(curve.get()), &EC_POINT_free};
  std::array<unsigned char, 65> encoded{};
  if (EC_POINT_mul(curve.get(), point.get(), key.get(), nullptr, nullptr, nullptr) != 1
      || EC_POINT_point2oct(curve.get(), point.get(), POINT_CONVERSION_UNCOMPRESSED, encoded.data(), encoded.size(),
                            nullptr)
           != encoded.size())
    return "no point";
  const auto hashed = auth::keccak256({reinterpret_cast<const char*>(encoded.data()) + 1, 64});
  auto address = hex(std::span{hashed}.last(20));
  const auto capitals = hex(auth::keccak256(address));
  for (std::size_t i = 0; i < address.size(); ++i)
    if (capitals[i] >= '8' && address[i] >= 'a')
      address[i] = static_cast<char>(address[i] - 32);
  return "0x" + address;
}

TEST(DemoAccounts, OwnTheWellKnownDevelopmentWallets) {
  const auto accounts = demo_accounts(500);
  ASSERT_EQ(accounts.size(), 10u);
  EXPECT_EQ(accounts[0].address, "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
  auto on = test::look_into(demo());
  for (const auto& each : accounts) {
    EXPECT_EQ(address_of(each.private_key), each.address);
    const auto stored =
      on.exec_params("SELECT encode(a.address, 'hex') AS hex FROM addresses a JOIN profiles p USING (user_id)"
                     " WHERE p.id = $1::int4 ORDER BY a.kind = 'primary'",
                     parameters{}.int4(each.profile.value), deadline_in(in_time));
    ASSERT_EQ(stored.count(), 2);
    const column<std::string> hex{stored, "hex"};
    EXPECT_EQ("0x" + hex[0], each.embedded_wallet);
    EXPECT_EQ("address:0x" + hex[1], each.userkeys[1]);
  }
}

TEST(DemoAccounts, HaveAccountsElsewhereWithTheHashesOfTheChain) {
  auto on = test::look_into(demo());
  for (const auto& each : demo_accounts(500)) {
    const auto stored = on.exec_params("SELECT service, account, hash FROM attestations WHERE profile_id = $1::int4"
                                       " ORDER BY service DESC",
                                       parameters{}.int4(each.profile.value), deadline_in(in_time));
    ASSERT_EQ(stored.count(), 2);
    const column<std::string> service{stored, "service"};
    const column<std::string> account{stored, "account"};
    const column<std::array<std::byte, 32>> hash{stored, "hash"};
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ("service:" + service[i] + ":" + account[i], each.userkeys[static_cast<std::size_t>(2 + i)]);
      EXPECT_EQ(hash[i], auth::attestation_hash(service[i], account[i]));
    }
  }
}

TEST(DemoAccounts, MayDoWhatTheyAreForAndNoMore) {
  auto on = test::look_into(demo());
  for (const auto& each : demo_accounts(500)) {
    const auto id = each.profile.value;
    const auto stored =
      on.exec_params("SELECT p.api_access, a.balance, u.username, u.display_name, p.archived FROM profiles p"
                     " JOIN xp_accounts a ON a.profile_id = p.id"
                     " JOIN users u ON u.id = p.user_id WHERE p.id = $1::int4",
                     parameters{}.int4(id), deadline_in(in_time));
    EXPECT_EQ(stored.first<bool>("api_access"), id != 9);
    EXPECT_EQ(each.api_access, id != 9);
    EXPECT_EQ(stored.first<std::int64_t>("balance"), id == 10 ? 50 : 5000);
    EXPECT_EQ(each.xp, stored.first<std::int64_t>("balance"));
    EXPECT_EQ(stored.first<std::string>("username"), each.username);
    EXPECT_EQ(stored.first<std::string>("display_name"), each.name);
    EXPECT_FALSE(stored.first<bool>("archived"));
    EXPECT_EQ(each.admin, id == 1);
  }
}

TEST(DemoAccounts, HaveNotVotedYetInTheOpenPeriod) {
  EXPECT_EQ(number_from(demo(), "SELECT count(*) FROM votes JOIN voting_periods p ON p.id = period_id"
                                " WHERE closed_at IS NULL AND voter_id <= 10"),
            0);
  EXPECT_GT(number_from(demo(), "SELECT count(*) FROM votes WHERE voter_id <= 10"), 0);
}

TEST(DemoAccounts, AreFewerWhenThereAreFewerProfiles) { EXPECT_EQ(demo_accounts(3).size(), 3u); }

} // namespace
} // namespace credence::persistence
