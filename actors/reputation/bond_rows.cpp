#include "actors/reputation/record_rows.hpp"

/// What bonds change in the rows that requests are decided over.
namespace credence::reputation {

void record_rows::apply(const bond_created& change) {
  take(change.subject);
  last_.bond = change.record.id.value;
  bonds_[change.record.id] = change.record;
}

void record_rows::apply(const bond_archived& change) {
  auto& bond = bonds_.at(change.id);
  bond.ended = change.end;
  bond.updated_at = change.end.at;
  if (const auto shown = activities_.find({activity_kind::bond, change.id.value}); shown != activities_.end())
    shown->second.archived = true;
}

void record_rows::apply(const bond_expiration_set& change) {
  auto& bond = bonds_.at(change.id);
  bond.expires_at = change.expires_at;
  bond.updated_at = change.at;
}

} // namespace credence::reputation
