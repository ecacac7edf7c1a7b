#include "http/call/media.hpp"

#include <algorithm>
#include <optional>

namespace credence::http {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

bool same(std::string_view a, std::string_view lower) {
  return std::equal(a.begin(), a.end(), lower.begin(), lower.end(),
                    [](char x, char y) { return (x >= 'A' && x <= 'Z' ? x + 32 : x) == y; });
}

std::string_view next_of(std::string_view& list, char separator) {
  const auto end = std::min(list.find(separator), list.size());
  const auto part = trimmed(list.substr(0, end));
  list.remove_prefix(std::min(end + 1, list.size()));
  return part;
}

/// True when a range's parameters say `q=0`.
bool excluded(std::string_view parameters) {
  while (!parameters.empty()) {
    auto part = next_of(parameters, ';');
    if (part.size() > 2 && (part[0] == 'q' || part[0] == 'Q') && part[1] == '=')
      return part.substr(2).find_first_not_of("0.") == std::string_view::npos;
  }
  return false;
}

/// The weight in a range's parameters in thousandths (RFC 9110, 12.4.2): 1000 where there is none, 0 where it is
/// malformed.
int weight_in(std::string_view parameters) {
  while (!parameters.empty()) {
    const auto part = next_of(parameters, ';');
    if (part.size() < 2 || (part[0] != 'q' && part[0] != 'Q') || part[1] != '=')
      continue;
    const auto number = part.substr(2);
    if (number.empty() || number.size() > 5 || (number[0] != '0' && number[0] != '1')
        || (number.size() > 1 && number[1] != '.'))
      return 0;
    int weight = number[0] - '0';
    for (std::size_t i = 2; i < 5; ++i) {
      const char digit = i < number.size() ? number[i] : '0';
      if (digit < '0' || digit > '9')
        return 0;
      weight = weight * 10 + (digit - '0');
    }
    return weight <= 1000 ? weight : 0;
  }
  return 1000;
}

} // namespace

bool accepts_json(std::string_view accept) noexcept {
  if (trimmed(accept).empty() || accept == "*/*")
    return true;
  int specificity = 0;
  bool accepted = false;
  while (!accept.empty()) {
    auto range = next_of(accept, ',');
    const auto type = next_of(range, ';');
    const int fits = same(type, "application/json") ? 3 : same(type, "application/*") ? 2 : type == "*/*" ? 1 : 0;
    if (fits > specificity) {
      specificity = fits;
      accepted = !excluded(range);
    } else if (fits == specificity && fits > 0) {
      accepted = accepted || !excluded(range);
    }
  }
  return accepted;
}

bool names_html(std::string_view accept) noexcept {
  while (!accept.empty()) {
    auto range = next_of(accept, ',');
    if (same(next_of(range, ';'), "text/html") && !excluded(range))
      return true;
  }
  return false;
}

bool accepts_gzip(std::string_view accept_encoding) noexcept {
  std::optional<int> gzip;
  std::optional<int> plain;
  std::optional<int> any;
  while (!accept_encoding.empty()) {
    auto parameters = next_of(accept_encoding, ',');
    const auto coding = next_of(parameters, ';');
    auto* const named = same(coding, "gzip") || same(coding, "x-gzip") ? &gzip
                        : same(coding, "identity")                     ? &plain
                        : coding == "*"                                ? &any
                                                                       : nullptr;
    if (named && !*named)
      *named = weight_in(parameters);
  }
  const int wish = gzip.value_or(any.value_or(0));
  return wish > 0 && wish >= plain.value_or(0);
}

bool lists_etag(std::string_view if_none_match, std::string_view etag) noexcept {
  const auto strong = [](std::string_view tag) { return tag.starts_with("W/") ? tag.substr(2) : tag; };
  if (trimmed(if_none_match) == "*")
    return true;
  while (!if_none_match.empty())
    if (strong(next_of(if_none_match, ',')) == strong(etag))
      return true;
  return false;
}

bool is_json(std::string_view content_type) noexcept { return same(next_of(content_type, ';'), "application/json"); }

} // namespace credence::http
