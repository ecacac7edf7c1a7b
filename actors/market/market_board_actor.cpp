#include "actors/market/market_board_actor.hpp"

#include "actors/directory.hpp"
#include "actors/kernel/single_actor.hpp"
#include "actors/kernel/turns.hpp"
#include "actors/market/boards.hpp"
#include "actors/market/market_finder.hpp"
#include "config/limits.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace credence::market {

/// There is more of the profit board to work out, or more to search through.
struct work_on {};
struct search_on {};

namespace {

using namespace std::chrono_literals;

/// Other programs give out XP as well; who reads the board sees theirs this late.
constexpr auto points_believed_for = 60s;
constexpr auto retry_after = 1s;
/// Positions, traders or names that one message works through: some milliseconds.
constexpr std::size_t steps_at_once = 4096;
/// A board of more than this is worked out anew only as often as takes a few percent of the time.
constexpr std::size_t worked_at_once = 10'000;
constexpr auto profit_kept_for_each_step = 4us;
/// The same of one that is read as a whole, and took longer than this.
constexpr auto read_at_once = 50ms;
constexpr int mirrored_profit_kept_times = 20;
/// Searches that wait for the same reading of names. Whoever asks meanwhile waits for these at most.
constexpr std::size_t searches_at_once = 16;
/// Five milliseconds here for usual names and descriptions, forty for the longest.
constexpr std::int32_t names_at_once = 500;
/// Trades while a part of the profit board is read; past it, it is read from the beginning.
constexpr std::size_t meanwhile_max = 100'000;

class board_actor : public single_actor<board_actor, ops::actor_kind::market_board, market_board_handle, context,
                                        storage, work_on, search_on> {
public:
  static inline const char* name = "market_board";

  /// Passes a question on to the readers and its answer back.
  template <class Q>
  void on(const ask<Q>& question) {
    read(question, [&] {
      auto query = *question;
      if constexpr (requires { query.now; })
        query.now = with_->now();
      if constexpr (requires { query.mirrored; })
        query.mirrored = mirrored();
      load_for(question, std::move(query), [question](typename Q::answer_type& found) {
        if (is_of_none(*question, found))
          return question.answer(no_market());
        question.answer(std::move(found));
      });
    });
  }

  void on(const ask<get_profit_board>& question) {
    read(question, [&] { mirrored() ? show_mirrored_profit_to(question) : show_profit_to(question); });
  }
  void on(const ask<get_xp_board>& question) {
    read(question, [&] { show_points_to(question, points_asked_); });
  }
  void on(const ask<get_xp_rank>& question) {
    read(question, [&] { show_points_to(question, ranks_asked_); });
  }

  /// What is committed before it is asked for is found: names that changed are read first,
  /// once for all who wait for it.
  void on(const ask<search_markets>& question) {
    read(question, [&] {
      if (!searching_.add(question.get()->by(), question))
        return question.fail(failure::too_many);
      if (served_.empty())
        read_names();
    });
  }

  void on(const work_on&) {
    const handling here{kind, {}};
    if (working_out_profit_ && profit_.work(steps_at_once))
      show_profit();
    else if (working_out_profit_)
      tell_self(work_on{});
  }

  void on(const search_on&) {
    const handling here{kind, {}};
    go_on_searching();
  }

  void on(const trade_happened& change) {
    const handling here{kind, {}};
    if (searched())
      finder_.set_volume(change.trade.market, change.trade.volume_after);
    profit_.take(change.trade, change.number, reading_profit_);
    if (profit_.meanwhile() > meanwhile_max)
      forget_profit();
  }
  void on(const trades_in_doubt& doubt) {
    const handling here{kind, {}};
    if (searched())
      look_at_volume(doubt.market);
    forget_profit();
  }
  void on(const xp_moved& change) {
    const handling here{kind, {}};
    if (points_read_ || reading_points_ || points_read_to_)
      xp_.take(change.who, change.xp, change.as_of);
  }

  /// Shown as it is until it has been read again, which it is for the next one who asks.
  void on(const mark_xp_stale&) {
    points_doubted_ = true;
    read_points_again_ = {};
  }

private:
  static refusal no_market() { return {refusal_code::not_found, "Market not found"}; }
  bool mirrored() const { return with_->followed.contains(chain::record_kind::market); }

  void show_profit_to(const ask<get_profit_board>& question) {
    profit_asked_.push_back(question);
    if (reading_profit_)
      return;
    if (!profit_.next())
      return work_out_profit();
    if (steady_clock::now() >= read_profit_again_)
      return read_profit();
    fail_all(profit_asked_); // it has just failed: nobody waits for what nobody reads
  }

  void show_mirrored_profit_to(const ask<get_profit_board>& question) {
    profit_asked_.push_back(question);
    read_mirrored_profit();
  }
  /// All positions on the chain are looked at: once for all who wait. Those who ask meanwhile are shown what is read
  /// after that.
  void read_mirrored_profit() {
    if (reading_profit_ || profit_asked_.empty())
      return;
    const auto began = steady_clock::now();
    if (began < read_profit_again_)
      return fail_all(profit_asked_);
    profit_served_ = std::exchange(profit_asked_, {});
    if (began < work_out_again_)
      return show_mirrored_profit();
    reading_profit_ = true;
    storage_.read(*this, with_->load_timeout, load_mirrored_profits{limits::limit_max})
      .then(
        [this, began](std::vector<profit_row>& found) {
          const handling here{kind, {}};
          reading_profit_ = false;
          mirrored_profit_ = std::move(found);
          const auto now = steady_clock::now();
          const auto took = now - began;
          if (took > read_at_once)
            work_out_again_ = now + took * mirrored_profit_kept_times;
          for (const auto& each : profit_served_) // it is nobody's own question, so nobody has been charged
            each.get()->add_database_time(took / static_cast<std::int64_t>(profit_served_.size()));
          show_mirrored_profit();
        },
        [this](failure) {
          reading_profit_ = false;
          read_profit_again_ = steady_clock::now() + retry_after;
          fail_all(profit_served_);
          fail_all(profit_asked_);
        });
  }
  void show_mirrored_profit() {
    for (const auto& each : std::exchange(profit_served_, {})) {
      const auto shown = std::min(mirrored_profit_.size(), static_cast<std::size_t>(each->most));
      const auto end = mirrored_profit_.begin() + static_cast<std::ptrdiff_t>(shown);
      each.answer(std::vector<profit_row>(mirrored_profit_.begin(), end));
    }
    read_mirrored_profit();
  }

  /// Who asks before the balances are there waits among `others`.
  template <class Q>
  void show_points_to(const ask<Q>& question, std::vector<ask<Q>>& others) {
    if (!reading_points_ && steady_clock::now() >= read_points_again_)
      read_points();
    if (points_read_) // it can be shown while it is read again
      return show_points(question);
    others.push_back(question);
    if (!reading_points_)
      fail_all(others);
  }
  void show_points(const ask<get_xp_board>& question) { with_accounts(question, xp_.top(question->most)); }
  void show_points(const ask<get_xp_rank>& question) { question.answer(xp_.rank_of(question->who)); }

  template <class Q>
  void fail_all(std::vector<ask<Q>>& waiting) {
    for (const auto& each : std::exchange(waiting, {}))
      each.fail(failure::unavailable);
  }

  /// A part at a time. One that fails is read again when somebody asks; those before it stay.
  void read_profit() {
    reading_profit_ = true;
    const auto question = *profit_.next();
    storage_.read(*this, with_->load_timeout, question)
      .then(
        [this, question, generation = profit_generation_](const stored_boards& part) {
          const handling here{kind, {}};
          if (generation != profit_generation_)
            return; // it was forgotten since
          profit_.add(question, part);
          if (profit_.next())
            return read_profit();
          reading_profit_ = false;
          work_out_profit();
        },
        [this, generation = profit_generation_](failure) {
          if (generation != profit_generation_)
            return;
          reading_profit_ = false;
          read_profit_again_ = steady_clock::now() + retry_after;
          fail_all(profit_asked_);
        });
  }

  /// Trades may be committed of which nobody told: all is read again.
  void forget_profit() {
    ++profit_generation_;
    profit_ = {};
    reading_profit_ = working_out_profit_ = false;
    read_profit_again_ = {};
    profit_asked_.insert(profit_asked_.end(), profit_served_.begin(), profit_served_.end());
    profit_served_.clear();
    if (!profit_asked_.empty())
      read_profit();
  }

  /// Those who ask meanwhile are shown what is worked out after that.
  void work_out_profit() {
    if (working_out_profit_ || profit_asked_.empty())
      return;
    const auto now = steady_clock::now();
    profit_served_ = std::exchange(profit_asked_, {});
    if (now < work_out_again_)
      return show_profit();
    work_began_ = now;
    working_out_profit_ = true;
    profit_.begin();
    if (profit_.work(steps_at_once))
      show_profit();
    else
      tell_self(work_on{});
  }

  void show_profit() {
    if (std::exchange(working_out_profit_, false) && profit_.worked() > worked_at_once)
      work_out_again_ = work_began_ + profit_.worked() * profit_kept_for_each_step;
    for (const auto& each : std::exchange(profit_served_, {})) {
      const auto& top = profit_.top();
      const auto shown = std::min(top.size(), static_cast<std::size_t>(each->most));
      with_accounts(each, std::vector<profit_row>(top.begin(), top.begin() + static_cast<std::ptrdiff_t>(shown)));
    }
    work_out_profit();
  }

  /// As of the profit board; from the beginning when it was done.
  void read_points() {
    reading_points_ = true;
    if (!points_read_to_)
      points_doubted_ = false;
    const load_boards question{board_part::points, {}, points_read_to_, board_rows_at_once};
    storage_.read(*this, with_->load_timeout, question)
      .then(
        [this](const stored_boards& part) {
          const handling here{kind, {}};
          for (const auto& each : part.xp)
            xp_.put(each.who, each.xp, part.as_of);
          if (part.xp.size() == static_cast<std::size_t>(board_rows_at_once)) {
            points_read_to_ = part.xp.back().who;
            return read_points();
          }
          points_read_to_ = {};
          reading_points_ = false;
          points_read_ = true;
          read_points_again_ = points_doubted_ ? steady_time{} : steady_clock::now() + points_believed_for;
          for (const auto& each : std::exchange(points_asked_, {}))
            show_points(each);
          for (const auto& each : std::exchange(ranks_asked_, {}))
            show_points(each);
        },
        [this](failure) {
          reading_points_ = false;
          read_points_again_ = steady_clock::now() + retry_after;
          fail_all(points_asked_);
          fail_all(ranks_asked_);
        });
  }

  /// Names were read, or are being read: who reads them later reads volumes, too.
  bool searched() const noexcept { return !names_.as_of.empty() || !names_.next.empty() || !served_.empty(); }

  /// Where it fails, the next trade tells.
  void look_at_volume(market_id market) {
    storage_.read(*this, with_->load_timeout, get_markets{{market}, with_->now(), mirrored()})
      .then(
        [this](const std::vector<market_view>& found) {
          for (const auto& each : found)
            finder_.set_volume(each.id, each.volume_total);
        },
        [](failure) {});
  }

  void read_names() {
    while (!searching_.empty() && served_.size() < searches_at_once) {
      auto next = searching_.take();
      if (next.get()->expired(steady_clock::now()))
        next.fail(failure::timed_out);
      else
        served_.push_back(std::move(next));
    }
    if (!served_.empty())
      read_more_names();
  }
  /// The first part of them is as old as all are from then on. A reading that failed goes on where
  /// it was; it began before those who wait now asked, so it is followed by another one.
  void read_more_names() {
    storage_.read(*this, with_->load_timeout, load_names{names_.as_of, names_.to, names_at_once, mirrored()})
      .then(
        [this](stored_names& found) {
          const handling here{kind, {}};
          if (found.taken_back != std::exchange(taken_back_, found.taken_back)) { // markets may be gone
            finder_ = {};
            names_ = {};
            return read_more_names();
          }
          for (const auto& each : found.markets)
            finder_.put(each);
          if (names_.next.empty())
            names_.next = std::move(found.as_of);
          if (found.markets.size() == static_cast<std::size_t>(names_at_once)) {
            names_.to = found.markets.back().market;
            return read_more_names();
          }
          names_.as_of = std::exchange(names_.next, {});
          names_.to = {};
          if (std::exchange(names_.resumed, false))
            return read_more_names();
          std::reverse(served_.begin(), served_.end()); // taken from the back
          search_next();
        },
        [this](failure) {
          names_.resumed = !names_.next.empty();
          fail_all(served_);
          read_names();
        });
  }
  /// One after the other, and names are put in when nobody is being searched for.
  void search_next() {
    while (!served_.empty()) {
      const auto& question = served_.back();
      if (question.get()->expired(steady_clock::now())) {
        question.fail(failure::timed_out);
      } else if (question->text.empty()) {
        show_found(question, question->busiest_first
                               ? finder_.busiest(question->slice, question->ascending)
                               : finder_.newest(question->slice, question->ascending, since_of(*question)));
      } else {
        finder_.look_for(question->text, question->slice, since_of(*question));
        return go_on_searching();
      }
      served_.pop_back();
    }
    read_names();
  }
  static timestamp since_of(const search_markets& question) { return question.since.value_or(timestamp::min()); }
  void go_on_searching() {
    const auto began = steady_clock::now();
    const bool found = finder_.work(steps_at_once);
    served_.back().get()->add_database_time(steady_clock::now() - began); // charged like database time
    if (!found)
      return tell_self(search_on{});
    show_found(served_.back(), finder_.take());
    served_.pop_back();
    search_next();
  }
  void show_found(const ask<search_markets>& question, market_finder::found found) {
    market_page out{{}, found.total, question->slice};
    if (found.markets.empty())
      return question.answer(std::move(out));
    if (question->ranked)
      return show_views(question, get_ranked_markets{std::move(found.markets), with_->now(), mirrored()},
                        std::move(out));
    show_views(question, get_markets{std::move(found.markets), with_->now(), mirrored()}, std::move(out));
  }
  template <class Question>
  void show_views(const ask<search_markets>& question, Question query, market_page out) {
    storage_.read(*this, with_->load_timeout, std::move(query))
      .on_behalf_of(question)
      .then(
        [question, out = std::move(out)](std::vector<market_view>& markets) mutable {
          out.values = std::move(markets);
          question.answer(std::move(out));
        },
        [question](failure why) { question.fail(failure_of(why)); });
  }

  template <class Q, class Row>
  void with_accounts(const ask<Q>& question, std::vector<Row> rows) {
    load_accounts load;
    for (const auto& each : rows)
      load.whose.push_back(each.who);
    storage_.read(*this, with_->load_timeout, std::move(load))
      .on_behalf_of(question)
      .then(
        [question, rows = std::move(rows)](const stored_accounts& found) mutable {
          for (std::size_t i = 0; i < rows.size() && i < found.accounts.size(); ++i)
            rows[i].account = found.accounts[i];
          question.answer(std::move(rows));
        },
        [question](failure why) { question.fail(failure_of(why)); });
  }

  profit_board profit_;
  std::uint64_t profit_generation_ = 0; // how often it was forgotten
  bool reading_profit_ = false;
  bool working_out_profit_ = false;
  steady_time read_profit_again_{};
  steady_time work_began_{};
  steady_time work_out_again_{};
  std::vector<ask<get_profit_board>> profit_asked_;
  std::vector<ask<get_profit_board>> profit_served_; // wait for what is being worked out
  std::vector<profit_row> mirrored_profit_;          // of the markets of the chain, as they were read last
  xp_board xp_;
  bool points_read_ = false; // once
  bool reading_points_ = false;
  bool points_doubted_ = false; // since their reading began
  steady_time read_points_again_{};
  profile_id points_read_to_{};
  std::vector<ask<get_xp_board>> points_asked_;
  std::vector<ask<get_xp_rank>> ranks_asked_;
  market_finder finder_;
  names_read names_;
  std::int64_t taken_back_ = 0;             // blocks of the chain, when names were read
  turns<ask<search_markets>> searching_;    // wait for names to be read again
  std::vector<ask<search_markets>> served_; // waits for those that are being read, then for its turn
};

} // namespace

market_board_handle spawn_market_board(caf::actor_system& sys, std::shared_ptr<const context> with,
                                       port<storage> storage) {
  return spawn_single<board_actor>(sys, std::move(with), std::move(storage));
}

} // namespace credence::market
