#include "actors/funds/funds_actor.hpp"
#include "actors/idempotency/idempotency_actor.hpp"
#include "actors/kernel/heartbeat_actor.hpp"
#include "actors/kernel/inline_executor.hpp"
#include "actors/market/market_actor.hpp"
#include "actors/profile/profile_actor.hpp"
#include "tests/actors/deterministic_world.hpp"
#include "tests/waiting.hpp"

namespace credence {
namespace {

using namespace std::chrono_literals;

static_assert(std::is_same_v<without<types<int, char, long>, types<char>>, types<int, long>>);
static_assert(std::is_same_v<without<types<int, char>, types<>>, types<int, char>>);
static_assert(std::is_same_v<without<types<int>, types<int, char>>, types<>>);

struct note {
  std::string text;
};
struct how_many {
  using answer_type = int;
  int of = 0;
};
struct which {
  using answer_type = std::string;
};
using answering = actor_handle<how_many, which, note>;
static_assert(std::is_convertible_v<answering, actor_handle<which>>);
static_assert(!std::is_convertible_v<actor_handle<which>, answering>, "it takes less");
static_assert(std::is_same_v<extended<actor_handle<which>, note>, actor_handle<which, note>>);

/// Lets go of what it gets; the test looks at the answer by a question of its own.
struct kept_answers final : answer_sink {
  void deliver(envelope_base* answered) noexcept override {
    ++delivered;
    answered->deref();
  }
  int delivered = 0;
};

struct Actors : testing::Test {
  Actors() {
    config_.set("scheduler.policy", caf::atom("testing"));
    sys.emplace(config_);
    sched = &dynamic_cast<caf::scheduler::test_coordinator&>(sys->scheduler());
  }
  template <class Q>
  ask<Q> question(Q what) {
    return {std::move(what), answers, steady_clock::now() + 1min};
  }

  caf::actor_system_config config_;
  std::optional<caf::actor_system> sys;
  caf::scheduler::test_coordinator* sched = nullptr;
  kept_answers answers;
  std::vector<std::string> heard;
};

TEST_F(Actors, MessagesAndQuestionsOfEachKindReachTheirOwnHandlers) {
  const auto told = spawn_functions<answering>(
    *sys, [](const ask<how_many>& asked) { asked.answer(asked->of + 1); },
    [before = false](const ask<which>& asked) mutable {
      if (!std::exchange(before, true))
        asked.answer(std::string{"this one"});
    },
    [this](const note& message) { heard.push_back(message.text); });
  const auto first = question(how_many{4});
  const auto second = question(which{});
  const auto dropped = question(which{});
  send(told, first);
  post(told, second);
  post(told, dropped);
  send(told, note{"a"});
  sched->run();
  ASSERT_TRUE(first.get()->answer());
  EXPECT_EQ(*first.get()->answer(), 5);
  ASSERT_TRUE(second.get()->answer());
  EXPECT_EQ(*second.get()->answer(), "this one");
  EXPECT_FALSE(dropped.get()->answered()) << "the test holds it still: nobody strands it";
  EXPECT_EQ(answers.delivered, 2);
  EXPECT_EQ(heard, std::vector<std::string>{"a"});
  tell_to_end(told);
  sched->run();
}

TEST_F(Actors, AQuestionThatAnEndingActorHasNotReadIsStranded) {
  const auto gone = spawn_functions<answering>(*sys, [](const auto&) {});
  sched->run();
  tell_to_end(gone);
  send(gone, question(which{}));
  sched->run();
  EXPECT_EQ(answers.delivered, 1);
  send(gone, question(which{}));
  EXPECT_EQ(answers.delivered, 2) << "it is gone";
}

/// Asks another actor by each `note`, and notes what comes.
class asker_of_another : public actor {
public:
  static inline const char* name = "asker";
  using takes = types<note>;

