#pragma once

#include "actors/domain/wei.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Recursive Length Prefix (yellow paper, appendix B): how Ethereum writes byte strings and lists of them.
namespace credence::wallets::rlp {

void append_bytes(std::string& to, std::string_view bytes);
/// A number is its big-endian bytes without zeros in front; 0 is the empty string.
void append_number(std::string& to, const uint256& number);
/// A list; `items` are its items, written one behind the other.
void append_list(std::string& to, std::string_view items);

/// Reads items one after the other. It takes the one canonical form only: the shortest length, single bytes below 0x80
/// as themselves, numbers without zeros in front. After the first mistake `good()` is false and everything read is
/// empty or 0.
class reader {
public:
  /// The text must outlive the reader.
  explicit reader(std::string_view items) : rest_(items) {}

  std::string_view next_bytes();
  uint256 next_number();
  /// The same, where it must fit into 64 bits.
  std::uint64_t next_small_number();
  /// A reader of the items of the next list. Its mistakes are its own.
  reader next_list();

  bool good() const noexcept { return good_; }
  bool at_end() const noexcept { return rest_.empty(); }
  void fail() noexcept {
    good_ = false;
    rest_ = {};
  }

private:
  std::string_view next(bool list);
  std::optional<std::size_t> long_length(std::size_t bytes);

  std::string_view rest_;
  bool good_ = true;
};

} // namespace credence::wallets::rlp
