#include "http/server/line_bound.hpp"

#include "ops/log.hpp"

#include <chrono>

namespace credence::http {

namespace {

constexpr int lines_max = 50; // a second

} // namespace

bool line_bound::may_add(steady_time now) {
  if (now >= until_) {
    if (count_ > lines_max)
      ops::log(ops::level::warn, what_is_left_out_, {{"count", count_ - lines_max}});
    until_ = now + std::chrono::seconds{1};
    count_ = 0;
  }
  return ++count_ <= lines_max;
}

} // namespace credence::http
