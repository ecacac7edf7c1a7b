#include "actors/domain/address.hpp"

#include "actors/domain/hash.hpp"

#include <array>
#include <memory>

namespace credence {

std::optional<address> parse_address(std::string_view text) {
  address out;
  if (!text.starts_with("0x") || !decode_hex(text.substr(2), out.bytes))
    return std::nullopt;
  return out;
}

std::string lower_text(const address& of) {
  std::string out = "0x";
  append_hex(out, of.bytes);
  return out;
}

namespace {

std::string with_checksum(const address& of) {
  auto text = lower_text(of);
  const auto hash = keccak256(std::string_view{text}.substr(2));
  for (std::size_t i = 0; i < text.size() - 2; ++i) {
    const auto pair = std::to_integer<unsigned>(hash[i / 2]);
    const auto nibble = i % 2 == 0 ? pair >> 4 : pair & 15;
    char& c = text[2 + i];
    if (nibble >= 8 && c >= 'a')
      c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

/// One of the texts that a thread has written, at the place that its address has among them.
struct written_text {
  address of;
  std::string text; // empty: none yet
};
constexpr std::size_t texts_kept = 256;

} // namespace

std::string checksummed_text(const address& of) {
  // A hash costs a microsecond and a half, and pages name the same people again and again. Whoever chooses addresses
  // that share a place makes their texts cost that again, nothing else.
  thread_local const auto kept = std::make_unique<std::array<written_text, texts_kept>>();
  auto& mine = (*kept)[std::to_integer<std::size_t>(of.bytes.back())];
  if (mine.text.empty() || mine.of != of)
    mine = {of, with_checksum(of)};
  return mine.text;
}

} // namespace credence
