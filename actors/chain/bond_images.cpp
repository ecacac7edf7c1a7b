#include "actors/chain/row_images.hpp"
#include "actors/chain/row_object.hpp"

namespace credence::chain {

std::string row_images::columns(bond_id key, const bond_row& row, const origin& by) const {
  row_object out;
  out.number("id", key)
    .number("author_profile", row.author)
    .text("bond_type", row.type)
    .text("amount", row.amount)
    .text("amount_type", row.amount_type)
    .text("statement", "")
    .text("comment", "")
    .text_or_null("told_expiration", row.expiration)
    .time("told_expires_at", row.expires_at)
    .flag("archived", row.archived_at.has_value())
    .time("archived_at", row.archived_at);
  if (row.archived_at)
    out.text("archive_reason", row.archive_reason);
  if (row.archived_by)
    out.bytes("archived_by_wallet", row.archived_by->bytes);
  return out.time("created_at", row.created_at).time("updated_at", row.updated_at).of(by);
}

} // namespace credence::chain
