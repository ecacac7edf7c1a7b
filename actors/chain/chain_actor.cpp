#include "actors/chain/chain_actor.hpp"

#include "actors/chain/apply.hpp"
#include "actors/chain/chain_audit_actor.hpp"
#include "actors/chain/chain_reader_actor.hpp"
#include "actors/chain/chain_steps.hpp"
#include "actors/chain/follow_memory.hpp"
#include "actors/chain/follow_pace.hpp"
#include "actors/chain/follow_telling.hpp"
#include "actors/chain/text_reader_actor.hpp"
#include "actors/chain/transaction_finder.hpp"
#include "actors/directory.hpp"
#include "actors/kernel/actor.hpp"
#include "ops/chain_metrics.hpp"
#include "ops/log.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

namespace credence::chain {

/// Time to look whether an operator wants failed events to be tried again.
struct reprocess_due {};

namespace {

using namespace std::chrono_literals;

constexpr auto look_for_reprocess_every = 1s;
/// No block of the chain comes meanwhile, so failed events are tried in slices of that time.
constexpr auto reprocess_slice = 5s;
/// After so many refusals an event is sent once more, as failed and without its rows.
constexpr int reprocess_refusals_max = 2;
/// After that, and between slices, the chain is followed at least so long.
constexpr auto reprocess_rest = 60s;

/// One step at a time: looked for, stored, then the next one is due. Nothing here has to outlive the process.
class follower : public actor {
public:
  static inline const char* name = "chain";
  using takes = extended<chain_handle, write_outcome, step_due, timeout_over, reprocess_due>::takes;

  void start(const std::shared_ptr<const context>& with, const port<storage>& stored, const follow_settings& how,
             const follow_nodes& nodes) {
    with_ = with;
    storage_ = stored;
    how_ = how;
    telling_.started(how, nodes.for_steps.size());
    steps_ = spawn_chain_reader(*this, how, nodes.for_steps);
    finder_.emplace(*this, with, stored, how.chain, spawn_chain_reader(*this, how, nodes.for_questions), position_,
                    [this](block_number block) { hurry(block); });
    audit_ = spawn_chain_audit(*this, with, stored, how, nodes.for_audit);
    texts_ = spawn_text_reader(*this, with, stored, how, nodes.for_texts, sharing_);
    load();
    after(look_for_reprocess_every, reprocess_due{});
  }

  void on(const ask<get_chain_status>& question) {
    if (question.get()->expired(steady_clock::now()))
      return question.fail(failure::timed_out);
    question.answer(telling_.status());
  }
  void on(const ask<find_transaction>& question) { finder_->find(question); }
  void on(const ask<await_texts>& question) { send(texts_, question); }
  void on(const timeout_over& notice) { finder_->on(notice); }
  /// Counting reads every event. A result is kept for 50 times as long as it took, 5 s at least; a count that fails is
  /// kept as an empty list.
  void on(const ask<oversight::count_events>& question) {
    if (question.get()->expired(steady_clock::now()))
      return question.fail(failure::timed_out);
    const auto began = steady_clock::now();
    if (began < counted_until_)
      return question.answer(counts_);
    const auto keep = [this, question, began](std::vector<oversight::event_count> counts) {
      const auto now = steady_clock::now();
      counts_ = std::move(counts);
      counted_until_ = now + std::max<steady_clock::duration>(counts_kept_least, counts_kept_for * (now - began));
      question.answer(counts_);
    };
    storage_.read(*this, with_->load_timeout, *question)
      .on_behalf_of(question)
      .then([keep](std::vector<oversight::event_count>& found) { keep(std::move(found)); },
            [keep](failure) { keep({}); });
  }
  void on(const step_due&) { take(); }
  /// Looks for failed events to try. If the last slice left some, the next one begins only near the head.
  void on(const reprocess_due& due) {
    after(look_for_reprocess_every, due);
    if (reprocess_ || steady_clock::now() < reprocess_not_before_ || !writable() || std::exchange(looking_, true))
      return;
    storage_.read(*this, with_->load_timeout, load_reprocess{how_.chain})
      .then(
        [this](const stored_reprocess& found) {
          looking_ = false;
          reprocess_ = found.tried_to && (!slices_left_ || near_head(telling_.status(), how_.confirmations));
          if (reprocess_)
            take();
        },
        [this](failure) { looking_ = false; });
  }

