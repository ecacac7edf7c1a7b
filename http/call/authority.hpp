#pragma once

#include <string_view>

namespace credence::http {

/// True for `name`, `name:port`, `[v6]` and `[v6]:port` (RFC 9110, 7.2; RFC 3986, 3.2.2).
bool good_authority(std::string_view host);

} // namespace credence::http
