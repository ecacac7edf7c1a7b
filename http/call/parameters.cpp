#include "http/call/parameters.hpp"

#include "auth/rfc3339.hpp"

#include <algorithm>
#include <charconv>

namespace credence::http {

std::string shown(std::string_view value) {
  constexpr std::size_t most = 64;
  if (value.size() <= most)
    return "'" + std::string{value} + "'";
  auto end = most;
  while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xC0) == 0x80)
    --end; // never inside a character
  return "'" + std::string{value.substr(0, end)} + "…'";
}

bool means_dry_run(std::string_view name) {
  std::string letters;
  for (const char c : name)
    if (const auto small = static_cast<char>(c | 0x20); small >= 'a' && small <= 'z')
      letters += small;
  return letters == "dryrun";
}

namespace {

std::string range_text(bounds within) {
  return "from " + std::to_string(within.least) + " to " + std::to_string(within.most);
}

} // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) {
  const auto digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.empty() || digits[0] < '0' || digits[0] > '9' || (digits[0] == '0' && text.size() > 1))
    return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

std::optional<timestamp> parse_moment(std::string_view text, day_edge alone) {
  constexpr std::size_t date_length = 10, seconds_at = 17, fraction_digits_max = 9;
  if (text.size() == date_length) {
    const auto day = auth::parse_rfc3339(std::string{text} + "T00:00:00Z");
    return !day || alone == day_edge::start ? day : *day + std::chrono::days{1} - std::chrono::microseconds{1};
  }
  const auto fraction = text.substr(std::min(text.find('.'), text.size()));
  const auto end = fraction.find_first_not_of("0123456789", 1);
  const bool too_fine = end != fraction.npos && end > 1 + fraction_digits_max;
  // RFC 3339 also has small letters and the second 60, which are refused here.
  if (too_fine || text.size() < seconds_at || text.substr(seconds_at, 2) == "60"
      || text.find_first_of("tz") != text.npos)
    return std::nullopt;
  return auth::parse_rfc3339(text);
}

std::optional<std::string_view> parameters::text(std::string_view name) {
  std::optional<std::string_view> found;
  for (const auto& [key, value] : query_) {
    if (key != name || value.empty())
      continue;
    if (found) {
      issue(std::string{name} + " must be given once");
      return std::nullopt;
    }
    found = value;
  }
  return found;
}

std::optional<std::int64_t> parameters::in_bounds(std::string_view name, std::string_view value, bounds within) {
  const auto number = parse_integer(value);
  if (number && *number >= within.least && *number <= within.most)
    return number;
  issue(std::string{name} + " must be an integer " + range_text(within) + ", not " + shown(value));
  return std::nullopt;
}

std::optional<std::int64_t> parameters::integer(std::string_view name, bounds within) {
  const auto value = text(name);
  return value ? in_bounds(name, *value, within) : std::nullopt;
}

std::int32_t parameters::integer_or(std::string_view name, std::int32_t otherwise, bounds within) {
  return static_cast<std::int32_t>(integer(name, within).value_or(otherwise));
}

std::optional<std::size_t> parameters::choice(std::string_view name, std::span<const std::string_view> allowed) {
  const auto value = text(name);
  return value ? place_of(name, *value, allowed) : std::nullopt;
}

std::optional<bool> parameters::flag(std::string_view name) {
  static constexpr std::string_view words[]{"false", "true"};
  const auto found = choice(name, words);
  return found ? std::optional{*found == 1} : std::nullopt;
}

std::optional<std::size_t> parameters::place_of(std::string_view name, std::string_view value,
                                                std::span<const std::string_view> allowed) {
  const auto found = std::find(allowed.begin(), allowed.end(), value);
  if (found != allowed.end())
    return static_cast<std::size_t>(found - allowed.begin());
  std::string all;
  for (const auto& each : allowed)
    all += (all.empty() ? "'" : ", '") + std::string{each} + "'";
  issue(std::string{name} + " must be one of " + all + ", not " + shown(value));
  return std::nullopt;
}

std::optional<timestamp> parameters::moment(std::string_view name, day_edge alone) {
  const auto value = text(name);
  if (!value)
    return std::nullopt;
  const auto when = parse_moment(*value, alone);
  if (!when)
    issue(std::string{name} + " must be an ISO 8601 date such as 2026-03-01 or 2026-03-01T12:00:00Z, not "
          + shown(*value)
          // In a query a bare plus is a space: the commonest way to get an offset wrong.
          + (value->find(' ') != std::string_view::npos ? " (write the + of an offset as %2B)" : ""));
  return when;
}

std::vector<std::string_view> parameters::texts(std::string_view name, std::size_t most) {
  std::vector<std::string_view> out;
  for (const auto& [key, value] : query_) {
    if (value.empty() || !names(key, name))
      continue;
    std::string_view rest = value;
    for (bool more = true; more;) {
      const auto comma = rest.find(',');
      more = comma != std::string_view::npos;
      if (out.size() == most) {
        issue(std::string{name} + " must have at most " + std::to_string(most) + " items");
        return {};
      }
      out.push_back(rest.substr(0, comma));
      if (more)
        rest.remove_prefix(comma + 1);
    }
  }
  return out;
}

std::vector<std::int32_t> parameters::integers(std::string_view name, bounds each, std::size_t most) {
  std::vector<std::int32_t> out;
  for (const auto item : texts(name, most))
    if (const auto number = in_bounds("each item of " + std::string{name}, item, each)) {
      const auto narrow = static_cast<std::int32_t>(*number);
      if (std::find(out.begin(), out.end(), narrow) == out.end())
        out.push_back(narrow);
    }
  return out;
}

std::optional<std::vector<std::size_t>> parameters::choices(std::string_view name,
                                                            std::span<const std::string_view> allowed) {
  if (!has(name))
    return std::nullopt;
  std::vector<std::size_t> out;
  for (const auto item : texts(name, allowed.size()))
    if (const auto at = place_of("each item of " + std::string{name}, item, allowed))
      if (std::find(out.begin(), out.end(), *at) == out.end())
        out.push_back(*at);
  return out;
}

bool parameters::has(std::string_view name) const {
  return std::any_of(query_.begin(), query_.end(),
                     [&](const auto& each) { return !each.second.empty() && names(each.first, name); });
}

void parameters::issues_of(const refusal& other) {
  if (other.issues.empty())
    issue(other.detail);
  issues_.insert(issues_.end(), other.issues.begin(), other.issues.end());
}

refusal parameters::why() const {
  return {refusal_code::invalid_input, issues_.empty() ? "invalid input" : issues_.front(), issues_};
}

page read_page(parameters& from, std::int32_t most) {
  page out;
  out.limit = from.integer_or("limit", limits::limit_default, {0, most});
  out.offset = from.integer_or("offset", 0, {0, limits::offset_max});
  return out;
}

} // namespace credence::http
