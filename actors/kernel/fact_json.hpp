#pragma once

#include "actors/domain/hash.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

/// Texts and bytes as JSON, for what is written to the database as JSON.
namespace credence::detail {

void append_json_text(std::string& to, std::string_view text);
void append_json_hex(std::string& to, std::span<const std::byte> bytes);

} // namespace credence::detail
