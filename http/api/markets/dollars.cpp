#include "http/api/markets/dollars.hpp"

#include "config/setting_checks.hpp"

namespace credence::http {

namespace {

constexpr std::size_t decimals = 6;
constexpr std::int64_t wei_per_ether = 1'000'000'000'000'000'000;

/// `3210.5` of 3210500000.
std::string text_of(const wei_change& millionths) {
  auto digits = decimal(abs(millionths));
  if (digits.size() <= decimals)
    digits.insert(0, decimals + 1 - digits.size(), '0');
  digits.insert(digits.size() - decimals, 1, '.');
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.ends_with('.'))
    digits.pop_back();
  return millionths.sign() < 0 ? "-" + digits : digits;
}

} // namespace

dollars::dollars(const std::string& price) : millionths_(settings::parse_dollars(price)) {}

std::optional<std::string> dollars::price() const {
  return millionths_ ? std::optional{text_of(*millionths_)} : std::nullopt;
}

void dollars::field(json_writer& to, json_name name, const std::optional<wei_change>& amount) const {
  to.key(name);
  const auto size =
    amount && millionths_ ? multiply_divide(abs(*amount), wei{*millionths_}, wei{wei_per_ether}) : std::nullopt;
  if (!size)
    return to.null();
  to.raw(text_of(amount->sign() < 0 ? -wei_change{*size} : wei_change{*size}));
}

} // namespace credence::http
