#include "tests/system/market_story.hpp"

/// What each event of the contracts of markets does, by a table.
namespace credence::test {
namespace {

using namespace chain;
namespace ether = reputation_market_events;
namespace tokens = market_events;

/// Where an effect is looked up: a read of the API, or, without a path, a query of one value.
struct place {
  std::string path, pointer;
};
struct effect {
  std::vector<event> needs;
  event happens;
  place at;
  std::string before, after;
};

/// What a row of the table is about is of that row alone.
struct cast {
  int row;
  address self() const { return person(row); }
  event opened() const { return test::opened(row, self()); }
  event bought() const { return test::bought(row, self(), true, 10, 100); }
  event opened_in_tokens() const {
    return tokens::market_created{{row}, {}, self(), self(), self(), self(), "profileId:1"};
  }
  event position() const { return tokens::position_opened{{row}, self(), true, 20, 30}; }
  place market(const std::string& pointer) const { return {"/api/v1/markets/" + our_id(row), pointer}; }
  place trades() const { return {"/api/v1/markets/" + our_id(row) + "/tx/history", "/data/total"}; }
  place stored(const std::string& figure, const std::string& contract) const {
    return {"", "SELECT coalesce((SELECT " + figure + " FROM chain_markets WHERE contract = '" + contract
                  + "' AND id = " + our_id(row) + "), -1)::int8"};
  }
  place of_tokens(const std::string& figure) const { return stored(figure, "market"); }
};

place configs(const std::string& config) {
  return {"", "SELECT count(*) FROM chain_params WHERE name = 'marketConfigs' AND value LIKE '%" + config + "%'"};
}

effect of(const ether::market_created*, const cast& who) {
  return {{}, who.opened(), who.market("/data/liquidity"), "404", "\"1500\""};
}
effect of(const ether::market_config_added*, const cast&) {
  return {{}, ether::market_config_added{1, {11, 22, 33}}, configs("11/22/33"), "0", "1"};
}
effect of(const ether::market_config_removed*, const cast&) {
  const market_config gone{44, 1, 1};
  return {{ether::market_config_added{0, gone}}, ether::market_config_removed{0, gone}, configs("44/1/1"), "1", "0"};
}
effect of(const ether::votes_bought*, const cast& who) {
  return {{who.opened()}, who.bought(), who.trades(), "0", "1"};
}
effect of(const ether::votes_sold*, const cast& who) {
  return {{who.opened(), who.bought()},
          sold(who.row, who.self(), true, 4, 30),
          {"/api/v1/markets/volume/" + text_of(who.self()), "/data/totalVolumeWei"},
          "\"100\"",
          "\"130\""};
}
effect of(const ether::market_updated*, const cast& who) {
  return {
    {who.opened()}, priced(who.row, 1, 1, 600), who.market("/data/positivePrice"), "\"5000000000000000\"", "\"600\""};
}
effect of(const ether::donation_withdrawn*, const cast& who) {
  return {{},
          ether::donation_withdrawn{who.self(), 7},
          {"", "SELECT coalesce(sum(donations), 0)::int8 FROM chain_market_accounts WHERE account = '\\"
                 + text_of(who.self()).substr(1) + "'"},
          "0",
          "7"};
}
effect of(const ether::donation_recipient_updated*, const cast& who) {
  return {{who.opened()},
          ether::donation_recipient_updated{{who.row}, who.self(), person(who.row + 1)},
          who.stored("(recipient <> creator)::int", "reputationMarket"),
          "0",
          "1"};
}
effect of(const ether::market_graduated*, const cast& who) {
  return {{who.opened()},
          ether::market_graduated{{who.row}},
          who.stored("(standing = 'GRADUATED')::int", "reputationMarket"),
          "0",
          "1"};
}
effect of(const ether::market_funds_withdrawn*, const cast& who) {
  return {{who.opened()},
          ether::market_funds_withdrawn{{who.row}, who.self(), 9},
          who.stored("withdrawn", "reputationMarket"),
          "0",
          "9"};
}
effect of(const tokens::market_created*, const cast& who) {
  return {{}, who.opened_in_tokens(), who.of_tokens("trades"), "-1", "0"};
}
effect of(const tokens::position_opened*, const cast& who) {
  return {{who.opened_in_tokens()}, who.position(), who.of_tokens("trust"), "0", "30"};
}
effect of(const tokens::position_closed*, const cast& who) {
  return {{who.opened_in_tokens(), who.position()},
          tokens::position_closed{{who.row}, who.self(), true, 10, 6},
          who.of_tokens("sold"),
          "0",
          "6"};
}
effect of(const tokens::market_updated*, const cast& who) {
  return {
    {who.opened_in_tokens()}, tokens::market_updated{{who.row}, 30, 1, 6, 4, 20}, who.of_tokens("backing"), "0", "20"};
}
effect of(const tokens::market_update_failed*, const cast& who) {
  return {{},
          tokens::market_update_failed{{who.row}, who.self(), true, {}},
          {"", "SELECT count(*) FROM chain_events WHERE event_name = 'MarketUpdateFailed' AND status = 'applied'"},
          "0",
          "1"};
}
effect of(const tokens::market_pause_state_updated*, const cast& who) {
  return {{who.opened_in_tokens()},
          tokens::market_pause_state_updated{{who.row}, chain::market_state::paused},
          who.of_tokens("(standing = 'PAUSED')::int"),
          "0",
          "1"};
}

struct row {
  std::string event;
  effect shows;
};
/// One for each event of both contracts; an event without a row does not compile.
std::vector<row> table() {
  std::vector<row> out;
  samples::for_each_event([&]<class Event>() {
    constexpr auto contract = Event::is.contract;
    if constexpr (contract == contract_kind::reputation_market || contract == contract_kind::market)
      out.push_back({std::string{name_of(contract)} + " " + std::string{Event::is.text},
                     of(static_cast<Event*>(nullptr), cast{10 * (1 + static_cast<int>(out.size()))})});
  });
  return out;
}

class ChainMarketEffects : public followed_records {
protected:
  ChainMarketEffects()
    : followed_records({.contracts = {contract_kind::reputation_market, contract_kind::market}, .kinds = ",market"}) {}

