#include "actors/chain/calls.hpp"
#include "actors/wallets/eip1559.hpp"
#include "actors/wallets/failure_reason.hpp"
#include "actors/wallets/signing_bounds.hpp"
#include "tests/actors/wallets/signed_transaction.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace credence::wallets {
namespace {

std::string hex(std::string_view bytes) {
  std::string out;
  append_hex(out, std::as_bytes(std::span{bytes}));
  return out;
}

std::string bytes_of(std::string_view digits) {
  std::string out(digits.size() / 2, '\0');
  EXPECT_TRUE(decode_hex(digits, std::as_writable_bytes(std::span{out}))) << digits;
  return out;
}

std::string text(std::string_view of) {
  std::string out;
  rlp::append_bytes(out, of);
  return out;
}
std::string number(const uint256& of) {
  std::string out;
  rlp::append_number(out, of);
  return out;
}
std::string list(std::initializer_list<std::string> items) {
  std::string all, out;
  for (const auto& each : items)
    all += each;
  rlp::append_list(out, all);
  return out;
}

// The examples of https://ethereum.org/en/developers/docs/data-structures-and-encoding/rlp (once the Ethereum wiki).

TEST(Rlp, WritesTheExamplesOfTheSpecification) {
  EXPECT_EQ(hex(text("dog")), "83646f67");
  EXPECT_EQ(hex(list({text("cat"), text("dog")})), "c88363617483646f67");
  EXPECT_EQ(hex(text("")), "80");
  EXPECT_EQ(hex(list({})), "c0");
  EXPECT_EQ(hex(number(0)), "80");
  EXPECT_EQ(hex(text(std::string(1, '\0'))), "00");
  EXPECT_EQ(hex(number(15)), "0f");
  EXPECT_EQ(hex(number(1024)), "820400");
  const auto empty = list({}), one = list({empty});
  EXPECT_EQ(hex(list({empty, one, list({empty, one})})), "c7c0c1c0c3c0c1c0")
    << "the set-theoretical representation of three";
  EXPECT_EQ(hex(text("Lorem ipsum dolor sit amet, consectetur adipisicing elit")),
            "b8384c6f72656d20697073756d20646f6c6f722073697420616d65742c20636f6e7365637465747572206164697069736963696e67"
            "20656c6974");
}

TEST(Rlp, WritesTheEdgesOfEachForm) {
  EXPECT_EQ(hex(number(127)), "7f");
  EXPECT_EQ(hex(number(128)), "8180");
  EXPECT_EQ(hex(number(std::numeric_limits<uint256>::max())), "a0" + std::string(64, 'f'));
  EXPECT_EQ(hex(text(std::string(55, 'a'))), "b7" + hex(std::string(55, 'a')));
  EXPECT_EQ(hex(text(std::string(56, 'a'))).substr(0, 4), "b838");
  EXPECT_EQ(hex(text(std::string(1024, 'a'))).substr(0, 6), "b90400");
  EXPECT_EQ(hex(list({std::string(55, 'a')})).substr(0, 2), "f7");
  EXPECT_EQ(hex(list({std::string(56, 'a')})).substr(0, 4), "f838");
}

TEST(Rlp, ReadsWhatItWrites) {
  const auto all = list({text("cat"), number(1024), list({text(std::string(300, 'x'))}), number(0)});
  rlp::reader whole{all};
  auto in = whole.next_list();
  EXPECT_EQ(in.next_bytes(), "cat");
  EXPECT_EQ(in.next_small_number(), 1024u);
  auto inner = in.next_list();
  EXPECT_EQ(inner.next_bytes(), std::string(300, 'x'));
  EXPECT_TRUE(inner.good() && inner.at_end());
  EXPECT_EQ(in.next_number(), 0);
  EXPECT_TRUE(in.good() && in.at_end());
  EXPECT_TRUE(whole.good() && whole.at_end());
}

TEST(Rlp, RefusesEveryOtherFormOfTheSame) {
  for (const auto* bad : {"8100", "817f", "b800", "b83761", "b90038", "83646f", "b8", "bfffffffffffffffff", "c0", ""}) {
    const auto bytes = bytes_of(bad);
    rlp::reader in{bytes};
    EXPECT_EQ(in.next_bytes(), "") << bad;
    EXPECT_FALSE(in.good()) << bad;
  }
  for (const auto* bad : {"00", "8200ff"}) {
    const auto bytes = bytes_of(bad);
    rlp::reader in{bytes};
    EXPECT_EQ(in.next_number(), 0) << bad;
    EXPECT_FALSE(in.good()) << "zeros in front: " << bad;
  }
  for (const auto* bad : {"80", "61", "c1", "f800", "f83761", "ffffffffffffffffff"}) {
    const auto bytes = bytes_of(bad);
    rlp::reader in{bytes};
    EXPECT_FALSE(in.next_list().good()) << bad;
    EXPECT_FALSE(in.good()) << bad;
  }
  const auto large = number((uint256{1} << 64));
  rlp::reader in{large};
  in.next_small_number();
  EXPECT_FALSE(in.good()) << "beyond 64 bits";
}

std::string digits_of(std::span<const std::byte> bytes) {
  std::string out;
  append_hex(out, bytes);
  return out;
}
std::string digits_of(const std::string& bytes) { return digits_of(std::as_bytes(std::span{bytes})); }

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
  EXPECT_EQ(digits_of(signing_bytes(transfer())),
            "02f282210509843b9aca008504a817c800825208943535353535353535353535353535353535353535880de0b6b3a764000080c0");
  EXPECT_EQ(digits_of(signed_bytes(transfer(), signature())), signed_hex);
  EXPECT_EQ(digits_of(transaction_hash(signed_bytes(transfer(), signature()))),
            "adbc5404e41c854e5b69c32461d5b9c99b0b4e37e9da91350d523110955e02e2");
}

