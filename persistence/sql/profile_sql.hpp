#pragma once

#include "actors/profile/profile_storage.hpp"
#include "actors/profile/xp_types.hpp"
#include "persistence/postgres/column.hpp"
#include "persistence/readers/query_policy.hpp"
#include "persistence/writer/fact_sql.hpp"

#include <vector>

/// Profiles: what they have cast, their API keys, sessions and nonces, and their XP.
namespace credence::persistence {

extern const statement insert_tips, insert_grants;

/// API keys of rows with the columns of `api_keys`, their id as `key_id` and lists as texts with commas.
std::vector<profile::api_key> keys_in(const rows& found);

} // namespace credence::persistence
