#include "actors/market/market_actor.hpp"

#include "actors/kernel/single_actor.hpp"
#include "actors/market/market_lists.hpp"
#include "actors/market/market_state.hpp"

#include <utility>
#include <vector>

namespace credence::market {

namespace {

refusal not_there() { return {refusal_code::not_found, "Market not found"}; }
refusal followed() {
  return {refusal_code::followed_from_chain,
          "markets are made of a chain's events here: send a transaction to their contract"};
}

/// Fees are those of the settings, as no event tells those of the contract.
outcome<quote> quote_of(const market_view& market, const get_quote& query, const fees& rates) {
  if (market.graduated)
    return refusal{refusal_code::market_limit_reached, "the market has graduated, and takes no trades"};
  if (!lmsr_point::at(market.how, market.votes))
    return refusal{refusal_code::market_limit_reached, "the votes of this market are beyond what can be priced"};
  stored_book book;
  book.how = market.how;
  book.votes = market.votes;
  book.trades = market.sequence;
  return market_state{market.id, std::move(book), {}, {}}.decide(query, rates);
}

/// Holds nothing: what a block changes is there for the next who asks.
class mirrored_markets
  : public single_actor<mirrored_markets, ops::actor_kind::market, market_handle, context, storage> {
public:
  static inline const char* name = "mirrored markets";

  void on(const ask<get_market>& question) {
    read(question, [&] {
      look_at(question, question->market, [question](market_view& found) { question.answer(std::move(found)); });
    });
  }

  void on(const ask<get_quote>& question) {
    read(question, [&] {
      look_at(question, question->order.market, [question, rates = with_->trading.rates](const market_view& found) {
        question.answer(quote_of(found, *question, rates));
      });
    });
  }

  void on(const ask<get_holders>& question) {
    read(question, [&] {
      load_for(question, load_mirrored_holders{question->market, question->slice, question->side},
               [question](holder_page& found) {
                 if (found.total < 0)
                   return question.answer(not_there());
                 question.answer(std::move(found));
               });
    });
  }

  void on(const ask<set_market_frozen>& question) { refuse_to(question); }

  // The money that was set aside goes back with the question.
  void on(const funded_trade& trade) { refuse_to(trade.question); }
  void on(const funded_opening& opening) { refuse_to(opening.question); }

private:
  template <class Q>
  void refuse_to(const ask<Q>& question) {
    read(question, [&] { question.answer(followed()); });
  }

  template <class Q, class Then>
  void look_at(const ask<Q>& question, market_id market, Then then) {
    load_for(question, get_markets{{market}, with_->now(), true},
             [question, then = std::move(then)](std::vector<market_view>& found) mutable {
               if (found.empty())
                 return question.answer(not_there());
               then(found.front());
             });
  }
};

} // namespace

market_handle spawn_mirrored_markets(caf::actor_system& sys, std::shared_ptr<const context> with,
                                     port<storage> storage) {
  return spawn_single<mirrored_markets>(sys, std::move(with), std::move(storage));
}

} // namespace credence::market
