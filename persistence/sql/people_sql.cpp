#include "persistence/sql/people_sql.hpp"

#include "persistence/sql/in_order.hpp"
#include "persistence/sql/words.hpp"

#include <algorithm>
#include <unordered_map>

namespace credence::persistence {

namespace {

// Two ordered scans that are merged here cost half of what the join costs there.
constexpr auto people_profiles_sql =
  "SELECT id, user_id, archived,"
  " CASE WHEN since_block > (SELECT authority FROM chain_follow) THEN since_block END AS unsettled"
  " FROM profiles WHERE id > $1::int4 ORDER BY id LIMIT $2::int4";
constexpr auto named_profiles_sql =
  "SELECT id, user_id, archived,"
  " CASE WHEN since_block > (SELECT authority FROM chain_follow) THEN since_block END AS unsettled"
  " FROM profiles WHERE id = ANY($1::int4[]) ORDER BY id";
constexpr auto scores_between_sql = "SELECT id, score FROM users WHERE id BETWEEN $1::int4 AND $2::int4 ORDER BY id";
constexpr auto scores_of_sql = "SELECT id, score FROM users WHERE id = ANY($1::int4[]) ORDER BY id";

constexpr auto users_of_sql = "SELECT user_id FROM profiles WHERE id = ANY($1::int4[])";

constexpr auto people_users_sql =
  "SELECT u.id, u.display_name, u.username, u.avatar_url, u.description, u.score, u.status,"
  " coalesce((SELECT a.balance FROM xp_accounts a WHERE a.id = p.id), 0) AS xp_total, u.xp_streak_days, "
  "u.xp_removed_due_to_abuse,"
  " u.influence_factor, u.influence_percentile, u.human_verification, u.validator_nft_count, u.holdings_wei::text AS "
  "holdings_wei,"
  " u.reviews_negative, u.reviews_neutral, u.reviews_positive, p.id AS profile_id"
  " FROM users u LEFT JOIN profiles p ON p.user_id = u.id WHERE u.id = ANY($1::int4[])";

constexpr auto people_vouches_sql = "SELECT user_id, token, given_wei::text AS given_wei, received_wei::text AS "
                                    "received_wei, given_count, received_count,"
                                    " lifetime_given_wei::text AS lifetime_given_wei, lifetime_received_wei::text AS "
                                    "lifetime_received_wei, lifetime_given_count,"
                                    " lifetime_received_count"
                                    " FROM user_vouches WHERE user_id = ANY($1::int4[])";

constexpr auto people_addresses_sql = "SELECT user_id, 'address:0x' || encode(address, 'hex') AS userkey FROM addresses"
                                      " WHERE user_id = ANY($1::int4[])"
                                      " ORDER BY user_id, kind <> 'primary', added_at, address";

constexpr auto people_accounts_sql =
  "SELECT user_id, 'service:' || service || ':' || account AS userkey FROM attestations"
  " WHERE user_id = ANY($1::int4[]) AND NOT archived ORDER BY user_id, id";

struct user_columns {
  const rows& in;
  column<user_id> id{in, "id"};
  column<std::string> display_name{in, "display_name"};
  column<std::optional<std::string>> username{in, "username"};
  column<std::string> avatar_url{in, "avatar_url"};
  column<std::optional<std::string>> description{in, "description"};
  column<std::int32_t> score{in, "score"};
  column<people::user_status> status{in, "status"};
  column<std::int64_t> xp_total{in, "xp_total"};
  column<std::int32_t> xp_streak_days{in, "xp_streak_days"};
  column<bool> xp_removed_due_to_abuse{in, "xp_removed_due_to_abuse"};
  column<double> influence_factor{in, "influence_factor"};
  column<double> influence_percentile{in, "influence_percentile"};
  column<std::optional<people::human_verification>> verification{in, "human_verification"};
  column<std::int32_t> validator_nft_count{in, "validator_nft_count"};
  column<std::optional<std::string>> holdings_wei{in, "holdings_wei"};
  column<std::int64_t> reviews_negative{in, "reviews_negative"};
  column<std::int64_t> reviews_neutral{in, "reviews_neutral"};
  column<std::int64_t> reviews_positive{in, "reviews_positive"};
  column<std::optional<profile_id>> profile{in, "profile_id"};

