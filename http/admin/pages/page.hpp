#pragma once

#include "http/call/request_head.hpp"

#include <string>
#include <string_view>

namespace credence::http::admin {

/// What the console answers to a GET.
struct page {
  unsigned status = 200;
  std::string_view type = "text/html; charset=utf-8";
  std::string headers; // lines that end in CRLF
  std::string body;
};

/// The page or file at `path`. All views get the same page, whose relative links lead to the same
/// files however deep the URL is and whatever prefix a proxy puts before it.
page page_at(std::string_view path, const request_head& head);

} // namespace credence::http::admin
