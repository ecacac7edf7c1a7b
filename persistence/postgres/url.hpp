#pragma once

#include "config/secret.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

/// What a connection string of PostgreSQL says, by libpq's keywords.
namespace credence::persistence {

/// Its options, such as `dbname`. Throws `database_error` (`usage`) where libpq cannot read it, without its text, which
/// may hold a password.
std::map<std::string, std::string> parts_of(const secret& url);

/// One host of a connection string that names several: what libpq's options say of it alone.
struct host_of_url {
  std::string name; // as errors tell it
  std::vector<std::pair<std::string, std::string>> where;
};
/// Takes the hosts out of the options, in their order; one without a place where none is named. Throws `database_error`
/// (`usage`) where names, addresses and ports do not go together.
std::vector<host_of_url> take_hosts(std::map<std::string, std::string>& options);

/// The connection string with these options.
secret url_of(const std::map<std::string, std::string>& options);

/// The same with another value of one option.
secret url_with(const secret& url, const std::string& keyword, const std::string& value);

} // namespace credence::persistence
