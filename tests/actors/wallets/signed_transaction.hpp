#pragma once

#include "actors/wallets/eip1559.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

/// Reads what managed wallets write, as a node does.
namespace credence::wallets {

namespace rlp {

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

} // namespace rlp

struct signed_transaction {
  unsigned_transaction of;
  key_signature by;
};
/// Reads what `signed_bytes` writes, to the byte; nothing for all else, such as a transaction with an access list, a
/// zero or high s, or bytes behind.
std::optional<signed_transaction> parse_transaction(std::string_view signed_bytes);

} // namespace credence::wallets
