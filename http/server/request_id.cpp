#include "http/server/request_id.hpp"

#include "config/limits.hpp"

#include <algorithm>
#include <random>

namespace credence::http {

namespace {

void append_hex(std::string& out, std::uint64_t number, int digits) {
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4)
    out += "0123456789abcdef"[number >> shift & 0xF];
}

} // namespace

bool good_request_id(std::string_view id) noexcept {
  return !id.empty() && id.size() <= limits::request_id_length_max && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_'
           || c == '-';
  });
}

request_ids::request_ids() {
  std::random_device dice;
  append_hex(beginning_, dice(), 8);
  append_hex(beginning_, dice(), 4);
}

void request_ids::append(std::string& out) {
  out += beginning_;
  append_hex(out, ++count_, 10);
}

} // namespace credence::http
