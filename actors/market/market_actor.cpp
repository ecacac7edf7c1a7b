#include "actors/market/market_actor.hpp"

#include "actors/directory.hpp"
#include "actors/funds/funds_actor.hpp"
#include "actors/kernel/entity_router.hpp"
#include "actors/market/market_board_actor.hpp"
#include "actors/market/market_lists.hpp"
#include "actors/market/market_state.hpp"
#include "config/limits.hpp"

#include <optional>
#include <unordered_map>
#include <vector>

namespace credence::market {

namespace {

using namespace std::chrono_literals;

struct markets {
  static constexpr auto kind = ops::actor_kind::market;
  using storage = market::storage;
  using id = market_id;
  static auto whose(const auto& question) -> decltype(question.market) { return question.market; }
  using handle = market_handle;
  using questions = market_handle;
  using to_one = types<>;
  using to_router = types<>;
};

/// Names and scores of owners change elsewhere; a market shows them at most this late.
constexpr auto face_believed_for = 5s;
/// Addresses of holders, of which there may be many; so many are kept at most.
constexpr auto accounts_believed_for = 60s;
constexpr std::size_t accounts_kept_max = 2 * limits::holders_max;

/// The actor of one market, or of the place where a profile has none yet. Its rules are in
/// market_state; this passes messages between them, the store, funds actors and those who ask.
class market_actor : public writing_entity_actor<market_actor, markets, context> {
public:
  static inline const char* name = "market";
  using writing_entity_actor::on;

  void load() {
    storage_.read(*this, load_market{id_, a_day_ago()})
      .await(
        [this](stored_market& stored) {
          whose_ = std::move(stored.whose);
          accounts_read_at_ = face_read_at_ = steady_clock::now();
          if (stored.book)
            rules_.emplace(id_, *std::move(stored.book), stored.positions, std::move(stored.window));
        },
        [this](failure) { start_afresh(); });
  }

  void on(const ask<get_market>& question) {
    read(question, [&] {
      if (!rules_)
        return question.answer(not_there());
      look_at_face();
      if (rules_->look_back(with_->now()))
        return question.answer(rules_->view(whose_));
      viewers_.push_back(question);
      if (viewers_.size() == 1) // the others wait for the same
        load_for(
          of_nobody, load_window{id_, a_day_ago()},
          [this](stored_window& stored) {
            rules_->look_back(std::move(stored), with_->now());
            for (const auto& each : std::exchange(viewers_, {}))
              each.answer(rules_->view(whose_));
          },
          [this] {
            for (const auto& each : std::exchange(viewers_, {}))
              each.fail(failure::unavailable);
          });
    });
  }

  void on(const ask<get_quote>& question) {
    read(question, [&] {
      question.answer(rules_ ? rules_->decide(*question, with_->trading.rates) : outcome<quote>{not_there()});
    });
  }

  void on(const ask<get_holders>& question) {
    read(question, [&] {
      if (!rules_)
        return question.answer(not_there());
      if (rules_->holders().complete())
        return show_holders(question);
      onlookers_.push_back(question);
      if (onlookers_.size() == 1) // the others wait for the same
        read_positions();
    });
  }

  void on(const ask<set_market_frozen>& question) {
    change_with(question, [&] {
      if (!rules_)
        return question.answer(not_there());
      const market_freeze answer{question->frozen};
      const auto change = rules_->decide(*question, with_->now());
      if (!change)
        return answer_after_those_before(question, answer, [this, question] { ask_again(question); });
      rules_->apply(*change);
      write(
        question, *change,
        [this, question, answer, change = *change](const write_outcome&) {
          rules_->commit(change);
          question.answer(answer);
        },
        {}, [this, question] { ask_again(question); });
    });
  }

  void on(const funded_trade& trade) {
    const auto& question = trade.question;
    change_with(question, [&] {
      if (!rules_)
        return question.answer(not_there());
      if (rules_->knows(question->trader))
        return decide_trade(trade);
      load_for(question, load_position{id_, question->trader}, [this, trade](const position& found) {
        rules_->learn(found);
        read(trade.question, [&] { decide_trade(trade); });
      });
    });
  }

