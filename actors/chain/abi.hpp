#pragma once

#include "actors/chain/chain_types.hpp"
#include "actors/domain/field_list.hpp"
#include "actors/domain/hash.hpp"
#include "actors/domain/wei.hpp"
#include "actors/people/lookup_types.hpp"
#include "config/limits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// The contract ABI's encoding of values (https://docs.soliditylang.org/en/latest/abi-spec.html), as words of 32 bytes.
/// `solidity<…>` below says what the words of each type mean.
namespace credence::chain {

// -- words ------------------------------------------------------------------------------------------

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

// -- types ------------------------------------------------------------------------------------------

// What each type of a member is to a contract: its name in a signature, its words, its JSON. From these come the
// decoding and the encoding of whole events and calls.

/// An input of an event, or a member of a struct of a contract: its name to the contract, where it goes, and whether a
/// topic holds it.
template <class Owner, class T>
struct input {
  std::string_view name;
  T Owner::*member;
  bool indexed;
};
/// An input that lies in the data of a log.
template <class Owner, class T>
constexpr input<Owner, T> plain(std::string_view name, T Owner::*member) {
  return {name, member, false};
}
/// An input that is a topic of its own.
template <class Owner, class T>
constexpr input<Owner, T> indexed(std::string_view name, T Owner::*member) {
  return {name, member, true};
}

/// What a topic holds of a text: its Keccak-256 only.
struct text_hash {
  digest32 value{};
  friend bool operator==(const text_hash&, const text_hash&) = default;
};

/// Which contract emits an event, and what the contract calls it.
struct event_name {
  contract_kind contract;
  std::string_view text;
};

/// How many values an enumeration of a contract has; given beside each such enumeration.
template <class E>
inline constexpr std::uint8_t enum_size = 0;

/// What a type is to a contract: `dynamic`, `words` (size of a static type in words of 32 bytes), and static functions
/// `append_type`, `read` (zeros after an error), `append` (throws std::range_error for what the contract's type cannot
/// hold) and `append_json`.
template <class T>
struct solidity;

namespace detail {

void append_json_number(std::string& to, const uint256& number);
void append_json_number(std::string& to, const wei_change& number);
void append_json_text(std::string& to, std::string_view text);
void append_json_bytes(std::string& to, std::span<const std::byte> bytes);
void append_word(std::string& to, const word& raw);
void append_padded(std::string& to, std::span<const std::byte> bytes);

/// What all types of one word share: `from` reads a word, `to` makes it.
template <class Self, class T>
struct one_word {
  static constexpr bool dynamic = false;
  static constexpr std::size_t words = 1;
  static void append_type(std::string& to) { to += Self::type; }
  static T read(word_reader& in) {
    const auto next = in.next();
    return in.good() ? Self::from(next, in) : T{};
  }
  static void append(std::string& to, const T& value) { append_word(to, Self::to(value)); }
};

/// A whole number up to `most`, which is `why` beyond that.
template <class T>
T bounded(const word& from, std::uint64_t most, decode_error why, word_reader& in) {
  const auto number = small_number(from, most);
  if (!number)
    in.fail(why);
  return static_cast<T>(number.value_or(0));
}

template <class T>
concept tuple_like = requires {
  T::inputs();
};

} // namespace detail

template <>
struct solidity<address> : detail::one_word<solidity<address>, address> {
  static constexpr std::string_view type = "address";
  static address from(const word& raw, word_reader& in) {
    if (std::any_of(raw.begin(), raw.begin() + 12, [](std::byte each) { return each != std::byte{}; }))
      in.fail(decode_error::bad_word);
    address out;
    std::copy(raw.begin() + 12, raw.end(), out.bytes.begin());
    return out;
  }
  static word to(const address& address) {
    word out{};
    std::copy(address.bytes.begin(), address.bytes.end(), out.begin() + 12);
    return out;
  }
  static void append_json(std::string& to, const address& address) {
    detail::append_json_text(to, checksummed_text(address));
  }
};

template <>
struct solidity<digest32> : detail::one_word<solidity<digest32>, digest32> {
  static constexpr std::string_view type = "bytes32";
  static digest32 from(const word& raw, word_reader&) { return raw; }
  static word to(const digest32& digest) { return digest; }
  static void append_json(std::string& to, const digest32& digest) { detail::append_json_bytes(to, digest); }
};

template <>
struct solidity<text_hash> : detail::one_word<solidity<text_hash>, text_hash> {
  static constexpr std::string_view type = "string";
  static text_hash from(const word& raw, word_reader&) { return {raw}; }
  static word to(const text_hash& hash) { return hash.value; }
  static void append_json(std::string& to, const text_hash& hash) { detail::append_json_bytes(to, hash.value); }
};

template <>
struct solidity<bool> : detail::one_word<solidity<bool>, bool> {
  static constexpr std::string_view type = "bool";
  static bool from(const word& raw, word_reader& in) {
    return detail::bounded<bool>(raw, 1, decode_error::bad_word, in);
  }
  static word to(bool flag) { return word_of_small(flag ? 1 : 0); }
  static void append_json(std::string& to, bool flag) { to += flag ? "true" : "false"; }
};

template <>
struct solidity<uint256> : detail::one_word<solidity<uint256>, uint256> {
  static constexpr std::string_view type = "uint256";
  static uint256 from(const word& raw, word_reader&) { return unsigned_of(raw); }
  static word to(const uint256& value) { return word_of(value); }
  static void append_json(std::string& to, const uint256& value) { detail::append_json_number(to, value); }
};

template <>
struct solidity<wei_change> : detail::one_word<solidity<wei_change>, wei_change> {
  static constexpr std::string_view type = "int256";
  static wei_change from(const word& raw, word_reader&) { return signed_of(raw); }
  static word to(const wei_change& value) { return word_of_signed(value); }
  static void append_json(std::string& to, const wei_change& value) { detail::append_json_number(to, value); }
};

template <>
struct solidity<std::uint64_t> : detail::one_word<solidity<std::uint64_t>, std::uint64_t> {
  static constexpr std::string_view type = "uint64";
  static std::uint64_t from(const word& raw, word_reader& in) {
    return detail::bounded<std::uint64_t>(raw, ~std::uint64_t{0}, decode_error::bad_word, in);
  }
  static word to(std::uint64_t number) { return word_of_small(number); }
  static void append_json(std::string& to, std::uint64_t number) { detail::append_json_number(to, uint256{number}); }
};

template <class Tag>
struct solidity<onchain_id<Tag>> : detail::one_word<solidity<onchain_id<Tag>>, onchain_id<Tag>> {
  static constexpr std::string_view type = "uint256";
  static onchain_id<Tag> from(const word& raw, word_reader& in) {
    return {detail::bounded<std::int32_t>(raw, limits::id_max, decode_error::id_out_of_range, in)};
  }
  static word to(const onchain_id<Tag>& id) { return word_of_small(static_cast<std::uint64_t>(id.value)); }
  static void append_json(std::string& to, const onchain_id<Tag>& id) { to += std::to_string(id.value); }
};

/// Moments and lengths of time are seconds in a `uint256`.
template <class T>
requires(std::same_as<T, unix_time> || std::same_as<T, span_of_time>) struct solidity<T>
  : detail::one_word<solidity<T>, T> {
  static constexpr std::string_view type = "uint256";
  static T from(const word& raw, word_reader& in) {
    return {detail::bounded<std::int64_t>(raw, limits::unix_seconds_max, decode_error::bad_time, in)};
  }
  static word to(const T& value) { return word_of_small(static_cast<std::uint64_t>(value.seconds)); }
  static void append_json(std::string& to, const T& value) { to += std::to_string(value.seconds); }
};

template <class E>
requires(std::is_enum_v<E>&& enum_size<E> != 0) struct solidity<E> : detail::one_word<solidity<E>, E> {
  static constexpr std::string_view type = "uint8";
  static E from(const word& raw, word_reader& in) {
    return detail::bounded<E>(raw, enum_size<E> - 1, decode_error::bad_enum, in);
  }
  static word to(E value) { return word_of_small(static_cast<std::uint64_t>(value)); }
  static void append_json(std::string& to, E value) { to += std::to_string(static_cast<unsigned>(value)); }
};

template <>
struct solidity<std::string> {
  static constexpr bool dynamic = true;
  static void append_type(std::string& to) { to += "string"; }
  static std::string read(word_reader& in);
  static void append(std::string& to, const std::string& text);
  static void append_json(std::string& to, const std::string& text) { detail::append_json_text(to, text); }
};

template <>
struct solidity<std::vector<std::byte>> {
  static constexpr bool dynamic = true;
  static void append_type(std::string& to) { to += "bytes"; }
  static std::vector<std::byte> read(word_reader& in);
  static void append(std::string& to, const std::vector<std::byte>& bytes);
  static void append_json(std::string& to, const std::vector<std::byte>& bytes) {
    detail::append_json_bytes(to, bytes);
  }
};

/// A service at which people have accounts: a text, one of `people::service_names`.
template <>
struct solidity<people::account_service> {
  static constexpr bool dynamic = true;
  static void append_type(std::string& to) { to += "string"; }
  static people::account_service read(word_reader& in);
  static void append(std::string& to, people::account_service service) {
    solidity<std::string>::append(to, std::string{name_of(service)});
  }
  static void append_json(std::string& to, people::account_service service) {
    detail::append_json_text(to, name_of(service));
  }
};

namespace detail {

/// Reads a value where its words are, or where its offset leads.
template <class T>
T read_in_place(word_reader& in) {
  if constexpr (solidity<T>::dynamic) {
    auto there = in.follow();
    return solidity<T>::read(there);
  } else
    return solidity<T>::read(in);
}

/// Bytes of a value's head: itself, or an offset.
template <class T>
constexpr std::size_t head_bytes() {
  if constexpr (solidity<T>::dynamic)
    return 32;
  else
    return 32 * solidity<T>::words;
}

/// Collects values of a tuple: heads in order, and behind them what is dynamic.
class tuple_writer {
public:
  explicit tuple_writer(std::size_t heads) : heads_(heads) {}
  template <class T>
  void add(const T& value) {
    if constexpr (solidity<T>::dynamic) {
      append_word(head_, word_of_small(heads_ + tail_.size()));
      solidity<T>::append(tail_, value);
    } else
      solidity<T>::append(head_, value);
  }
  std::string bytes() const { return head_ + tail_; }

private:
  std::size_t heads_;
  std::string head_;
  std::string tail_;
};

} // namespace detail

template <class T>
requires(!std::same_as<T, std::byte>) struct solidity<std::vector<T>> {
  static constexpr bool dynamic = true;
  static void append_type(std::string& to) {
    solidity<T>::append_type(to);
    to += "[]";
  }
  static std::vector<T> read(word_reader& in) {
    const auto count = in.next_length(array_items_max);
    auto items = in.rest();
    std::vector<T> out;
    if (!in.shared().take(count * sizeof(T)))
      return out;
    for (std::size_t i = 0; i < count && in.good(); ++i)
      out.push_back(detail::read_in_place<T>(items));
    return out;
  }
  static void append(std::string& to, const std::vector<T>& value) {
    detail::append_word(to, word_of_small(value.size()));
    detail::tuple_writer items{value.size() * detail::head_bytes<T>()};
    for (const auto& item : value)
      items.add(item);
    to += items.bytes();
  }
  static void append_json(std::string& to, const std::vector<T>& value) {
    to += '[';
    for (std::size_t i = 0; i < value.size(); ++i) {
      to += i > 0 ? "," : "";
      solidity<T>::append_json(to, value[i]);
    }
    to += ']';
  }
};

namespace detail {

template <class Owner, class T>
constexpr bool dynamic_input(const input<Owner, T>&) {
  return solidity<T>::dynamic;
}
template <class Owner, class T>
constexpr std::size_t head_bytes_of(const input<Owner, T>&) {
  return head_bytes<T>();
}
template <class Owner, class T>
void append_type_of(std::string& to, const input<Owner, T>&) {
  solidity<T>::append_type(to);
}

/// `(uint256,string)`: the types of all inputs.
template <class T>
void append_types(std::string& to) {
  to += '(';
  bool first = true;
  const auto add = [&](const auto& each) {
    to += std::exchange(first, false) ? "" : ",";
    append_type_of(to, each);
  };
  T::inputs().apply([&](const auto&... each) { (add(each), ...); });
  to += ')';
}

/// `{"profileId":7}`: all inputs by their names.
template <class T>
void append_json_members(std::string& to, const T& value) {
  to += '{';
  bool first = true;
  const auto add = [&]<class M>(const input<T, M>& each) {
    to += std::exchange(first, false) ? "" : ",";
    append_json_text(to, each.name);
    to += ':';
    solidity<M>::append_json(to, value.*each.member);
  };
  T::inputs().apply([&](const auto&... each) { (add(each), ...); });
  to += '}';
}

} // namespace detail

/// A struct of a contract: a struct here whose `inputs()` lists its members, all plain.
template <detail::tuple_like T>
struct solidity<T> {
  static constexpr bool dynamic =
    T::inputs().apply([](const auto&... each) { return (detail::dynamic_input(each) || ...); });
  static constexpr std::size_t words =
    T::inputs().apply([](const auto&... each) { return (detail::head_bytes_of(each) + ...) / 32; });
  static void append_type(std::string& to) { detail::append_types<T>(to); }
  static T read(word_reader& in) {
    T out;
    const auto take = [&]<class M>(const input<T, M>& each) { out.*each.member = detail::read_in_place<M>(in); };
    T::inputs().apply([&](const auto&... each) { (take(each), ...); });
    return out;
  }
  static void append(std::string& to, const T& value) {
    detail::tuple_writer members{32 * words};
    T::inputs().apply([&](const auto&... each) { (members.add(value.*each.member), ...); });
    to += members.bytes();
  }
  static void append_json(std::string& to, const T& value) { detail::append_json_members(to, value); }
};

/// The values as a contract's function takes or returns them: abi.encode(…).
template <class... T>
std::string abi_encode(const T&... values) {
  detail::tuple_writer out{(detail::head_bytes<T>() + ... + 0)};
  (out.add(values), ...);
  return out.bytes();
}

} // namespace credence::chain
