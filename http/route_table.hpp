#pragma once

#include "http/routes.hpp"
#include "ops/metrics.hpp"

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace credence::http {

/// Finds the route for a path. Built once; literal segments win over `{name}`.
class route_table {
public:
  explicit route_table(std::span<const route> routes);

  struct entry {
    const route* what;
    ops::route_metrics* metrics;
  };
  struct match {
    const entry* by_method[5] = {}; // indexed by `method`; null where not offered
    std::vector<std::pair<std::string_view, std::string_view>> parts; // name, still encoded
    bool found = false;
    /// Value of the Allow header.
    std::string allow() const;
  };

  /// Takes the place of an earlier result, so that its memory is used again.
  void find(std::string_view path, match& out) const;

private:
  struct pattern {
    std::vector<std::string_view> segments;
    const entry* by_method[5] = {};
    std::size_t literals = 0;
  };
  std::vector<entry> entries_;
  std::vector<pattern> patterns_; // most literal first
};

} // namespace credence::http
