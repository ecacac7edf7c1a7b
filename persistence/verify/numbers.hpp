#pragma once

#include "actors/store.hpp"

#include <string>
#include <string_view>
#include <vector>

/// Where the global numbers lie. Each is given to one fact, so `verify` looks at all of these columns together.
namespace credence::persistence {

/// A column that holds the numbers of facts of a kind.
struct number_column {
  std::string_view table;
  std::string_view column = "seq";
  bool operator==(const number_column&) const = default;
};

namespace detail {
template <class F>
struct nowhere {
  static_assert(sizeof(F) == 0, "a fact that takes a global number has a line `numbers_of`, so that verify looks at it");
  static constexpr number_column none{};
};
} // namespace detail

/// Where the numbers of a kind of fact are, said here or beside its SQL. A kind that takes one and lacks this does not compile.
template <class F>
inline constexpr number_column numbers_of = detail::nowhere<F>::none;

template <>
inline constexpr number_column numbers_of<project::vote_cast>{"votes"};
template <>
inline constexpr number_column numbers_of<period::period_advanced>{"voting_periods"};
template <>
inline constexpr number_column numbers_of<profile::xp_tipped>{"xp_movements"};
template <>
inline constexpr number_column numbers_of<slash::slash_opened>{"slashes"};
template <>
inline constexpr number_column numbers_of<slash::slash_voted>{"slash_votes"};
template <>
inline constexpr number_column numbers_of<slash::slash_closed>{"slashes", "closed_seq"};
template <>
inline constexpr number_column numbers_of<wallet::funds_moved>{"wei_transfers"};
template <>
inline constexpr number_column numbers_of<market::market_opened>{"wei_transfers"}; // of what is paid for it
template <>
inline constexpr number_column numbers_of<market::traded>{"market_trades"};
template <>
inline constexpr number_column numbers_of<reputation::review_created>{"reviews"};
template <>
inline constexpr number_column numbers_of<reputation::profile_created>{"profiles"};
template <>
inline constexpr number_column numbers_of<reputation::invitation_sent>{"invitations"};
template <>
inline constexpr number_column numbers_of<reputation::vouch_created>{"vouches"};
template <>
inline constexpr number_column numbers_of<reputation::reply_created>{"replies"};

/// Those of all kinds of facts, each once.
std::vector<number_column> number_columns();

/// A SELECT of every number that was given, as often as it was; NULL is none.
std::string numbers_given_sql();
/// A scalar: the last number that was given, 0 for none.
std::string last_number_sql();

} // namespace credence::persistence
