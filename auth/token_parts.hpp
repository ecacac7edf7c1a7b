#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// What all tokens have in common: three parts (RFC 7515, 7.1), of which two are JSON that is
/// read strictly. Private to auth/.
namespace credence::auth {

struct token_parts {
  std::string_view header;
  std::string_view claims;
  std::string_view signature;
  std::string_view what_is_signed; // header and claims
};

/// Nothing when there are not three parts, or too many bytes.
std::optional<token_parts> split_token(std::string_view token);

/// Whether no two members have the same name (RFC 8725, 2.7; RFC 7515, 4).
bool no_member_twice(const simdjson::dom::object& object);

/// The object that a part encodes, or nothing. `json` holds its text; both last until `parser`
/// is used again.
std::optional<simdjson::dom::object> object_in(simdjson::dom::parser& parser, std::string_view part, std::string& json);

/// Whether there is a member of that name, and it is that text.
bool text_is(const simdjson::dom::object& object, std::string_view name, std::string_view wanted);

bool has_member(const simdjson::dom::object& object, std::string_view name);

/// A time in whole seconds, from 1970 to 9999; nothing when it is anything else or not there.
std::optional<std::int64_t> time_in(const simdjson::dom::object& object, std::string_view name);

} // namespace credence::auth
