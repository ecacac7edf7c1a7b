#include "actors/chain/chain_steps.hpp"

#include "actors/chain/apply.hpp"
#include "actors/chain/events.hpp"
#include "actors/chain/log_checks.hpp"
#include "actors/chain/refold_types.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <utility>

namespace credence::chain {

namespace {

constexpr std::size_t headers_at_once = 50;

block_mark mark_of(const block_header& of) { return {of.number, of.hash, of.parent_hash, of.at}; }

std::vector<address> contracts_of(const follow_settings& how) {
  std::vector<address> out;
  for (const auto& [where, kind] : how.contracts)
    out.push_back(where);
  return out;
}

std::size_t bytes_of(const chain_log& log) {
  return 200 + 32 * log.topics.size() + 3 * std::min(log.data.size(), log_data_bytes_max);
}

/// One step on its way.
class stepping {
public:
  stepping(chain_node& from, range_width& width, logs_left& left, const follow_settings& how, const follow_position& at,
           const step_wish& wish, timestamp now)
    : node_(from), width_(width), left_(left), how_(how), at_(at), wish_(wish), now_(now), ours_(contracts_of(how)) {}

  step take();

private:
  void find_authority(const chain_heads& heads);
  block_number authority_at(block_number tip) const { return std::max(at_.authority, std::min(authority_, tip)); }
  void settle(step& out);
  void go_back(step& out);
  void follow(step& out, block_number target);
  void catch_up(step& out, block_number last);
  std::vector<chain_log> logs_of(const block_header& block);
  std::optional<range_logs> logs_in(const block_range& range);
  std::optional<range_logs> next_logs(step& out, block_number last);
  void leave_out_stored(std::vector<chain_log>& logs) const;
  void cut(range_logs& found);
  void go_before(range_logs& found);
  void fill_times(std::vector<chain_log>& logs);
  std::vector<block_header> headers(block_number first, block_number last);

