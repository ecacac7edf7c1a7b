// What operators change by the console that no actor owns, each with its row of the audit.
#include "persistence/console/admin_database.hpp"
#include "persistence/sql/audit_sql.hpp"
#include "persistence/sql/chain_sql.hpp"

namespace credence::persistence {

namespace {

constexpr auto access_before_sql = "SELECT api_access FROM profiles WHERE id = $1::int4 FOR NO KEY UPDATE";
constexpr auto set_access_sql = "UPDATE profiles SET api_access = $2::bool WHERE id = $1::int4";

const char* word_of(bool allowed) { return allowed ? "allowed" : "not allowed"; }

void add_row(connection& on, const audit_act& act, const request_origin* from, steady_time until) {
  audit_columns row;
  row.add(act, from);
  on.exec_params(audit_columns::how.sql.c_str(), row.finish(), until);
}

} // namespace

bool admin_database::set_api_access(const console::set_api_access& order) {
  auto& database = on();
  const auto until = deadline_in(how_.statement_timeout);
  transaction all{database, until};
  const auto before = database.exec_params(access_before_sql, parameters{}.int4(order.profile.value), until);
  if (before.empty())
    return false;
  const auto was = before.first<bool>("api_access");
  if (was != order.allowed) {
    database.exec_params(set_access_sql, parameters{}.int4(order.profile.value).boolean(order.allowed), until);
    add_row(database, {order.at, "api_access_changed", order.profile, "API keys", word_of(was), word_of(order.allowed)},
            order.from.get(), until);
  }
  all.commit(until);
  return true;
}

void admin_database::retry_texts(const console::retry_texts& order) {
  auto& database = on();
  const auto until = deadline_in(how_.statement_timeout);
  transaction all{database, until};
  const auto again = persistence::retry_texts(database, until);
  add_row(database,
          {order.at, "texts_retried", std::nullopt, "texts of the chain", std::nullopt,
           std::to_string(again) + " tried again"},
          order.from.get(), until);
  all.commit(until);
}

std::optional<std::int64_t> admin_database::reprocess_failed(const console::reprocess_failed& order) {
  auto& database = on();
  const auto until = deadline_in(how_.statement_timeout);
  transaction all{database, until};
  const auto failed = persistence::reprocess_failed(database, until);
  if (!failed)
    return std::nullopt;
  add_row(database,
          {order.at, "events_reprocessed", std::nullopt, "events of the chain", std::nullopt,
           std::to_string(*failed) + " tried again"},
          order.from.get(), until);
  all.commit(until);
  return failed;
}

} // namespace credence::persistence