  void on(const write_outcome& outcome) {
    if (!(outcome.stream == stream_) || !under_way_)
      return;
    switch (outcome.result) {
      case write_result::in_doubt: return; // its fate follows
      case write_result::stored: return on_stored();
      case write_result::failed: return on_refused();
      case write_result::too_long: return on_too_long();
      case write_result::not_written:
      case write_result::stale: return start_afresh(after_losses(++lost_in_a_row_));
    }
  }

private:
  static constexpr std::chrono::seconds counts_kept_least{5};
  static constexpr int counts_kept_for = 50; // times what counting took

  // -- where following stands --------------------------------------------------------------------

  /// One read at a time: a second answer would overwrite what a step has stored since.
  void load() {
    if (std::exchange(loading_, true))
      return;
    ahead_.drop();
    storage_.read(*this, with_->load_timeout, load_follow{how_.chain})
      .then([this](stored_follow& found) { on_loaded(found); },
            [this](failure) {
              loading_ = false;
              take_in(reload_after);
            });
  }

  void on_loaded(stored_follow& found) {
    loading_ = false;
    loaded_ = true;
    position_.reset();
    telling_.loaded(found.failed);
    search_.found(std::move(found.refused));
    if (found.other_chain)
      return halt("chain " + std::to_string(*found.other_chain) + " is followed in this database, and chain.id is "
                  + std::to_string(how_.chain));
    if (found.place) {
      if (const auto why = mismatch(*found.place, how_); !why.empty())
        return halt(why);
      if (found.place->written_ahead)
        return take_back_what_is_ahead(found);
      if (needs_replay(*found.place, how_.kinds))
        return add_kinds();
      if (source_ == source::added_kinds) {
        source_ = source::chain;
        ops::log(ops::level::info, "chain_kinds_added", {{"events", refolded_}, {"refused", ""}});
      }
      position_ = std::make_shared<follow_position>(follow_position{found.place->tip, found.place->finalized,
                                                                    std::move(found.blocks), found.place->last_event,
                                                                    found.place->authority, found.within});
      telling_.at(*position_);
      finder_->moved();
    }
    take();
  }

  /// Slashes were closed at the time of a block whose step was not stored after it. Another block may come in its
  /// place, so they are open again until it does.
  void take_back_what_is_ahead(const stored_follow& found) {
    if (!writable())
      return load_in(reload_after);
    under_way_ = true;
    source_ = source::chain;
    const auto& tip = found.place->tip;
    change_ = blocks_undone{how_.chain, tip.hash, tip, with_->now()};
    store_change();
  }
  bool takes_back_what_is_ahead() const {
    const auto* back = std::get_if<blocks_undone>(&change_);
    return back && back->before == back->tip.hash;
  }

  /// Nothing is destroyed; an operator decides.
  void halt(const std::string& why) {
    next_.cancel();
    telling_.enter(follow_state::halted, why);
  }

  // -- stored events that are folded again ---------------------------------------------------------

  /// Stored events of kinds that were added come before the next block, piece by piece; each piece is one transaction
  /// with the place that it leads to, so rows say where to go on. What is above the last final block is taken back
  /// first, to come again from a node: no event of an added kind has to be undone then.
  void add_kinds() {
    if (std::exchange(source_, source::added_kinds) != source::added_kinds)
      refolded_ = 0;
    telling_.enter(follow_state::replaying);
    if (!writable())
      return load_in(reload_after);
    under_way_ = true;
    const auto most = static_cast<std::int32_t>(wish().events_max);
    storage_.read(*this, with_->load_timeout, load_replay{how_.chain, how_.kinds, how_.id_offset, most})
      .then([this](stored_replay& found) { on_replay(found); }, [this](failure) { load_in(reload_after); });
  }

