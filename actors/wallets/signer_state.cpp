#include "actors/wallets/signer_state.hpp"

#include "actors/wallets/failure_reason.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace credence::wallets {

namespace {

using state = transaction_state;

/// So many looks in a row must see that a number was used by something else.
constexpr int conflicts_believed = 3;

bool waits(const outbox_row& row) { return row.state == state::stored || row.state == state::sent; }
bool in_block(const outbox_row& row) { return row.block.has_value(); }
wei cost_of(const outbox_row& row) { return cost_at_most(row.plan.gas_limit, row.fees, row.plan.value); }

/// Nothing where the node was not asked about it.
const seen_transaction* seen_by(const node_view* node, std::int64_t id) {
  const auto found = node ? node->seen.find(id) : std::map<std::int64_t, seen_transaction>::const_iterator{};
  return node && found != node->seen.end() ? &found->second : nullptr;
}

std::string text_of(std::uint64_t number) { return std::to_string(number); }

/// The state that a transaction is left in which no node takes.
transaction_move failing(std::int64_t id, std::string why) {
  return {id, state::failed, std::move(why), std::nullopt, true, 0};
}

} // namespace

void signer_state::restore(stored_outbox stored, timestamp day) {
  rows_.clear();
  reserved_.clear();
  tried_.clear();
  gap_.reset();
  filled_.reset();
  used_ = stored.used;
  day_ = day;
  signed_today_ = stored.signed_today;
  for (auto& row : stored.open) {
    note_signature(row);
    const auto id = row.id;
    rows_.emplace(id, entry{std::move(row), true});
  }
}

// -- before a signature -------------------------------------------------------------------------

std::optional<refusal> signer_state::may_sign(timestamp now, std::size_t preparing) const {
  if (unmined() + preparing >= within_->open_max)
    return refusal{refusal_code::rate_limited,
                   "this wallet has " + std::to_string(within_->open_max)
                     + " transactions on their way; try again when one of them is in a block"};
  const auto under_way = static_cast<std::int32_t>(std::min<std::size_t>(preparing, within_->open_max));
  if (day_of(now) == day_ && signed_today_ + under_way >= within_->signatures_per_day)
    return refusal{refusal_code::rate_limited,
                   "this wallet has signed " + std::to_string(signed_today_ + under_way)
                     + " transactions today (UTC), which is all that wallets.signatures_per_day allows",
                   {},
                   std::chrono::ceil<std::chrono::seconds>(day_ + std::chrono::days{1} - now)};
  return std::nullopt;
}

bool signer_state::on_its_way(const address& to, const std::string& data) const {
  return std::any_of(rows_.begin(), rows_.end(), [&](const auto& each) {
    const auto& row = each.second.row;
    return waits(row) && row.plan.to == to && row.plan.data == data;
  });
}

outcome<transaction_cost> signer_state::price(const node_quote& quote, const wei& value) const {
  if (quote.gas == 0 && quote.balance < value)
    return refusal{refusal_code::insufficient_funds,
                   "the wallet lacks " + decimal(wei{value - quote.balance}) + " wei and the gas for this"};
  if (quote.gas == 0)
    return refusal{refusal_code::contract_revert, "the contract would refuse this: " + quote.why};
  const auto gas = gas_limit_of(quote.gas, *within_);
  if (!gas)
    return refusal{refusal_code::contract_revert, "the call needs " + text_of(quote.gas)
                                                    + " gas, and managed wallets give at most "
                                                    + text_of(within_->gas_max)};
  const auto fees = suggested_fees(quote, *within_);
  if (!fees)
    return refusal{refusal_code::blockchain_unavailable,
                   "the chain asks for " + decimal(quote.base_fee)
                     + " wei for a unit of gas at the moment, and managed wallets pay at most "
                     + decimal(within_->fee_max) + "; try again later"};
  return transaction_cost{*gas, *fees, cost_at_most(*gas, *fees, value)};
}

outcome<transaction_cost> signer_state::price_of_gift(const node_quote& quote, const wei& value) const {
  auto cost = price(quote, value);
  if (!cost)
    return cost;
  if (quote.gas > gas_of_transfer)
    return refusal{refusal_code::forbidden, "the wallet's account runs code when it is paid"};
  return transaction_cost{gas_of_transfer, cost->fees, cost_at_most(gas_of_transfer, cost->fees, value)};
}

