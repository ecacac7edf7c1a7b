#pragma once

#include "actors/domain/service_clock.hpp"
#include "actors/idempotency/idempotency_types.hpp"
#include "actors/kernel/ask.hpp"
#include "actors/kernel/write_note.hpp"
#include "actors/listing/listing_types.hpp"
#include "actors/market/market_lists.hpp"
#include "actors/news/news_types.hpp"
#include "actors/people/lookup_types.hpp"
#include "actors/people/user_types.hpp"
#include "actors/period/period_types.hpp"
#include "actors/profile/credential_types.hpp"
#include "actors/profile/profile_types.hpp"
#include "actors/profile/xp_types.hpp"
#include "actors/project/project_types.hpp"
#include "actors/slash/slash_types.hpp"
#include "actors/wallet/wallet_types.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/fwd.hpp>
#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <string>
#include <variant>

namespace credence {

/// Everything the service ever writes. A new alternative does not compile until
/// persistence knows its SQL.
using change = std::variant<project::vote_cast, project::project_tallied, period::period_advanced,
                            profile::xp_tipped, profile::key_created, profile::key_revoked, profile::keys_used,
                            profile::session_opened, profile::session_rotated, profile::sessions_ended,
                            idempotency::answer_recorded, slash::slash_opened,
                            slash::slash_voted, slash::slash_closed, wallet::funds_moved, market::market_opened, market::traded>;

/// One life of one entity actor, and within it one run of changes that build on
/// each other. When a change of a stream fails, the store fails all later ones
/// of that stream too, so that per-entity numbers stay gapless; the entity decides
/// them again under a new `attempt`, or stops and is loaded afresh.
struct write_stream {
  std::uint64_t incarnation = 0; // unique in this process: next_incarnation()
  std::uint32_t attempt = 0;
  friend bool operator==(const write_stream&, const write_stream&) = default;
};

/// A number no other entity actor of this process has had.
inline std::uint64_t next_incarnation() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

enum class write_result : std::uint8_t {
  stored,        // committed
  period_closed, // not committed: the vote's period is no longer the open one; decide again
  not_written,   // never sent to the database: take it and what followed back, and go on
  failed,        // the database refused the first of these, alone; those after it build on it and were not written
  in_doubt,      // the outcome is not known yet; another outcome for these follows
};

/// The fate of the next `count` changes of `stream`, in the order they were sent.
/// `in_doubt` does not use them up: it is followed by a final outcome.
struct write_outcome {
  write_stream stream;
  write_result result{};
  std::uint32_t count = 0;
  global_seq as_of = 0; // stored: last global number of the batch that holds them
  global_seq number = 0; // stored: of the change itself, where its kind is named by it; `count` is 1 then
};

/// Who is told the outcome of a write.
using write_listener = caf::typed_actor<caf::reacts_to<write_outcome>>;

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

/// Answered once every write received before it has its final outcome. Used
/// before an entity that stopped with changes under way is loaded again.
struct settle {};
struct settled {};

/// The one writer. Stops on an exit message after it has written what it holds.
using writer_handle = caf::typed_actor<caf::reacts_to<write_request>,
                                       caf::replies_to<settle>::with<settled>>;

/// The pool of read connections. Errors are `caf::error`s; an answer shows
/// committed rows of one snapshot.
using reader_handle = caf::typed_actor<
  caf::replies_to<project::load_project>::with<project::stored_project>,
  caf::replies_to<project::load_history>::with<project::stored_history>,
  caf::replies_to<profile::load_profile>::with<profile::stored_profile>,
  caf::replies_to<profile::count_votes>::with<profile::counted_votes>,
  caf::replies_to<profile::load_xp>::with<profile::stored_xp>,
  caf::replies_to<profile::load_tips>::with<profile::tip_list>,
  caf::replies_to<profile::load_tip_figures>::with<profile::tip_figures>,
  caf::replies_to<profile::load_receipt>::with<profile::stored_receipt>,
  caf::replies_to<profile::load_credentials>::with<profile::stored_credentials>,
  caf::replies_to<idempotency::load_record>::with<idempotency::stored_record>,
  caf::replies_to<people::load_people>::with<people::stored_people>,
  caf::replies_to<people::load_users_of>::with<people::stored_users>,
  caf::replies_to<people::load_users>::with<people::stored_users>,
  caf::replies_to<people::find_people>::with<people::found_people>,
  caf::replies_to<people::get_people>::with<people::people_by_key>,
  caf::replies_to<people::get_bundle>::with<people::bundle_of>,
  caf::replies_to<people::search_people>::with<people::people_page>,
  caf::replies_to<period::load_periods>::with<period::stored_periods>,
  caf::replies_to<period::load_electorate>::with<period::electorate>,
  caf::replies_to<listing::load_listings>::with<listing::stored_listings>,
  caf::replies_to<wallet::load_wallet>::with<wallet::stored_wallet>,
  caf::replies_to<wallet::load_transfer>::with<wallet::stored_transfer>,
  caf::replies_to<market::load_market>::with<market::stored_market>,
  caf::replies_to<market::load_position>::with<market::position>,
  caf::replies_to<market::load_positions>::with<market::stored_positions>,
  caf::replies_to<market::load_window>::with<market::stored_window>,
  caf::replies_to<market::load_face>::with<market::face>,
  caf::replies_to<market::load_trade>::with<market::stored_trade>,
  caf::replies_to<market::load_names>::with<market::stored_names>,
  caf::replies_to<market::get_markets>::with<std::vector<market::market_view>>,
  caf::replies_to<market::get_prices>::with<market::price_list>,
  caf::replies_to<market::get_market_trades>::with<market::trade_list>,
  caf::replies_to<market::get_activity>::with<market::trade_list>,
  caf::replies_to<market::get_holdings>::with<std::vector<market::holding>>,
  caf::replies_to<market::get_holdings_value>::with<market::holdings_value>,
  caf::replies_to<market::get_volume>::with<market::total_volume>,
  caf::replies_to<market::load_boards>::with<market::stored_boards>,
  caf::replies_to<market::load_accounts>::with<market::stored_accounts>,
  caf::replies_to<news::load_x_accounts>::with<news::stored_x_accounts>,
  caf::replies_to<slash::load_open_slashes>::with<slash::stored_open_slashes>,
  caf::replies_to<slash::load_ballots>::with<slash::stored_ballots>,
  caf::replies_to<slash::load_slash>::with<slash::found_slash>,
  caf::replies_to<slash::find_slashes>::with<slash::slash_page>,
  caf::replies_to<slash::load_roles>::with<slash::stored_roles>>;

/// What everyone may see of the store without asking it: set by the writer,
/// read by the front before it admits a write, and by the health checks.
struct store_status {
  /// Steady-clock nanoseconds of the last good commit or probe.
  std::atomic<std::int64_t> last_good_ns{0};
  /// False from the moment the writer lost its connection until it has it back
  /// and every doubtful batch is resolved, and while the clock is wrong. Writes are refused at once meanwhile.
  std::atomic<bool> writable{false};
  /// True once this process has become the writer: nothing of an earlier one can be
  /// committed any more. What is read before that may be overtaken, so nothing is.
  std::atomic<bool> owned{false};
  /// True when another process has become the writer since. What this one's actors
  /// know is out of date then, so it has to end.
  std::atomic<bool> superseded{false};
  /// Called once when that happens, from the writer's thread; set before it is born.
  std::function<void()> when_superseded;
  /// Changes in the writer's mailbox and hands.
  std::atomic<std::int64_t> queued{0};

