#include "actors/chain/apply.hpp"
#include "actors/chain/chain_steps.hpp"
#include "actors/chain/events.hpp"
#include "actors/chain/log_checks.hpp"
#include "actors/chain/refold_types.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

namespace credence::chain {

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
  const auto settled = std::max(std::min(from.finalized, from.tip.number), oldest);
  std::erase_if(from.blocks, [&](const block_mark& each) { return each.number < settled; });
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
