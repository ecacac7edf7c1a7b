#pragma once

#include "actors/idempotency/idempotency_actor.hpp"
#include "actors/kernel/door.hpp"
#include "actors/listing/listing_actor.hpp"
#include "actors/market/market_actor.hpp"
#include "actors/market/market_board_actor.hpp"
#include "actors/news/news_actor.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/period/period_actor.hpp"
#include "actors/profile/key_usage_actor.hpp"
#include "actors/profile/profile_actor.hpp"
#include "actors/project/project_actor.hpp"
#include "actors/reputation/record_actor.hpp"
#include "actors/slash/slash_actor.hpp"
#include "actors/wallet/wallet_actor.hpp"
#include "actors/wallet_signatures.hpp"
#ifdef CREDENCE_EXAMPLE
#include "tests/example/note_actor.hpp"
#endif

#include <memory>

namespace credence {

/// Whom a request may talk to: one door per kind of entity (a router passes the
/// message to the entity it names), and what may be read without asking.
struct directory {
  door<project::project_handle> projects;
  door<profile::profile_handle> profiles;
  door<wallet::wallet_handle> wallets;
  door<market::market_handle> markets;
  door<market::market_board_handle> market_lists;
  door<news::news_handle> news;
  door<period::period_handle> periods;
  door<people::people_handle> people;
  door<listing::listing_handle> listings;
  door<idempotency::idempotency_handle> idempotency;
  door<profile::key_usage_handle> key_usage;
  door<wallet_signatures_handle> signatures;
  door<slash::slash_handle> slashes;
  door<reputation::record_handle> records;
#ifdef CREDENCE_EXAMPLE
  door<note::note_handle> notes;
#endif

  /// Bounds all questions under way of those who ask on behalf of clients, whoever they are for.
  std::shared_ptr<gate> all_questions;

  const people::people_index* people_known = nullptr;
  const listing::project_index* projects_known = nullptr;
  const period::published_calendar* calendar = nullptr;
  const market::terms* trading = nullptr;
  const store_status* storage = nullptr;
};

} // namespace credence
