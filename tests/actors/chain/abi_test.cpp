#include "actors/chain/calls.hpp"
#include "tests/actors/chain/chain_samples.hpp"

#include <gtest/gtest.h>

namespace credence::chain {
namespace {

using namespace samples;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span{text}); }

/// Words in hex, one a line.
std::string words_of(const std::string& bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 32) {
    const auto text = hex(bytes_of(bytes).subspan(at, 32));
    const auto zeros = text.find_first_not_of('0');
    const auto padding = text.find_last_not_of('0');
    if (zeros == std::string::npos)
      out += "0";
    else if (zeros == 0 || padding < 40)
      out += text.substr(0, padding + 1) + "…"; // padded behind
    else
      out += text.substr(zeros);
    out += '\n';
  }
  return out;
}

template <class T>
outcome<T, decode_error> read_back(const std::string& bytes) {
  decoding shared;
  word_reader in{bytes_of(bytes), shared};
  auto out = detail::read_in_place<T>(in);
  if (shared.error())
    return *shared.error();
  return out;
}

// The two examples are those of the ABI's specification, "Examples".
TEST(Abi, EncodesAsItsSpecificationShows) {
  const std::string dave = "dave";
  EXPECT_EQ(words_of(abi_encode(std::vector<std::byte>{bytes_of(dave).begin(), bytes_of(dave).end()}, true,
                                std::vector<uint256>{1, 2, 3})),
            "60\n1\na0\n4\n64617665…\n3\n1\n2\n3\n");
  EXPECT_EQ(hex(bytes_of(selector_of("sam(bytes,bool,uint256[])"))), "a5643bf2");
  const std::vector<std::vector<uint256>> numbers{{1, 2}, {3}};
  const std::vector<std::string> texts{"one", "two", "three"};
  EXPECT_EQ(words_of(abi_encode(numbers, texts)),
            "40\n140\n2\n40\na0\n2\n1\n2\n1\n3\n3\n60\na0\ne0\n3\n6f6e65…\n3\n74776f…\n5\n7468726565…\n");
  EXPECT_EQ(*read_back<std::vector<std::vector<uint256>>>(abi_encode(numbers)), numbers);
  EXPECT_EQ(*read_back<std::vector<std::string>>(abi_encode(texts)), texts);
}

TEST(Abi, HashesAccountsAsTheAttestationContractDoes) {
  EXPECT_EQ(keccak256(abi_encode(std::string{"x.com"}, std::string{"1395154870932541446"})),
            attestation_hash("x.com", "1395154870932541446"));
}

TEST(Abi, KeepsTheSignOfNumbers) {
  const auto most = wei_change{uint256{limbs256{~0ULL, ~0ULL, ~0ULL, ~0ULL >> 1}}};
  for (const auto& number : std::vector<wei_change>{0, 1, -1, 255, -256, wei_change{1} << 64, -(wei_change{1} << 64),
                                                    most, -most, -most - 1})
    EXPECT_EQ(signed_of(word_of_signed(number)), number);
  EXPECT_EQ(hex(word_of_signed(-2)), std::string(63, 'f') + "e");
  EXPECT_EQ(hex(word_of_signed(-(wei_change{1} << 64))), std::string(48, 'f') + std::string(16, '0'));
  EXPECT_THROW(word_of_signed(most + 1), std::range_error);
  EXPECT_THROW(word_of_signed(-most - 2), std::range_error);
}

TEST(Abi, CopiesNoMoreThanItsBoundHoweverOftenOffsetsLeadToTheSameBytes) {
  std::string bytes = abi_encode(std::vector<std::string>{});
  bytes.resize(32); // the offset of the list
  detail::append_word(bytes, word_of_small(array_items_max));
  for (std::size_t i = 0; i < array_items_max; ++i)
    detail::append_word(bytes, word_of_small(32 * array_items_max));
  solidity<std::string>::append(bytes, std::string(text_bytes_max, 'x'));
  EXPECT_EQ(read_back<std::vector<std::string>>(bytes).why(), decode_error::too_long);
}

TEST(Abi, AnOffsetThatLeadsBackEndsNevertheless) {
  std::string bytes;
  for (const auto number : {32U, 2U, 0U, 0U}) // a list whose two items are the list's own beginning
    detail::append_word(bytes, word_of_small(number));
  EXPECT_TRUE(read_back<std::vector<std::vector<uint256>>>(bytes)) << "two empty lists";
  bytes.clear();
  for (const auto number : {0U, 0U})
    detail::append_word(bytes, word_of_small(number));
  EXPECT_EQ(read_back<std::string>(bytes)->size(), 0U) << "the offset's own word is the length";
}

TEST(Calls, HaveTheSelectorsOfTheContracts) {
  const auto selector = [](std::string_view signature) { return hex(bytes_of(selector_of(signature))); };
  EXPECT_EQ(selector(calls::reviews), "e83ddcea");
  EXPECT_EQ(selector(calls::vouches), "a817c68a");
  EXPECT_EQ(selector(calls::replies_by_id), "c0a73969");
  EXPECT_EQ(selector(calls::invite_info), "05c3d522");
  EXPECT_EQ(selector(calls::balance_of), "70a08231");
  EXPECT_EQ(hex(bytes_of(call_data(calls::reviews, onchain_review{18}))), "e83ddcea" + std::string(62, '0') + "12");
}

template <class T>
void reads_what_contracts_return(dice_type& dice) {
  T written;
  make(written, dice);
  std::string bytes;
  solidity<T>::append(bytes, written);
  const auto read = decode_values<T>(bytes_of(bytes));
  ASSERT_TRUE(read) << name_of(read.why());
  EXPECT_TRUE(*read == written);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_values<T>(bytes_of(bytes).first(size))) << size;
}

TEST(Calls, AreAnsweredByWhatTheContractsKeep) {
  dice_type dice{5};
  for (int round = 0; round < 20; ++round) {
    reads_what_contracts_return<called_review>(dice);
    reads_what_contracts_return<called_vouch>(dice);
    called_replies replies;
    make(replies, dice);
    const auto bytes = abi_encode(replies.replies);
    const auto read = decode_values<called_replies>(bytes_of(bytes));
    ASSERT_TRUE(read);
    EXPECT_TRUE(read->replies == replies.replies);
  }
  EXPECT_EQ(decode_values<called_balance>(bytes_of(abi_encode(uint256{17})))->balance, 17);
  EXPECT_EQ(decode_values<called_balance>({}).why(), decode_error::truncated);
}

TEST(ContractNames, AreFoundAgain) {
  for (const auto name : contract_names)
    EXPECT_EQ(name_of(*contract_named(name)), name);
  EXPECT_FALSE(contract_named("any"));
  EXPECT_FALSE(contract_named("Review"));
}

} // namespace
} // namespace credence::chain
