#include "actors/chain/chain_actor.hpp"

#include "actors/chain/apply.hpp"
#include "actors/chain/chain_audit_actor.hpp"
#include "actors/chain/chain_node.hpp"
#include "actors/chain/chain_reader_actor.hpp"
#include "actors/chain/chain_state.hpp"
#include "actors/chain/chain_steps.hpp"
#include "actors/chain/chain_storage.hpp"
#include "actors/chain/follow_memory.hpp"
#include "actors/chain/follow_pace.hpp"
#include "actors/chain/follow_types.hpp"
#include "actors/chain/text_reader_actor.hpp"
#include "actors/context.hpp"
#include "actors/directory.hpp"
#include "actors/kernel/actor.hpp"
#include "actors/kernel/ask.hpp"
#include "actors/kernel/mark_stale.hpp"
#include "actors/kernel/port.hpp"
#include "actors/kernel/turns.hpp"
#include "actors/listing/listing_actor.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/profile/credential_slot.hpp"
#include "actors/profile/profile_actor.hpp"
#include "ops/chain_metrics.hpp"
#include "ops/log.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace credence::chain {

/// Answers where transactions are: from what is stored, else from what nodes tell. A block that is not stored yet is
/// waited for. Part of the actor that follows the chain.
class transaction_finder {
public:
  using position = std::shared_ptr<const follow_position>;

  /// `at` is where following stands, as long as this lives. `hurry` has a block come next.
  transaction_finder(actor& self, std::shared_ptr<const context> with, port<storage> stored, chain_number chain,
                     chain_reader_handle nodes, const position& at, std::function<void(block_number)> hurry)
    : self_(self), with_(std::move(with)), storage_(std::move(stored)), chain_(chain), nodes_(std::move(nodes)),
      at_(at), hurry_(std::move(hurry)) {}

  void find(const ask<find_transaction>& question) {
    if (question.get()->expired(steady_clock::now()))
      return question.fail(failure::timed_out);
    storage_.read(self_, with_->load_timeout, load_events{chain_, question->tx})
      .then([this, question](events_of_transaction& found) { on_stored_events(question, std::move(found.events)); },
            [question](failure) { question.fail(failure::unavailable); });
  }
  /// Questions that wait for a block to be stored.
  std::size_t waiting() const noexcept { return waiting_.count(); }
  void on(const timeout_over& notice) {
    if (const auto again = waiting_.timeout_over(notice.question, steady_clock::now()))
      find(*again);
  }
  /// The tip has moved, or is known for the first time, when all are looked up again. Those whose blocks are in are
  /// looked up again: their events are stored, or they are of other blocks by now.
  void moved() {
    const bool first = !std::exchange(placed_, true);
    for (auto& [tx, look] : looks_)
      look.said.reset();
    for (const auto& each : waiting_.take_up_to(first ? std::numeric_limits<block_number>::max() : at_->tip.number))
      find(each);
  }

private:
  static constexpr std::chrono::milliseconds looked_for_every{
    1000}; // in which block a transaction is; so long counts what nodes said
  static constexpr std::chrono::milliseconds one_look_at_most{5000};

  static std::chrono::milliseconds time_left(const ask<find_transaction>& question) {
    return std::chrono::floor<std::chrono::milliseconds>(question.get()->deadline() - steady_clock::now())
           - left_for_the_answer;
  }
  /// How long it may still wait.
  static std::chrono::milliseconds wait_left(const ask<find_transaction>& question) {
    const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(question->until.value_or(steady_time::max()) - steady_clock::now());
    const auto most = std::max(std::min(time_left(question), left), std::chrono::milliseconds{0});
    return question->until ? most : std::clamp(question->timeout, std::chrono::milliseconds{0}, most);
  }

  void wait(const ask<find_transaction>& question, transaction_found found, std::chrono::milliseconds most) {
    if (question->until && most.count() <= 0)
      return question.answer(std::move(found));
    const auto number = waiting_.add(question, std::move(found));
    self_.after(most, timeout_over{number});
  }
  /// No block has it as far as is known: looks again in a moment, and when a block is stored, where the question waits
  /// for that.
  void look_up_again(const ask<find_transaction>& question, transaction_found found) {
    const auto left = question->until ? wait_left(question) : std::chrono::milliseconds{0};
    if (left.count() <= 0)
      return question.answer(std::move(found));
    found.receipt.reset(); // of a block that the chain does not hold
    wait(question, std::move(found), std::min(left, looked_for_every));
  }

