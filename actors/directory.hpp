#pragma once

#include "actors/kernel/door.hpp"
#include "actors/kernel/load.hpp"

#include <memory>

namespace credence::chain {
struct chain_door;
struct vouch_fees;
} // namespace credence::chain
namespace credence::idempotency {
struct idempotency_door;
} // namespace credence::idempotency
namespace credence::integrity {
struct integrity_door;
} // namespace credence::integrity
namespace credence::listing {
struct listing_door;
} // namespace credence::listing
namespace credence::market {
struct market_door;
struct market_board_door;
struct terms;
} // namespace credence::market
namespace credence::news {
struct news_door;
} // namespace credence::news
namespace credence::oversight {
struct oversight_door;
} // namespace credence::oversight
namespace credence::people {
struct people_door;
class people_index;
} // namespace credence::people
namespace credence::period {
struct period_door;
class published_calendar;
} // namespace credence::period
namespace credence::profile {
struct profile_door;
struct key_usage_door;
} // namespace credence::profile
namespace credence::project {
struct project_door;
} // namespace credence::project
namespace credence::reputation {
struct record_door;
} // namespace credence::reputation
namespace credence::score {
struct score_door;
} // namespace credence::score
namespace credence::slash {
struct slash_door;
} // namespace credence::slash
namespace credence::console {
struct admin_database_door;
} // namespace credence::console
namespace credence::funds {
struct funds_door;
} // namespace credence::funds
namespace credence::wallets {
struct wallet_door;
class signing_switch;
} // namespace credence::wallets
#ifdef CREDENCE_EXAMPLE
namespace credence::note {
struct note_door;
}
#endif

namespace credence {

struct store_status;
struct wallet_signatures_door;

/// The actors that a handler or another actor may ask: one door per kind of entity (a router passes the message to the
/// entity it names), and what may be read without asking. A file that asks an actor includes that actor's header.
struct directory {
  door<project::project_door> projects;
  door<profile::profile_door> profiles;
  door<funds::funds_door> funds;
  door<market::market_door> markets;
  door<market::market_board_door> market_lists;
  door<news::news_door> news;
  door<period::period_door> periods;
  door<people::people_door> people;
  door<listing::listing_door> listings;
  door<idempotency::idempotency_door> idempotency;
  door<profile::key_usage_door> key_usage;
  door<wallet_signatures_door> signatures;
  door<slash::slash_door> slashes;
  door<reputation::record_door> records;
  door<score::score_door> scores;
  door<integrity::integrity_door> integrity;
  door<oversight::oversight_door> oversight;
#ifdef CREDENCE_EXAMPLE
  door<note::note_door> notes;
#endif

  /// Answer what actors would only pass on.
  reader_handle readers;

  /// Bounds all questions under way of those who ask on behalf of clients, whoever they are for.
  std::shared_ptr<gate> all_questions;

  const people::people_index* people_known = nullptr;
  const period::published_calendar* calendar = nullptr;
  const market::terms* trading = nullptr;
  const store_status* storage = nullptr;
  door<chain::chain_door> chain;                 // nobody where no chain is followed
  door<wallets::wallet_door> wallets;            // nobody where no chain is followed, or no master key is configured
  wallets::signing_switch* signing = nullptr;    // null where there are no wallets
  const chain::vouch_fees* vouch_fees = nullptr; // until the contract tells of others; null where it is not followed
  door<console::admin_database_door> admin_database; // nobody where there is no admin listener
  door<console::admin_database_door> acts; // the same one, for what the audit is told: questions take no room from that
};

} // namespace credence
