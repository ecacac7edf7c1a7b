#pragma once

#include "auth/access_token.hpp"
#include "config/settings.hpp"
#include "http/call/identity.hpp"

namespace credence::commands {

/// Whom callers sign in to, by the settings: domains and origins of signed messages, lifetimes, cookies, partners.
http::identity identity_of(const settings::all& with, const auth::token_rules& tokens);

} // namespace credence::commands
