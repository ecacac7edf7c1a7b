#include "actors/funds/funds_types.hpp"
#include "actors/market/market_state.hpp"
#include "ops/demo/parts.hpp"
#include "persistence/writer/fact_sql.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>

namespace credence::persistence {

namespace {

using std::chrono::days;
using std::chrono::minutes;
using std::chrono::seconds;

/// Who has a market; the other accounts can open theirs.
constexpr std::array<std::int32_t, 16> candidates{2, 3, 5, 7, 12, 15, 18, 21, 24, 28, 33, 36, 42, 47, 51, 55};
constexpr std::int32_t last_trader = 60; // from the first profile on
constexpr int trades_each = 40;
constexpr days open_for{60};
constexpr wei pocket_money = wei_per_ether * 10;

class market_loader {
public:
  market_loader(connection& on, std::int32_t count, const market::terms& trading, timestamp now, steady_time deadline)
    : on_(on), owners_(std::span{candidates}.first(std::min(candidates.size(), static_cast<std::size_t>(count)))),
      trading_(trading), began_(std::chrono::floor<seconds>(now) - open_for), deadline_(deadline) {}

  void load() {
    auto writer = read_demo_writer(on_, deadline_);
    seq_ = writer.last_seq + 1;
    for (std::int32_t who = 1; who <= last_trader; ++who)
      deposit(who);
    for (std::size_t i = 0; i < owners_.size(); ++i)
      open(owners_[i], static_cast<market::tier>(i % trading_.tiers.size()));
    trade();
    demo_fence(on_, writer, seq_ - 1, deadline_);
  }

private:
  void deposit(std::int32_t who) {
    wei amount = pocket_money;
    if (std::find(owners_.begin(), owners_.end(), who) != owners_.end())
      for (const auto& each : trading_.tiers) // enough for any market
        amount += each.creation_cost;
    write_now(on_, funds::funds_moved{profile_id{who}, funds::flow::deposit, amount, "demo", began_}, seq_++,
              deadline_);
    money_[who] = amount;
  }

  void open(std::int32_t owner, market::tier kind) {
    const auto& of_tier = trading_.tiers[static_cast<std::size_t>(kind)];
    const market::market_opened fresh{profile_id{owner}, kind, of_tier.how, of_tier.creation_cost,
                                      began_ + minutes{owner}};
    write_now(on_, fresh, seq_++, deadline_);
    money_[owner] -= fresh.creation_cost;
    const auto price = market::lmsr_point::at(fresh.how, {}).value().trust_price();
    markets_.emplace_back(market::market_of(fresh.owner), market::fresh_book(fresh), std::vector<market::position>{},
                          market::stored_window{{fresh.at, 0, price, 0}, {}, true, 0});
  }

  void trade() {
    const auto most = static_cast<int>(owners_.size()) * trades_each;
    const seconds step = seconds{open_for - days{1}} / most;
    for (int i = 1; i <= most; ++i)
      attempt(i, began_ + days{1} + step * i - seconds{1});
    write_now(on_, std::span<const market::traded>{trades_}, seq_, deadline_);
    seq_ += static_cast<global_seq>(trades_.size());
  }

  /// Somebody buys or sells, as far as money and votes go.
  void attempt(int which, timestamp at) {
    const auto r = demo_dice(17, which);
    const auto place = static_cast<std::size_t>(demo_fraction(r) * demo_fraction(demo_mix(r))
                                                * static_cast<double>(owners_.size())); // the first ones are popular
    const auto trader = profile_id{1 + static_cast<std::int32_t>(demo_dice(18, which) % last_trader)};
    const bool trusts = demo_fraction(demo_dice(19, which)) < 0.3 + demo_fraction(demo_dice(20, owners_[place])) / 2;
    auto& there = markets_[place];
    market::place_trade command{};
    command.trader = trader;
    command.order.market = market_id{owners_[place]};
    command.order.side = trusts ? market::vote_side::trust : market::vote_side::distrust;
    const auto held = there.held(trader, command.order.side);
    const auto dice = demo_dice(21, which);
    command.order.way = held > 0 && dice % 2 == 0 ? market::direction::sell : market::direction::buy;
    command.order.votes =
      1
      + static_cast<std::int64_t>(
        demo_mix(dice) % static_cast<std::uint64_t>(command.order.way == market::direction::sell ? held : 30));
    const auto done = there.decide(command, money_[trader.value], trading_.rates, at);
    if (!done)
      return;
    there.apply(*done);
    there.commit(*done);
    trades_.push_back(*done);
    if (done->way == market::direction::buy)
      money_[trader.value] -= done->funds();
    else
      money_[trader.value] += done->funds();
    money_[done->market.value] += done->donation;
  }

  connection& on_;
  std::span<const std::int32_t> owners_;
  market::terms trading_;
  timestamp began_;
  steady_time deadline_;
  std::vector<market::market_state> markets_; // by owner, as above
  std::unordered_map<std::int32_t, wei> money_;
  std::vector<market::traded> trades_;
  global_seq seq_ = 0;
};

} // namespace

void load_demo_markets(connection& on, const demo_size& size, const market::terms& trading, timestamp now,
                       steady_time deadline) {
  if (size.profiles >= last_trader && size.markets > 0)
    market_loader{on, size.markets, trading, now, deadline}.load();
}

} // namespace credence::persistence
