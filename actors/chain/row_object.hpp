#pragma once

#include "actors/chain/chain_storage.hpp"
#include "actors/domain/hex.hpp"
#include "actors/domain/ids.hpp"
#include "actors/kernel/fact_json.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace credence::chain {

/// A JSON object of columns, as a row is written.
class row_object {
public:
  row_object& text(std::string_view name, std::string_view value) {
    begin(name);
    detail::append_json_text(out_, value);
    return *this;
  }
  row_object& text_or_null(std::string_view name, const std::optional<std::string>& value) {
    return value ? text(name, *value) : null(name);
  }
  row_object& number(std::string_view name, std::int64_t value) {
    begin(name);
    out_ += std::to_string(value);
    return *this;
  }
  template <class Tag>
  row_object& number(std::string_view name, id<Tag> value) {
    return number(name, std::int64_t{value.value});
  }
  template <class Tag>
  row_object& number(std::string_view name, const std::optional<id<Tag>>& value) {
    return value ? number(name, *value) : null(name);
  }
  row_object& flag(std::string_view name, bool value) {
    begin(name);
    out_ += value ? "true" : "false";
    return *this;
  }
  row_object& null(std::string_view name) {
    begin(name);
    out_ += "null";
    return *this;
  }
  row_object& time(std::string_view name, unix_time at) { return text(name, iso_text(time_of(at))); }
  row_object& time(std::string_view name, const std::optional<unix_time>& at) {
    return at ? time(name, *at) : null(name);
  }
  row_object& bytes(std::string_view name, std::span<const std::byte> value) {
    std::string hex = "\\x";
    append_hex(hex, value);
    return text(name, hex);
  }
  template <class Origin>
  std::string of(const Origin& by) {
    text("source", "chain").number("event_id", by.event).number("block", by.block);
    return close();
  }
  std::string close() { return std::move(out_) + "}"; }

private:
  void begin(std::string_view name) {
    out_ += out_.size() > 1 ? ",\"" : "\"";
    out_ += name;
    out_ += "\":";
  }
  std::string out_ = "{";
};

} // namespace credence::chain
