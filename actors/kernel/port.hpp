#pragma once

#include "actors/kernel/actor.hpp"
#include "actors/kernel/load.hpp"
#include "actors/kernel/one_of.hpp"
#include "actors/kernel/types.hpp"
#include "actors/kernel/write_context.hpp"
#include "actors/kernel/writes.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

/// What an entity sees of the store: its own kinds of changes and its own questions. So the types of one entity reach
/// its own files, and those that join all of them (actors/store.hpp).
namespace credence {

/// A change to be committed: one of the kinds in `Change`, a `one_of`. Answered with `write_outcome` to `from` once the
/// batch that holds it is committed, or is known not to be. A change still in the
/// queue at `deadline` is not sent to the database any more.
template <class Change>
struct write_of {
  write_stream stream;
  Change change;
  write_listener from;
  steady_time deadline;
  /// Written with it, so that a client may ask for the same again.
  std::shared_ptr<const write_context> context = {};
};

namespace detail {
template <class... Changes>
struct writer_of {
  using handle = actor_handle<write_of<Changes>..., settle>;
};
template <class Facts>
struct change_list {
  using type = types<made_of<one_of, Facts>>;
};
template <>
struct change_list<types<>> { // it is only read
  using type = types<>;
};
template <class Storage>
struct asked_by {
  using type = typename Storage::loads;
};
template <class Storage>
requires requires { typename Storage::loads_of_others; }
struct asked_by<Storage> {
  using type = joined<typename Storage::loads, typename Storage::loads_of_others>;
};
} // namespace detail

/// The variant of all kinds of changes of each `Storage`; none for one that writes nothing.
template <class... Storage>
using changes_of = joined<types<>, typename detail::change_list<typename Storage::facts>::type...>;

/// The port to storage as one entity sees it: its `facts`, its `loads`, and `loads_of_others` where it asks such. Made
/// from the `store` of all.
template <class Storage>
struct port {
  using change = made_of<one_of, typename Storage::facts>;

  typename made_of<detail::writer_of, changes_of<Storage>>::handle writer;
  reader_handle reader;
  store_status* status = nullptr;

  /// Asks the readers for rows by their key, or for a project, without a timeout of its own: a timer stays in the clock
  /// until it rings, also when the answer has come (decision 60). The readers bound the wait of such a question, and a
  /// project's ends when it is read, so an answer or an error always comes. Lists are asked with a timeout.
  template <class Load>
  auto read(actor& by, Load question) const {
    return read(by, for_ever, std::move(question));
  }
  template <class Load>
  auto read(actor& by, std::chrono::milliseconds timeout, Load question) const {
    return asking<answer_of<Load, typename detail::asked_by<Storage>::type>>{
      by.request(reader, timeout, any_load{std::move(question)})};
  }
  /// Sends a change to be committed. Its outcome comes to `from`.
  template <class Fact>
  void write(write_stream stream, Fact&& fact, actor& from, steady_time deadline,
             std::shared_ptr<const write_context> context = {}) const {
    status->queued.fetch_add(1, std::memory_order_relaxed);
    send(writer, write_of<change>{stream, std::forward<Fact>(fact), write_listener{from.this_actor()}, deadline,
                                  std::move(context)});
  }
};

} // namespace credence
