#include "config/setting_checks.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fstream>
#include <sstream>
#include <string_view>

namespace credence::settings {

namespace {

constexpr std::int64_t rate_max = 1'000'000;

struct rate_unit {
  const char* name;
  std::chrono::seconds length;
};
constexpr rate_unit rate_units[]{
  {"s", std::chrono::seconds{1}}, {"min", std::chrono::minutes{1}}, {"h", std::chrono::hours{1}}};

bool in_rate_bounds(const std::optional<std::int64_t>& number) { return number && *number >= 1 && *number <= rate_max; }

} // namespace

std::optional<std::int64_t> whole_number(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional{value} : std::nullopt;
}

std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> out;
  std::istringstream in{list};
  for (std::string part; std::getline(in, part, ',');) {
    part.erase(0, part.find_first_not_of(' '));
    part.erase(part.find_last_not_of(' ') + 1);
    if (!part.empty())
      out.push_back(part);
  }
  return out;
}

std::optional<std::string> first_line(const std::string& path) {
  std::ifstream in{path};
  std::string line;
  return std::getline(in, line) ? std::optional{line} : std::nullopt;
}

bool is_given(const std::string& text) { return !text.empty(); }

bool is_address(const std::string& text) {
  in6_addr parsed{}; // large enough for both
  return ::inet_pton(AF_INET, text.c_str(), &parsed) == 1 || ::inet_pton(AF_INET6, text.c_str(), &parsed) == 1;
}

bool is_loopback(const std::string& text) {
  in6_addr parsed{};
  return (text.starts_with("127.") && is_address(text))
         || (::inet_pton(AF_INET6, text.c_str(), &parsed) == 1 && IN6_IS_ADDR_LOOPBACK(&parsed));
}

bool is_price(const std::string& text) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos && text.front() != '0';
  return digits && (text.size() <= 24 || text == "1" + std::string(24, '0'));
}

bool is_price_or_none(const std::string& text) { return text == "0" || is_price(text); }

bool is_date(const std::string& text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-')
    return false;
  const auto year = whole_number(text.substr(0, 4));
  const auto month = whole_number(text.substr(5, 2));
  const auto day = whole_number(text.substr(8, 2));
  return year && month && day
         && std::chrono::year_month_day{std::chrono::year{static_cast<int>(*year)},
                                        std::chrono::month{static_cast<unsigned>(*month)},
                                        std::chrono::day{static_cast<unsigned>(*day)}}
              .ok();
}

bool is_network(const std::string& text) {
  const auto slash = text.find('/');
  const auto address = text.substr(0, slash);
  if (!is_address(address))
    return false;
  if (slash == std::string::npos)
    return true;
  const auto bits = whole_number(text.substr(slash + 1));
  return bits && *bits >= 0 && *bits <= (address.find(':') == std::string::npos ? 32 : 128);
}

bool is_host_name(const std::string& text) {
  return !text.empty() && text.size() <= 253 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
  });
}

bool is_origin(const std::string& text) {
  const auto mark = text.find("://");
  if (mark == std::string::npos || (text.compare(0, mark, "https") != 0 && text.compare(0, mark, "http") != 0))
    return false;
  const auto host = text.substr(mark + 3);
  const bool default_port = host.ends_with(text.starts_with("https") ? ":443" : ":80");
  return !host.empty() && !default_port && std::all_of(host.begin(), host.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || std::string{".-_:[]"}.find(c) != std::string::npos;
  });
}

bool is_partner_origin(const std::string& text) {
  if (!is_origin(text) || text.size() > 300)
    return false;
  if (text.starts_with("https://"))
    return true;
  const auto host = text.substr(text.find("://") + 3);
  const auto end = host.starts_with('[') ? host.find(']') + 1 : std::min(host.find(':'), host.size());
  const auto name = host.substr(0, end);
  return name == "localhost" || name.ends_with(".localhost") || name == "[::1]" || is_loopback(name);
}

