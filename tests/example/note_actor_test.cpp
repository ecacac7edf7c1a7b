#include "tests/actors/deterministic_world.hpp"
#include "tests/example/note_actor.hpp"

#include <gtest/gtest.h>

namespace credence::note {
namespace {

using test::deterministic_world;

constexpr profile_id author{3};

struct NoteActor : testing::Test {
  NoteActor() {
    world.storage->notes[author].notes = {{1, "the first", test::at_day(2026, 3, 1), false},
                                          {2, "put away", test::at_day(2026, 3, 2), true}};
    world.open();
  }

  template <class Q>
  ask<Q> put(Q question) {
    return world.put(world.others.notes, std::move(question));
  }
  std::vector<note> listed() {
    const auto pending = put(list_notes{author});
    return *world.yes(pending);
  }

  deterministic_world world;
};

TEST_F(NoteActor, ReadsWhatIsStored) {
  ASSERT_EQ(listed().size(), 1u);
  EXPECT_EQ(listed().front().text, "the first");
  EXPECT_TRUE(world.yes(put(get_note{author, 2}))->archived);
  EXPECT_EQ(world.no(put(get_note{author, 3})), refusal_code::not_found);
}

TEST_F(NoteActor, AnswersOnceTheChangeIsCommittedAndShowsNothingBefore) {
  const auto written = put(create_note{author, "the third"});
  EXPECT_TRUE(world.open_still(written));
  EXPECT_EQ(listed().size(), 1u);
  const auto edited = put(edit_note{author, 3, "changed on its way"});
  EXPECT_TRUE(world.open_still(edited)) << "decided on what is pending";
  EXPECT_EQ(world.yes(world.after(write_result::stored, written))->number, 3);
  EXPECT_EQ(listed().back().text, "the third");
  EXPECT_EQ(world.yes(world.after(write_result::stored, edited))->text, "changed on its way");
}

TEST_F(NoteActor, WhatIsArchivedIsNotChangedAndNotListed) {
  const auto archived = put(archive_note{author, 1});
  const auto edited = put(edit_note{author, 1, "too late"});
  EXPECT_TRUE(world.open_still(edited)) << "the refusal rests on a change that is not committed";
  EXPECT_TRUE(world.yes(world.after(write_result::stored, archived))->archived);
  EXPECT_EQ(world.no(edited), refusal_code::not_found);
  EXPECT_TRUE(listed().empty());
}

TEST_F(NoteActor, TakesBackWhatWasNeverWritten) {
  const auto lost = put(create_note{author, "lost"});
  EXPECT_EQ(world.trouble(world.after(write_result::not_written, lost)), failure::unavailable);
  const auto next = put(create_note{author, "kept"});
  EXPECT_EQ(world.yes(world.after(write_result::stored, next))->number, 3) << "the number of the lost one";
}

TEST_F(NoteActor, IsLoadedAfreshAfterACrashAndKnowsWhatWasStored) {
  put(create_note{author, "stored, and never told"});
  world.kill_sender(world.storage->written.front());
  world.storage->notes[author].notes.push_back({3, "stored, and never told", test::at_day(2026, 3, 10), false});
  EXPECT_EQ(listed().size(), 2u);
  const auto next = put(create_note{author, "after it"});
  world.storage->written.pop_front();
  EXPECT_EQ(world.yes(world.after(write_result::stored, next))->number, 4);
}

TEST_F(NoteActor, ARefusedChangeFailsAloneAndTheNextIsAskedAgain) {
  const auto refused = put(create_note{author, "the database says no"});
  const auto next = put(create_note{author, "fine"});
  EXPECT_EQ(world.trouble(world.after(write_result::failed, refused)), failure::refused);
  EXPECT_TRUE(world.open_still(next));
  world.storage->written.erase(world.storage->written.begin(), std::prev(world.storage->written.end()));
  EXPECT_EQ(world.yes(world.after(write_result::stored, next))->number, 3);
}

} // namespace
} // namespace credence::note
