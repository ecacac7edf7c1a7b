#pragma once

#include <span>
#include <string_view>
#include <vector>

/// What holds of everything that is stored, by entity; verify.cpp checks all of it.
namespace credence::persistence {

struct promise {
  const char* name;  // `vote_numbers`
  const char* words; // for the report
  const char* sql;   // one text column, a row for each difference
};

/// A column that holds the numbers of facts of a kind.
struct number_column {
  std::string_view table;
  std::string_view column = "seq";
  bool operator==(const number_column&) const = default;
};

// Where the numbers of a kind of fact are is said beside its SQL; a kind that takes one and lacks this does not
// compile:
//   constexpr number_column numbers_of(kind<slash::slash_opened>) { return {"slashes"}; }

/// What holds of the rows of one entity, by its `storage` (`slash::storage`). Every entity that writes declares it
/// beside its SQL; without that `verify` does not compile.
template <class Storage>
std::span<const promise> promises_of() = delete;
/// Of the audit.
std::span<const promise> audit_promises();
/// Of all entities that write, and of the audit.
std::vector<std::span<const promise>> all_promises();

} // namespace credence::persistence
