#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/time.hpp"
#include "actors/profile/credential_types.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What operators look at across all owners: no actor of one profile or project could answer it.
namespace credence::oversight {

/// Where a page of keys ends.
struct key_place {
  timestamp created_at{};
  std::string id;
};
struct key_page {
  std::vector<profile::api_key> keys;
  std::optional<key_place> next; // none: there are no more
};
/// The API keys that are neither revoked nor expired, newest first, of one profile or of all.
struct list_all_keys {
  using answer_type = key_page;
  std::optional<profile_id> profile;
  std::optional<key_place> after;
  timestamp now{};
  std::int32_t limit = 0;
};

/// Events of one kind of one contract, by what became of them.
struct event_count {
  std::string contract;
  std::string event; // its name; empty: none that is known
  std::int64_t applied = 0;
  std::int64_t ignored = 0;
  std::int64_t failed = 0;
};
/// How many events of a chain are stored, by kind; those with most failed ones first.
struct count_events {
  using answer_type = std::vector<event_count>;
  std::int64_t chain = 0;
};

/// Events that failed for the same reason.
struct failed_events {
  std::string contract;
  std::string event;
  std::string reason;
  std::int64_t events = 0;
  std::int64_t last_id = 0;
};
/// The newest failed events of a chain by kind and reason, the most frequent first.
struct list_failed_events {
  using answer_type = std::vector<failed_events>;
  std::int64_t chain = 0;
};

/// What only operators see of a profile.
struct profile_totals {
  bool exists = false;
  bool api_access = false;
};
struct get_profile_totals {
  using answer_type = profile_totals;
  profile_id profile;
};

/// A project as a list shows it.
struct project_row {
  project_id id;
  std::string name;
  std::string username;
  bool archived = false;
  std::int64_t bullish = 0;
  std::int64_t bearish = 0;
};
struct project_rows {
  std::vector<project_row> rows;
  std::int64_t total = 0;
};
/// Projects whose id is the text, or whose names or userkey hold it; those with most votes first. Counts are as of the
/// last tally.
struct find_projects {
  using answer_type = project_rows;
  std::string text;
  std::int32_t limit = 0;
};

} // namespace credence::oversight