  void decide_trade(const funded_trade& trade) {
    const auto& question = trade.question;
    auto decision = rules_->decide(*question, trade.money->amount(), with_->trading.rates, with_->now());
    if (!decision)
      return refuse(question, decision.why(), [this, trade] { ask_again(trade); });
    if (question->dry_run) {
      auto receipt = receipt_of(*decision, 0);
      receipt.done.order = question->order;
      receipt.held = rules_->held(question->trader, decision->side)
                     + (decision->way == direction::buy ? decision->votes : -decision->votes);
      return question.answer(std::move(receipt));
    }
    if (!trade.money->take())
      return question.fail(failure::unavailable); // the funds actor was lost, and another one spends the same
    rules_->apply(*decision);
    write(
      question, *decision,
      [this, trade, change = *decision](const write_outcome& fate) { on_traded(trade, change, fate); },
      [money = trade.money] { money->become(funds::hold::fate::unused); }, [this, trade] { ask_again(trade); });
  }

  void on(const funded_opening& opening) {
    const auto& question = opening.question;
    change_with(question, [&] {
      if (rules_)
        return question.answer(
          refusal{refusal_code::market_exists, "profile " + std::to_string(id_.value) + " has a market"});
      const auto& terms = with_->trading.tiers[static_cast<std::size_t>(question->kind)];
      if (opening.money->amount() < terms.creation_cost)
        return question.answer(
          refusal{refusal_code::insufficient_funds, "the market costs " + decimal(terms.creation_cost) + " wei, and "
                                                      + decimal(opening.money->amount()) + " wei are available"});
      if (question->dry_run)
        return question.answer(market_view{});
      if (opening_ || !opening.money->take())
        return question.fail(
          failure::unavailable); // another request of the same owner is about to, or the funds actor was lost
      opening_ = true;
      const market_opened change{owner_of(id_), question->kind, terms.how, terms.creation_cost, with_->now()};
      write(
        question, change, [this, opening, change](const write_outcome& fate) { on_opened(opening, change, fate); },
        [this, money = opening.money] {
          opening_ = false;
          money->become(funds::hold::fate::unused);
        },
        [this, opening] { ask_again(opening); });
    });
  }

  void take_back() {
    if (rules_)
      rules_->take_back();
  }

  std::vector<figure> in_memory() const { return rules_ ? rules_->in_memory() : std::vector<figure>{}; }

  bool at_rest() const noexcept { return true; }

private:
  /// Of the router, which passes it on to this market's next actor.
  template <class Funded>
  void ask_again(const Funded& change) {
    post(with_->others->markets.to(), change);
  }
  static refusal not_there() { return {refusal_code::not_found, "Market not found"}; }
  timestamp a_day_ago() const { return with_->now() - day_window::length; }

  void on_traded(const funded_trade& trade, const traded& change, const write_outcome& fate) {
    rules_->commit(change);
    auto receipt = receipt_of(change, fate.number);
    receipt.done.order = trade.question->order;
    receipt.held = rules_->held(change.trader, change.side);
    const bool own = change.trader == owner_of(id_);
    if (change.donation > 0 && !own)
      post(with_->others->funds.to(), funds::donation_landed{owner_of(id_), change.donation, fate.as_of});
    send(with_->others->market_lists.to(), trade_happened{change, fate.number});
    trade.money->become(funds::hold::fate::settled);
    post(with_->others->funds.to(), funds::trade_landed{trade.question, std::move(receipt), trade.money,
                                                        own ? change.donation : wei{0}, fate.as_of});
  }

