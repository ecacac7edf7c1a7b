#pragma once

#include "actors/store.hpp"
#include "persistence/readers/reading.hpp"
#include "persistence/sql/credential_sql.hpp"
#include "persistence/sql/listing_sql.hpp"
#include "persistence/sql/lookup_sql.hpp"
#include "persistence/sql/market_lists_sql.hpp"
#include "persistence/sql/market_sql.hpp"
#include "persistence/sql/news_sql.hpp"
#include "persistence/sql/people_sql.hpp"
#include "persistence/sql/period_sql.hpp"
#include "persistence/sql/profile_sql.hpp"
#include "persistence/sql/project_sql.hpp"
#include "persistence/sql/record_sql.hpp"
#include "persistence/sql/slash_sql.hpp"
#include "persistence/sql/xp_sql.hpp"

/// Every question that the read connections answer: its `read`, and beside it how it is read. One
/// that is listed below and lacks either does not compile.
namespace credence::persistence {

// -- the manners ---------------------------------------------------------------------------

/// Some rows by key, for an actor or an admission.
inline constexpr manner load_by_key{lane::loads, cost::few};
/// The same, many at a time.
inline constexpr manner load_in_groups{.on = lane::loads, .costs = cost::few, .together = 512};
/// A whole entity, however large: piece by piece, each under the timeout.
inline constexpr manner load_in_pieces{lane::loads, cost::many};
/// Likewise, where no change waits for it.
inline constexpr manner load_last{lane::loads, cost::most};
/// A page that somebody looks at.
inline constexpr manner list_a_page{lane::lists, cost::few};
/// Read whole or ranked before it can be shown.
inline constexpr manner list_of_many{lane::lists, cost::many};
/// A search, which is given up sooner: whoever types looks for something else by then.
inline constexpr manner search{lane::lists, cost::many, milliseconds{1500}};

// -- projects, profiles, what callers hold ---------------------------------------------------

inline project::stored_project read(connection& on, const project::load_project& asked, milliseconds timeout) {
  return read_project(on, asked.project, timeout);
}
constexpr manner manner_of(kind_of<project::load_project>) { return load_in_pieces; }

inline project::stored_history read(connection& on, const project::load_history& asked, milliseconds timeout) {
  return read_history(on, asked, timeout);
}
constexpr manner manner_of(kind_of<project::load_history>) { return load_last; }

inline std::vector<profile::stored_profile> read(connection& on, std::span<const profile::load_profile> asked, milliseconds timeout) {
  return read_profiles(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<profile::load_profile>) { return load_in_groups; }

inline std::vector<profile::stored_xp> read(connection& on, std::span<const profile::load_xp> asked, milliseconds timeout) {
  return read_xp(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<profile::load_xp>) { return load_in_groups; }

inline profile::counted_votes read(connection& on, const profile::count_votes& asked, milliseconds timeout) {
  return read_counts(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<profile::count_votes>) { return load_by_key; } // is a group itself

inline std::vector<profile::stored_credentials> read(connection& on, std::span<const profile::load_credentials> asked, milliseconds timeout) {
  return read_credentials(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<profile::load_credentials>) { return load_in_groups; }

inline std::vector<idempotency::stored_record> read(connection& on, std::span<const idempotency::load_record> asked, milliseconds timeout) {
  return read_records(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<idempotency::load_record>) { return load_in_groups; }

inline profile::stored_receipt read(connection& on, const profile::load_receipt& asked, milliseconds timeout) {
  return read_receipt(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<profile::load_receipt>) { return load_by_key; }

inline profile::tip_list read(connection& on, const profile::load_tips& asked, milliseconds timeout) {
  return read_tips(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<profile::load_tips>) { return list_a_page; }

inline profile::tip_figures read(connection& on, const profile::load_tip_figures& asked, milliseconds timeout) {
  return read_tip_figures(on, asked.profile, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<profile::load_tip_figures>) { return list_a_page; }

// -- people ----------------------------------------------------------------------------------

inline people::stored_people read(connection& on, const people::load_people& asked, milliseconds timeout) {
  return read_people(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<people::load_people>) { return load_by_key; } // a page of the table that admits voters

inline people::stored_users read(connection& on, const people::load_users_of& asked, milliseconds timeout) {
  return read_users_of(on, asked.profiles, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<people::load_users_of>) { return load_by_key; }

inline people::stored_users read(connection& on, const people::load_users& asked, milliseconds timeout) {
  return read_users(on, asked.users, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<people::load_users>) { return load_by_key; }

inline people::found_people read(connection& on, const people::find_people& asked, milliseconds timeout) {
  return find_people(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<people::find_people>) { return load_by_key; }

inline people::people_by_key read(connection& on, const people::get_people& asked, milliseconds timeout) {
  return read_people_by_key(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<people::get_people>) { return load_by_key; }

inline people::bundle_of read(connection& on, const people::get_bundle& asked, milliseconds timeout) {
  return read_bundle(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<people::get_bundle>) { return load_by_key; }

inline people::people_page read(connection& on, const people::search_people& asked, milliseconds timeout) {
  return search_people(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<people::search_people>) { return search; }

inline news::stored_x_accounts read(connection& on, const news::load_x_accounts& asked, milliseconds timeout) {
  return read_x_accounts(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<news::load_x_accounts>) { return list_a_page; }

// -- periods, listings, slashes ----------------------------------------------------------------

inline period::stored_periods read(connection& on, const period::load_periods&, milliseconds timeout) {
  return read_periods(on, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<period::load_periods>) { return load_by_key; }

inline period::electorate read(connection& on, const period::load_electorate&, milliseconds timeout) {
  return read_electorate(on, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<period::load_electorate>) { return load_in_pieces; }

inline listing::stored_listings read(connection& on, const listing::load_listings& asked, milliseconds timeout) {
  return read_listings(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<listing::load_listings>) { return list_of_many; }

inline slash::stored_open_slashes read(connection& on, const slash::load_open_slashes& asked, milliseconds timeout) {
  return read_open_slashes(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<slash::load_open_slashes>) { return load_in_pieces; }

inline slash::stored_ballots read(connection& on, const slash::load_ballots& asked, milliseconds timeout) {
  return read_ballots(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<slash::load_ballots>) { return load_by_key; }

inline slash::found_slash read(connection& on, const slash::load_slash& asked, milliseconds timeout) {
  return read_slash(on, asked.slash, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<slash::load_slash>) { return load_by_key; }

inline slash::slash_page read(connection& on, const slash::find_slashes& asked, milliseconds timeout) {
  return read_slashes(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<slash::find_slashes>) { return list_a_page; }

inline slash::stored_roles read(connection& on, const slash::load_roles& asked, milliseconds timeout) {
  return read_roles(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<slash::load_roles>) { return list_a_page; }

// -- wallets and markets -------------------------------------------------------------------------

inline std::vector<wallet::stored_wallet> read(connection& on, std::span<const wallet::load_wallet> asked, milliseconds timeout) {
  return read_wallets(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<wallet::load_wallet>) { return load_in_groups; }

inline wallet::stored_transfer read(connection& on, const wallet::load_transfer& asked, milliseconds timeout) {
  return read_transfer(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<wallet::load_transfer>) { return load_by_key; }

inline market::stored_market read(connection& on, const market::load_market& asked, milliseconds timeout) {
  return read_market(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<market::load_market>) { return load_by_key; }

inline market::position read(connection& on, const market::load_position& asked, milliseconds timeout) {
  return read_position(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<market::load_position>) { return load_by_key; }

inline market::stored_positions read(connection& on, const market::load_positions& asked, milliseconds timeout) {
  return read_positions(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<market::load_positions>) { return load_by_key; }

inline market::stored_window read(connection& on, const market::load_window& asked, milliseconds timeout) {
  return read_window(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<market::load_window>) { return load_by_key; }

inline market::face read(connection& on, const market::load_face& asked, milliseconds timeout) {
  return read_face(on, asked.whose, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<market::load_face>) { return load_by_key; }

inline market::stored_trade read(connection& on, const market::load_trade& asked, milliseconds timeout) {
  return read_trade(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<market::load_trade>) { return load_by_key; }

inline market::stored_accounts read(connection& on, const market::load_accounts& asked, milliseconds timeout) {
  return read_accounts(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<market::load_accounts>) { return list_a_page; }

inline market::stored_names read(connection& on, const market::load_names& asked, milliseconds timeout) {
  return read_names(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<market::load_names>) { return list_of_many; }

inline std::vector<market::market_view> read(connection& on, const market::get_markets& asked, milliseconds timeout) {
  return read_markets(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<market::get_markets>) { return list_a_page; }

inline market::price_list read(connection& on, const market::get_prices& asked, milliseconds timeout) {
  return read_prices(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<market::get_prices>) { return list_a_page; }

inline market::trade_list read(connection& on, const market::get_market_trades& asked, milliseconds timeout) {
  return read_market_trades(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<market::get_market_trades>) { return list_a_page; }

inline market::trade_list read(connection& on, const market::get_activity& asked, milliseconds timeout) {
  return read_activity(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<market::get_activity>) { return list_a_page; }

inline std::vector<market::holding> read(connection& on, const market::get_holdings& asked, milliseconds timeout) {
  return read_holdings(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<market::get_holdings>) { return list_a_page; }

inline market::holdings_value read(connection& on, const market::get_holdings_value& asked, milliseconds timeout) {
  return read_holdings_value(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<market::get_holdings_value>) { return list_a_page; }

inline market::total_volume read(connection& on, const market::get_volume& asked, milliseconds timeout) {
  return read_volume(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<market::get_volume>) { return list_a_page; }

inline market::stored_boards read(connection& on, const market::load_boards& asked, milliseconds timeout) {
  return read_boards(on, asked, deadline_in(timeout));
}
constexpr manner manner_of(kind_of<market::load_boards>) { return list_of_many; }

// -- all of them -----------------------------------------------------------------------------------

/// Read in groups: all of one are asked by one statement.
template <class Q>
concept read_in_groups = requires(connection& on, std::span<const Q> asked) { read(on, asked, milliseconds{}); };

namespace detail {
template <class... Loads>
struct kinds_of {
  using single = joined<types<>, std::conditional_t<read_in_groups<typename Loads::question>, types<>, types<typename Loads::question>>...>;
  using grouped = joined<types<>, std::conditional_t<read_in_groups<typename Loads::question>, types<typename Loads::question>, types<>>...>;
};
} // namespace detail

using single_kinds = made_of<detail::kinds_of, all_loads>::single;
using group_kinds = made_of<detail::kinds_of, all_loads>::grouped;

} // namespace credence::persistence
