#pragma once

#include "actors/idempotency/idempotency_actor.hpp"
#include "actors/listing/listing_actor.hpp"
#include "actors/market/market_actor.hpp"
#include "actors/market/market_board_actor.hpp"
#include "actors/news/news_actor.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/period/period_actor.hpp"
#include "actors/profile/key_usage_actor.hpp"
#include "actors/profile/profile_actor.hpp"
#include "actors/project/project_actor.hpp"
#include "actors/slash/slash_actor.hpp"
#include "actors/wallet/wallet_actor.hpp"
#include "actors/wallet_signatures.hpp"

#include <caf/typed_actor.hpp>

#include <memory>

namespace credence {

/// Whom a request may talk to: one handle per kind of entity (a router passes the
/// message to the entity it names), and what may be read without asking.
struct directory {
  project::project_handle projects;
  profile::profile_handle profiles;
  wallet::wallet_handle wallets;
  market::market_handle markets;
  market::market_board_handle market_lists;
  news::news_handle news;
  period::period_handle periods;
  people::people_handle people;
  listing::listing_handle listings;
  idempotency::idempotency_handle idempotency;
  profile::key_usage_handle key_usage;
  wallet_signatures_handle signatures;
  slash::slash_handle slashes;
  const people::people_index* people_known = nullptr;
  const listing::project_index* projects_known = nullptr;
  const period::published_calendar* calendar = nullptr;
  const market::terms* trading = nullptr;
  const store_status* storage = nullptr;

  /// Bounds on questions under way, for those who ask on behalf of clients: on all of
  /// them, and on those to actors of which there is one (routers bound each entity's).
  std::shared_ptr<gate> all_questions;
  std::shared_ptr<gate> for_people;
  std::shared_ptr<gate> for_periods;
  std::shared_ptr<gate> for_listings;
  std::shared_ptr<gate> for_market_lists;
  std::shared_ptr<gate> for_news;
  std::shared_ptr<gate> for_idempotency;
  std::shared_ptr<gate> for_signatures;
  std::shared_ptr<gate> for_slashes;
  const std::shared_ptr<gate>* gate_of(const people::people_handle&) const noexcept { return &for_people; }
  const std::shared_ptr<gate>* gate_of(const period::period_handle&) const noexcept { return &for_periods; }
  const std::shared_ptr<gate>* gate_of(const listing::listing_handle&) const noexcept { return &for_listings; }
  const std::shared_ptr<gate>* gate_of(const market::market_board_handle&) const noexcept { return &for_market_lists; }
  const std::shared_ptr<gate>* gate_of(const news::news_handle&) const noexcept { return &for_news; }
  const std::shared_ptr<gate>* gate_of(const idempotency::idempotency_handle&) const noexcept { return &for_idempotency; }
  const std::shared_ptr<gate>* gate_of(const wallet_signatures_handle&) const noexcept { return &for_signatures; }
  const std::shared_ptr<gate>* gate_of(const slash::slash_handle&) const noexcept { return &for_slashes; }
  template <class Handle>
  const std::shared_ptr<gate>* gate_of(const Handle&) const noexcept {
    return nullptr;
  }
};

} // namespace credence