  chain_node& node_;
  range_width& width_;
  logs_left& left_;
  const follow_settings& how_;
  const follow_position& at_;
  const step_wish& wish_;
  timestamp now_;
  std::vector<address> ours_;
  block_number finalized_ = 0;
  block_number authority_ = 0; // as the node knows it
};

step stepping::take() {
  step out;
  out.heads = node_.heads(at_.tip.number);
  const auto& heads = *out.heads;
  out.behind = heads.latest.number < at_.tip.number || !heads.block;
  if (out.behind)
    return out; // no evidence of anything
  if (heads.block->hash != at_.tip.hash) {
    go_back(out);
    return out;
  }
  const auto head = heads.latest.number;
  finalized_ = std::max(at_.finalized, heads.finalized ? std::min(heads.finalized->number, head) : 0);
  find_authority(heads);
  const auto confirmed = head > how_.confirmations ? head - how_.confirmations : 0;
  const auto is_final = heads.finalized ? finalized_ : head > final_behind_head ? head - final_behind_head : 0;
  const auto ceiling = std::min(is_final, confirmed);
  const auto target = std::min(std::max(wish_.wanted, confirmed), head);
  out.backfill = ceiling > at_.tip.number + (at_.within ? 0 : backfill_from);
  if (at_.within && !out.backfill) {
    out.behind = true; // than the node that told of the block that is stored in part
    return out;
  }
  if (out.backfill) {
    if (wish_.recent_only)
      out.behind = true;
    else
      catch_up(out, ceiling);
    return out;
  }
  left_ = {};
  if (target > at_.tip.number)
    follow(out, std::min(target, at_.tip.number + step_blocks_max));
  else
    settle(out);
  return out;
}

// -- what rights rest on -------------------------------------------------------------------------

/// A node that says nothing of such a block, or stands still, moves nothing. A final block is safe, too.
void stepping::find_authority(const chain_heads& heads) {
  using by = authority_rule::by;
  const auto head = heads.latest.number;
  const auto take = [&](const std::optional<block_header>& tagged) {
    if (!tagged || tagged->number > head)
      return;
    const auto ours = std::find_if(at_.blocks.begin(), at_.blocks.end(),
                                   [&](const block_mark& each) { return each.number == tagged->number; });
    if (ours == at_.blocks.end() || ours->hash == tagged->hash)
      authority_ = std::max(authority_, tagged->number);
  };
  if (how_.authority.how == by::depth)
    authority_ = head > how_.authority.depth ? head - how_.authority.depth : 0;
  else
    take(heads.finalized);
  if (how_.authority.how == by::safe)
    take(heads.safe);
}

void stepping::settle(step& out) {
  if (authority_at(at_.tip.number) > at_.authority)
    out.change =
      blocks_applied{how_.chain, at_.tip.hash, at_.tip, at_.finalized, {}, {}, {}, now_, authority_at(at_.tip.number)};
}

std::vector<block_header> stepping::headers(block_number first, block_number last) {
  std::vector<block_number> numbers;
  for (auto each = first; each <= last; ++each)
    numbers.push_back(each);
  return node_.headers(numbers);
}

// -- a reorganisation ----------------------------------------------------------------------------

void stepping::go_back(step& out) {
  auto end = at_.blocks.size();
  while (end > 0) {
    const auto begin = end > headers_at_once ? end - headers_at_once : 0;
    std::vector<block_number> numbers;
    for (auto i = begin; i < end; ++i)
      numbers.push_back(at_.blocks[i].number);
    const auto found = node_.headers(numbers);
    if (found.size() != numbers.size())
      return; // it has changed meanwhile: the next step sees more
    for (auto i = numbers.size(); i-- > 0;)
      if (found[i].hash == at_.blocks[begin + i].hash) {
        if (at_.blocks[begin + i].number != at_.tip.number)
          out.change = blocks_undone{how_.chain, at_.tip.hash, at_.blocks[begin + i], now_};
        return;
      }
    end = begin;
  }
  throw node_lied("block " + std::to_string(at_.blocks.empty() ? at_.tip.number : at_.blocks.front().number)
                  + ", which is final, is another one than the one that is stored");
}

// -- near the head -------------------------------------------------------------------------------

std::vector<chain_log> stepping::logs_of(const block_header& block) {
  auto logs = all_logs_of(node_, block, ours_);
  if (const auto flaw = flaw_in_block(logs, block, ours_))
    throw node_error("block " + std::to_string(block.number) + ": " + std::string{text_of(*flaw)});
  const bool has_bloom =
    std::any_of(block.bloom.begin(), block.bloom.end(), [](std::byte each) { return each != std::byte{}; });
  if (has_bloom && !holds_all(block.bloom, logs))
    throw node_lied("block " + std::to_string(block.number) + " has a log that its bloom filter lacks");
  for (auto& each : logs)
    each.at = block.at;
  return logs;
}

void stepping::follow(step& out, block_number target) {
  const bloom_watch watch{ours_};
  blocks_applied change{how_.chain, at_.tip.hash, at_.tip, finalized_, {}, {}, {}, now_};
  std::vector<chain_log> logs;
  std::size_t bytes = 0;
  for (const auto& header : headers(at_.tip.number + 1, target)) {
    if (header.number != change.tip.number + 1 || header.parent_hash != change.tip.hash)
      break; // the chain has changed between two answers
    if (!watch.rules_out(header.bloom))
      for (auto& each : logs_of(header)) {
        bytes += bytes_of(each);
        logs.push_back(std::move(each));
      }
    change.tip = mark_of(header);
    if (header.number >= finalized_)
      change.blocks.push_back(change.tip);
    if (logs.size() >= wish_.events_max || bytes >= step_bytes_max)
      break;
  }
  if (change.tip.number == at_.tip.number)
    return;
  if (change.blocks.empty())
    change.blocks.push_back(change.tip);
  change.events = events_of(logs, how_, at_.last_event + 1);
  change.authority = authority_at(change.tip.number);
  out.change = std::move(change);
}

// -- far behind ----------------------------------------------------------------------------------

/// Nothing where the range has to be narrower.
std::optional<range_logs> stepping::logs_in(const block_range& range) {
  try {
    return node_.logs_in(range, ours_);
  } catch (const range_too_large& why) {
    if (width_.too_large(range, why.suggested))
      return std::nullopt;
  } catch (const node_busy&) {
    throw; // fewer blocks at a time would be more requests
  } catch (const node_error&) {
    if (width_.too_slow(range))
      throw;
  }
  return logs_in_parts(node_, range.first, ours_);
}

/// Leaves for the next step what one change does not hold. Blocks are cut only where the first one alone is too large,
/// and final by its node's word: `last` is the last block that stays whole, nothing where there is none.
void stepping::cut(range_logs& found) {
  std::size_t bytes = 0, whole = 0, fitting = 0;
  for (std::size_t i = 0; i < found.logs.size(); ++i) {
    bytes += bytes_of(found.logs[i]);
    const bool last_of_block = i + 1 == found.logs.size() || found.logs[i + 1].block != found.logs[i].block;
    const bool fits = i < wish_.events_max && bytes <= step_bytes_max;
    if (fits || i == 0)
      fitting = i + 1;
    if (last_of_block && (fits || whole == 0))
      whole = i + 1;
    if (!fits && whole > 0)
      break;
  }
  const bool in_pieces = whole > fitting && found.logs.front().block <= finalized_;
  if (in_pieces && found.logs.front().block > at_.tip.number + 1)
    return go_before(found);
  const auto end = in_pieces ? fitting : whole;
  if (end == found.logs.size())
    return;
  const auto rest = found.logs.begin() + static_cast<std::ptrdiff_t>(end);
  logs_left behind{in_pieces ? at_.tip.hash : found.logs[end - 1].block_hash,
                   at_.last_event + static_cast<std::int64_t>(end),
                   {found.last, {std::make_move_iterator(rest), std::make_move_iterator(found.logs.end())}}};
  found.logs.resize(end);
  found.last.reset();
  if (!in_pieces) {
    const auto headers_found = headers(found.logs.back().block, found.logs.back().block);
    if (headers_found.empty() || headers_found.front().hash != behind.after)
      throw node_error("block " + std::to_string(found.logs.back().block) + ": a log of another block");
    found.last = headers_found.front();
  }
  left_ = std::move(behind);
}

/// Only the block right behind the tip is stored in part, so that the tip says where to go on. Here the step ends
/// before a large block, without events.
void stepping::go_before(range_logs& found) {
  const auto& first = found.logs.front();
  const auto both = headers(first.block - 1, first.block);
  if (both.size() != 2 || both[1].hash != first.block_hash || both[1].parent_hash != both[0].hash)
    throw node_error("block " + std::to_string(first.block) + ": a log of another block");
  left_ = {both[0].hash, at_.last_event, std::move(found)};
  found = {both[0], {}};
}

void stepping::fill_times(std::vector<chain_log>& logs) {
  std::map<block_number, unix_time> times;
  std::vector<block_number> missing;
  for (const auto& each : logs)
    if (!each.at && (missing.empty() || missing.back() != each.block))
      missing.push_back(each.block);
  for (std::size_t i = 0; i < missing.size(); i += headers_at_once) {
    const auto some = std::span{missing}.subspan(i, std::min(headers_at_once, missing.size() - i));
    for (const auto& header : node_.headers(some)) {
      const auto of =
        std::find_if(logs.begin(), logs.end(), [&](const chain_log& log) { return log.block == header.number; });
      if (of != logs.end() && of->block_hash == header.hash)
        times[header.number] = header.at;
    }
  }
  for (auto& each : logs)
    if (!each.at) {
      const auto at = times.find(each.block);
      if (at == times.end())
        throw node_error("block " + std::to_string(each.block) + ": a log of another block");
      each.at = at->second;
    }
}

/// What follows the tip. Nothing where the range has to be narrower, or the node does not have its last block.
std::optional<range_logs> stepping::next_logs(step& out, block_number last) {
  if (auto left = std::exchange(left_, {});
      left.found.last && left.after == at_.tip.hash && left.last_event == at_.last_event)
    return std::move(left.found);
  const auto first = at_.tip.number + 1;
  const block_range range{first, std::min(last, first + width_.next() - 1)};
  auto found = logs_in(range);
  if (!found || !found->last) { // narrower next time, or from one that has the block
    out.behind = found.has_value();
    return std::nullopt;
  }
  if (const auto flaw = flaw_in_range(found->logs, range.first, range.last, ours_))
    throw node_error("blocks " + std::to_string(range.first) + " to " + std::to_string(range.last) + ": "
                     + std::string{text_of(*flaw)});
  if (found->last->number != range.last
      || (!found->logs.empty() && found->logs.back().block == range.last
          && found->logs.back().block_hash != found->last->hash))
    throw node_error("block " + std::to_string(range.last) + " is another one than the one that was asked for");
  width_.succeeded(width_of(range), found->logs.size());
  if (at_.within)
    leave_out_stored(found->logs);
  return found;
}

/// Those of the next block that are stored already.
void stepping::leave_out_stored(std::vector<chain_log>& logs) const {
  const auto next = at_.tip.number + 1;
  if (logs.empty() || logs.front().block != next)
    throw node_error("block " + std::to_string(next) + ", which is stored in part, has no logs by this node");
  if (logs.front().block_hash != at_.within->block_hash)
    throw node_lied("block " + std::to_string(next)
                    + ", which is final, is another one than the one that is stored in part");
  const auto fresh = std::find_if(logs.begin(), logs.end(), [&](const chain_log& log) {
    return log.block != next || static_cast<std::int32_t>(log.log_index) > at_.within->log_index;
  });
  logs.erase(logs.begin(), fresh);
}

void stepping::catch_up(step& out, block_number last) {
  auto found = next_logs(out, last);
  if (!found)
    return;
  cut(*found);
  fill_times(found->logs);
  blocks_applied change{how_.chain, at_.tip.hash, found->last ? mark_of(*found->last) : at_.tip, finalized_, {}, {},
                        {},         now_};
  if (found->last)
    change.blocks.push_back(change.tip);
  change.events = events_of(found->logs, how_, at_.last_event + 1);
  change.authority = authority_at(change.tip.number);
  out.change = std::move(change);
}

} // namespace

step first_step(chain_node& from, const follow_settings& how) {
  step out;
  const block_number before = how.start_block - 1;
  const auto found = from.headers(std::span{&before, 1});
  if (found.empty())
    out.behind = true;
  else
    out.change =
      chain_begun{how.chain, text_of(how.contracts), text_of(how.kinds), how.id_offset, mark_of(found.front())};
  return out;
}

step next_step(chain_node& from, range_width& width, logs_left& left, const follow_settings& how,
               const follow_position& at, const step_wish& wish, timestamp now) {
  return stepping{from, width, left, how, at, wish, now}.take();
}

namespace {

constexpr std::size_t kept_of_long_data = 64 * 1024;

/// What the log says, and what becomes of it before records are made of it.
void read_log(stored_event& of, std::span<const digest32> topics, bool too_long) {
  auto read = decode_log(of.contract, topics, of.data);
  auto fate = too_long ? failed(decode_error::too_long) : fate_of(read);
  if (auto* known = std::get_if<chain::event>(&read); known && !too_long) {
    of.event_name = name_of(*known);
    of.log_data = log_data(*known);
    of.read.it = std::make_shared<const chain::event>(std::move(*known));
    fate = {event_status::ignored, std::string{not_followed}}; // until records are made of it
  } else if (const auto* broken = std::get_if<undecodable>(&read))
    of.event_name = broken->event_name;
  of.status = fate.status;
  of.reason = std::move(fate.reason);
}

} // namespace

std::string text_of(const std::map<address, contract_kind>& contracts) {
  std::map<std::string, std::string> by_name;
  for (const auto& [where, kind] : contracts)
    by_name[std::string{name_of(kind)}] = lower_text(where);
  std::string out;
  for (const auto& [name, where] : by_name)
    out += (out.empty() ? "" : ",") + name + "=" + where;
  return out;
}

std::optional<authority_rule> authority_named(std::string_view text) {
  if (text == "safe")
    return authority_rule{};
  if (text == "finalized")
    return authority_rule{authority_rule::by::finalized, 0};
  authority_rule out{authority_rule::by::depth, 0};
  const auto [end, mistake] = std::from_chars(text.data(), text.data() + text.size(), out.depth);
  const bool good = mistake == std::errc{} && end == text.data() + text.size() && out.depth <= authority_depth_max;
  return good ? std::optional{out} : std::nullopt;
}

std::vector<stored_event> events_of(const std::vector<chain_log>& logs, const follow_settings& how,
                                    std::int64_t first_id) {
  std::vector<stored_event> out;
  out.reserve(logs.size());
  for (const auto& log : logs) {
    stored_event fresh;
    fresh.id = first_id++;
    fresh.block = log.block;
    fresh.block_hash = log.block_hash;
    fresh.at = log.at.value_or(unix_time{});
    fresh.tx_hash = log.tx_hash;
    fresh.tx_index = static_cast<std::int32_t>(log.tx_index);
    fresh.log_index = static_cast<std::int32_t>(log.log_index);
    fresh.contract = how.contracts.at(log.from);
    fresh.from = log.from;
    for (const auto& topic : log.topics)
      fresh.topics.insert(fresh.topics.end(), topic.begin(), topic.end());
    const bool too_long = log.data.size() > log_data_bytes_max;
    fresh.data.assign(log.data.begin(), too_long ? log.data.begin() + kept_of_long_data : log.data.end());
    read_log(fresh, log.topics, too_long);
    out.push_back(std::move(fresh));
  }
  return out;
}

stored_event read_again(stored_event stored) {
  const bool cut = stored.reason == name_of(decode_error::too_long)
                   && stored.data.size() >= kept_of_long_data; // the rest is not stored
  stored.event_name.reset();
  stored.log_data.reset();
  stored.read = {};
  read_log(stored, topics_in(stored.topics), cut);
  return stored;
}

follow_position position_after(const chain_begun& change) { return {change.tip, 0, {change.tip}, 0, 0, std::nullopt}; }

follow_position position_after(follow_position from, const blocks_applied& change) {
  from.within.reset();
  if (change.tip.number == from.tip.number && !change.events.empty())
    from.within = log_place{change.events.back().id, change.events.back().block_hash, change.events.back().log_index};
  from.tip = change.tip;
  from.finalized = std::max(from.finalized, change.finalized);
  from.authority = std::max(from.authority, change.authority);
  from.last_event += static_cast<std::int64_t>(change.events.size());
  from.blocks.insert(from.blocks.end(), change.blocks.begin(), change.blocks.end());
  const auto oldest = from.tip.number > undo_blocks_max ? from.tip.number - undo_blocks_max : 0;
  const auto first_kept = std::max(std::min(from.finalized, from.tip.number), oldest);
  std::erase_if(from.blocks, [&](const block_mark& each) { return each.number < first_kept; });
  return from;
}

follow_position position_after(follow_position from, const blocks_undone& change) {
  from.tip = change.tip;
  from.authority = std::min(from.authority, change.tip.number);
  std::erase_if(from.blocks, [&](const block_mark& each) { return each.number > change.tip.number; });
  return from;
}

std::string mismatch(const follow_place& stored, const follow_settings& how) {
  if (stored.contracts != text_of(how.contracts))
    return "the events that are stored are of " + stored.contracts + ", and chain.contracts is "
           + text_of(how.contracts);
  const auto there = kinds_in(stored.kinds);
  if (!kinds_beyond(how.kinds, there).empty())
    return "the records that are stored are of the kinds '" + stored.kinds + "', and chain.kinds is '"
           + text_of(how.kinds) + "': kinds can be added only";
  if (stored.id_offset != how.id_offset && (!there.empty() || how.kinds.empty())) // the first kinds set it
    return "the ids that are stored are those of the contracts plus " + std::to_string(stored.id_offset)
           + ", and chain.id_offset is " + std::to_string(how.id_offset);
  return {};
}

transaction_state state_of(const node_transaction& found, const follow_position* at) {
  if (!found.receipt)
    return found.known ? transaction_state::pending : transaction_state::not_found;
  if (!at || found.receipt->block > at->tip.number)
    return transaction_state::processing;
  const auto kept = std::find_if(at->blocks.begin(), at->blocks.end(),
                                 [&](const block_mark& each) { return each.number == found.receipt->block; });
  return kept != at->blocks.end() && kept->hash != found.receipt->block_hash ? transaction_state::pending
                                                                             : transaction_state::processed;
}

} // namespace credence::chain
