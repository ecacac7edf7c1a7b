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

event_fate folding::set_configs(const market_configs& configs) {
  return set_parameter(std::string{market_configs_parameter}, text_of(configs));
}

/// The new config is the last. Those before it that no event told of may be older than the first followed block.
event_fate folding::on(const reputation_market_events::market_config_added& told) {
  if (told.config_index >= market_configs_max)
    return beyond_configs();
  auto configs = configs_of(rows_);
  configs.resize(static_cast<std::size_t>(told.config_index));
  configs.push_back(told.config);
  return set_configs(configs);
}

/// The last one moves into the gap.
event_fate folding::on(const reputation_market_events::market_config_removed& told) {
  if (told.config_index >= market_configs_max)
    return beyond_configs();
  auto configs = configs_of(rows_);
  const auto index = static_cast<std::size_t>(told.config_index);
  if (index >= configs.size()) { // nobody told how many there are
    configs.resize(index + 1);
    return set_configs(configs);
  }
  configs[index] = configs.back();
  configs.pop_back();
  return set_configs(configs);
}

// -- what both contracts have in common ----------------------------------------------------------

std::optional<market_key> folding::market_of(contract_kind contract, std::int32_t onchain) const {
  const auto number = ours_of(onchain);
  return number ? std::optional{market_key{contract, {*number}}} : std::nullopt;
}

event_fate folding::open_market(const std::optional<market_key>& key, market_row row) {
  if (!key)
    return out_of_range();
  if (rows_.markets.find(*key))
    return failed_duplicate();
  row.created_at = row.updated_at = where_.at;
  rows_.markets.put(*key, std::move(row));
  return {};
}

template <class Change>
event_fate folding::change_market(const std::optional<market_key>& key, Change change) {
  if (!key)
    return out_of_range();
  const auto* found = rows_.markets.find(*key);
  if (!found)
    return failed_missing("market");
  auto row = *found;
  auto fate = change(row);
  if (fate.status == event_status::applied)
    rows_.markets.put(*key, std::move(row));
  return fate;
}

event_fate folding::trade(const std::optional<market_key>& key, const market_trade_told& told) {
  return change_market(key, [&](market_row& market) -> event_fate {
    if (market.status == market_status::graduated)
      return failed_refused("market_graduated");
    const market_position_key held_by{*key, told.who};
    const auto* held_before = rows_.market_positions.find(held_by);
    auto position = held_before ? *held_before : market_position_row{};
    auto& held = told.trusts ? position.trust : position.distrust;
    auto& side = told.trusts ? market.trust : market.distrust;
    if (told.buys) {
      if (!within(held, told.votes, votes_bound(key->contract))
          || !within(side, told.votes, votes_bound(key->contract)))
        return beyond_votes();
      held += told.votes;
      side += told.votes;
    } else {
      if (held < told.votes)
        return failed_missing("position");
      held -= told.votes;
      side -= std::min(side, told.votes); // its prices may have told of fewer
    }
    const market_account_key of{key->contract, told.who};
    const auto* known = rows_.market_accounts.find(of);
    auto account = known ? *known : market_account_row{};
    if (!within(market.bought + market.sold, told.funds, market_volume_max)
        || !within(account.bought + account.sold, told.funds, market_volume_max))
      return beyond_volume();
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
      where_.id, {.market = *key,
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
    return {};
  });
}

event_fate folding::set_prices(const std::optional<market_key>& key, const market_price_told& told) {
  return change_market(key, [&](market_row& market) -> event_fate {
    if (market.status == market_status::graduated)
      return failed_refused("market_graduated");
    if (std::max(told.trust, told.distrust) > votes_bound(key->contract))
      return beyond_votes();
    if (std::max(told.trust_price, told.distrust_price) > price_bound(key->contract))
      return beyond_price();
    // What a market in WHUF begins with is told by its first prices.
    const bool known = key->contract == contract_kind::reputation_market || market.prices > 0;
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
      where_.id, {*key, market.prices, told.trust, told.distrust, told.trust_price, told.distrust_price, where_.at});
    return {};
  });
}

// -- markets in ether ----------------------------------------------------------------------------

