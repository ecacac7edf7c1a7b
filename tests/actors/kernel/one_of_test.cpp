#include "actors/kernel/fair_mutex.hpp"
#include "actors/kernel/one_of.hpp"
#include "actors/kernel/recent_changes.hpp"
#include "tests/waiting.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>

namespace credence {
namespace {

/// Counts those that live, and refuses to be copied when told so.
struct counted {
  explicit counted(int v) : value(v) { ++alive; }
  counted(const counted& other) : value(other.value) {
    if (refuses)
      throw std::runtime_error{"no"};
    ++alive;
  }
  counted(counted&& other) noexcept : value(other.value) { ++alive; }
  ~counted() { --alive; }
  friend bool operator==(const counted&, const counted&) = default;
  int value;
  static inline int alive = 0;
  static inline bool refuses = false;
};

struct thing : one_of<std::string, int, counted> {
  using all = one_of<std::string, int, counted>;
  using all::all;
};

TEST(OneOf, IsTheKindThatItWasMadeOf) {
  thing text{std::string{"a text that is too long to be kept in place"}};
  EXPECT_EQ(text.index(), 0U);
  EXPECT_TRUE(holds_alternative<std::string>(text));
  EXPECT_EQ(*get_if<std::string>(&text), "a text that is too long to be kept in place");
  EXPECT_EQ(get_if<int>(&text), nullptr);
  EXPECT_THROW(get<int>(text), std::bad_variant_access);
  get<std::string>(text) += "!";
  EXPECT_EQ(get<std::string>(std::as_const(text)).back(), '!');
}

TEST(OneOf, CopiesMovesAndComparesWhatItHolds) {
  const thing five{5};
  thing other{std::string(40, 'x')};
  EXPECT_FALSE(five == other);
  other = five;
  EXPECT_TRUE(five == other);
  other = thing{counted{7}};
  EXPECT_EQ(counted::alive, 1);
  EXPECT_EQ(get<counted>(other).value, 7);
  other = *&other; // itself
  EXPECT_EQ(get<counted>(other).value, 7);
  auto moved = std::move(other);
  EXPECT_EQ(get<counted>(moved).value, 7);
  std::vector<thing> many(30, moved);
  EXPECT_EQ(counted::alive, 32) << "its own, the one it was moved from, and the copies";
  many.clear();
  moved = thing{1};
  other = thing{2};
  EXPECT_EQ(counted::alive, 0);
}

TEST(OneOf, ACopyThatFailsChangesNothing) {
  {
    const thing from{counted{3}};
    thing to{std::string{"stays"}};
    counted::refuses = true;
    EXPECT_THROW(to = from, std::runtime_error);
    counted::refuses = false;
    EXPECT_EQ(get<std::string>(to), "stays");
  }
  EXPECT_EQ(counted::alive, 0);
}

TEST(OneOf, AVisitorSeesTheValueAsItsKind) {
  thing number{4};
  visit(
    []<class T>(T& each) {
      if constexpr (std::is_same_v<T, int>)
        each *= 10;
    },
    number);
  const auto told = visit(
    []<class T>(const T& each) -> std::string {
      if constexpr (std::is_same_v<T, int>)
        return std::to_string(each);
      else
        return "no number";
    },
    std::as_const(number));
  EXPECT_EQ(told, "40");
}

struct TurnstileTest : testing::Test {
  void wait(int who) {
    gate->wait([this, who](fair_mutex::guard_ptr pass) {
      in.push_back(who);
      passes.push_back(std::move(pass));
    });
  }

