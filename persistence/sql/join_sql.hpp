#pragma once

#include "persistence/sql/reputation_sql.hpp"
#include "persistence/verify/promises.hpp"

/// Profiles, their addresses and invitations: statements and row mapping.
namespace credence::persistence {

#define CREDENCE_WRITTEN_BY_ITSELF(change)                                                                             \
  template <>                                                                                                          \
  struct sql_of<reputation::change> : written_freely {                                                                 \
    static statements_used used();                                                                                     \
    void add(const reputation::change& change, global_seq seq, batch_statements& to);                                  \
  }
CREDENCE_WRITTEN_BY_ITSELF(profile_created);
CREDENCE_WRITTEN_BY_ITSELF(profile_archived);
CREDENCE_WRITTEN_BY_ITSELF(profile_edited);
CREDENCE_WRITTEN_BY_ITSELF(address_linked);
CREDENCE_WRITTEN_BY_ITSELF(address_unlinked);
CREDENCE_WRITTEN_BY_ITSELF(invitation_sent);
CREDENCE_WRITTEN_BY_ITSELF(invitation_withdrawn);
#undef CREDENCE_WRITTEN_BY_ITSELF

// Those that are there, in any order.
std::vector<reputation::profile_row> read_profiles_here(connection& on, const std::set<profile_id>& which,
                                                        steady_time deadline);
std::vector<reputation::address_row> read_addresses_here(connection& on, const std::set<address>& which,
                                                         steady_time deadline);
std::vector<reputation::username_row> read_usernames_here(connection& on, const std::set<std::string>& which,
                                                          steady_time deadline);
/// Those of them where the profile has a live review of the wallet or the account, or an active vouch for it.
std::vector<reputation::judged_key> read_judged_here(connection& on, const std::set<reputation::judged_key>& which,
                                                     steady_time deadline);
/// Of these nonces those that were used.
std::vector<reputation::nonce_key> read_nonces_here(connection& on, const std::set<reputation::nonce_key>& which,
                                                    steady_time deadline);
/// Invitations by id, and the open ones to some addresses.
std::vector<reputation::invitation_record> read_invitations_here(connection& on, const std::set<invitation_id>& which,
                                                                 const std::set<address>& to, steady_time deadline);

reputation::found_invitation read(connection& on, const reputation::load_invitation& query, steady_time deadline);
template <>
inline constexpr manner manner_of<reputation::load_invitation> = load_by_key;

template <>
inline constexpr number_column numbers_of<reputation::profile_created>{"profiles"};
template <>
inline constexpr number_column numbers_of<reputation::invitation_sent>{"invitations"};

} // namespace credence::persistence
