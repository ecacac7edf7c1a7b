#include "actors/chain/folding.hpp"
#include "actors/chain/vouch_amounts.hpp"

namespace credence::chain {

event_fate folding::on(const vouch_v2_events::vouched& made) {
  const auto number = ours(made.vouch);
  if (!number)
    return out_of_range();
  if (is_too_much(made.balance) || is_too_much(made.fee))
    return too_much();
  const auto author = owner_of(made.author);
  if (!author)
    return failed_missing("profile");
  const vouch_key key{contract_kind::vouch_v2, *number};
  if (rows_.vouches.find(key))
    return failed_duplicate();
  const auto target = vouch_target_of(made.target, made.target_hash, how_.id_offset);
  const auto* whom = std::get_if<profile_id>(&target.key);
  const auto subject = whom ? subject_of_profile(*whom) : subject_of(target.key);
  if (!subject)
    return failed_missing("profile");
  if (auto named = rows_.subjects.at(*subject); target.service && !named.service) {
    named.service = target.service;
    named.account = target.account;
    rows_.subjects.put(*subject, std::move(named));
  }
  const auto others = active_vouches(contract_kind::vouch_v2, made.author);
  if (others.size() >= vouches_together_max) // so that freezing them changes no more rows than that
    return too_many();
  for (const auto& each : others)
    if (rows_.vouches.find(each)->subject == *subject)
      return failed_duplicate();
  vouch_row row;
  row.author = *author;
  row.wallet = made.author;
  row.subject = *subject;
  row.staked = made.balance + made.fee;
  row.deposited = made.balance;
  row.metadata = made.metadata;
  row.vouched_at = where_.at;
  set_balance(row, made.balance, where_.at);
  put_vouch(key, std::move(row));
  return {};
}

template <class Change>
event_fate folding::move_balance(const onchain_vouch& which, const wei& new_balance, Change change) {
  const auto number = ours(which);
  if (!number)
    return out_of_range();
  if (is_too_much(new_balance))
    return too_much();
  const vouch_key key{contract_kind::vouch_v2, *number};
  const auto* found = active_vouch(key);
  if (!found)
    return failed_missing("vouch");
  auto row = *found;
  change(row);
  set_balance(row, new_balance, where_.at);
  put_vouch(key, std::move(row));
  return {};
}

event_fate folding::on(const vouch_v2_events::vouch_increased& more) {
  if (is_too_much(more.fee))
    return too_much();
  return move_balance(more.vouch, more.new_balance, [&](vouch_row& row) {
    if (more.new_balance > row.balance) {
      const wei added = more.new_balance - row.balance;
      row.staked += added + more.fee;
      row.deposited += added;
    } else
      count_mismatch();
  });
}

event_fate folding::on(const vouch_v2_events::vouch_decreased& less) {
  return move_balance(less.vouch, less.new_balance, [&](vouch_row& row) {
    const wei out = row.balance > less.new_balance ? row.balance - less.new_balance : wei{};
    if (out == 0)
      count_mismatch();
    row.withdrawn += out > less.fee ? out - less.fee : wei{};
  });
}

event_fate folding::on(const vouch_v2_events::vouch_slashed& cut) {
  return move_balance(cut.vouch, cut.new_balance, [&](vouch_row& row) {
    if (cut.prev_balance != row.balance)
      count_mismatch();
    if (row.balance > cut.new_balance)
      row.slashed += row.balance - cut.new_balance;
  });
}

event_fate folding::on(const vouch_v2_events::unvouched& ended) {
  const auto number = ours(ended.vouch);
  if (!number)
    return out_of_range();
  if (is_too_much(ended.payout))
    return too_much();
  const vouch_key key{contract_kind::vouch_v2, *number};
  const auto* found = rows_.vouches.find(key);
  if (!found)
    return failed_missing("vouch");
  if (found->archived)
    return {};
  if (found->balance != ended.prev_balance)
    count_mismatch();
  end_vouch(key, *found, ended.payout);
  return {};
}

event_fate folding::on(const vouch_v2_events::vouch_metadata_updated& told) {
  const auto number = ours(told.vouch);
  if (!number)
    return out_of_range();
  const vouch_key key{contract_kind::vouch_v2, *number};
  const auto* found = rows_.vouches.find(key);
  if (!found)
    return failed_missing("vouch");
  auto row = *found;
  row.metadata = told.metadata;
  rows_.vouches.put(key, std::move(row));
  return {};
}

event_fate folding::on(const vouch_v2_events::frozen& change) {
  freeze_vouches(contract_kind::vouch_v2, change.account, change.is_frozen);
  return {};
}

} // namespace credence::chain
