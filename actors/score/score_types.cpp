#include "actors/score/score_types.hpp"

#include <stdexcept>

namespace credence::score {

namespace {

const uint256 part_end = uint256{1} << 240;

uint256 size_of(const wei_change& number) { return static_cast<uint256>(abs(number)); }

} // namespace

rational::rational(const wei_change& numerator, const uint256& denominator)
  : numerator_(numerator), denominator_(denominator) {
  if (denominator == 0)
    throw std::domain_error("a fraction with denominator 0");
  if (const uint256 common = gcd(size_of(numerator), denominator); common > 1) {
    numerator_ /= wei_change{common};
    denominator_ /= common;
  }
  if (size_of(numerator_) >= part_end || denominator_ >= part_end)
    throw std::overflow_error("a fraction whose numerator or denominator is 2^240 or more");
}

std::int64_t rational::truncated() const {
  const wei_change whole = numerator_ / wei_change{denominator_}; // towards zero
  if (whole > std::numeric_limits<std::int64_t>::max() || whole < std::numeric_limits<std::int64_t>::min())
    throw std::overflow_error("a fraction whose whole part needs more than 64 bits");
  return static_cast<std::int64_t>(whole);
}

std::strong_ordering operator<=>(const rational& number, std::int64_t whole) {
  const wei_change quotient = number.numerator_ / wei_change{number.denominator_};
  if (quotient != whole)
    return quotient <=> wei_change{whole};
  // The quotient was cut off towards zero: the sign of the rest decides.
  const wei_change rest = number.numerator_ % wei_change{number.denominator_};
  return rest.sign() <=> 0;
}

std::string decimal_text(const rational& number, int digits_max) {
  const auto size = size_of(number.numerator());
  std::string out = decimal(wei{size / number.denominator()});
  uint256 rest = size % number.denominator();
  std::size_t written = out.size(); // up to the last digit that is no zero behind the point
  if (rest != 0)
    out += '.';
  for (int i = 0; i < digits_max && rest != 0; ++i) {
    rest *= 10;
    const auto digit = static_cast<unsigned>(uint256{rest / number.denominator()});
    rest %= number.denominator();
    out += static_cast<char>('0' + digit);
    if (digit != 0)
      written = out.size();
  }
  out.resize(written);
  return number.numerator() < 0 && out != "0" ? "-" + out : out;
}

} // namespace credence::score
