#pragma once

#include "actors/domain/words.hpp"

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

/// What a record is made of, said once: a list of its fields, each with its column's name and the way to its member.
/// A column is called as its member, or the two are in parentheses, with the way into the member behind them:
///
///   constexpr auto fields = CREDENCE_FIELDS(post, id, (author_id, author), (price, terms, &terms::price));
///
/// A field that is stored in another way than its member's type says it is written out, and joined to such a list:
///
///   constexpr auto all = joined_lists(fields, field{"buys", flag(&post::way, way::buy, way::sell)});
///
/// From such a list come the columns of a statement, its parameters, and records from the rows of an answer.

namespace credence {

namespace detail {
template <std::size_t Place, class Field>
struct placed_field {
  Field it;
};
template <std::size_t Place, class Field>
constexpr const Field& field_at(const placed_field<Place, Field>& in) noexcept {
  return in.it;
}

template <class Places, class... Field>
struct placed_fields;
template <std::size_t... Place, class... Field>
struct placed_fields<std::index_sequence<Place...>, Field...> : placed_field<Place, Field>... {
  constexpr explicit placed_fields(const Field&... each) : placed_field<Place, Field>{each}... {}

  /// Calls `visit` with all of them.
  template <class Visit>
  constexpr decltype(auto) apply(Visit&& visit) const {
    return visit(static_cast<const placed_field<Place, Field>&>(*this).it...);
  }
};
} // namespace detail

/// Fields of a description, each of a type of its own, in order. A std::tuple would do the same, and asks of each of
/// its constructors whether each of its elements suits it: with many fields that was half of what a file with
/// descriptions took to compile.
template <class... Field>
struct field_list : detail::placed_fields<std::index_sequence_for<Field...>, Field...> {
  static constexpr std::size_t size = sizeof...(Field);

  constexpr explicit field_list(const Field&... each)
    : detail::placed_fields<std::index_sequence_for<Field...>, Field...>(each...) {}

  template <std::size_t Place>
  constexpr const auto& at() const noexcept {
    return detail::field_at<Place>(*this);
  }
};

// -- the way to a member -----------------------------------------------------------------------

/// A member, or a member of a member and so on, from the outside in.
template <class... Step>
struct path;
template <class Whole, class Member>
struct path<Member Whole::*> {
  using whole = Whole;
  constexpr explicit path(Member Whole::*step) : last(step) {}
  constexpr const Member& get(const Whole& from) const { return from.*last; }
  constexpr Member& in(Whole& from) const { return from.*last; }
  template <class Value>
  void put(Whole& to, Value&& value) const {
    to.*last = std::forward<Value>(value);
  }
  Member Whole::*last;
};
template <class Whole, class Member, class Second, class... More>
struct path<Member Whole::*, Second, More...> {
  using whole = Whole;
  constexpr explicit path(Member Whole::*step, Second second, More... more) : first(step), rest(second, more...) {}
  constexpr const auto& get(const Whole& from) const { return rest.get(from.*first); }
  constexpr auto& in(Whole& from) const { return rest.in(from.*first); }
  template <class Value>
  void put(Whole& to, Value&& value) const {
    rest.put(to.*first, std::forward<Value>(value));
  }
  Member Whole::*first;
  path<Second, More...> rest;
};
template <class... Step>
path(Step...) -> path<Step...>;

/// A member of two values that is stored as a boolean.
template <class Path, class Value>
struct flag_at {
  using whole = typename Path::whole;
  constexpr bool get(const whole& from) const { return where.get(from) == yes; }
  constexpr void put(whole& to, bool is) const { where.put(to, is ? yes : no); }
  Path where;
  Value yes, no;
};
template <class Step, class Value>
constexpr auto flag(Step where, Value yes, Value no) {
  return flag_at<path<Step>, Value>{path{where}, yes, no};
}

/// A member that is stored as a `Number`, such as an enumeration by its number.
template <class Number, class Path>
struct number_at {
  using whole = typename Path::whole;
  constexpr Number get(const whole& from) const { return static_cast<Number>(where.get(from)); }
  constexpr void put(whole& to, Number value) const {
    where.put(to, static_cast<std::remove_cvref_t<decltype(where.get(to))>>(value));
  }
  Path where;
};
template <class Number, class... Step>
constexpr auto as_number(Step... where) {
  return number_at<Number, path<Step...>>{path<Step...>{where...}};
}

/// A member whose empty value, such as 0 or an empty text, is stored as null.
template <class Path>
struct optional_at {
  using whole = typename Path::whole;
  template <class Value>
  static constexpr bool there(const Value& value) {
    if constexpr (requires { value.empty(); })
      return !value.empty();
    else if constexpr (requires { static_cast<bool>(value); })
      return static_cast<bool>(value);
    else
      return value != Value{};
  }
  constexpr auto get(const whole& from) const {
    const auto& value = where.get(from);
    return there(value) ? std::optional{value} : std::nullopt;
  }
  template <class Value>
  void put(whole& to, std::optional<Value> value) const {
    where.put(to, value ? *std::move(value) : Value{});
  }
  Path where;
};
template <class... Step>
constexpr auto or_null(Step... where) {
  return optional_at<path<Step...>>{path<Step...>{where...}};
}

/// A text or a list of bytes that is stored as bytes.
template <class Path>
struct bytes_at {
  using whole = typename Path::whole;
  constexpr std::span<const std::byte> get(const whole& from) const {
    return std::as_bytes(std::span{where.get(from)});
  }
  void put(whole& to, std::span<const std::byte> raw) const {
    auto& into = where.in(to);
    into.resize(raw.size());
    std::memcpy(into.data(), raw.data(), raw.size());
  }
  Path where;
};
template <class... Step>
constexpr auto as_bytes_of(Step... where) {
  return bytes_at<path<Step...>>{path<Step...>{where...}};
}

/// A field of a member's own list.
template <class Whole, class Member, class Get>
struct part_at {
  using whole = Whole;
  constexpr decltype(auto) get(const Whole& from) const { return rest.get(from.*first); }
  template <class Value>
  void put(Whole& to, Value&& value) const {
    rest.put(to.*first, std::forward<Value>(value));
  }
  Member Whole::*first;
  Get rest;
};

/// What only a function can tell: it is written, and never read.
template <class Whole, class Value>
struct told_by {
  using whole = Whole;
  constexpr Value get(const Whole& from) const { return function(from); }
  Value (*function)(const Whole&);
};

// -- fields ------------------------------------------------------------------------------------

/// A part of a record: its column's name, and the way to it: members from the outside in, one of the ways above, or a
/// function that takes it out.
template <class Get>
requires requires { typename Get::whole; }
struct field {
  using whole = typename Get::whole;
  constexpr field(const char* column, Get way) : name(column), get(way) {}
  template <class... Step>
  requires(sizeof...(Step) > 0
           && (std::is_member_object_pointer_v<Step> && ...)) constexpr explicit field(const char* column, Step... way)
    : name(column), get(way...) {}
  template <class Whole, class Value>
  constexpr explicit field(const char* column, Value (*function)(const Whole&)) : name(column), get{function} {}

