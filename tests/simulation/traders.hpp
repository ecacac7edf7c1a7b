#pragma once

#include "tests/simulation/asking.hpp"

namespace credence::test {

/// Who trades on markets, opens and freezes them, brings money and takes it away, and the model of what
/// each of them was told: it judges answers as they come, and at the end what is stored.
class traders final : public asking {
public:
  using asking::asking;

  /// Somebody does something.
  void act();
  /// Asks for some wallets, as many as stay in memory if nobody asks for others.
  void look_at_wallets();
  /// Those wallets, which have not been loaded again for long, know what is stored.
  void compare_funds();
  /// What is stored, what traders were told and what the actors say must be the same, and every
  /// balance can be taken away, to the last wei and not one more.
  void compare();

private:
  /// No two attempts are alike, so that what is stored can be told apart.
  struct attempted_trade {
    market::place_trade question;
    std::string name;
    told outcome = told::nothing;
  };
  struct attempted_transfer {
    funds::move_funds question;
    told outcome = told::nothing;
  };
  struct attempted_opening {
    profile_id owner;
    told outcome = told::nothing;
  };
  struct attempted_freeze {
    market::set_market_frozen question;
    bool rivalled = false; // another may have been carried out between this one and its answer
    told outcome = told::nothing;
  };

  void trade();
  static bool is(const market::traded& stored_one, const attempted_trade& trade);
  void judge(attempted_trade& trade, const envelope<market::place_trade>& answered);
  void transfer();
  attempted_transfer& put_transfer(profile_id whose, funds::flow way, wei amount);
  void open_market();
  void freeze_market();
  attempted_freeze& note_freeze(const market::set_market_frozen& question);
  void read_market();
  void judge(const std::string& name, market_id which, std::int64_t least, const market::market_view& shown);

  std::int64_t times_stored(const attempted_trade& trade, std::int64_t id) const;
  std::int64_t times_stored(const attempted_transfer& transfer, std::int64_t id) const;
  void compare_told(const std::string& name, told outcome, std::int64_t times);
  void compare_sums();
  void compare_markets();
  void take_everything_away();
  void compare_openings();
  void look_at_wallet(int whose, bool certain);
  /// At first, or somebody was told so.
  bool was_opened(market_id market) const;
  /// Judges an answer that there is no market.
  void judge_absence(const std::string& name, bool was_there, const auto& result);

  const simulated_database::image& stored() const { return world_.database().now(); }
  market_id some_market() { return market_id{1 + static_cast<int>(world_.chance().below(world::markets + 1))}; }
  template <class Q>
  const typename Q::answer_type* wait_for(std::string name, const auto& whom, Q question);

  std::deque<attempted_trade> trades_;
  std::deque<attempted_transfer> transfers_;
  std::deque<attempted_opening> openings_;
  std::deque<attempted_freeze> freezes_;
  std::set<std::string> names_; // of trades
};

} // namespace credence::test
