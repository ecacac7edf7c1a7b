#include "actors/news/news_actor.hpp"

#include "actors/news/news_state.hpp"
#include "tests/actors/deterministic_world.hpp"

#include <gtest/gtest.h>

namespace credence::test {

/// Ends the errand of a fake reader; without an answer it is dropped.
struct end_errand {
  std::optional<news::looked_up> with;
};

namespace {

using namespace std::chrono_literals;
using result = news::looked_up::result;
using fake_reader_handle = extended<news::post_reader_handle, end_errand>;

/// Who has been asked and has not answered, in that order.
struct open_errands {
  std::deque<fake_reader_handle> all;
  int asked = 0;
};

class fake_post_reader : public actor {
public:
  static inline const char* name = "post reader";
  using takes = fake_reader_handle::takes;

  void start(std::shared_ptr<open_errands> errands) { errands_ = std::move(errands); }
  void on(const ask<news::look_up>& question) {
    asked_ = question;
    ++errands_->asked;
    errands_->all.emplace_back(this_actor());
  }
  void on(const end_errand& how) {
    if (how.with)
      asked_.answer(*how.with);
    else
      asked_.fail(failure::unavailable);
  }

private:
  std::shared_ptr<open_errands> errands_;
  ask<news::look_up> asked_;
};

steady_time virtual_time{};

struct NewsActor : testing::Test {
  NewsActor() {
    virtual_time = std::chrono::steady_clock::now();
    steady_clock::in_place = [] { return virtual_time; };
    for (int i = 1; i <= 9; ++i)
      world.storage->x_accounts[profile_id{i}] = {std::to_string(100 + i), {}};
    world.open();
    for (int i = 0; i < readers_count; ++i)
      readers.emplace_back(spawn<fake_post_reader>(world.sys, errands));
    asking = news::spawn_news(world.sys, world.with, world.backing, readers);
  }
  ~NewsActor() override {
    errands->all.clear();
    tell_to_end(asking);
    for (const auto& each : readers)
      tell_to_end(each);
    asking = nullptr;
    readers.clear();
    world.run();
    steady_clock::in_place = nullptr;
  }

  ask<news::get_news> news_of(std::initializer_list<int> owners, std::chrono::seconds timeout = 100s,
                              const asker& by = {}) {
    news::get_news wanted;
    for (const auto each : owners)
      wanted.owners.push_back(profile_id{each});
    ask<news::get_news> question{std::move(wanted), world.sink, steady_clock::now() + timeout};
    question.get()->speak_for(by);
    send(asking, question);
    world.run();
    return question;
  }
  void end(const end_errand& how) {
    ASSERT_FALSE(errands->all.empty());
    send(errands->all.front(), how);
    errands->all.pop_front();
    world.run();
  }
  /// Answers the oldest errand.
  void answer(const news::looked_up& post) { end({post}); }
  void post(const std::string& text) {
    news::post one;
    one.text = text;
    answer({.outcome = result::found, .newest = std::make_shared<const news::post>(std::move(one))});
  }
  void pass(std::chrono::milliseconds time) {
    virtual_time += time;
    world.advance(time);
  }
  /// The texts in order, `-` for null; empty when there is no answer.
  static std::string texts(const ask<news::get_news>& question) {
    std::string out;
    if (const auto* items = deterministic_world::yes(question))
      for (const auto& each : *items)
        out +=
          (out.empty() ? "" : " ") + std::to_string(each.owner.value) + ":" + (each.newest ? each.newest->text : "-");
    return out;
  }

