#pragma once

#include "persistence/verify/promises.hpp"

#include <string>
#include <string_view>
#include <vector>

/// Where the global numbers lie. Each is given to one fact, so `verify` looks at all of these columns together.
namespace credence::persistence {

/// Those of all kinds of facts, each once.
std::vector<number_column> number_columns();

/// A SELECT of every number that was given, as often as it was; NULL is none.
std::string numbers_given_sql();
/// A scalar: the last number that was given, 0 for none.
std::string last_number_sql();

} // namespace credence::persistence
