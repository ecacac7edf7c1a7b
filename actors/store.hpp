#pragma once

#include "actors/idempotency/idempotency_storage.hpp"
#include "actors/kernel/ask.hpp"
#include "actors/kernel/write_note.hpp"
#include "actors/kernel/writes.hpp"
#include "actors/listing/listing_storage.hpp"
#include "actors/market/market_storage.hpp"
#include "actors/news/news_storage.hpp"
#include "actors/people/people_storage.hpp"
#include "actors/period/period_storage.hpp"
#include "actors/profile/profile_storage.hpp"
#include "actors/project/project_storage.hpp"
#include "actors/reputation/record_storage.hpp"
#include "actors/slash/slash_storage.hpp"
#include "actors/wallet/wallet_storage.hpp"
#ifdef CREDENCE_EXAMPLE
#include "tests/example/note_storage.hpp"
#endif

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/fwd.hpp>
#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

#include <caf/send.hpp>

#include <atomic>
#include <memory>
#include <utility>
#include <variant>

namespace credence {

namespace detail {
template <class... Storage>
struct of_all {
  using facts = joined<typename Storage::facts...>;
  using loads = joined<typename Storage::loads...>;
};
/// A new entity is added here; what is joined from it follows.
using of_all_entities = of_all<project::storage, period::storage, profile::storage, idempotency::storage, slash::storage, wallet::storage,
                               market::storage, people::storage, listing::storage, news::storage, reputation::storage
#ifdef CREDENCE_EXAMPLE
                               ,
                               note::storage
#endif
                               >;
} // namespace detail

/// All kinds of changes, by entity.
using all_facts = detail::of_all_entities::facts;
/// All questions to the readers, by entity.
using all_loads = detail::of_all_entities::loads;

/// Everything the service ever writes. A new alternative does not compile until
/// persistence knows its SQL.
using change = made_of<std::variant, all_facts>;

/// A change to be committed. Answered with `write_outcome` to `from` once the
/// batch that holds it is committed, or is known not to be. A change still in the
/// queue at `deadline` is not sent to the database any more.
struct write_request {
  write_stream stream;
  change what;
  write_listener from;
  steady_time deadline;
  /// Written with it, so that a client may ask for the same again.
  std::shared_ptr<const write_note> note = {};
};

/// The one writer. Stops on an exit message after it has written what it holds.
using writer_handle = caf::typed_actor<caf::reacts_to<write_request>, caf::replies_to<settle>::with<settled>>;

namespace detail {
template <class... Loads>
struct reader_of {
  using handle = caf::typed_actor<typename caf::replies_to<typename Loads::question>::template with<typename Loads::answer>...>;
};
template <class... Loads>
struct messages_of {
  using type = types<typename Loads::question..., typename Loads::answer...>;
};
} // namespace detail

/// The pool of read connections. Errors are `caf::error`s; an answer shows
/// committed rows of one snapshot.
using reader_handle = made_of<detail::reader_of, all_loads>::handle;

/// The port to storage; persistence implements it, tests fake it.
struct store {
  writer_handle writer;
  reader_handle reader;
  store_status* status = nullptr;

  /// Sends a change to be committed. Its outcome comes to `from`.
  void write(write_stream stream, change what, write_listener from, steady_time deadline, std::shared_ptr<const write_note> note = {}) const {
    status->queued.fetch_add(1, std::memory_order_relaxed);
    caf::anon_send(writer, write_request{stream, std::move(what), std::move(from), deadline, std::move(note)});
  }
};

} // namespace credence

// Messages never leave this process, so they carry no serialiser.
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::write_request)

namespace caf {
template <credence::among<credence::made_of<credence::detail::messages_of, credence::all_loads>::type> Message>
struct allowed_unsafe_message_type<Message> : std::true_type {};
} // namespace caf
