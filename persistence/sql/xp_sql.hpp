#pragma once

#include "actors/profile/profile_storage.hpp"
#include "persistence/writer/fact_sql.hpp"

#include <span>
#include <vector>

/// The ledger of XP: statements and row mapping.
namespace credence::persistence {

extern const statement insert_tips;
template <>
struct sql_of<profile::xp_tipped> : written_together<profile::xp_tipped, insert_tips> {};

/// What profiles have, in the order asked, with the number it is as of; 0 for one that does not exist.
std::vector<profile::stored_xp> read_xp(connection& on, std::span<const profile::load_xp> whose, steady_time deadline);
/// A page of tips, newest first, and how many there are.
profile::tip_list read_tips(connection& on, const profile::load_tips& asked, steady_time deadline);
/// A tip by its number, with the balances of now.
profile::stored_receipt read_receipt(connection& on, const profile::load_receipt& asked, steady_time deadline);
profile::tip_figures read_tip_figures(connection& on, profile_id of, steady_time deadline);

} // namespace credence::persistence