event_fate folding::on(const reputation_market_events::market_created& made) {
  if (made.config.liquidity > market_votes_max)
    return beyond_votes();
  if (made.config.base_price > market_price_max)
    return beyond_price();
  market_row row;
  row.creator = row.recipient = made.creator;
  row.config = made.config;
  row.trust = row.distrust = 1;
  row.trust_price = made.config.base_price / 2;
  row.distrust_price = made.config.base_price - row.trust_price;
  return open_market(market_of(contract_kind::reputation_market, made.profile.value), std::move(row));
}

event_fate folding::on(const reputation_market_events::votes_bought& bought) {
  return trade(market_of(contract_kind::reputation_market, bought.profile.value),
               {true, bought.is_positive, bought.buyer, bought.amount, bought.funds, bought.bought_at});
}

event_fate folding::on(const reputation_market_events::votes_sold& sold) {
  return trade(market_of(contract_kind::reputation_market, sold.profile.value),
               {false, sold.is_positive, sold.seller, sold.amount, sold.funds, sold.sold_at});
}

event_fate folding::on(const reputation_market_events::market_updated& told) {
  return set_prices(market_of(contract_kind::reputation_market, told.profile.value),
                    {told.vote_trust, told.vote_distrust, told.trust_price, told.distrust_price, std::nullopt});
}

event_fate folding::on(const reputation_market_events::donation_withdrawn& paid) {
  const market_account_key of{contract_kind::reputation_market, paid.recipient};
  const auto* known = rows_.market_accounts.find(of);
  auto account = known ? *known : market_account_row{};
  if (!within(account.donations, paid.amount, market_volume_max))
    return beyond_volume();
  account.donations += paid.amount;
  rows_.market_accounts.put(of, std::move(account));
  return {};
}

event_fate folding::on(const reputation_market_events::donation_recipient_updated& change) {
  return change_market(market_of(contract_kind::reputation_market, change.profile.value),
                       [&](market_row& market) -> event_fate {
                         market.recipient = change.new_recipient;
                         return {};
                       });
}

event_fate folding::on(const reputation_market_events::market_graduated& ended) {
  return change_market(market_of(contract_kind::reputation_market, ended.profile.value),
                       [&](market_row& market) -> event_fate {
                         market.status = market_status::graduated;
                         market.updated_at = where_.at;
                         return {};
                       });
}

event_fate folding::on(const reputation_market_events::market_funds_withdrawn& taken) {
  return change_market(market_of(contract_kind::reputation_market, taken.profile.value),
                       [&](market_row& market) -> event_fate {
                         if (!within(market.withdrawn, taken.amount, market_volume_max))
                           return beyond_volume();
                         market.withdrawn += taken.amount;
                         return {};
                       });
}

// -- markets in WHUF -----------------------------------------------------------------------------

event_fate folding::on(const market_events::market_created& made) {
  market_row row;
  row.creator = row.recipient = made.creator;
  row.in_tokens =
    token_market_terms{made.userkey, made.userkey_hash, made.pricing_contract, made.trust_token, made.distrust_token};
  return open_market(market_of(contract_kind::market, made.market.value), std::move(row));
}

event_fate folding::on(const market_events::position_opened& opened) {
  return trade(market_of(contract_kind::market, opened.market.value),
               {true, opened.is_positive, opened.buyer, opened.tokens_minted, opened.payment_amount, where_.at});
}

event_fate folding::on(const market_events::position_closed& closed) {
  return trade(
    market_of(contract_kind::market, closed.market.value),
    {false, closed.is_positive, closed.seller, closed.position_token_amount, closed.net_credits_out, where_.at});
}

event_fate folding::on(const market_events::market_updated& told) {
  return set_prices(
    market_of(contract_kind::market, told.market.value),
    {told.trust_supply, told.distrust_supply, told.trust_price, told.distrust_price, told.pool_backing});
}

event_fate folding::on(const market_events::market_pause_state_updated& change) {
  return change_market(market_of(contract_kind::market, change.market.value), [&](market_row& market) -> event_fate {
    market.status = static_cast<market_status>(change.new_state);
    return {};
  });
}

} // namespace credence::chain