  void start(actor_handle<how_many> other, std::vector<std::string>* heard) {
    other_ = std::move(other);
    heard_ = heard;
  }
  void on(const note& message) {
    heard_->push_back(message.text);
    auto asked = request(other_, message.text == "patiently" ? for_ever : 100ms, how_many{1});
    const auto found = [this](int answer) { heard_->push_back(std::to_string(answer)); };
    const auto failed = [this](failure why) { heard_->emplace_back(text_of(why)); };
    if (message.text == "alone")
      std::move(asked).await(found, failed);
    else
      std::move(asked).then(found, failed);
  }

private:
  actor_handle<how_many> other_;
  std::vector<std::string>* heard_ = nullptr;
};

TEST_F(Actors, AnAnswerThatIsAwaitedComesBeforeAllOtherMessages) {
  const auto other = spawn_functions<actor_handle<how_many>>(*sys, [](const ask<how_many>& asked) { asked.answer(7); });
  const actor_handle<note> asking{spawn<asker_of_another>(*sys, other, &heard)};
  send(asking, note{"a"});
  send(asking, note{"alone"});
  send(asking, note{"b"});
  sched->run();
  EXPECT_EQ(heard, (std::vector<std::string>{"a", "alone", "7", "b", "7", "7"}))
    << "b waits, and so does the answer to a";
  tell_to_end(asking);
  tell_to_end(other);
  sched->run();
}

TEST_F(Actors, WhatWasSetAsideIsTakenInPiecesAndInItsOrder) {
  std::vector<ask<how_many>> kept;
  const auto other =
    spawn_functions<actor_handle<how_many>>(*sys, [&](const ask<how_many>& asked) { kept.push_back(asked); });
  const actor_handle<note> asking{spawn<asker_of_another>(*sys, other, &heard)};
  std::vector<std::string> expected{"alone"};
  send(asking, note{"alone"});
  for (int i = 0; i < 200; ++i)
    send(asking, note{expected.emplace_back("set aside " + std::to_string(i))});
  sched->run();
  EXPECT_EQ(heard, std::vector<std::string>{"alone"});
  kept.at(0).answer(7);
  expected.insert(expected.begin() + 1, "7");
  sched->run_once();
  EXPECT_EQ(heard.size(), 2u + 64u) << "one turn takes no more, so that others get theirs";
  send(asking, note{expected.emplace_back("later")});
  sched->run();
  EXPECT_EQ(heard, expected);
  kept.clear();
  tell_to_end(asking);
  tell_to_end(other);
  sched->run();
}

TEST_F(Actors, ARequestIsToldThatItsTimeIsUpOrThatNobodyIsThere) {
  std::vector<ask<how_many>> kept;
  const auto silent =
    spawn_functions<actor_handle<how_many>>(*sys, [&](const ask<how_many>& asked) { kept.push_back(asked); });
  const actor_handle<note> asking{spawn<asker_of_another>(*sys, silent, &heard)};
  send(asking, note{"patiently"});
  send(asking, note{"briefly"});
  sched->run();
  sched->advance_time(101ms);
  sched->run();
  EXPECT_EQ(heard, (std::vector<std::string>{"patiently", "briefly", "timed out"}));
  kept.at(1).answer(7); // too late
  kept.clear();
  sched->run();
  EXPECT_EQ(heard.back(), "stranded");
  tell_to_end(silent);
  sched->run();
  send(asking, note{"patiently"});
  sched->run();
  EXPECT_EQ(heard.back(), "stranded");
  tell_to_end(asking);
  sched->run();
}

TEST_F(Actors, AnActorThatIsGoneHoldsNothingOfWhatItHasAskedFor) {
  std::vector<ask<how_many>> kept;
  const auto silent =
    spawn_functions<actor_handle<how_many>>(*sys, [&](const ask<how_many>& asked) { kept.push_back(asked); });
  const actor_handle<note> asking{spawn<asker_of_another>(*sys, silent, &heard)};
  bool well = true;
  when_gone(asking, [&](bool by_itself, const std::string&) { well = by_itself; });
  send(asking, note{"patiently"});
  sched->run();
  kill(asking);
  sched->run();
  EXPECT_FALSE(well);
  kept.at(0).answer(7);
  kept.clear();
  sched->run();
  EXPECT_EQ(heard, std::vector<std::string>{"patiently"});
  tell_to_end(silent);
  sched->run();
}

/// Plans what it is told, in place of what it planned before.
class planner : public actor {
public:
  static inline const char* name = "planner";
  using takes = types<note, how_many>;

