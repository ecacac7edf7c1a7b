#include "persistence/sql/broker_rows_sql.hpp"
#include "persistence/sql/in_order.hpp"

namespace credence::persistence {

namespace {

using namespace chain;

constexpr auto balances_sql = "SELECT b.holder, b.token, b.balance, b.missing FROM token_balances b"
                              " JOIN unnest($1::bytea[], $2::bytea[]) k(holder, token) USING (holder, token)";
constexpr auto rewards_sql = "SELECT b.holder, b.contract, b.balance FROM reward_balances b"
                             " JOIN unnest($1::bytea[], $2::bytea[]) k(holder, contract) USING (holder, contract)";

} // namespace

void read_token_rows(connection& on, const row_keys& keys, chain_rows& to, steady_time deadline) {
  if (!keys.balances.empty()) {
    binary_array holders{sql_type::bytea}, tokens{sql_type::bytea};
    for (const auto& each : keys.balances) {
      holders.bytes(each.holder.bytes);
      tokens.bytes(each.token.bytes);
    }
    const auto found = on.run(balances_sql, parameters{}.array(holders).array(tokens), deadline);
    const column<address> holder{found, "holder"}, token{found, "token"};
    const column<wei> balance{found, "balance"}, missing{found, "missing"};
    for (int i = 0; i < found.count(); ++i)
      to.balances.put({holder[i], token[i]}, {balance[i], missing[i]});
  }
  if (!keys.rewards.empty()) {
    binary_array holders{sql_type::bytea}, contracts{sql_type::bytea};
    for (const auto& each : keys.rewards) {
      holders.bytes(each.holder.bytes);
      contracts.bytes(each.contract.bytes);
    }
    const auto found = on.run(rewards_sql, parameters{}.array(holders).array(contracts), deadline);
    const column<address> holder{found, "holder"}, contract{found, "contract"};
    const column<wei> balance{found, "balance"};
    for (int i = 0; i < found.count(); ++i)
      to.rewards.put({holder[i], contract[i]}, {balance[i]});
  }
}

} // namespace credence::persistence
