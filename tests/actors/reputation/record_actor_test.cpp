#include "actors/reputation/record_actor.hpp"
#include "tests/actors/deterministic_world.hpp"
#include "tests/actors/reputation/record_examples.hpp"

#include <gtest/gtest.h>

namespace credence::reputation {
namespace {

using test::deterministic_world;

struct RecordKeeper : testing::Test {
  RecordKeeper() {
    world.storage->record_rows = four_profiles();
    world.open();
  }

  template <class Q>
  ask<Q> put(Q question, std::chrono::seconds timeout = std::chrono::seconds{100}) {
    return world.put(world.others.records, std::move(question), timeout);
  }
  /// What the oldest change that is on its way says, which is committed now.
  template <class Change>
  Change stored() {
    auto change = get<Change>(world.storage->written.front().change);
    if constexpr (std::is_same_v<Change, review_created>) {
      auto& rows = world.storage->record_rows;
      rows.last.review = change.record.id;
      rows.reviews.push_back(change.record);
      if (change.subject)
        for (auto& each : rows.subjects)
          if (each.key == change.subject->name.key)
            each = {each.key, each.owner, change.subject->generation, change.subject->user};
    }
    world.resolve(write_result::stored);
    return change;
  }
  std::size_t under_way() const { return world.storage->written.size(); }

