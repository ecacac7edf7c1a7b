#pragma once

#include "http/api/declare.hpp"
#include "http/api/reference/handlers.hpp"

#include <array>

namespace credence::http::declare {

/// A GET that is answered always, and not with JSON alone.
constexpr route shows(std::string_view path, handler run) {
  auto out = reads_always(path, run);
  out.any_media = true;
  return out;
}

inline constexpr std::array reference_routes{
  shows("/", v2::get_start),
  reads_always("/openapi.json", v2::get_document),
  shows("/docs", v2::get_docs),
  shows("/docs/reference.js", v2::get_docs_script),
  shows("/docs/reference.css", v2::get_docs_style),
  shows("/llms.txt", v2::get_llms),
  shows("/.well-known/security.txt", v2::get_security_contact),
};

} // namespace credence::http::declare
