#pragma once

#include "actors/domain/time.hpp"
#include "actors/kernel/load.hpp"
#include "ops/metrics.hpp"
#include "persistence/postgres/connection.hpp"

#include <any>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

/// How each kind of question is read: by a function, and a line below it that says by which policy, as a question of
/// which entity. Both stand beside the SQL of the entity and need no declaration:
///
///   slash::stored_roles read(connection& on, const slash::load_roles& query, steady_time deadline) { … }
///   load_handler handler(asked<slash::load_roles> it) { return reads<list_a_page, slash::storage>(it); }
///
/// A `read` that takes a span answers many questions with one statement, in their order. A `read` that takes a timeout
/// in place of a deadline reads in chunks, each of them under that timeout.
namespace credence::persistence {

/// What a read connection is for. A list never takes a connection that loads may need.
enum class lane : std::uint8_t {
  loads,   // what an actor or an admission waits for
  lists,   // what somebody looks at: pages, boards, histories, searches; and what is refreshed behind their backs
  console, // whatever the console asks: no question of the API waits there
};
inline constexpr std::size_t lanes = ops::read_lane_names.size();

enum class weight : std::uint8_t {
  few,  // rows by key, or one page of them
  many, // may read or rank very many rows: never takes the last idle connection of its lane
  most, // as `many`, and only reads wait for it: comes after those, and leaves them a connection, too
};
inline constexpr std::size_t weights_known = 3;

/// How one kind of question is read.
struct query_policy {
  lane on = lane::loads;
  weight weighs = weight::few;
  std::chrono::milliseconds timeout{0}; // of each statement; 0: `store.load_timeout`
  std::size_t batch_max = 1;            // so many are read by one statement at most
};

/// Some rows by key, for an actor or an admission.
inline constexpr query_policy load_by_key{lane::loads, weight::few};
/// The same, many at a time.
inline constexpr query_policy load_in_groups{.on = lane::loads, .weighs = weight::few, .batch_max = 512};
/// A whole entity, however large: piece by piece, each under the timeout.
inline constexpr query_policy load_in_pieces{lane::loads, weight::many};
/// Likewise, where no change waits for it.
inline constexpr query_policy load_last{lane::loads, weight::most};
/// A page that somebody looks at.
inline constexpr query_policy list_a_page{lane::lists, weight::few};
/// Read whole or ranked before it can be shown.
inline constexpr query_policy list_of_many{lane::lists, weight::many};
/// A search. It is given up sooner, as whoever types searches for something else by then.
inline constexpr query_policy search{lane::lists, weight::many, std::chrono::milliseconds{1500}};

/// How questions of one kind are answered.
struct load_handler {
  std::type_index kind;
  query_policy how;
  /// The answers to questions of that kind, in their order: to one, or to as many as `how.batch_max` says.
  std::vector<std::any> (*read)(connection& on, std::span<const std::any> questions, milliseconds timeout);
};

/// Questions of a kind. How they are answered is declared here alone, for all kinds; one that lacks it does not link.
template <class Question>
struct asked {
  friend load_handler handler(asked);
};

/// Questions that are read in groups, each group by one statement.
template <class Q>
concept read_in_groups = requires(connection& on, std::span<const Q> questions, steady_time deadline) {
  read(on, questions, deadline);
};
/// Read in pieces, each under the timeout.
template <class Q>
concept read_in_pieces = requires(connection& on, const Q& question, milliseconds timeout) {
  read(on, question, timeout);
};

namespace detail {
template <class Q, class Answer>
std::vector<std::any> read_any(connection& on, std::span<const std::any> questions, milliseconds timeout) {
  std::vector<std::any> out;
  if constexpr (read_in_groups<Q>) {
    std::vector<Q> group;
    group.reserve(questions.size());
    for (const auto& each : questions)
      group.push_back(std::any_cast<const Q&>(each));
    auto found = read(on, std::span<const Q>{group}, deadline_in(timeout));
    static_assert(std::is_same_v<typename decltype(found)::value_type, Answer>,
                  "`read` answers what the load declares");
    out.reserve(found.size());
    for (auto& each : found)
      out.emplace_back(std::move(each));
  } else {
    const auto& question = std::any_cast<const Q&>(questions.front());
    const auto read_one = [&] {
      if constexpr (read_in_pieces<Q>)
        return read(on, question, timeout);
      else
        return read(on, question, deadline_in(timeout));
    };
    static_assert(std::is_same_v<decltype(read_one()), Answer>, "`read` answers what the load declares");
    out.emplace_back(read_one());
  }
  return out;
}
} // namespace detail

/// By the function `read` above, which answers what `Storage` declares.
template <const query_policy& How, class Storage, class Q>
load_handler reads(asked<Q>) {
  static_assert(read_in_groups<Q> || How.batch_max == 1, "a policy that reads many together has a `read` of many");
  return {typeid(Q), How, &detail::read_any<Q, answer_of<Q, typename Storage::loads>>};
}

} // namespace credence::persistence
