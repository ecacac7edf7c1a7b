#pragma once

#include "actors/profile/profile_storage.hpp"
#include "actors/profile/xp_types.hpp"
#include "persistence/postgres/column.hpp"
#include "persistence/readers/query_policy.hpp"
#include "persistence/sql/words.hpp"
#include "persistence/writer/fact_sql.hpp"

#include <span>
#include <vector>

/// Profiles: what they have cast, their API keys, sessions and nonces, and their XP.
namespace credence::persistence {

extern const statement insert_tips, insert_grants;
fact_sql_ptr sql_of(kind<profile::xp_tipped>);
fact_sql_ptr sql_of(kind<profile::xp_granted>);
fact_sql_ptr sql_of(kind<profile::key_created>);
fact_sql_ptr sql_of(kind<profile::key_revoked>);
fact_sql_ptr sql_of(kind<profile::keys_used>);
fact_sql_ptr sql_of(kind<profile::session_opened>);
fact_sql_ptr sql_of(kind<profile::session_rotated>);
fact_sql_ptr sql_of(kind<profile::sessions_ended>);
fact_sql_ptr sql_of(kind<profile::partner_switched>);
fact_sql_ptr sql_of(kind<profile::partner_code_made>);
fact_sql_ptr sql_of(kind<profile::nonce_used>);

constexpr number_column numbers_of(kind<profile::xp_tipped>) { return {"xp_movements"}; }
constexpr number_column numbers_of(kind<profile::xp_granted>) { return {"xp_movements"}; }

/// Whether each profile is there and live, what it has cast in the period asked about, and the
/// last global number that was committed when they were read; in the order asked, of one snapshot.
std::vector<profile::stored_profile> read(connection& on, std::span<const profile::load_profile> which,
                                          steady_time deadline);
constexpr query_policy query_policy_of(asked<profile::load_profile>) { return load_in_groups; }

/// What voters have cast in a period, in the order asked.
profile::counted_votes read(connection& on, const profile::count_votes& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<profile::count_votes>) { return load_by_key; } // is a group itself

/// Keys and sessions that hold and nonces that were used, in the order asked, of one snapshot.
std::vector<profile::stored_credentials> read(connection& on, std::span<const profile::load_credentials> whose,
                                              steady_time deadline);
constexpr query_policy query_policy_of(asked<profile::load_credentials>) { return load_in_groups; }

/// API keys of rows with the columns of `api_keys`, their id as `key_id` and lists as texts with commas.
std::vector<profile::api_key> keys_in(const rows& found);

/// What a partner did for a profile, newest first.
std::vector<profile::partner_act> read(connection& on, const profile::list_partner_acts& which, steady_time deadline);
constexpr query_policy query_policy_of(asked<profile::list_partner_acts>) { return list_a_page; }

/// What profiles have, in the order asked, with the number it is as of; 0 for one that does not exist.
std::vector<profile::stored_xp> read(connection& on, std::span<const profile::load_xp> whose, steady_time deadline);
constexpr query_policy query_policy_of(asked<profile::load_xp>) { return load_in_groups; }

/// A page of tips, newest first, and how many there are.
profile::tip_list read(connection& on, const profile::get_tips& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<profile::get_tips>) { return list_a_page; }

/// A tip by its number, with the balances of now.
std::optional<profile::tip_receipt> read(connection& on, const profile::get_receipt& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<profile::get_receipt>) { return load_by_key; }

/// A grant by its number, with the balance of now.
std::optional<profile::grant_receipt> read(connection& on, const profile::get_grant& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<profile::get_grant>) { return load_by_key; }

profile::tip_figures read(connection& on, const profile::get_tip_figures& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<profile::get_tip_figures>) { return list_a_page; }

/// All seasons, the earliest first.
std::vector<profile::xp_season> read(connection& on, const profile::get_xp_seasons& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<profile::get_xp_seasons>) { return list_a_page; }

/// A season with what a profile has earned in its weeks; one snapshot.
profile::season_points read(connection& on, const profile::get_season_points& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<profile::get_season_points>) { return list_a_page; }

/// A page of a profile's ledger, the newest first.
profile::ledger_page read(connection& on, const profile::list_ledger& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<profile::list_ledger>) { return list_of_many; }

} // namespace credence::persistence
