#pragma once

#include "actors/integrity/groups.hpp"
#include "actors/integrity/integrity_types.hpp"

#include <array>
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

/// Who speaks well of whom, both ways.

/// Two profiles that speak well of each other.
struct mutual_found {
  std::uint64_t pair = 0;
  std::array<bool, tie_kinds> kinds{};
  double decades = 0; // friends do so, too: at most two for each kind

  int count() const noexcept { return kinds[0] + kinds[1] + kinds[2]; }
};

/// All pairs that are tied both ways, by pair. A tie back is the less likely by chance the fewer ties the one has given
/// and the other received.
std::vector<mutual_found> mutual_ties(const std::vector<tie_seen>& ties);

/// What is told of a group, so that an operator can judge for himself.

/// Everything that groups are described from; all pairs in order.
struct evidence {
  const std::vector<vote_seen>& votes; // in order of cause and time
  const std::vector<pair_found>& seconds;
  const std::vector<pair_found>& newcomers;
  const std::vector<mutual_found>& mutual;
  const std::vector<burst_found>& bursts;
  const joining_times& joining;
};

/// Describes groups, which may share members, with their signs and the moments at which they acted together; the most
/// unlikely one first. Leaves out groups that chance explains among `people` profiles.
std::vector<found_group> described(std::vector<members> groups, const evidence& from, const bounds& within,
                                   std::size_t people);

} // namespace credence::integrity