  /// The lease of readers: when it was last known that nobody else owns the data. On the boot
  /// clock, from before the question was sent that told so.
  std::atomic<std::int64_t> owned_at_ns{0};
  static constexpr std::chrono::seconds lease{3};
  static constexpr std::int64_t for_good = std::numeric_limits<std::int64_t>::max(); // where nobody can take over
  std::chrono::nanoseconds lease_age() const {
    const auto since = owned_at_ns.load(std::memory_order_acquire);
    return since == for_good ? std::chrono::nanoseconds{0} : boot_now() - std::chrono::nanoseconds{since};
  }
  /// Whether what memory and database say may be told. A process that was stopped, cut off or
  /// taken over may know less than others have been told.
  bool may_read() const { return !superseded.load(std::memory_order_acquire) && lease_age() < lease; }

  /// What was found of the wall clock; nothing is written unless it is good.
  std::atomic<clock_verdict> clock{clock_verdict::good};
  /// How far the wall clock is ahead of the database's.
  std::atomic<std::int64_t> clock_difference_us{0};
  /// Grows whenever the writer has been through its mailbox.
  std::atomic<std::uint64_t> turns{0};
};

/// The port to storage; persistence implements it, tests fake it.
struct store {
  writer_handle writer;
  reader_handle reader;
  store_status* status = nullptr;
};

} // namespace credence

// Messages never leave this process, so they carry no serialiser.
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::write_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::write_outcome)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::settle)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::settled)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::project::load_project)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::project::stored_project)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::project::load_history)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::project::stored_history)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::profile::load_profile)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::profile::stored_profile)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::profile::count_votes)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::profile::counted_votes)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::profile::load_xp)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::profile::stored_xp)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::profile::load_tips)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::profile::tip_list)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::profile::load_tip_figures)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::profile::tip_figures)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::profile::load_receipt)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::profile::stored_receipt)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::profile::load_credentials)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::profile::stored_credentials)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::idempotency::load_record)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::idempotency::stored_record)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::people::load_people)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::people::stored_people)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::people::load_users_of)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::people::load_users)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::people::stored_users)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::people::find_people)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::people::found_people)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::people::get_people)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::people::people_by_key)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::people::get_bundle)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::people::bundle_of)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::people::search_people)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::people::people_page)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::period::load_periods)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::period::stored_periods)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::period::load_electorate)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::period::electorate)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::listing::load_listings)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::listing::stored_listings)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::wallet::load_wallet)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::wallet::stored_wallet)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::wallet::load_transfer)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::wallet::stored_transfer)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::load_market)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::stored_market)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::load_position)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::position)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::load_positions)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::stored_positions)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::load_window)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::stored_window)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::load_face)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::face)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::load_trade)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::stored_trade)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::load_names)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::stored_names)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::get_markets)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(std::vector<credence::market::market_view>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::get_prices)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::price_list)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::get_market_trades)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::trade_list)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::get_activity)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::get_holdings)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(std::vector<credence::market::holding>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::get_holdings_value)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::holdings_value)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::get_volume)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::total_volume)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::load_boards)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::stored_boards)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::load_accounts)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::market::stored_accounts)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::news::load_x_accounts)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::news::stored_x_accounts)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::slash::load_open_slashes)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::slash::stored_open_slashes)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::slash::load_ballots)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::slash::stored_ballots)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::slash::load_slash)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::slash::found_slash)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::slash::find_slashes)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::slash::slash_page)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::slash::load_roles)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::slash::stored_roles)
