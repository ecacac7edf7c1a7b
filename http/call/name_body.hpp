#pragma once

#include "http/call/record_body.hpp"

/// Names, texts and addresses of pictures and pages in bodies, wherever others see them. Mistakes go to the body's; a
/// member that is absent is nothing.
namespace credence::http {

/// A name of 1 to `limits::display_name_length_max` characters that are seen.
std::optional<std::string> read_display_name(json_body& body, std::string_view member);

/// The member `username`: 1 to `limits::handle_length_max` letters, digits and underscores of ASCII that look like no
/// number and no address.
std::optional<std::string> read_username(json_body& body);

/// An https:// URL of at most `limits::url_length_max` characters of ASCII; empty where `least` is 0.
std::optional<std::string> read_https_url(json_body& body, std::string_view member, std::size_t least);

/// A text of `least` to `most` characters without control characters but line feeds.
std::optional<std::string> read_plain_text(json_body& body, std::string_view member, std::size_t least,
                                           std::size_t most);

} // namespace credence::http
