#include "actors/chain/chain_rows.hpp"

namespace credence::chain {

// -- one table -----------------------------------------------------------------------------------

template <class Key, class Row, class Index>
row_table<Key, Row, Index>::row_table() = default;
template <class Key, class Row, class Index>
row_table<Key, Row, Index>::~row_table() = default;

template <class Key, class Row, class Index>
const Row* row_table<Key, Row, Index>::find(const Key& key) const {
  const auto at = rows_.find(key);
  return at == rows_.end() ? nullptr : &at->second;
}

template <class Key, class Row, class Index>
void row_table<Key, Row, Index>::put(const Key& key, Row row) {
  change(key, std::move(row));
}

template <class Key, class Row, class Index>
void row_table<Key, Row, Index>::erase(const Key& key) {
  change(key, std::nullopt);
}

template <class Key, class Row, class Index>
std::vector<Key> row_table<Key, Row, Index>::with(const index_key& index) const
  requires(!std::same_as<Index, no_index>) {
  std::vector<Key> out;
  const auto at = index_.find(index);
  if (at != index_.end())
    out.assign(at->second.begin(), at->second.end());
  return out;
}

template <class Key, class Row, class Index>
auto row_table<Key, Row, Index>::least_index() const -> std::optional<index_key>
requires(!std::same_as<Index, no_index>) {
  return index_.empty() ? std::nullopt : std::optional{index_.begin()->first};
}

template <class Key, class Row, class Index>
auto row_table<Key, Row, Index>::before(std::size_t mark) const -> std::vector<image> {
  std::map<Key, std::optional<Row>> first;
  for (auto i = mark; i < log_.size(); ++i)
    first.insert(log_[i]);
  return {first.begin(), first.end()};
}

template <class Key, class Row, class Index>
void row_table<Key, Row, Index>::back_to(std::size_t mark) {
  while (log_.size() > mark) {
    auto [key, row] = std::move(log_.back());
    log_.pop_back();
    store(key, std::move(row));
  }
}

template <class Key, class Row, class Index>
void row_table<Key, Row, Index>::settle() {
  log_.clear();
}

template <class Key, class Row, class Index>
void row_table<Key, Row, Index>::change(const Key& key, std::optional<Row> row) {
  const auto* old = find(key);
  log_.emplace_back(key, old ? std::optional{*old} : std::nullopt);
  store(key, std::move(row));
}

template <class Key, class Row, class Index>
void row_table<Key, Row, Index>::store(const Key& key, std::optional<Row> row) {
  if constexpr (!std::same_as<Index, no_index>) {
    if (const auto* old = find(key))
      for (const auto& each : taken::all(Index{}(*old))) {
        const auto at = index_.find(each);
        at->second.erase(key);
        if (at->second.empty())
          index_.erase(at);
      }
    if (row)
      for (const auto& each : taken::all(Index{}(*row)))
        index_[each].insert(key);
  }
  if (row)
    rows_.insert_or_assign(key, *std::move(row));
  else
    rows_.erase(key);
}

#define CREDENCE_TABLE(name, relation, key, row, index) template class row_table<key, row, index>;
CREDENCE_CHAIN_TABLES(CREDENCE_TABLE)
#undef CREDENCE_TABLE

// -- all of them ---------------------------------------------------------------------------------

chain_rows::chain_rows() = default;
chain_rows::~chain_rows() = default;

chain_rows::marks chain_rows::mark() {
#define CREDENCE_TABLE(name, ...) name.mark(),
  return {CREDENCE_CHAIN_TABLES(CREDENCE_TABLE)};
#undef CREDENCE_TABLE
}

void chain_rows::back_to(const marks& mark) {
  auto next = mark.begin();
#define CREDENCE_TABLE(name, ...) name.back_to(*next++);
  CREDENCE_CHAIN_TABLES(CREDENCE_TABLE)
#undef CREDENCE_TABLE
}

void chain_rows::settle() {
#define CREDENCE_TABLE(name, ...) name.settle();
  CREDENCE_CHAIN_TABLES(CREDENCE_TABLE)
#undef CREDENCE_TABLE
}

} // namespace credence::chain
