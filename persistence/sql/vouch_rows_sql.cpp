#include "persistence/sql/vouch_rows_sql.hpp"

#include "actors/chain/chain_records.hpp"
#include "persistence/sql/chain_columns.hpp"
#include "persistence/sql/chain_sql.hpp"
#include "persistence/sql/in_order.hpp"

namespace credence::persistence {

namespace {

using namespace chain;

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

/// The same for both statements.
class wanted_vouches {
public:
  explicit wanted_vouches(const row_keys& keys) {
    for (const auto& each : keys.vouches) {
      contracts_.text(chain::name_of(each.contract));
      numbers_.int4(each.number.value);
    }
    for (const auto& each : keys.parties)
      std::visit([this](const auto& party) { add(party); }, each);
  }
  parameters with() {
    return std::move(
      parameters{}.array(contracts_).array(numbers_).array(authors_).array(wallets_).array(pools_).array(subjects_));
  }

private:
  void add(const voucher& author) { authors_.int4(author.who.value); }
  void add(const address& wallet) { wallets_.bytes(wallet.bytes); }
  void add(const pool_of& pool) { pools_.int4(pool.whom.value); }
  void add(const subject_place& subject) { subjects_.bytes(bytes_of(subject.key)); }

  binary_array contracts_{sql_type::text}, numbers_{sql_type::int4}, authors_{sql_type::int4},
    wallets_{sql_type::bytea}, pools_{sql_type::int4}, subjects_{sql_type::bytea};
};

using parts_by_vouch = std::map<vouch_key, std::vector<score::vouch_part>>;

parts_by_vouch read_parts(connection& on, wanted_vouches& wanted, steady_time deadline) {
  const auto found = on.run(vouch_rows_parts_sql, wanted.with(), deadline);
  const column<std::string_view> contract{found, "contract"};
  const column<vouch_id> number{found, "number"};
  const column<score::day> day{found, "day"};
  const column<wei> amount{found, "amount"};
  parts_by_vouch out;
  for (int i = 0; i < found.count(); ++i)
    out[{contract_in(contract[i]), number[i]}].push_back({amount[i], day[i]});
  return out;
}

struct vouch_row_columns {
  const rows& in;
  column<std::string_view> contract{in, "contract"};
  column<vouch_id> number{in, "number"};
  column<profile_id> author{in, "author_profile"};
  column<std::optional<address>> wallet{in, "wallet"};
  column<std::string_view> subject{in, "key"};
  column<std::int32_t> generation{in, "generation"};
  column<std::optional<profile_id>> subject_profile{in, "subject_profile"};
  column<wei> staked{in, "staked"}, deposited{in, "deposited"}, balance{in, "balance"}, withdrawn{in, "withdrawn"},
    slashed{in, "slashed"};
  column<std::optional<std::string>> metadata{in, "told_metadata"};
  column<bool> archived{in, "archived"}, frozen{in, "frozen"};
  column<timestamp> vouched_at{in, "vouched_at"};
  column<std::optional<timestamp>> unvouched_at{in, "unvouched_at"}, unhealthy_at{in, "unhealthy_at"};

  vouch_key key(int row) const { return {contract_in(contract[row]), number[row]}; }
  vouch_row vouch(int row, std::vector<score::vouch_part> parts) const {
    vouch_row out;
    out.author = author[row];
    out.wallet = wallet[row];
    out.subject = {key_of(subject[row]), generation[row]};
    out.subject_profile = subject_profile[row];
    out.staked = staked[row];
    out.deposited = deposited[row];
    out.balance = balance[row];
    out.withdrawn = withdrawn[row];
    out.slashed = slashed[row];
    out.parts = std::move(parts);
    out.metadata = metadata[row];
    out.archived = archived[row];
    out.frozen = frozen[row];
    out.vouched_at = seconds_of(vouched_at[row]);
    out.unvouched_at = seconds_of(unvouched_at[row]);
    out.unhealthy_at = seconds_of(unhealthy_at[row]);
    return out;
  }
};

void read_rewards(connection& on, const row_keys& keys, chain_rows& to, steady_time deadline) {
  if (keys.vouch_rewards.empty())
    return;
  auto ids = ids_of(keys.vouch_rewards);
  const auto found = on.run(vouch_rows_rewards_sql, parameters{}.array(ids), deadline);
  const column<profile_id> whose{found, "profile"};
  const column<wei> balance{found, "balance"}, deposited{found, "deposited"}, withdrawn{found, "withdrawn"};
  for (int i = 0; i < found.count(); ++i)
    to.vouch_rewards.put(whose[i], {balance[i], deposited[i], withdrawn[i]});
}

} // namespace

void read_vouch_rows(connection& on, const row_keys& keys, chain_rows& to, steady_time deadline) {
  read_rewards(on, keys, to, deadline);
  if (keys.vouches.empty() && keys.parties.empty())
    return;
  wanted_vouches wanted{keys};
  auto parts = read_parts(on, wanted, deadline);
  const auto found = on.run(vouch_rows_vouches_sql, wanted.with(), deadline);
  const vouch_row_columns from{found};
  for (int i = 0; i < found.count(); ++i) {
    const auto key = from.key(i);
    to.vouches.put(key, from.vouch(i, std::move(parts[key])));
  }
}

} // namespace credence::persistence
