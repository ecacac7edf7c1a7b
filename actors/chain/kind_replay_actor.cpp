#include "actors/chain/kind_replay_actor.hpp"

#include "actors/chain/apply.hpp"
#include "actors/chain/chain_steps.hpp"
#include "actors/chain/follow_bounds.hpp"
#include "actors/chain/invalidate_profiles.hpp"
#include "actors/chain/refusal_search.hpp"
#include "actors/chain/reprocess_types.hpp"
#include "actors/directory.hpp"
#include "actors/kernel/actor.hpp"
#include "actors/listing/listing_actor.hpp"
#include "actors/people/people_actor.hpp"
#include "ops/log.hpp"

#include <limits>
#include <utility>
#include <variant>

namespace credence::chain {

/// Time to read again how far it is.
struct replay_due {};

namespace {

class kind_replay : public actor {
public:
  static inline const char* name = "kind replay";
  using takes = extended<kind_replay_handle, write_outcome, replay_due>::takes;

  void start(const std::shared_ptr<const context>& with, const port<storage>& stored, const follow_settings& how,
             const text_reader_handle& texts) {
    with_ = with;
    storage_ = stored;
    how_ = how;
    texts_ = texts;
  }

  void on(const ask<apply_added_kinds>& question) {
    answer_ = question;
    applied_ = 0;
    look();
  }
  void on(const replay_due&) { look(); }
  void on(const write_outcome& outcome) {
    if (!(outcome.stream == stream_))
      return;
    switch (outcome.result) {
      case write_result::in_doubt: return; // its fate follows
      case write_result::stored: return on_stored();
      case write_result::failed: return on_refused();
      case write_result::not_written:
      case write_result::stale: return start_afresh();
    }
  }

private:
  using change = std::variant<blocks_undone, kinds_added, events_replayed, blocks_tried>;

  void look() {
    next_look_.cancel();
    if (!storage_.status->writable.load(std::memory_order_relaxed))
      return look_soon();
    const auto most = static_cast<std::int32_t>(size_.events_max());
    storage_.read(*this, with_->load_timeout, load_replay{how_.chain, how_.kinds, how_.id_offset, most})
      .then([this](stored_replay& found) { on_found(found); }, [this](failure) { look_soon(); });
  }
  void look_soon() { after(next_look_, reload_after, replay_due{}); }

  void finish(const std::string& refused) {
    ops::log(refused.empty() ? ops::level::info : ops::level::error, "chain_kinds_added",
             {{"events", applied_}, {"refused", refused}});
    std::exchange(answer_, {}).answer(added_kinds_applied{refused});
  }

  /// What is above the last final block is taken back, to come again from a node: no event of an added kind has to be
  /// undone then.
  void on_found(stored_replay& found) {
    if (!found.place || !needs_replay(*found.place, how_))
      return finish({});
    const auto& place = *found.place;
    if (!place.replaying.empty())
      return apply(found);
    if (found.conflict)
      return finish("chain.kinds adds " + *found.conflict);
    if (found.oldest && found.oldest->number < place.tip.number)
      return take_back();
    const auto added = text_of(kinds_beyond(kinds_in(place.kinds), how_.kinds));
    store(kinds_added{how_.chain, place.tip.hash, text_of(how_.kinds), added, how_.id_offset, with_->now()});
  }

  /// A piece of the blocks above the last final one.
  void take_back() {
    storage_.read(*this, with_->load_timeout, load_follow{how_.chain})
      .then(
        [this](const stored_follow& found) {
          const auto back = found.place ? undo_.next(found.place->tip, found.blocks) : std::nullopt;
          back ? store(blocks_undone{how_.chain, found.place->tip.hash, *back, with_->now()}) : look();
        },
        [this](failure) { look_soon(); });
  }

  void apply(stored_replay& found) {
    step_ = {};
    step_.chain = how_.chain;
    step_.finalized = std::numeric_limits<block_number>::max(); // nothing of it is ever undone
    step_.events = std::move(found.next);
    before_ = found.applied_to;
    refused_ = std::move(found.refused);
    looked_to_ = found.looked_to;
    done_ = step_.events.empty() && found.looked_to >= found.place->last_event;
    if (done_) // slashes that were opened long ago are closed by now
      step_.blocks.push_back(found.place->tip);
    if (!needs_rows(step_, how_.kinds))
      return store(events_replayed{how_.chain, before_, looked_to_, done_, {}, {}, with_->now()});
    const auto until = done_ ? found.place->tip.at : step_.events.empty() ? unix_time{} : step_.events.back().at;
    storage_
      .read(*this, with_->load_timeout,
            load_chain_rows{how_.contracts, how_.id_offset, how_.kinds, step_.events, until})
      .then([this](const rows_of_step& read) { fold(*read.rows); }, [this](failure) { look_soon(); });
  }

