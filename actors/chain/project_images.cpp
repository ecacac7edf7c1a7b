#include "actors/chain/row_images.hpp"
#include "actors/chain/row_object.hpp"

#include <algorithm>

namespace credence::chain {

std::string row_images::columns(project_id key, const project_row& row, const origin& by) const {
  std::string managers = "{"; // an array as PostgreSQL writes it
  for (const auto each : row.managers)
    managers.append(managers.size() > 1 ? "," : "").append(std::to_string(each.value));
  return row_object{}
    .number("id", key)
    .number("user_id", row.user)
    .text("userkey", row.userkey)
    .flag("archived", row.archived)
    .text_or_null("name", row.name)
    .text("metadata", row.metadata)
    .text("managers", managers + "}")
    .time("created_at", row.created_at)
    .time("updated_at", std::max(row.created_at, by.at))
    .of(by);
}

} // namespace credence::chain