  void on_opened(const funded_opening& opening, const market_opened& change, const write_outcome& fate) {
    opening_ = false;
    rules_.emplace(id_, fresh_book(change), std::vector<position>{},
                   stored_window{{change.at, 0, lmsr_point::at(change.how, {}).value().trust_price(), 0}, {}, true, 0});
    opening.money->become(funds::hold::fate::settled);
    post(with_->others->funds.to(),
         funds::opening_landed{opening.question, rules_->view(whose_), opening.money, fate.as_of});
  }

  /// Goes on where it was when it failed before; nobody waits for what nobody reads.
  void read_positions() {
    load_for(
      of_nobody, load_positions{id_, rules_->holders().after(), positions_at_once},
      [this](const stored_positions& found) {
        auto& holders = rules_->holders();
        holders.add(found, found.positions.size() < static_cast<std::size_t>(positions_at_once));
        if (!holders.complete())
          return read_positions();
        for (const auto& each : std::exchange(onlookers_, {}))
          show_holders(each);
      },
      [this] {
        for (const auto& each : std::exchange(onlookers_, {}))
          each.fail(failure::unavailable);
      });
  }

  void show_holders(const ask<get_holders>& question) {
    const auto now = steady_clock::now();
    if (now - accounts_read_at_ >= accounts_believed_for || accounts_.size() > accounts_kept_max) {
      accounts_read_at_ = now;
      accounts_.clear();
    }
    auto shown = rules_->holders().page_of(question->slice, question->side);
    load_accounts load;
    for (const auto& each : shown.values)
      if (!accounts_.contains(each.who))
        load.whose.push_back(each.who);
    if (load.whose.empty())
      return answer_holders(question, std::move(shown));
    auto whose = load.whose;
    load_for(
      question, std::move(load),
      [this, question, shown = std::move(shown), whose = std::move(whose)](const stored_accounts& found) mutable {
        for (std::size_t i = 0; i < whose.size() && i < found.accounts.size(); ++i)
          accounts_[whose[i]] = found.accounts[i];
        answer_holders(question, std::move(shown));
      });
  }
  void answer_holders(const ask<get_holders>& question, holder_page shown) {
    for (auto& each : shown.values)
      if (const auto found = accounts_.find(each.who); found != accounts_.end())
        each.account = found->second;
    question.answer(std::move(shown));
  }

  void look_at_face() {
    const auto now = steady_clock::now();
    if (now - face_read_at_ < face_believed_for)
      return;
    face_read_at_ = now;
    storage_.read(*this, with_->load_timeout, load_face{owner_of(id_)})
      .then([this](face& found) { whose_ = std::move(found); }, [](failure) {});
  }

  std::optional<market_state> rules_; // nothing: there is no market
  face whose_;
  steady_time face_read_at_{};
  steady_time accounts_read_at_{};
  std::unordered_map<profile_id, std::optional<address>> accounts_; // of holders; other programs may change them
  std::vector<ask<get_market>> viewers_;                            // who wait for what was a day ago
  std::vector<ask<get_holders>> onlookers_;                         // who wait for all positions to be read
  bool opening_ = false;
};

class market_router : public entity_router<market_router, markets, context> {
public:
  static inline const char* name = "markets";
  using entity_router::on;

  static family_bounds bounds(const settings::actors& limits) {
    return {limits.live_markets_max, limits.waiting_per_market_max, failure::overloaded};
  }
  auto spawn(birth<markets, context> born) { return spawn_entity<market_actor>(system(), std::move(born)); }

  // Bounded where they came from: by the trader's funds actor, and among all questions.
  void on(const funded_trade& trade) { kids().tell(trade.question->order.market, trade); }
  void on(const funded_opening& opening) { kids().tell(market_of(opening.question->owner), opening); }

  void after_loss(market_id lost, const std::vector<profile_id>&) {
    send(with_->others->market_lists.to(), trades_in_doubt{lost});
    send(with_->others->funds.to(), mark_stale<profile_id>{owner_of(lost)}); // it may lack donations
  }
};

} // namespace

market_handle spawn_markets(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage) {
  return spawn_router<market_router>(sys, std::move(with), std::move(storage));
}

} // namespace credence::market
