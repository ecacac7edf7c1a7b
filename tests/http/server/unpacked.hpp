#pragma once

#include <zlib.h>

#include <string>

namespace credence::http::test {

/// What was packed with gzip; empty for what was not, or not to its end.
inline std::string unpacked(const std::string& packed) {
  z_stream stream{};
  if (inflateInit2(&stream, MAX_WBITS + 16) != Z_OK)
    return {};
  std::string copy = packed;
  std::string out(std::size_t{1} << 21, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const bool whole = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0;
  out.resize(whole ? stream.total_out : 0);
  inflateEnd(&stream);
  return out;
}

} // namespace credence::http::test