  std::string look(const place& at) {
    return at.path.empty() ? std::to_string(number(at.pointer)) : seen(at.path, at.pointer);
  }
  void expect_all(const std::vector<row>& rows, bool happened) {
    for (const auto& each : rows) {
      const auto& wanted = happened ? each.shows.after : each.shows.before;
      EXPECT_TRUE(comes_true([&] { return look(each.shows.at) == wanted; }))
        << each.event << (happened ? " happened" : " has not happened") << "; " << each.shows.at.path << " "
        << each.shows.at.pointer << " is " << look(each.shows.at) << ", not " << wanted;
    }
  }
};

TEST_F(ChainMarketEffects, OfEveryEventAreSeenAndGoWithItsBlock) {
  const auto rows = table();
  for (const auto& each : rows)
    if (!each.shows.needs.empty())
      emit_together(each.shows.needs);
  start();
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(number("SELECT count(*) FROM chain_events WHERE status = 'failed'"), 0);
  expect_all(rows, false);
  const auto before = node.head();
  for (const auto& each : rows)
    emit(each.shows.happens);
  ASSERT_TRUE(reaches_head());
  EXPECT_EQ(number("SELECT count(*) FROM chain_events WHERE status = 'failed'"), 0);
  expect_all(rows, true);
  expect_whole();
  verify();
  reorganise(static_cast<int>(node.head() - before));
  ASSERT_TRUE(status_becomes("reorganisations", "1"));
  ASSERT_TRUE(reaches_head());
  expect_all(rows, false);
  expect_whole();
  verify();
}

} // namespace
} // namespace credence::test
