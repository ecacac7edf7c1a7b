#include "actors/market/market_board_actor.hpp"

#include "actors/directory.hpp"
#include "actors/kernel/handling.hpp"
#include "actors/market/boards.hpp"
#include "actors/market/market_finder.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <deque>
#include <functional>
#include <variant>

namespace credence::market {

namespace {

using namespace std::chrono_literals;

constexpr auto kind = ops::actor_kind::market_board;
/// Other programs give out XP as well; who reads the board sees theirs this late.
constexpr auto boards_believed_for = 60s;
constexpr auto retry_after = 1s;
/// Five milliseconds here for usual names and descriptions, forty for the longest.
constexpr std::int32_t names_at_once = 500;
/// Of what happens while the boards are read; past it they are read again.
constexpr std::size_t meanwhile_max = 100'000;

class board_plumbing {
public:
  static inline const char* name = "market_board";
  using pointer = market_board_handle::stateful_pointer<board_plumbing>;

  void start(pointer self, const std::shared_ptr<const context>& with) {
    self_ = self;
    with_ = with;
  }

  /// Passes a question on to the readers and its answer back.
  template <class Q>
  void look_up(const ask<Q>& asked, Q what) {
    const handling here{kind, asked.get()->sent_at()};
    if (asked.get()->expired(here.started()))
      return asked.fail(failure::timed_out);
    if constexpr (requires { what.now; })
      what.now = with_->now();
    self_->request(with_->storage.reader, with_->load_timeout, std::move(what))
      .then(
        [asked](typename Q::answer_type& found) {
          if constexpr (std::is_same_v<Q, get_prices>) {
            if (found.empty())
              return asked.answer(no_market());
          } else if constexpr (std::is_same_v<Q, get_market_trades>) {
            if (found.total < 0)
              return asked.answer(no_market());
          }
          asked.answer(std::move(found));
        },
        [asked](const caf::error&) { asked.fail(failure::unavailable); });
  }

  void on_profit(const ask<get_profit_board>& asked) {
    with_boards(asked, profit_sound_, [this, asked] { with_accounts(asked, profit_.top(asked->most)); });
  }
  void on_xp(const ask<get_xp_board>& asked) {
    with_boards(asked, xp_read_, [this, asked] { with_accounts(asked, xp_.top(asked->most)); });
  }

  /// What is committed before it is asked for is found: names that changed are read first,
  /// once for all who wait for it.
  void on_search(const ask<search_markets>& asked) {
    const handling here{kind, asked.get()->sent_at()};
    if (asked.get()->expired(here.started()))
      return asked.fail(failure::timed_out);
    searching_.push_back(asked);
    if (served_.empty())
      read_names();
  }

  void on_trade(const trade_happened& what) {
    const handling here{kind, {}};
    if (searched())
      finder_.set_volume(what.what.market, what.what.volume_after);
    if (loading_profit_)
      keep(what);
    if (profit_sound_ && what.number > profit_as_of_)
      profit_.take(what.what);
  }
  void on_doubt(const trades_in_doubt& what) {
    const handling here{kind, {}};
    if (searched())
      look_at_volume(what.market);
    profit_sound_ = false;
    doubted_ = true;
    load_again_ = {};
  }
  void on_xp_moved(const xp_moved& what) {
    const handling here{kind, {}};
    if (loading_)
      keep(what);
    if (xp_read_ && what.as_of > xp_as_of_)
      xp_.take(what.who, what.xp);
  }

  /// Shown as it is until it has been read again, which it is for the next one who asks.
  void on_xp_in_doubt() {
    xp_doubted_ = true;
    load_again_ = {};
  }

private:
  static refusal no_market() { return {refusal_code::not_found, "Market not found"}; }

