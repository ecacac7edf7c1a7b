#include "persistence/migrations/migrate.hpp"

#include <algorithm>

namespace credence::persistence {

namespace {

constexpr std::string_view renamed = R"(
ALTER TABLE xp_accounts RENAME CONSTRAINT accounts_new_pkey TO xp_accounts_pkey;
ALTER TABLE xp_accounts RENAME CONSTRAINT accounts_new_profile_id_fkey TO xp_accounts_profile_id_fkey;
ALTER TABLE xp_movements RENAME CONSTRAINT movements_new_pkey TO xp_movements_pkey;
ALTER TABLE xp_movements RENAME CONSTRAINT movements_new_amount_check TO xp_movements_amount_check;
ALTER TABLE xp_movements RENAME CONSTRAINT movements_new_check TO xp_movements_check;
ALTER TABLE xp_movements RENAME CONSTRAINT movements_new_check1 TO xp_movements_check1;
ALTER TABLE xp_movements RENAME CONSTRAINT movements_new_message_check TO xp_movements_message_check;
ALTER TABLE xp_movements RENAME CONSTRAINT movements_new_seq_check TO xp_movements_seq_check;
ALTER TABLE xp_movements RENAME CONSTRAINT movements_new_source_id_check TO xp_movements_source_id_check;
ALTER TABLE xp_movements RENAME CONSTRAINT movements_new_source_type_check TO xp_movements_source_type_check;
ALTER SEQUENCE movements_new_id_seq RENAME TO xp_movements_id_seq;
ALTER TABLE slashes RENAME CONSTRAINT slashes_check1 TO slashes_check;
ALTER TABLE slashes RENAME CONSTRAINT slashes_check2 TO slashes_check1;
ALTER TABLE idempotency_records RENAME CONSTRAINT idempotency_records_pkey1 TO idempotency_records_pkey;
DROP FUNCTION chain_tables, chain_tables_before_reads, chain_tables_before_markets, chain_tables_before_slashes, chain_tables_to_0030,
  chain_tables_of_people;
)";

/// The definition of a function in the text of a migration.
std::string_view definition(std::string_view text, std::string_view begins_with) {
  const auto begin = text.find(begins_with);
  constexpr std::string_view end = "\n$$;\n";
  return text.substr(begin, text.find(end, begin) + end.size() - begin);
}

} // namespace

std::string to_baseline(std::span<const migration> build) {
  const auto chain =
    std::find_if(build.begin(), build.end(), [](const migration& each) { return each.name == "0011_chain.sql"; });
  return std::string{renamed} + std::string{definition(chain->text, "CREATE FUNCTION chain_tables()")};
}

} // namespace credence::persistence
