#pragma once

#include "actors/domain/ids.hpp"
#include "actors/kernel/writes.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

namespace credence::persistence {

/// Streams of which a change was not stored: what they had sent before they heard of it shares its fate.
class broken_streams {
public:
  void add(const write_stream& stream, write_result result, steady_time now) {
    if (all_.size() >= many)
      std::erase_if(all_, [now](const auto& each) { return now - each.second.since > kept; });
    auto& entry = all_[stream.incarnation];
    if (entry.since == steady_time{} || stream.attempt > entry.attempt)
      entry = {stream.attempt, result, now};
  }

  /// What becomes of a change of this stream, or nothing while the stream is whole.
  std::optional<write_result> fate(const write_stream& stream) const {
    if (all_.empty())
      return std::nullopt;
    const auto found = all_.find(stream.incarnation);
    return found != all_.end() && stream.attempt <= found->second.attempt ? std::optional{found->second.result}
                                                                          : std::nullopt;
  }

private:
  /// What a stream that failed sent before it heard of it has long arrived by then.
  static constexpr std::chrono::seconds kept{60};
  static constexpr std::size_t many = 4096;

  struct broken {
    std::uint32_t attempt;
    write_result result;
    steady_time since;
  };
  std::unordered_map<std::uint64_t, broken> all_; // by incarnation
};

} // namespace credence::persistence
