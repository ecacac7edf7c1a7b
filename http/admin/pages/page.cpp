#include "http/admin/pages/page.hpp"

#include "http/admin/pages/embedded.hpp"
#include "http/call/media.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace credence::http::admin {

namespace {

constexpr std::string_view head_in_page = "<head>";

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> types{{
  {".html", "text/html; charset=utf-8"},
  {".js", "text/javascript; charset=utf-8"},
  {".css", "text/css; charset=utf-8"},
  {".svg", "image/svg+xml"},
  {".png", "image/png"},
  {".ico", "image/x-icon"},
  {".woff2", "font/woff2"},
  {".json", "application/json"},
  {".txt", "text/plain; charset=utf-8"},
  {".map", "application/json"},
}};

std::string_view type_of(std::string_view name) {
  const auto found =
    std::find_if(types.begin(), types.end(), [name](const auto& each) { return name.ends_with(each.first); });
  return found == types.end() ? "application/octet-stream" : found->second;
}

/// Vite puts what it names by a hash of its content below assets/: such a file never changes.
bool never_changes(std::string_view name) { return name.starts_with("console/assets/"); }

page moved_to(std::string_view where) {
  page out;
  out.status = 308;
  out.headers.append("Location: ").append(where).append("\r\n");
  out.body =
    "<!doctype html><title>Credence</title><p>The console is <a href=\"" + std::string{where} + "\">here</a>.</p>\n";
  return out;
}

page without_bundle() {
  page out;
  out.status = 503;
  out.body =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Credence console</title></head><body>\n"
    "<h1>No console in this build</h1>\n"
    "<p>This executable was built without the pages of the console: http/console/dist was empty. Its API works: see "
    "<code>/admin/api/v1/openapi.json</code>, with an access token of an admin.</p>\n</body></html>\n";
  return out;
}

page file(const embedded_file& found, const request_head& head) {
  page out;
  out.type = type_of(found.name);
  out.headers.append("ETag: ").append(found.etag).append("\r\nVary: Accept-Encoding\r\nCache-Control: ");
  out.headers.append(never_changes(found.name) ? "public, max-age=31536000, immutable\r\n" : "no-cache\r\n");
  if (lists_etag(head.if_none_match, found.etag)) {
    out.status = 304;
    return out;
  }
  const bool zipped = accepts_gzip(head.accept_encoding) && found.zipped.size() < found.content.size();
  if (zipped)
    out.headers.append("Content-Encoding: gzip\r\n");
  out.body = zipped ? found.zipped : found.content;
  return out;
}

/// The first page, with a base that leads from this view's URL to the root.
page view(const embedded_file& index, std::string_view below) {
  page out;
  out.headers = "Cache-Control: no-cache\r\n";
  std::string up;
  for (auto depth = std::count(below.begin(), below.end(), '/'); depth > 0; --depth)
    up += "../";
  out.body = index.content;
  if (const auto at = out.body.find(head_in_page); at != std::string::npos && !up.empty())
    out.body.insert(at + head_in_page.size(), "<base href=\"" + up + "\">");
  return out;
}

} // namespace

page page_at(std::string_view path, const request_head& head) {
  if (path == "/admin" || path == "/admin/")
    return moved_to(path.ends_with('/') ? "../" : "./");
  page missing;
  missing.status = 404;
  missing.body = "<!doctype html><title>Not here</title><p>There is nothing here.</p>\n";
  const auto below = path.substr(1);
  if (const auto* found =
        below.empty() || below == "index.html" ? nullptr : find_embedded("console/" + std::string{below}))
    return file(*found, head);
  const auto* index = find_embedded("console/index.html");
  if (!index)
    return without_bundle();
  const auto name = below.substr(below.rfind('/') + 1);
  if (name.find('.') != name.npos) // a file, not a view
    return missing;
  return view(*index, below);
}

} // namespace credence::http::admin
