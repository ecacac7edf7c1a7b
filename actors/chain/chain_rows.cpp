#include "actors/chain/chain_rows.hpp"

namespace credence::chain {

chain_rows::marks chain_rows::mark() {
  marks out;
  for_each_table([&](auto& table) { out.push_back(table.mark()); });
  return out;
}

void chain_rows::back_to(const marks& mark) {
  auto next = mark.begin();
  for_each_table([&](auto& table) { table.back_to(*next++); });
}

void chain_rows::settle() {
  for_each_table([](auto& table) { table.settle(); });
}

} // namespace credence::chain