  people::user user(int row) const {
    people::user out;
    out.id = id[row];
    out.display_name = display_name[row];
    out.username = username[row];
    out.avatar_url = avatar_url[row];
    out.description = description[row];
    out.score = score[row];
    out.status = status[row];
    out.xp_total = xp_total[row];
    out.xp_streak_days = xp_streak_days[row];
    out.xp_removed_due_to_abuse = xp_removed_due_to_abuse[row];
    out.influence_factor = influence_factor[row];
    out.influence_percentile = influence_percentile[row];
    out.verification = verification[row];
    out.validator_nft_count = validator_nft_count[row];
    out.holdings_wei = holdings_wei[row];
    out.reviews_negative = reviews_negative[row];
    out.reviews_neutral = reviews_neutral[row];
    out.reviews_positive = reviews_positive[row];
    out.profile = profile[row];
    if (out.profile)
      out.userkeys.push_back("profileId:" + std::to_string(out.profile->value));
    return out;
  }
};

using users_by_id = std::unordered_map<std::int32_t, std::shared_ptr<people::user>>;

void add_vouches(users_by_id& to, const rows& found) {
  const column<std::int32_t> user{found, "user_id"};
  const column<std::string_view> token{found, "token"};
  const column<std::string> given{found, "given_wei"};
  const column<std::string> received{found, "received_wei"};
  const column<std::int64_t> given_count{found, "given_count"};
  const column<std::int64_t> received_count{found, "received_count"};
  const column<std::string> lifetime_given{found, "lifetime_given_wei"};
  const column<std::string> lifetime_received{found, "lifetime_received_wei"};
  const column<std::int64_t> lifetime_given_count{found, "lifetime_given_count"};
  const column<std::int64_t> lifetime_received_count{found, "lifetime_received_count"};
  for (int i = 0; i < found.count(); ++i) {
    auto& whose = *to.at(user[i]);
    const people::token_vouches now{given[i], received[i], given_count[i], received_count[i]};
    if (token[i] != "eth") {
      whose.vouches_whuf = now;
      continue;
    }
    whose.vouches_eth = now;
    whose.vouch_lifetime = {lifetime_given[i], lifetime_received[i], lifetime_given_count[i],
                            lifetime_received_count[i]};
  }
}

void add_userkeys(users_by_id& to, const rows& found) {
  const column<std::int32_t> user{found, "user_id"};
  const column<std::string> key{found, "userkey"};
  for (int i = 0; i < found.count(); ++i)
    to.at(user[i])->userkeys.push_back(key[i]);
}

rows scores_of(connection& on, const rows& profiles, steady_time deadline) {
  const column<user_id> user{profiles, "user_id"};
  std::vector<user_id> users;
  users.reserve(static_cast<std::size_t>(profiles.count()));
  for (int i = 0; i < profiles.count(); ++i)
    users.push_back(user[i]);
  const auto [least, most] = std::minmax_element(users.begin(), users.end());
  const auto span = std::int64_t{most->value} - least->value;
  if (span < 2 * std::int64_t{profiles.count()} + 1000)
    return on.run(scores_between_sql, parameters{}.int4(least->value).int4(most->value), deadline);
  auto ids = ids_of(users);
  return on.run(scores_of_sql, parameters{}.array(ids), deadline);
}

/// The scores of the users behind a page of profiles, in order of user.
class score_list {
public:
  score_list(connection& on, const rows& profiles, steady_time deadline) : found_(scores_of(on, profiles, deadline)) {}

  /// `near` is where the one before was found: users mostly come in the order of profiles.
  std::int16_t of(user_id user, int& near) const {
    if (near + 1 < found_.count() && user_[near + 1] == user)
      ++near;
    else
      near = search(user);
    return static_cast<std::int16_t>(score_[near]);
  }

private:
  int search(user_id user) const {
    int low = 0;
    for (int high = found_.count(); low < high;) {
      const int middle = low + (high - low) / 2;
      if (user_[middle] < user)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  rows found_;
  column<user_id> user_{found_, "id"};
  column<std::int32_t> score_{found_, "score"};
};

} // namespace

people::stored_people read(connection& on, const people::load_people& query, steady_time deadline) {
  people::stored_people out;
  transaction snapshot{on, deadline, begin_snapshot};
  auto named = ids_of(query.named);
  const auto profiles =
    query.named.empty() ? on.run(people_profiles_sql, parameters{}.int4(query.after.value).int4(query.limit), deadline)
                        : on.run(named_profiles_sql, parameters{}.array(named), deadline);
  if (!profiles.empty()) {
    const score_list scores{on, profiles, deadline};
    const column<profile_id> id{profiles, "id"};
    const column<user_id> user{profiles, "user_id"};
    const column<bool> archived{profiles, "archived"};
    const column<std::optional<std::int64_t>> unsettled{profiles, "unsettled"};
    out.rows.reserve(static_cast<std::size_t>(profiles.count()));
    int near = 0;
    for (int i = 0; i < profiles.count(); ++i)
      out.rows.push_back({id[i], scores.of(user[i], near), !archived[i], unsettled[i]});
  }
  snapshot.commit(deadline);
  return out;
}

std::vector<people::user_ptr> read_users_here(connection& on, const std::vector<user_id>& users, steady_time deadline) {
  auto ids = ids_of(users);
  const auto with = parameters{}.array(ids);
  users_by_id by_id;
  std::vector<people::user_ptr> out;
  const auto heads = on.run(people_users_sql, with, deadline);
  const user_columns from{heads};
  for (int i = 0; i < heads.count(); ++i) {
    auto fresh = std::make_shared<people::user>(from.user(i));
    if (by_id.emplace(fresh->id.value, fresh).second)
      out.push_back(std::move(fresh));
  }
  add_vouches(by_id, on.run(people_vouches_sql, with, deadline));
  add_userkeys(by_id, on.run(people_addresses_sql, with, deadline));
  add_userkeys(by_id, on.run(people_accounts_sql, with, deadline));
  return out;
}

people::stored_users read(connection& on, const people::load_users& query, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  people::stored_users out{read_users_here(on, query.users, deadline)};
  snapshot.commit(deadline);
  return out;
}

people::stored_users read(connection& on, const people::load_users_of& query, steady_time deadline) {
  auto ids = ids_of(query.profiles);
  transaction snapshot{on, deadline, begin_snapshot};
  const auto owners = on.run(users_of_sql, parameters{}.array(ids), deadline);
  const column<user_id> user{owners, "user_id"};
  std::vector<user_id> users;
  for (int i = 0; i < owners.count(); ++i)
    users.push_back(user[i]);
  people::stored_users out{read_users_here(on, users, deadline)};
  snapshot.commit(deadline);
  return out;
}

} // namespace credence::persistence
