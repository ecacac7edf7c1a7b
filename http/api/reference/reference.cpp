#include "actors/domain/hash.hpp"
#include "auth/digest.hpp"
#include "http/api/reference/document.hpp"
#include "http/api/reference/operations.hpp"
#include "http/api/replies.hpp"
#include "http/call/media.hpp"
#include "http/call/parameters.hpp"
#include "http/call/request_head.hpp"
#include "http/call/route.hpp"

#include <chrono>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace credence::http {

namespace {

struct built_in {
  const char* name;
  const char* text;
};

constexpr built_in files[] = {
#include "reference.inc"
};

/// A file as it is sent.
struct page_file {
  std::string_view name;
  std::string_view text;
  std::string etag;
};

constexpr std::size_t etag_bytes = 16;

/// A weak one, for the same answer may be packed (RFC 9110, 8.8.3.3).
std::string etag_of(std::string_view text) {
  const auto hash = auth::sha256(text);
  std::string out{"W/\""};
  append_hex(out, std::span{hash}.first(etag_bytes));
  return out + "\"";
}

/// Null where none of that name was built in.
const page_file* find_file(std::string_view name) {
  static const auto all = [] {
    std::vector<page_file> out;
    for (const auto& each : files)
      out.push_back({each.name, each.text, etag_of(each.text)});
    return out;
  }();
  for (const auto& each : all)
    if (each.name == name)
      return &each;
  return nullptr;
}

const page_file& file_named(std::string_view name) {
  if (const auto* found = find_file(name))
    return *found;
  throw std::logic_error("no file of that name was built in: " + std::string{name});
}

/// Sends a file, or 304 to who has it. `kind` must outlive the call.
void send_file(call& c, const page_file& file, std::string_view kind) {
  c.add_header("ETag: " + file.etag);
  c.add_header("Cache-Control: no-cache");
  if (lists_etag(c.head().if_none_match, file.etag))
    return c.reply(304);
  c.out() = file.text;
  c.reply_as(kind);
}
void send_file(call& c, std::string_view name, std::string_view kind) { send_file(c, file_named(name), kind); }

/// The page may load only files of this service, and run no inline script.
void add_page_rules(call& c) {
  c.add_header("Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
               "img-src data:; "
               "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  c.add_header("Referrer-Policy: no-referrer");
  c.add_header("X-Frame-Options: DENY");
}

constexpr std::string_view html = "text/html; charset=utf-8";

} // namespace

std::string_view openapi_document() { return file_named("openapi.json").text; }

namespace v2 {

void get_start(call& c) {
  c.add_header("Vary: Accept");
  if (names_html(c.head().accept)) {
    add_page_rules(c);
    return send_file(c, "start.html", html);
  }
  if (!accepts_json(c.head().accept))
    return c.error(406, "NOT_ACCEPTABLE", "this path has text/html and application/json; accept one of them");
  reply_object(c, [&](json_writer& to) {
    to.field("service", "Credence");
    to.field("version", CREDENCE_VERSION);
    to.field(
      "description",
      "A self-hosted reputation network service: profiles vote, tip, review, vouch and trade, and have a score.");
    to.object("links", [&] {
      to.field("openapi", "/openapi.json");
      to.field("docs", "/docs");
      to.field("guides", "/docs/guides");
      to.field("llms", "/llms.txt");
      to.field("health", "/api/v2/healthcheck");
    });
  });
}

void get_open_api(call& c) { send_file(c, "openapi.json", "application/json"); }

void get_docs(call& c) {
  add_page_rules(c);
  send_file(c, "docs.html", html);
}

void get_docs_script(call& c) { send_file(c, "reference.js", "text/javascript; charset=utf-8"); }

void get_guides(call& c) {
  add_page_rules(c);
  send_file(c, "guides.html", html);
}

/// A guide is a page of docs/guides, under its name there.
void get_guide(call& c) {
  const auto guide = c.path_part("guide");
  const auto* found = find_file(std::string{guide} + ".md");
  if (!found)
    return c.error(404, "NOT_FOUND", "there is no guide " + shown(guide) + "; /docs/guides/README lists them");
  send_file(c, *found, "text/markdown; charset=utf-8");
}

void get_guides_script(call& c) { send_file(c, "guides.js", "text/javascript; charset=utf-8"); }
void get_docs_style(call& c) { send_file(c, "reference.css", "text/css; charset=utf-8"); }
/// RFC 9116. Its end moves on by itself, as long as somebody runs the server.
void get_security_contact(call& c) {
  constexpr std::string_view text = "text/plain; charset=utf-8";
  constexpr std::chrono::days good_for{180};
  const auto& settings = c.settings();
  const auto path = c.of_route().path;
  if (settings.security_contact.empty())
    return c.error(404, "NOT_FOUND", "there is nothing at " + shown(path));
  auto& out = c.out();
  out.append("Contact: ").append(settings.security_contact).append("\nExpires: ");
  out += iso_text(std::chrono::floor<std::chrono::days>(c.now()) + good_for);
  out.append("\nPreferred-Languages: en\n");
  if (settings.public_url.starts_with("https://"))
    out.append("Canonical: ").append(settings.public_url).append(path).append("\n");
  c.reply_as(text);
}

void get_llms(call& c) { send_file(c, "llms.txt", "text/plain; charset=utf-8"); }

} // namespace v2

} // namespace credence::http