TEST(Eip1559, WritesAContractsCreationOfNothing) {
  unsigned_transaction made;
  made.chain_id = 1;
  made.data = "\x60\x01";
  EXPECT_EQ(digits_of(signing_bytes(made)), "02cb01808080808080826001c0");
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

using namespace std::chrono_literals;

signing_bounds bounds() {
  signing_bounds out;
  out.fee_max = wei{1000};
  out.priority_fee_max = wei{100};
  out.sponsored_per_wallet = wei{100};
  out.sponsored_per_day = wei{150};
  return out;
}

TEST(Fees, RiseByATenthAtLeastAndStopAtTheBounds) {
  const auto within = bounds();
  EXPECT_EQ(raised_fees({wei{100}, wei{10}}, {}, within), (gas_fees{wei{110}, wei{11}}));
  EXPECT_EQ(raised_fees({wei{101}, wei{11}}, {}, within), (gas_fees{wei{112}, wei{13}})) << "rounded up";
  EXPECT_EQ(raised_fees({wei{1}, wei{0}}, {}, within), (gas_fees{wei{2}, wei{1}}));
  EXPECT_EQ(raised_fees({wei{100}, wei{10}}, gas_fees{wei{500}, wei{9}}, within), (gas_fees{wei{500}, wei{11}}));
  EXPECT_FALSE(raised_fees({wei{910}, wei{10}}, {}, within));
  EXPECT_FALSE(raised_fees({wei{100}, wei{95}}, {}, within));
}

TEST(Fees, AChainWithoutTransactionsGetsTheLeastPriorityFee) {
  node_quote quote;
  quote.base_fee = wei{10};
  EXPECT_EQ(suggested_fees(quote, bounds()), (gas_fees{wei{21}, wei{1}}));
  auto within = bounds();
  within.priority_fee_least = wei{30};
  EXPECT_EQ(suggested_fees(quote, within), (gas_fees{wei{50}, wei{30}})) << "as some producers of blocks want";
  quote.priority_fee = wei{40};
  EXPECT_EQ(suggested_fees(quote, within), (gas_fees{wei{60}, wei{40}}));
}

TEST(SigningBounds, OnlyWhatActionsNeedIsSigned) {
  auto within = bounds();
  const auto vote = chain::selector_of("voteFor(address,uint256,bool)");
  within.contracts[chain::contract_kind::vote] = address{{std::byte{1}}};
  within.functions = {{chain::contract_kind::vote, vote},
                      {chain::contract_kind::review, chain::selector_of("archiveReview(uint256)")}};
  within.value_max = wei{5};
  contract_action action{chain::contract_kind::vote, vote + std::string(96, '\0'), wei{5}, "vote"};
  EXPECT_EQ(*target_of(action, within), (address{{std::byte{1}}}));
  action.value = wei{6};
  EXPECT_EQ(target_of(action, within).why().code, refusal_code::invalid_amount);
  action.value = wei{0};
  action.data = chain::selector_of("transferOwnership(address)") + std::string(32, '\0');
  EXPECT_EQ(target_of(action, within).why().code, refusal_code::forbidden);
  action.data = vote.substr(0, 3);
  EXPECT_EQ(target_of(action, within).why().code, refusal_code::forbidden);
  action = {chain::contract_kind::review, chain::selector_of("archiveReview(uint256)"), wei{0}, "review"};
  EXPECT_EQ(target_of(action, within).why().code, refusal_code::endpoint_disabled);
}

TEST(GasBudget, IsOfADayForEachWalletAndForAll) {
  const timestamp noon{std::chrono::sys_days{std::chrono::year{2026} / 3 / 4} + 12h};
  const auto within = bounds();
  gas_budget budget;
  budget.restore({{profile_id{1}, wei{60}}}, day_of(noon));
  EXPECT_TRUE(budget.refuse(profile_id{1}, wei{41}, noon, within));
  EXPECT_FALSE(budget.refuse(profile_id{1}, wei{40}, noon, within));
  budget.grant(profile_id{2}, wei{90}, noon);
  EXPECT_TRUE(budget.refuse(profile_id{3}, wei{1}, noon, within)) << "nothing is left for anybody";
  budget.take_back(profile_id{2}, wei{90});
  EXPECT_FALSE(budget.refuse(profile_id{3}, wei{1}, noon, within));
  EXPECT_FALSE(budget.refuse(profile_id{1}, wei{100}, noon + 24h, within));
}

TEST(FailureReason, IsReadAsItWasWritten) {
  for (const auto code : {refusal_code::nonce_conflict, refusal_code::insufficient_funds, refusal_code::contract_revert,
                          refusal_code::blockchain_unavailable}) {
    const auto back = refusal_of(failure_reason({code, "why: it is so"}));
    EXPECT_EQ(back.code, code);
    EXPECT_EQ(back.detail, "why: it is so");
  }
  EXPECT_EQ(refusal_of("something else").code, refusal_code::blockchain_unavailable);
}

} // namespace
} // namespace credence::wallets
