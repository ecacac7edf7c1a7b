#include "actors/chain/chain_rows.hpp"

#include <limits>

namespace credence::chain {

// -- one table -----------------------------------------------------------------------------------

template <class Key, class Row, class Index>
struct row_table<Key, Row, Index>::notes {
  std::set<Key> read, missing;
  std::set<index_key> lists_read, lists_missing;
  bool of_lists = false;
};

template <class Key, class Row, class Index>
row_table<Key, Row, Index>::row_table() = default;
template <class Key, class Row, class Index>
row_table<Key, Row, Index>::~row_table() = default;

template <class Key, class Row, class Index>
const Row* row_table<Key, Row, Index>::find(const Key& key) const {
  const auto at = rows_.find(key);
  if (at != rows_.end())
    return &at->second;
  if (notes_ && !notes_->read.contains(key))
    notes_->missing.insert(key);
  return nullptr;
}

template <class Key, class Row, class Index>
const Row& row_table<Key, Row, Index>::at(const Key& key) const {
  const auto* found = find(key);
  if (!found)
    throw row_not_read{};
  return *found;
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
  if (notes_ && notes_->of_lists && !notes_->lists_read.contains(index))
    notes_->lists_missing.insert(index);
  std::vector<Key> out;
  if constexpr (indexed) // clang 14 instantiates also what a constraint leaves out
    if (const auto at = index_.find(index); at != index_.end())
      out.assign(at->second.begin(), at->second.end());
  return out;
}

template <class Key, class Row, class Index>
auto row_table<Key, Row, Index>::least_index() const -> std::optional<index_key>
requires(!std::same_as<Index, no_index>) {
  if constexpr (indexed)
    return index_.empty() ? std::nullopt : std::optional{index_.begin()->first};
  else
    return std::nullopt;
}

template <class Key, class Row, class Index>
void row_table<Key, Row, Index>::note_missing(bool with_lists) {
  notes_ = std::make_unique<notes>();
  notes_->of_lists = with_lists;
}

template <class Key, class Row, class Index>
void row_table<Key, Row, Index>::hold_all() {
  notes_.reset();
}

template <class Key, class Row, class Index>
void row_table<Key, Row, Index>::none_stored(const index_key& index) {
  if (notes_)
    notes_->lists_read.insert(index);
}

template <class Key, class Row, class Index>
void row_table<Key, Row, Index>::is_new(const Key& key) {
  if (notes_)
    notes_->read.insert(key);
}

template <class Key, class Row, class Index>
bool row_table<Key, Row, Index>::misses_any() const noexcept {
  return notes_ && !(notes_->missing.empty() && notes_->lists_missing.empty());
}

namespace {

template <class Key>
std::set<Key> take_noted(std::set<Key>& missing, std::set<Key>& read) {
  read.insert(missing.begin(), missing.end());
  return std::exchange(missing, {});
}

} // namespace

template <class Key, class Row, class Index>
std::set<Key> row_table<Key, Row, Index>::take_missing() {
  return notes_ ? take_noted(notes_->missing, notes_->read) : std::set<Key>{};
}

template <class Key, class Row, class Index>
auto row_table<Key, Row, Index>::take_missing_lists() -> std::set<index_key> {
  return notes_ ? take_noted(notes_->lists_missing, notes_->lists_read) : std::set<index_key>{};
}

template <class Key, class Row, class Index>
auto row_table<Key, Row, Index>::before(std::size_t mark) const -> std::vector<image> {
  std::vector<image> out;
  std::set<Key> seen;
  for (auto i = mark; i < log_.size(); ++i)
    if (seen.insert(log_[i].first).second)
      out.push_back(log_[i]);
  return out;
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
  if constexpr (indexed) {
    if (const auto old = rows_.find(key); old != rows_.end())
      for (const auto& each : taken::all(Index{}(old->second))) {
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

bool row_keys::empty() const {
#define CREDENCE_TABLE(name, ...) name.empty()&&
  return CREDENCE_CHAIN_TABLES(CREDENCE_TABLE) holders.empty() && recipients.empty() && parties.empty()
         && owners.empty() && newest.empty();
#undef CREDENCE_TABLE
}

struct chain_rows::noted_subjects {
  std::set<subject_key> read, missing; // of which the newest generation is looked for
};

chain_rows::chain_rows() = default;
chain_rows::~chain_rows() = default;

void chain_rows::note_missing() {
  const bool has_lists = true;
#define CREDENCE_TABLE(name, ...) name.note_missing(has_lists);
  CREDENCE_CHAIN_TABLES(CREDENCE_TABLE)
#undef CREDENCE_TABLE
  slashes.note_missing(!has_lists);
  parameters.hold_all();
  last_ids.hold_all();
  market_trades.hold_all(); // each is new, as prices are
  market_prices.hold_all();
  subjects_ = std::make_unique<noted_subjects>();
}

bool chain_rows::misses_any() const noexcept {
#define CREDENCE_TABLE(name, ...) name.misses_any() ||
  return CREDENCE_CHAIN_TABLES(CREDENCE_TABLE)(subjects_ && !subjects_->missing.empty());
#undef CREDENCE_TABLE
}

row_keys chain_rows::take_missing() {
  row_keys out;
#define CREDENCE_TABLE(name, ...) out.name = name.take_missing();
  CREDENCE_CHAIN_TABLES(CREDENCE_TABLE)
#undef CREDENCE_TABLE
  out.holders = addresses.take_missing_lists();
  out.recipients = invitations.take_missing_lists();
  out.parties = vouches.take_missing_lists();
  out.owners = projects.take_missing_lists();
  if (subjects_)
    out.newest = take_noted(subjects_->missing, subjects_->read);
  return out;
}

void chain_rows::made(user_id fresh) {
  users.is_new(fresh);
  addresses.none_stored(fresh);
  projects.none_stored(fresh);
}

std::optional<subject_place> chain_rows::newest(const subject_key& key) const {
  if (subjects_ && !subjects_->read.contains(key))
    subjects_->missing.insert(key);
  auto at = subjects.all().upper_bound({key, std::numeric_limits<std::int32_t>::max()});
  if (at == subjects.all().begin() || (--at)->first.key != key)
    return std::nullopt;
  return at->first;
}

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
