#include "persistence/postgres/binary.hpp"

#include <array>
#include <cstring>
#include <utility>

namespace credence::persistence {

namespace {

std::int64_t to_wire(timestamp value) { return (value - timestamp{postgres_epoch}).count(); }
std::int32_t to_wire(std::chrono::sys_days value) {
  return static_cast<std::int32_t>((value - postgres_epoch).count());
}

template <class Unsigned>
void append_big_endian(std::string& out, Unsigned value) {
  char raw[sizeof(Unsigned)];
  for (std::size_t i = 0; i < sizeof raw; ++i)
    raw[i] = static_cast<char>(value >> (8 * (sizeof raw - 1 - i)));
  out.append(raw, sizeof raw);
}

std::uint64_t bits(double value) {
  std::uint64_t raw;
  std::memcpy(&raw, &value, sizeof raw);
  return raw;
}

/// Length of the field that starts at `raw`.
std::uint32_t length_at(const char* raw) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i)
    value = value << 8 | static_cast<unsigned char>(raw[i]);
  return value;
}

} // namespace

void binary_fields::raw(std::uint32_t value) { append_big_endian(data_, value); }

void binary_fields::int2(std::int16_t value) {
  raw(2);
  append_big_endian(data_, static_cast<std::uint16_t>(value));
}
void binary_fields::int4(std::int32_t value) {
  raw(4);
  raw(static_cast<std::uint32_t>(value));
}
void binary_fields::int8(std::int64_t value) {
  raw(8);
  append_big_endian(data_, static_cast<std::uint64_t>(value));
}
void binary_fields::float8(double value) { int8(static_cast<std::int64_t>(bits(value))); }
void binary_fields::boolean(bool value) {
  raw(1);
  data_.push_back(value ? 1 : 0);
}
void binary_fields::text(std::string_view value) {
  raw(static_cast<std::uint32_t>(value.size()));
  data_.append(value);
}
void binary_fields::bytes(std::span<const std::byte> value) {
  text({reinterpret_cast<const char*>(value.data()), value.size()});
}
void binary_fields::time(timestamp value) { int8(to_wire(value)); }
void binary_fields::day(std::chrono::sys_days value) { int4(to_wire(value)); }
void binary_fields::numeric(const wei& value) {
  const auto at = data_.size();
  raw(0);
  append_numeric(data_, value);
  std::string size;
  append_big_endian(size, static_cast<std::uint32_t>(data_.size() - at - 4));
  data_.replace(at, 4, size);
}
void binary_fields::null() { raw(0xFFFFFFFFu); }

// The array header: dimensions, whether nulls may occur, element type, then the
// size and lower bound of the one dimension.
constexpr std::size_t array_header = 20;

binary_array::binary_array(sql_type of) : binary_fields(4096), of_(of) { clear(); }

void binary_array::clear() {
  data_.clear();
  raw(1);
  raw(1);
  raw(static_cast<std::uint32_t>(of_));
  raw(0);
  raw(1);
}

std::string_view binary_array::finish() {
  // Elements are counted here rather than with every one added.
  std::uint32_t count = 0;
  for (std::size_t at = array_header; at < data_.size(); ++count) {
    const auto length = length_at(data_.data() + at);
    at += 4 + (length == 0xFFFFFFFFu ? 0 : length);
  }
  std::string size;
  append_big_endian(size, count);
  std::memcpy(data_.data() + 12, size.data(), 4);
  return data_;
}

binary_rows::binary_rows() : binary_fields(std::size_t{1} << 16) {
  data_.append("PGCOPY\n\377\r\n\0", 11);
  raw(0);
  raw(0);
}
void binary_rows::row(std::int16_t fields) { append_big_endian(data_, static_cast<std::uint16_t>(fields)); }
void binary_rows::end() { append_big_endian(data_, std::uint16_t{0xFFFF}); }
std::string binary_rows::take() {
  auto taken = std::move(data_);
  data_.clear();
  data_.reserve(taken.size());
  return taken;
}

