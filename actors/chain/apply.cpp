#include "actors/chain/apply.hpp"

#include "actors/chain/chain_storage.hpp"
#include "actors/chain/row_images.hpp"
#include "actors/chain/slash_closing.hpp"

#include <algorithm>
#include <utility>

namespace credence::chain {

std::vector<digest32> topics_in(const std::vector<std::byte>& bytes) {
  constexpr std::size_t topic_bytes = 32;
  std::vector<digest32> out;
  for (std::size_t at = 0; at + topic_bytes <= bytes.size(); at += topic_bytes) {
    digest32 topic{};
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), topic_bytes, topic.begin());
    out.push_back(topic);
  }
  return out;
}

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
  return stored.status == event_status::ignored && stored.reason == not_followed ? event_of(stored, followed)
                                                                                 : std::nullopt;
}

bool needs_rows(const blocks_applied& step, const record_kinds& followed) {
  return followed.contains(record_kind::slash)
         || std::any_of(step.events.begin(), step.events.end(),
                        [&](const stored_event& each) { return event_in(each, followed).has_value(); });
}

namespace {

std::int64_t undo_block_of(const blocks_applied& step, block_number block) {
  return block > step.finalized ? number_of(block) : 0;
}

} // namespace

step_effects step_fold::fold(blocks_applied& step, std::span<const refused_event> refused, bool each_event_by_itself) {
  fold_effects effects;
  row_images images{rows_, avatar_};
  auto mark = step.blocks.begin();
  for (std::size_t i = 0; i < step.events.size(); ++i) {
    auto& stored = step.events[i];
    const auto block = undo_block_of(step, stored.block);
    // A trial is about the events alone: what their times close is written with the next of them.
    const auto close = [&](unix_time at, block_number in) {
      if (each_event_by_itself)
        note_due(images, {stored.id, in, at});
      else
        write_due(images, {0, in, at}, step, block);
    };
    for (; mark != step.blocks.end() && mark->number < stored.block; ++mark)
      close(mark->at, mark->number);
    close(stored.at, stored.block);
    bool alone = each_event_by_itself;
    if (const auto read = event_in(stored, followed_)) {
      if (!alone && ends_slash(*read)) {
        images.write(step.rows, block);
        alone = true;
      }
      const auto bad = std::find_if(refused.begin(), refused.end(), [&](const refused_event& each) {
        return each.block_hash == stored.block_hash && each.log_index == stored.log_index;
      });
      auto fate = bad == refused.end()
                    ? chain::fold(rows_, how_, {stored.contract, stored.at, stored.id}, *read, effects)
                    : event_fate{event_status::failed, bad->reason};
      stored.status = fate.status;
      stored.reason = fate.reason.empty() ? std::nullopt : std::optional{std::move(fate.reason)};
      images.note(stored.id, number_of(stored.block), stored.at);
    }
    const bool last_of_group = i + 1 == step.events.size() || undo_block_of(step, step.events[i + 1].block) != block;
    if (last_of_group || alone)
      images.write(step.rows, block);
  }
  if (!each_event_by_itself)
    for (; mark != step.blocks.end(); ++mark)
      write_due(images, {0, mark->number, mark->at}, step, 0);
  rows_.settle();
  return {std::move(effects.profiles), std::move(effects.gaps), std::move(effects.projects), !effects.texts.empty()};
}

void step_fold::note_due(row_images& images, const closing_place& where) {
  if (!has_due_slashes(rows_, where.at))
    return;
  close_due_slashes(rows_, where.at);
  images.note(where.event, number_of(where.block), where.at);
}

/// What came before is written before, so that it and nothing else counts. What many closings cost is written in
/// pieces.
void step_fold::write_due(row_images& images, const closing_place& where, blocks_applied& step,
                          std::int64_t undo_block_before) {
  if (!has_due_slashes(rows_, where.at))
    return;
  images.write(step.rows, undo_block_before);
  while (has_due_slashes(rows_, where.at)) {
    close_some_slashes(rows_, where.at);
    images.note(where.event, number_of(where.block), where.at);
    images.write(step.rows, undo_block_of(step, where.block));
  }
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
