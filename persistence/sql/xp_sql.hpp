#pragma once

#include "actors/profile/profile_storage.hpp"
#include "persistence/readers/manner.hpp"
#include "persistence/verify/promises.hpp"
#include "persistence/writer/fact_sql.hpp"

#include <span>
#include <vector>

/// The ledger of XP: statements and row mapping.
namespace credence::persistence {

extern const statement insert_tips;
template <>
struct sql_of<profile::xp_tipped> : written_together<profile::xp_tipped, insert_tips> {};

extern const statement insert_grants;
template <>
struct sql_of<profile::xp_granted> : written_together<profile::xp_granted, insert_grants> {};

/// What profiles have, in the order asked, with the number it is as of; 0 for one that does not exist.
std::vector<profile::stored_xp> read(connection& on, std::span<const profile::load_xp> whose, steady_time deadline);
template <>
inline constexpr manner manner_of<profile::load_xp> = load_in_groups;

/// A page of tips, newest first, and how many there are.
profile::tip_list read(connection& on, const profile::load_tips& query, steady_time deadline);
template <>
inline constexpr manner manner_of<profile::load_tips> = list_a_page;

/// A tip by its number, with the balances of now.
profile::stored_receipt read(connection& on, const profile::load_receipt& query, steady_time deadline);
template <>
inline constexpr manner manner_of<profile::load_receipt> = load_by_key;

/// A grant by its number, with the balance of now.
profile::stored_grant read(connection& on, const profile::load_grant& query, steady_time deadline);
template <>
inline constexpr manner manner_of<profile::load_grant> = load_by_key;

profile::tip_figures read(connection& on, const profile::load_tip_figures& query, steady_time deadline);
template <>
inline constexpr manner manner_of<profile::load_tip_figures> = list_a_page;

template <>
inline constexpr number_column numbers_of<profile::xp_tipped>{"xp_movements"};
template <>
inline constexpr number_column numbers_of<profile::xp_granted>{"xp_movements"};
} // namespace credence::persistence