parameters& parameters::own(std::string_view raw) {
  entries_.push_back({nullptr, data_.size(), static_cast<int>(raw.size())});
  data_.append(raw);
  return *this;
}
parameters& parameters::int2(std::int16_t value) {
  entries_.push_back({nullptr, data_.size(), 2});
  append_big_endian(data_, static_cast<std::uint16_t>(value));
  return *this;
}
parameters& parameters::int4(std::int32_t value) {
  entries_.push_back({nullptr, data_.size(), 4});
  append_big_endian(data_, static_cast<std::uint32_t>(value));
  return *this;
}
parameters& parameters::int8(std::int64_t value) {
  entries_.push_back({nullptr, data_.size(), 8});
  append_big_endian(data_, static_cast<std::uint64_t>(value));
  return *this;
}
parameters& parameters::float8(double value) { return int8(static_cast<std::int64_t>(bits(value))); }
parameters& parameters::boolean(bool value) { return own({value ? "\1" : "\0", 1}); }
parameters& parameters::text(std::string_view value) { return own(value); }
parameters& parameters::text(const std::optional<std::string>& value) { return value ? own(*value) : null(); }
parameters& parameters::bytes(std::span<const std::byte> value) {
  return own({reinterpret_cast<const char*>(value.data()), value.size()});
}
parameters& parameters::time(timestamp value) { return int8(to_wire(value)); }
parameters& parameters::time(const std::optional<timestamp>& value) { return value ? time(*value) : null(); }
parameters& parameters::numeric(const wei& value) {
  const auto at = data_.size();
  append_numeric(data_, value);
  entries_.push_back({nullptr, at, static_cast<int>(data_.size() - at)});
  return *this;
}
parameters& parameters::null() {
  entries_.push_back({nullptr, 0, -1});
  return *this;
}
parameters& parameters::array(binary_array& value) {
  const auto whole = value.finish();
  entries_.push_back({whole.data(), 0, static_cast<int>(whole.size())});
  return *this;
}
void parameters::clear() {
  entries_.clear();
  data_.clear();
}

// The header of a numeric: how many digits, the place of the first, the sign, the scale.
constexpr std::size_t numeric_header = 8;

void append_numeric(std::string& out, const wei& value) {
  constexpr std::uint64_t base = 10'000;
  constexpr std::uint64_t chunk = base * base * base * base;
  std::array<std::uint16_t, 20> digits; // least first; 2^256 has 78 decimal ones
  std::size_t count = 0;
  auto rest = value;
  while (rest != 0) {
    const auto more = rest >= chunk;
    auto part = static_cast<std::uint64_t>(more ? wei{rest % chunk} : rest);
    rest = more ? wei{rest / chunk} : wei{0};
    for (int i = 0; i < 4 && (part != 0 || rest != 0); ++i, part /= base)
      digits[count++] = static_cast<std::uint16_t>(part % base);
  }
  append_big_endian(out, static_cast<std::uint16_t>(count));
  append_big_endian(out, static_cast<std::uint16_t>(count == 0 ? 0 : count - 1));
  append_big_endian(out, std::uint32_t{0}); // positive, no fraction
  while (count > 0)
    append_big_endian(out, digits[--count]);
}

std::optional<wei> read_numeric(std::string_view raw) {
  const auto at = [&](std::size_t i) {
    return static_cast<std::uint16_t>(static_cast<unsigned char>(raw[i]) << 8 | static_cast<unsigned char>(raw[i + 1]));
  };
  if (raw.size() < numeric_header || raw.size() != numeric_header + std::size_t{2} * at(0) || at(4) != 0 || at(6) != 0)
    return std::nullopt;
  const auto count = static_cast<int>(at(0));
  const auto weight = static_cast<int>(static_cast<std::int16_t>(at(2)));
  if (weight > 19 || (count > 0 && weight < count - 1)) // digits after the point would be a fraction
    return std::nullopt;
  wei value = 0;
  try {
    for (int i = 0; count > 0 && i <= weight; ++i)
      value = value * 10'000 + (i < count ? at(numeric_header + 2 * static_cast<std::size_t>(i)) : 0);
  } catch (const std::exception&) { // past 2^256
    return std::nullopt;
  }
  return value;
}

} // namespace credence::persistence