wei signer_state::missing(const wei& balance, const wei& cost) const {
  std::map<std::uint64_t, wei> on_their_way; // the dearest of each number
  for (const auto& [id, each] : rows_)
    if (waits(each.row)) {
      auto& most = on_their_way[each.row.nonce];
      most = std::max(most, cost_of(each.row));
    }
  wei needed = cost;
  for (const auto& [nonce, most] : on_their_way)
    needed += most;
  return needed > balance ? wei{needed - balance} : wei{0};
}

bool signer_state::holds(std::uint64_t nonce) const {
  return reserved_.contains(nonce)
         || std::any_of(rows_.begin(), rows_.end(), [&](const auto& each) { return each.second.row.nonce == nonce; });
}

std::uint64_t signer_state::next_nonce(const nonce_counts& told) const {
  auto out = std::max({used_, told.latest, told.pending});
  while (holds(out))
    ++out;
  return out;
}

// -- what was stored ------------------------------------------------------------------------------

void signer_state::add(outbox_row row, bool by_owner, std::int64_t replaces) {
  release(row.nonce);
  if (by_owner && day_of(row.created_at) != std::exchange(day_, day_of(row.created_at)))
    signed_today_ = 0;
  signed_today_ += by_owner ? 1 : 0;
  if (const auto before = rows_.find(replaces); before != rows_.end())
    before->second.row.state = state::replaced;
  note_signature(row);
  const auto id = row.id;
  rows_.emplace(id, entry{std::move(row)});
}

void signer_state::note_signature(const outbox_row& row) {
  auto& tried = tried_[row.nonce];
  tried.highest = {std::max(tried.highest.most, row.fees.most), std::max(tried.highest.priority, row.fees.priority)};
  ++tried.signatures;
}

void signer_state::apply(const transactions_moved& change) {
  for (const auto& move : change.moves) {
    const auto found = rows_.find(move.id);
    if (found == rows_.end())
      continue;
    auto& row = found->second.row;
    row.state = move.to;
    row.reason = move.reason;
    row.block = move.block;
    row.changed_at = change.at;
    if (!move.done)
      continue;
    const auto nonce = row.nonce;
    const bool refused = move.to == state::failed && !in_block(row);
    if (in_block(row))
      used_ = std::max(used_, nonce + 1);
    rows_.erase(found);
    if (!holds(nonce))
      tried_.erase(nonce);
    else if (auto& signatures = tried_[nonce].signatures; refused && signatures > 0)
      --signatures;
  }
}

// -- what nodes say -------------------------------------------------------------------------------

send_verdict signer_state::on_sent(std::int64_t id, const send_answer& answer) {
  const auto found = rows_.find(id);
  if (found == rows_.end())
    return {};
  auto& one = found->second;
  auto& row = one.row;
  const bool certain = !one.given; // no node has it
  const auto number = text_of(row.nonce);
  if (answer.result == send_result::taken || answer.result == send_result::already_known) {
    one.given = true;
    one.too_cheap = false;
    return {row.state == state::stored ? std::vector{transaction_move{id, state::sent, {}, row.block, false, 0}}
                                       : std::vector<transaction_move>{},
            {}};
  }
  if (answer.result == send_result::unclear)
    one.given = true;
  if (!certain || answer.result == send_result::unclear)
    return {}; // the next look tells where it is
  entry* before = nullptr;
  for (auto& [other, each] : rows_)
    if (other != id && each.row.nonce == row.nonce)
      before = &each;
  if (before && in_block(before->row)) // the look that saw it there has judged this one, too
    return {};
  if (before) { // that one still waits, and is tried again with a higher fee
    if (answer.result == send_result::nonce_too_low)
      return {};
    before->too_cheap =
      answer.result == send_result::replacement_underpriced || answer.result == send_result::underpriced;
    return {{failing(id, failure_reason(
                           {refusal_code::blockchain_unavailable, "a node refuses the higher fee: " + answer.why})),
             {before->row.id, state::sent, {}, std::nullopt, false, 0}},
            {}};
  }
  refusal why;
  switch (answer.result) {
    case send_result::nonce_too_low:
      why = {refusal_code::nonce_conflict,
             "nonce " + number + " of this wallet was used by another transaction; try again"};
      break;
    case send_result::replacement_underpriced:
      why = {refusal_code::nonce_conflict,
             "another transaction with nonce " + number + " of this wallet waits at the node; try again"};
      break;
    case send_result::insufficient_funds:
      why = {refusal_code::insufficient_funds, "the wallet does not hold enough for this: " + answer.why};
      break;
    default:
      why = {refusal_code::blockchain_unavailable, "the chain's node refuses the transaction: " + answer.why};
      break;
  }
  return {{failing(id, failure_reason(why))}, why};
}

