#pragma once

#include "actors/domain/time.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct z_stream_s;

namespace credence::http {

/// Packs the answers of one thread with gzip (RFC 1952). What that costs is bounded: small texts and very large ones
/// are left as they are, and within a second only so many bytes are packed, about a tenth of the thread's time. Its
/// memory, some 256 KiB, is there from the first text on.
class packer {
public:
  /// A smaller answer fits a packet or two anyway.
  static constexpr std::size_t bytes_min = 1024;
  /// A larger one would hold up the others of the thread: a megabyte takes some 10 ms.
  static constexpr std::size_t bytes_max = std::size_t{1} << 20;
  /// Of texts, before they are packed.
  static constexpr std::size_t bytes_per_second_max = std::size_t{8} << 20;

  packer();
  ~packer();
  packer(const packer&) = delete;
  packer& operator=(const packer&) = delete;

  /// The text packed; nothing where it is too small or too large, would not become smaller, or the second's share is
  /// used up.
  std::optional<std::string> pack(std::string_view text, steady_time now);

private:
  bool take_share(std::size_t bytes, steady_time now);

  struct ending {
    void operator()(z_stream_s* stream) const;
  };
  std::unique_ptr<z_stream_s, ending> stream_;
  steady_time second_ends_{};
  std::size_t packed_in_second_ = 0;
};

} // namespace credence::http
