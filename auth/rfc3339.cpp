#include "auth/rfc3339.hpp"

namespace credence::auth {

namespace {

/// Takes a text from its front; once something is missing, nothing is good any more.
class cursor {
public:
  explicit cursor(std::string_view text) : rest_(text) {}

  /// A number of exactly that many digits, at most `most`.
  int number(std::size_t digits, int most) {
    int value = 0;
    for (std::size_t i = 0; i < digits && good_; ++i)
      value = value * 10 + digit();
    good_ = good_ && value <= most;
    return value;
  }
  void one_of(std::string_view any) {
    good_ = good_ && !rest_.empty() && any.find(rest_.front()) != any.npos;
    if (good_)
      rest_.remove_prefix(1);
  }
  int digit() {
    good_ = good_ && at_digit();
    if (!good_)
      return 0;
    const int value = rest_.front() - '0';
    rest_.remove_prefix(1);
    return value;
  }
  bool at(char c) const { return !rest_.empty() && rest_.front() == c; }
  bool at_digit() const { return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; }
  bool good() const { return good_; }
  bool at_end() const { return good_ && rest_.empty(); }

private:
  std::string_view rest_;
  bool good_ = true;
};

std::chrono::microseconds fraction(cursor& in) {
  std::chrono::microseconds out{0};
  if (!in.at('.'))
    return out;
  in.one_of(".");
  int unit = 100'000;
  do {
    out += std::chrono::microseconds{in.digit() * unit};
    unit /= 10;
  } while (in.at_digit());
  return out;
}

/// How far local time is ahead of UTC.
std::chrono::minutes offset(cursor& in) {
  if (!in.at('+') && !in.at('-')) {
    in.one_of("Zz");
    return std::chrono::minutes{0};
  }
  const int sign = in.at('-') ? -1 : 1;
  in.one_of("+-");
  const int hours = in.number(2, 23);
  in.one_of(":");
  return sign * (std::chrono::hours{hours} + std::chrono::minutes{in.number(2, 59)});
}

/// Whether the second that begins at `when` is one that a leap second may follow.
bool before_leap(std::chrono::sys_seconds when) {
  const auto next = when + std::chrono::seconds{1};
  const auto day = std::chrono::floor<std::chrono::days>(next);
  const std::chrono::year_month_day date{day};
  return next == day && date.day() == std::chrono::day{1}
         && (date.month() == std::chrono::January || date.month() == std::chrono::July);
}

} // namespace

std::optional<timestamp> parse_rfc3339(std::string_view text) {
  cursor in{text};
  const std::chrono::year year{in.number(4, 9999)};
  in.one_of("-");
  const std::chrono::month month{static_cast<unsigned>(in.number(2, 12))};
  in.one_of("-");
  const std::chrono::day day{static_cast<unsigned>(in.number(2, 31))};
  in.one_of("Tt");
  const std::chrono::hours hours{in.number(2, 23)};
  in.one_of(":");
  const std::chrono::minutes minutes{in.number(2, 59)};
  in.one_of(":");
  const int second = in.number(2, 60);
  const auto part = fraction(in);
  const auto ahead = offset(in);
  const std::chrono::year_month_day date{year, month, day};
  if (!in.at_end() || !date.ok())
    return std::nullopt;
  const auto minute = std::chrono::sys_days{date} + hours + minutes - ahead;
  if (second == 60 && !before_leap(minute + std::chrono::seconds{59}))
    return std::nullopt;
  return minute + std::chrono::seconds{second} + part;
}

} // namespace credence::auth
