#include "actors/chain/folding.hpp"

#include <algorithm>

/// Posts of the broker, their fees, and credit.
namespace credence::chain {

event_fate folding::on(const broker_events::post_created& post) {
  const auto number = ours(post.id);
  const auto author = ours(post.author_profile);
  if (!number || !author)
    return out_of_range();
  if (rows_.posts.find(*number))
    return failed_duplicate();
  if (!profile(*author))
    return failed_missing("profile");
  rows_.posts.put(*number, {*author, post.level, post.title, post.description, post.price, post.metadata,
                            post.created_at, post.created_at});
  return {};
}

event_fate folding::on(const broker_events::post_updated& post) {
  const auto number = ours(post.id);
  if (!number)
    return out_of_range();
  const auto* found = rows_.posts.find(*number);
  if (!found)
    return failed_missing("post");
  auto row = *found;
  row.title = post.title;
  row.description = post.description;
  row.price = post.price;
  row.metadata = post.metadata;
  row.updated_at = std::max(row.created_at, post.updated_at);
  rows_.posts.put(*number, std::move(row));
  return {};
}

event_fate folding::on(const broker_events::premium_post_fee_paid& paid) {
  const auto number = ours(paid.post);
  if (!number)
    return out_of_range();
  rows_.post_fees.put(*number, {paid.token, paid.fee, paid.recipient});
  return {};
}

event_fate folding::on(const broker_events::credit_balance_updated& credit) {
  return set_credit(credit.profile, credit.token, credit.new_balance);
}

event_fate folding::on(const broker_events::credit_used& credit) {
  return set_credit(credit.profile, credit.token, credit.remaining_balance);
}

/// The contract tells what is left, so nothing is added up here.
event_fate folding::set_credit(const onchain_profile& of, const address& token, const uint256& balance) {
  const auto holder = ours(of);
  if (!holder)
    return out_of_range();
  if (!profile(*holder))
    return failed_missing("profile");
  rows_.credits.put({*holder, token}, {balance});
  return {};
}

} // namespace credence::chain
