#pragma once

#include "config/secret.hpp"

#include <string>

namespace credence::auth {

/// The key that signs access tokens: the configured one, or the one in
/// `<data_dir>/token.key`, which is made on first use (256 random bits, mode 0600).
/// Throws std::runtime_error, with what to do, for a key that is too short and for a
/// file that others may read.
secret token_key(const secret& configured, const std::string& data_dir);

} // namespace credence::auth
