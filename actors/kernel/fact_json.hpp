#pragma once

#include <string>
#include <string_view>

/// Texts as JSON, for what is written to the database as JSON.
namespace credence::detail {

void append_json_text(std::string& to, std::string_view text);

} // namespace credence::detail
