#include "actors/chain/apply.hpp"
#include "actors/chain/chain_records.hpp"
#include "actors/chain/chain_steps.hpp"
#include "tests/actors/chain/fold_world.hpp"

namespace credence::chain {
namespace {

using samples::address_of;
using namespace slash_events;

const address ada = address_of(1), bob = address_of(2), cyd = address_of(3);

struct SlashFold : testing::Test, fold_world {
  SlashFold() {
    join(1, ada);
    join(2, bob);
  }
  /// One that ends 100 seconds from now on.
  slash_created slash(std::int32_t number, const address& whom = bob, std::int32_t author = 1) const {
    return {{number}, now(), {100}, whom, {}, {author}, {0}, 250, slash_type::score, "why", "{}"};
  }
  slash_created slash_of_account(std::int32_t number, const std::string& account) const {
    auto out = slash(number, address{});
    out.attestation_hash = attestation_hash("x.com", account);
    return out;
  }
  const slash_row& row(std::int32_t number) const { return *rows.slashes.find({number}); }
  unix_time end_of(std::int32_t number) const { return row(number).ends_at(); }
  /// An event that has nothing to do with slashes happens at that time.
  void something_happens(unix_time at) {
    time = at.seconds;
    applied(edit_window_updated{{3600}});
  }
};

TEST_F(SlashFold, IsOpenWithTheTextsOfItsEvent) {
  const auto opened = now();
  applied(slash(1));
  EXPECT_EQ(row(1).author, profile_id{1});
  EXPECT_EQ(row(1).subject, subject_key{bob});
  EXPECT_EQ(row(1).user, user(2));
  EXPECT_EQ(row(1).subject_profile, profile_id{2});
  EXPECT_EQ(row(1).amount, 250);
  EXPECT_EQ(row(1).created_at, opened);
  EXPECT_EQ(row(1).comment, "why");
  EXPECT_FALSE(row(1).ended_by);
  applied(slash_edited{{1}, "because", "[]"});
  EXPECT_EQ(row(1).comment, "because");
  EXPECT_EQ(row(1).metadata, "[]");
}

TEST_F(SlashFold, LongTextsAreCut) {
  auto wordy = slash(1);
  wordy.comment = std::string(text_bytes_kept - 1, 'x') + "\xc3\xa4 and more";
  wordy.metadata = std::string(text_bytes_kept + 1, 'y');
  applied(wordy);
  EXPECT_EQ(row(1).comment, std::string(text_bytes_kept - 1, 'x')) << "without half a character";
  EXPECT_EQ(row(1).metadata, std::string(text_bytes_kept, 'y'));
  applied(slash_edited{{1}, std::string(text_bytes_kept * 2, 'z'), std::string(text_bytes_kept, 'w')});
  EXPECT_EQ(row(1).comment.size(), text_bytes_kept);
  EXPECT_EQ(row(1).metadata.size(), text_bytes_kept);
}

TEST_F(SlashFold, ASubjectMayBeNobodyKnown) {
  applied(slash(1, cyd));
  EXPECT_EQ(row(1).user, user_id{});
  EXPECT_FALSE(row(1).subject_profile);
  applied(slash_of_account(2, "7"));
  EXPECT_EQ(row(2).subject, subject_key{attestation_hash("x.com", "7")});
  EXPECT_EQ(row(2).user, user_id{});
  attest(1, 2, "8");
  applied(slash_of_account(3, "8"));
  EXPECT_EQ(row(3).subject_profile, profile_id{2});
}

TEST_F(SlashFold, WhatMakesNoSenseFails) {
  applied(slash(1));
  EXPECT_EQ(fold(slash(1)), "duplicate");
  EXPECT_EQ(fold(slash(2, bob, 9)), "missing_profile") << "nobody knows who the author is";
  EXPECT_EQ(fold(slash(2, address{})), "bad_word") << "about nobody";
  auto both = slash_of_account(2, "7");
  both.subject = bob;
  EXPECT_EQ(fold(both), "bad_word");
  auto huge = slash(2);
  huge.amount = uint256{1} << 31;
  EXPECT_EQ(fold(huge), "bad_word");
  auto late = slash(2);
  late.duration = {2147483648};
  EXPECT_EQ(fold(late), "bad_time");
  late.duration = {1};
  late.created_at = {253'402'300'799};
  EXPECT_EQ(fold(late), "bad_time") << "it would end in the year 10000";
  EXPECT_EQ(fold(slash_extended{{1}, {2147483648}}), "bad_time");
  for (const event& each :
       std::vector<event>{slash_edited{{9}, "", ""}, slash_extended{{9}, {5}}, slash_cancelled{{9}, ada, {5}},
                          slash_resolved{{9}, slash_resolution::slashed, 0}, resolution_executed{{9}}})
    EXPECT_EQ(fold(each), "missing_slash") << name_of(each);
  EXPECT_EQ(rows.slashes.all().size(), 1u);
}

TEST_F(SlashFold, ClosesAtItsEndBeforeWhatHappensThen) {
  applied(slash(1));
  const auto end = end_of(1);
  something_happens({end.seconds - 1});
  EXPECT_FALSE(row(1).ended_by);
  something_happens(end);
  EXPECT_EQ(row(1).ended_by, slash_end::time);
  EXPECT_EQ(row(1).closed_at, end);
}

TEST_F(SlashFold, ClosesAtItsEndHoweverLateThatIsNoticed) {
  applied(slash(1));
  const auto end = end_of(1);
  something_happens({end.seconds + 1000});
  EXPECT_EQ(row(1).closed_at, end);
}

TEST_F(SlashFold, IsExtendedAfterItsEnd) {
  applied(slash(1));
  something_happens({end_of(1).seconds + 5});
  applied(slash_extended{{1}, {500}});
  EXPECT_FALSE(row(1).ended_by);
  EXPECT_FALSE(row(1).closed_at);
  something_happens({end_of(1).seconds - 1});
  EXPECT_FALSE(row(1).ended_by);
  something_happens(end_of(1));
  EXPECT_EQ(row(1).closed_at, end_of(1));
  EXPECT_EQ(row(1).duration_s, 500);
}

TEST_F(SlashFold, WhatTheContractSaysTakesThePlaceOfTheVotes) {
  applied(slash(1));
  const auto end = end_of(1);
  something_happens({end.seconds + 5});
  applied(slash_resolved{{1}, slash_resolution::pending, 0});
  EXPECT_EQ(row(1).ended_by, slash_end::time) << "it has said nothing";
  applied(slash_resolved{{1}, slash_resolution::defended, 700});
  EXPECT_EQ(row(1).ended_by, slash_end::resolved);
  EXPECT_EQ(row(1).resolution, slash_resolution::defended);
  EXPECT_EQ(row(1).resolution_bps, 700);
  EXPECT_EQ(row(1).closed_at, end);
  applied(slash_extended{{1}, {5000}});
  EXPECT_EQ(row(1).ended_by, slash_end::resolved) << "for good";
  EXPECT_FALSE(row(1).executed);
  applied(resolution_executed{{1}});
  EXPECT_TRUE(row(1).executed);
}

TEST_F(SlashFold, IsResolvedBeforeItsEnd) {
  applied(slash(1));
  const auto at = now();
  applied(slash_resolved{{1}, slash_resolution::slashed, 0});
  EXPECT_EQ(row(1).closed_at, at);
  something_happens({end_of(1).seconds + 5});
  EXPECT_EQ(row(1).ended_by, slash_end::resolved);
  EXPECT_EQ(row(1).closed_at, at);
}

TEST_F(SlashFold, IsCancelledWhenTheEventSays) {
  applied(slash(1));
  applied(slash_cancelled{{1}, ada, {now().seconds - 3}});
  EXPECT_EQ(row(1).ended_by, slash_end::cancelled);
  EXPECT_EQ(row(1).closed_at, unix_time{now().seconds - 4});
  auto begun_cancelled = slash(2);
  begun_cancelled.cancelled_at = {1'650'000'000};
  applied(begun_cancelled);
  EXPECT_EQ(row(2).closed_at, unix_time{1'650'000'000});
}

TEST_F(SlashFold, IsForMoneyWhereItsEventSaysSo) {
  applied(slash(1));
  applied(financial_slash_created{{1}, {2}, {1}, 1, 1});
  EXPECT_EQ(row(1).type, slash_type::financial);
  applied(financial_slash_created{{2}, {2}, {1}, 1, 1});
  EXPECT_FALSE(rows.slashes.find({2})) << "its own event tells the rest";
}

TEST_F(SlashFold, WindowsAreParameters) {
  applied(edit_window_updated{{60}});
  applied(cancel_window_updated{{70}});
  applied(default_duration_updated{{80}});
  EXPECT_EQ(*rows.parameters.find({contract_kind::slash, "editWindow"}), "60");
  EXPECT_EQ(*rows.parameters.find({contract_kind::slash, "cancelWindow"}), "70");
  EXPECT_EQ(*rows.parameters.find({contract_kind::slash, "defaultDuration"}), "80");
}

TEST_F(SlashFold, AMissingIdIsNoticed) {
  applied(slash(1));
  EXPECT_TRUE(effects.gaps.empty());
  applied(slash(4));
  EXPECT_EQ(effects.gaps, (std::vector<id_gap>{{"slash", 2, 3}}));
}

TEST_F(SlashFold, TheOffsetCounts) {
  how.id_offset = 100;
  applied(profile_events::profile_created{{3}, cyd});
  applied(slash(1, bob, 3));
  EXPECT_EQ(row(101).author, profile_id{103});
  how.id_offset = 2147483640;
  EXPECT_EQ(fold(slash(8, bob, 3)), "id_out_of_range");
  EXPECT_EQ(fold(slash_edited{{8}, "", ""}), "id_out_of_range");
  EXPECT_EQ(fold(financial_slash_created{{8}, {2}, {1}, 1, 1}), "id_out_of_range");
}

/// What a step writes, in pieces.
struct SlashSteps : SlashFold {
  SlashSteps() {
    followed.add(record_kind::slash);
    followed.add(record_kind::vote);
    rows.settle();
  }
  /// A block at that time.
  void block(unix_time at, const std::vector<event>& entries = {}) {
    step.tip = {step.tip.number + 1, {}, {}, at};
    step.blocks.push_back(step.tip);
    follow_settings where;
    where.contracts = how.contracts;
    std::vector<chain_log> logs;
    for (const auto& each : entries) {
      const auto content = encode_log(each);
      chain_log log;
      log.from = contract_of(visit([]<class E>(const E&) { return E::is.contract; }, each));
      where.contracts[log.from] = visit([]<class E>(const E&) { return E::is.contract; }, each);
      log.topics = content.topics;
      log.data = content.data;
      log.block = step.tip.number;
      log.at = at;
      logs.push_back(log);
    }
    for (auto& each : events_of(logs, where, static_cast<std::int64_t>(step.events.size()) + 1))
      step.events.push_back(std::move(each));
  }
  /// `piece:block:table`, in order, of the rows that are written.
  std::string written() {
    const fold_step order{step, how, followed, "", {}, false};
    folded = step_fold{order}.fold(rows);
    std::string out;
    for (const auto& each : folded.rows)
      if (each.relation != "chain_last_ids")
        out += (out.empty() ? "" : " ") + std::to_string(each.piece) + ":" + std::to_string(each.undo_block) + ":"
               + each.relation;
    return out;
  }
  event vote(std::int32_t number) const {
    return vote_events::voted{true, {2}, contract_of(contract_kind::slash), {1}, {number}};
  }

  record_kinds followed;
  blocks_applied step;
  folded_step folded;
};

TEST_F(SlashSteps, ABlockWithoutEventsClosesASlash) {
  const auto begin = now();
  block(begin, {slash(1)});
  block({begin.seconds + 99});
  block({begin.seconds + 100});
  EXPECT_EQ(written(), "0:1:slashes 2:3:slashes") << "so that the block takes the closing along if it goes";
}

/// Three slashes have ended, and nothing has closed them.
struct SlashesThatEndTogether : SlashSteps {
  SlashesThatEndTogether() {
    const auto begin = now();
    block(begin, {slash(1), slash(2), slash(3)});
    written();
    step.events.clear();
    step.blocks.clear();
    end = {begin.seconds + 100};
  }
  unix_time end;
};

TEST_F(SlashesThatEndTogether, TwoCloseAheadOfAnEventAndThenTheThird) {
  block(end, {vote(1)});
  EXPECT_EQ(written(), "1:2:slashes 1:2:slashes");
  EXPECT_TRUE(folded.more_due);
  EXPECT_TRUE(folded.events.empty()) << "the vote comes when all are closed";
  EXPECT_EQ(written(), "1:2:slashes 2:2:activity_votes");
  EXPECT_FALSE(folded.more_due);
  EXPECT_EQ(folded.events.size(), 1u);
  for (const auto& [number, each] : rows.slashes.all())
    EXPECT_EQ(each.closed_at, each.ends_at());
}

TEST_F(SlashesThatEndTogether, TwoCloseWithABlockWithoutEventsAndTheThirdByItsTimeAlone) {
  block(end);
  EXPECT_EQ(written(), "1:2:slashes 1:2:slashes");
  EXPECT_TRUE(folded.more_due);
  step.blocks.clear();
  EXPECT_EQ(written(), "1:2:slashes") << "it goes with the block at whose time it closed";
  EXPECT_FALSE(folded.more_due);
}

TEST_F(SlashesThatEndTogether, AStepEndsBeforeAnEventBehindWhichMoreAreDue) {
  block({end.seconds - 1}, {vote(1)});
  block(end, {vote(2)});
  written();
  EXPECT_TRUE(folded.more_due);
  EXPECT_EQ(folded.events.size(), 1u);
}

TEST_F(SlashSteps, VotesBeforeAndAfterAClosingAreWrittenApart) {
  step.finalized = 10;
  const auto begin = now();
  block(begin, {slash(1), vote(1)});
  block({begin.seconds + 100},
        {vote_events::vote_changed{false, false, {2}, contract_of(contract_kind::slash), {1}, {1}}});
  EXPECT_EQ(written(), "0:0:activity_votes 0:0:slashes 1:0:slashes 2:0:activity_votes");
}

TEST_F(SlashSteps, WhatTheContractDecidesIsWrittenAlone) {
  const auto begin = now();
  block(begin, {slash(1), vote(1), slash_resolved{{1}, slash_resolution::slashed, 0},
                vote_events::vote_changed{false, false, {2}, contract_of(contract_kind::slash), {1}, {1}}});
  EXPECT_EQ(written(), "0:1:activity_votes 0:1:slashes 1:1:slashes 2:1:activity_votes");
}

} // namespace
} // namespace credence::chain
