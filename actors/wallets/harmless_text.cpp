#include "actors/wallets/harmless_text.hpp"

#include "actors/chain/abi.hpp"

#include <algorithm>
#include <array>

namespace credence::wallets {

namespace {

/// Bytes of the character that begins here; 0: it is none.
std::size_t character_at(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return length <= text.size() && chain::is_clean_text(text.substr(0, length)) ? length : 0;
}

bool is_control(std::string_view character) {
  if (character.size() == 1)
    return character.front() < 0x20 || character.front() == 0x7F;
  if (character.size() == 2 && character[0] == '\xC2')
    return static_cast<unsigned char>(character[1]) < 0xA0; // C1
  // Marks of direction, embeddings, overrides and isolates; separators of lines and paragraphs; the byte order mark.
  constexpr std::array<std::string_view, 16> others{"\u061C", "\u200E", "\u200F", "\u2028", "\u2029", "\u202A",
                                                    "\u202B", "\u202C", "\u202D", "\u202E", "\u2066", "\u2067",
                                                    "\u2068", "\u2069", "\u200B", "\uFEFF"};
  return std::find(others.begin(), others.end(), character) != others.end();
}

} // namespace

std::string harmless(std::string_view text, std::size_t most) {
  std::string out;
  while (!text.empty()) {
    const auto length = character_at(text);
    const auto character = text.substr(0, std::max<std::size_t>(length, 1));
    const auto shown = length == 0 || is_control(character) ? std::string_view{"?"} : character;
    if (out.size() + shown.size() > most)
      return out + "\u2026";
    out += shown;
    text.remove_prefix(character.size());
  }
  return out;
}

} // namespace credence::wallets
