#include "actors/chain/chain_reader_actor.hpp"

#include "actors/chain/endpoints.hpp"
#include "ops/chain_metrics.hpp"
#include "ops/log.hpp"

#include <algorithm>
#include <utility>

namespace credence::chain {

namespace {

using namespace std::chrono_literals;

/// Two nodes may differ on a block for so long before the one with the longer chain counts.
constexpr auto disagreement_max = 10s;

class chain_reader : public actor {
public:
  static inline const char* name = "chain reader";
  using takes = chain_reader_handle::takes;

  void start(const follow_settings& how, const node_list& nodes) {
    how_ = how;
    for (const auto& [where, kind] : how.contracts)
      ours_.push_back(where);
    nodes_.emplace(nodes, how.range_max);
    last_news_ = steady_clock::now();
  }

  step_taken take(const take_step& command) {
    step_taken out;
    for (auto which = nodes_->next(steady_clock::now()); which; which = nodes_->next(steady_clock::now(), *which + 1)) {
      const auto reached = ask_node(*which, out.why, [&](endpoints::endpoint& one) {
        out.done = command.at ? step_of(one, *which, command) : first_step(*one.node, how_);
        ops::the_chain_metrics().range_blocks.set(static_cast<std::int64_t>(one.width.next()));
      });
      out.reached = out.reached || reached;
      if (reached && !out.done.behind && !(nothing_new(out.done) && quiet()))
        break;
    }
    if (!nothing_new(out.done))
      last_news_ = steady_clock::now();
    if (const auto* back = std::get_if<blocks_undone>(&out.done.change); back && !agreed(*back))
      out.done.change = std::monostate{};
    out.wrong = static_cast<std::int32_t>(nodes_->wrong());
    ops::the_chain_metrics().endpoints_wrong.set(out.wrong);
    out.without_past = static_cast<std::int32_t>(nodes_->without_past());
    ops::the_chain_metrics().endpoints_without_past.set(out.without_past);
    const auto pause = nodes_->pause(steady_clock::now());
    out.nobody_left = !pause;
    out.pause = pause.value_or(0ms);
    return out;
  }

  transaction_looked_up look_up(const look_up_transaction& query) {
    transaction_looked_up out;
    for (auto which = nodes_->next(steady_clock::now()); which && steady_clock::now() < query.until;
         which = nodes_->next(steady_clock::now(), *which + 1)) {
      const auto reached =
        ask_node(*which, out.why, [&](endpoints::endpoint& one) { out.transaction = one.node->transaction(query.tx); });
      out.reached = out.reached || reached;
      if (reached && out.transaction.known)
        break;
    }
    return out;
  }

  calls_run run(const run_calls& question) {
    calls_run out;
    std::string why;
    for (auto which = nodes_->next(steady_clock::now()); which && out.answers.empty();
         which = nodes_->next(steady_clock::now(), *which + 1))
      ask_node(*which, why, [&](endpoints::endpoint& one) {
        auto found = one.node->run_calls(question.tip.number, question.at_tip, question.calls);
        if (found.block && found.block->hash == question.tip.hash)
          out.answers = std::move(found.answers);
      });
    return out;
  }

  logs_compared compare(const compare_logs& question) {
    logs_compared out;
    std::vector<told_logs> told;
    std::string why;
    for (auto which = nodes_->next(steady_clock::now()); which; which = nodes_->next(steady_clock::now(), *which + 1))
      if (!question.only || *question.only == *which)
        ask_node(*which, why, [&](endpoints::endpoint& one) {
          if (auto logs = all_logs_in(*one.node, question.blocks, ours_, question.until))
            told.push_back({*which, std::move(*logs)});
        });
    out.answered = told.size();
    for (const auto& each : told)
      out.different += same_events(each.logs, question.known) ? 0 : 1;
    for (const auto& each : told) // whatever one of them makes up, the others are heard, too
      if (const auto log = first_unknown(each.logs, question.known); log && steady_clock::now() < question.until) {
        auto by = who_withheld(*log, told);
        if (by.empty() || (out.withheld && place_of(*log) >= *out.withheld))
          continue;
        out.withheld = place_of(*log);
        out.withheld_by = std::move(by);
      }
    return out;
  }

  void on(const ask<take_step>& question) { question.answer(take(*question)); }
  void on(const ask<look_up_transaction>& question) { question.answer(look_up(*question)); }
  void on(const ask<run_calls>& question) { question.answer(run(*question)); }
  void on(const ask<compare_logs>& question) { question.answer(compare(*question)); }
  void on(const distrust& those) {
    for (const auto each : those.which)
      nodes_->found_wrong(each);
  }

private:
  struct told_logs {
    std::size_t node = 0;
    std::vector<chain_log> logs;
    bool tell(const chain_log& log) const {
      return std::any_of(logs.begin(), logs.end(), [&](const chain_log& each) { return same_log(each, log); });
    }
  };