  std::shared_ptr<fair_mutex> gate = std::make_shared<fair_mutex>();
  std::vector<int> in;
  std::vector<fair_mutex::guard_ptr> passes;
};

TEST_F(TurnstileTest, LetsOneInAtATimeInTheirOrder) {
  for (int who = 1; who <= 3; ++who)
    wait(who);
  EXPECT_EQ(in, (std::vector{1}));
  for (std::size_t gone = 0; gone < 3; ++gone)
    passes[gone].reset();
  EXPECT_EQ(in, (std::vector{1, 2, 3}));
  wait(4);
  EXPECT_EQ(in.back(), 4) << "nobody is inside any more";
}

TEST_F(TurnstileTest, WhoComesAgainWaitsBehindTheOthers) {
  wait(1);
  wait(2);
  wait(1); // with the first pass still in hand, as a read does that has another piece
  passes[0].reset();
  EXPECT_EQ(in, (std::vector{1, 2}));
  passes[1].reset();
  EXPECT_EQ(in, (std::vector{1, 2, 1}));
}

TEST_F(TurnstileTest, APassThatIsLostLetsTheNextOneIn) {
  wait(1);
  gate->wait([](const fair_mutex::guard_ptr&) {}); // an actor that is gone: nobody takes the pass
  wait(3);
  passes.front().reset();
  EXPECT_EQ(in, (std::vector{1, 3}));
}

TEST_F(TurnstileTest, AHundredThousandWhoAreGoneTakeNoRoomOnTheStack) {
  wait(1);
  for (int gone = 0; gone < 100'000; ++gone)
    gate->wait([](const fair_mutex::guard_ptr&) {});
  wait(2);
  passes.front().reset();
  EXPECT_EQ(in, (std::vector{1, 2}));
  passes[1].reset();
  wait(3);
  EXPECT_EQ(in, (std::vector{1, 2, 3}));
}

TEST_F(TurnstileTest, ThreadsAreLetInOneAtATimeToo) {
  std::atomic<int> inside{0}, most{0}, turns{0};
  test::at_once(4, [&] {
    for (int n = 0; n < 2000; ++n)
      gate->wait([&](const fair_mutex::guard_ptr&) {
        most = std::max(most.load(), ++inside);
        ++turns;
        --inside;
      });
  });
  EXPECT_EQ(turns, 8000);
  EXPECT_EQ(most, 1);
}

using namespace std::chrono_literals;

/// `12 committed, 11 given_up`.
std::string shown(const recent_changes& of) {
  std::string out;
  for (const auto& each : of.list())
    out += (out.empty() ? "" : ", ") + std::to_string(each.number) + " "
           + std::string{change_fate_names[static_cast<std::size_t>(each.fate)]};
  return out;
}

TEST(RecentChanges, AreNoneAtFirst) {
  recent_changes changes;
  changes.settled(3, change_fate::committed);
  changes.settled_all(change_fate::given_up);
  EXPECT_TRUE(changes.list().empty());
}

TEST(RecentChanges, TellNameTimeAndOutcomeNewestFirst) {
  recent_changes changes;
  changes.sent("vote_cast", timestamp{1s});
  changes.sent("xp_tipped", timestamp{2s});
  changes.settled(1, change_fate::committed);
  const auto told = changes.list();
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].fact, "xp_tipped");
  EXPECT_EQ(told[0].number, 2u);
  EXPECT_EQ(told[0].at, timestamp{2s});
  EXPECT_EQ(told[0].fate, change_fate::under_way);
  EXPECT_EQ(told[1].fact, "vote_cast");
  EXPECT_EQ(told[1].fate, change_fate::committed);
}

TEST(RecentChanges, GetTheirOutcomesInTheirOrder) {
  recent_changes changes;
  for (int i = 0; i < 4; ++i)
    changes.sent("vote_cast", {});
  changes.settled(2, change_fate::committed);
  changes.settled(1, change_fate::refused);
  changes.settled_all(change_fate::given_up);
  EXPECT_EQ(shown(changes), "4 given_up, 3 refused, 2 committed, 1 committed");
  changes.sent("vote_cast", {});
  changes.settled(9, change_fate::committed);
  EXPECT_EQ(shown(changes), "5 committed, 4 given_up, 3 refused, 2 committed, 1 committed")
    << "no outcome of what was not sent";
}

TEST(RecentChanges, AreTheLastSixteenHoweverManyAreUnderWay) {
  recent_changes changes;
  for (int i = 0; i < 40; ++i)
    changes.sent("vote_cast", {});
  changes.settled(30, change_fate::committed);
  const auto told = changes.list();
  ASSERT_EQ(told.size(), recent_changes::kept_max);
  EXPECT_EQ(told.front().number, 40u);
  EXPECT_EQ(told.back().number, 25u);
  EXPECT_EQ(told[9].fate, change_fate::under_way) << "number 31";
  EXPECT_EQ(told[10].fate, change_fate::committed) << "number 30";
}

} // namespace
} // namespace credence
