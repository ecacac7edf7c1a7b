#pragma once

#include "actors/console/admin_database.hpp"
#include "http/call/call.hpp"

#include <optional>
#include <string>

namespace credence::http {

/// The act of the caller, for the audit, and a line in the log at once: so it is known although the database may be
/// away. To be asked of `c.to().acts`. What an act does to data goes into the audit by itself, with its change.
console::note_act act_of(const call& c, std::string act, std::string subject, std::optional<std::string> before,
                         std::optional<std::string> after);

} // namespace credence::http
