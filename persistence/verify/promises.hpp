#pragma once

#include <span>

/// What holds of everything that is stored, by entity; verify.cpp checks all of it.
namespace credence::persistence {

struct promise {
  const char* name;  // `vote_numbers`
  const char* words; // for the report
  const char* sql;   // one text column, a row for each difference
};

/// Of projects: votes and their tallies.
std::span<const promise> project_promises();
/// Of voting periods.
std::span<const promise> period_promises();
/// Of profiles: XP.
std::span<const promise> profile_promises();
/// Of wallets: every wei.
std::span<const promise> wallet_promises();
/// Of markets.
std::span<const promise> market_promises();
/// Of slashes and the votes on them.
std::span<const promise> slash_promises();
/// Of reviews and what they are about.
std::span<const promise> reputation_promises();
/// Of the audit.
std::span<const promise> audit_promises();

} // namespace credence::persistence