  void on_stored_events(const ask<find_transaction>& question, std::vector<event_record> events) {
    transaction_found found;
    const bool told = !events.empty() && (!at_ || events.back().event.block <= at_->tip.number);
    if (told) {
      found.events = std::move(events);
      found.state = transaction_state::processed;
      if (!question->with_receipt)
        return question.answer(std::move(found));
    }
    ask_nodes(question, std::move(found));
  }

  // -- nodes --------------------------------------------------------------------------------

  /// What nodes said of a transaction, and who waits for that.
  struct look {
    std::vector<std::pair<ask<find_transaction>, transaction_found>> waiting;
    std::optional<transaction_looked_up> said;
    steady_time said_at{};
  };

  /// Nodes are asked for one transaction at a time, and once for all who ask for it meanwhile and shortly after; askers
  /// are served by rank and in turn.
  void ask_nodes(const ask<find_transaction>& question, transaction_found found) {
    auto& look = looks_[question->tx];
    const bool waits = question->until || question->timeout > std::chrono::milliseconds{0};
    const bool holds = look.said && (look.said->transaction.receipt || !waits); // it may be in a block by now
    if (holds && steady_clock::now() < look.said_at + looked_for_every) {
      auto said = *look.said;
      return on_looked_up(question, std::move(found), said);
    }
    look.waiting.emplace_back(question, std::move(found));
    if (look.waiting.size() > 1)
      return;
    turns_.push(question.get()->by(), question->tx);
    ask_next();
  }

  void ask_next() {
    if (turns_.empty() || std::exchange(asking_, true))
      return;
    const auto tx = turns_.take();
    std::chrono::milliseconds left{1};
    for (const auto& [question, found] : looks_.at(tx).waiting)
      left = std::max(left, std::min(time_left(question), one_look_at_most)); // others wait behind it
    self_.request(nodes_, left, look_up_transaction{tx, steady_clock::now() + left})
      .then([this, tx](transaction_looked_up& it) { on_said(tx, it); },
            [this, tx](failure) {
              transaction_looked_up nobody;
              on_said(tx, nobody);
            });
  }

  void on_said(const digest32& tx, const transaction_looked_up& it) {
    asking_ = false;
    const auto now = steady_clock::now();
    auto& here = looks_.at(tx);
    const auto waiting = std::exchange(here.waiting, {});
    if (it.reached)
      here.said = it;
    here.said_at = now;
    std::erase_if(looks_, [&](const auto& each) {
      return each.second.waiting.empty() && (!each.second.said || each.second.said_at + looked_for_every <= now);
    });
    for (const auto& [question, found] : waiting) {
      auto said = it;
      on_looked_up(question, found, said);
    }
    ask_next();
  }

  void on_looked_up(const ask<find_transaction>& question, transaction_found found, transaction_looked_up& it) {
    if (it.reached && found.events.empty())
      found.state = state_of(it.transaction, at_.get());
    if (it.reached)
      found.receipt = std::move(it.transaction.receipt);
    if (found.state < transaction_state::processing)
      return look_up_again(question, std::move(found));
    const bool too_far = found.receipt && at_ && found.receipt->block > at_->tip.number + hurry_blocks_max;
    if (found.state == transaction_state::processed || too_far)
      return question.answer(std::move(found));
    const auto block = found.receipt->block;
    wait(question, std::move(found), wait_left(question));
    if (at_)
      hurry_(block);
  }

  actor& self_;
  std::shared_ptr<const context> with_;
  port<storage> storage_;
  chain_number chain_;
  chain_reader_handle nodes_;
  const position& at_;
  std::function<void(block_number)> hurry_;
  block_waiters waiting_;
  std::map<digest32, look> looks_; // under way, and said lately
  turns<digest32> turns_;          // transactions that nodes are still to be asked for
  bool asking_ = false;            // nodes, at the moment
  bool placed_ = false;            // where following stands has been known
};