  constexpr decltype(auto) of(const whole& record) const { return get.get(record); }

  const char* name;
  Get get;
};
template <class Whole, class Member, class... Step>
field(const char*, Member Whole::*, Step...) -> field<path<Member Whole::*, Step...>>;
template <class Whole, class Value>
field(const char*, Value (*)(const Whole&)) -> field<told_by<Whole, Value>>;

/// The fields of a member as fields of the whole, with `more` behind them.
template <class Whole, class Member, class... Get, class... More>
constexpr auto within(Member Whole::*where, const field_list<field<Get>...>& list, const field<More>&... more) {
  return list.apply([&](const field<Get>&... each) {
    return field_list{field{each.name, part_at<Whole, Member, Get>{where, each.get}}..., more...};
  });
}

namespace detail {
template <class Get>
constexpr auto as_list(const field<Get>& one) {
  return field_list{one};
}
template <class... Field>
constexpr const auto& as_list(const field_list<Field...>& list) {
  return list;
}
} // namespace detail

/// The fields of all of these, lists and single fields, in order.
template <class First, class... More>
constexpr auto joined_lists(const First& first, const More&... more) {
  return detail::as_list(first).apply([&](const auto&... left) {
    if constexpr (sizeof...(More) == 0)
      return field_list{left...};
    else
      return joined_lists(more...).apply([&](const auto&... right) { return field_list{left..., right...}; });
  });
}

/// A list of fields of members of `of`, as above.
#define CREDENCE_FIELDS(of, ...)                                                                                       \
  ::credence::field_list { CREDENCE_EXPAND(CREDENCE_EACH_FIELD(of, __VA_ARGS__)) }

// The first field, then the others: each time that the text is read again, one more of them.
#define CREDENCE_EACH_FIELD(of, first, ...)                                                                            \
  CREDENCE_FIELD(of, first) __VA_OPT__(, CREDENCE_OTHER_FIELDS CREDENCE_PARENTHESES(of, __VA_ARGS__))
#define CREDENCE_OTHER_FIELDS() CREDENCE_EACH_FIELD
#define CREDENCE_PARENTHESES ()
#define CREDENCE_EXPAND(...) CREDENCE_EXPAND_16(CREDENCE_EXPAND_16(CREDENCE_EXPAND_16(__VA_ARGS__)))
#define CREDENCE_EXPAND_16(...) CREDENCE_EXPAND_4(CREDENCE_EXPAND_4(CREDENCE_EXPAND_4(CREDENCE_EXPAND_4(__VA_ARGS__))))
#define CREDENCE_EXPAND_4(...) CREDENCE_AGAIN(CREDENCE_AGAIN(CREDENCE_AGAIN(CREDENCE_AGAIN(__VA_ARGS__))))
#define CREDENCE_AGAIN(...) __VA_ARGS__
// `it` in parentheses makes a call of CREDENCE_IN_PARENTHESES, and so another second argument.
#define CREDENCE_FIELD(of, it) CREDENCE_SECOND(CREDENCE_IN_PARENTHESES it, CREDENCE_FIELD_OF_ITS_NAME, )(of, it)
#define CREDENCE_IN_PARENTHESES(...) , CREDENCE_FIELD_OF_ANOTHER_NAME
#define CREDENCE_SECOND(...) CREDENCE_SECOND_OF(__VA_ARGS__)
#define CREDENCE_SECOND_OF(first, second, ...) second
#define CREDENCE_FIELD_OF_ITS_NAME(of, it)                                                                             \
  ::credence::field { #it, &of::it }
#define CREDENCE_FIELD_OF_ANOTHER_NAME(of, it) CREDENCE_FIELD_OF(of, CREDENCE_WITHIN it)
#define CREDENCE_WITHIN(...) __VA_ARGS__
#define CREDENCE_FIELD_OF(of, ...) CREDENCE_FIELD_BY(of, __VA_ARGS__)
#define CREDENCE_FIELD_BY(of, column, member, ...)                                                                     \
  ::credence::field { #column, &of::member __VA_OPT__(, ) __VA_ARGS__ }

} // namespace credence
