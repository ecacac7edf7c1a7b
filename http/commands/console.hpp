#pragma once

#include "http/admin/sessions.hpp"
#include "http/commands/command.hpp"

namespace credence::commands {

/// What the admin listener goes by.
http::admin::terms console_terms(const command_line& line, const settings::all& with, const auth::token_rules& tokens);

} // namespace credence::commands
