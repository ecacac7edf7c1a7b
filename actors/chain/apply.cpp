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

std::shared_ptr<const event> event_in(const stored_event& stored) {
  if (stored.read.it)
    return stored.read.it;
  auto read = decode_log(stored.contract, topics_in(stored.topics), stored.data);
  auto* known = std::get_if<event>(&read);
  return known ? std::make_shared<const event>(std::move(*known)) : nullptr;
}

std::shared_ptr<const event> followed_event_in(const stored_event& stored, const record_kinds& followed) {
  return stored.log_data && followed.contains(stored.contract) ? event_in(stored) : nullptr;
}

namespace {

/// Whether records are still to be made of the event.
bool waits(const stored_event& stored) {
  return stored.status == event_status::ignored && stored.reason == not_followed;
}

} // namespace

bool needs_rows(const blocks_applied& step, const record_kinds& followed) {
  return followed.contains(record_kind::slash)
         || std::any_of(step.events.begin(), step.events.end(),
                        [&](const stored_event& each) { return waits(each) && followed_event_in(each, followed); });
}

step_fold::step_fold(const fold_step& order) : order_(order) {
  for (const auto& each : order.step.events)
    events_.push_back(waits(each) ? followed_event_in(each, order.followed) : nullptr);
}

std::int64_t step_fold::undo_block_of(block_number block) const {
  return block > order_.step.finalized ? number_of(block) : 0;
}

folded_step step_fold::fold(chain_rows& rows) const {
  const auto& step = order_.step;
  folded_step out;
  fold_effects effects;
  row_images images{rows, order_.default_avatar};
  auto mark = step.blocks.begin();
  for (std::size_t i = 0; i < step.events.size(); ++i) {
    const auto& stored = step.events[i];
    const auto block = undo_block_of(stored.block);
    // A trial is about the events alone: what their times close is written with the next of them.
    const auto close = [&](unix_time at, block_number in) {
      if (order_.each_event_by_itself)
        close_before(rows, images, {stored.id, in, at});
      else
        write_due(rows, images, {0, in, at}, out, block);
    };
    for (; mark != step.blocks.end() && mark->number < stored.block; ++mark)
      close(mark->at, mark->number);
    close(stored.at, stored.block);
    bool alone = order_.each_event_by_itself;
    if (events_[i] && !alone && ends_slash(*events_[i])) {
      images.write(out.rows, block);
      alone = true;
    }
    out.events.push_back(fold_event(rows, i, effects));
    if (events_[i])
      images.note(stored.id, number_of(stored.block), stored.at);
    const bool last_of_group = i + 1 == step.events.size() || undo_block_of(step.events[i + 1].block) != block;
    if (last_of_group || alone)
      images.write(out.rows, block);
  }
  if (!order_.each_event_by_itself)
    for (; mark != step.blocks.end(); ++mark)
      write_due(rows, images, {0, mark->number, mark->at}, out, 0);
  out.effects = {std::move(effects.profiles), std::move(effects.gaps), std::move(effects.projects),
                 !effects.texts.empty()};
  return out;
}

event_outcome step_fold::fold_event(chain_rows& rows, std::size_t which, fold_effects& effects) const {
  const auto& stored = order_.step.events[which];
  if (!events_[which])
    return {stored.id, stored.status, stored.reason};
  const auto bad = std::find_if(order_.refused.begin(), order_.refused.end(), [&](const refused_event& each) {
    return each.block_hash == stored.block_hash && each.log_index == stored.log_index;
  });
  if (bad != order_.refused.end())
    return {stored.id, event_status::failed, bad->reason};
  auto fate = chain::fold(rows, order_.how, {stored.contract, stored.at, stored.id}, *events_[which], effects);
  return {stored.id, fate.status, fate.reason.empty() ? std::nullopt : std::optional{std::move(fate.reason)}};
}

void step_fold::close_before(chain_rows& rows, row_images& images, const closing_place& where) const {
  if (!has_due_slashes(rows, where.at))
    return;
  close_due_slashes(rows, where.at);
  images.note(where.event, number_of(where.block), where.at);
}

/// What came before is written before, so that it and nothing else counts. What many closings cost is written in
/// pieces.
void step_fold::write_due(chain_rows& rows, row_images& images, const closing_place& where, folded_step& to,
                          std::int64_t undo_block_before) const {
  if (!has_due_slashes(rows, where.at))
    return;
  images.write(to.rows, undo_block_before);
  while (has_due_slashes(rows, where.at)) {
    close_some_slashes(rows, where.at);
    images.note(where.event, number_of(where.block), where.at);
    images.write(to.rows, undo_block_of(where.block));
  }
}

unix_time closing_until(const blocks_applied& step) {
  unix_time out;
  for (const auto& each : step.events)
    out = std::max(out, each.at);
  for (const auto& each : step.blocks)
    out = std::max(out, each.at);
  return out;
}

void put_into(blocks_applied& step, folded_step& folded) {
  for (std::size_t i = 0; i < step.events.size(); ++i) {
    step.events[i].status = folded.events[i].status;
    step.events[i].reason = std::move(folded.events[i].reason);
  }
  step.rows = std::move(folded.rows);
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
