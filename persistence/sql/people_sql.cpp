#include "persistence/sql/people_sql.hpp"

#include <algorithm>
#include <unordered_map>

namespace credence::persistence {

namespace {

// Two ordered scans that are merged here cost half of what the join costs there.
constexpr auto profiles_sql =
  "SELECT id, user_id, archived FROM profiles WHERE id > $1::int4 ORDER BY id LIMIT $2::int4";
constexpr auto named_profiles_sql = "SELECT id, user_id, archived FROM profiles WHERE id = ANY($1::int4[]) ORDER BY id";
constexpr auto scores_between_sql =
  "SELECT id, score FROM users WHERE id BETWEEN $1::int4 AND $2::int4 ORDER BY id";
constexpr auto scores_of_sql = "SELECT id, score FROM users WHERE id = ANY($1::int4[]) ORDER BY id";

constexpr auto users_of_sql = "SELECT user_id FROM profiles WHERE id = ANY($1::int4[])";

constexpr auto users_sql =
  "SELECT u.id, u.display_name, u.username, u.avatar_url, u.description, u.score, u.status,"
  " coalesce((SELECT a.balance FROM xp_accounts a WHERE a.id = p.id), 0), u.xp_streak_days, u.xp_removed_due_to_abuse, u.influence_factor, u.influence_percentile,"
  " u.human_verification, u.validator_nft_count, u.holdings_wei::text,"
  " u.reviews_negative, u.reviews_neutral, u.reviews_positive, p.id"
  " FROM users u LEFT JOIN profiles p ON p.user_id = u.id WHERE u.id = ANY($1::int4[])";

constexpr auto vouches_sql =
  "SELECT user_id, token, given_wei::text, received_wei::text, given_count, received_count,"
  " lifetime_given_wei::text, lifetime_received_wei::text, lifetime_given_count, lifetime_received_count"
  " FROM user_vouches WHERE user_id = ANY($1::int4[])";

constexpr auto addresses_sql = "SELECT user_id, 'address:0x' || encode(address, 'hex') FROM addresses"
                               " WHERE user_id = ANY($1::int4[])"
                               " ORDER BY user_id, kind <> 'primary', added_at, address";

constexpr auto accounts_sql = "SELECT user_id, 'service:' || service || ':' || account FROM attestations"
                              " WHERE user_id = ANY($1::int4[]) AND NOT archived ORDER BY user_id, id";

template <class Id>
binary_array array_of(const std::vector<Id>& ids) {
  binary_array out{sql_type::int4};
  for (const auto each : ids)
    out.int4(each.value);
  return out;
}

people::user_status status_of(std::string_view text) {
  if (text == "ACTIVE")
    return people::user_status::active;
  return text == "MERGED" ? people::user_status::merged : people::user_status::inactive;
}

people::human_verification verification_of(std::string_view text) {
  using enum people::human_verification;
  if (text == "VERIFIED")
    return verified;
  if (text == "REVOKED")
    return revoked;
  return text == "PENDING" ? pending : requested;
}

people::user user_from(const rows& from, int i) {
  people::user out;
  out.id = user_id{from.int4(i, 0)};
  out.display_name = from.text(i, 1);
  out.username = from.maybe_text(i, 2);
  out.avatar_url = from.text(i, 3);
  out.description = from.maybe_text(i, 4);
  out.score = from.int4(i, 5);
  out.status = status_of(from.text(i, 6));
  out.xp_total = from.int8(i, 7);
  out.xp_streak_days = from.int4(i, 8);
  out.xp_removed_due_to_abuse = from.boolean(i, 9);
  out.influence_factor = from.float8(i, 10);
  out.influence_percentile = from.float8(i, 11);
  if (!from.null(i, 12))
    out.verification = verification_of(from.text(i, 12));
  out.validator_nft_count = from.int4(i, 13);
  out.holdings_wei = from.maybe_text(i, 14);
  out.reviews_negative = from.int8(i, 15);
  out.reviews_neutral = from.int8(i, 16);
  out.reviews_positive = from.int8(i, 17);
  if (const auto profile = from.maybe_int4(i, 18)) {
    out.profile = profile_id{*profile};
    out.userkeys.push_back("profileId:" + std::to_string(*profile));
  }
  return out;
}

people::token_vouches vouches_from(const rows& from, int i, int first) {
  people::token_vouches out;
  out.given = from.text(i, first);
  out.received = from.text(i, first + 1);
  out.given_count = from.int8(i, first + 2);
  out.received_count = from.int8(i, first + 3);
  return out;
}

void add_vouches(people::user& to, const rows& from, int i) {
  if (from.text(i, 1) != "eth") {
    to.vouches_whuf = vouches_from(from, i, 2);
    return;
  }
  to.vouches_eth = vouches_from(from, i, 2);
  to.vouch_lifetime = vouches_from(from, i, 6);
}

/// The scores of the users behind a page of profiles, in order of user.
class score_list {
public:
  score_list(connection& on, const rows& profiles, steady_time deadline) {
    std::vector<user_id> users;
    users.reserve(static_cast<std::size_t>(profiles.count()));
    for (int i = 0; i < profiles.count(); ++i)
      users.push_back(user_id{profiles.int4(i, 1)});
    const auto [least, most] = std::minmax_element(users.begin(), users.end());
    const auto span = std::int64_t{most->value} - least->value;
    if (span < 2 * std::int64_t{profiles.count()} + 1000) {
      scores_ = on.run(scores_between_sql, parameters{}.int4(least->value).int4(most->value), deadline);
      return;
    }
    auto ids = array_of(users);
    parameters with;
    with.array(ids);
    scores_ = on.run(scores_of_sql, with, deadline);
  }

