#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace credence::load {

/// Durations in nanoseconds, counted in buckets whose width grows with the value: each is
/// within 1 % of what it stands for, from 1 ns to hours, in a table of fixed size.
class histogram {
public:
  void add(std::int64_t ns) noexcept {
    const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0));
    ++counts_[index_of(value)];
    ++count_;
    most_ = std::max(most_, value);
  }

  void add(const histogram& other) noexcept {
    for (std::size_t i = 0; i < counts_.size(); ++i)
      counts_[i] += other.counts_[i];
    count_ += other.count_;
    most_ = std::max(most_, other.most_);
  }

  std::uint64_t count() const noexcept { return count_; }
  double max_ms() const noexcept { return static_cast<double>(most_) / 1e6; }

  /// The value that a share `quantile` (0 to 1) of all durations does not exceed, in milliseconds.
  double quantile_ms(double quantile) const noexcept {
    if (count_ == 0)
      return 0;
    const auto wanted =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(quantile * static_cast<double>(count_) + 0.5));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen >= wanted)
        return static_cast<double>(std::min(upper_end(i), most_)) / 1e6;
    }
    return max_ms();
  }

private:
  static constexpr unsigned fine_bits = 7; // 128 buckets for each power of two
  static constexpr std::size_t per_power = std::size_t{1} << fine_bits;
  static constexpr std::size_t powers = 44 - fine_bits;

  static std::size_t index_of(std::uint64_t value) noexcept {
    if (value < per_power)
      return static_cast<std::size_t>(value);
    const auto shift = static_cast<unsigned>(std::bit_width(value)) - fine_bits - 1;
    const auto index = (shift + 1) * per_power + static_cast<std::size_t>((value >> shift) - per_power);
    return std::min(index, (powers + 1) * per_power - 1);
  }
  static std::uint64_t upper_end(std::size_t index) noexcept {
    if (index < per_power)
      return index;
    const auto shift = static_cast<unsigned>(index / per_power - 1);
    return ((per_power + index % per_power + 1) << shift) - 1;
  }

  std::array<std::uint64_t, (powers + 1) * per_power> counts_{};
  std::uint64_t count_ = 0;
  std::uint64_t most_ = 0;
};

} // namespace credence::load
