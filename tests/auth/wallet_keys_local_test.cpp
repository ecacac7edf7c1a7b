#include "auth/wallet_keys_local.hpp"

#include "actors/wallets/eip1559.hpp"
#include "auth/signature.hpp"
#include "tests/actors/wallets/signed_transaction.hpp"
#include "tests/auth/master_key.hpp"
#include "tests/build_paths.hpp"
#include "tests/process.hpp"
#include "tests/scratch_directory.hpp"
#include "tests/there.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <random>
#include <set>
#include <sstream>

namespace credence::auth {
namespace {

using wallets::key_error;
using wallets::key_signature;

std::string hex(std::span<const std::byte> bytes) {
  std::string out;
  append_hex(out, bytes);
  return out;
}
std::string hex(const std::string& bytes) { return hex(std::as_bytes(std::span{bytes})); }

std::array<std::byte, 32> bytes32(std::string_view digits) {
  std::array<std::byte, 32> out{};
  EXPECT_TRUE(decode_hex(digits, out)) << digits;
  return out;
}

std::optional<key_error> error_of(const std::function<void()>& what) {
  try {
    what();
    return std::nullopt;
  } catch (const key_error& why) {
    return why;
  }
}

address signer_of(const digest32& hash, const key_signature& made) {
  const auto found = recover_signer(hash, {made.r, made.s, made.y_parity});
  return found ? *found : address{};
}

struct WalletKeys : testing::Test {
  wallet_keys_local keys{master_keys{master(1, 'a')}};
};

const digest32 some_hash = bytes32("a0dc65ffca799873cbea0ac274015b9526505daaaed385155425f7337704883e");

TEST_F(WalletKeys, AKeyThatWasMadeSignsForItsAddress) {
  std::set<std::string> addresses, sealed;
  for (std::int64_t wallet = 1; wallet <= 20; ++wallet) {
    const auto made = keys.make(wallet);
    EXPECT_EQ(made.key.master_version, 1);
    EXPECT_EQ(signer_of(some_hash, keys.sign(wallet, made.key, some_hash)), made.at);
    addresses.insert(lower_text(made.at));
    sealed.insert(made.key.bytes);
  }
  EXPECT_EQ(addresses.size(), 20u);
  EXPECT_EQ(sealed.size(), 20u);
}

struct vector {
  const char* key;
  const char* hash;
  const char* r;
  const char* s;
  std::uint8_t y_parity;
};
/// Deterministic nonces (RFC 6979) with SHA-256 over secp256k1, as published for Bitcoin ("Satoshi Nakamoto", "Alan
/// Turing", …); ethers 6.17 makes the same.
constexpr vector vectors[] = {
  {"0000000000000000000000000000000000000000000000000000000000000001",
   "a0dc65ffca799873cbea0ac274015b9526505daaaed385155425f7337704883e",
   "934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8",
   "2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5", 1},
  {"0000000000000000000000000000000000000000000000000000000000000001",
   "7d1833f54854ac51659521afcd0ec6dca2ce2351429614bfa28a756b1b3c637f",
   "8600dbd41e348fe5c9465ab92d23e3db8b98b873beecd930736488696438cb6b",
   "547fe64427496db33bf66019dacbf0039c04199abb0122918601db38a72cfc21", 0},
  {"fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140",
   "a0dc65ffca799873cbea0ac274015b9526505daaaed385155425f7337704883e",
   "fd567d121db66e382991534ada77a6bd3106f0a1098c231e47993447cd6af2d0",
   "6b39cd0eb1bc8603e159ef5c20a5c8ad685a45b06ce9bebed3f153d10d93bed5", 0},
  {"f8b8af8ce3c7cca5e300d33939540c10d45ce001b8f252bfbc57ba0342904181",
   "4ba38d48a60f1b29e9eb726eaff08b2e83d8d81e031666fee50e85900d7dc1ef",
   "7063ae83e7f62bbb171798131b4a0564b956930092b33b07b395615d9ec7e15c",
   "58dfcc1e00a35e1572f366ffe34ba0fc47db1e7189759b9fb233c5b05ab388ea", 0},
  {"e91671c46231f833a6406ccbea0e3e392c76c167bac1cb013f6f1013980455c2",
   "1609a53bb33ef00e0cc1e784b436d7924956d87ec2b399574378312f07cba3e8",
   "b552edd27580141f3b2a5463048cb7cd3e047b97c9f98076c32dbdf85a68718b",
   "279fa72dd19bfae05577e06c7c0c1900c371fcd5893f7e1d56a37d30174671f6", 1},
};

TEST_F(WalletKeys, SignaturesAreThoseOfRfc6979) {
  for (const auto& each : vectors) {
    const auto sealed = keys.seal(7, bytes32(each.key)).key;
    const auto made = keys.sign(7, sealed, bytes32(each.hash));
    EXPECT_EQ(hex(made.r), each.r) << each.key;
    EXPECT_EQ(hex(made.s), each.s) << each.key;
    EXPECT_EQ(made.y_parity, each.y_parity) << each.key;
  }
}

TEST_F(WalletKeys, WhatIsNoPrivateKeyIsRefused) {
  for (const auto* bad : {"0000000000000000000000000000000000000000000000000000000000000000",
                          "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"})
    EXPECT_TRUE(error_of([&] { keys.seal(7, bytes32(bad)); })) << bad;
}

TEST_F(WalletKeys, AKeyInAnotherWalletsRowDoesNotOpen) {
  const auto one = keys.make(7).key, two = keys.make(8).key;
  const auto swapped = test::there(error_of([&] { keys.sign(8, one, some_hash); }));
  EXPECT_EQ(swapped->why(), key_error::cause::damaged);
  // Half of it swapped: the data key of one wallet, the private key of the other.
  const auto half = one.bytes.size() / 2 + 5;
  for (const auto& [wallet, mixed] : {std::pair{7, one.bytes.substr(0, half) + two.bytes.substr(half)},
                                      std::pair{8, one.bytes.substr(0, half) + two.bytes.substr(half)}})
    EXPECT_TRUE(error_of([&, of = wallet, bytes = mixed] { keys.sign(of, {1, bytes}, some_hash); })) << wallet;
}

TEST_F(WalletKeys, AFlippedBitAnywhereIsRefused) {
  const auto good = keys.make(7).key;
  for (std::size_t i = 0; i < good.bytes.size(); ++i) {
    auto bad = good;
    bad.bytes[i] = static_cast<char>(bad.bytes[i] ^ (1 << (i % 8)));
    EXPECT_TRUE(error_of([&] { keys.sign(7, bad, some_hash); })) << "byte " << i;
  }
  for (const auto size : {std::size_t{0}, std::size_t{1}, good.bytes.size() - 1}) {
    EXPECT_TRUE(error_of([&] { keys.sign(7, {1, good.bytes.substr(0, size)}, some_hash); })) << size;
    EXPECT_TRUE(error_of([&] { keys.rotate(7, {1, good.bytes.substr(0, size)}); })) << size;
  }
  EXPECT_TRUE(error_of([&] { keys.sign(7, {1, good.bytes + "x"}, some_hash); }));
  EXPECT_FALSE(error_of([&] { keys.sign(7, good, some_hash); }));
}

TEST_F(WalletKeys, AnotherMasterKeyIsRefusedAndNamed) {
  const auto sealed = keys.make(7).key;
  wallet_keys_local other{master_keys{master(1, 'b')}};
  const auto wrong = test::there(error_of([&] { other.sign(7, sealed, some_hash); }));
  EXPECT_EQ(wrong->why(), key_error::cause::wrong_master_key);
  EXPECT_NE(std::string{wrong->what()}.find("wallet 7 is sealed under the master key 1 with the fingerprint "
                                            + hex_of(master(1, 'a').fingerprint())),
            std::string::npos)
    << wrong->what();
  wallet_keys_local later{master_keys{master(2, 'b')}};
  const auto none = test::there(error_of([&] { later.check(7, sealed); }));
  EXPECT_EQ(none->why(), key_error::cause::no_master_key);
  // The same key under another number is not taken either: the version is part of what is authenticated.
  wallet_keys_local renumbered{master_keys{master(2, 'a')}};
  EXPECT_TRUE(error_of([&] { renumbered.sign(7, {2, sealed.bytes}, some_hash); }));
}

TEST_F(WalletKeys, RotationSealsTheSameKeyUnderTheNewMasterKey) {
  const auto made = keys.make(7);
  wallet_keys_local both{master_keys{master(2, 'b'), master(1, 'a')}};
  EXPECT_EQ(signer_of(some_hash, both.sign(7, made.key, some_hash)), made.at) << "before it is rotated";
  const auto rotated = both.rotate(7, made.key);
  EXPECT_EQ(rotated.master_version, 2);
  EXPECT_NE(rotated.bytes, made.key.bytes);
  EXPECT_EQ(both.rotate(7, rotated).bytes, rotated.bytes) << "once is enough";
  wallet_keys_local alone{master_keys{master(2, 'b')}};
  EXPECT_EQ(signer_of(some_hash, alone.sign(7, rotated, some_hash)), made.at);
  EXPECT_TRUE(error_of([&] { keys.sign(7, rotated, some_hash); })) << "the master key before opens it no longer";
  EXPECT_TRUE(error_of([&] { both.rotate(8, made.key); })) << "as another wallet's";
  EXPECT_EQ(both.make(9).key.master_version, 2);
}

TEST_F(WalletKeys, NoErrorTellsAKey) {
  const auto private_key = std::string(62, '5') + "77";
  const auto sealed = keys.seal(7, bytes32(private_key)).key;
  EXPECT_EQ(hex(sealed.bytes).find(private_key), std::string::npos);
  EXPECT_EQ(hex(sealed.bytes).find(master_hex('a')), std::string::npos);
  auto damaged = sealed;
  damaged.bytes.back() = static_cast<char>(damaged.bytes.back() ^ 1);
  wallet_keys_local other{master_keys{master(1, 'b')}}, later{master_keys{master(3, 'a')}};
  for (const auto& why :
       {error_of([&] { keys.sign(7, damaged, some_hash); }), error_of([&] { keys.sign(8, sealed, some_hash); }),
        error_of([&] { other.sign(7, sealed, some_hash); }), error_of([&] { later.sign(7, sealed, some_hash); }),
        error_of([&] { keys.export_keystore(7, damaged, "a good passphrase"); })}) {
    ASSERT_TRUE(why);
    const std::string text{why->what()};
    for (const auto& secret : {private_key, master_hex('a'), master_hex('b'), std::string{"a good passphrase"}})
      EXPECT_EQ(text.find(secret.substr(0, 12)), std::string::npos) << text;
  }
}

// -- what other programs make of it ---------------------------------------------------------

struct WalletKeysOfOthers : WalletKeys {
  /// Runs a script of tests/clients with `input` on its standard input.
  test::finished run(const std::string& script, const std::string& input, const std::string& argument = {}) const {
    const auto file = dir + "/input";
    std::ofstream{file} << input;
    return test::run_program(
      {"sh", "-c", R"(exec node "$0" "$2" < "$1")", test::built::source + "/tests/clients/" + script, file, argument});
  }