std::map<std::uint64_t, signer_state::group> signer_state::groups() {
  std::map<std::uint64_t, group> out;
  for (auto& [id, each] : rows_)
    out[each.row.nonce].push_back(&each);
  return out;
}

void signer_state::win(group& all, entry& winner, transaction_state as, std::string reason, std::int64_t block,
                       bool done, housekeeping& to) {
  for (auto* other : all)
    if (other != &winner && (done || other->row.state != state::replaced))
      to.moves.push_back({other->row.id, state::replaced, {}, std::nullopt, done, winner.row.id});
  const auto& row = winner.row;
  if (done || row.state != as || row.block != block)
    to.moves.push_back({row.id, as, std::move(reason), block, done, 0});
}

bool signer_state::found(group& all, const followed_outbox& followed, housekeeping& to) {
  for (auto* each : all)
    for (const auto& row : followed.rows)
      if (row.id == each->row.id && row.block) {
        const bool settled = *row.block <= followed.authority;
        win(all, *each, settled ? state::settled : state::mined, {}, *row.block, settled, to);
        return true;
      }
  return false;
}

void signer_state::judge_by_receipt(group& all, entry& one, const seen_transaction& seen,
                                    const followed_outbox& followed, housekeeping& to) {
  const auto block = static_cast<std::int64_t>(*seen.block);
  const bool settled = block <= followed.authority;
  if (block > followed.tip)
    return; // it counts when the follower is there
  if (!seen.succeeded)
    win(all, one, state::failed, failure_reason(reverted_in(*seen.block)), block, settled, to);
  else if (one.row.plan.data.empty() || settled) // what has no event is known by its receipt alone
    win(all, one, settled ? state::settled : state::mined, {}, block, settled, to);
}

void signer_state::tend_waiting(group& all, entry& leader, const followed_outbox& followed, const node_view& node,
                                timestamp now, housekeeping& to) {
  const auto& row = leader.row;
  if (node.nonces.latest > row.nonce) {
    if (!std::all_of(all.begin(), all.end(), [&](const entry* each) { return seen_by(&node, each->row.id); }))
      return; // one that nobody was asked about may be the one in the block
    to.conflicts = true;
    if (leader.conflict_at == 0)
      leader.conflict_at = std::max<std::int64_t>(followed.tip, 1);
    if (++leader.conflicts < conflicts_believed || followed.authority <= leader.conflict_at)
      return; // the block of the other one may be taken back
    for (auto* other : all)
      if (other != &leader)
        to.moves.push_back({other->row.id, state::replaced, {}, std::nullopt, true, row.id});
    to.moves.push_back(
      failing(row.id, failure_reason({refusal_code::nonce_conflict,
                                      "nonce " + text_of(row.nonce) + " was used by another transaction"})));
    return;
  }
  leader.conflict_at = 0;
  leader.conflicts = 0;
  const bool late = now - row.changed_at >= within_->stuck_after;
  const auto* there = seen_by(&node, row.id);
  if (there && (!there->known || (late && !leader.spread))) {
    leader.spread |= late; // the node that knows it may be cut off from the others
    to.resend.push_back(row.id);
  }
  const bool its_turn = node.nonces.latest == row.nonce;
  if (its_turn && all.size() < asked_max && !to.replace && (leader.too_cheap || late)
      && may_raise(leader, followed, now))
    to.replace = row.id;
}