  /// `good`: the board can be shown while it is read again.
  template <class Q>
  void with_boards(const ask<Q>& asked, const bool& good, std::function<void()> then) {
    const handling here{kind, asked.get()->sent_at()};
    if (asked.get()->expired(here.started()))
      return asked.fail(failure::timed_out);
    if (!loading_ && here.started() >= load_again_)
      load();
    if (good)
      return then();
    if (!loading_) // it has just failed: nobody waits for what nobody reads
      return asked.fail(failure::unavailable);
    waiting_.emplace_back([asked, &good, then = std::move(then)] {
      if (good)
        then();
      else
        asked.fail(failure::unavailable);
    });
  }

  /// Trades are made here alone, so profit is read once, unless a market was lost; points now and
  /// then. What happens while it is read is kept, and counted when it is newer.
  void load() {
    loading_ = true;
    loading_profit_ = !profit_sound_;
    doubted_ = xp_doubted_ = false;
    self_->request(with_->storage.reader, boards_believed_for, load_boards{loading_profit_})
      .then(
        [this](const stored_boards& stored) {
          if (meanwhile_.size() > meanwhile_max)
            return done(false);
          if (loading_profit_) {
            profit_ = profit_board{stored};
            profit_as_of_ = stored.as_of;
          }
          xp_ = {};
          for (const auto& each : stored.xp)
            xp_.take(each.who, each.xp);
          xp_as_of_ = stored.as_of;
          done(true);
        },
        [this](const caf::error&) { done(false); });
  }

  template <class Message>
  void keep(const Message& what) {
    if (meanwhile_.size() <= meanwhile_max)
      meanwhile_.push_back(what);
  }

  void done(bool good) {
    loading_ = false;
    const bool profit = std::exchange(loading_profit_, false);
    profit_sound_ = profit ? good && !doubted_ : profit_sound_;
    xp_read_ = xp_read_ || good;
    load_again_ = xp_doubted_ ? steady_time{} : steady_clock::now() + (good ? boards_believed_for : retry_after);
    for (const auto& each : std::exchange(meanwhile_, {}))
      if (good)
        std::visit([this](const auto& what) { take_late(what); }, each);
    for (const auto& each : std::exchange(waiting_, {}))
      each();
  }
  void take_late(const trade_happened& what) {
    if (what.number > profit_as_of_)
      profit_.take(what.what);
  }
  void take_late(const xp_moved& what) {
    if (what.as_of > xp_as_of_)
      xp_.take(what.who, what.xp);
  }

  /// Names were read, or are being read: who reads them later reads volumes, too.
  bool searched() const noexcept { return !names_as_of_.empty() || !names_next_.empty() || !served_.empty(); }

  /// Where it fails, the next trade tells.
  void look_at_volume(profile_id market) {
    self_->request(with_->storage.reader, with_->load_timeout, get_markets{{market}, with_->now()})
      .then(
        [this](const std::vector<market_view>& found) {
          for (const auto& each : found)
            finder_.set_volume(each.id, each.volume_total);
        },
        [](const caf::error&) {});
  }

  void read_names() {
    served_ = std::exchange(searching_, {});
    if (!served_.empty())
      read_more_names();
  }
  /// The first part of them is as old as all are from then on. A reading that failed goes on where
  /// it was; it began before those who wait now asked, so it is followed by another one.
  void read_more_names() {
    self_->request(with_->storage.reader, with_->load_timeout, load_names{names_as_of_, names_read_to_, names_at_once})
      .then(
        [this](stored_names& found) {
          const handling here{kind, {}};
          for (const auto& each : found.markets)
            finder_.put(each);
          if (names_next_.empty())
            names_next_ = std::move(found.as_of);
          if (found.markets.size() == static_cast<std::size_t>(names_at_once)) {
            names_read_to_ = found.markets.back().market;
            return read_more_names();
          }
          names_as_of_ = std::exchange(names_next_, {});
          names_read_to_ = {};
          if (std::exchange(names_resumed_, false))
            return read_more_names();
          for (const auto& each : std::exchange(served_, {}))
            search(each);
          read_names();
        },
        [this](const caf::error&) {
          names_resumed_ = !names_next_.empty();
          for (const auto& each : std::exchange(served_, {}))
            each.fail(failure::unavailable);
          read_names();
        });
  }
  void search(const ask<search_markets>& asked) {
    if (asked.get()->expired(steady_clock::now()))
      return asked.fail(failure::timed_out);
    auto found = asked->text.empty() ? finder_.newest(asked->slice) : finder_.find(asked->text, asked->slice);
    market_page out{{}, found.total, asked->slice};
    if (found.markets.empty())
      return asked.answer(std::move(out));
    self_->request(with_->storage.reader, with_->load_timeout, get_markets{std::move(found.markets), with_->now()})
      .then(
        [asked, out = std::move(out)](std::vector<market_view>& markets) mutable {
          out.values = std::move(markets);
          asked.answer(std::move(out));
        },
        [asked](const caf::error&) { asked.fail(failure::unavailable); });
  }