bool is_contact_or_none(const std::string& text) {
  constexpr std::string_view mail = "mailto:";
  constexpr std::string_view page = "https://";
  // Of what a URI may be made of (RFC 3986, 2); each stays in its line.
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c <= '~' && std::string_view{"\"<>\\^`{|}"}.find(c) == std::string_view::npos;
  });
  if (text.empty() || !plain)
    return text.empty();
  if (text.starts_with(page))
    return text.size() > page.size() && text[page.size()] != '/';
  const auto at = text.find('@');
  return text.starts_with(mail) && at != text.npos && at > mail.size() && at + 1 < text.size();
}

bool is_console_url(const std::string& text) {
  const auto scheme = text.find("://");
  if (text.empty() || scheme == std::string::npos)
    return text.empty();
  const auto path = text.find('/', scheme + 3);
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' || c == '-'
           || c == '_';
  };
  return is_origin(text.substr(0, path))
         && (path == std::string::npos
             || (text.back() != '/'
                 && std::all_of(text.begin() + static_cast<std::ptrdiff_t>(path), text.end(), good)));
}

std::optional<rate> parse_rate(const std::string& text) {
  if (text == "0")
    return rate{};
  const auto slash = text.find('/');
  std::istringstream behind{slash == std::string::npos ? "" : text.substr(slash + 1)};
  std::string unit, word, most, more;
  behind >> unit >> word >> most >> more;
  const auto count = whole_number(text.substr(0, slash));
  const auto burst = whole_number(most);
  const auto known = std::find_if(std::begin(rate_units), std::end(rate_units),
                                  [&](const rate_unit& each) { return each.name == unit; });
  if (!in_rate_bounds(count) || known == std::end(rate_units) || word != "burst" || !in_rate_bounds(burst)
      || !more.empty())
    return std::nullopt;
  return rate{static_cast<std::uint32_t>(*count), known->length, static_cast<std::uint32_t>(*burst)};
}

std::optional<std::int64_t> parse_dollars(const std::string& text) {
  constexpr std::size_t whole_digits_max = 9;
  constexpr std::size_t decimals = 6;
  const auto point = text.find('.');
  const auto whole = text.substr(0, point);
  const auto behind = point == std::string::npos ? std::string{} : text.substr(point + 1);
  const auto only_digits = [](const std::string& part) {
    return part.find_first_not_of("0123456789") == std::string::npos;
  };
  const bool good = !whole.empty() && whole.size() <= whole_digits_max && only_digits(whole)
                    && (whole == "0" || whole.front() != '0') && (point == std::string::npos) == behind.empty()
                    && behind.size() <= decimals && only_digits(behind);
  const auto millionths =
    good ? whole_number(whole + behind + std::string(decimals - behind.size(), '0')) : std::nullopt;
  return millionths > 0 ? millionths : std::nullopt;
}
bool is_dollars(const std::string& text) { return text.empty() || parse_dollars(text); }

std::optional<std::array<std::uint32_t, 4>> parse_fees(const std::string& text) {
  constexpr std::int64_t together_max = 1000;
  std::array<std::uint32_t, 4> out{};
  std::int64_t together = 0;
  std::size_t from = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool last = i + 1 == out.size();
    const auto behind = text.find('/', from);
    const auto fee = whole_number(text.substr(from, behind - from));
    if ((behind == text.npos) != last || !fee || *fee < 0 || *fee > together_max)
      return std::nullopt;
    out[i] = static_cast<std::uint32_t>(*fee);
    together += *fee;
    from = behind + 1;
  }
  return together <= together_max ? std::optional{out} : std::nullopt;
}
bool are_fees(const std::string& text) { return parse_fees(text).has_value(); }

std::string text_of(const rate& rate) {
  if (rate.count == 0)
    return "0";
  const auto* unit = std::find_if(std::begin(rate_units), std::end(rate_units),
                                  [&](const rate_unit& each) { return each.length == rate.per; });
  return std::to_string(rate.count) + "/" + (unit == std::end(rate_units) ? "?" : unit->name) + " burst "
         + std::to_string(rate.burst);
}

} // namespace credence::settings