  const test::scratch_directory scratch{"wallets"};
  const std::string dir = scratch.path().string();
};

TEST_F(WalletKeysOfOthers, AKeystoreOpensInEthers) {
  const auto private_key = std::string(62, '5') + "77";
  const auto made = keys.seal(7, bytes32(private_key));
  const std::string passphrase = "a good passphrase with a \" and an \u00E9";
  const auto keystore = keys.export_keystore(7, made.key, passphrase);
  EXPECT_EQ(keystore.find(private_key), std::string::npos);
  const auto file = dir + "/keystore.json";
  std::ofstream{file} << keystore;
  const auto opened = run("keystore.mjs", passphrase, file);
  ASSERT_EQ(opened.code, 0) << opened.err << "\nIn tests/clients: npm ci --ignore-scripts";
  EXPECT_EQ(opened.out, checksummed_text(made.at) + " 0x" + private_key + "\n");
  EXPECT_NE(run("keystore.mjs", "another passphrase", file).code, 0);
  for (const auto& bad : {std::string(11, 'x'), std::string(1025, 'x')}) {
    const auto refused = test::there(error_of([&] { keys.export_keystore(7, made.key, bad); }));
    EXPECT_EQ(refused->why(), key_error::cause::bad_passphrase);
  }
}

/// Random transactions, the same in every run; with zeros and the largest numbers among them.
class random_transactions {
public:
  wallets::unsigned_transaction next() {
    wallets::unsigned_transaction out;
    out.chain_id = 1 + small(safe - 1);
    out.nonce = small(safe);
    out.max_fee = large();
    out.max_priority_fee = out.max_fee == 0 ? wei{0} : large() % out.max_fee;
    out.gas_limit = small(~std::uint64_t{0});
    if (chance_() % 10 != 0) {
      out.to.emplace();
      for (auto& each : out.to->bytes)
        each = static_cast<std::byte>(chance_());
    }
    out.value = large();
    out.data.resize(chance_() % 3 == 0 ? 0 : chance_() % 400);
    for (auto& each : out.data)
      each = static_cast<char>(chance_());
    return out;
  }
  std::array<std::byte, 32> key() {
    std::array<std::byte, 32> out{};
    for (auto& each : out)
      each = static_cast<std::byte>(chance_());
    out[0] &= std::byte{0x7F}; // below the group's order
    return out;
  }

private:
  static constexpr std::uint64_t safe = 9'007'199'254'740'991; // beyond that a number of JavaScript is not exact

