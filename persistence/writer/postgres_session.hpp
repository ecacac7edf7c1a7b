#pragma once

#include "config/settings.hpp"
#include "persistence/writer/write_session.hpp"

#include <string>

namespace credence::persistence {

/// Sessions of a real PostgreSQL. Each checks that the server may be trusted with votes and
/// has the schema of this build, and ends what is left of the one before it.
std::unique_ptr<write_sessions> postgres_sessions(const settings::store& how, std::string application_name);

} // namespace credence::persistence
