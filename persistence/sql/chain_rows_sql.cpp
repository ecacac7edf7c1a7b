#include "actors/chain/apply.hpp"
#include "actors/chain/chain_records.hpp"
#include "persistence/sql/chain_sql.hpp"

/// The rows that events make, read for the fold. Of what the API makes as well, the rows that events made.
namespace credence {

namespace persistence {

template <>
struct detail::stored_as<std::vector<profile_id>> : stored_as<std::vector<std::int32_t>> {
  static std::vector<profile_id> from(std::string_view raw) {
    std::vector<profile_id> out;
    for (const auto each : stored_as<std::vector<std::int32_t>>::from(raw))
      out.push_back({each});
    return out;
  }
};

namespace {

using namespace chain;

/// The keys in an answer: their own columns, or the one that the row names.
template <class Row, class Key>
auto row_keys_in(const rows& found) {
  if constexpr (with_columns<Key>)
    return records_in(found, Key::columns);
  else if constexpr (requires { Row::key_column; })
    return column<Key>{found, Row::key_column.data()};
  else
    return column<Key>{found, "id"};
}

/// Puts the rows of an answer into a table, by the columns of its keys and of its rows. `more` are columns that are
/// written in another way.
template <class Key, class Row, class Index, class... More>
void put_rows(row_table<Key, Row, Index>& to, const rows& found, const field<More>&... more) {
  const auto keys = row_keys_in<Row, Key>(found);
  const auto values = records_in(found, Row::columns.apply([&](const auto&... each) {
    return field_list{each..., more...};
  }));
  for (int i = 0; i < found.count(); ++i)
    to.put(keys[i], values[i]);
}

/// Keys as parameters: an array for each of their columns, in order.
template <class Key>
parameters arrays_of(const std::set<Key>& keys) {
  if constexpr (with_columns<Key>)
    return Key::columns.apply(
      [&](const auto&... each) { return with(array_of(keys, [&](const Key& key) { return each.of(key); })...); });
  else
    return with(array_of(keys));
}

/// Reads rows by their keys, within a snapshot.
struct row_reading {
  connection& on;
  const row_keys& keys;
  chain_rows& to;
  steady_time deadline;

  rows find(const char* sql, const parameters& asked) const { return on.run(sql, asked, deadline); }

