#pragma once

#include "actors/wallets/wallet_storage.hpp"
#include "persistence/readers/manner.hpp"
#include "persistence/verify/promises.hpp"
#include "persistence/writer/fact_sql.hpp"

#include <span>
#include <vector>

/// Managed wallets: statements and row mapping.
namespace credence::persistence {

extern const statement insert_wallets;
extern const statement stamp_exports;

template <>
struct sql_of<wallets::wallet_made> : written_together<wallets::wallet_made, insert_wallets> {};
/// A wallet may be exported before it is in any batch but this one.
template <>
struct sql_of<wallets::wallet_exported> : written_together<wallets::wallet_exported, stamp_exports> {
  using after = types<wallets::wallet_made>;
};

/// The wallets of these profiles, in the order asked.
std::vector<wallets::stored_wallet> read(connection& on, std::span<const wallets::load_wallet> whose,
                                         steady_time deadline);
template <>
inline constexpr manner manner_of<wallets::load_wallet> = load_in_groups;

} // namespace credence::persistence
