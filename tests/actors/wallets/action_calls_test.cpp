#include "actors/wallets/action_calls.hpp"

#include "actors/domain/hash.hpp"
#include "actors/wallets/failure_reason.hpp"
#include "tests/build_paths.hpp"
#include "tests/process.hpp"
#include "tests/there.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

namespace credence::wallets {
namespace {

std::string hex(std::string_view bytes) {
  std::string out{"0x"};
  append_hex(out, std::as_bytes(std::span{bytes}));
  return out;
}

std::vector<std::byte> bytes_of(std::string_view digits) {
  std::vector<std::byte> out(digits.size() / 2);
  EXPECT_TRUE(decode_hex(digits, out)) << digits;
  return out;
}

address filled(unsigned char byte) {
  address out;
  out.bytes.fill(std::byte{byte});
  return out;
}

/// What viem makes of the same calls and errors, by name.
const std::map<std::string, std::string>& of_viem() {
  static const auto all = [] {
    std::map<std::string, std::string> out;
    const auto ran = test::run_program({"node", test::built::source + "/tests/clients/calldata.mjs"});
    EXPECT_EQ(ran.code, 0) << ran.err << "\nIn tests/clients: npm ci --ignore-scripts";
    std::istringstream lines{ran.out};
    for (std::string name, bytes; lines >> name >> bytes;)
      out[name] = bytes;
    return out;
  }();
  return all;
}

action_calls calls(const settings::wallet_functions& with = {}) {
  auto read = action_calls::from(with);
  if (!read)
    throw std::invalid_argument(read.why().front());
  return *std::move(read);
}

TEST(ActionCalls, AreWhatViemMakesOfThem) {
  const auto made = calls();
  review_call review{chain::review_score::positive,
                     filled(0x11),
                     {},
                     "kept its word",
                     R"({"description":"a long text that needs more than one word of the contract ABI"})",
                     "",
                     "",
                     wei{5}};
  const auto of_address = made.add_review(review);
  EXPECT_EQ(hex(of_address.data), of_viem().at("review_of_address"));
  EXPECT_EQ(of_address.contract, chain::contract_kind::review);
  EXPECT_EQ(of_address.value, 5) << "the fee goes along";
  EXPECT_EQ(of_address.kind, "review");
  review = {chain::review_score::negative, {}, filled(0x22), "", "", "1395154870932541446", "x.com", {}};
  EXPECT_EQ(hex(made.add_review(review).data), of_viem().at("review_of_account"));
  EXPECT_EQ(hex(made.edit_review({7}, "kept it late", "{}").data), of_viem().at("edit"));
  EXPECT_EQ(hex(made.archive_review({7}).data), of_viem().at("archive"));
  EXPECT_EQ(hex(made.vote({filled(0x11), {2147483647}, true}).data), of_viem().at("vote"));
  const auto reply = made.add_reply({filled(0x11), {9}, "th\u00E4nks", "{}"});
  EXPECT_EQ(hex(reply.data), of_viem().at("reply"));
  EXPECT_EQ(reply.contract, chain::contract_kind::discussion);
  EXPECT_EQ(hex(made.invite(filled(0x22)).data), of_viem().at("invite"));
  EXPECT_EQ(hex(made.uninvite(filled(0x22)).data), of_viem().at("uninvite"));
}

TEST(ActionCalls, GoByTheNamesInTheSettings) {
  settings::wallet_functions with;
  with.create_bond =
    "createBond(uint256 subjectProfileId, string bondType, (uint256 randValue, bytes signature) signed)";
  bond_call bond;
  bond.subject = {7};
  bond.bond_type = "HUMAN";
  bond.random_value = std::numeric_limits<uint256>::max();
  bond.signature = std::string(65, '\xAB');
  const auto made = test::there(calls(with).create_bond(bond));
  EXPECT_EQ(hex(made->data), of_viem().at("bond"));
  EXPECT_FALSE(calls().create_bond(bond)) << "the settings declare no such function";
  EXPECT_FALSE(calls().archive_bond({}));

  with.vote = "castVote(bool isUpvote, uint32 targetId)";
  EXPECT_EQ(hex(calls(with).vote({filled(0x11), {7}, true}).data.substr(4)),
            "0x" + std::string(63, '0') + "1" + std::string(63, '0') + "7");
  with.vote = "castVote(uint8 targetId)";
  EXPECT_THROW(calls(with).vote({filled(0x11), {256}, true}), std::range_error);
}

TEST(ActionCalls, SayWhatIsWrongWithASetting) {
  const auto mistake = [](std::string declaration) {
    settings::wallet_functions with;
    with.vote = std::move(declaration);
    const auto read = action_calls::from(with);
    return read ? std::string{} : read.why().front();
  };
  EXPECT_EQ(mistake("voteFor(address targetContract, uint targetId, bool isUpvote)"), "");
  EXPECT_EQ(mistake("voteFor(address calldata targetContract)"), "") << "where a value lies is no part of a signature";
  for (const auto& [declaration, part] : std::map<std::string, std::string>{
         {"", "begin with the name"},
         {"voteFor", "parenthesis"},
         {"voteFor(address targetContract", "comma or a parenthesis"},
         {"voteFor(address targetContract) external", "behind its parameters"},
         {"voteFor(address)", "has no name"},
         {"voteFor(address voter)", "no value called 'voter'"},
         {"voteFor(string targetContract)", "cannot be of the type string"},
         {"voteFor(address[] targetContract)", "comma or a parenthesis"},
         {"voteFor(uint7 targetId)", "no type that is known"},
         {"voteFor(() all)", "tuple is empty"},
         {"voteFor(((((((address targetContract)))))))", "tuples within"},
       })
    EXPECT_NE(mistake(declaration).find(part), std::string::npos) << declaration << ": " << mistake(declaration);
  EXPECT_TRUE(mistake("1vote()").starts_with("wallets.functions.vote: "));
}

TEST(ActionCalls, NameEachFunctionThatMayBeSigned) {
  const auto allowed = test::exactly(7, calls().allowed());
  EXPECT_EQ(allowed.front().signature, "addReview(uint8,address,address,string,string,(string,string))");
  EXPECT_EQ(hex(allowed.front().selector), of_viem().at("review_of_address").substr(0, 10));
  const auto vote =
    std::find_if(allowed.begin(), allowed.end(), [](const allowed_call& each) { return each.kind == "vote"; });
  ASSERT_NE(vote, allowed.end());
  EXPECT_EQ(vote->contract, chain::contract_kind::vote);
}

// -- why a contract reverted ---------------------------------------------------------------

std::string reason(const std::string& digits, const std::string& known = {}) {
  const auto read = revert_reader::knowing(known);
  EXPECT_TRUE(read);
  return read->reason(bytes_of(digits.substr(2)));
}

TEST(RevertReason, IsWhatTheContractSaid) {
  EXPECT_EQ(reason(of_viem().at("error")), "a review about oneself");
  EXPECT_EQ(reason(of_viem().at("panic")), "the contract panicked: an arithmetic operation overflowed");
  EXPECT_EQ(reason(of_viem().at("paused")), "EnforcedPause()");
  EXPECT_EQ(reason("0x"), "the contract gives no reason");
}

TEST(RevertReason, NamesTheErrorsOfTheSettings) {
  const auto& raised = of_viem().at("self_review");
  EXPECT_EQ(reason(raised, "NotFound(uint256) SelfReview(address)"),
            "SelfReview(0x1111111111111111111111111111111111111111)");
  EXPECT_EQ(reason(raised), "an error of the contract's own: " + raised);
  EXPECT_EQ(reason(of_viem().at("unknown")),
            "an error of the contract's own: " + of_viem().at("unknown").substr(0, 74) + "\u2026");
  EXPECT_EQ(reason(raised.substr(0, 20), "SelfReview(address)"), "SelfReview(address)") << "its values were cut off";
  EXPECT_FALSE(revert_reader::knowing("SelfReview(address) NotFound(uint7)"));
}

TEST(RevertReason, IsHarmlessAndBounded) {
  const auto raised = [](std::string_view text) {
    const auto size = hex(std::string(1, static_cast<char>(text.size()))).substr(2);
    return "0x08c379a0" + std::string(62, '0') + "20" + std::string(62, '0') + size
           + hex(std::string{text} + std::string(32 - text.size() % 32, '\0')).substr(2);
  };
  EXPECT_EQ(reason(raised("a\x1B[31m\r\n\x7F<b>")), "a?[31m" + std::string(3, '?') + "<b>");
  EXPECT_EQ(reason(raised("gr\u00FC\u00DF \u202Edlog\u200B")), "gr\u00FC\u00DF ?dlog?");
  EXPECT_EQ(reason(raised("broken \xC3")), "broken ?");
  EXPECT_EQ(harmless(std::string(400, 'x'), 300), std::string(300, 'x') + "\u2026");
  EXPECT_EQ(reason("0x08c379a0" + std::string(64, 'f')), "the contract gives a reason that cannot be read");
  EXPECT_EQ(reason("0x4e487b71"), "the contract panicked");
}

} // namespace
} // namespace credence::wallets
