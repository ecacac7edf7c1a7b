#pragma once

#include "actors/domain/hash.hpp"
#include "ops/demo/demo.hpp"
#include "persistence/migrations/migrate.hpp"
#include "persistence/sql/reputation_sql.hpp"
#include "tests/persistence/database.hpp"

/// Databases with the demo in them.
namespace credence::persistence {

inline constexpr auto in_time = std::chrono::seconds{60};
inline const timestamp some_day = std::chrono::sys_days{std::chrono::year{2026} / 3 / 18} + std::chrono::hours{15};

/// The terms of trading that come with the settings.
inline const market::terms usual{{{{{200, wei{10'000'000'000'000'000}}, wei{50'000'000'000'000'000}},
                                   {{1500, wei{10'000'000'000'000'000}}, wei{100'000'000'000'000'000}},
                                   {{5000, wei{10'000'000'000'000'000}}, wei{200'000'000'000'000'000}}}},
                                 {100, 100, 100}};

/// A database with the schema and nothing in it.
inline std::string empty_database() {
  static int made = 0;
  const auto url = test::shared_postgres().url("demo_" + std::to_string(++made));
  auto on = test::look_into(url);
  migrate_up(on, deadline_in(in_time));
  return url;
}

inline demo_report load(const std::string& url, const demo_size& size, timestamp now = some_day) {
  auto on = test::look_into(url);
  return load_demo(on, size, usual, now, attestation_hash, deadline_in(in_time));
}

/// The demo as it comes.
inline const std::string& demo() {
  static const std::string url = [] {
    auto made = empty_database();
    load(made, {});
    return made;
  }();
  return url;
}

} // namespace credence::persistence
