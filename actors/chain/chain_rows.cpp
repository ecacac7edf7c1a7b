#include "actors/chain/chain_rows.hpp"

#include <limits>

namespace credence::chain {

#define CREDENCE_TABLE(name, relation, key, row, index) template class row_table<key, row, index>;
CREDENCE_CHAIN_TABLES(CREDENCE_TABLE)
#undef CREDENCE_TABLE

bool row_keys::empty() const {
#define CREDENCE_TABLE(name, ...) name.empty()&&
  return CREDENCE_CHAIN_TABLES(CREDENCE_TABLE) holders.empty() && recipients.empty() && parties.empty()
         && owners.empty() && newest.empty();
#undef CREDENCE_TABLE
}

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
