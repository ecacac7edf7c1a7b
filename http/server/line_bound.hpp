#pragma once

#include "actors/domain/time.hpp"

#include <string_view>

namespace credence::http {

/// Bounds how many lines of one kind a thread logs within a second. What is left out is counted in
/// the next second's first line.
class line_bound {
public:
  /// `what_is_left_out` names the line that tells how many there were; it outlives this object.
  explicit line_bound(std::string_view what_is_left_out) : what_is_left_out_(what_is_left_out) {}

  /// Whether one more line may be logged; it is counted either way.
  bool may_add(steady_time now);

private:
  std::string_view what_is_left_out_;
  steady_time until_{};
  int count_ = 0; // of the second that ends then
};

} // namespace credence::http