  void on_replay(stored_replay& found) {
    if (!found.place || !needs_replay(*found.place, how_.kinds))
      return load_in(0ms);
    const auto& place = *found.place;
    if (place.replaying.empty()) {
      if (found.conflict)
        return refuse_kinds("chain.kinds adds " + *found.conflict);
      if (const auto back = undo_.next(place.tip, found.blocks))
        change_ = blocks_undone{how_.chain, place.tip.hash, *back, with_->now()};
      else
        change_ = kinds_added{how_.chain,          place.tip.hash,
                              text_of(how_.kinds), text_of(kinds_beyond(kinds_in(place.kinds), how_.kinds)),
                              how_.id_offset,      with_->now()};
      return store_change();
    }
    auto& step = stored_step();
    step.events = std::move(found.next);
    const bool done = step.events.empty() && found.looked_to >= place.last_event;
    if (done) // slashes that were opened long ago are closed by now
      step.blocks.push_back(place.tip);
    piece_ = {how_.chain, found.applied_to, step.events.empty() ? found.looked_to : step.events.back().id, done, {}, {},
              {}};
    fold(step);
  }

  void refuse_kinds(const std::string& why) {
    ops::log(ops::level::error, "chain_kinds_added", {{"events", refolded_}, {"refused", why}});
    under_way_ = false;
    halt(why);
  }

  /// Tries failed events again for one slice, each as a change that names the one before it. First takes back all
  /// blocks that are not final, which are fetched again, so that nothing done here has to be undone.
  void reprocess() {
    under_way_ = true;
    ahead_.drop();
    if (const auto back = position_->within ? std::nullopt : undo_.next(position_->tip, position_->blocks)) {
      source_ = source::chain;
      change_ = blocks_undone{how_.chain, position_->tip.hash, *back, with_->now()};
      return store_change();
    }
    undo_ = {};
    telling_.enter(follow_state::replaying);
    if (std::exchange(source_, source::failed_events) != source::failed_events) {
      refolded_ = 0;
      refusals_ = 0;
      slice_end_ = steady_clock::now() + reprocess_slice;
    }
    look_for_failed();
  }

  void look_for_failed() {
    storage_.read(*this, with_->load_timeout, load_reprocess{how_.chain})
      .then([this](stored_reprocess& found) { on_failed_event(found); },
            [this](failure) {
              if (steady_clock::now() >= slice_end_)
                return end_slice(true);
              under_way_ = false;
              take_in(reload_after);
            });
  }

  void on_failed_event(stored_reprocess& found) {
    if (!found.tried_to || found.tip != position_->tip.hash)
      return end_slice(false);
    if (found.next && steady_clock::now() >= slice_end_)
      return end_slice(true);
    tried_ = {how_.chain, found.tip, *found.tried_to, 0, {}, {}, event_status::failed, {}, {}, {}};
    auto& step = stored_step();
    if (!found.next)
      return store_folded();
    tried_.event = found.next->id;
    if (refusals_ < reprocess_refusals_max) {
      step.events.push_back(read_again(*std::move(found.next)));
      return fold(step);
    }
    found.next->reason = refusal_;
    step.events.push_back(*std::move(found.next));
    store_folded();
  }

  /// Where there are more events, the next slice comes after a rest.
  void end_slice(bool more) {
    ops::log(ops::level::info, "chain_events_reprocessed", {{"events", refolded_}, {"more", more}});
    slices_left_ = more;
    reprocess_not_before_ = steady_clock::now() + (more ? reprocess_rest : 0s);
    source_ = source::chain;
    reprocess_ = false; // requests that came during this slice are served by it
    load_in(0ms);
  }

  /// A step of stored events, of which nothing is ever undone.
  blocks_applied& stored_step() {
    auto& step = change_.emplace<blocks_applied>();
    step.chain = how_.chain;
    step.finalized = std::numeric_limits<block_number>::max();
    return step;
  }

