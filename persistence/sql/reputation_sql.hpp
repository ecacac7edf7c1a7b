#pragma once

#include "actors/reputation/record_storage.hpp"
#include "persistence/postgres/column.hpp"
#include "persistence/readers/query_policy.hpp"
#include "persistence/writer/fact_sql.hpp"

/// Records: how they are written and read. Each kind has a file of its own; lists of them are in record_lists_sql.hpp.
namespace credence::persistence {

/// A wallet, an account or a profile, by the bytes of its column.
template <>
struct detail::stored_as<reputation::subject_key> : stored_as<std::span<const std::byte>> {
  static reputation::subject_key from(std::string_view raw) {
    return reputation::subject_key{std::as_bytes(std::span{raw})};
  }
  static void put(auto& to, const reputation::subject_key& key) { to.bytes(key.bytes()); }
};

/// The account that a subject is, of `subjects s`: two columns that `add_accounts` reads.
inline constexpr auto select_account = ", coalesce(s.service, s.read_service) AS subject_service,"
                                       " coalesce(s.account, s.read_account) AS subject_account";
/// Puts the accounts in an answer to its records.
template <class Record>
void add_accounts(std::vector<Record>& to, const rows& found) {
  const column<std::optional<people::account_service>> service{found, "subject_service"};
  const column<std::optional<std::string>> account{found, "subject_account"};
  for (int i = 0; i < found.count(); ++i)
    if (const auto known = service[i])
      to[static_cast<std::size_t>(i)].subject.name.account = reputation::account{*known, account[i].value()};
}

template <class Record>
std::optional<Record> first_in(std::vector<Record> found) {
  return found.empty() ? std::nullopt : std::optional{std::move(found.front())};
}

/// The records with these keys, which a statement takes as its only array; nothing is asked for none.
template <class Keys, class Fields>
auto all_with(connection& on, const char* sql, const Keys& keys, const Fields& fields, steady_time deadline) {
  using answer = decltype(all_of(std::declval<const rows&>(), fields));
  return keys.empty() ? answer{} : all_of(on.run(sql, with(array_of(keys)), deadline), fields);
}

// -- writing -----------------------------------------------------------------------------------

/// Makes the subject that comes with a record, if one does, with its user where it is nobody's: before the record.
void put_subject(batch_statements& to, const std::optional<reputation::fresh_subject>& fresh, timestamp at);
extern const statement open_subject;
/// Uses up a nonce: a message that was signed counts once, so a second use violates the table's key.
extern const statement use_nonce;
void put_nonce(batch_statements& to, const profile::signed_nonce& which, profile_id of, timestamp at);

// -- rows behind requests, within a transaction of the caller ----------------------------------

// Those of these keys that are there, in any order.
std::vector<reputation::review_record> read_reviews_here(connection& on, const std::set<review_id>& which,
                                                         steady_time deadline);
/// Vouches of the API by id, in any order.
std::vector<reputation::vouch_record> read_vouches_here(connection& on, const std::set<reputation::vouch_place>& which,
                                                        steady_time deadline);
/// The active vouches of some authors, without their texts: an author may have many.
std::vector<reputation::active_vouch> read_active_here(connection& on, const std::set<profile_id>& authors,
                                                       steady_time deadline);
/// How many reviews and vouches they have made in the last 24 hours.
std::vector<reputation::made_row> read_made_here(connection& on, const std::set<profile_id>& authors,
                                                 steady_time deadline);
/// How many active vouches the users of some subjects have received.
std::vector<reputation::vouched_row> read_vouched_here(connection& on, const std::vector<reputation::subject_row>& of,
                                                       steady_time deadline);
std::vector<reputation::reply_record> read_replies_here(connection& on, const std::set<reply_id>& which,
                                                        steady_time deadline);
std::vector<reputation::activity_row> read_activities_here(connection& on, const std::set<reputation::activity>& which,
                                                           steady_time deadline);
std::vector<reputation::activity_vote> read_votes_here(connection& on, const std::set<reputation::ballot_key>& which,
                                                       steady_time deadline);
/// Those of these ids that are there, in any order.
std::vector<reputation::bond_record> read_bonds_here(connection& on, const std::set<reputation::bond_id>& which,
                                                     steady_time deadline);
/// The newest about a user, and the users of their authors in the same order.
std::vector<reputation::bond_record> read_bonds_about_here(connection& on, user_id who, std::vector<user_id>& authors,
                                                           steady_time deadline);
/// Those of the profiles that are there, in any order.
std::vector<reputation::verification_row> read_verifications_here(connection& on, const std::set<profile_id>& which,
                                                                  steady_time deadline);
/// The rows with these ids, and those that say whose some accounts are; each once, in any order.
std::vector<reputation::attestation_row>
read_attestations_here(connection& on, const std::set<reputation::attestation_id>& which,
                       const std::map<reputation::subject_key, reputation::named_subject>& accounts,
                       steady_time deadline);
/// Those of the accounts that an open slash names, or whose user.
std::vector<reputation::subject_key>
read_slashed_here(connection& on, const std::map<reputation::subject_key, reputation::named_subject>& accounts,
                  steady_time deadline);
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
/// Those that have one of the ids, or of the slugs or names; in any order.
std::vector<reputation::category_record> read_categories_here(connection& on,
                                                              const std::set<reputation::category_id>& which,
                                                              const std::set<std::string>& slugs, steady_time deadline);
std::vector<reputation::chain_record> read_chains_here(connection& on, const std::set<reputation::chain_id>& which,
                                                       const std::set<std::string>& names, steady_time deadline);
/// The projects that have one of the ids, of the userkeys or of the users; in any order.
std::vector<reputation::project_record> read_projects_here(connection& on, const std::set<project_id>& which,
                                                           const std::set<std::string>& userkeys,
                                                           const std::set<user_id>& users, steady_time deadline);
/// Those of these users that are there, in any order.
std::vector<reputation::listed_user> read_listed_here(connection& on, const std::set<user_id>& users,
                                                      steady_time deadline);
/// All rows behind some requests.
reputation::stored_records read_records_here(connection& on, const reputation::record_keys& keys, steady_time deadline);

// -- questions ---------------------------------------------------------------------------------

} // namespace credence::persistence
