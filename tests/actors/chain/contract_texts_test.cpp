#include "actors/chain/contract_texts.hpp"

#include "actors/chain/calls.hpp"
#include "tests/actors/chain/chain_samples.hpp"

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
call_answer returned(const std::vector<called_reply>& replies) { return {ending::returned, bytes_of(abi_encode(replies))}; }

const due_text of_review{{text_kind::review, offset + 7}, 42, 0};
const due_text of_reply{{text_kind::reply, offset + 7}, 43, 0};

text_reading read(const due_text& due, const call_answer& answer) { return reading_of(due, answer, offset, noon); }

TEST(ContractTexts, AreAskedForByTheIdsOfTheContracts) {
  follow_settings how;
  how.id_offset = offset;
  how.contracts[samples::address_of(9)] = contract_kind::review;
  const auto call = call_for(of_review.of, how);
  ASSERT_TRUE(call);
  EXPECT_EQ(call->contract, samples::address_of(9));
  EXPECT_EQ(call->data, call_data("reviews(uint256)", uint256{7}));
  EXPECT_FALSE(call_for(of_reply.of, how)) << "the settings name no such contract";
  how.contracts[samples::address_of(8)] = contract_kind::discussion;
  EXPECT_EQ(call_for(of_reply.of, how)->data, call_data("repliesById(uint256[])", std::vector<uint256>{7}));
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

} // namespace
} // namespace credence::chain
