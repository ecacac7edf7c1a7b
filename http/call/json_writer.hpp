#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/page.hpp"
#include "actors/domain/time.hpp"

#include <rapidjson/writer.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

namespace credence::http {

/// Name of an object's member, checked while compiling: nothing in it needs escaping.
class json_name {
public:
  consteval json_name(const char* text) : text_(text) {
    for (const char c : text_)
      if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20)
        throw "a member's name must not need escaping";
  }
  constexpr std::string_view text() const noexcept { return text_; }

private:
  std::string_view text_;
};

namespace detail {

/// Whether a quotation mark, a backslash or a control character is in the text (RFC 8259 7). Looks at eight bytes at a
/// time.
inline bool needs_escaping(std::string_view text) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101, highs = 0x8080808080808080;
  const auto below = [](std::uint64_t bytes, std::uint64_t least) { return (bytes - ones * least) & ~bytes & highs; };
  std::uint64_t found = 0;
  const auto look = [&](std::uint64_t bytes) {
    found |= below(bytes ^ ones * '"', 1) | below(bytes ^ ones * '\\', 1) | below(bytes, 0x20);
  };
  std::uint64_t eight = 0;
  for (; text.size() >= sizeof eight; text.remove_prefix(sizeof eight)) {
    std::memcpy(&eight, text.data(), sizeof eight);
    look(eight);
  }
  eight = ones * ' ';
  if (!text.empty())
    std::memcpy(&eight, text.data(), text.size());
  look(eight);
  return found != 0;
}

/// A string as rapidjson's output stream; grows like the string does.
class string_stream {
public:
  using Ch = char;
  explicit string_stream(std::string& out) noexcept : out_(&out) {}
  void Put(char c) { out_->push_back(c); }
  void Flush() noexcept {}
  std::string& text() noexcept { return *out_; }

private:
  std::string* out_;
};

/// Memory of the writer's nesting levels: inside the writer, so that a small
/// answer allocates nothing.
class level_memory {
public:
  static constexpr bool kNeedFree = false;
  void* Malloc(std::size_t size) {
    // Answers nest a few levels deep; one that needs more is a mistake of ours.
    if (size > sizeof room_)
      throw std::bad_alloc{};
    return room_;
  }
  void* Realloc(void* from, std::size_t, std::size_t size) {
    if (from)
      throw std::bad_alloc{};
    return Malloc(size);
  }
  static void Free(void*) noexcept {}

private:
  alignas(std::max_align_t) char room_[512];
};

/// rapidjson's writer, which may also be handed values and members that are encoded already.
class splicing_writer : public rapidjson::Writer<string_stream, rapidjson::UTF8<>, rapidjson::UTF8<>, level_memory> {
public:
  splicing_writer(string_stream& out, level_memory& levels) : Writer(out, &levels, levels_max) {}
  void splice(std::string_view json) { put(json, false); }
  /// Text that needs no escaping.
  void plain(std::string_view text) { put(text, true); }
  void splice_members(std::string_view json) {
    assert(!level_stack_.Empty() && !level_stack_.template Top<Level>()->inArray
           && level_stack_.template Top<Level>()->valueCount % 2 == 0);
    Prefix(rapidjson::kStringType);
    os_->text().append(json);
    ++level_stack_.template Top<Level>()->valueCount; // the level counts a name and a value
  }

private:
  static constexpr std::size_t levels_max = 32; // of 16 bytes each

  /// A value with what stands before it, which is mostly one piece: each growth of a string looks at its capacity.
  void put(std::string_view text, bool quoted) {
    char piece[80];
    auto& out = os_->text();
    if (text.size() + 3 > sizeof piece) {
      Prefix(quoted ? rapidjson::kStringType : rapidjson::kNumberType);
      if (quoted)
        out += '"';
      out += text;
      if (quoted)
        out += '"';
      return;
    }
    char* end = piece;
    if (level_stack_.Empty()) {
      assert(!hasRoot_);
      hasRoot_ = true;
    } else { // as Prefix does
      auto& level = *level_stack_.template Top<Level>();
      assert(quoted || level.inArray || level.valueCount % 2 == 1); // a name is a text
      if (level.valueCount > 0)
        *end++ = level.inArray || level.valueCount % 2 == 0 ? ',' : ':';
      ++level.valueCount;
    }
    if (quoted)
      *end++ = '"';
    end = std::copy(text.begin(), text.end(), end);
    if (quoted)
      *end++ = '"';
    out.append(piece, static_cast<std::size_t>(end - piece));
  }
};

} // namespace detail

/// The one way of writing JSON (RFC 8259): appends one value to a string, members in
/// the order in which they are written. Does not allocate but for the string's growth.
///
/// Every `encode` stands in this namespace, `credence::http`, and takes a `json_writer&` first: so it is found by its
/// argument wherever it is called, in whatever order headers are included. A record that is an object has
/// `encode_members`, which writes into an open one, in its place (outside nameless namespaces).
class json_writer {
public:
  /// Appends to `out`, which must outlive the writer.
  explicit json_writer(std::string& out) : stream_(out), to_(stream_, levels_) {}
  json_writer(const json_writer&) = delete;
  json_writer& operator=(const json_writer&) = delete;

  void begin_object() { to_.StartObject(); }
  void end_object() { to_.EndObject(); }
  void begin_array() { to_.StartArray(); }
  void end_array() { to_.EndArray(); }

