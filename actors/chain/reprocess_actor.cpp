#include "actors/chain/reprocess_actor.hpp"

#include "actors/chain/apply.hpp"
#include "actors/chain/chain_steps.hpp"
#include "actors/chain/follow_bounds.hpp"
#include "actors/chain/invalidate_profiles.hpp"
#include "actors/directory.hpp"
#include "actors/kernel/actor.hpp"
#include "ops/log.hpp"

#include <limits>
#include <utility>

namespace credence::chain {

/// Time to look whether there is something to do.
struct reprocess_due {};

namespace {

using namespace std::chrono_literals;

constexpr auto look_every = 1s;
/// No block of the chain comes meanwhile, so events are tried in slices of that time.
constexpr auto slice = 5s;
/// What the database refuses is sent so often: the last time without its rows.
constexpr int refusals_max = 2;
/// After that, and between slices, the chain is followed at least so long.
constexpr auto reprocess_rest = 60s;

/// One event after the other, each in a transaction that names the one before it, for some seconds at a time. Rows say
/// where to go on.
class reprocess : public actor {
public:
  static inline const char* name = "chain reprocess";
  using takes = extended<reprocess_handle, write_outcome, reprocess_due>::takes;

  void start(const weak_actor_ref& follower, const std::shared_ptr<const context>& with, const port<storage>& stored,
             const follow_settings& how, const text_reader_handle& texts) {
    follower_ = follower;
    with_ = with;
    storage_ = stored;
    how_ = how;
    texts_ = texts;
    look_in(look_every);
  }

  void on(const ask<reprocess_failed>& question) {
    answer_ = question;
    tip_ = question->tip;
    tried_ = 0;
    refusals_ = 0;
    slice_end_ = steady_clock::now() + slice;
    look();
  }
  void on(const reprocess_due&) { look(); }
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
  void look() {
    next_look_.cancel();
    const auto turn = ++turn_;
    if (!storage_.status->writable.load(std::memory_order_relaxed))
      return look_in(answer_ ? reload_after : look_every);
    storage_.read(*this, with_->load_timeout, load_reprocess{how_.chain})
      .then(
        [this, turn](stored_reprocess& found) {
          if (turn == turn_)
            answer_ ? go_on(found) : tell_follower(found);
        },
        [this, turn](failure) {
          if (turn != turn_)
            return;
          if (answer_ && steady_clock::now() >= slice_end_) // the follower has waited for its time
            return finish(true);
          look_in(answer_ ? reload_after : look_every);
        });
  }
  void look_in(std::chrono::milliseconds pause) {
    ++turn_;
    after(next_look_, pause, reprocess_due{});
  }

  /// It comes back with `reprocess_failed` when it stands between two steps.
  void tell_follower(const stored_reprocess& found) {
    if (found.tried_to)
      send(actor_handle<reprocess_wanted>{follower_.lock()}, reprocess_wanted{more_});
    look_in(look_every);
  }

  void go_on(stored_reprocess& found) {
    if (!found.tried_to || found.tip != tip_)
      return finish(false);
    before_ = *found.tried_to;
    if (!found.next)
      return store({how_.chain, tip_, before_, 0, {}, {}, event_status::failed, {}, {}, with_->now()});
    if (steady_clock::now() >= slice_end_)
      return finish(true);
    try_again(*std::move(found.next));
  }

  void try_again(stored_event failed) {
    step_ = {};
    step_.chain = how_.chain;
    step_.finalized = std::numeric_limits<block_number>::max(); // nothing of it is ever undone
    effects_ = {};
    if (refusals_ == refusals_max) {
      failed.reason = "refused:unknown";
      return store_event(failed);
    }
    const auto& again = step_.events.emplace_back(read_again(std::move(failed)));
    if (!event_in(again, how_.kinds)) // it cannot be read, or no records are made of it
      return store_event(again);
    storage_
      .read(*this, with_->load_timeout,
            load_chain_rows{how_.contracts, how_.id_offset, how_.kinds, step_.events, again.at})
      .then([this](const rows_of_step& found) { fold(*found.rows); }, [this](failure) { look_in(reload_after); });
  }

  void fold(chain_rows& rows) {
    const auto how = folding_by(how_);
    effects_ = step_fold{rows, how, how_.kinds, with_->joining.default_avatar}.fold(
      step_, std::span<const refused_event>{}, false);
    store_event(step_.events.front());
  }

  void store_event(const stored_event& done) {
    store({how_.chain, tip_, before_, done.id, done.event_name, done.log_data, done.status, done.reason,
           std::move(step_.rows), with_->now()});
  }

  void store(event_reprocessed change) {
    last_ = change.event == 0;
    storage_.write(stream_, std::move(change), *this, steady_clock::now() + write_timeout);
  }

  void on_stored() {
    refusals_ = 0;
    if (last_)
      return finish(false);
    ++tried_;
    const auto effects = std::exchange(effects_, {});
    if (effects.texts)
      send(texts_, texts_queued{});
    invalidate_caches(*this, with_, effects, [this] { look(); });
  }

  void on_refused() {
    if (++refusals_ > refusals_max) {
      ops::log(ops::level::error, "chain_event_not_reprocessed", {{"behind", before_}});
      ++stream_.attempt; // else the writer remembers the refusal, and takes nothing of the next slice
      return finish(true);
    }
    start_afresh();
  }

  void start_afresh() {
    ++stream_.attempt;
    const auto go_on = [this] { look_in(reload_after); };
    request(storage_.writer, settle_timeout, settle{})
      .then([go_on](settled) { go_on(); }, [go_on](failure) { go_on(); });
  }

  /// The slice is over; where there are more events, the next one comes after a rest.
  void finish(bool more) {
    ops::log(ops::level::info, "chain_events_reprocessed", {{"events", tried_}, {"more", more}});
    more_ = more;
    std::exchange(answer_, {}).answer(failed_reprocessed{});
    look_in(more ? std::chrono::milliseconds{reprocess_rest} : look_every);
  }

  weak_actor_ref follower_;
  std::shared_ptr<const context> with_;
  port<storage> storage_;
  follow_settings how_;
  text_reader_handle texts_;
  ask<reprocess_failed> answer_; // while the follower waits
  digest32 tip_{};
  steady_time slice_end_{};
  bool more_ = false;       // the last slice has left events
  std::int64_t tried_ = 0;  // events, since it waits
  std::int64_t before_ = 0; // the last event that was tried
  blocks_applied step_;     // the event, as if it were a step
  step_effects effects_;
  bool last_ = false;      // no event was left
  int refusals_ = 0;       // in a row
  std::uint64_t turn_ = 0; // the reading under way is of another one
  timer next_look_;
  write_stream stream_{next_incarnation(), 0};
};

} // namespace

reprocess_handle spawn_reprocess(actor& parent, std::shared_ptr<const context> with, port<storage> storage,
                                 follow_settings how, text_reader_handle texts) {
  return reprocess_handle{
    linked(parent, spawn<reprocess>(parent.system(), weak_actor_ref{parent.this_actor()}, std::move(with),
                                    std::move(storage), std::move(how), std::move(texts)))};
}

} // namespace credence::chain
