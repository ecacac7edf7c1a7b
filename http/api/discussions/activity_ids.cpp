#include "http/api/discussions/activity_ids.hpp"

#include "http/call/list_body.hpp"

#include <algorithm>

namespace credence::http {

outcome<std::vector<reputation::activity>> read_activity_ids(std::string_view text) {
  auto body = json_body::parse(text);
  if (!body)
    return body.why();
  std::vector<reputation::activity> out;
  for (std::size_t i = 0; i < reputation::activity_kind_names.size(); ++i)
    if (auto ids = read_ids_if_any<id<struct activity_tag>>(*body, reputation::activity_kind_names[i],
                                                            limits::bulk_records_max)) {
      std::sort(ids->begin(), ids->end());
      ids->erase(std::unique(ids->begin(), ids->end()), ids->end());
      for (const auto each : *ids)
        out.push_back({static_cast<reputation::activity_kind>(i), each.value});
    }
  if (body->good() && out.empty())
    body->issue("the body must name activities, such as {\"review\": [1, 2], \"vouch\": [3]}");
  if (body->good() && out.size() > limits::bulk_records_max)
    body->issue("the body must name at most " + std::to_string(limits::bulk_records_max) + " activities, not "
                + std::to_string(out.size()));
  if (!body->good())
    return body->why();
  return out;
}

reputation::activity read_activity(parameters& given) {
  const std::string_view type = given.has("activityType") ? "activityType" : "type";
  const std::string_view which = given.has("id") ? "id" : "activityId";
  const auto kind = given.required(type, "", [&] { return given.choice(type, reputation::activity_kind_names); });
  const auto number = given.required(which, "", [&] { return given.integer(which, {1, limits::id_max}); });
  return {static_cast<reputation::activity_kind>(kind.value_or(0)), static_cast<std::int32_t>(number.value_or(0))};
}

} // namespace credence::http
