#pragma once

#include "actors/domain/hash.hpp"
#include "actors/domain/page.hpp"
#include "actors/people/user_types.hpp"
#include "actors/reputation/bond_types.hpp"
#include "actors/reputation/reply_types.hpp"
#include "actors/reputation/review_types.hpp"
#include "actors/reputation/vouch_types.hpp"

#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

/// Feeds of activities, each with its author and its subject.
namespace credence::reputation {

/// Users that an answer names.
using named_users = std::unordered_map<user_id, people::user_ptr>;

/// What feeds show; a vouch that was withdrawn is an unvouch. Vouches of the contract `vouchV2` are shown as these,
/// too; they are looked for by a kind of their own, as their ids are.
enum class feed_kind : std::uint8_t { reply, review, unvouch, vouch, bond, vouch_v2 };
inline constexpr std::array<std::string_view, 6> feed_kind_names{"reply", "review", "unvouch",
                                                                 "vouch", "bond",   "vouchV2"};

/// A row of a feed.
struct feed_row {
  feed_kind kind{};
  timestamp at{};
  std::optional<user_id> author;  // null: of a chain, by somebody without a profile
  std::optional<user_id> subject; // null: of a reply
  std::int64_t upvotes = 0;
  std::int64_t downvotes = 0;
  std::int64_t replies = 0;
  bool viewer_replied = false;
  bool spam = false; // a positive review that its subject voted down
  std::variant<review_record, vouch_record, reply_record, bond_record> record;
};

struct feed_page {
  std::vector<feed_row> rows;
  std::int64_t total = 0; // at most `limits::list_depth_max`
  named_users users;
  page slice;
};

enum class feed_side : std::uint8_t { everybody, given, received, both };
/// In pairs, what is there most of first, then the other way round: by time, by upvotes less downvotes (`votes`), by
/// all votes
/// (`voted`), by replies, by the scores of author and subject, by the fewer of upvotes and downvotes (`controversial`),
/// and by votes of which ten times as many weigh as much as 12.5 hours (`hot`).
enum class feed_order : std::uint8_t {
  newest,
  oldest,
  most_votes,
  fewest_votes,
  most_voted,
  least_voted,
  most_replies,
  fewest_replies,
  highest_author,
  lowest_author,
  highest_subject,
  lowest_subject,
  most_controversial,
  least_controversial,
  hottest,
  coolest
};
inline constexpr std::size_t feed_orders = 16;

/// A page of a feed. Each kind is read to the depth of `limits::list_depth_max` rows from the newest, or with `oldest`
/// from the oldest; those that match the filters are counted.
struct list_feed {
  using answer_type = feed_page;
  feed_side side{};
  user_id whose = {};                               // not of `everybody`
  std::optional<std::vector<feed_kind>> kinds = {}; // null: all
  bool with_archived = true;                        // reviews and bonds that are archived, vouches that were withdrawn
  bool with_spam = true;
  std::optional<std::vector<review_score>> scores = {}; // only reviews with one of these
  std::optional<std::int32_t> author_score_min = {};    // of today
  std::optional<timestamp> since = {};                  // only what was done then or later
  feed_order order{};
  page slice = {};
  std::optional<profile_id> viewer = {};
};

struct feed_key {
  feed_kind kind{}; // a vouch is found as `vouch` and as `unvouch`, one of `vouchV2` as that
  std::int32_t id = 0;
};
/// Rows by key, in the order asked; those that are not there are left out.
struct get_feed_rows {
  using answer_type = feed_page;
  std::vector<feed_key> which;
  std::optional<profile_id> viewer = {};
};
/// The row of that kind which a transaction of the chain made or changed: of several the one that its events name
/// first. Of a transaction, the events that are looked at are the first `transaction_events_max` of the contract.
struct get_feed_row_of {
  using answer_type = feed_page;
  static constexpr std::int32_t transaction_events_max = 100;
  feed_kind kind{};
  digest32 transaction{};
  std::optional<profile_id> viewer = {};
};

} // namespace credence::reputation
