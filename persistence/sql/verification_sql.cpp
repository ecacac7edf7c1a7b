#include "actors/people/people_index.hpp"
#include "config/limits.hpp"
#include "persistence/sql/record_lists_sql.hpp"
#include "persistence/sql/reputation_sql.hpp"

/// Human verification.
namespace credence::persistence {

namespace {

const statement decide_verification{"decide_verification", "SELECT decide_verification("
                                                             + values_of<reputation::verification_decided>() + ")"};

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

/// What was decided of each; of many nothing was.
std::vector<std::optional<reputation::verification_record>> decisions_in(const rows& found) {
  const column<std::optional<bool>> verified{found, "verified"};
  const auto records = records_in(found, part<reputation::verification_record>::fields);
  std::vector<std::optional<reputation::verification_record>> out;
  for (int i = 0; i < found.count(); ++i)
    out.push_back(verified.null(i) ? std::nullopt : std::optional{records[i]});
  return out;
}

} // namespace

fact_sql_ptr sql_of(kind<reputation::verification_decided> it) { return written_in_turn(it, decide_verification); }

std::vector<reputation::verification_row> read_verifications_here(connection& on, const std::set<profile_id>& which,
                                                                  steady_time deadline) {
  std::vector<reputation::verification_row> out;
  if (which.empty())
    return out;
  const auto found = on.run(by_profile_sql, with(array_of(which)), deadline);
  auto decided = decisions_in(found);
  const column<profile_id> profile{found, "profile_id"};
  const column<std::optional<people::human_verification>> status{found, "human_verification"};
  const column<std::int32_t> score{found, "score"};
  const column<std::int32_t> validators{found, "validator_nft_count"};
  const column<bool> blocked{found, "verifier_blocked"};
  for (int i = 0; i < found.count(); ++i) {
    people::user who;
    who.verification = status[i];
    who.score = score[i];
    who.validator_nft_count = validators[i];
    const bool verifier =
      people::verifier_qualification_of(who, blocked[i]).status == people::verifier_status::verifier;
    out.push_back({profile[i], status[i], std::move(decided[static_cast<std::size_t>(i)]), verifier});
  }
  return out;
}

reputation::verification_status read(connection& on, const reputation::get_verification& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  const auto found = on.run(by_user_sql, with(query.user), deadline);
  if (found.empty())
    return {};
  reputation::verification_status out{found.first<std::optional<people::human_verification>>("human_verification"),
                                      std::move(decisions_in(found).front())};
  std::vector<user_id> authors;
  auto bonds = read_bonds_about_here(on, query.user, authors, deadline);
  const auto users = read_named_here(on, authors, deadline);
  for (std::size_t i = 0; i < bonds.size(); ++i) {
    const auto author = users.find(authors[i]);
    out.bonds.push_back({std::move(bonds[i]), author == users.end() ? nullptr : author->second});
  }
  return out;
}
load_handler handler(asked<reputation::get_verification> it) { return reads<load_by_key, reputation::storage>(it); }

} // namespace credence::persistence
