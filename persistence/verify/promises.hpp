#pragma once

#include <span>

/// What holds of everything that is stored, by entity; verify.cpp checks all of it.
namespace credence::persistence {

struct promise {
  const char* name;  // `vote_numbers`
  const char* words; // for the report
  const char* sql;   // one text column, a row for each difference
};

/// What holds of the rows of one entity, by its `storage` (`slash::storage`). Every entity that writes declares it beside
/// its SQL; without that `verify` does not compile.
template <class Storage>
std::span<const promise> promises_of() = delete;
/// Of the audit.
std::span<const promise> audit_promises();

} // namespace credence::persistence
