#include "actors/chain/row_images.hpp"
#include "actors/chain/row_object.hpp"

namespace credence::chain {

std::string row_images::columns(const token_key& key, const token_row& row, const origin& by) const {
  return row_object{}
    .bytes("holder", key.holder.bytes)
    .bytes("token", key.token.bytes)
    .text("balance", decimal(row.balance))
    .text("missing", decimal(row.missing))
    .of(by);
}

std::string row_images::columns(const reward_key& key, const reward_row& row, const origin& by) const {
  return row_object{}
    .bytes("holder", key.holder.bytes)
    .bytes("contract", key.contract.bytes)
    .text("balance", decimal(row.balance))
    .of(by);
}

} // namespace credence::chain
