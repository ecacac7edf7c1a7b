#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/domain/settled.hpp"
#include "actors/kernel/published_table.hpp"
#include "actors/people/lookup_types.hpp"
#include "actors/people/user_types.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What follows from a person's figures.
namespace credence::people {

/// Score of every wallet and account that nothing is known about.
inline constexpr std::int32_t neutral_score = 1200;

enum class score_level : std::uint8_t {
  untrusted,
  questionable,
  neutral,
  known,
  established,
  reputable,
  exemplary,
  distinguished,
  revered,
  renowned,
};
inline constexpr std::array<std::string_view, 10> level_names{
  "untrusted", "questionable", "neutral",       "known",   "established",
  "reputable", "exemplary",    "distinguished", "revered", "renowned"};

/// The level of a score: untrusted below 800, questionable below 1200, then one level
/// every 200 points, renowned from 2600 on.
score_level level_of(std::int32_t score) noexcept;

/// What a vote on a slash or a listing weighs by its voter's score: nothing below the level known,
/// then 1 to 7, as the level.
std::int32_t vote_weight_of(std::int32_t score) noexcept;

/// Who may verify that others are human has more points than this.
inline constexpr std::int32_t verifier_score_above = 1600;

enum class verifier_status : std::uint8_t { verifier, unqualified, blocked };
struct verifier_qualification {
  bool human_verified = false;
  bool meets_score = false;
  verifier_status status = verifier_status::unqualified;
};
/// A verifier owns a validator NFT, is verified as human and has the score; the right
/// can be taken away.
verifier_qualification verifier_qualification_of(const user& who, bool blocked) noexcept;

/// What whoever is no live profile is told that asks for what only those may do.
inline refusal not_live(profile_id who) {
  return {refusal_code::profile_not_live,
          "profile " + std::to_string(who.value) + " is archived or does not exist; only live profiles may do this"};
}

inline refusal not_yet_settled(profile_id who, unsettled_block since) {
  return credence::not_yet_settled("profile " + std::to_string(who.value), since);
}

/// Score and liveness of every profile, readable from any thread without a lock
/// or a message. Written by the people actor only, from committed rows, so it may
/// be behind: rules may refuse by what it says, and only the database allows.
class people_index {
public:
  /// A profile is `unsettled` while its block is not settled: it is shown as a live one, and has no rights.
  enum class status : std::uint8_t { unknown, archived, live, unsettled };

  status status_of(profile_id who) const noexcept { return static_cast<status>(cells_.read(who.value) >> 16 & 3); }
  /// 0 for a profile that is not known.
  std::int32_t score_of(profile_id who) const noexcept {
    return static_cast<std::int32_t>(cells_.read(who.value) & 0xFFFF);
  }
  /// Grows with every score that changes: what was put in order by scores under the same number, read before them, is
  /// still in order.
  std::uint64_t scores() const noexcept { return scores_.load(std::memory_order_acquire); }
  /// Changes with the score and the standing of `who`.
  std::uint8_t version_of(profile_id who) const noexcept {
    return static_cast<std::uint8_t>(cells_.read(who.value) >> 24);
  }
  /// Makes what others keep of `who` out of date, such as after a tip. From any thread.
  void touch(profile_id who) noexcept { cells_.add(who.value, std::uint32_t{1} << 24); }
  /// True once every profile of the database has been read.
  bool complete() const noexcept { return complete_.load(std::memory_order_acquire); }

  /// Owner only: takes over a committed row.
  void publish(const person_row& row);
  /// Owner only: the block that a profile waits for.
  unsettled_block unsettled(profile_id who) const { return unsettled_.of(who); }
  /// Owner only: adds those that have waited for a block up to that one.
  void add_settled(std::int64_t up_to, std::vector<profile_id>& to) const { unsettled_.add_those_up_to(up_to, to); }
  /// Owner only.
  void set_complete() noexcept { complete_.store(true, std::memory_order_release); }

private:
  // score in bits 0..15, standing in 16..17, version in 24..31
  published_table cells_;
  std::atomic<std::uint64_t> scores_{0};
  std::atomic<bool> complete_{false};
  unsettled_rows<profile_id> unsettled_; // the owner's
};

} // namespace credence::people
