#include "actors/chain/folding.hpp"

#include <algorithm>
#include <limits>

/// Markets, those in ether and those in WHUF.
namespace credence::chain {

/// A trade as the events of both contracts tell it.
struct market_trade_told {
  bool buys = false, trusts = false;
  address who;
  uint256 votes, funds;
  unix_time at;
};
/// What a market came to, as both tell it; nothing is told of the backing of a market in ether.
struct market_price_told {
  uint256 trust, distrust;
  uint256 trust_price, distrust_price;
  std::optional<uint256> backing;
};

namespace {

constexpr char between_configs = ',', between_figures = '/';
constexpr std::string_view config_unknown = "?";

/// Also of a sum that has more digits than there are.
bool within(const uint256& a, const uint256& b, const uint256& most) { return a <= most && b <= most - a; }

const uint256& votes_bound(contract_kind contract) {
  static const uint256 of_ether = market_votes_max, of_tokens = std::numeric_limits<uint256>::max();
  return contract == contract_kind::reputation_market ? of_ether : of_tokens;
}
const uint256& price_bound(contract_kind contract) {
  static const uint256 of_tokens = std::numeric_limits<uint256>::max();
  return contract == contract_kind::reputation_market ? market_price_max : of_tokens;
}

event_fate beyond_votes() { return failed_refused("votes_at_most_2^53"); }
event_fate beyond_price() { return failed_refused("price_at_most_2^128"); }
event_fate beyond_volume() { return failed_refused("volume_at_most_2^254"); }

std::string_view take_until(std::string_view& text, char end) {
  const auto at = std::min(text.find(end), text.size());
  const auto out = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return out;
}

} // namespace

// -- kinds of markets ----------------------------------------------------------------------------

std::string text_of(const market_configs& configs) {
  std::string out;
  for (const auto& each : configs) {
    if (!out.empty())
      out += between_configs;
    out += each ? decimal(each->liquidity) + between_figures + decimal(each->base_price) + between_figures
                    + decimal(each->creation_cost)
                : std::string{config_unknown};
  }
  return out;
}

market_configs market_configs_in(std::string_view text) {
  market_configs out;
  while (!text.empty()) {
    auto entry = take_until(text, between_configs);
    const auto liquidity = parse_wei(take_until(entry, between_figures));
    const auto base_price = parse_wei(take_until(entry, between_figures));
    const auto cost = parse_wei(entry);
    out.push_back(liquidity && base_price && cost ? std::optional{market_config{*liquidity, *base_price, *cost}}
                                                  : std::nullopt);
  }
  return out;
}

namespace {

market_configs configs_of(const chain_rows& rows) {
  const auto* told = rows.parameters.find({contract_kind::reputation_market, std::string{market_configs_parameter}});
  return told ? market_configs_in(*told) : market_configs{};
}

event_fate beyond_configs() { return failed_refused("market_configs_at_most_100"); }

} // namespace

void folding::set_configs(const market_configs& configs) {
  set_parameter(std::string{market_configs_parameter}, text_of(configs));
}

/// The new config is the last. Those before it that no event told of may be older than the first followed block.
void folding::on(const reputation_market_events::market_config_added& told) {
  if (told.config_index >= market_configs_max)
    fail(beyond_configs());
  auto configs = configs_of(rows_);
  configs.resize(static_cast<std::size_t>(told.config_index));
  configs.push_back(told.config);
  set_configs(configs);
}

/// The last one moves into the gap.
void folding::on(const reputation_market_events::market_config_removed& told) {
  if (told.config_index >= market_configs_max)
    fail(beyond_configs());
  auto configs = configs_of(rows_);
  const auto index = static_cast<std::size_t>(told.config_index);
  if (index >= configs.size()) { // nobody told how many there are
    configs.resize(index + 1);
    return set_configs(configs);
  }
  configs[index] = configs.back();
  configs.pop_back();
  set_configs(configs);
}

// -- what both contracts have in common ----------------------------------------------------------

void folding::open_market(const market_key& key, market_row row) {
  expect_none(rows_.markets, key);
  row.created_at = row.updated_at = where_.at;
  rows_.markets.put(key, std::move(row));
}

template <class Change>
void folding::change_market(const market_key& key, Change change) {
  auto row = existing(rows_.markets, key, "market");
  change(row);
  rows_.markets.put(key, std::move(row));
}

void folding::trade(const market_key& key, const market_trade_told& told) {
  change_market(key, [&](market_row& market) {
    if (market.status == market_status::graduated)
      fail(failed_refused("market_graduated"));
    const market_position_key held_by{key, told.who};
    auto position = row_in(rows_.market_positions, held_by);
    auto& held = told.trusts ? position.trust : position.distrust;
    auto& side = told.trusts ? market.trust : market.distrust;
    if (told.buys) {
      if (!within(held, told.votes, votes_bound(key.contract)) || !within(side, told.votes, votes_bound(key.contract)))
        fail(beyond_votes());
      held += told.votes;
      side += told.votes;
    } else {
      if (held < told.votes)
        fail(failed_missing("position"));
      held -= told.votes;
      side -= std::min(side, told.votes); // its prices may have told of fewer
    }
    const market_account_key of{key.contract, told.who};
    auto account = row_in(rows_.market_accounts, of);
    if (!within(market.bought + market.sold, told.funds, market_volume_max)
        || !within(account.bought + account.sold, told.funds, market_volume_max))
      fail(beyond_volume());
    (told.buys ? market.bought : market.sold) += told.funds;
    (told.buys ? account.bought : account.sold) += told.funds;
    ++market.trades;
    ++account.trades;
    if (told.trusts) {
      ++market.trust_trades;
      ++account.trust_trades;
    }
    market.updated_at = where_.at;
    rows_.market_trades.put(
      where_.id, {.market = key,
                  .account = told.who,
                  .buys = told.buys,
                  .trusts = told.trusts,
                  .votes = told.votes,
                  .funds = told.funds,
                  .number = market.trades,
                  .side_number = told.trusts ? market.trust_trades : market.trades - market.trust_trades,
                  .account_number = account.trades,
                  .account_side_number = told.trusts ? account.trust_trades : account.trades - account.trust_trades,
                  .volume_after = market.bought + market.sold,
                  .bought_after = market.bought,
                  .at = told.at});
    rows_.market_positions.put(held_by, std::move(position));
    rows_.market_accounts.put(of, std::move(account));
  });
}

void folding::set_prices(const market_key& key, const market_price_told& told) {
  change_market(key, [&](market_row& market) {
    if (market.status == market_status::graduated)
      fail(failed_refused("market_graduated"));
    if (std::max(told.trust, told.distrust) > votes_bound(key.contract))
      fail(beyond_votes());
    if (std::max(told.trust_price, told.distrust_price) > price_bound(key.contract))
      fail(beyond_price());
    // What a market in WHUF begins with is told by its first prices.
    const bool known = key.contract == contract_kind::reputation_market || market.prices > 0;
    if (known && (market.trust != told.trust || market.distrust != told.distrust))
      count_mismatch();
    market.trust = told.trust;
    market.distrust = told.distrust;
    market.trust_price = told.trust_price;
    market.distrust_price = told.distrust_price;
    if (told.backing)
      market.backing = *told.backing;
    market.updated_at = where_.at;
    ++market.prices;
    rows_.market_prices.put(
      where_.id, {key, market.prices, told.trust, told.distrust, told.trust_price, told.distrust_price, where_.at});
  });
}

// -- markets in ether ----------------------------------------------------------------------------

void folding::on(const reputation_market_events::market_created& made) {
  if (made.config.liquidity > market_votes_max)
    fail(beyond_votes());
  if (made.config.base_price > market_price_max)
    fail(beyond_price());
  market_row row;
  row.creator = row.recipient = made.creator;
  row.config = made.config;
  row.trust = row.distrust = 1;
  row.trust_price = made.config.base_price / 2;
  row.distrust_price = made.config.base_price - row.trust_price;
  open_market(market_of(made), std::move(row));
}

void folding::on(const reputation_market_events::votes_bought& bought) {
  trade(market_of(bought), {true, bought.is_positive, bought.buyer, bought.amount, bought.funds, bought.bought_at});
}

void folding::on(const reputation_market_events::votes_sold& sold) {
  trade(market_of(sold), {false, sold.is_positive, sold.seller, sold.amount, sold.funds, sold.sold_at});
}

void folding::on(const reputation_market_events::market_updated& told) {
  set_prices(market_of(told),
             {told.vote_trust, told.vote_distrust, told.trust_price, told.distrust_price, std::nullopt});
}

void folding::on(const reputation_market_events::donation_withdrawn& paid) {
  const market_account_key of{contract_kind::reputation_market, paid.recipient};
  auto account = row_in(rows_.market_accounts, of);
  if (!within(account.donations, paid.amount, market_volume_max))
    fail(beyond_volume());
  account.donations += paid.amount;
  rows_.market_accounts.put(of, std::move(account));
}

void folding::on(const reputation_market_events::donation_recipient_updated& change) {
  change_market(market_of(change), [&](market_row& market) { market.recipient = change.new_recipient; });
}

void folding::on(const reputation_market_events::market_graduated& ended) {
  change_market(market_of(ended), [&](market_row& market) {
    market.status = market_status::graduated;
    market.updated_at = where_.at;
  });
}

void folding::on(const reputation_market_events::market_funds_withdrawn& taken) {
  change_market(market_of(taken), [&](market_row& market) {
    if (!within(market.withdrawn, taken.amount, market_volume_max))
      fail(beyond_volume());
    market.withdrawn += taken.amount;
  });
}

// -- markets in WHUF -----------------------------------------------------------------------------

void folding::on(const market_events::market_created& made) {
  market_row row;
  row.creator = row.recipient = made.creator;
  row.in_tokens =
    token_market_terms{made.userkey, made.userkey_hash, made.pricing_contract, made.trust_token, made.distrust_token};
  open_market(market_of(made), std::move(row));
}

void folding::on(const market_events::position_opened& opened) {
  trade(market_of(opened),
        {true, opened.is_positive, opened.buyer, opened.tokens_minted, opened.payment_amount, where_.at});
}

void folding::on(const market_events::position_closed& closed) {
  trade(market_of(closed),
        {false, closed.is_positive, closed.seller, closed.position_token_amount, closed.net_credits_out, where_.at});
}

void folding::on(const market_events::market_updated& told) {
  set_prices(market_of(told),
             {told.trust_supply, told.distrust_supply, told.trust_price, told.distrust_price, told.pool_backing});
}

void folding::on(const market_events::market_pause_state_updated& change) {
  change_market(market_of(change),
                [&](market_row& market) { market.status = static_cast<market_status>(change.new_state); });
}
void folding::on(const market_events::market_update_failed&) {}

} // namespace credence::chain
