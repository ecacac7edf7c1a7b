#include "actors/kernel/one_of.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

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

} // namespace
} // namespace credence
