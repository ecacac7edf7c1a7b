#pragma once

#include "http/call/request_head.hpp"
#include "http/server/operator_side.hpp"

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

/// The page or file at `path`. All views get the same page, whose relative links lead to the same
/// files however deep the URL is and whatever prefix a proxy puts before it.
operator_page page_at(std::string_view path, const request_head& head);

} // namespace credence::http::admin
