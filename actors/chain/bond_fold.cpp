#include "actors/chain/folding.hpp"

namespace credence::chain {

event_fate folding::on(const bond_events::bond_created& made) {
  const auto number = ours(made.bond);
  const auto author = ours(made.author_profile);
  if (!number || !author)
    return out_of_range();
  if (!profile(*author))
    return failed_missing("profile");
  if (rows_.bonds.find(*number))
    return failed_duplicate();
  bond_row row;
  row.author = *author;
  row.type = made.bond_type;
  row.amount = made.amount;
  row.amount_type = made.amount_type;
  row.created_at = row.updated_at = where_.at;
  rows_.bonds.put(*number, std::move(row));
  return {};
}

event_fate folding::on(const bond_events::bond_archived& ended) {
  const auto number = ours(ended.bond);
  if (!number)
    return out_of_range();
  const auto* found = rows_.bonds.find(*number);
  if (!found)
    return failed_missing("bond");
  if (found->archived_at)
    return {};
  auto row = *found;
  row.archived_at = row.updated_at = where_.at;
  row.archived_by = ended.archived_by;
  row.archive_reason = ended.archive_reason;
  rows_.bonds.put(*number, std::move(row));
  return {};
}

event_fate folding::on(const bond_events::bond_expiration_updated& change) {
  const auto number = ours(change.bond);
  if (!number)
    return out_of_range();
  const auto* found = rows_.bonds.find(*number);
  if (!found)
    return failed_missing("bond");
  auto row = *found;
  row.expiration = change.expiration;
  if (const auto at = expiration_in(change.expiration))
    row.expires_at = at;
  row.updated_at = where_.at;
  rows_.bonds.put(*number, std::move(row));
  return {};
}

} // namespace credence::chain