  void start(std::vector<std::string>* heard) { heard_ = heard; }
  void on(const ask<how_many>& asked) {
    if (asked->of == 0)
      plan_.cancel();
    else
      after(plan_, std::chrono::milliseconds{asked->of}, note{std::to_string(asked->of)});
  }
  void on(const note& message) { heard_->push_back(message.text); }

private:
  std::vector<std::string>* heard_ = nullptr;
  timer plan_;
};

TEST_F(Actors, WhatIsPlannedAnewTakesThePlaceOfWhatWasPlannedBefore) {
  const actor_handle<how_many> planning{spawn<planner>(*sys, &heard)};
  for (const int time : {50, 20, 30})
    send(planning, how_many{time});
  sched->run();
  for (int i = 0; i < 10; ++i) {
    sched->advance_time(10ms);
    sched->run();
  }
  EXPECT_EQ(heard, std::vector<std::string>{"30"});
  send(planning, how_many{10});
  send(planning, how_many{0});
  sched->run();
  sched->advance_time(20ms);
  sched->run();
  EXPECT_EQ(heard.size(), 1u) << "it was taken back";
  tell_to_end(planning);
  sched->run();
}

using listener = actor_handle<int>;

/// Notes the thread that it runs on; passes what is above 0 on to itself or to `next`, one less.
class passing : public actor {
public:
  static inline const char* name = "passing";
  using takes = listener::takes;

  void start(std::atomic<int>* heard, std::vector<std::thread::id>* on, listener next) {
    heard_ = heard;
    on_ = on;
    next_ = next ? std::move(next) : listener{this_actor()};
  }
  void on(int left) {
    on_->push_back(std::this_thread::get_id());
    heard_->fetch_add(1);
    if (left > 0)
      post(next_, left - 1);
  }

private:
  std::atomic<int>* heard_ = nullptr;
  std::vector<std::thread::id>* on_ = nullptr;
  listener next_;
};

struct OwnTurns : ::testing::Test {
  listener spawn_passing(std::atomic<int>& heard, std::vector<std::thread::id>& on, const listener& next = {}) {
    return all_.emplace_back(spawn<passing>(system_, &heard, &on, next));
  }
  ~OwnTurns() override {
    for (const auto& each : all_)
      tell_to_end(each);
    all_.clear();
  }
  static bool await(const std::atomic<int>& heard, int wanted) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while (heard.load() < wanted && std::chrono::steady_clock::now() < until)
      std::this_thread::yield();
    return heard.load() >= wanted;
  }

  caf::actor_system_config config_;
  caf::actor_system system_{config_};
  std::vector<listener> all_;
};

TEST_F(OwnTurns, ActorsRunOnTheThreadThatAsksUntilNobodyHasAnythingToDo) {
  std::atomic<int> heard{0};
  std::vector<std::thread::id> on, on_next;
  std::vector<std::thread::id> on_last;
  const auto last = spawn_passing(heard, on_last);
  const auto next = spawn_passing(heard, on_next, last);
  const auto first = spawn_passing(heard, on, next);
  int woken = 0;
  inline_executor here{system_, [&woken] { ++woken; }};
  const std::vector mine{std::this_thread::get_id()};
  // One that is at something elsewhere, as all are that have just been spawned, goes on there.
  const auto all_ran_here = [&] {
    heard = woken = 0;
    for (auto* each : {&on, &on_next, &on_last})
      each->clear();
    {
      const inline_executor::scope scope{&here};
      post(first, 2);
    }
    const auto waiting = here.waiting();
    const bool too_soon = heard > 0;
    here.run(10);
    const bool at_once = heard == 3;
    EXPECT_TRUE(await(heard, 3));
    EXPECT_EQ(here.waiting(), 0u);
    if (!at_once || on != mine || on_next != mine || on_last != mine)
      return false;
    EXPECT_EQ(waiting, 1u);
    EXPECT_FALSE(too_soon) << "not before its turn";
    EXPECT_EQ(woken, 1) << "for the first of them, not for what follows in its run";
    return true;
  };
  EXPECT_TRUE(test::comes_true(all_ran_here));
}

TEST_F(OwnTurns, WhatIsLeftGoesToTheSharedThreads) {
  std::atomic<int> heard{0};
  std::vector<std::thread::id> on;
  const auto busy = spawn_passing(heard, on);
  inline_executor here{system_};
  {
    const inline_executor::scope scope{&here};
    post(busy, 1000);
  }
  here.run(1);
  EXPECT_TRUE(await(heard, 1001));
  heard = 0;
  {
    inline_executor ending{system_};
    const inline_executor::scope scope{&ending};
    post(busy, 0);
  }
  EXPECT_TRUE(await(heard, 1)) << "nobody is forgotten with the thread";
}

TEST_F(OwnTurns, WithoutOneMessagesGoTheUsualWay) {
  std::atomic<int> heard{0};
  std::vector<std::thread::id> on;
  post(spawn_passing(heard, on), 1);
  EXPECT_TRUE(await(heard, 2));
}

/// Threads that actors share, of which some may be kept.
struct Canaries : testing::Test {
  static constexpr std::size_t threads = 3;

