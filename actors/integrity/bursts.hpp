#pragma once

#include "actors/integrity/dense_groups.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

/// Causes that got the votes of many newcomers within a minute.
namespace credence::integrity {

/// How long somebody is a newcomer.
inline constexpr std::uint32_t newcomer_s = 7 * 24 * 3600;

/// Newcomers who voted for a cause within a minute.
struct burst_found {
  members who;
  double decades = 0;
};

/// When each profile joined, by its id; 0: not known.
class joining_times {
public:
  explicit joining_times(const std::vector<joined>& people);
  std::uint32_t of(std::int32_t profile) const noexcept {
    const auto found = seconds_.find(profile);
    return found == seconds_.end() ? 0 : found->second;
  }
  bool is_newcomer(const vote_seen& vote) const noexcept {
    const auto since = of(vote.voter);
    return since > 0 && vote.second >= since && vote.second - since <= newcomer_s;
  }

private:
  std::unordered_map<std::int32_t, std::uint32_t> seconds_; // ids of a chain may begin at a thousand million
};

/// Finds minutes in which so many of the voters of a cause were newcomers that chance does it less than once in ten to
/// the power of `decades_min`, given how many of the cause's other voters are, of those within the hour, or of all
/// voters, whichever is most. A crowd that comes with the news is of all ages, and newcomers whom somebody sends come
/// over an hour. `votes` are in order of cause and time. The strongest first, at most `most`.
std::vector<burst_found> bursts_of_newcomers(const std::vector<vote_seen>& votes, const joining_times& joining,
                                             double decades_min, std::size_t most);

} // namespace credence::integrity
