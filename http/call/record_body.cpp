#include "http/call/record_body.hpp"

#include "actors/domain/text.hpp"

#include <algorithm>

namespace credence::http {

namespace {

/// Characters that are not seen: controls, zero widths, and those that turn the direction of what follows.
bool hides_something(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto at = [&](std::size_t n) { return i + n < text.size() ? static_cast<unsigned char>(text[i + n]) : 0U; };
    if (at(0) < 0x20 || at(0) == 0x7F || (at(0) == 0xC2 && at(1) < 0xA0))
      return true;
    if (at(0) == 0xE2
        && ((at(1) == 0x80 && ((at(2) >= 0x8B && at(2) <= 0x8F) || (at(2) >= 0xA8 && at(2) <= 0xAE)))
            || (at(1) == 0x81 && at(2) >= 0xA0)))
      return true;
    if (at(0) == 0xEF && at(1) == 0xBB && at(2) == 0xBF)
      return true;
  }
  return false;
}

bool has_controls(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n') || byte == 0x7F)
      return true;
    if (byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0)
      return true;
  }
  return false;
}

} // namespace

std::optional<std::string> read_display_name(json_body& body, std::string_view member) {
  auto name = read_words_if_any(body, member, 1, limits::display_name_length_max);
  if (name && (hides_something(*name) || name->find_first_not_of(' ') == std::string::npos))
    body.issue(std::string{member} + " must have characters that are seen, and none that are not");
  return name;
}

std::optional<std::string> read_username(json_body& body) {
  auto name = read_words_if_any(body, "username", 1, limits::handle_length_max);
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (name && !std::all_of(name->begin(), name->end(), good))
    body.issue("username must have letters, digits and underscores only, not " + shown(*name));
  else if (name
           && (std::all_of(name->begin(), name->end(), [](char c) { return c >= '0' && c <= '9'; })
               || lower_case(*name).starts_with("0x")))
    body.issue("username must not look like a number or an address, as " + shown(*name) + " does");
  return name;
}

std::optional<std::string> read_https_url(json_body& body, std::string_view member, std::size_t least) {
  auto url = read_words_if_any(body, member, least, limits::url_length_max);
  const auto printable = [](char c) {
    return c > ' ' && c < 0x7F && std::string_view{"\"'`<>()\\"}.find(c) == std::string_view::npos;
  };
  if (url && !url->empty()
      && (!url->starts_with("https://") || url->size() == 8 || !std::all_of(url->begin(), url->end(), printable)))
    body.issue(std::string{member} + " must be an https:// URL");
  return url;
}

std::optional<std::string> read_plain_text(json_body& body, std::string_view member, std::size_t least,
                                           std::size_t most) {
  auto text = read_words_if_any(body, member, least, most);
  if (text && has_controls(*text))
    body.issue(std::string{member} + " must have no control characters but line feeds");
  return text;
}

} // namespace credence::http