  Canaries() {
    config_.set("scheduler.policy", caf::atom("sharing"));
    config_.set("scheduler.max-threads", threads);
    sys = std::make_unique<caf::actor_system>(config_);
    birds = std::make_unique<heartbeat_probes>(*sys, threads);
  }
  ~Canaries() override {
    keep = false;
    birds.reset();
  }

  /// Until `holds`, with a roll call now and then.
  template <class F>
  bool soon(F holds) {
    return test::comes_true([&, i = 0]() mutable {
      if (holds())
        return true;
      ++i % 5 == 0 ? birds->probe_all(100ms) : birds->call();
      std::this_thread::sleep_for(10ms);
      return false;
    });
  }
  std::size_t heard_on() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < threads; ++i)
      count += birds->heard(i) > 0;
    return count;
  }

  caf::actor_system_config config_;
  std::unique_ptr<caf::actor_system> sys;
  std::unique_ptr<heartbeat_probes> birds;
  std::atomic<bool> keep{true};
};

TEST_F(Canaries, AreHeardOnEveryThread) {
  EXPECT_TRUE(soon([&] { return heard_on() == threads; }));
}

TEST_F(Canaries, AreNotHeardOnAThreadThatStandsStill) {
  ASSERT_TRUE(soon([&] { return heard_on() == threads; }));
  std::atomic<bool> kept{false};
  const auto stuck = spawn_functions<actor_handle<int>>(*sys, [&](int) {
    kept = true;
    while (keep)
      std::this_thread::sleep_for(1ms); // it is the one that stands still
  });
  send(stuck, 1);
  ASSERT_TRUE(test::await("a thread that stands still", [&] { return kept.load(); }));
  std::array<std::uint64_t, threads> before{};
  for (std::size_t i = 0; i < threads; ++i)
    before[i] = birds->heard(i);
  const auto silent = [&] {
    std::size_t count = 0;
    for (std::size_t i = 0; i < threads; ++i)
      count += birds->heard(i) == before[i];
    return count;
  };
  EXPECT_TRUE(soon([&] { return silent() == 1; })) << "the others are heard";
  for (int i = 0; i < 20; ++i) {
    birds->probe_all(20ms);
    std::this_thread::sleep_for(30ms);
  }
  EXPECT_EQ(silent(), 1u);
  keep = false;
  tell_to_end(stuck);
  EXPECT_TRUE(soon([&] { return silent() == 0; }));
}

struct Port : testing::Test, protected test::deterministic_world {
  /// What CAF's clock will wake somebody for.
  std::size_t timers() { return sched.clock().schedule().size(); }

  void ask_everything_of(int profile) {
    put(others.profiles, profile::get_balance{profile_id{profile}, {}, {}});
    put(others.profiles, profile::send_tip{profile_id{profile}, profile_id{7}, 1, std::nullopt, std::nullopt});
    put(others.profiles, profile::list_keys{profile_id{profile}});
    put(others.funds, funds::get_funds{profile_id{profile}});
    put(others.markets, market::get_market{market_id{profile}});
    digest32 key{};
    key[0] = static_cast<std::byte>(profile);
    put(others.idempotency, idempotency::claim_key{key, key, test::test_now, nullptr, "7"});
  }
};

TEST_F(Port, WhatTheReadersHaveAnsweredLeavesNoTimerBehind) {
  open();
  ask_everything_of(1);
  const auto loads = storage->profile_loads;
  const auto before = timers();
  for (int profile = 2; profile <= 5; ++profile)
    ask_everything_of(profile);
  EXPECT_GE(storage->profile_loads, loads + 4) << "each was read";
  EXPECT_EQ(timers(), before) << "each timer wakes two threads, long after the answer";
}

} // namespace
} // namespace credence
