#pragma once

#include "actors/domain/hash.hpp"
#include "actors/domain/wei.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// The contract ABI's encoding of values (https://docs.soliditylang.org/en/latest/abi-spec.html), as words of 32 bytes.
/// abi_types.hpp says what the words of each type mean.
namespace credence::chain {

/// Why bytes of a chain are not the values that they should be.
enum class decode_error : std::uint8_t {
  bad_topics,      // more or fewer topics than the event has indexed inputs
  truncated,       // the data ends before a value does
  bad_offset,      // a value is said to begin beyond the data
  bad_word,        // a word is not a value of its type: an address, a bool, a narrow integer
  bad_enum,        // a number that the enumeration does not have
  bad_text,        // not UTF-8, or with NUL in it
  too_long,        // a text, an array or the data beyond its bound
  id_out_of_range, // an id above 2147483647
  bad_time,        // after the year 9999
  unknown_service, // an account at a service that this version does not know
};
/// The word that a failed event is stored with, such as `bad_topics`.
std::string_view name_of(decode_error error);

/// Bytes of one text.
inline constexpr std::size_t text_bytes_max = 1024 * 1024;
/// Items of one array.
inline constexpr std::size_t array_items_max = 10'000;
/// Bytes of all texts and arrays of one decoding: offsets may lead to the same bytes many times over.
inline constexpr std::size_t decoded_bytes_max = 4 * 1024 * 1024;

using word = digest32;

/// What the readers of one decoding share: its first error, and how much it has taken.
class decoding {
public:
  void fail(decode_error why) {
    if (!error_)
      error_ = why;
  }
  /// Counts bytes that are about to be copied; fails with `too_long` beyond `decoded_bytes_max`.
  bool take(std::size_t bytes);
  const std::optional<decode_error>& error() const noexcept { return error_; }

private:
  std::optional<decode_error> error_;
  std::size_t taken_ = 0;
};

/// Reads words of a tuple one after the other. After the first error every word is zero, every length 0.
class word_reader {
public:
  /// Both must outlive the reader.
  word_reader(std::span<const std::byte> bytes, decoding& of) : base_(bytes), of_(&of) {}

  /// The next word; `truncated` where the bytes end before.
  word next();
  /// Reads the next word as an offset from where this reader began; a reader of what lies there. `bad_offset`
  /// where that is beyond the bytes.
  word_reader follow();
  /// Reads the next word as a count; `too_long` above `most`.
  std::size_t next_length(std::size_t most);
  /// The next `count` bytes. The padding to a whole word must be there, else `truncated`; its content is not checked.
  std::span<const std::byte> next_bytes(std::size_t count);
  /// A reader that begins where this one is.
  word_reader rest() const { return {base_.subspan(at_), *of_}; }

  void fail(decode_error why) { of_->fail(why); }
  bool good() const noexcept { return !of_->error(); }
  decoding& shared() noexcept { return *of_; }

private:
  std::span<const std::byte> base_;
  std::size_t at_ = 0;
  decoding* of_;
};

/// A word as the number that it is, and back.
uint256 unsigned_of(const word& from);
word word_of(const uint256& number);
/// The same in two's complement. `word_of` throws std::range_error from 2^255 on, and below -2^255.
wei_change signed_of(const word& from);
word word_of_signed(const wei_change& number);
/// The number in a word, where it is at most `most`.
std::optional<std::uint64_t> small_number(const word& from, std::uint64_t most);
word word_of_small(std::uint64_t number);

/// UTF-8 (RFC 3629) without NUL.
bool is_clean_text(std::string_view text) noexcept;

} // namespace credence::chain
