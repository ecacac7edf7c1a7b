#pragma once

#include "persistence/postgres/connection.hpp"
#include "persistence/verify/verify.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace credence::persistence {

/// What is gathered of differences: all are counted, the first are shown.
class difference_list {
public:
  void add(std::string text) {
    if (++found.differences <= shown_max)
      found.examples.push_back(std::move(text));
  }
  verified found{"scores",
                 "the sums of every user, and the score and the influence they give, are what the records and the "
                 "epoch scores come to",
                 0,
                 {}};

private:
  static constexpr std::int64_t shown_max = 10;
};

/// A larger reach has no smaller percentile, and equal ones have the same.
void compare_percentiles(difference_list& to, connection& on, steady_time deadline);

} // namespace credence::persistence