  template <class Q, class Row>
  void with_accounts(const ask<Q>& asked, std::vector<Row> rows) {
    load_accounts question;
    for (const auto& each : rows)
      question.whose.push_back(each.who);
    self_->request(with_->storage.reader, with_->load_timeout, std::move(question))
      .then(
        [asked, rows = std::move(rows)](const stored_accounts& found) mutable {
          for (std::size_t i = 0; i < rows.size() && i < found.accounts.size(); ++i)
            rows[i].account = found.accounts[i];
          asked.answer(std::move(rows));
        },
        [asked](const caf::error&) { asked.fail(failure::unavailable); });
  }

  pointer self_ = nullptr;
  std::shared_ptr<const context> with_;
  profit_board profit_;
  xp_board xp_;
  global_seq profit_as_of_ = 0;
  global_seq xp_as_of_ = 0;
  bool profit_sound_ = false; // every committed trade was read or told of
  bool doubted_ = false;      // since profit is being read
  bool xp_read_ = false;
  bool xp_doubted_ = false;   // since it is being read
  bool loading_ = false;
  bool loading_profit_ = false;
  steady_time load_again_{};
  std::deque<std::variant<trade_happened, xp_moved>> meanwhile_;
  std::vector<std::function<void()>> waiting_;
  market_finder finder_;
  std::string names_as_of_;       // of all names
  std::string names_next_;        // of those that are being read
  profile_id names_read_to_{};    // so far
  bool names_resumed_ = false;    // they are read on after a failure
  std::vector<ask<search_markets>> searching_; // waits for names to be read again
  std::vector<ask<search_markets>> served_;    // waits for those that are being read
};

market_board_handle::behavior_type behave(board_plumbing::pointer self, const std::shared_ptr<const context>& with) {
  auto& state = self->state;
  state.start(self, with);
  return {
    [&state](const ask<search_markets>& asked) { state.on_search(asked); },
    [&state](const ask<get_markets>& asked) { state.look_up(asked, *asked); },
    [&state](const ask<get_prices>& asked) { state.look_up(asked, *asked); },
    [&state](const ask<get_market_trades>& asked) { state.look_up(asked, *asked); },
    [&state](const ask<get_activity>& asked) { state.look_up(asked, *asked); },
    [&state](const ask<get_holdings>& asked) { state.look_up(asked, *asked); },
    [&state](const ask<get_volume>& asked) { state.look_up(asked, *asked); },
    [&state](const ask<get_profit_board>& asked) { state.on_profit(asked); },
    [&state](const ask<get_xp_board>& asked) { state.on_xp(asked); },
    [&state](const trade_happened& what) { state.on_trade(what); },
    [&state](const trades_in_doubt& what) { state.on_doubt(what); },
    [&state](const xp_moved& what) { state.on_xp_moved(what); },
    [&state](xp_in_doubt) { state.on_xp_in_doubt(); },
  };
}

} // namespace

market_board_handle spawn_market_board(caf::actor_system& sys, std::shared_ptr<const context> with) {
  return sys.spawn(behave, std::move(with));
}

} // namespace credence::market
