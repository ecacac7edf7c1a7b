#include "actors/chain/row_images.hpp"
#include "actors/chain/row_object.hpp"

namespace credence::chain {

/// The outcome is told where the contract or whoever cancelled it said so; else votes decide, where the row is written.
std::string row_images::columns(slash_id key, const slash_row& row, const origin& by) const {
  row_object out;
  out.number("id", key).number("author_id", row.author);
  const bool of_address = std::holds_alternative<address>(row.subject);
  out.bytes(of_address ? "subject_address" : "subject_hash", bytes_of(row.subject))
    .null(of_address ? "subject_hash" : "subject_address");
  out.number("subject_user_id", row.user ? std::optional{row.user} : std::nullopt)
    .number("subject_profile_id", row.subject_profile);
  out.text("type", slash_type_words[static_cast<std::size_t>(row.type)]);
  out.number("amount", row.amount)
    .number("duration_s", row.duration_s)
    .text("comment", row.comment)
    .text("metadata", row.metadata);
  out.time("created_at", row.created_at).time("ends_at", row.ends_at()).time("closed_at", row.closed_at);
  const auto resolved =
    row.resolution ? std::optional{std::string{slash_resolution_words[static_cast<std::size_t>(*row.resolution)]}}
                   : std::nullopt;
  out.text_or_null("ended_by", row.ended_by
                                 ? std::optional{std::string{slash_end_words[static_cast<std::size_t>(*row.ended_by)]}}
                                 : std::nullopt);
  if (row.ended_by == slash_end::cancelled)
    out.text("outcome", "CANCELLED");
  else
    out.text_or_null("outcome", row.ended_by == slash_end::resolved ? resolved : std::nullopt);
  out.text_or_null("resolution", resolved)
    .text("resolution_bps", decimal(row.resolution_bps))
    .flag("executed", row.executed);
  return out.of(by);
}

} // namespace credence::chain
