#pragma once

#include "persistence/verify/promises.hpp"
#include "tests/persistence/database.hpp"

#include <gtest/gtest.h>

namespace credence::test {

/// Expects that what `verify` promises of an entity's rows holds.
inline void expect_kept(const std::string& url, const std::vector<persistence::promise>& promises) {
  for (const auto& each : promises)
    EXPECT_EQ(how_many(url, "(" + each.sql + ") broken (line)"), 0) << each.name;
}

} // namespace credence::test