  /// What was folded, as the change that its source takes.
  void store_folded() {
    if (source_ != source::chain) {
      auto step = std::get<blocks_applied>(std::move(change_));
      if (source_ == source::added_kinds) {
        auto& out = change_.emplace<events_replayed>(std::move(piece_));
        for (auto& each : step.events)
          out.events.push_back({each.id, each.status, std::move(each.reason)});
        out.rows = std::move(step.rows);
        out.at = with_->now();
      } else {
        auto& out = change_.emplace<event_reprocessed>(std::move(tried_));
        if (!step.events.empty()) {
          auto& event = step.events.front();
          out.event_name = std::move(event.event_name);
          out.log_data = std::move(event.log_data);
          out.status = event.status;
          out.reason = std::move(event.reason);
        }
        out.rows = std::move(step.rows);
        out.at = with_->now();
      }
    }
    store_change();
  }

  void on_refolded() {
    if (const auto* piece = std::get_if<events_replayed>(&change_); piece && !piece->events.empty()) {
      pace_.stored(piece->events.size(), took_);
      refolded_ += static_cast<std::int64_t>(piece->events.size());
    }
    const auto* tried = std::get_if<event_reprocessed>(&change_);
    if (tried && tried->event == 0)
      return end_slice(false);
    refusals_ = 0;
    refolded_ += tried ? 1 : 0;
    const auto effects = std::exchange(effects_, {});
    if (effects.texts)
      send(texts_, texts_queued{});
    invalidate_caches(*this, with_, effects,
                      [this] { source_ == source::failed_events ? look_for_failed() : load_in(0ms); });
  }

  // -- steps -------------------------------------------------------------------------------------

  bool writable() const { return storage_.status->writable.load(std::memory_order_relaxed); }

  /// Reads again where following stands, and goes on from there.
  void load_in(std::chrono::milliseconds pause) {
    under_way_ = loaded_ = false;
    pause > 0ms ? take_in(pause) : take();
  }
  void take_in(std::chrono::milliseconds pause) { after(next_, pause, step_due{}); }

  void take() {
    if (under_way_ || telling_.status().state == follow_state::halted)
      return;
    if (!loaded_)
      return load();
    if (!writable())
      return take_in(reload_after);
    if (reprocess_ && position_ && !search_.trying())
      return reprocess();
    under_way_ = true;
    if (back_to_ && position_ && position_->tip.number > back_to_->number)
      return take_back_to(block_mark{*back_to_});
    back_to_.reset();
    if (position_ && std::exchange(more_due_, false))
      return fold(change_.emplace<blocks_applied>(closings()));
    if (auto again = position_ ? search_.step_behind(position_->tip.hash) : std::nullopt)
      return fold(change_.emplace<blocks_applied>(*std::move(again)));
    if (auto found = position_ ? ahead_.take(*position_) : std::nullopt)
      return on_step_ahead(*found);
    if (position_ && ahead_.wait_for(*position_))
      return;
    look_for_step();
  }

  void look_for_step() {
    request(steps_, for_ever, take_step{position_, wish(), with_->now()})
      .then([this](step_taken& found) { on_step(found); }, [this](failure) { under_way_ = false; });
  }

  /// This step was sized while no client waited. If some do now and it is too large, a smaller one is looked for.
  void on_step_ahead(step_taken& found) {
    const auto* applied = std::get_if<blocks_applied>(&found.done.change);
    if (applied && applied->events.size() > 2 * pace_.events_max(under_load()))
      return look_for_step();
    on_step(found);
  }

  bool under_load() {
    const auto& all = with_->others->all_questions;
    return load_detector_.here(
      all ? all->inside() - static_cast<std::int32_t>(finder_->waiting()) - sharing_->waiting.load() : 0,
      steady_clock::now());
  }
  step_wish wish() { return {wanted_, std::min(pace_.events_max(under_load()), events_at_most_)}; }

  void hurry(block_number block) {
    wanted_ = std::max(wanted_, block);
    take();
  }

