#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/time.hpp"
#include "actors/people/lookup_types.hpp"
#include "actors/people/people_index.hpp"
#include "actors/people/user_types.hpp"
#include "config/settings.hpp"
#include "http/call/json_writer.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace credence::http {

/// What a User object depends on besides the user.
struct user_format {
  /// Absolute base of links, without a trailing slash.
  std::string public_url;
  /// Whether the deprecated `stats.vouch` is still written.
  bool with_vouch = false;
};

/// First instant without `stats.vouch`: the end of the day that the settings name,
/// UTC. Throws std::invalid_argument when that is not a date.
timestamp vouch_removed_at(const settings::http& from);

/// `REQUESTED`, `VERIFIED`, `REVOKED` or `PENDING`.
std::string_view name_of(people::human_verification status);

/// Writes a User object with every field of the spec ("User").
void encode_members(json_writer& to, const people::user& who, const user_format& how);

/// An amount of wei as two members: a JSON integer with all its digits (spec: int64), also where those are more than
/// fit 64 bits, and the same as text, as JavaScript and others keep no more than 53 bits of a number.
void encode_wei(json_writer& to, json_name name, json_name text_name, std::string_view digits);

/// A user's status as clients read it.
constexpr std::string_view name_of(people::user_status status) {
  constexpr std::array<std::string_view, 3> names{"ACTIVE", "INACTIVE", "MERGED"};
  return names[static_cast<std::size_t>(status)];
}

/// Whom keys lead to, so that who asks again is answered on the I/O thread. One instance
/// per I/O thread, without locks. What was found, or was not there, counts for a few
/// seconds; beyond the bound the oldest goes.
class known_keys {
public:
  /// Accounts and addresses change hands rarely; who does sees it this late.
  static constexpr std::chrono::seconds age_max{10};
  static constexpr std::size_t entries_max_each = 50'000;

  explicit known_keys(std::size_t entries_max = entries_max_each) : entries_max_(entries_max) {}

  /// Whom `key` leads to; null when that is not known, or not any more.
  const people::found_person* find(const people::lookup_key& key, steady_time now) const;
  /// Takes in what was found for `key`.
  void take(const people::lookup_key& key, const people::found_person& found, steady_time now);

  std::size_t size() const noexcept { return by_key_.size(); }

private:
  struct entry {
    people::lookup_key key;
    people::found_person found;
    steady_time found_at{};
  };
  using entries = std::list<entry>; // found last in front

  std::size_t entries_max_;
  entries entries_;
  std::unordered_map<people::lookup_key, entries::iterator> by_key_;
};

/// Encoded User objects by profile, so that a page of voters is mostly copied. One
/// instance per I/O thread, without locks. A card counts while the people index still
/// gives the version it was fetched under, and for a minute at most.
///
/// It also keeps what listings are written as, for as long as they are not read again.
///
/// An answer is written in up to two passes. The first notes whom it misses; those are
/// asked for, `take`n in, and the second pass writes with whatever card is there.
class user_cards {
public:
  /// All threads together keep about this many bytes of cards.
  static constexpr std::size_t bytes_max_overall = 48u * 1024 * 1024;

  /// `known` and the strings of `how` are used as they are now; `known` must outlive
  /// the cards. Throws std::invalid_argument when `how` names an impossible date.
  user_cards(const people::people_index& known, const settings::http& how,
             std::size_t bytes_max = bytes_max_overall / 4);

  /// Whom an answer misses, and the version under which it is fetched.
  struct wanted {
    profile_id who;
    std::uint8_t version = 0;
  };

  enum class pass : std::uint8_t { first, second };
  /// Begins an answer. Lets go of the cards used longest ago when there are too many.
  void begin(pass which, timestamp now);

  /// Writes the user of a profile. False, with nothing written, when there is none or
  /// (first pass) none that counts.
  bool write(json_writer& to, profile_id who);
  /// Encodes a user at hand, with or without a profile.
  void write(json_writer& to, const people::user& who) { encode(to, who, format_); }
  /// Members of the open object about something that stays as it is for many answers, a listing: encoded once, then
  /// copied, until `of` is another object or too much is kept. `of` is never null; `part` (below `parts_max`) tells
  /// apart what is written of it in several places. `encode_members` writes one member at least, and nothing that
  /// belongs to one answer or one caller.
  template <class T, class EncodeMembers>
  void write_members(json_writer& to, const std::shared_ptr<const T>& of, std::size_t part,
                     EncodeMembers encode_members) {
    if (const auto found = kept_.find(of.get()); found != kept_.end() && !found->second.members[part].empty())
      return to.raw_members(found->second.members[part]);
    std::string object;
    json_writer fresh{object};
    fresh.begin_object();
    encode_members(fresh);
    fresh.end_object();
    const auto members = std::string_view{object}.substr(1, object.size() - 2);
    to.raw_members(members);
    keep(of, part, members);
  }
  static constexpr std::size_t parts_max = 3;

  /// Whether the pass missed somebody.
  bool missed() const noexcept { return !missing_.empty(); }
  /// Hands over everybody the pass missed, each once.
  std::vector<wanted> take_missing();
  /// Takes in what came for `keys`, in the same order; null where there is no user.
  void take(std::span<const wanted> keys, std::span<const people::user_ptr> came);

  std::size_t bytes() const noexcept { return bytes_ + bytes_kept_; }

private:
  struct card {
    profile_id who;
    std::uint8_t version = 0;
    std::uint32_t used_in = 0; // the pass in which it went to the front last
    timestamp fetched_at{};
    std::string json; // empty: there is no such user
  };
  using cards = std::list<card>; // used last in front
  struct kept_members {
    std::shared_ptr<const void> of; // kept alive, as cards are found by its address
    std::array<std::string, parts_max> members;
  };

  static std::size_t weight(const card& of) noexcept;
  void drop_oldest();
  void clear();
  void keep(std::shared_ptr<const void> of, std::size_t part, std::string_view members);
  void clear_kept();

  const people::people_index& known_;
  timestamp vouch_removed_at_;
  bool keep_vouch_;
  user_format format_;
  std::size_t bytes_max_;

  cards cards_;
  std::unordered_map<profile_id, cards::iterator> by_profile_;
  std::size_t bytes_ = 0;
  std::vector<wanted> missing_;
  pass pass_ = pass::first;
  std::uint32_t passes_ = 0; // begins anew after the last number: a card may miss one place in the order
  timestamp now_{};

  std::unordered_map<const void*, kept_members> kept_;
  std::size_t bytes_kept_ = 0;
};

} // namespace credence::http