/// What is told of following: the status for clients, metrics and the log.
class follow_telling {
public:
  const chain_status& status() const noexcept { return status_; }
  /// Following begins anew, with so many nodes.
  void started(const follow_settings& how, std::size_t endpoints) {
    status_.chain = how.chain;
    by_tag_ = how.authority.how != authority_rule::by::depth;
    status_.endpoints = static_cast<std::int32_t>(endpoints);
    unavailable_after_ = how.unavailable_after;
    last_good_ = steady_clock::now();
    ops::the_chain_metrics().on.set(1);
  }
  void loaded(std::int64_t failed) {
    status_.failed = failed;
    ops::the_chain_metrics().failed.set(failed);
  }
  void enter(follow_state state, const std::string& why = {}) {
    if (status_.state != state)
      ops::log(
        state == follow_state::unavailable || state == follow_state::halted ? ops::level::error : ops::level::info,
        "chain_state", {{"state", std::string{follow_state_names[static_cast<std::size_t>(state)]}}, {"why", why}});
    status_.state = state;
    status_.why = why;
    ops::the_chain_metrics().state.set(static_cast<std::int64_t>(state));
  }
  void at(const follow_position& position) {
    status_.tip = position.tip;
    ops::the_chain_metrics().tip.set(number_of(position.tip.number));
    ops::the_chain_metrics().tip_at.set(position.tip.at.seconds);
    ops::the_chain_metrics().finalized.set(number_of(position.finalized));
    status_.authority = position.authority;
    ops::the_chain_metrics().authority.set(number_of(position.authority));
  }
  /// What a step tells of nodes and of the chain.
  void took(const step_taken& step) {
    const auto now = steady_clock::now();
    status_.endpoints_wrong = step.wrong;
    status_.endpoints_without_past = step.without_past;
    if (step.reached)
      last_good_ = now;
    if (!step.why.empty()) // while all are left alone nobody says anything
      last_why_ = step.why;
    if (step.nobody_left)
      return;
    if (step.done.heads)
      saw(*step.done.heads);
    if (step.reached)
      enter(step.done.backfill ? follow_state::backfill : follow_state::following);
    else if (now - last_good_ >= unavailable_after_)
      enter(follow_state::unavailable, last_why_);
  }
  /// Of the last node that brought no answer.
  const std::string& last_why() const noexcept { return last_why_; }
  /// A change is in, behind `from`, which is null where the chain has begun with it. Returns where following stands
  /// now.
  follow_position stored(const follow_position* from, const follow_change& change, const std::vector<id_gap>& gaps) {
    follow_position now;
    if (const auto* begun = std::get_if<chain_begun>(&change)) {
      now = position_after(*begun);
      began(*begun);
    } else if (const auto* step = std::get_if<blocks_applied>(&change)) {
      applied(step->events);
      missing(gaps);
      now = position_after(*from, *step);
    } else {
      const auto& back = std::get<blocks_undone>(change);
      undone(*from, back);
      now = position_after(*from, back);
    }
    at(now);
    return now;
  }
  /// A step is not stored, and is taken again.
  void again() const {
    ops::log(ops::level::warn, "chain_step_again", {{"tip", number_of(status_.tip ? status_.tip->number : 0)}});
  }
  /// A log of that block, which other nodes tell of.
  void withheld(block_number block, const std::vector<std::size_t>& by) {
    for (const auto each : by)
      ops::log(ops::level::error, "chain_log_withheld",
               {{"block", number_of(block)}, {"endpoint", static_cast<std::int64_t>(each) + 1}});
  }

private:
  void began(const chain_begun& begun) {
    ops::log(ops::level::info, "chain_begun", {{"chain", begun.chain}, {"block", number_of(begun.tip.number) + 1}});
  }
  void applied(const std::vector<stored_event>& events) {
    undone_in_a_row_ = 0;
    for (const auto& each : events)
      ops::the_chain_metrics().events[static_cast<std::size_t>(each.status)].add();
    status_.failed += std::count_if(events.begin(), events.end(),
                                    [](const stored_event& each) { return each.status == event_status::failed; });
    ops::the_chain_metrics().failed.set(status_.failed);
  }
  void undone(const follow_position& from, const blocks_undone& back) {
    const auto blocks = number_of(from.tip.number - back.tip.number);
    if (undone_in_a_row_ == 0) {
      ++status_.reorganisations;
      ops::the_chain_metrics().reorganisations.add();
    }
    const auto depth = undone_in_a_row_ += blocks;
    ops::the_chain_metrics().undone_blocks.add(blocks);
    ops::the_chain_metrics().depth_last.set(depth);
    ops::the_chain_metrics().depth_most.raise_to(depth);
    ops::log(ops::level::warn, "chain_reorganised", {{"blocks", depth}, {"ancestor", number_of(back.tip.number)}});
  }
  /// Ids that no log told of: a node may have withheld it.
  void missing(const std::vector<id_gap>& gaps) {
    auto& told = status_.missing;
    for (const auto& each : gaps) {
      ops::log(ops::level::warn, "chain_ids_missing", {{"of", each.of}, {"first", each.first}, {"last", each.last}});
      ops::the_chain_metrics().id_gaps.add();
      told.push_back(each);
    }
    if (told.size() > ids_missing_max)
      told.erase(told.begin(), told.end() - static_cast<std::ptrdiff_t>(ids_missing_max));
  }
  void saw(const chain_heads& heads) {
    const auto number = [](const std::optional<block_header>& of) {
      return of ? std::optional{of->number} : std::nullopt;
    };
    status_.head = heads.latest.number;
    status_.safe = number(heads.safe);
    status_.finalized = number(heads.finalized);
    ops::the_chain_metrics().head.set(number_of(heads.latest.number));
    ops::the_chain_metrics().safe.set(number_of(status_.safe.value_or(0)));
    const bool untagged = by_tag_ && status_.tip && status_.authority == 0 && !status_.safe && !status_.finalized;
    if (untagged && !std::exchange(told_of_tags_, true))
      ops::log(ops::level::warn, "chain_gives_no_rights",
               {{"why", "the node tags no block as safe or final: nothing of the chain gives rights until "
                        "chain.authority is a number of blocks"}});
  }