  /// Asks for the step behind this one, which is far from the head, while this one is stored.
  void look_ahead(const blocks_applied& step) {
    auto behind = std::make_shared<const follow_position>(position_after(*position_, step));
    const auto number = ahead_.asked(*behind);
    request(steps_, for_ever, take_step{std::move(behind), wish(), with_->now()})
      .then(
        [this, number](step_taken& found) {
          if (auto awaited = ahead_.came(number, found))
            on_step_ahead(*awaited);
        },
        [this](failure) { ahead_.drop(); });
  }

  void on_step(step_taken& found) {
    telling_.took(found);
    if (found.nobody_left) {
      under_way_ = false;
      return halt(telling_.last_why());
    }
    std::visit([this](auto& value) { change_ = std::move(value); }, found.done.change);
    sharing_->catching_up = catching_up_ = found.done.backfill;
    if (const auto* back = std::get_if<blocks_undone>(&change_))
      return take_back_to(block_mark{back->tip});
    if (auto* applied = std::get_if<blocks_applied>(&change_)) {
      if (catching_up_)
        look_ahead(*applied);
      return fold(*applied);
    }
    if (!std::holds_alternative<std::monostate>(change_))
      return store_change();
    under_way_ = false;
    take_in(found.reached ? found.done.backfill && !found.done.behind ? 0ms : how_.poll
                          : std::clamp<std::chrono::milliseconds>(found.pause, 50ms, how_.poll));
  }

  /// As many of the blocks behind that one as one transaction takes back; the rest is next.
  void take_back_to(const block_mark& ancestor) {
    back_to_ = ancestor;
    const auto& kept = position_->blocks;
    const auto first =
      std::find_if(kept.begin(), kept.end(), [&](const block_mark& each) { return each.number >= ancestor.number; });
    change_ = blocks_undone{how_.chain, position_->tip.hash,
                            undo_.next(position_->tip, std::span{first, kept.end()}).value_or(ancestor), with_->now()};
    store_change();
  }

  // -- records -----------------------------------------------------------------------------------

  /// The events are folded into the rows that they need, as they are now.
  void fold(blocks_applied& step) {
    step_began_ = steady_clock::now();
    effects_ = {};
    if (!needs_rows(step, how_.kinds))
      return store_folded();
    if (search_.trying())
      search_.keep(step);
    storage_
      .read(
        *this, with_->load_timeout,
        fold_step{step, folding_by(how_), how_.kinds, with_->joining.default_avatar, search_.known(), search_.trying()})
      .then([this](folded_step& found) { on_folded(found); }, [this](failure) { start_afresh(); });
  }

  /// What was refused is tried event by event, to find those that have to fail.
  void on_folded(folded_step& found) {
    auto& step = std::get<blocks_applied>(change_);
    if (found.more_due && found.events.size() < step.events.size())
      return close_before_next(step, found);
    more_due_ = found.more_due;
    put_into(step, found);
    effects_ = std::move(found.effects);
    if (search_.trying())
      change_ = trial_of(step);
    else if (source_ != source::chain)
      return store_folded();
    else if (!effects_.gaps.empty() && telling_.status().endpoints > 1)
      return search_withheld(step);
    store_change();
  }

  /// A step without events, in which slashes are closed whose time is up.
  blocks_applied closings() const {
    return {how_.chain, position_->tip.hash, position_->tip,      position_->finalized, {}, {},
            {},         with_->now(),        position_->authority};
  }

  /// More slashes are due before an event than one transaction closes. Where it is the first event, they are closed
  /// ahead, and the step is folded again; else one is looked for that ends before it.
  void close_before_next(blocks_applied& step, folded_step& found) {
    if (source_ == source::failed_events)
      return end_slice(true);
    if (!found.events.empty()) {
      events_at_most_ = found.events.size();
      search_.let_go(); // of the larger step
      return load_in(0ms);
    }
    if (source_ == source::added_kinds) {
      change_ =
        events_replayed{how_.chain, piece_.before, piece_.before, false, {}, std::move(found.rows), with_->now()};
      return store_change();
    }
    auto ahead = closings();
    ahead.rows = std::move(found.rows);
    behind_closings_ = std::exchange(step, std::move(ahead));
    store_change();
  }