  /// The rows of one table that have these keys.
  template <class Key, class Row, class Index, class... More>
  void by_key(row_table<Key, Row, Index>& table, const char* sql, const std::set<Key>& wanted,
              const field<More>&... more) const {
    if (!wanted.empty())
      put_rows(table, find(sql, arrays_of(wanted)), more...);
  }
};

// -- identities ----------------------------------------------------------------------------------

/// Ids of users that events bring. Those that the API brings are below, so that two who count do not meet.
constexpr auto counters_sql =
  "SELECT name, last FROM chain_last_ids"
  " UNION ALL SELECT 'user', coalesce((SELECT max(id) FROM users WHERE id >= 1000000000), 999999999)"
  " UNION ALL SELECT 'invitation', coalesce((SELECT max(id) FROM invitations), 0)";
constexpr auto params_sql = "SELECT contract, name, value FROM chain_params";
constexpr auto users_sql = "SELECT u.id, (SELECT p.id FROM profiles p WHERE p.user_id = u.id AND NOT p.orphaned) AS "
                           "profile, u.status = 'ACTIVE' AS active, u.merged_into"
                           " FROM users u WHERE u.id = ANY($1::int4[])";
constexpr auto chain_rows_profiles_sql = "SELECT p.id, p.user_id, (SELECT a.address FROM addresses a WHERE a.user_id = "
                                         "p.user_id AND a.kind = 'primary') AS main,"
                                         " p.invites_available, CASE p.source WHEN 'chain' THEN p.told_inviter ELSE "
                                         "p.invited_by END AS inviter, p.created_at, p.archived, p.orphaned FROM "
                                         "profiles p WHERE p.id = ANY($1::int4[])";
constexpr auto addresses_sql =
  "SELECT address, user_id, compromised, coalesce(first_seen_at, added_at) AS first_seen_at, unlinked_at FROM addresses"
  " WHERE address = ANY($1::bytea[]) OR user_id = ANY($2::int4[])";
constexpr auto chain_rows_attestations_sql =
  "SELECT id, profile_id, service, account, coalesce(evidence, '') AS evidence, archived, created_at FROM attestations"
  " WHERE id = ANY($1::int4[]) AND profile_id IS NOT NULL";
constexpr auto chain_rows_subjects_sql =
  "SELECT s.key, s.generation, s.user_id, s.service, s.account FROM subjects s JOIN (SELECT k.key, (SELECT "
  "max(n.generation)"
  "   FROM subjects n WHERE n.key = k.key) AS generation FROM unnest($1::bytea[]) k(key)"
  "  UNION SELECT * FROM unnest($2::bytea[], $3::int4[])) w ON w.key = s.key AND w.generation = s.generation";
constexpr auto placeholders_sql = "SELECT mock_id, key, generation FROM placeholders WHERE mock_id = ANY($1::int4[])";
constexpr auto open_invitations_sql =
  "SELECT id, sender, recipient, status, invited_at, accepted_at, profile FROM invitations"
  " WHERE recipient = ANY($1::bytea[]) AND status = 'INVITED'";
// Which one of several was accepted is read of the contract; events leave them all alike.
constexpr auto invitations_sql =
  "SELECT i.id, i.sender, i.recipient, CASE WHEN i.status = 'ACCEPTED' AND i.source = 'chain' AND p.told_inviter IS "
  "NULL"
  "  THEN 'ACCEPTED_OTHER_INVITATION' ELSE i.status END AS status, i.invited_at, i.accepted_at, i.profile"
  " FROM invitations i LEFT JOIN profiles p ON p.id = i.profile WHERE i.recipient = ANY($1::bytea[])";
constexpr auto chain_rows_reviews_sql =
  "SELECT id, author_profile, coalesce(author_address, decode(repeat('00', 20), 'hex')) AS author_address,"
  " subject_key, subject_generation, score, archived,"
  " created_at, updated_at, edits FROM reviews WHERE id = ANY($1::int4[])";
constexpr auto chain_rows_votes_sql =
  "SELECT v.kind, v.target_id, v.voter, v.number, v.upvote, v.archived, v.created_at, v.updated_at FROM activity_votes "
  "v"
  " JOIN unnest($1::text[], $2::int4[], $3::int4[]) k(kind, target_id, voter) USING (kind, target_id, voter)";
constexpr auto chain_rows_replies_sql =
  "SELECT id, author_profile, target_kind, created_at, updated_at, edits FROM replies"
  " WHERE id = ANY($1::int4[]) AND author_profile IS NOT NULL";

void read_addresses(const row_reading& from) {
  const auto& keys = from.keys;
  if (!keys.addresses.empty() || !keys.holders.empty())
    put_rows(from.to.addresses, from.find(addresses_sql, with(array_of(keys.addresses), array_of(keys.holders))));
}

void read_subjects(const row_reading& from) {
  const auto& keys = from.keys;
  if (!keys.newest.empty() || !keys.subjects.empty())
    put_rows(from.to.subjects, from.find(chain_rows_subjects_sql,
                                         with(array_of(keys.newest), array_of(keys.subjects, &subject_place::key),
                                              array_of(keys.subjects, &subject_place::generation))));
}

void read_placeholders(const row_reading& from) {
  if (from.keys.placeholders.empty())
    return;
  const auto found = from.find(placeholders_sql, with(array_of(from.keys.placeholders)));
  const column<profile_id> id{found, "mock_id"};
  const column<std::optional<subject_key>> key{found, "key"};
  const column<std::optional<std::int32_t>> generation{found, "generation"};
  for (int i = 0; i < found.count(); ++i) {
    placeholder_row row;
    if (const auto named = key[i])
      row.names = subject_place{*named, generation[i].value_or(0)};
    from.to.placeholders.put(id[i], row);
  }
}

void read_open_invitations(const row_reading& from) {
  if (!from.keys.recipients.empty())
    put_rows(from.to.invitations, from.find(open_invitations_sql, with(array_of(from.keys.recipients))));
}

// -- records -------------------------------------------------------------------------------------

// By their numbers; active ones by author, wallet, pool and subject. An event told the wallet of those in WHUF alone.
#define CREDENCE_VOUCHES_WANTED                                                                                        \
  "WITH wanted AS (SELECT contract, number FROM unnest($1::text[], $2::int4[]) k(contract, number)"                    \
  " UNION SELECT contract, number FROM vouches WHERE author_profile = ANY($3::int4[]) AND contract = 'vouch' AND NOT " \
  "archived"                                                                                                           \
  " UNION SELECT contract, number FROM vouches WHERE author_address = ANY($4::bytea[]) AND contract = 'vouchV2' AND "  \
  "NOT archived"                                                                                                       \
  " UNION SELECT contract, number FROM vouches WHERE subject_profile = ANY($5::int4[]) AND contract = 'vouch' AND "    \
  "NOT archived"                                                                                                       \
  " UNION SELECT contract, number FROM vouches WHERE subject_key = ANY($6::bytea[]) AND contract = 'vouch' AND NOT "   \
  "archived)"
constexpr auto vouch_rows_vouches_sql =
  CREDENCE_VOUCHES_WANTED " SELECT v.contract, v.number, v.author_profile, CASE v.contract WHEN 'vouchV2' THEN "
                          "v.author_address END AS wallet, v.subject_key,"
                          " v.subject_generation, v.subject_profile, v.staked, v.deposited, v.balance, "
                          "v.withdrawn, v.slashed, v.told_metadata, v.archived,"
                          " v.frozen, v.vouched_at, v.unvouched_at, v.unhealthy_at FROM wanted JOIN vouches v USING "
                          "(contract, number) WHERE v.source = 'chain'";
constexpr auto vouch_rows_parts_sql =
  CREDENCE_VOUCHES_WANTED " SELECT p.contract, p.number, p.day, p.amount FROM wanted JOIN vouch_parts p USING "
                          "(contract, number) ORDER BY p.contract, p.number, p.day";
constexpr auto vouch_rows_rewards_sql =
  "SELECT profile, balance, deposited, withdrawn FROM vouch_rewards WHERE profile = ANY($1::int4[])";

/// That member of those parties whose vouches are wanted, of one kind.
template <class Party, class Member>
std::vector<Member> parties(const row_keys& keys, Member Party::*member) {
  std::vector<Member> out;
  for (const auto& each : keys.parties)
    if (const auto* party = std::get_if<Party>(&each))
      out.push_back(party->*member);
  return out;
}

void read_vouches(const row_reading& from) {
  using part = score::vouch_part;
  const auto& keys = from.keys;
  if (keys.vouches.empty() && keys.parties.empty())
    return;
  const auto wanted = with(array_of(keys.vouches, &vouch_key::contract), array_of(keys.vouches, &vouch_key::number),
                           array_of(parties(keys, &voucher::who)), array_of(parties(keys, &address::bytes)),
                           array_of(parties(keys, &pool_of::whom)), array_of(parties(keys, &subject_place::key)));
  const auto found_parts = from.find(vouch_rows_parts_sql, wanted);
  const auto whose = records_in(found_parts, vouch_key::columns);
  const auto each_part = records_in(found_parts, CREDENCE_FIELDS(part, day, amount));
  std::map<vouch_key, std::vector<part>> parts;
  for (int i = 0; i < found_parts.count(); ++i)
    parts[whose[i]].push_back(each_part[i]);
  const auto found = from.find(vouch_rows_vouches_sql, wanted);
  const auto vouch_keys = records_in(found, vouch_key::columns);
  const auto vouches = records_in(found, joined_lists(vouch_row::columns, CREDENCE_FIELDS(vouch_row, wallet)));
  for (int i = 0; i < found.count(); ++i) {
    const auto key = vouch_keys[i];
    auto row = vouches[i];
    row.parts = std::move(parts[key]);
    from.to.vouches.put(key, std::move(row));
  }
}

constexpr auto followed_bonds_sql = "SELECT id, author_profile, bond_type, amount, amount_type, told_expiration, "
                                    "told_expires_at, archived_at, archived_by_wallet,"
                                    " coalesce(archive_reason, '') AS archive_reason, created_at, updated_at FROM "
                                    "bonds WHERE id = ANY($1::int4[]) AND source = 'chain'";

std::string select_followed_slashes(const char* rest) {
  return std::string{"SELECT id, author_id, coalesce(subject_address, subject_hash) AS subject, subject_user_id, "
                     "subject_profile_id, type, amount,"
                     " duration_s, comment, metadata, created_at, closed_at, ended_by, resolution, resolution_bps, "
                     "executed FROM slashes"
                     " WHERE source = 'chain' AND "}
         + rest;
}

void add_slashes(chain_rows& to, const rows& found) {
  put_rows(to.slashes, found, field{"subject", &slash_row::subject},
           field{"subject_user_id", or_null(&slash_row::user)});
}

void read_slashes(const row_reading& from) {
  static const auto sql = select_followed_slashes("id = ANY($1::int4[])");
  if (!from.keys.slashes.empty())
    add_slashes(from.to, from.find(sql.c_str(), with(array_of(from.keys.slashes))));
}

/// Of those that are open and end by the end of the step the first ones: as many as it closes, one more, and as many as
/// its events may end otherwise.
void read_due_slashes(connection& on, const blocks_applied& step, chain_rows& to, steady_time deadline) {
  static const auto sql =
    select_followed_slashes("closed_at IS NULL AND ends_at <= $1::timestamptz ORDER BY ends_at, id LIMIT $2::int4");
  const auto most = closings_at_once + 1 + static_cast<std::int32_t>(step.events.size());
  add_slashes(to, on.run(sql.c_str(), with(closing_until(step), most), deadline));
}

// -- the broker, projects and tokens ------------------------------------------------------------

constexpr auto posts_sql =
  "SELECT id, author_profile, level, title, description, price, metadata, created_at, updated_at FROM broker_posts"
  " WHERE id = ANY($1::int4[])";
constexpr auto fees_sql = "SELECT post_id, token, amount, recipient FROM broker_fees WHERE post_id = ANY($1::int4[])";
constexpr auto credits_sql = "SELECT c.profile_id, c.token, c.balance FROM broker_credits c"
                             " JOIN unnest($1::int4[], $2::bytea[]) k(profile_id, token) USING (profile_id, token)";

constexpr auto projects_sql =
  "SELECT id, user_id, userkey, archived, name, metadata, managers, created_at FROM chain_projects"
  " WHERE id = ANY($1::int4[]) OR user_id = ANY($2::int4[])";

void read_projects(const row_reading& from) {
  const auto& keys = from.keys;
  if (!keys.projects.empty() || !keys.owners.empty())
    put_rows(from.to.projects, from.find(projects_sql, with(array_of(keys.projects), array_of(keys.owners))));
}

constexpr auto balances_sql = "SELECT b.holder, b.token, b.balance, b.missing FROM token_balances b"
                              " JOIN unnest($1::bytea[], $2::bytea[]) k(holder, token) USING (holder, token)";
constexpr auto rewards_sql = "SELECT b.holder, b.contract, b.balance FROM reward_balances b"
                             " JOIN unnest($1::bytea[], $2::bytea[]) k(holder, contract) USING (holder, contract)";

// -- markets -------------------------------------------------------------------------------------

constexpr auto markets_sql =
  "SELECT m.* FROM chain_markets m JOIN unnest($1::text[], $2::int4[]) k(contract, id) USING (contract, id)";
constexpr auto trades_sql = "SELECT * FROM chain_trades WHERE event_id = ANY($1::int8[])";
constexpr auto prices_sql = "SELECT * FROM chain_prices WHERE event_id = ANY($1::int8[])";
constexpr auto market_rows_positions_sql = "SELECT p.* FROM chain_positions p"
                                           " JOIN unnest($1::text[], $2::int4[], $3::bytea[]) k(contract, market_id, "
                                           "account) USING (contract, market_id, account)";
constexpr auto market_rows_accounts_sql =
  "SELECT a.* FROM chain_market_accounts a"
  " JOIN unnest($1::text[], $2::bytea[]) k(contract, account) USING (contract, account)";

void read_markets(const row_reading& from) {
  if (from.keys.markets.empty())
    return;
  const auto found = from.find(markets_sql, arrays_of(from.keys.markets));
  const auto keys = records_in(found, market_key::columns);
  const auto stored = records_in(found, market_row::columns);
  const auto in_tokens = records_in(found, token_market_terms::columns);
  const column<std::optional<std::string_view>> userkey{found, "userkey"};
  for (int i = 0; i < found.count(); ++i) {
    auto row = stored[i];
    if (userkey[i])
      row.in_tokens = in_tokens[i];
    from.to.markets.put(keys[i], std::move(row));
  }
}

} // namespace

subject_key detail::stored_as<subject_key>::from(std::string_view raw) {
  if (raw.size() == 20)
    return stored_as<address>::from(raw);
  if (raw.size() == 32)
    return stored_as<digest32>::from(raw);
  std::uint32_t id = 0;
  for (const auto each : std::as_bytes(std::span{raw}))
    id = id << 8 | static_cast<std::uint32_t>(each);
  return profile_id{static_cast<std::int32_t>(id)};
}

void read_chain_rows(connection& on, const row_keys& keys, chain_rows& to, steady_time deadline) {
  const row_reading from{on, keys, to, deadline};
  from.by_key(to.users, users_sql, keys.users, field{"profile", &user_row::profile},
              field{"active", &user_row::active});
  from.by_key(to.profiles, chain_rows_profiles_sql, keys.profiles, field{"main", &profile_row::primary},
              field{"inviter", &profile_row::inviter});
  read_addresses(from);
  from.by_key(to.attestations, chain_rows_attestations_sql, keys.attestations,
              field{"evidence", &attestation_row::evidence});
  read_subjects(from);
  read_placeholders(from);
  read_open_invitations(from);
  from.by_key(to.reviews, chain_rows_reviews_sql, keys.reviews);
  from.by_key(to.votes, chain_rows_votes_sql, keys.votes);
  from.by_key(to.replies, chain_rows_replies_sql, keys.replies);
  from.by_key(to.vouch_rewards, vouch_rows_rewards_sql, keys.vouch_rewards);
  read_vouches(from);
  from.by_key(to.bonds, followed_bonds_sql, keys.bonds, field{"archived_by_wallet", &bond_row::archived_by},
              field{"archive_reason", &bond_row::archive_reason});
  from.by_key(to.posts, posts_sql, keys.posts);
  from.by_key(to.post_fees, fees_sql, keys.post_fees);
  from.by_key(to.credits, credits_sql, keys.credits);
  read_projects(from);
  from.by_key(to.balances, balances_sql, keys.balances);
  from.by_key(to.rewards, rewards_sql, keys.rewards);
  read_slashes(from);
  read_markets(from);
  from.by_key(to.market_trades, trades_sql, keys.market_trades);
  from.by_key(to.market_prices, prices_sql, keys.market_prices);
  from.by_key(to.market_positions, market_rows_positions_sql, keys.market_positions);
  from.by_key(to.market_accounts, market_rows_accounts_sql, keys.market_accounts);
}

void read_invitations_to(connection& on, const std::set<address>& whom, chain_rows& to, steady_time deadline) {
  put_rows(to.invitations, on.run(invitations_sql, with(array_of(whom)), deadline));
}

void read_chain_counters(connection& on, chain_rows& to, steady_time deadline) {
  const auto counters = on.run(counters_sql, deadline);
  const column<std::string> name{counters, "name"};
  const column<std::int64_t> last{counters, "last"};
  for (int i = 0; i < counters.count(); ++i)
    to.last_ids.put(name[i], last[i]);
  const auto params = on.run(params_sql, deadline);
  const column<contract_kind> contract{params, "contract"};
  const column<std::string> param{params, "name"}, value{params, "value"};
  for (int i = 0; i < params.count(); ++i)
    to.parameters.put({contract[i], param[i]}, value[i]);
}

/// Reads the rows in rounds, as those that are found lead to others.
folded_step read(connection& on, const fold_step& order, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  chain_rows rows;
  read_chain_counters(on, rows, deadline);
  if (order.followed.contains(record_kind::slash))
    read_due_slashes(on, order.step, rows, deadline);
  auto out =
    fold_in_rounds(rows, order, [&](const row_keys& missing) { read_chain_rows(on, missing, rows, deadline); });
  return out;
}
load_handler handler(asked<chain::fold_step> it) { return reads<load_by_key, chain::storage>(it); }

} // namespace persistence

} // namespace credence
