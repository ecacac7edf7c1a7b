#include "actors/chain/row_images.hpp"
#include "actors/chain/row_object.hpp"

namespace credence::chain {

namespace {

/// `[[20000,"5"]]`: days since 1970, and what was put in on each and is still there.
std::string text_of(const std::vector<score::vouch_part>& parts) {
  std::string out = "[";
  for (const auto& each : parts)
    out.append(out.size() > 1 ? ",[" : "[")
      .append(std::to_string(each.day.time_since_epoch().count()))
      .append(",\"")
      .append(decimal(each.amount))
      .append("\"]");
  return out + "]";
}

} // namespace

std::string row_images::columns(const vouch_key& key, const vouch_row& row, const origin& by) const {
  row_object out;
  out.text("contract", chain::name_of(key.contract)).number("number", key.number).number("author_profile", row.author);
  if (row.wallet)
    out.bytes("author_address", row.wallet->bytes);
  return out.bytes("subject_key", bytes_of(row.subject.key))
    .number("subject_generation", row.subject.generation)
    .number("subject_profile", row.subject_profile)
    .text("token", key.contract == contract_kind::vouch ? "eth" : "whuf")
    .text("staked", decimal(row.staked))
    .text("deposited", decimal(row.deposited))
    .text("balance", decimal(row.balance))
    .text("withdrawn", decimal(row.withdrawn))
    .text("slashed", decimal(row.slashed))
    .text("told_parts", text_of(row.parts))
    .text("comment", "")
    .text("metadata", "")
    .text_or_null("told_metadata", row.metadata)
    .flag("archived", row.archived)
    .flag("unhealthy", row.unhealthy_at.has_value())
    .flag("frozen", row.frozen)
    .time("vouched_at", row.vouched_at)
    .time("unvouched_at", row.unvouched_at)
    .time("unhealthy_at", row.unhealthy_at)
    .of(by);
}

std::string row_images::columns(profile_id key, const vouch_rewards_row& row, const origin& by) const {
  return row_object{}
    .number("profile", key)
    .text("balance", decimal(row.balance))
    .text("deposited", decimal(row.deposited))
    .text("withdrawn", decimal(row.withdrawn))
    .of(by);
}

} // namespace credence::chain
