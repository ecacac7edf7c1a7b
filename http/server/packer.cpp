// The one place that knows zlib.
#include "http/server/packer.hpp"

#include <zlib.h>

#include <chrono>

namespace credence::http {

namespace {

constexpr int gzip_window_bits = MAX_WBITS + 16; // the 16 asks for gzip's frame
constexpr int memory_level = 8;                  // zlib's default

} // namespace

void packer::ending::operator()(z_stream_s* stream) const {
  deflateEnd(stream);
  delete stream;
}

packer::packer() = default;
packer::~packer() = default;

bool packer::take_share(std::size_t bytes, steady_time now) {
  if (now >= second_ends_) {
    second_ends_ = now + std::chrono::seconds{1};
    packed_in_second_ = 0;
  }
  if (packed_in_second_ + bytes > bytes_per_second_max)
    return false;
  packed_in_second_ += bytes;
  return true;
}

std::optional<std::string> packer::pack(std::string_view text, steady_time now) {
  if (text.size() < bytes_min || text.size() > bytes_max || !take_share(text.size(), now))
    return std::nullopt;
  if (!stream_) {
    auto fresh = std::make_unique<z_stream>();
    if (deflateInit2(fresh.get(), Z_BEST_SPEED, Z_DEFLATED, gzip_window_bits, memory_level, Z_DEFAULT_STRATEGY) != Z_OK)
      return std::nullopt;
    stream_.reset(fresh.release());
  } else if (deflateReset(stream_.get()) != Z_OK) {
    return std::nullopt;
  }
  std::string out(text.size(), '\0');                                          // what is not smaller does not fit
  stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data())); // zlib only reads it
  stream_->avail_in = static_cast<uInt>(text.size());
  stream_->next_out = reinterpret_cast<Bytef*>(out.data());
  stream_->avail_out = static_cast<uInt>(out.size());
  if (deflate(stream_.get(), Z_FINISH) != Z_STREAM_END)
    return std::nullopt;
  return std::string{out.data(), static_cast<std::size_t>(stream_->total_out)};
}

} // namespace credence::http
