#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace credence::http {

/// The page where a user signs in, and lets the pages of a partner act. The query names the partner (`origin`) and may
/// hold a `state`; both are read by the page's script alone. `nonce` is that of the Content-Security-Policy that goes
/// with it.
std::string consent_page(std::string_view nonce, std::uint64_t chain_id);

} // namespace credence::http