  // -- logs that a node withheld -------------------------------------------------------------------

  void search_withheld(const blocks_applied& step) {
    request(audit_, gap_timeout, gap_question(*position_, step))
      .then([this](const gap_searched& found) { on_searched(found); }, [this](failure) { store_change(); });
  }

  /// Those who withheld it are not asked again; blocks that are stored without it are taken back.
  void on_searched(const gap_searched& found) {
    const auto repair = repair_of(*position_, found);
    if (repair.how == gap_repair::way::go_on)
      return store_change();
    telling_.withheld(found.log->block, found.by);
    send(steps_, distrust{found.by});
    ahead_.drop();
    effects_ = {};
    change_ = std::monostate{};
    if (repair.how == gap_repair::way::take_back)
      return take_back_to(repair.back);
    load_in(0ms);
  }

  void store_change() {
    found_at_ = steady_clock::now();
    std::visit(
      [&]<class Change>(const Change& fresh) {
        if constexpr (!std::is_same_v<Change, std::monostate>)
          storage_.write(stream_, fresh, *this, found_at_ + write_timeout);
      },
      change_);
  }

  void on_stored() {
    took_ = steady_clock::now() - found_at_;
    if (takes_back_what_is_ahead()) { // of a step that may have been lost, and has not come yet
      change_ = std::monostate{};
      return load_in(0ms);
    }
    if (!behind_closings_)
      lost_in_a_row_ = 0;
    if (source_ == source::chain)
      ops::the_chain_metrics().apply.observe(took_);
    if (std::holds_alternative<blocks_tried>(change_)) {
      search_.trial_ended();
      return load_in(0ms); // with what is refused
    }
    if (behind_closings_)
      return fold(change_.emplace<blocks_applied>(*std::exchange(behind_closings_, std::nullopt)));
    if (!std::holds_alternative<blocks_undone>(change_))
      undo_ = {};
    events_at_most_ = step_events_max;
    search_.over();
    if (source_ != source::chain)
      return on_refolded();
    effects_ = touched_.stored(change_, std::move(effects_), position_ ? position_->authority : 0);
    if (effects_.texts)
      send(texts_, texts_queued{});
    invalidate_caches(*this, with_, effects_,
                      [this] { on_told(); }); // before anybody is told that the blocks are in, or gone
  }

  void on_told() {
    under_way_ = false;
    if (const auto* applied = std::get_if<blocks_applied>(&change_); applied && !applied->events.empty())
      pace_.stored(applied->events.size(), took_);
    loaded_ = !std::holds_alternative<blocks_undone>(
      change_); // failed events may be among those that are gone: they are counted again
    position_ = std::make_shared<follow_position>(telling_.stored(position_.get(), change_, effects_.gaps));
    change_ = std::monostate{};
    effects_ = {};
    finder_->moved();
    const auto rest = catching_up_ ? rest_behind(steady_clock::now() - step_began_, under_load()) : 0ms;
    rest > 0ms ? take_in(rest) : take();
  }

  void on_refused(std::string_view why = "refused:unknown") {
    if (source_ == source::failed_events) {
      refusal_ = why;
      if (++refusals_ <= reprocess_refusals_max)
        return start_afresh();
      ops::log(ops::level::error, "chain_event_not_reprocessed",
               {{"behind", std::get<event_reprocessed>(change_).before}});
      ++stream_.attempt; // else the writer remembers the refusal, and takes nothing of the next slice
      return end_slice(true);
    }
    if (search_.refused()) {
      shrink_for_trial();
      return start_afresh(0ms);
    }
    if (const auto* piece = std::get_if<events_replayed>(&change_))
      return refuse_kinds("the database refuses stored events behind event " + std::to_string(piece->before)
                          + ", which are applied as chain.kinds names their kinds now");
    under_way_ = false;
    halt("the database refuses what follows block " + std::to_string(position_ ? position_->tip.number : 0)
         + " of the chain");
  }

