#pragma once

#include "actors/chain/chain_reader_actor.hpp"
#include "actors/chain/follow_memory.hpp"
#include "actors/chain/follow_pace.hpp"
#include "actors/context.hpp"
#include "actors/kernel/ask.hpp"
#include "actors/kernel/turns.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
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

} // namespace credence::chain
