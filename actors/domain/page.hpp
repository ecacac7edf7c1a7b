#pragma once

#include <cstdint>

namespace credence {

/// Which slice of a list is wanted; already checked against the endpoint's bounds.
struct page {
  std::int32_t limit = 50;
  std::int32_t offset = 0;
};

} // namespace credence
