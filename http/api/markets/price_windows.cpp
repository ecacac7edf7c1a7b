#include "http/api/markets/price_windows.hpp"

#include "config/list_limits.hpp"

#include <array>

namespace credence::http {

namespace {

using namespace std::chrono_literals;
constexpr std::array<price_window, 8> windows{{{"1H", "30 seconds", 30s, 120},
                                               {"6H", "5 minutes", 5min, 72},
                                               {"1D", "15 minutes", 15min, 96},
                                               {"7D", "1 hour", 1h, 168},
                                               {"1M", "6 hours", 6h, 120},
                                               {"3M", "1 day", 24h, 90},
                                               {"1Y", "1 day", 24h, 365},
                                               {"All", "1 day", 24h, static_cast<int>(limits::market_moments_max)}}};
constexpr auto window_names = [] {
  std::array<std::string_view, windows.size()> out;
  for (std::size_t i = 0; i < windows.size(); ++i)
    out[i] = windows[i].name;
  return out;
}();
constexpr std::size_t window_default = 2;

} // namespace

const price_window& read_price_window(parameters& from) {
  return windows[from.choice("window", window_names).value_or(window_default)];
}

std::vector<timestamp> moments_of(const price_window& which, timestamp now) {
  std::vector<timestamp> out;
  const auto last = now.time_since_epoch() / which.every * which.every;
  for (int i = which.moments - 1; i >= 0; --i)
    out.push_back(timestamp{last - i * which.every});
  return out;
}

} // namespace credence::http