  static constexpr int readers_count = 2;
  deterministic_world world;
  std::shared_ptr<open_errands> errands = std::make_shared<open_errands>();
  std::vector<news::post_reader_handle> readers;
  news::news_handle asking;
};

TEST_F(NewsActor, AnswersInTheOrderAskedOnceAllAreKnown) {
  const auto pending = news_of({3, 1, 77, 3});
  EXPECT_TRUE(deterministic_world::open_still(pending));
  post("three");
  EXPECT_TRUE(deterministic_world::open_still(pending));
  post("one");
  EXPECT_EQ(texts(pending), "3:three 1:one 77:- 3:three");
  EXPECT_EQ(texts(news_of({1, 3})), "1:one 3:three");
  EXPECT_EQ(errands->asked, 2) << "what is known is not asked for";
}

TEST_F(NewsActor, RequestsShareALookUp) {
  const auto first = news_of({1});
  const auto second = news_of({1});
  EXPECT_EQ(errands->asked, 1);
  post("one");
  EXPECT_EQ(texts(first), "1:one");
  EXPECT_EQ(texts(second), "1:one");
}

TEST_F(NewsActor, AsksAsManyAtATimeAsThereAreReaders) {
  const auto pending = news_of({1, 2, 3, 4, 5});
  EXPECT_EQ(errands->asked, readers_count);
  for (const auto* text : {"one", "two", "three", "four", "five"}) {
    EXPECT_LE(errands->all.size(), static_cast<std::size_t>(readers_count));
    post(text);
  }
  EXPECT_EQ(texts(pending), "1:one 2:two 3:three 4:four 5:five");
}

TEST_F(NewsActor, WhoAsksForOneDoesNotWaitForAllOfWhoAsksForMany) {
  const auto many = news_of({1, 2, 3, 4, 5, 6, 7, 8}, 100s, {asker_rank::anonymous, 1});
  const auto one = news_of({9}, 100s, {asker_rank::anonymous, 2});
  for (const auto* text : {"one", "two", "three", "nine"})
    post(text);
  EXPECT_EQ(texts(one), "9:nine");
  EXPECT_TRUE(deterministic_world::open_still(many));
}

TEST_F(NewsActor, AFailureIsNullAndFailsNothingElse) {
  const auto pending = news_of({1, 2});
  answer({.outcome = result::failed, .why = "away"});
  post("two");
  EXPECT_EQ(texts(pending), "1:- 2:two");
}

TEST_F(NewsActor, WhatIsNotKnownInTimeIsNullAndStillFillsTheMemory) {
  const auto pending = news_of({1, 2});
  post("one");
  pass(1999ms);
  EXPECT_TRUE(deterministic_world::open_still(pending));
  pass(1ms);
  EXPECT_EQ(texts(pending), "1:one 2:-");
  post("two");
  EXPECT_EQ(texts(news_of({2, 1})), "2:two 1:one");
}

TEST_F(NewsActor, LeavesTheAskerTimeToHearTheAnswer) {
  const auto pending = news_of({1}, 1s);
  pass(800ms);
  EXPECT_EQ(texts(pending), "1:-");
}

TEST_F(NewsActor, AreThoseOfYesterdayWhileTheNewOnesAreNotThere) {
  news_of({1});
  post("yesterday");
  pass(24h);
  const auto pending = news_of({1});
  pass(2s);
  EXPECT_EQ(texts(pending), "1:yesterday");
  post("today");
  EXPECT_EQ(texts(news_of({1})), "1:today");
}

TEST_F(NewsActor, OfASourceThatFailsAgainAndAgainAreNullAtOnce) {
  const auto pending = news_of({1, 2, 3, 4, 5, 6, 7});
  for (int i = 0; i < news::circuit_breaker::failures_max; ++i)
    answer({.outcome = result::failed, .why = "away"});
  EXPECT_TRUE(deterministic_world::open_still(pending)) << "the sixth is under way";
  answer({.outcome = result::failed, .why = "away"});
  EXPECT_EQ(texts(pending), "1:- 2:- 3:- 4:- 5:- 6:- 7:-");
  EXPECT_EQ(errands->asked, 6);
  EXPECT_EQ(texts(news_of({8, 9})), "8:- 9:-");
  EXPECT_EQ(errands->asked, 6);
  pass(news::circuit_breaker::open_for);
  const auto trial = news_of({8, 9});
  EXPECT_EQ(errands->asked, 7);
  post("eight");
  post("nine");
  EXPECT_EQ(texts(trial), "8:eight 9:nine");
}

TEST_F(NewsActor, WithoutAReaderAreNullAndStorageIsNotAsked) {
  world.storage->loads_fail = true;
  const auto alone = news::spawn_news(world.sys, world.with, world.backing, {});
  EXPECT_EQ(texts(world.put(alone, news::get_news{{profile_id{1}}})), "1:-");
  tell_to_end(alone);
}

TEST_F(NewsActor, FailWhenStorageDoes) {
  world.storage->loads_fail = true;
  EXPECT_EQ(deterministic_world::trouble(news_of({1})), failure::unavailable);
  EXPECT_EQ(errands->asked, 0);
}

TEST_F(NewsActor, AReaderThatEndsIsAFailedLookUp) {
  const auto pending = news_of({1});
  end({});
  EXPECT_EQ(texts(pending), "1:-");
}

} // namespace
} // namespace credence::test