bool signer_state::may_raise(entry& leader, const followed_outbox& followed, timestamp now) {
  auto& tried = tried_[leader.row.nonce];
  const bool asked_for = std::exchange(leader.too_cheap, false);
  const auto pause = tried.signatures < attempts_max
                       ? within_->stuck_after
                       : std::max<std::chrono::milliseconds>(within_->stuck_after, pause_when_exhausted);
  if (!asked_for && (now - tried.raised_at < pause || followed.tip <= tried.raised_at_tip))
    return false; // no block could have taken the last one
  tried.raised_at = now;
  tried.raised_at_tip = followed.tip;
  return true;
}

void signer_state::tend(group& all, const followed_outbox& followed, const node_view* node, timestamp now,
                        housekeeping& to) {
  if (found(all, followed, to))
    return;
  for (auto* each : all)
    if (const auto* there = seen_by(node, each->row.id); there && there->block)
      return judge_by_receipt(all, *each, *there, followed, to);
  const auto last =
    std::find_if(all.rbegin(), all.rend(), [](const entry* each) { return each->row.state != state::replaced; });
  auto& leader = last == all.rend() ? *all.back() : **last;
  const bool known_by_events = leader.row.state == state::mined && !leader.row.plan.data.empty();
  if (in_block(leader.row) && (known_by_events || seen_by(node, leader.row.id))) { // its block was taken back
    to.moves.push_back({leader.row.id, state::sent, {}, std::nullopt, false, 0});
    to.resend.push_back(leader.row.id);
    return;
  }
  if (node && waits(leader.row))
    tend_waiting(all, leader, followed, *node, now, to);
}

void signer_state::look_for_gap(const node_view& node, timestamp now, housekeeping& to) {
  const auto next = node.nonces.latest;
  const bool is_open =
    next >= used_ && node.nonces.pending == next && !holds(next)
    && std::any_of(rows_.begin(), rows_.end(), [&](const auto& each) { return each.second.row.nonce > next; });
  if (is_open && gap_ == next && (filled_ != next || now - filled_at_ >= within_->stuck_after)) {
    to.fill = next;
    filled_ = next;
    filled_at_ = now;
  }
  gap_ = is_open ? std::optional{next} : std::nullopt;
}

housekeeping signer_state::look(const followed_outbox& followed, const std::optional<node_view>& node, timestamp now) {
  housekeeping out;
  auto of_numbers = groups();
  for (auto& [nonce, all] : of_numbers)
    tend(all, followed, node ? &*node : nullptr, now, out);
  if (node)
    look_for_gap(*node, now, out);
  return out;
}

// -- queries ----------------------------------------------------------------------------------------

std::vector<std::int64_t> signer_state::open() const {
  std::vector<std::int64_t> out;
  for (const auto& [id, each] : rows_)
    out.push_back(id);
  return out;
}

std::vector<std::int64_t> signer_state::to_ask(const followed_outbox& followed) const {
  std::set<std::int64_t> known;
  for (const auto& each : followed.rows)
    if (each.block)
      known.insert(each.id);
  std::vector<std::tuple<bool, std::uint64_t, std::int64_t>> rest;
  for (const auto& [id, each] : rows_)
    if (!known.contains(id))
      rest.emplace_back(in_block(each.row), each.row.nonce, id);
  std::sort(rest.begin(), rest.end());
  rest.resize(std::min(rest.size(), asked_max));
  std::vector<std::int64_t> out;
  for (const auto& each : rest)
    out.push_back(std::get<2>(each));
  return out;
}

const outbox_row* signer_state::row(std::int64_t id) const {
  const auto found = rows_.find(id);
  return found == rows_.end() ? nullptr : &found->second.row;
}

std::size_t signer_state::unmined() const {
  std::set<std::uint64_t> out;
  for (const auto& [id, each] : rows_)
    if (waits(each.row))
      out.insert(each.row.nonce);
  return out.size();
}

gas_fees signer_state::highest_fees(std::int64_t id) const {
  const auto* found = row(id);
  const auto tried = found ? tried_.find(found->nonce) : tried_.end();
  return tried == tried_.end() ? gas_fees{} : tried->second.highest;
}

bool signer_state::exhausted(std::int64_t id) const {
  const auto* found = row(id);
  const auto tried = found ? tried_.find(found->nonce) : tried_.end();
  return tried != tried_.end() && tried->second.signatures >= attempts_max;
}

} // namespace credence::wallets
