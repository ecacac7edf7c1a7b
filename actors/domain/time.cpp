#include "actors/domain/time.hpp"

namespace credence {

namespace {

void put_number(char* to, unsigned value, int width) {
  for (int i = width - 1; i >= 0; --i) {
    to[i] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
}

} // namespace

void append_iso_text(std::string& out, timestamp when) {
  const auto day = std::chrono::floor<std::chrono::days>(when);
  const std::chrono::year_month_day date{day};
  const auto ms = static_cast<unsigned>(std::chrono::floor<std::chrono::milliseconds>(when - day).count());
  char text[] = "0000-00-00T00:00:00.000Z";
  put_number(text, static_cast<unsigned>(static_cast<int>(date.year())), 4);
  put_number(text + 5, static_cast<unsigned>(date.month()), 2);
  put_number(text + 8, static_cast<unsigned>(date.day()), 2);
  put_number(text + 11, ms / 3'600'000, 2);
  put_number(text + 14, ms / 60'000 % 60, 2);
  put_number(text + 17, ms / 1000 % 60, 2);
  put_number(text + 20, ms % 1000, 3);
  out.append(text, sizeof text - 1);
}

std::string iso_text(timestamp when) {
  std::string out;
  append_iso_text(out, when);
  return out;
}

timestamp next_month(timestamp when) {
  const std::chrono::year_month_day date{std::chrono::floor<std::chrono::days>(when)};
  const auto next = std::chrono::year_month{date.year(), date.month()} + std::chrono::months{1};
  return std::chrono::sys_days{next / 1};
}

int year_of(timestamp when) {
  return static_cast<int>(std::chrono::year_month_day{std::chrono::floor<std::chrono::days>(when)}.year());
}

} // namespace credence
