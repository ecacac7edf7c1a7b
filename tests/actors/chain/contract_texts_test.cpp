#include "actors/chain/calls.hpp"
#include "actors/chain/contract_texts.hpp"
#include "actors/domain/hash.hpp"
#include "tests/actors/chain/chain_samples.hpp"
#include "tests/each_of.hpp"

#include <gtest/gtest.h>

namespace credence::chain {
namespace {

using namespace std::chrono_literals;
using ending = call_answer::ending;

constexpr timestamp noon{std::chrono::seconds{1'790'000'000}};
constexpr std::int32_t offset = 1000;

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span{text});
  return {bytes.begin(), bytes.end()};
}

called_review review(std::int32_t id, std::string comment, std::string metadata = "{}") {
  called_review out;
  out.author = samples::address_of(1);
  out.subject = samples::address_of(2);
  out.id = {id};
  out.comment = std::move(comment);
  out.metadata = std::move(metadata);
  return out;
}
call_answer returned(const called_review& review) {
  std::string bytes;
  solidity<called_review>::append(bytes, review);
  return {ending::returned, bytes_of(bytes)};
}
called_reply reply(std::int32_t id, std::int32_t parent, bool original) {
  called_reply out;
  out.parent_is_original = original;
  out.target = samples::address_of(3);
  out.id = {id};
  out.parent = {parent};
  out.content = "said";
  return out;
}
call_answer returned(const std::vector<called_reply>& replies) {
  return {ending::returned, bytes_of(abi_encode(replies))};
}

const due_text of_review{{text_kind::review, offset + 7}, 42, 0};
const due_text of_reply{{text_kind::reply, offset + 7}, 43, 0};

const due_text of_vouch{{text_kind::vouch, offset + 7}, 44, 0};
const due_text of_bond{{text_kind::bond, offset + 7}, 45, 0};
const due_text of_inviter{{text_kind::inviter, offset + 7}, 46, 0};
const due_text of_balance{{text_kind::balance, 1}, 47, 0, 0, samples::address_of(5)};

follow_settings settings() {
  follow_settings how;
  how.id_offset = offset;
  how.bonds = *bond_getter(
    "bondOf(uint256) returns ((uint256 id, uint256 subjectProfileId, string statement, string expiration))");
  how.invites = *invite_getter("inviteInfoForProfileId(uint256) returns ((address[] sent, uint256[] acceptedIds, "
                               "uint256 available, uint256 invitedBy))");
  return how;
}
text_reading read(const due_text& due, const call_answer& answer) { return reading_of(due, answer, settings(), noon); }

called_vouch vouch(std::int32_t id) {
  called_vouch out;
  out.author_address = samples::address_of(1);
  out.id = {id};
  out.balance = 50;
  out.comment = "known for years";
  return out;
}
call_answer returned(const called_vouch& vouch) {
  std::string bytes;
  solidity<called_vouch>::append(bytes, vouch);
  return {ending::returned, bytes_of(bytes)};
}
/// A bond as a struct, which lies at an offset.
call_answer bond(int id, int subject, const std::string& statement, const std::string& expiration) {
  return {ending::returned,
          bytes_of(abi_encode(uint256{32}) + abi_encode(uint256(id), uint256(subject), statement, expiration))};
}
call_answer invited_by(int inviter) {
  return {ending::returned, bytes_of(abi_encode(uint256{32})
                                     + abi_encode(std::vector<address>{samples::address_of(1)},
                                                  std::vector<uint256>{3, 4}, uint256{5}, uint256(inviter)))};
}
call_answer balance(const uint256& wei) { return {ending::returned, bytes_of(abi_encode(wei))}; }

TEST(ContractTexts, AreAskedForByTheIdsOfTheContracts) {
  follow_settings how;
  how.id_offset = offset;
  how.contracts[samples::address_of(9)] = contract_kind::review;
  const auto call = test::there(call_for(of_review, how));
  EXPECT_EQ(call->contract, samples::address_of(9));
  EXPECT_EQ(call->data, call_data("reviews(uint256)", uint256{7}));
  EXPECT_FALSE(call_for(of_reply, how)) << "the settings name no such contract";
  how.contracts[samples::address_of(8)] = contract_kind::discussion;
  EXPECT_EQ(call_for(of_reply, how)->data, call_data("repliesById(uint256[])", std::vector<uint256>{7}));
}

TEST(ContractTexts, AreAskedForByTheFunctionsThatSettingsDeclare) {
  auto how = settings();
  for (const auto kind : {contract_kind::bond, contract_kind::profile, contract_kind::whuffie})
    how.contracts[samples::address_of(static_cast<unsigned char>(kind))] = kind;
  EXPECT_EQ(call_for(of_bond, how)->data, call_data("bondOf(uint256)", uint256{7}));
  EXPECT_EQ(call_for(of_inviter, how)->data, call_data("inviteInfoForProfileId(uint256)", uint256{7}));
  EXPECT_EQ(call_for(of_balance, how)->data, call_data("balanceOf(address)", samples::address_of(5)));
  EXPECT_EQ(unread_kinds(how), (std::vector{text_kind::review, text_kind::reply, text_kind::vouch}))
    << "there are no such contracts";
  how.bonds.reset();
  EXPECT_FALSE(call_for(of_bond, how));
  EXPECT_EQ(unread_kinds(how), (std::vector{text_kind::review, text_kind::reply, text_kind::vouch, text_kind::bond}));
}

TEST(ContractTexts, BringWhatElseEventsLeaveOut) {
  const auto vouched = read(of_vouch, returned(vouch(7)));
  EXPECT_EQ(vouched.state, text_state::here);
  EXPECT_EQ(vouched.text, "known for years");
  EXPECT_EQ(vouched.wallet, samples::address_of(1));
  EXPECT_EQ(vouched.amount, wei{50});
  const auto bonded = read(of_bond, bond(7, 3, "met her", "2029-01-01T00:00:00Z"));
  EXPECT_EQ(bonded.state, text_state::here);
  EXPECT_EQ(bonded.text, "met her");
  EXPECT_EQ(bonded.person, profile_id{offset + 3});
  EXPECT_EQ(bonded.expires_at, timestamp{std::chrono::sys_days{std::chrono::year{2029} / 1 / 1}});
  EXPECT_FALSE(read(of_bond, bond(7, 3, "met her", "some day")).expires_at) << "nobody can read that";
  EXPECT_EQ(read(of_inviter, invited_by(2)).person, profile_id{offset + 2});
  EXPECT_EQ(read(of_balance, balance(12)).amount, wei{12});
}

TEST(ContractTexts, AreThoseOfTheRecordThatWasAskedFor) {
  const auto found = read(of_review, returned(review(7, "good work", R"({"description":"long"})")));
  EXPECT_EQ(found.state, text_state::here);
  EXPECT_EQ(found.text, "good work");
  EXPECT_EQ(found.metadata, R"({"description":"long"})");
  EXPECT_EQ(found.stamp, 42);
  EXPECT_FALSE(found.reason);
  const auto said = read(of_reply, returned({reply(7, 3, true)}));
  EXPECT_EQ(said.state, text_state::here);
  EXPECT_EQ(said.text, "said");
  EXPECT_EQ(said.parent, offset + 3);
  EXPECT_TRUE(said.parent_is_target);
}

TEST(ContractTexts, OfAReviewNameTheAccountThatItIsAbout) {
  auto about = review(7, "good work");
  about.details = {"1800000000000000001", "x.com"};
  const auto found = read(of_review, returned(about));
  EXPECT_EQ(found.account,
            (read_account{"x.com", "1800000000000000001", attestation_hash("x.com", "1800000000000000001")}));
  about.details.service = "nowhere.example";
  EXPECT_FALSE(read(of_review, returned(about)).account) << "at no service that is known";
  about.details = {std::string(65, '1'), "x.com"};
  EXPECT_FALSE(read(of_review, returned(about)).account);
}

TEST(ContractTexts, WhatMakesNoSenseIsToldApartAndFailsAtTheThirdTime) {
  const auto broken = [] {
    auto out = returned(review(7, "x"));
    out.data.resize(64);
    return out;
  };
  const struct {
    const char* reason;
    due_text due;
    call_answer answer;
  } cases[]{
    {"reverted", of_review, {ending::reverted, {}}},
    {"no_contract", of_review, {ending::returned, {}}},
    {"too_long", of_review, {ending::too_large, {}}},
    {"truncated", of_review, broken()},
    {"bad_text", of_review, returned(review(7, std::string{"a\0b", 3}))},
    {"bad_text", of_review, returned(review(7, "\xff"))},
    {"other_record", of_review, returned(review(8, "x"))},
    {"other_record", {{text_kind::review, offset}, 1, 0}, returned(called_review{})}, // all zeros
    {"other_record", of_reply, returned(std::vector<called_reply>{})},
    {"other_record", of_reply, returned({reply(8, 3, true)})},
    {"id_out_of_range", of_reply, returned({reply(7, 2147483647, true)})},
    {"other_record", of_vouch, returned(vouch(8))},
    {"other_record", of_bond, bond(8, 3, "", "")},
    {"other_record", of_bond, bond(7, 0, "", "")},
    {"id_out_of_range", of_bond, bond(7, 2147483647, "", "")},
    {"bad_text", of_bond, bond(7, 3, "\xff", "")},
    {"bad_offset", of_bond, balance(32)},
    {"bad_offset", of_bond, balance(uint256{1} << 255)},
    {"no_inviter", of_inviter, invited_by(0)},
    {"id_out_of_range", of_inviter, invited_by(2147483647)},
    {"truncated", of_inviter, {ending::returned, std::vector<std::byte>(64)}},
    {"truncated", of_balance, {ending::returned, std::vector<std::byte>(31)}},
  };
  for (auto each : cases) {
    SCOPED_TRACE(each.reason);
    const auto first = read(each.due, each.answer);
    EXPECT_EQ(first.state, text_state::wanted);
    EXPECT_EQ(first.reason, each.reason);
    EXPECT_EQ(first.next_at, noon + 1s);
    each.due.attempts = 100;
    each.due.refusals = text_tries_max - 2;
    const auto after_silence = read(each.due, each.answer);
    EXPECT_EQ(after_silence.state, text_state::wanted) << "most attempts were not answered";
    EXPECT_EQ(after_silence.next_at, noon + 1h);
    each.due.refusals = text_tries_max - 1;
    EXPECT_EQ(read(each.due, each.answer).state, text_state::failed);
  }
}

TEST(ContractTexts, ThatNoNodeBringsStayWanted) {
  auto due = of_review;
  due.attempts = 1'000'000;
  const auto found = read(due, {ending::unanswered, {}});
  EXPECT_EQ(found.state, text_state::wanted);
  EXPECT_EQ(found.reason, "unanswered");
  EXPECT_EQ(found.next_at, noon + 1h);
}

TEST(ContractTexts, AreWaitedForTwiceAsLongEachTime) {
  EXPECT_EQ(pause_after(1), 1s);
  EXPECT_EQ(pause_after(2), 2s);
  EXPECT_EQ(pause_after(11), 1024s);
  EXPECT_EQ(pause_after(13), 1h);
  EXPECT_EQ(pause_after(2147483647), 1h);
}

TEST(ContractTexts, LoseWhatIsBehindTheirBoundButNoHalfCharacter) {
  const auto found = read(of_review, returned(review(7, std::string(text_bytes_kept - 1, 'x') + "\xc3\xa4 and more")));
  EXPECT_EQ(found.state, text_state::here);
  EXPECT_EQ(found.reason, "cut");
  EXPECT_EQ(found.text, std::string(text_bytes_kept - 1, 'x'));
  EXPECT_FALSE(read(of_review, returned(review(7, std::string(text_bytes_kept, 'x')))).reason);
}

TEST(Getter, TakesNumbersAndTextsOutOfWhatIsReturned) {
  const auto declared = getter::parse(
    "of(uint256) returns (address who, uint8 kind, string words, bytes32[] hashes, uint256 last, string more)");
  ASSERT_TRUE(declared) << declared.why();
  EXPECT_EQ(declared->call_for(5), call_data("of(uint256)", uint256{5}));
  const auto found = test::there(declared->read(bytes_of(
    abi_encode(address{}, uint256{2}, std::string{"words"}, std::vector<uint256>{1, 2}, uint256{9}, std::string{}))));
  EXPECT_EQ(*found, (values_by_name{{"kind", uint256{2}}, {"words", "words"}, {"last", uint256{9}}, {"more", ""}}));
}

TEST(Getter, FindsAStructWhereItLies) {
  const auto of_words = getter::parse("of(uint256) returns ((uint a, bool b))");
  EXPECT_EQ(*of_words->read(bytes_of(abi_encode(uint256{7}, true))), (values_by_name{{"a", uint256{7}}}))
    << "in place: no text is in it";
  const auto of_texts = getter::parse(" of(uint256)  returns ( ( uint256 a , string memory b ) ) ");
  ASSERT_TRUE(of_texts) << of_texts.why();
  EXPECT_EQ(*of_texts->read(bytes_of(abi_encode(uint256{32}) + abi_encode(uint256{7}, std::string{"x"}))),
            (values_by_name{{"a", uint256{7}}, {"b", "x"}}));
}

TEST(Getter, RefusesWhatIsNoDeclaration) {
  for (const std::string bad : test::each_of(
         "", "bonds", "bonds(uint256)", "bonds(address) returns (uint256 a)", "(uint256) returns (uint256 a)",
         "2(uint256) returns (uint256 a)", "bonds(uint256) returns", "bonds(uint256) returns uint256",
         "bonds(uint256) returns ()", "bonds(uint256) returns (uint256 a,)", "bonds(uint256) returns (uint7 a)",
         "bonds(uint256) returns (uint264 a)", "bonds(uint256) returns (uint08 a)",
         "bonds(uint256) returns (uint256[3] a)", "bonds(uint256) returns ((uint256 a), uint256 b)",
         "bonds(uint256) returns (((uint256 a)))", "bonds(uint256) returns (uint256 a-b)",
         "bonds(uint256, uint256) returns (uint256 a)", "bonds(uint256) returns (bytes33 a)",
         "bonds(uint256) yields (uint256 a)"))
    EXPECT_FALSE(getter::parse(bad)) << bad;
  std::string many = "bonds(uint256) returns (uint256 a";
  for (int i = 0; i < 64; ++i)
    many += ", bool";
  EXPECT_FALSE(getter::parse(many + ")")) << "more than 64 values";
  EXPECT_FALSE(getter::parse(std::string(5000, 'a') + "(uint256) returns (uint256 a)"));
}

TEST(Getter, OfABondOrAnInviterNamesThePerson) {
  EXPECT_TRUE(bond_getter("bonds(uint256) returns (uint256 subject)"));
  EXPECT_FALSE(bond_getter("bonds(uint256) returns (string subject)"));
  EXPECT_FALSE(bond_getter("bonds(uint256) returns (string statement)"));
  EXPECT_TRUE(invite_getter("of(uint256) returns (uint256 inviter)"));
  EXPECT_FALSE(invite_getter("of(uint256) returns (address inviter)"));
  const auto with_seconds = bond_getter("bonds(uint256) returns (uint256 subject, uint64 expiresAt)");
  EXPECT_EQ(bond_in(*with_seconds, 1, bytes_of(abi_encode(uint256{3}, uint256{1'900'000'000})))->expiration,
            "1900000000");
  EXPECT_EQ(bond_in(*with_seconds, 1, bytes_of(abi_encode(uint256{3}, uint256{0})))->expiration, "") << "never";
}

TEST(Getter, HostileBytesAreAnErrorAndNoMore) {
  const auto declared = getter::parse("of(uint256) returns ((uint256 a, string b, string c))");
  const auto why = [&](const std::string& bytes) {
    const auto found = declared->read(bytes_of(bytes));
    return found ? std::string{"read"} : std::string{name_of(found.why())};
  };
  EXPECT_EQ(why(""), "truncated");
  EXPECT_EQ(why(abi_encode(uint256{32})), "bad_offset");
  EXPECT_EQ(why(abi_encode(std::numeric_limits<uint256>::max())), "bad_offset");
  EXPECT_EQ(why(abi_encode(uint256{32}, uint256{1}, std::numeric_limits<uint256>::max(), uint256{96})), "bad_offset");
  EXPECT_EQ(why(abi_encode(uint256{32}, uint256{1}, uint256{96}, uint256{96}, uint256{1} << 64)), "too_long");
  EXPECT_EQ(why(abi_encode(uint256{32}, uint256{1}, uint256{96}, uint256{96}, uint256{40}, uint256{0})), "truncated");
}

} // namespace
} // namespace credence::chain
