#include "ops/alerts.hpp"

#include <algorithm>
#include <cctype>

namespace credence::ops {

const std::vector<alert>& alerts() {
  static const std::vector<alert> all{
#include "alerts.inc"
  };
  return all;
}

std::string section_of(const alert& of) {
  std::string out{of.name};
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

} // namespace credence::ops
