#pragma once

#include "config/secret.hpp"

#include <map>
#include <string>

/// What a connection string of PostgreSQL says, by libpq's keywords.
namespace credence::persistence {

/// Its options, such as `dbname`. Throws `database_error` (`usage`) where libpq cannot read it, without its text, which may hold a password.
std::map<std::string, std::string> parts_of(const secret& url);

/// The same with another value of one option.
secret url_with(const secret& url, const std::string& keyword, const std::string& value);

} // namespace credence::persistence
