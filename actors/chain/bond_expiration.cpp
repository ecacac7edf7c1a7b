#include "actors/chain/chain_records.hpp"
#include "config/limits.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace credence::chain {

namespace {

constexpr std::int64_t seconds_in_day = 86'400;

/// Whether `text` is like a pattern, in which `0` stands for any digit.
bool looks_like(std::string_view text, std::string_view pattern) {
  return text.size() == pattern.size()
         && std::equal(text.begin(), text.end(), pattern.begin(),
                       [](char c, char wanted) { return wanted == '0' ? c >= '0' && c <= '9' : c == wanted; });
}

std::optional<std::int64_t> number_in(std::string_view digits) {
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  return error == std::errc{} && end == digits.data() + digits.size() && out >= 0 ? std::optional{out} : std::nullopt;
}
std::int64_t part(std::string_view text, std::size_t from, std::size_t length) {
  return number_in(text.substr(from, length)).value_or(0);
}

std::optional<std::int64_t> day_in(std::string_view text) {
  const std::chrono::year_month_day day{std::chrono::year{static_cast<int>(part(text, 0, 4))},
                                        std::chrono::month{static_cast<unsigned>(part(text, 5, 2))},
                                        std::chrono::day{static_cast<unsigned>(part(text, 8, 2))}};
  return day.ok() ? std::optional{std::int64_t{std::chrono::sys_days{day}.time_since_epoch().count()} * seconds_in_day}
                  : std::nullopt;
}

/// What to take off for `Z` or `+02:00`.
std::optional<std::int64_t> offset_in(std::string_view text) {
  if (text == "Z")
    return 0;
  if (!looks_like(text, "+00:00") && !looks_like(text, "-00:00"))
    return std::nullopt;
  const auto seconds = part(text, 1, 2) * 3600 + part(text, 4, 2) * 60;
  return text[0] == '+' ? seconds : -seconds;
}

std::optional<std::int64_t> iso_seconds(std::string_view text) {
  constexpr std::string_view date = "0000-00-00", time = "0000-00-00T00:00:00";
  if (looks_like(text, date)) {
    const auto day = day_in(text);
    return day ? std::optional{*day + seconds_in_day - 1} : std::nullopt;
  }
  if (!looks_like(text.substr(0, time.size()), time))
    return std::nullopt;
  const auto hour = part(text, 11, 2), minute = part(text, 14, 2), second = part(text, 17, 2);
  auto rest = text.substr(time.size());
  if (rest.starts_with('.')) {
    const auto behind = std::min(rest.find_first_not_of("0123456789", 1), rest.size());
    if (behind == 1)
      return std::nullopt;
    rest.remove_prefix(behind);
  }
  const auto day = day_in(text);
  const auto offset = offset_in(rest);
  if (!day || !offset || hour > 23 || minute > 59 || second > 59)
    return std::nullopt;
  return *day + hour * 3600 + minute * 60 + second - *offset;
}

} // namespace

std::optional<unix_time> expiration_in(std::string_view text) {
  constexpr std::int64_t first_of_milliseconds = 100'000'000'000; // as seconds, in the year 5138
  auto seconds = number_in(text);
  if (seconds && *seconds >= first_of_milliseconds)
    seconds = *seconds / 1000;
  if (!seconds)
    seconds = iso_seconds(text);
  return seconds && *seconds >= 0 && *seconds <= limits::unix_seconds_max ? std::optional{unix_time{*seconds}}
                                                                          : std::nullopt;
}

} // namespace credence::chain
