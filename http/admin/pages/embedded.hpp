#pragma once

#include <span>
#include <string>
#include <string_view>

namespace credence::http::admin {

/// A file that the executable carries.
struct embedded_file {
  std::string_view name;    // `console/index.html`, `openapi.json`, `operating.md`
  std::string_view content; // as it is
  std::string_view zipped;  // gzip
  std::string etag;         // of its content
};

/// All of them, by name.
std::span<const embedded_file> embedded_files();
/// Null where there is none of this name.
const embedded_file* find_embedded(std::string_view name);

} // namespace credence::http::admin
