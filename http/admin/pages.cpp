#include "http/admin/pages.hpp"

#include "actors/domain/hash.hpp"
#include "auth/digest.hpp"
#include "http/admin/operations.hpp"
#include "http/call/media.hpp"
#include "http/call/request_head.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

// The assembler puts the bytes of each file between two labels (ops/embed_console.cmake).
#define EMBEDDED_FILE(number, file, zipped)                                                                            \
  __asm__(".pushsection .rodata\n"                                                                                     \
          "credence_file_" #number ":\n.incbin \"" file "\"\n"                                                         \
          "credence_file_end_" #number ":\n"                                                                           \
          "credence_zip_" #number ":\n.incbin \"" zipped "\"\n"                                                        \
          "credence_zip_end_" #number ":\n"                                                                            \
          ".popsection\n");                                                                                            \
  extern "C" const char credence_file_##number[], credence_file_end_##number[], credence_zip_##number[],               \
    credence_zip_end_##number[];
#include "console_files.inc"
#undef EMBEDDED_FILE

namespace credence::http::admin {

namespace {

constexpr std::size_t etag_bytes = 12;

embedded_file made(std::string_view name, const char* begin, const char* end, const char* zip, const char* zip_end) {
  embedded_file out{name,
                    {begin, static_cast<std::size_t>(end - begin)},
                    {zip, static_cast<std::size_t>(zip_end - zip)},
                    "W/\""}; // of both its forms
  const auto hash = auth::sha256(out.content);
  append_hex(out.etag, std::span{hash}.first(etag_bytes));
  out.etag += '"';
  return out;
}

} // namespace

std::span<const embedded_file> embedded_files() {
  static const auto all = [] {
    std::vector<embedded_file> out;
#define EMBEDDED_NAME(number, name)                                                                                    \
  out.push_back(                                                                                                       \
    made(name, credence_file_##number, credence_file_end_##number, credence_zip_##number, credence_zip_end_##number));
#include "console_files.inc"
#undef EMBEDDED_NAME
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return out;
  }();
  return all;
}

const embedded_file* find_embedded(std::string_view name) {
  const auto all = embedded_files();
  const auto found =
    std::lower_bound(all.begin(), all.end(), name,
                     [](const embedded_file& each, std::string_view wanted) { return each.name < wanted; });
  return found == all.end() || found->name != name ? nullptr : &*found;
}

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

operator_page moved_to(std::string_view where) {
  operator_page out;
  out.status = 308;
  out.headers.append("Location: ").append(where).append("\r\n");
  out.body =
    "<!doctype html><title>Credence</title><p>The console is <a href=\"" + std::string{where} + "\">here</a>.</p>\n";
  return out;
}

operator_page without_bundle() {
  operator_page out;
  out.status = 503;
  out.body =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Credence console</title></head><body>\n"
    "<h1>No console in this build</h1>\n"
    "<p>This executable was built without the pages of the console: http/console/dist was empty. Its API works: see "
    "<code>/admin/api/v1/openapi.json</code>, with an access token of an admin.</p>\n</body></html>\n";
  return out;
}

operator_page file(const embedded_file& found, const request_head& head) {
  operator_page out;
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
operator_page view(const embedded_file& index, std::string_view below) {
  operator_page out;
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

operator_page page_at(std::string_view path, const request_head& head) {
  if (path == "/admin" || path == "/admin/")
    return moved_to(path.ends_with('/') ? "../" : "./");
  operator_page missing;
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
