#pragma once

#include "actors/reputation/record_storage.hpp"
#include "persistence/postgres/connection.hpp"
#include "persistence/readers/query_policy.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

/// Lists of records. Each is of one snapshot.
namespace credence::persistence {

/// The users with these ids that are there, inside a transaction of the caller's; an id may be named twice.
reputation::named_users read_named_here(connection& on, std::vector<user_id> ids, steady_time deadline);
/// Those whom `of` takes out of these rows, each a user or nobody.
template <class Row, class... Of>
reputation::named_users users_of(connection& on, const std::vector<Row>& rows, steady_time deadline, Of... of) {
  std::vector<user_id> ids;
  const auto add = [&](const std::optional<user_id>& who) {
    if (who)
      ids.push_back(*who);
  };
  for (const auto& each : rows)
    (add(std::invoke(of, each)), ...);
  return read_named_here(on, std::move(ids), deadline);
}

/// Whose these profiles are, inside a transaction of the caller's.
std::map<profile_id, user_id> read_owners_here(connection& on, const std::set<profile_id>& which, steady_time deadline);

/// Adds records to a list, in the order of `ids`, with the users who made them; ids without a record are passed over.
template <class Row, class Record, class Id>
void add_authored(reputation::list_of<Row>& to, std::vector<Record> found, const std::vector<Id>& ids,
                  const std::map<profile_id, user_id>& owners) {
  std::map<Id, Record> by_id;
  for (auto& each : found) {
    if constexpr (requires { each.place(); })
      by_id.emplace(each.place(), std::move(each));
    else
      by_id.emplace(each.id, std::move(each));
  }
  for (const auto id : ids)
    if (const auto here = by_id.find(id); here != by_id.end()) {
      const auto owner = owners.find(here->second.author);
      to.rows.push_back({here->second, owner == owners.end() ? std::nullopt : std::optional{owner->second}});
    }
}

/// Who wrote these.
template <class Record>
std::set<profile_id> authors_of(const std::vector<Record>& of) {
  std::set<profile_id> out;
  for (const auto& each : of)
    out.insert(each.author);
  return out;
}

} // namespace credence::persistence