  /// `near` is where the one before was found: users mostly come in the order of profiles.
  std::int16_t of(std::int32_t user, int& near) const {
    if (near + 1 < scores_.count() && scores_.int4(near + 1, 0) == user)
      ++near;
    else
      near = search(user);
    return static_cast<std::int16_t>(scores_.int4(near, 1));
  }

private:
  int search(std::int32_t user) const {
    int low = 0;
    for (int high = scores_.count(); low < high;) {
      const int middle = low + (high - low) / 2;
      if (scores_.int4(middle, 0) < user)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  rows scores_;
};

} // namespace

people::stored_people read_people(connection& on, const people::load_people& asked, steady_time deadline) {
  people::stored_people out;
  transaction snapshot{on, deadline, begin_snapshot};
  auto named = array_of(asked.named);
  parameters names;
  if (!asked.named.empty())
    names.array(named);
  const auto profiles = asked.named.empty()
                          ? on.run(profiles_sql, parameters{}.int4(asked.after.value).int4(asked.limit), deadline)
                          : on.run(named_profiles_sql, names, deadline);
  if (!profiles.empty()) {
    const score_list scores{on, profiles, deadline};
    out.rows.reserve(static_cast<std::size_t>(profiles.count()));
    int near = 0;
    for (int i = 0; i < profiles.count(); ++i)
      out.rows.push_back({profile_id{profiles.int4(i, 0)}, scores.of(profiles.int4(i, 1), near),
                          !profiles.boolean(i, 2)});
  }
  snapshot.commit(deadline);
  return out;
}

std::vector<people::user_ptr> read_users_here(connection& on, const std::vector<user_id>& users,
                                              steady_time deadline) {
  auto ids = array_of(users);
  parameters with;
  with.array(ids);
  std::unordered_map<std::int32_t, std::shared_ptr<people::user>> by_id;
  std::vector<people::user_ptr> out;
  const auto heads = on.run(users_sql, with, deadline);
  for (int i = 0; i < heads.count(); ++i) {
    auto fresh = std::make_shared<people::user>(user_from(heads, i));
    if (by_id.emplace(fresh->id.value, fresh).second)
      out.push_back(std::move(fresh));
  }
  const auto vouches = on.run(vouches_sql, with, deadline);
  for (int i = 0; i < vouches.count(); ++i)
    add_vouches(*by_id.at(vouches.int4(i, 0)), vouches, i);
  for (const auto* sql : {addresses_sql, accounts_sql}) {
    const auto keys = on.run(sql, with, deadline);
    for (int i = 0; i < keys.count(); ++i)
      by_id.at(keys.int4(i, 0))->userkeys.emplace_back(keys.text(i, 1));
  }
  return out;
}

people::stored_users read_users(connection& on, const std::vector<user_id>& users, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  people::stored_users out{read_users_here(on, users, deadline)};
  snapshot.commit(deadline);
  return out;
}

people::stored_users read_users_of(connection& on, const std::vector<profile_id>& profiles, steady_time deadline) {
  auto ids = array_of(profiles);
  parameters with;
  with.array(ids);
  transaction snapshot{on, deadline, begin_snapshot};
  const auto owners = on.run(users_of_sql, with, deadline);
  std::vector<user_id> users;
  for (int i = 0; i < owners.count(); ++i)
    users.push_back(user_id{owners.int4(i, 0)});
  people::stored_users out{read_users_here(on, users, deadline)};
  snapshot.commit(deadline);
  return out;
}

} // namespace credence::persistence