  /// Perhaps it was too many events, and perhaps one of them, which then fails like one that the database refuses.
  void on_too_long() {
    if (source_ == source::failed_events)
      return on_refused("refused:too_long");
    const auto* step = std::get_if<blocks_applied>(&change_);
    const auto* piece = std::get_if<events_replayed>(&change_);
    const bool of_events = (step && !step->events.empty()) || (piece && !piece->events.empty());
    if (++lost_in_a_row_ >= losses_before_trial && of_events && !behind_closings_) {
      search_.too_long();
      shrink_for_trial();
    }
    start_afresh(after_losses(lost_in_a_row_));
  }
  /// To few events, as a trial takes long.
  void shrink_for_trial() {
    for (int halves = 0; halves < 5; ++halves)
      pace_.lost();
  }

  /// What memory knows may differ from the database: it is read again, once what was sent has its fate.
  void start_afresh(std::chrono::milliseconds pause = reload_after) {
    ++stream_.attempt;
    back_to_.reset();
    behind_closings_.reset();
    more_due_ = false;
    search_.let_go();
    if (source_ != source::failed_events)
      pace_.lost();
    if (source_ == source::chain)
      telling_.again();
    if (std::holds_alternative<blocks_undone>(change_))
      undo_.lost();
    const auto reload = [this, pause] { load_in(pause); };
    request(storage_.writer, settle_timeout, settle{})
      .then([reload](settled) { reload(); }, [reload](failure) { reload(); });
  }

  std::shared_ptr<const context> with_;
  port<storage> storage_;
  follow_settings how_;
  chain_reader_handle steps_;
  std::optional<transaction_finder> finder_;
  chain_audit_handle audit_;
  text_reader_handle texts_;
  std::shared_ptr<text_sharing> sharing_ = std::make_shared<text_sharing>();
  follow_telling telling_;
  std::shared_ptr<const follow_position> position_; // null: nothing is stored of the chain
  bool loaded_ = false, loading_ = false;
  bool under_way_ = false; // a step is looked for, or stored
  follow_change change_;   // on its way to the store
  enum class source : std::uint8_t { chain, added_kinds, failed_events };
  source source_ = source::chain;      // of the events that are folded
  piecewise_undo undo_;                // of a reorganisation, and before stored ones are
  std::optional<block_mark> back_to_;  // the last block that a reorganisation leaves
  std::int64_t refolded_ = 0;          // stored events, since the source was chosen
  events_replayed piece_;              // of added kinds, before it is folded
  event_reprocessed tried_;            // likewise
  bool reprocess_ = false;             // failed events are to be tried again
  bool looking_ = false;               // whether there are any; no slice begins before the answer
  bool slices_left_ = false;           // the last slice has left events
  steady_time reprocess_not_before_{}; // the next slice
  steady_time slice_end_{};            // of this one
  int refusals_ = 0;                   // of the event that is tried, in a row
  std::string refusal_;                // of the last of them
  follow_pace pace_;
  load_detector load_detector_;
  bool catching_up_ = false; // by the last step
  steady_time step_began_{};
  step_ahead ahead_;
  step_effects effects_; // of the change
  refusal_search search_;
  recently_touched_rows touched_;
  bool more_due_ = false;                         // slashes, once the step is stored
  std::optional<blocks_applied> behind_closings_; // the step before which slashes are being closed
  std::size_t events_at_most_ = step_events_max;  // of the next step, as slashes are due behind them
  int lost_in_a_row_ = 0;                         // writes that came to nothing since the last one that is stored
  std::chrono::nanoseconds took_{0};              // the last commit
  block_number wanted_ = 0;
  steady_time found_at_{};
  timer next_;
  std::vector<oversight::event_count> counts_;
  steady_time counted_until_{};
  write_stream stream_{next_incarnation(), 0};
};

} // namespace

chain_handle spawn_chain(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage,
                         follow_settings how, follow_nodes nodes) {
  return chain_handle{spawn<follower>(sys, std::move(with), std::move(storage), std::move(how), std::move(nodes))};
}

} // namespace credence::chain
