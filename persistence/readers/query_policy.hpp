#pragma once

#include "ops/metrics.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>

/// How each kind of question is read. Beside the SQL of its entity a question has two declarations: the function that
/// reads it, and a line that says how.
///
///   slash::stored_roles read(connection& on, const slash::load_roles& asked, steady_time deadline);
///   constexpr query_policy query_policy_of(asked<slash::load_roles>) { return list_a_page; }
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
/// A search, which is given up sooner: whoever types looks for something else by then.
inline constexpr query_policy search{lane::lists, weight::many, std::chrono::milliseconds{1500}};

/// What `query_policy_of` is asked for: how questions of this kind are read. A kind that lacks it does not compile.
template <class Question>
struct asked {};

} // namespace credence::persistence