  /// Of any length in bits, up to `most`.
  std::uint64_t small(std::uint64_t most) {
    switch (chance_() % 8) {
      case 0: return 0;
      case 1: return most;
      default: return (chance_() >> (chance_() % 64)) % (most - 1);
    }
  }
  wei large() {
    switch (chance_() % 8) {
      case 0: return 0;
      case 1: return std::numeric_limits<uint256>::max();
      default: return uint256{limbs256{chance_(), chance_(), chance_(), chance_()}} >> (chance_() % 256);
    }
  }

  std::mt19937_64 chance_{1559};
};

TEST_F(WalletKeysOfOthers, AThousandRandomTransactionsAreThoseOfViemAndEthers) {
  random_transactions any;
  std::string input;
  std::vector<std::string> expected;
  for (int i = 0; i < 1000; ++i) {
    const auto transaction = any.next();
    const auto key = any.key();
    const auto sealed = keys.seal(i, key).key;
    const auto made = wallets::signed_bytes(transaction, keys.sign(i, sealed, wallets::signing_hash(transaction)));
    const auto read = wallets::parse_transaction(made);
    ASSERT_TRUE(read) << i;
    EXPECT_EQ(read->of, transaction) << i;
    input += "0x" + hex(key) + " " + std::to_string(transaction.chain_id) + " " + std::to_string(transaction.nonce)
             + " " + decimal(transaction.max_priority_fee) + " " + decimal(transaction.max_fee) + " "
             + std::to_string(transaction.gas_limit) + " " + (transaction.to ? lower_text(*transaction.to) : "-") + " "
             + decimal(transaction.value) + " 0x" + hex(transaction.data) + "\n";
    expected.push_back("0x" + hex(wallets::signing_bytes(transaction)) + " 0x" + hex(made) + " 0x"
                       + hex(wallets::transaction_hash(made)));
  }
  const auto ran = run("transactions.mjs", input);
  ASSERT_EQ(ran.code, 0) << ran.err << "\nIn tests/clients: npm ci --ignore-scripts";
  std::istringstream lines{ran.out};
  std::string line;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_TRUE(std::getline(lines, line)) << i;
    EXPECT_EQ(line, expected[i]) << i;
  }
}

} // namespace
} // namespace credence::auth