  chain_status status_;
  std::chrono::milliseconds unavailable_after_{0};
  steady_time last_good_{};
  std::string last_why_;
  bool by_tag_ = false;              // rights rest on a block that nodes tag
  bool told_of_tags_ = false;        // that no node tags any
  std::int64_t undone_in_a_row_ = 0; // blocks, since the last one that was applied
};

/// Tells each of these profiles that its row has changed; whoever holds a credential of theirs asks them before it is
/// accepted again. Returns what the people actor is to be told; blocks up to `settled` have been settled.
inline people::invalidate invalidate_profiles(const context& with, const std::set<profile_id>& whom,
                                              block_number settled = 0) {
  for (const auto each : whom) {
    send(with.others->profiles.to(), mark_stale<profile_id>{each});
    with.credentials->doubt(each);
  }
  return {{whom.begin(), whom.end()}, static_cast<std::int64_t>(settled)};
}

/// Has those who remember the people and projects of a step look again, then calls `done`, whatever they answer.
template <class Done>
void invalidate_caches(actor& self, const std::shared_ptr<const context>& with, const step_effects& effects,
                       Done done) {
  auto tell_board = [&self, with, projects = std::vector<project_id>(effects.projects.begin(), effects.projects.end()),
                     settled = effects.settled, done] {
    if (projects.empty() && !settled)
      return done();
    self.request(with->others->listings.to(), telling_timeout, listing::invalidate{projects, number_of(settled)})
      .then([done](const listing::looked_again&) { done(); }, [done](failure) { done(); });
  };
  if (effects.profiles.empty() && !effects.settled)
    return tell_board();
  self
    .request(with->others->people.to(), telling_timeout, invalidate_profiles(*with, effects.profiles, effects.settled))
    .then([tell_board](const people::looked_again&) { tell_board(); }, [tell_board](failure) { tell_board(); });
}

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
