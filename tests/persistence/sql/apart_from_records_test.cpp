#include "actors/store.hpp"
#include "persistence/postgres/column.hpp"
#include "persistence/sql/audit_sql.hpp"
#include "persistence/writer/fact_sql.hpp"
#include "tests/persistence/database.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <set>

namespace credence::persistence {
namespace {

using namespace std::chrono_literals;

enum class access { reads, inserts, updates, deletes };
struct touch {
  std::string table;
  access how;
  auto operator<=>(const touch&) const = default;
};

/// Identifiers and signs of SQL, also of what is in quotes, as functions make statements of texts; without comments.
std::vector<std::string> tokens_of(std::string_view sql) {
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  std::vector<std::string> out;
  for (std::size_t at = 0; at < sql.size();) {
    auto end = at + 1;
    if (sql.substr(at, 2) == "--") {
      at = std::min(sql.find('\n', at), sql.size());
      continue;
    }
    if (in_word(sql[at]))
      while (end < sql.size() && in_word(sql[end]))
        ++end;
    if (!std::isspace(static_cast<unsigned char>(sql[at])) && sql[at] != '\'' && sql[at] != '"')
      out.emplace_back(sql.substr(at, end - at));
    at = end;
  }
  return out;
}

/// What a migrated database says of its tables, functions and triggers.
class catalogue {
public:
  catalogue() : on_(test::look_into(test::fresh_database())) {
    for (const auto& [name, ignored] :
         pairs("SELECT relname::text AS a, '' AS b FROM pg_class WHERE relkind IN ('r', 'p')"
               " AND relnamespace = 'public'::regnamespace"))
      tables_.insert(name);
    for (const auto& [name, source] :
         pairs("SELECT proname::text AS a, prosrc AS b FROM pg_proc WHERE pronamespace = 'public'::regnamespace"))
      functions_[name] += source + ";";
    for (const auto& [how, bit] :
         {std::pair{access::inserts, "4"}, std::pair{access::deletes, "8"}, std::pair{access::updates, "16"}})
      for (const auto& [table, function] :
           pairs(std::string{"SELECT c.relname::text AS a, p.proname::text AS b FROM pg_trigger t"
                             " JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid"
                             " WHERE NOT t.tgisinternal AND (t.tgtype & "}
                 + bit + ") <> 0"))
        triggers_[{table, how}].insert(function);
  }

  /// The tables that these statements touch, by themselves, by the functions that they call, and by the triggers of
  /// what is written.
  std::set<touch> reached_by(const statements_used& statements) const {
    reach all;
    for (const auto* each : statements)
      follow(each->sql, all);
    return all.touches;
  }

private:
  struct reach {
    std::set<touch> touches;
    std::set<std::string> functions;
  };

  std::vector<std::pair<std::string, std::string>> pairs(const std::string& sql) {
    const auto found = on_.exec_params(sql.c_str(), deadline_in(60s));
    const column<std::string> a{found, "a"}, b{found, "b"};
    std::vector<std::pair<std::string, std::string>> out;
    for (int i = 0; i < found.count(); ++i)
      out.emplace_back(a[i], b[i]);
    return out;
  }
  void call(const std::string& function, reach& all) const {
    if (all.functions.insert(function).second)
      follow(functions_.at(function), all);
  }
  void note(const std::string& table, access how, reach& all) const {
    if (!all.touches.insert({table, how}).second)
      return;
    if (const auto found = triggers_.find({table, how}); found != triggers_.end())
      for (const auto& each : found->second)
        call(each, all);
  }
  void follow(std::string_view sql, reach& all) const {
    const auto tokens = tokens_of(sql);
    const std::string nothing;
    const auto before = [&](std::size_t at, std::size_t by) -> const std::string& {
      return at >= by ? tokens[at - by] : nothing;
    };
    std::string inserted; // by the statement that we are in
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      const auto& word = tokens[at];
      const auto& next = at + 1 < tokens.size() ? tokens[at + 1] : nothing;
      const std::size_t skipped = before(at, 1) == "ONLY";
      const auto &last = before(at, 1 + skipped), &last_but_one = before(at, 2 + skipped);
      if (word == ";")
        inserted.clear();
      if (word == "UPDATE" && last == "DO" && !inserted.empty()) // ON CONFLICT
        note(inserted, access::updates, all);
      if (next == "(" && functions_.contains(word))
        call(word, all);
      if (!tables_.contains(word))
        continue;
      if (last == "INTO" && last_but_one == "INSERT")
        note(inserted = word, access::inserts, all);
      else if (last == "UPDATE")
        note(word, access::updates, all);
      else if (last == "FROM" && last_but_one == "DELETE")
        note(word, access::deletes, all);
      else if (last == "FROM" || last == "JOIN" || last == "USING"
               || (last == "," && std::islower(static_cast<unsigned char>(next.c_str()[0]))))
        note(word, access::reads, all); // after a comma a table has an alias, and a column has none
    }
  }

  connection on_;
  std::set<std::string> tables_;
  std::map<std::string, std::string> functions_; // their sources by name
  std::map<std::pair<std::string, access>, std::set<std::string>>
    triggers_; // functions by table and what they follow on
};

template <class... F>
statements_used statements_of(types<F...>) {
  statements_used all;
  const auto add = [&](const statements_used& some) { all.insert(all.end(), some.begin(), some.end()); };
  (add(sql_of(kind<F>{})->used), ...);
  return all;
}

/// Tables that the one writes and the other reads or writes. Rows that both only add need no order.
std::set<std::string> shared(const std::set<touch>& written, const std::set<touch>& other) {
  std::set<std::string> out;
  for (const auto& ours : written)
    for (const auto& theirs : other)
      if (ours.table == theirs.table && ours.how != access::reads
          && !(ours.how == access::inserts && theirs.how == access::inserts))
        out.insert(ours.table);
  return out;
}

template <class... F>
void expect_apart(types<F...>, const catalogue& schema, const std::set<touch>& records) {
  const auto look = [&](bool apart, std::string_view name, const statements_used& statements) {
    if (apart) {
      EXPECT_EQ(shared(schema.reached_by(statements), records), std::set<std::string>{})
        << name << " writes what records or scores are made of";
    }
  };
  (look(credence::detail::commutes_with_chain<F>, fact<F>::name, sql_of(kind<F>{})->used), ...);
}

// What records, scores and the audit are made of is what their changes and those of a chain reach: a change that says
// it is apart writes none of it.
TEST(Fact, IsApartFromRecordsWhereItsTriggersAre) {
  const catalogue schema;
  auto statements = statements_of(reputation::storage::facts{});
  for (const auto& more : {statements_of(chain::storage::facts{}), statements_of(score::storage::facts{}),
                           statements_of(slash::storage::facts{}), statements_used{&audit_columns::how}})
    statements.insert(statements.end(), more.begin(), more.end());
  const auto records = schema.reached_by(statements);
  for (const auto* table : {"reviews", "subjects", "users", "score_dirty", "score_inputs", "chain_events", "audit_log"})
    EXPECT_TRUE(records.contains({table, access::inserts}) || records.contains({table, access::updates}))
      << table << " is not found";
  EXPECT_EQ(shared(schema.reached_by(sql_of(kind<profile::xp_tipped>{})->used), records).count("xp_accounts"), 1u)
    << "by a trigger: tips are not apart";
  expect_apart(all_facts{}, schema, records);
}

} // namespace
} // namespace credence::persistence