  /// Nodes that do not tell the log although it is there: their own receipts say so, or two others do. One that makes a
  /// log up accuses nobody.
  std::vector<std::size_t> who_withheld(const chain_log& log, const std::vector<told_logs>& told) {
    const auto tellers = std::count_if(told.begin(), told.end(), [&](const told_logs& each) { return each.tell(log); });
    std::vector<std::size_t> out;
    std::string why;
    for (const auto& each : told)
      if (!each.tell(log)) {
        bool there = tellers >= 2;
        if (!there)
          ask_node(each.node, why, [&](endpoints::endpoint& one) { there = receipts_have(*one.node, log, ours_); });
        if (there)
          out.push_back(each.node);
      }
    return out;
  }

  /// Before a node is asked for ranges of the past it shows that it has them.
  step step_of(endpoints::endpoint& one, std::size_t which, const take_step& command) {
    auto wish = command.wish;
    wish.recent_only = !one.past.value_or(false);
    auto out = next_step(*one.node, one.width, one.left, how_, *command.at, wish, command.now);
    if (!out.backfill || one.past)
      return out;
    const auto sound = canary_of(*one.node, how_);
    if (sound == canary::absent)
      return out;
    one.past = sound == canary::answers;
    if (*one.past)
      return next_step(*one.node, one.width, one.left, how_, *command.at, command.wish, command.now);
    ops::log(
      ops::level::error, "chain_endpoint_without_past",
      {{"endpoint", static_cast<std::int64_t>(which) + 1}, {"block", static_cast<std::int64_t>(how_.start_block)}});
    return out;
  }

  /// False when it brought no answer, and why.
  template <class Question>
  bool ask_node(std::size_t which, std::string& why, Question question) {
    auto& one = nodes_->at(which);
    try {
      if (!std::exchange(one.checked, true))
        if (const auto number = one.node->chain_id(); number != static_cast<std::uint64_t>(how_.chain))
          throw node_lied("the node is of chain " + std::to_string(number) + ", and " + std::to_string(how_.chain)
                          + " is followed");
      question(one);
      nodes_->succeeded(which);
      ops::the_chain_metrics().answers[0].add();
      return true;
    } catch (const node_lied& error) {
      nodes_->found_wrong(which);
      ops::the_chain_metrics().answers[2].add();
      why = tell("chain_endpoint_wrong", which, error);
    } catch (const node_busy& error) {
      nodes_->told_to_pause(which, error.length, steady_clock::now());
      ops::the_chain_metrics().answers[1].add();
      why = tell("chain_endpoint_busy", which, error);
    } catch (const std::exception& error) { // a step without an outcome would stop the follower
      one.checked = false;                  // another node may stand behind the same URL
      nodes_->failed(which, steady_clock::now());
      ops::the_chain_metrics().answers[1].add();
      why = tell("chain_endpoint_failed", which, error);
    }
    return false;
  }

  static std::string tell(const char* text, std::size_t which, const std::exception& error) {
    ops::log(ops::level::warn, text, {{"endpoint", static_cast<std::int64_t>(which) + 1}, {"error", error.what()}});
    return error.what();
  }

  static bool nothing_new(const step& step) { return std::holds_alternative<std::monostate>(step.change); }
  /// No block came for so long that the node may be stuck: then the others are asked, too.
  bool quiet() const { return steady_clock::now() - last_news_ >= how_.unavailable_after; }

  /// A second node, if there is one that answers, must have another block behind the ancestor, too.
  bool agreed(const blocks_undone& back) {
    const block_number after = back.tip.number + 1;
    std::vector<std::vector<block_header>> seen;
    std::string why;
    for (auto which = nodes_->next(steady_clock::now()); which && seen.size() < 2;
         which = nodes_->next(steady_clock::now(), *which + 1))
      ask_node(*which, why, [&](endpoints::endpoint& one) { seen.push_back(one.node->headers(std::span{&after, 1})); });
    if (seen.size() < 2 || (!seen[0].empty() && !seen[1].empty() && seen[0].front().hash == seen[1].front().hash)) {
      disagree_since_.reset();
      return true;
    }
    const auto now = steady_clock::now();
    if (!disagree_since_)
      disagree_since_ = now;
    return now - *disagree_since_ >= disagreement_max;
  }

  follow_settings how_;
  std::vector<address> ours_;
  std::optional<endpoints> nodes_;
  steady_time last_news_{};
  std::optional<steady_time> disagree_since_;
};

} // namespace

chain_reader_handle spawn_chain_reader(actor& parent, follow_settings how, node_list nodes) {
  return chain_reader_handle{
    linked(parent, spawn_on_own_thread<chain_reader>(parent.system(), std::move(how), std::move(nodes)))};
}

} // namespace credence::chain
