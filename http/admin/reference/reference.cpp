#include "http/admin/operations.hpp"
#include "http/admin/pages/embedded.hpp"
#include "http/call/media.hpp"
#include "http/call/request_head.hpp"

namespace credence::http::admin {

void get_admin_reference(call& c) {
  c.out() = find_embedded("openapi.json")->content;
  c.reply();
}

void get_manual(call& c) {
  constexpr std::string_view markdown = "text/markdown; charset=utf-8";
  const auto& manual = *find_embedded("operating.md");
  c.add_header("ETag: " + manual.etag);
  if (lists_etag(c.head().if_none_match, manual.etag))
    return c.reply_as(markdown, 304);
  c.out() = manual.content;
  c.reply_as(markdown);
}

} // namespace credence::http::admin
