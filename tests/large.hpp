#pragma once

#include <cstdlib>

namespace credence::test {

/// How many rows or seeds a long test goes through: a tenth of `many`, or all of them under `ops/test --all`, which
/// sets `TEST_LARGE`.
inline int large(int many) { return std::getenv("TEST_LARGE") ? many : many / 10; }

} // namespace credence::test
