#include "persistence/sql/verification_sql.hpp"

#include "actors/people/people_state.hpp"
#include "config/bond_limits.hpp"
#include "persistence/sql/activity_sql.hpp"
#include "persistence/sql/bond_sql.hpp"
#include "persistence/sql/in_order.hpp"
#include "persistence/sql/words.hpp"

namespace credence::persistence {

namespace {

const statement decide_verification{
  "decide_verification",
  "SELECT decide_verification($1::int4, $2::int4, $3::boolean, $4::text, $5::text, $6::int4, $7::timestamptz,"
  " $8::timestamptz, $9::timestamptz)"};

constexpr auto by_profile_sql = "SELECT p.id AS profile_id, u.id AS user_id, u.human_verification, h.verified, "
                                "h.method, h.comment, h.decided_by, h.created_at, h.updated_at,"
                                " h.verified_at, u.score, u.validator_nft_count, u.verifier_blocked FROM profiles p "
                                "JOIN users u ON u.id = p.user_id LEFT JOIN human_verifications "
                                "h ON h.user_id = u.id"
                                " WHERE p.id = ANY($1::int4[]) ORDER BY p.id";
constexpr auto by_user_sql =
  "SELECT h.profile_id, u.id AS user_id, u.human_verification, h.verified, h.method, h.comment, h.decided_by, "
  "h.created_at, h.updated_at,"
  " h.verified_at FROM users u LEFT JOIN human_verifications h ON h.user_id = u.id WHERE u.id = $1::int4";

struct verification_columns {
  const rows& in;
  column<std::optional<profile_id>> profile{in, "profile_id"};
  column<user_id> user{in, "user_id"};
  column<std::optional<people::human_verification>> status{in, "human_verification"};
  column<std::optional<bool>> verified{in, "verified"};
  column<std::optional<reputation::verification_method>> method{in, "method"};
  column<std::optional<std::string>> comment{in, "comment"};
  column<std::optional<profile_id>> by{in, "decided_by"};
  column<std::optional<timestamp>> created_at{in, "created_at"};
  column<std::optional<timestamp>> updated_at{in, "updated_at"};
  column<std::optional<timestamp>> verified_at{in, "verified_at"};

  std::optional<reputation::verification_record> record(int row) const {
    const auto said = verified[row];
    if (!said)
      return std::nullopt;
    return reputation::verification_record{profile[row].value(),
                                           user[row],
                                           *said,
                                           method[row],
                                           comment[row].value(),
                                           by[row].value(),
                                           created_at[row].value(),
                                           updated_at[row].value(),
                                           verified_at[row]};
  }
};

} // namespace

statements_used sql_of<reputation::verification_decided>::used() { return {&decide_verification}; }
void sql_of<reputation::verification_decided>::add(const reputation::verification_decided& done, global_seq,
                                                   batch_statements& to) {
  const auto& record = done.record;
  parameters with;
  with.int4(record.profile.value).int4(record.user.value).boolean(record.verified);
  if (record.method)
    with.text(reputation::verification_method_names[static_cast<std::size_t>(*record.method)]);
  else
    with.null();
  to.put(decide_verification, with.text(record.comment)
                                .int4(record.by.value)
                                .time(record.created_at)
                                .time(record.updated_at)
                                .time(record.verified_at));
}

std::vector<reputation::verification_row> read_verifications_here(connection& on, const std::set<profile_id>& which,
                                                                  steady_time deadline) {
  std::vector<reputation::verification_row> out;
  if (which.empty())
    return out;
  auto ids = ids_of(which);
  const auto found = on.run(by_profile_sql, parameters{}.array(ids), deadline);
  const verification_columns from{found};
  const column<std::int32_t> score{found, "score"};
  const column<std::int32_t> validators{found, "validator_nft_count"};
  const column<bool> blocked{found, "verifier_blocked"};
  for (int i = 0; i < found.count(); ++i) {
    people::user who;
    who.verification = from.status[i];
    who.score = score[i];
    who.validator_nft_count = validators[i];
    const bool verifier = people::verifier_standing_of(who, blocked[i]).status == people::verifier_status::verifier;
    out.push_back({from.profile[i].value(), from.status[i], from.record(i), verifier});
  }
  return out;
}

reputation::verification_standing read(connection& on, const reputation::load_verification& query,
                                       steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  const auto found = on.run(by_user_sql, parameters{}.int4(query.user.value), deadline);
  if (found.empty())
    return {};
  const verification_columns from{found};
  reputation::verification_standing out{from.status[0], from.record(0)};
  std::vector<user_id> authors;
  auto bonds = read_bonds_about_here(on, query.user, authors, deadline);
  const auto users = read_named_here(on, authors, deadline);
  for (std::size_t i = 0; i < bonds.size(); ++i) {
    const auto author = users.find(authors[i]);
    out.bonds.push_back({std::move(bonds[i]), author == users.end() ? nullptr : author->second});
  }
  snapshot.commit(deadline);
  return out;
}

} // namespace credence::persistence
