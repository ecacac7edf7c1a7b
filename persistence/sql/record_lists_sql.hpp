#pragma once

#include "actors/reputation/activity_types.hpp"
#include "actors/reputation/list_types.hpp"
#include "persistence/postgres/connection.hpp"
#include "persistence/readers/query_policy.hpp"

#include <map>
#include <set>
#include <utility>
#include <vector>

/// Lists of records. Each is of one snapshot.
namespace credence::persistence {

/// The users with these ids that are there, inside a transaction of the caller's; an id may be named twice.
reputation::named_users read_named_here(connection& on, std::vector<user_id> ids, steady_time deadline);
/// Whose these profiles are, inside a transaction of the caller's.
std::map<profile_id, user_id> read_owners_here(connection& on, const std::set<profile_id>& which, steady_time deadline);

/// Adds records to a list, in the order of `ids`, with the users who made them; ids without a record are passed over.
template <class Row, class Record, class Id>
void add_authored(reputation::list_of<Row>& to, std::vector<Record> found, const std::vector<Id>& ids,
                  const std::map<profile_id, user_id>& owners) {
  std::map<Id, Record> by_id;
  for (auto& each : found) {
    if constexpr (requires { each.place(); })
      by_id.emplace(each.place(), std::move(each));
    else
      by_id.emplace(each.id, std::move(each));
  }
  for (const auto id : ids)
    if (const auto here = by_id.find(id); here != by_id.end()) {
      const auto owner = owners.find(here->second.author);
      to.rows.push_back({here->second, owner == owners.end() ? std::nullopt : std::optional{owner->second}});
    }
}

/// Who wrote these.
template <class Record>
std::set<profile_id> authors_of(const std::vector<Record>& of) {
  std::set<profile_id> out;
  for (const auto& each : of)
    out.insert(each.author);
  return out;
}

using activity_vote_list = reputation::list_activity_votes::answer_type;
activity_vote_list read(connection& on, const reputation::list_activity_votes& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<reputation::list_activity_votes>) { return list_of_many; }

std::vector<reputation::vote_stats> read(connection& on, const reputation::get_vote_stats& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<reputation::get_vote_stats>) { return list_of_many; }

using reply_list = reputation::list_replies::answer_type;
reply_list read(connection& on, const reputation::list_replies& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<reputation::list_replies>) { return list_a_page; }
reply_list read(connection& on, const reputation::get_replies& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<reputation::get_replies>) { return list_a_page; }

std::vector<reputation::reply_count> read(connection& on, const reputation::get_reply_counts& query,
                                          steady_time deadline);
constexpr query_policy query_policy_of(asked<reputation::get_reply_counts>) { return list_a_page; }

reputation::named_accounts read(connection& on, const reputation::find_farcaster_names& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<reputation::find_farcaster_names>) { return list_a_page; }

using vouch_list = reputation::list_vouches::answer_type;
vouch_list read(connection& on, const reputation::list_vouches& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<reputation::list_vouches>) { return list_of_many; }

reputation::vouch_fees_told read(connection& on, const reputation::get_vouch_fees& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<reputation::get_vouch_fees>) { return list_a_page; }
using user_list = reputation::list_mutual_vouchers::answer_type;
user_list read(connection& on, const reputation::list_mutual_vouchers& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<reputation::list_mutual_vouchers>) { return list_of_many; }

reputation::vouch_sums read(connection& on, const reputation::get_vouch_sums& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<reputation::get_vouch_sums>) { return list_of_many; }

reputation::reviews_between read(connection& on, const reputation::get_reviews_between& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<reputation::get_reviews_between>) { return list_a_page; }

using profile_list = reputation::list_profiles::answer_type;
profile_list read(connection& on, const reputation::list_profiles& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<reputation::list_profiles>) { return list_a_page; }

reputation::profile_stats read(connection& on, const reputation::get_profile_stats& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<reputation::get_profile_stats>) { return list_a_page; }

using invitation_list = reputation::list_invitations::answer_type;
invitation_list read(connection& on, const reputation::list_invitations& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<reputation::list_invitations>) { return list_a_page; }
reputation::pending_invitations read(connection& on, const reputation::list_pending_invitations& query,
                                     steady_time deadline);
constexpr query_policy query_policy_of(asked<reputation::list_pending_invitations>) { return list_a_page; }

reputation::invitation_tree read(connection& on, const reputation::get_invitation_tree& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<reputation::get_invitation_tree>) { return list_of_many; }

reputation::feed_page read(connection& on, const reputation::list_feed& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<reputation::list_feed>) { return list_of_many; }
reputation::feed_page read(connection& on, const reputation::get_feed_rows& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<reputation::get_feed_rows>) { return list_a_page; }
reputation::feed_page read(connection& on, const reputation::get_feed_row_of& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<reputation::get_feed_row_of>) { return list_a_page; }

/// Posts of the broker, as clients read them.
using broker_post_list = reputation::list_broker_posts::answer_type;
broker_post_list read(connection& on, const reputation::list_broker_posts& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<reputation::list_broker_posts>) { return list_a_page; }

/// What a profile is notified of, the newest first.
reputation::notice_list read(connection& on, const reputation::list_notices& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<reputation::list_notices>) { return list_of_many; }

/// A page of everybody's tips, the newest first.
reputation::list_tips::answer_type read(connection& on, const reputation::list_tips& query, steady_time deadline);
constexpr query_policy query_policy_of(asked<reputation::list_tips>) { return list_of_many; }

} // namespace credence::persistence
