#include "actors/chain/apply.hpp"
#include "actors/chain/chain_records.hpp"
#include "persistence/sql/chain_sql.hpp"

/// The rows that events make, read for the fold. Of what the API makes as well, the rows that events made.
namespace credence {

template <>
inline constexpr std::span<const std::string_view> words_of<chain::invitation_status> = chain::invitation_status_words;
template <>
inline constexpr std::span<const std::string_view> words_of<chain::post_level> = chain::post_level_words;
template <>
inline constexpr std::span<const std::string_view> words_of<chain::market_status> = chain::market_status_words;
template <>
inline constexpr std::span<const std::string_view> words_of<chain::slash_type> = chain::slash_type_words;
template <>
inline constexpr std::span<const std::string_view> words_of<chain::slash_end> = chain::slash_end_words;
template <>
inline constexpr std::span<const std::string_view> words_of<chain::slash_resolution> = chain::slash_resolution_words;

namespace persistence {

namespace {

using namespace chain;

/// Reads rows of one table by their keys, within a snapshot.
struct row_reading {
  connection& on;
  const row_keys& keys;
  chain_rows& to;
  steady_time deadline;

  rows find(const char* sql, const parameters& asked) const { return on.run(sql, asked, deadline); }
};

/// Puts the rows of an answer into a table, by the fields of its keys and of its rows.
template <class Table, class... Key, class... Row>
void put_rows(Table& to, const rows& found, const field_list<Key...>& key, const field_list<Row...>& row) {
  const auto keys = records_in(found, key);
  const auto values = records_in(found, row);
  for (int i = 0; i < found.count(); ++i)
    to.put(keys[i], values[i]);
}

/// A key that is one number, in the column `id`.
template <class Id>
constexpr field_list key_of_id{field{"id", &Id::value}};

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
// Which one of several was accepted is read of the contract; events leave them all alike.
constexpr auto invitations_sql =
  "SELECT i.id, i.sender, i.recipient, CASE WHEN i.status = 'ACCEPTED' AND i.source = 'chain' AND p.told_inviter IS "
  "NULL"
  "  THEN 'ACCEPTED_OTHER_INVITATION' ELSE i.status END AS status, i.invited_at, i.accepted_at, i.profile"
  " FROM invitations i LEFT JOIN profiles p ON p.id = i.profile WHERE i.recipient = ANY($1::bytea[])";
constexpr auto chain_rows_reviews_sql =
  "SELECT id, author_profile, author_address, subject_key AS key, subject_generation AS generation, score, archived,"
  " created_at, updated_at, edits FROM reviews WHERE id = ANY($1::int4[])";
constexpr auto chain_rows_votes_sql =
  "SELECT v.kind, v.target_id, v.voter, v.number, v.upvote, v.archived, v.created_at, v.updated_at FROM activity_votes "
  "v"
  " JOIN unnest($1::text[], $2::int4[], $3::int4[]) k(kind, target_id, voter) USING (kind, target_id, voter)";
constexpr auto chain_rows_replies_sql =
  "SELECT id, author_profile, target_kind, created_at, updated_at, edits FROM replies"
  " WHERE id = ANY($1::int4[]) AND author_profile IS NOT NULL";

constexpr field_list place_of_subject{field{"key", &subject_place::key},
                                      field{"generation", &subject_place::generation}};

void read_users(const row_reading& from) {
  using of = user_row;
  static constexpr field_list fields{field{"profile", &of::profile}, field{"active", &of::active},
                                     field{"merged_into", &of::merged_into}};
  if (!from.keys.users.empty())
    put_rows(from.to.users, from.find(users_sql, with(array_of(from.keys.users))), key_of_id<user_id>, fields);
}

void read_profiles(const row_reading& from) {
  using of = profile_row;
  static constexpr field_list fields{field{"user_id", &of::user},
                                     field{"main", &of::primary},
                                     field{"invites_available", &of::invites_available},
                                     field{"inviter", &of::inviter},
                                     field{"created_at", &of::created_at},
                                     field{"archived", &of::archived},
                                     field{"orphaned", &of::orphaned}};
  if (!from.keys.profiles.empty())
    put_rows(from.to.profiles, from.find(chain_rows_profiles_sql, with(array_of(from.keys.profiles))),
             key_of_id<profile_id>, fields);
}

void read_addresses(const row_reading& from) {
  using of = address_row;
  static constexpr field_list fields{field{"user_id", &of::user}, field{"compromised", &of::compromised},
                                     field{"first_seen_at", &of::first_seen_at},
                                     field{"unlinked_at", &of::unlinked_at}};
  const auto& keys = from.keys;
  if (!keys.addresses.empty() || !keys.holders.empty())
    put_rows(from.to.addresses, from.find(addresses_sql, with(array_of(keys.addresses), array_of(keys.holders))),
             field_list{field{"address", &address::bytes}}, fields);
}

void read_attestations(const row_reading& from) {
  using of = attestation_row;
  static constexpr field_list fields{field{"profile_id", &of::profile}, field{"service", &of::service},
                                     field{"account", &of::account},    field{"evidence", &of::evidence},
                                     field{"archived", &of::archived},  field{"created_at", &of::created_at}};
  if (!from.keys.attestations.empty())
    put_rows(from.to.attestations, from.find(chain_rows_attestations_sql, with(array_of(from.keys.attestations))),
             key_of_id<attestation_id>, fields);
}

void read_subjects(const row_reading& from) {
  using of = subject_row;
  static constexpr field_list fields{field{"user_id", &of::user}, field{"service", &of::service},
                                     field{"account", &of::account}};
  const auto& keys = from.keys;
  if (!keys.newest.empty() || !keys.subjects.empty())
    put_rows(
      from.to.subjects,
      from.find(chain_rows_subjects_sql, with(array_of(keys.newest), array_of(keys.subjects, &subject_place::key),
                                              array_of(keys.subjects, &subject_place::generation))),
      place_of_subject, fields);
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

void read_invitations(const row_reading& from) {
  using of = invitation_row;
  static constexpr field_list fields{field{"sender", &of::sender},           field{"recipient", &of::recipient},
                                     field{"status", &of::status},           field{"invited_at", &of::invited_at},
                                     field{"accepted_at", &of::accepted_at}, field{"profile", &of::profile}};
  if (!from.keys.recipients.empty())
    put_rows(from.to.invitations, from.find(invitations_sql, with(array_of(from.keys.recipients))),
             key_of_id<invitation_id>, fields);
}

// -- records -------------------------------------------------------------------------------------

void read_reviews(const row_reading& from) {
  using of = review_row;
  static constexpr auto fields =
    within(&of::subject, place_of_subject, field{"author_profile", &of::author_profile},
           field{"author_address", or_null(&of::author_address)}, field{"score", as_number<std::int16_t>(&of::score)},
           field{"archived", &of::archived}, field{"created_at", &of::created_at}, field{"updated_at", &of::updated_at},
           field{"edits", &of::edits});
  if (!from.keys.reviews.empty())
    put_rows(from.to.reviews, from.find(chain_rows_reviews_sql, with(array_of(from.keys.reviews))),
             key_of_id<review_id>, fields);
}

void read_votes(const row_reading& from) {
  using key = activity_vote_key;
  using of = activity_vote_row;
  static constexpr field_list key_fields{field{"kind", &key::target, &target_place::kind},
                                         field{"target_id", &key::target, &target_place::id},
                                         field{"voter", &key::voter}};
  static constexpr field_list fields{field{"number", &of::number}, field{"upvote", &of::upvote},
                                     field{"archived", &of::archived}, field{"created_at", &of::created_at},
                                     field{"updated_at", &of::updated_at}};
  const auto& votes = from.keys.votes;
  if (!votes.empty())
    put_rows(from.to.votes,
             from.find(chain_rows_votes_sql, with(array_of(votes, [](const key& each) { return each.target.kind; }),
                                                  array_of(votes, [](const key& each) { return each.target.id; }),
                                                  array_of(votes, &key::voter))),
             key_fields, fields);
}

void read_replies(const row_reading& from) {
  using of = reply_row;
  static constexpr field_list fields{field{"author_profile", &of::author}, field{"target_kind", &of::target_kind},
                                     field{"created_at", &of::created_at}, field{"updated_at", &of::updated_at},
                                     field{"edits", &of::edits}};
  if (!from.keys.replies.empty())
    put_rows(from.to.replies, from.find(chain_rows_replies_sql, with(array_of(from.keys.replies))), key_of_id<reply_id>,
             fields);
}

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
                          "v.author_address END AS wallet, v.subject_key AS key,"
                          " v.subject_generation AS generation, v.subject_profile, v.staked, v.deposited, v.balance, "
                          "v.withdrawn, v.slashed, v.told_metadata, v.archived,"
                          " v.frozen, v.vouched_at, v.unvouched_at, v.unhealthy_at FROM wanted JOIN vouches v USING "
                          "(contract, number) WHERE v.source = 'chain'";
constexpr auto vouch_rows_parts_sql =
  CREDENCE_VOUCHES_WANTED " SELECT p.contract, p.number, p.day, p.amount FROM wanted JOIN vouch_parts p USING "
                          "(contract, number) ORDER BY p.contract, p.number, p.day";
constexpr auto vouch_rows_rewards_sql =
  "SELECT profile, balance, deposited, withdrawn FROM vouch_rewards WHERE profile = ANY($1::int4[])";

constexpr field_list vouch_key_fields{field{"contract", &vouch_key::contract}, field{"number", &vouch_key::number}};

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
  using of = vouch_row;
  using part = score::vouch_part;
  static constexpr auto fields =
    within(&of::subject, place_of_subject, field{"author_profile", &of::author}, field{"wallet", &of::wallet},
           field{"subject_profile", &of::subject_profile}, field{"staked", &of::staked},
           field{"deposited", &of::deposited}, field{"balance", &of::balance}, field{"withdrawn", &of::withdrawn},
           field{"slashed", &of::slashed}, field{"told_metadata", &of::metadata}, field{"archived", &of::archived},
           field{"frozen", &of::frozen}, field{"vouched_at", &of::vouched_at}, field{"unvouched_at", &of::unvouched_at},
           field{"unhealthy_at", &of::unhealthy_at});
  const auto& keys = from.keys;
  if (keys.vouches.empty() && keys.parties.empty())
    return;
  const auto wanted = with(array_of(keys.vouches, &vouch_key::contract), array_of(keys.vouches, &vouch_key::number),
                           array_of(parties(keys, &voucher::who)), array_of(parties(keys, &address::bytes)),
                           array_of(parties(keys, &pool_of::whom)), array_of(parties(keys, &subject_place::key)));
  const auto found_parts = from.find(vouch_rows_parts_sql, wanted);
  const auto whose = records_in(found_parts, vouch_key_fields);
  const auto each_part = records_in(found_parts, field_list{field{"day", &part::day}, field{"amount", &part::amount}});
  std::map<vouch_key, std::vector<part>> parts;
  for (int i = 0; i < found_parts.count(); ++i)
    parts[whose[i]].push_back(each_part[i]);
  const auto found = from.find(vouch_rows_vouches_sql, wanted);
  const auto vouch_keys = records_in(found, vouch_key_fields);
  const auto vouches = records_in(found, fields);
  for (int i = 0; i < found.count(); ++i) {
    const auto key = vouch_keys[i];
    auto row = vouches[i];
    row.parts = std::move(parts[key]);
    from.to.vouches.put(key, std::move(row));
  }
}

void read_rewards_of_vouches(const row_reading& from) {
  using of = vouch_rewards_row;
  if (!from.keys.vouch_rewards.empty())
    put_rows(from.to.vouch_rewards, from.find(vouch_rows_rewards_sql, with(array_of(from.keys.vouch_rewards))),
             field_list{field{"profile", &profile_id::value}},
             field_list{field{"balance", &of::balance}, field{"deposited", &of::deposited},
                        field{"withdrawn", &of::withdrawn}});
}

constexpr auto followed_bonds_sql = "SELECT id, author_profile, bond_type, amount, amount_type, told_expiration, "
                                    "told_expires_at, archived_at, archived_by_wallet,"
                                    " coalesce(archive_reason, '') AS archive_reason, created_at, updated_at FROM "
                                    "bonds WHERE id = ANY($1::int4[]) AND source = 'chain'";

void read_bonds(const row_reading& from) {
  using of = bond_row;
  static constexpr field_list fields{field{"author_profile", &of::author},
                                     field{"bond_type", &of::type},
                                     field{"amount", &of::amount},
                                     field{"amount_type", &of::amount_type},
                                     field{"told_expiration", &of::expiration},
                                     field{"told_expires_at", &of::expires_at},
                                     field{"archived_at", &of::archived_at},
                                     field{"archived_by_wallet", &of::archived_by},
                                     field{"archive_reason", &of::archive_reason},
                                     field{"created_at", &of::created_at},
                                     field{"updated_at", &of::updated_at}};
  if (!from.keys.bonds.empty())
    put_rows(from.to.bonds, from.find(followed_bonds_sql, with(array_of(from.keys.bonds))), key_of_id<chain::bond_id>,
             fields);
}

std::string select_followed_slashes(const char* rest) {
  return std::string{"SELECT id, author_id, coalesce(subject_address, subject_hash) AS subject, subject_user_id, "
                     "subject_profile_id, type, amount,"
                     " duration_s, comment, metadata, created_at, closed_at, ended_by, resolution, resolution_bps, "
                     "executed FROM slashes"
                     " WHERE source = 'chain' AND "}
         + rest;
}

void add_slashes(chain_rows& to, const rows& found) {
  using of = slash_row;
  static constexpr field_list fields{field{"author_id", &of::author},
                                     field{"subject", &of::subject},
                                     field{"subject_user_id", or_null(&of::user)},
                                     field{"subject_profile_id", &of::subject_profile},
                                     field{"type", &of::type},
                                     field{"amount", &of::amount},
                                     field{"duration_s", &of::duration_s},
                                     field{"comment", &of::comment},
                                     field{"metadata", &of::metadata},
                                     field{"created_at", &of::created_at},
                                     field{"ended_by", &of::ended_by},
                                     field{"closed_at", &of::closed_at},
                                     field{"resolution", &of::resolution},
                                     field{"resolution_bps", &of::resolution_bps},
                                     field{"executed", &of::executed}};
  put_rows(to.slashes, found, key_of_id<slash_id>, fields);
}

void read_slashes(const row_reading& from) {
  static const auto sql = select_followed_slashes("id = ANY($1::int4[])");
  if (!from.keys.slashes.empty())
    add_slashes(from.to, from.find(sql.c_str(), with(array_of(from.keys.slashes))));
}

/// Those that are open, and end at or before that time.
void read_due_slashes(connection& on, unix_time until, chain_rows& to, steady_time deadline) {
  static const auto sql = select_followed_slashes("closed_at IS NULL AND ends_at <= $1::timestamptz");
  add_slashes(to, on.run(sql.c_str(), with(until), deadline));
}

// -- the broker, projects and tokens ------------------------------------------------------------

constexpr auto posts_sql =
  "SELECT id, author_profile, level, title, description, price, metadata, created_at, updated_at FROM broker_posts"
  " WHERE id = ANY($1::int4[])";
constexpr auto fees_sql = "SELECT post_id, token, amount, recipient FROM broker_fees WHERE post_id = ANY($1::int4[])";
constexpr auto credits_sql = "SELECT c.profile_id, c.token, c.balance FROM broker_credits c"
                             " JOIN unnest($1::int4[], $2::bytea[]) k(profile_id, token) USING (profile_id, token)";

void read_posts(const row_reading& from) {
  using of = post_row;
  static constexpr field_list fields{field{"author_profile", &of::author}, field{"level", &of::level},
                                     field{"title", &of::title},           field{"description", &of::description},
                                     field{"price", &of::price},           field{"metadata", &of::metadata},
                                     field{"created_at", &of::created_at}, field{"updated_at", &of::updated_at}};
  using fee = post_fee_row;
  static constexpr field_list fee_fields{field{"token", &fee::token}, field{"amount", &fee::amount},
                                         field{"recipient", &fee::recipient}};
  if (!from.keys.posts.empty())
    put_rows(from.to.posts, from.find(posts_sql, with(array_of(from.keys.posts))), key_of_id<chain::broker_post_id>,
             fields);
  if (!from.keys.post_fees.empty())
    put_rows(from.to.post_fees, from.find(fees_sql, with(array_of(from.keys.post_fees))),
             field_list{field{"post_id", &chain::broker_post_id::value}}, fee_fields);
}

void read_credits(const row_reading& from) {
  using key = credit_key;
  const auto& credits = from.keys.credits;
  if (!credits.empty())
    put_rows(from.to.credits,
             from.find(credits_sql, with(array_of(credits, &key::holder), array_of(credits, &key::token))),
             field_list{field{"profile_id", &key::holder}, field{"token", &key::token}},
             field_list{field{"balance", &credit_row::balance}});
}

constexpr auto projects_sql =
  "SELECT id, user_id, userkey, archived, name, metadata, managers, created_at FROM chain_projects"
  " WHERE id = ANY($1::int4[]) OR user_id = ANY($2::int4[])";

void read_projects(const row_reading& from) {
  using of = project_row;
  static constexpr field_list fields{field{"user_id", &of::user},      field{"userkey", &of::userkey},
                                     field{"archived", &of::archived}, field{"name", &of::name},
                                     field{"metadata", &of::metadata}, field{"created_at", &of::created_at}};
  const auto& keys = from.keys;
  if (keys.projects.empty() && keys.owners.empty())
    return;
  const auto found = from.find(projects_sql, with(array_of(keys.projects), array_of(keys.owners)));
  const auto projects = records_in(found, fields);
  const column<project_id> id{found, "id"};
  const column<std::vector<std::int32_t>> managers{found, "managers"};
  for (int i = 0; i < found.count(); ++i) {
    auto row = projects[i];
    for (const auto each : managers[i])
      row.managers.push_back({each});
    from.to.projects.put(id[i], std::move(row));
  }
}

constexpr auto balances_sql = "SELECT b.holder, b.token, b.balance, b.missing FROM token_balances b"
                              " JOIN unnest($1::bytea[], $2::bytea[]) k(holder, token) USING (holder, token)";
constexpr auto rewards_sql = "SELECT b.holder, b.contract, b.balance FROM reward_balances b"
                             " JOIN unnest($1::bytea[], $2::bytea[]) k(holder, contract) USING (holder, contract)";

void read_tokens(const row_reading& from) {
  const auto& [balances, rewards] = std::tie(from.keys.balances, from.keys.rewards);
  if (!balances.empty())
    put_rows(
      from.to.balances,
      from.find(balances_sql, with(array_of(balances, &token_key::holder), array_of(balances, &token_key::token))),
      field_list{field{"holder", &token_key::holder}, field{"token", &token_key::token}},
      field_list{field{"balance", &token_row::balance}, field{"missing", &token_row::missing}});
  if (!rewards.empty())
    put_rows(
      from.to.rewards,
      from.find(rewards_sql, with(array_of(rewards, &reward_key::holder), array_of(rewards, &reward_key::contract))),
      field_list{field{"holder", &reward_key::holder}, field{"contract", &reward_key::contract}},
      field_list{field{"balance", &reward_row::balance}});
}

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

constexpr field_list market_key_fields{field{"contract", &market_key::contract},
                                       field{"market_id", &market_key::number}};

void read_markets(const row_reading& from) {
  using of = market_row;
  static constexpr field_list fields{field{"creator", &of::creator},
                                     field{"recipient", &of::recipient},
                                     field{"liquidity", &of::config, &market_config::liquidity},
                                     field{"base_price", &of::config, &market_config::base_price},
                                     field{"creation_cost", &of::config, &market_config::creation_cost},
                                     field{"trust", &of::trust},
                                     field{"distrust", &of::distrust},
                                     field{"trust_price", &of::trust_price},
                                     field{"distrust_price", &of::distrust_price},
                                     field{"backing", &of::backing},
                                     field{"withdrawn", &of::withdrawn},
                                     field{"bought", &of::bought},
                                     field{"sold", &of::sold},
                                     field{"trades", &of::trades},
                                     field{"trust_trades", &of::trust_trades},
                                     field{"prices", &of::prices},
                                     field{"standing", &of::status},
                                     field{"created_at", &of::created_at},
                                     field{"updated_at", &of::updated_at}};
  using terms = token_market_terms;
  static constexpr field_list term_fields{
    field{"userkey_hash", or_null(&terms::userkey_hash)}, field{"pricing_contract", or_null(&terms::pricing_contract)},
    field{"trust_token", or_null(&terms::trust_token)}, field{"distrust_token", or_null(&terms::distrust_token)}};
  const auto& markets = from.keys.markets;
  if (markets.empty())
    return;
  const auto found =
    from.find(markets_sql, with(array_of(markets, &market_key::contract), array_of(markets, &market_key::number)));
  const auto stored = records_in(found, fields);
  const auto in_tokens = records_in(found, term_fields);
  const column<contract_kind> contract{found, "contract"};
  const column<market_id> id{found, "id"};
  const column<std::optional<std::string>> userkey{found, "userkey"};
  for (int i = 0; i < found.count(); ++i) {
    auto row = stored[i];
    if (auto whose = userkey[i]) {
      row.in_tokens = in_tokens[i];
      row.in_tokens->userkey = *std::move(whose);
    }
    from.to.markets.put({contract[i], id[i]}, std::move(row));
  }
}

void read_trades(const row_reading& from) {
  using of = market_trade_row;
  static constexpr auto fields =
    within(&of::market, market_key_fields, field{"account", &of::account}, field{"buys", &of::buys},
           field{"trusts", &of::trusts}, field{"votes", &of::votes}, field{"funds", &of::funds},
           field{"number", &of::number}, field{"side_number", &of::side_number},
           field{"account_number", &of::account_number}, field{"account_side_number", &of::account_side_number},
           field{"volume_after", &of::volume_after}, field{"bought_after", &of::bought_after}, field{"at", &of::at});
  using price = market_price_row;
  static constexpr auto price_fields =
    within(&price::market, market_key_fields, field{"number", &price::number}, field{"trust", &price::trust},
           field{"distrust", &price::distrust}, field{"trust_price", &price::trust_price},
           field{"distrust_price", &price::distrust_price}, field{"at", &price::at});
  const auto put_by_event = [](auto& to, const rows& found, const auto& list) {
    const column<std::int64_t> event_id{found, "event_id"};
    const auto records = records_in(found, list);
    for (int i = 0; i < found.count(); ++i)
      to.put(event_id[i], records[i]);
  };
  if (const auto& trades = from.keys.market_trades; !trades.empty())
    put_by_event(from.to.market_trades, from.find(trades_sql, with(array_of(trades))), fields);
  if (const auto& prices = from.keys.market_prices; !prices.empty())
    put_by_event(from.to.market_prices, from.find(prices_sql, with(array_of(prices))), price_fields);
}

void read_positions(const row_reading& from) {
  using key = market_position_key;
  using of = market_position_row;
  static constexpr auto key_fields = within(&key::market, market_key_fields, field{"account", &key::account});
  const auto& positions = from.keys.market_positions;
  if (!positions.empty())
    put_rows(from.to.market_positions,
             from.find(market_rows_positions_sql,
                       with(array_of(positions, [](const key& each) { return each.market.contract; }),
                            array_of(positions, [](const key& each) { return each.market.number; }),
                            array_of(positions, &key::account))),
             key_fields, field_list{field{"trust", &of::trust}, field{"distrust", &of::distrust}});
}

void read_accounts(const row_reading& from) {
  using key = market_account_key;
  using of = market_account_row;
  static constexpr field_list fields{field{"bought", &of::bought}, field{"sold", &of::sold},
                                     field{"donations", &of::donations}, field{"trades", &of::trades},
                                     field{"trust_trades", &of::trust_trades}};
  const auto& accounts = from.keys.market_accounts;
  if (!accounts.empty())
    put_rows(
      from.to.market_accounts,
      from.find(market_rows_accounts_sql, with(array_of(accounts, &key::contract), array_of(accounts, &key::account))),
      field_list{field{"contract", &key::contract}, field{"account", &key::account}}, fields);
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
  for (const auto read_table : {read_users,
                                read_profiles,
                                read_addresses,
                                read_attestations,
                                read_subjects,
                                read_placeholders,
                                read_invitations,
                                read_reviews,
                                read_votes,
                                read_replies,
                                read_rewards_of_vouches,
                                read_vouches,
                                read_bonds,
                                read_posts,
                                read_credits,
                                read_projects,
                                read_tokens,
                                read_slashes,
                                read_markets,
                                read_trades,
                                read_positions,
                                read_accounts})
    read_table({on, keys, to, deadline});
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

folded_step read(connection& on, const fold_step& order, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  chain_rows rows;
  read_chain_counters(on, rows, deadline);
  if (order.followed.contains(record_kind::slash))
    read_due_slashes(on, closing_until(order.step), rows, deadline);
  auto out =
    fold_in_rounds(rows, order, [&](const row_keys& missing) { read_chain_rows(on, missing, rows, deadline); });
  snapshot.commit(deadline);
  return out;
}

} // namespace persistence

} // namespace credence