  /// What was refused is tried event by event, to find the one that has to fail.
  void fold(chain_rows& rows) {
    const auto how = folding_by(how_);
    const bool trial = refusals_ > 0 && !tried_;
    if (trial)
      refused_before_ = refused_.size();
    effects_ = step_fold{rows, how, how_.kinds, with_->joining.default_avatar}.fold(step_, refused_, trial);
    if (trial)
      return store(trial_of(step_));
    const auto place = step_.events.empty() ? looked_to_ : step_.events.back().id;
    events_replayed out{how_.chain, before_, place, done_, {}, std::move(step_.rows), with_->now()};
    for (const auto& each : step_.events)
      out.events.push_back({each.id, each.status, each.reason});
    store(std::move(out));
  }

  void store(change fresh) {
    change_ = std::move(fresh);
    sent_at_ = steady_clock::now();
    std::visit([&](const auto& each) { storage_.write(stream_, each, *this, sent_at_ + write_timeout); }, change_);
  }

  void on_stored() {
    if (std::holds_alternative<blocks_tried>(change_)) {
      tried_ = true;
      return look(); // with what is refused
    }
    refusals_ = 0;
    tried_ = false;
    if (const auto* piece = std::get_if<events_replayed>(&change_)) {
      if (!piece->events.empty())
        size_.took(steady_clock::now() - sent_at_);
      applied_ += static_cast<std::int64_t>(piece->events.size());
      invalidate_caches();
    }
    look();
  }

  void invalidate_caches() {
    const auto effects = std::exchange(effects_, {});
    if (effects.texts)
      send(texts_, texts_queued{});
    if (!effects.projects.empty())
      send(with_->others->listings.to(), listing::invalidate{{effects.projects.begin(), effects.projects.end()}});
    if (!effects.profiles.empty())
      send(with_->others->people.to(), invalidate_profiles(*with_, effects.profiles));
  }

  void on_refused() {
    if (std::exchange(tried_, false) && refused_.size() > refused_before_)
      refusals_ = 0; // the trial has found one, and there is another one
    if (++refusals_ < refusal_search::fruitless_max)
      return start_afresh();
    refusals_ = 0;
    finish("the database refuses stored events behind event " + std::to_string(before_)
           + ", which are applied as chain.kinds names their kinds now");
  }

  void start_afresh() {
    ++stream_.attempt;
    std::holds_alternative<blocks_undone>(change_) ? undo_.lost()
                                                   : size_.took(write_timeout); // perhaps the piece was too large
    request(storage_.writer, settle_timeout, settle{})
      .then([this](settled) { look_soon(); }, [this](failure) { look_soon(); });
  }

  std::shared_ptr<const context> with_;
  port<storage> storage_;
  follow_settings how_;
  text_reader_handle texts_;
  ask<apply_added_kinds> answer_;
  std::int64_t applied_ = 0; // events, since it began
  blocks_applied step_;      // the events of a piece, as if they were a step
  std::int64_t before_ = 0, looked_to_ = 0;
  bool done_ = false; // the piece is the last one
  change change_;
  step_effects effects_;
  step_size size_;
  piecewise_undo undo_;                // of blocks that are not final
  std::vector<refused_event> refused_; // of the next piece
  std::size_t refused_before_ = 0;     // the last trial
  bool tried_ = false;                 // what was refused last
  int refusals_ = 0;                   // in a row
  steady_time sent_at_{};
  timer next_look_;
  write_stream stream_{next_incarnation(), 0};
};

} // namespace

bool needs_replay(const follow_place& stored, const follow_settings& how) {
  return !stored.replaying.empty() || stored.kinds != text_of(how.kinds);
}

kind_replay_handle spawn_kind_replay(actor& parent, std::shared_ptr<const context> with, port<storage> storage,
                                     follow_settings how, text_reader_handle texts) {
  return kind_replay_handle{linked(parent, spawn<kind_replay>(parent.system(), std::move(with), std::move(storage),
                                                              std::move(how), std::move(texts)))};
}

} // namespace credence::chain
