#pragma once

#include "tests/actors/chain/random_events.hpp"
#include "tests/system/followed_records.hpp"

namespace credence::test {

/// A chain's events from a seed: people join, claim, invite, review and vote, in an order that mostly makes sense, with
/// some events among them that make none.
class chain_history {
public:
  explicit chain_history(std::uint64_t seed) : dice_(seed) {}

  std::vector<chain::event> next(std::size_t count) {
    std::vector<chain::event> out;
    while (out.size() < count)
      out.push_back(below(20) == 0 ? chain::random_step(dice_) : sensible());
    return out;
  }
  /// The number of the next one who joins.
  int next_profile() const { return profiles_; }
  /// Everybody from that number on joins once more: their blocks were taken back.
  std::vector<chain::event> again_from(int number) const {
    std::vector<chain::event> out;
    for (; number < profiles_; ++number)
      out.push_back(joined(number, person(number)));
    return out;
  }
  /// 0 to `bound` - 1.
  int below(int bound) { return static_cast<int>(chain::samples::below(dice_, static_cast<std::size_t>(bound))); }

private:
  static constexpr int first = 50; // numbers below are those of events that make no sense

  int one_of(int last) { return last <= first ? first : first + below(last - first); }
  int profile() { return one_of(profiles_); }
  /// An address of somebody who has joined, mostly.
  address somebody() { return person(below(8) == 0 ? 20'000 + below(500) : profile()); }
  std::string account() { return "19000000000000" + std::to_string(10'000 + below(400)); }

  chain::event sensible() {
    switch (below(28)) {
      case 0:
      case 1:
      case 2: return join();
      case 3: return chain::profile_events::mock_profile_created{{profiles_++}};
      case 4: return status();
      case 5: return claimed(profile(), somebody());
      case 6:
        return chain::profile_events::address_claim{{profile()}, somebody(), chain::address_claim_kind::unclaimed};
      case 7: return invitation();
      case 8: return attested(attestations_++, profile(), account());
      case 9: return moved_account();
      case 10:
      case 11:
      case 12:
      case 13:
      case 14: return reviewed(reviews_++, somebody(), somebody(), static_cast<chain::review_score>(below(3)));
      case 15:
        return chain::review_events::review_created{
          chain::review_score::neutral, somebody(), attestation_hash("x.com", account()), {}, {reviews_++},
          {one_of(profiles_)}};
      case 16: return chain::review_events::review_archived{{one_of(reviews_)}, somebody(), somebody()};
      case 17: return chain::review_events::review_restored{{one_of(reviews_)}, somebody(), somebody()};
      case 18: return chain::review_events::review_edited{{one_of(reviews_)}, somebody(), somebody()};
      case 19:
        return chain::vote_events::vote_changed{below(2) == 0,      below(2) == 0,      {profile()},
                                                reviews_contract(), {one_of(reviews_)}, {1}};
      case 20: return slashed(slashes_++, profile(), somebody(), 1'700'000'000, below(2) == 0 ? 2'000'000'000 : 5);
      case 21: return end_of_slash();
      case 22:
        return chain::vote_events::voted{below(3) != 0,
                                         {profile()},
                                         chain::fold_world::contract_of(chain::contract_kind::slash),
                                         {one_of(slashes_)},
                                         {votes_++}};
      default: return voted(votes_++, profile(), one_of(reviews_), below(3) != 0);
    }
  }

  chain::event join() {
    const auto number = profiles_++;
    return joined(number, person(number));
  }
  chain::event status() {
    if (below(2) == 0)
      return chain::profile_events::profile_archived{{profile()}};
    return chain::profile_events::profile_restored{{profile()}};
  }
  chain::event end_of_slash() {
    const chain::onchain_slash which{one_of(slashes_)};
    switch (below(3)) {
      case 0: return chain::slash_events::slash_resolved{which, static_cast<chain::slash_resolution>(below(5)), 1};
      case 1: return chain::slash_events::slash_cancelled{which, somebody(), {1'700'000'100}};
      default: return chain::slash_events::slash_extended{which, {below(2) == 0 ? 2'000'000'000 : 5}};
    }
  }
  chain::event invitation() {
    switch (below(3)) {
      case 0: return chain::profile_events::invites_added{{profile()}, static_cast<std::uint64_t>(below(10))};
      case 1: return chain::profile_events::uninvited{{profile()}, somebody(), 3, person(profiles_ + below(10))};
      default: return chain::profile_events::user_invited{{profile()}, person(profiles_ + below(10))};
    }
  }
  chain::event moved_account() {
    const auto service = people::account_service::x;
    const chain::onchain_attestation number{one_of(attestations_)};
    switch (below(3)) {
      case 0: return chain::attestation_events::attestation_archived{{profile()}, service, account(), number};
      case 1: return chain::attestation_events::attestation_restored{number, service, account(), {profile()}};
      default: return chain::attestation_events::attestation_claimed{number, service, account(), "a post", {profile()}};
    }
  }
  static address reviews_contract() { return chain::fold_world::contract_of(chain::contract_kind::review); }

  chain::samples::dice_type dice_;
  int profiles_ = first, reviews_ = first, votes_ = first + 10, attestations_ = first, slashes_ = first;
};

} // namespace credence::test
