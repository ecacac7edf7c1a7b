#pragma once

#include "actors/chain/chain_storage.hpp"
#include "actors/funds/funds_types.hpp"
#include "actors/idempotency/idempotency_types.hpp"
#include "actors/integrity/integrity_types.hpp"
#include "actors/kernel/port.hpp"
#include "actors/listing/listing_storage.hpp"
#include "actors/market/market_storage.hpp"
#include "actors/news/news_types.hpp"
#include "actors/oversight/oversight_storage.hpp"
#include "actors/people/people_storage.hpp"
#include "actors/period/period_types.hpp"
#include "actors/profile/profile_storage.hpp"
#include "actors/project/project_storage.hpp"
#include "actors/reputation/record_storage.hpp"
#include "actors/score/score_work.hpp"
#include "actors/slash/slash_storage.hpp"
#include "actors/wallets/wallet_storage.hpp"
#ifdef CREDENCE_EXAMPLE
#include "tests/example/note_storage.hpp"
#endif

#include <utility>

/// The lists of all entities, joined: for the store, and for those who hand each entity its part of it.
namespace credence {

namespace detail {
template <class... Storage>
struct of_all {
  using facts = joined<typename Storage::facts...>;
  using loads = joined<typename Storage::loads...>;
  using changes = changes_of<Storage...>;
};
/// A new entity is added here; what is joined from it follows.
using of_all_entities =
  of_all<project::storage, period::storage, profile::storage, idempotency::storage, slash::storage, funds::storage,
         market::storage, people::storage, listing::storage, news::storage, reputation::storage, score::storage,
         integrity::storage, oversight::storage, chain::storage, wallets::storage, wallets::outbox_storage
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
struct change : made_of<one_of, all_facts> {
  using all = made_of<credence::one_of, all_facts>;
  using all::all;
};
/// A change of any kind.
using write_request = write_of<change>;

/// The changes of each entity, and any change.
using all_changes = joined<detail::of_all_entities::changes, types<change>>;

/// An entity's change, as one of all.
template <class Change>
write_request one_of_all(write_of<Change>& write) {
  if constexpr (std::is_same_v<Change, change>)
    return std::move(write);
  else
    return {write.stream, visit([](auto& fact) { return change{std::move(fact)}; }, write.change),
            std::move(write.from), write.deadline, std::move(write.context)};
}

/// A writer. Stops on an exit message after it has written what it holds.
using writer_handle = made_of<detail::writer_of, all_changes>::handle;

/// The port to storage; persistence implements it, tests fake it.
struct store {
  writer_handle writer;
  reader_handle reader;
  store_status* status = nullptr;
  actor_ref tidying = {}; // ends with the writer; nobody where another store's tidies up

  /// An entity's part of it.
  template <class Storage>
  operator port<Storage>() const {
    return {writer, reader, status};
  }
};

} // namespace credence
