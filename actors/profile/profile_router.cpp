#include "actors/directory.hpp"
#include "actors/kernel/entity_router.hpp"
#include "actors/market/market_board_actor.hpp"
#include "actors/people/people_index.hpp"
#include "actors/period/period_state.hpp"
#include "actors/profile/profile_family.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace credence::profile {

namespace {

/// A count that takes longer is left out of the answers: the votes are committed, and their voters wait.
constexpr std::chrono::milliseconds count_timeout{1000};

/// Votes that landed for voters who are not in memory. Most voters vote now and then: an actor of
/// theirs would be made, read everything and leave again for the sake of one balance. So their votes
/// are counted from committed rows, all that gathered at a time; who votes again soon gets an actor.
/// A plain object in the router's state.
class nonresident_voters {
public:
  /// Counted by one statement at most.
  static constexpr std::size_t together_max = 1024;

  /// Remembers about so many voters.
  explicit nonresident_voters(std::size_t voters) : lately_(std::bit_ceil(std::max<std::size_t>(voters, 1))) {}

  /// Whether this one has voted not long ago; forgets it then, or else remembers it, in place of another.
  bool again(profile_id who) {
    auto& place = lately_[(static_cast<std::uint32_t>(who.value) * 2654435769u) % lately_.size()];
    const bool known = place == who;
    place = known ? profile_id{} : who;
    return known;
  }

  void add(vote_landed landed) { waiting_.push_back(std::move(landed)); }

  /// The votes to be counted next; empty when there are none, or while others are being counted.
  std::vector<vote_landed> next() {
    std::vector<vote_landed> out;
    if (counting_ || waiting_.empty())
      return out;
    counting_ = true;
    const auto count = static_cast<std::ptrdiff_t>(std::min(waiting_.size(), together_max));
    out.assign(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(waiting_.begin() + count));
    waiting_.erase(waiting_.begin(), waiting_.begin() + count);
    return out;
  }
  void counted() noexcept { counting_ = false; }

private:
  std::vector<profile_id> lately_;   // by a hash of the id; 0 where there is none
  std::vector<vote_landed> waiting_; // as many as the front lets in at a time
  bool counting_ = false;
};

class profile_router : public entity_router<profile_router, profiles, context> {
public:
  static inline const char* name = "profiles";
  using entity_router::on;

  static family_bounds bounds(const settings::actors& limits) {
    return {limits.live_profiles_max, limits.waiting_per_profile_max, failure::too_many};
  }
  auto spawn(birth<profiles, context> born) { return spawn_entity<profile_actor>(system(), std::move(born)); }

  void start_up() { cold_.emplace(with_->limits.live_profiles_max); }

  /// Voters who are in memory count their votes by themselves; those who come once are counted together.
  void on(votes_landed& all) {
    for (auto& each : all.votes) {
      const auto voter = each.question->voter;
      if (kids().tell_live(voter, each))
        continue;
      if (cold_->again(voter))
        kids().tell(voter, std::move(each));
      else
        cold_->add(std::move(each));
    }
    count_cold();
  }
  void on(const tip_landed& landed) { kids().tell(landed.question->receiver, landed); }
  void on(const mark_stale<profile_id>& who) { kids().refresh(who.id); }

  void after_loss(profile_id lost, const std::vector<profile_id>& receivers) {
    if (receivers.empty())
      return;
    with_->people->touch(lost);
    for (const auto receiver : receivers) {
      with_->people->touch(receiver);
      send(me(), mark_stale<profile_id>{receiver});
    }
    send(with_->others->market_lists.to(), market::mark_xp_stale{});
  }

private:
  /// Counts what gathered while others were being counted.
  void count_cold() {
    auto votes = cold_->next();
    if (votes.empty())
      return;
    ops::the_metrics().votes.cold.add(static_cast<std::int64_t>(votes.size()));
    count_votes question;
    question.voters.reserve(votes.size());
    for (const auto& each : votes)
      question.voters.push_back({each.question->voter, each.vote.in});
    const auto shared = std::make_shared<const std::vector<vote_landed>>(std::move(votes));
    storage_.read(*this, count_timeout, std::move(question))
      .then([this, shared](const counted_votes& found) { answer_cold(*shared, found.counts); },
            [this, shared](failure) { answer_cold(*shared, {}); });
  }

  /// Answers votes; `counted` is empty when that could not be read.
  void answer_cold(const std::vector<vote_landed>& votes, const std::vector<vote_count>& counted) {
    const auto* periods = with_->calendar->get();
    for (std::size_t i = 0; i < votes.size(); ++i) {
      project::vote_receipt receipt{votes[i].vote.side, std::nullopt};
      const auto* period = periods && i < counted.size() ? periods->find(votes[i].vote.in) : nullptr;
      if (period)
        receipt.new_balance = balance_after_vote(counted[i], *period);
      votes[i].question.answer(receipt);
    }
    cold_->counted();
    count_cold();
  }

  std::optional<nonresident_voters> cold_;
};

} // namespace

profile_handle spawn_profiles(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage) {
  return spawn_router<profile_router>(sys, std::move(with), std::move(storage));
}

} // namespace credence::profile
