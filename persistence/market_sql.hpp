#pragma once

#include "actors/market/market_types.hpp"
#include "actors/wallet/wallet_types.hpp"
#include "persistence/connection.hpp"
#include "persistence/credential_sql.hpp"

/// Money and markets: statements and row mapping.
namespace credence::persistence {

/// One statement each, as they are rare.
struct market_sql {
  using statement = credential_sql::statement;
  static const statement transfer;
  static const statement pay_for_market;
  static const statement open_market;
  static const std::array<const statement*, 3> all;

  static parameters transfer_with(const wallet::funds_moved& change, global_seq seq);
  static parameters pay_for_market_with(const market::market_opened& change, global_seq seq);
  static parameters open_market_with(const market::market_opened& change, global_seq seq);
};

/// The trades of one batch as columns: one INSERT however many there are.
class trade_columns {
public:
  static constexpr const char* name = "insert_trades";
  static const char* const sql;

  void clear();
  void add(const market::traded& trade, global_seq seq);
  std::size_t size() const noexcept { return size_; }
  /// Valid until the next change of this object.
  const parameters& finish();

private:
  std::array<binary_array*, 18> columns() {
    return {&market_, &at_, &number_, &seq_, &trader_, &buys_, &trusts_, &votes_, &cost_, &protocol_fee_, &donation_,
            &drawn_, &trust_after_, &distrust_after_, &trust_price_, &distrust_price_, &volume_, &bought_};
  }

  std::size_t size_ = 0;
  binary_array market_{sql_type::int4};
  binary_array at_{sql_type::timestamptz};
  binary_array number_{sql_type::int8};
  binary_array seq_{sql_type::int8};
  binary_array trader_{sql_type::int4};
  binary_array buys_{sql_type::boolean};
  binary_array trusts_{sql_type::boolean};
  binary_array votes_{sql_type::int8};
  binary_array cost_{sql_type::numeric};
  binary_array protocol_fee_{sql_type::numeric};
  binary_array donation_{sql_type::numeric};
  binary_array drawn_{sql_type::numeric};
  binary_array trust_after_{sql_type::int8};
  binary_array distrust_after_{sql_type::int8};
  binary_array trust_price_{sql_type::numeric};
  binary_array distrust_price_{sql_type::numeric};
  binary_array volume_{sql_type::numeric};
  binary_array bought_{sql_type::numeric};
  parameters with_;
};

/// The address in a column, null where there is none.
std::optional<address> maybe_address(const rows& from, int row, int column);
market::tier tier_from(std::string_view word);

/// Balances in the order asked, with the number they are as of; zero for who never had one.
std::vector<wallet::stored_wallet> read_wallets(connection& on, std::span<const wallet::load_wallet> whose, steady_time deadline);
wallet::stored_transfer read_transfer(connection& on, const wallet::load_transfer& asked, steady_time deadline);

/// What one profile holds of a market.
market::position read_position(connection& on, const market::load_position& asked, steady_time deadline);
/// The next positions of a market, of one snapshot.
market::stored_positions read_positions(connection& on, const market::load_positions& asked, steady_time deadline);
/// A market with its first positions, of one snapshot.
market::stored_market read_market(connection& on, const market::load_market& asked, steady_time deadline);
market::stored_window read_window(connection& on, const market::load_window& asked, steady_time deadline);
market::face read_face(connection& on, profile_id whose, steady_time deadline);
market::stored_trade read_trade(connection& on, const market::load_trade& asked, steady_time deadline);

} // namespace credence::persistence
