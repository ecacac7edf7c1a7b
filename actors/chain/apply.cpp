#include "actors/chain/apply.hpp"

#include "actors/chain/chain_storage.hpp"
#include "actors/chain/row_images.hpp"

#include <algorithm>
#include <utility>

namespace credence::chain {

namespace {

constexpr std::size_t topic_bytes = 32;

std::vector<digest32> topics_in(const std::vector<std::byte>& bytes) {
  std::vector<digest32> out;
  for (std::size_t at = 0; at + topic_bytes <= bytes.size(); at += topic_bytes) {
    digest32 topic{};
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), topic_bytes, topic.begin());
    out.push_back(topic);
  }
  return out;
}

} // namespace

std::optional<event> event_of(const stored_event& stored, const record_kinds& followed) {
  if (!stored.log_data || !followed.contains(stored.contract))
    return std::nullopt;
  const auto topics = topics_in(stored.topics);
  auto read = decode_log(stored.contract, topics, stored.data);
  if (auto* known = std::get_if<event>(&read))
    return std::move(*known);
  return std::nullopt;
}

std::optional<event> event_in(const stored_event& stored, const record_kinds& followed) {
  return stored.status == event_status::ignored && stored.reason == not_followed ? event_of(stored, followed) : std::nullopt;
}

step_effects step_fold::fold(blocks_applied& step, std::span<const refused_event> refused, bool each_event_by_itself) {
  fold_effects effects;
  row_images images{rows_, avatar_};
  const auto undo_block_of = [&](const stored_event& of) { return of.block > step.finalized ? number_of(of.block) : 0; };
  for (std::size_t i = 0; i < step.events.size(); ++i) {
    auto& stored = step.events[i];
    if (const auto read = event_in(stored, followed_)) {
      const auto bad = std::find_if(refused.begin(), refused.end(), [&](const refused_event& each) {
        return each.block_hash == stored.block_hash && each.log_index == stored.log_index;
      });
      auto fate = bad == refused.end() ? chain::fold(rows_, how_, {stored.contract, stored.at, stored.id}, *read, effects)
                                       : event_fate{event_status::failed, bad->reason};
      stored.status = fate.status;
      stored.reason = fate.reason.empty() ? std::nullopt : std::optional{std::move(fate.reason)};
      images.note(stored.id, number_of(stored.block), stored.at);
    }
    const auto block = undo_block_of(stored);
    const bool last_of_group = i + 1 == step.events.size() || undo_block_of(step.events[i + 1]) != block;
    if (last_of_group || each_event_by_itself)
      images.write(step.rows, block);
  }
  rows_.settle();
  return {std::move(effects.profiles), std::move(effects.gaps), std::move(effects.projects), !effects.texts.empty()};
}

blocks_tried trial_of(const blocks_applied& step) {
  blocks_tried out;
  out.chain = step.chain;
  out.rows = step.rows;
  for (const auto& each : step.events)
    out.places.push_back({each.id, each.block_hash, each.log_index});
  return out;
}

} // namespace credence::chain