  /// An object; `members` writes what is in it.
  void object(std::invocable auto members) {
    begin_object();
    members();
    end_object();
  }
  void object(json_name name, std::invocable auto members) {
    key(name);
    object(std::move(members));
  }
  /// An object of the members that `members` writes of what `maybe` points to; null where that is nothing.
  template <class Maybe, class Members>
  void object_or_null(json_name name, const Maybe& maybe, Members members) {
    if (maybe)
      object(name, [&] { members(*maybe); });
    else
      field(name, nullptr);
  }
  /// An array of what `each` writes of every one of these.
  template <std::ranges::range Values, std::invocable<std::ranges::range_reference_t<const Values>> Each>
  void array(const Values& values, Each each) {
    begin_array();
    for (auto&& one : values)
      each(one);
    end_array();
  }
  template <std::ranges::range Values, std::invocable<std::ranges::range_reference_t<const Values>> Each>
  void array(json_name name, const Values& values, Each each) {
    key(name);
    array(values, std::move(each));
  }
  /// An array; `values` writes what is in it.
  void array(json_name name, std::invocable auto values) {
    key(name);
    begin_array();
    values();
    end_array();
  }
  /// An array of objects; `each` writes the members of one.
  template <std::ranges::range Values, std::invocable<std::ranges::range_reference_t<const Values>> Each>
  void objects(const Values& values, Each each) {
    array(values, [&](auto&& one) { object([&] { each(one); }); });
  }
  template <std::ranges::range Values, std::invocable<std::ranges::range_reference_t<const Values>> Each>
  void objects(json_name name, const Values& values, Each each) {
    key(name);
    objects(values, std::move(each));
  }

  void key(json_name name) { to_.plain(name.text()); }
  /// A name from outside, escaped where that is needed.
  void text_key(std::string_view name) { value(name); }
  /// A number as member name, for objects keyed by id.
  void key(std::int64_t number) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    to_.plain({digits, static_cast<std::size_t>(end - digits)});
  }

  void null() { to_.Null(); }
  void value(std::nullptr_t) { null(); }
  void value(std::string_view text) {
    if (!detail::needs_escaping(text)) // most texts: those go in as they are
      return to_.plain(text);
    to_.String(text.data() ? text.data() : "", static_cast<rapidjson::SizeType>(text.size()));
  }
  void value(const std::string& text) { value(std::string_view{text}); }
  void value(const char* text) { value(std::string_view{text}); }
  void value(std::same_as<bool> auto yes) { to_.Bool(yes); }
  template <std::integral T>
  requires(!std::same_as<T, bool>) void value(T number) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    raw({digits, static_cast<std::size_t>(end - digits)});
  }
  /// The shortest text that reads back as the same number; null when it is not finite.
  void value(double number) {
    if (!std::isfinite(number))
      return null();
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    raw({digits, static_cast<std::size_t>(end - digits)});
  }
  /// ISO 8601 with milliseconds, UTC.
  void value(timestamp when) {
    const auto text = iso_characters(when);
    to_.plain({text.data(), text.size()});
  }
  template <class Tag>
  void value(id<Tag> number) {
    value(number.value);
  }
  template <class T>
  void value(const std::optional<T>& maybe) {
    if (maybe)
      put(*maybe);
    else
      null();
  }
  /// A value, or what is written by its `encode`.
  template <class T>
  void put(const T& it) {
    if constexpr (requires { value(it); })
      value(it);
    else
      encode(*this, it);
  }
  /// A value that is JSON already, taken as it is.
  void raw(std::string_view json) { to_.splice(json); }
  /// Members of the open object that are JSON already (`"a":1,"b":2`, at least one), taken as they are.
  void raw_members(std::string_view json) { to_.splice_members(json); }

  template <class T>
  void field(json_name name, const T& it) {
    key(name);
    put(it);
  }
  /// Writes the member only when there is something to write.
  template <class T>
  void field_if(json_name name, const std::optional<T>& maybe) {
    if (maybe)
      field(name, *maybe);
  }

  /// The string written to; between values only, and only to reserve or measure.
  std::string& out() noexcept { return stream_.text(); }

private:
  detail::string_stream stream_;
  detail::level_memory levels_;
  detail::splicing_writer to_;
};

/// `total`, `limit` and `offset`: which part of a list an answer is.
inline void encode_slice(json_writer& to, std::integral auto total, const page& slice) {
  to.field("total", total);
  to.field("limit", slice.limit);
  to.field("offset", slice.offset);
}

/// An object of the members that `encode_members` writes of such a record, with the help of whatever else it takes.
template <class Record, class... With>
requires requires(json_writer& to, const Record& of, With&... with) { encode_members(to, of, with...); }
void encode(json_writer& to, const Record& of, With&&... with) {
  to.object([&] { encode_members(to, of, with...); });
}

/// The members of a page: `values`, or what public clients call them, each as `each` writes it, and which part of the
/// list they are.
template <std::ranges::range Values, std::invocable<std::ranges::range_reference_t<const Values>> Each>
void encode_page_members(json_writer& to, const Values& values, std::integral auto total, const page& slice, Each each,
                         json_name name = "values") {
  to.array(name, values, std::move(each));
  encode_slice(to, total, slice);
}
/// A page as an object.
template <std::ranges::range Values, std::invocable<std::ranges::range_reference_t<const Values>> Each>
void encode_page(json_writer& to, const Values& values, std::integral auto total, const page& slice, Each each,
                 json_name name = "values") {
  to.object([&] { encode_page_members(to, values, total, slice, std::move(each), name); });
}

} // namespace credence::http
