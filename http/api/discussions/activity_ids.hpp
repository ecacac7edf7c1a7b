#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/reputation/reply_types.hpp"
#include "http/call/parameters.hpp"

#include <string_view>
#include <vector>

namespace credence::http {

/// A body that names activities by type, such as `{"review": [1, 2], "vouch": [3]}`: 1 to `limits::bulk_records_max` in
/// all. Each once, in the order of the types, then by id. Refused with every mistake.
outcome<std::vector<reputation::activity>> read_activity_ids(std::string_view body);

/// The activity that `type` and `activityId` of a query name, which public clients call `activityType` and `id` as
/// well; both are required.
reputation::activity read_activity(parameters& given);

} // namespace credence::http