  deterministic_world world;
};

TEST_F(RecordKeeper, WhatEventsOfAChainTellOfProjectsIsNotWritten) {
  world.with->followed.add(chain::record_kind::project);
  EXPECT_EQ(world.no(put(create_project{})), refusal_code::followed_from_chain);
  EXPECT_EQ(world.no(put(archive_project{project_id{1}})), refusal_code::followed_from_chain);
  const auto edit = [](auto change) {
    edit_project command;
    command.id = project_id{1};
    command.as_admin = true;
    change(command);
    return command;
  };
  EXPECT_EQ(world.no(put(edit([](edit_project& to) { to.names.display_name = "Lighthouse"; }))),
            refusal_code::followed_from_chain);
  EXPECT_EQ(world.no(put(edit([](edit_project& to) { to.description = ""; }))), refusal_code::followed_from_chain);
  EXPECT_EQ(world.no(put(edit([](edit_project& to) { to.banner_image_url = ""; }))), refusal_code::followed_from_chain);
  EXPECT_EQ(world.no(put(edit([](edit_project& to) { to.team.emplace(); }))), refusal_code::followed_from_chain);
  EXPECT_EQ(world.no(put(edit([](edit_project& to) { to.promoted = true; }))), refusal_code::project_not_found)
    << "which no event tells";
  EXPECT_EQ(under_way(), 0u);
}

TEST_F(RecordKeeper, AnswersOnceTheChangeIsCommitted) {
  const auto pending = put(review_of(1, by_wallet(2)));
  EXPECT_TRUE(world.open_still(pending));
  stored<review_created>();
  EXPECT_EQ(world.yes(pending)->id, review_id{1});
}

TEST_F(RecordKeeper, AnswersWhoeverPollsFromMemoryUntilARecordIsWritten) {
  const list_notices question{profile_id{1}, {10, 0}};
  const auto told = [&] { return world.yes(put(question))->total; }; // how often it was read
  EXPECT_EQ(told(), 1);
  EXPECT_EQ(told(), 1);
  EXPECT_EQ(world.yes(put(list_notices{profile_id{2}, {10, 0}}))->total, 2) << "of somebody else";
  EXPECT_EQ(world.yes(put(list_notices{profile_id{1}, {10, 10}}))->total, 3) << "another page";
  EXPECT_EQ(told(), 1);
  const auto review = put(review_of(2, by_wallet(1)));
  stored<review_created>();
  ASSERT_TRUE(world.yes(review));
  EXPECT_EQ(told(), 4) << "it may be about the one who polls";
  EXPECT_EQ(told(), 4);
  static steady_time later;
  later = steady_clock::now() + std::chrono::seconds{6};
  steady_clock::in_place = [] { return later; };
  const auto late = world.yes(put(question))->total;
  steady_clock::in_place = nullptr;
  EXPECT_EQ(late, 5) << "a chain may have told of others";
}

TEST_F(RecordKeeper, ForgetsTheOldestPageOfNotificationsWhenThereAreTooMany) {
  const auto told = [&](std::int32_t offset) {
    return world.yes(put(list_notices{profile_id{1}, {10, offset}}))->total;
  };
  for (std::int32_t i = 0; i <= 512; ++i)
    EXPECT_EQ(told(i), i + 1);
  EXPECT_EQ(told(1), 2) << "kept";
  EXPECT_EQ(told(512), 513) << "kept";
  EXPECT_EQ(told(0), 514) << "read anew";
}

TEST_F(RecordKeeper, DecidesWhatWaitsTogetherOverOneReading) {
  const auto first = put(review_of(1, by_wallet(2)));
  const auto second = put(review_of(2, by_wallet(1)));
  const auto third = put(review_of(3, by_wallet(1)));
  EXPECT_EQ(under_way(), 1u) << "the next round begins when the fate of this one is known";
  EXPECT_EQ(world.storage->record_loads, 1);
  stored<review_created>();
  EXPECT_EQ(under_way(), 2u);
  EXPECT_EQ(world.storage->record_loads, 2);
  EXPECT_TRUE(stored<review_created>().subject) << "the first of the round to name it";
  EXPECT_FALSE(stored<review_created>().subject) << "the one after it sees that";
  EXPECT_EQ(world.yes(second)->id, review_id{2});
  EXPECT_EQ(world.yes(third)->id, review_id{3});
}

TEST_F(RecordKeeper, ARefusalWaitsForTheChangesItRestsOn) {
  put(review_of(1, by_wallet(2)));
  stored<review_created>();
  const auto hold = put(review_of(2, by_wallet(3)));
  const auto archived = put(archive_review{review_id{1}, profile_id{1}});
  const auto edited = put(edit_review{review_id{1}, profile_id{1}, "too late", std::nullopt, false});
  stored<review_created>();
  EXPECT_TRUE(world.open_still(edited)) << "that it is archived is not committed";
  stored<review_archived>();
  EXPECT_TRUE(world.yes(archived)->archived);
  EXPECT_EQ(world.no(edited), refusal_code::record_archived);
}

TEST_F(RecordKeeper, RecordsThatAreFollowedFromAChainAreClosed) {
  for (const auto kind : {chain::record_kind::reply, chain::record_kind::vouch, chain::record_kind::bond})
    world.with->followed.add(kind);
  EXPECT_EQ(world.no(put(edit_reply{})), refusal_code::followed_from_chain);
  EXPECT_EQ(world.no(put(create_vouch{})), refusal_code::followed_from_chain);
  EXPECT_EQ(world.no(put(move_vouch{})), refusal_code::followed_from_chain);
  EXPECT_EQ(world.no(put(mark_unhealthy{})), refusal_code::followed_from_chain);
  EXPECT_EQ(world.no(put(archive_bond{})), refusal_code::followed_from_chain);
  const auto open = put(review_of(1, by_wallet(2)));
  EXPECT_TRUE(world.open_still(open)) << "another kind";
}

TEST_F(RecordKeeper, NobodyIsMergedByOrderWhereAChainTellsWhoIsWho) {
  world.with->followed.add(chain::record_kind::identity);
  EXPECT_EQ(world.no(put(link_address{profile_id{1}, wallet_of(0xAB), std::nullopt, true})),
            refusal_code::followed_from_chain)
    << "nor is it tried";
  attest_account claim;
  claim.profile = profile_id{1};
  claim.which = by_account("a");
  claim.as_admin = true;
  EXPECT_EQ(world.no(put(claim)), refusal_code::followed_from_chain);
  EXPECT_EQ(under_way(), 0u);
}

TEST_F(RecordKeeper, ADryRunWritesNothing) {
  auto query = review_of(1, by_wallet(2));
  query.dry_run = true;
  const auto tried = put(query);
  EXPECT_EQ(world.yes(tried)->id, review_id{});
  EXPECT_EQ(under_way(), 0u);
}

TEST_F(RecordKeeper, ARefusedChangeFailsAloneAndThoseAfterItAreDecidedAgain) {
  const auto hold = put(review_of(3, by_wallet(2)));
  const auto bad = put(review_of(1, by_wallet(2)));
  const auto good = put(review_of(2, by_wallet(1)));
  stored<review_created>();
  EXPECT_EQ(world.trouble(world.after(write_result::failed, bad)), failure::refused);
  EXPECT_TRUE(world.open_still(good));
  world.storage->written.pop_front(); // of the attempt that was given up
  EXPECT_EQ(stored<review_created>().record.id, review_id{2}) << "the number of the one that failed";
  EXPECT_EQ(world.yes(good)->id, review_id{2});
}

TEST_F(RecordKeeper, WhatWasNeverWrittenIsDecidedAgain) {
  const auto pending = put(review_of(1, by_wallet(2)));
  EXPECT_TRUE(world.open_still(world.after(write_result::not_written, pending)));
  stored<review_created>();
  EXPECT_EQ(world.yes(pending)->id, review_id{1});
}

TEST_F(RecordKeeper, WaitsWhileTheOutcomeIsInDoubt) {
  const auto pending = put(review_of(1, by_wallet(2)));
  world.resolve(write_result::in_doubt);
  const auto next = put(review_of(2, by_wallet(1)));
  EXPECT_EQ(world.storage->record_loads, 1) << "rows may be about to change";
  stored<review_created>();
  EXPECT_TRUE(world.yes(pending));
  EXPECT_EQ(stored<review_created>().record.id, review_id{2});
}

TEST_F(RecordKeeper, WhatWasStoredAndNeverToldIsSeenByTheNextRound) {
  const auto pending = put(review_of(1, by_wallet(2)));
  auto change = get<review_created>(world.storage->written.front().change);
  world.storage->record_rows.last.review = change.record.id; // committed, and the connection was lost
  world.storage->record_rows.reviews.push_back(change.record);
  EXPECT_EQ(world.trouble(world.after(write_result::failed, pending)), failure::refused);
  const auto next = put(review_of(2, by_wallet(1)));
  EXPECT_EQ(stored<review_created>().record.id, review_id{2});
}

TEST_F(RecordKeeper, AnAddressThatTwoLinkInOneRoundIsOfTheFirst) {
  const auto hold = put(review_of(3, by_wallet(2)));
  const auto link = [](int profile) {
    return link_address{profile_id{profile}, wallet_of(0xAB),
                        profile::signed_nonce{wallet_of(0xAB), "n0nce" + std::to_string(profile), noon}};
  };
  const auto first = put(link(1));
  const auto second = put(link(2));
  stored<review_created>();
  EXPECT_TRUE(world.open_still(second)) << "the refusal rests on the first, which is not stored";
  EXPECT_EQ(stored<address_linked>().profile, profile_id{1});
  EXPECT_TRUE(world.yes(first));
  EXPECT_EQ(world.no(second), refusal_code::address_taken);
  EXPECT_EQ(under_way(), 0u);
}

TEST_F(RecordKeeper, WhoeverHearsThatAProfileIsArchivedFindsItSoEverywhere) {
  using status = people::people_index::status;
  ASSERT_EQ(world.people.status_of(profile_id{1}), status::live);
  const auto pending = put(archive_profile{profile_id{1}, profile_id{1}});
  EXPECT_TRUE(world.open_still(pending));
  world.storage->people.front().live = false; // as it is committed
  stored<profile_archived>();
  EXPECT_TRUE(world.yes(pending));
  EXPECT_EQ(world.people.status_of(profile_id{1}), status::archived);
}

TEST_F(RecordKeeper, SaysSoWhenNothingCanBeReadOrWritten) {
  world.storage->loads_fail = true;
  EXPECT_EQ(world.trouble(put(review_of(1, by_wallet(2)))), failure::unavailable);
  world.storage->loads_fail = false;
  world.status.writable = false;
  EXPECT_EQ(world.trouble(put(review_of(1, by_wallet(2)))), failure::unavailable);
  world.status.writable = true;
  put(review_of(1, by_wallet(2)));
  EXPECT_EQ(under_way(), 1u) << "and goes on";
}

TEST_F(RecordKeeper, DoesNotDecideWhatNobodyWaitsForAnyMore) {
  put(review_of(1, by_wallet(2)));
  const auto late = put(review_of(2, by_wallet(1)), std::chrono::seconds{0});
  stored<review_created>();
  EXPECT_EQ(world.trouble(late), failure::timed_out);
  EXPECT_EQ(under_way(), 0u);
}

} // namespace
} // namespace credence::reputation
