#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/reputation/attestation_types.hpp"
#include "actors/reputation/bond_types.hpp"
#include "actors/reputation/join_types.hpp"
#include "actors/reputation/notice_types.hpp"
#include "actors/reputation/project_record_types.hpp"
#include "actors/reputation/reply_types.hpp"
#include "actors/reputation/review_types.hpp"
#include "actors/reputation/verification_types.hpp"
#include "actors/reputation/vouch_types.hpp"

#include <map>
#include <set>
#include <vector>

/// The rows that requests about records are decided over: read for them from one snapshot, then changed by each
/// decision for those after it.
namespace credence::reputation {

/// Whose vote on what.
using ballot_key = std::pair<activity, profile_id>;

/// A nonce of a message, and who signed it.
using nonce_key = std::pair<address, std::string>;

/// A wallet or an account, and a profile that may have reviewed it or vouched for it.
using judged_key = std::pair<subject_key, profile_id>;

/// Which rows some requests need. What follows from these, such as the owner of an address, is read with them.
struct record_keys {
  std::set<profile_id> profiles;
  std::map<subject_key, named_subject> subjects;
  std::set<address> addresses;     // and their subjects, and the open invitations to them
  std::set<std::string> usernames; // in lower case
  std::set<invitation_id> invitations;
  std::map<subject_key, named_subject> accounts; // the rows that say whose they are
  std::set<attestation_id> attestations;
  std::set<profile_id> verifications; // of whom
  std::set<bond_id> bonds;
  std::set<review_id> reviews;
  std::set<vouch_id> vouches;
  std::set<profile_id> vouchers; // whose active vouches
  std::set<profile_id> authors;  // who has made how many reviews and vouches today
  std::set<judged_key> judged;   // whether there are live reviews or vouches
  std::set<reply_id> replies;
  std::set<activity> activities;
  std::set<ballot_key> votes;
  std::set<nonce_key> nonces;
  std::set<project_id> projects; // and their users
  std::set<std::string>
    userkeys; // the projects that have these; where there are any, also those of the subjects' users
  std::set<category_id> categories;
  std::set<std::string> slugs; // of categories
  std::set<chain_id> chains;
  std::set<std::string> chain_names;
};

/// Who has a subject's key, by the tables of addresses, accounts and profiles, and its newest generation, if anybody
/// named it.
struct subject_row {
  subject_key key;
  user_id owner = {};             // 0: nobody
  std::int32_t generation = -1;   // the newest; -1: none
  user_id user = {};              // of that generation
  unsettled_block unsettled = {}; // of either
};

/// Who has a username, in lower case.
struct username_row {
  std::string name;
  user_id user;
};

/// Whether the person behind a profile is verified, and may stand for others.
struct verification_row {
  profile_id profile;
  std::optional<people::human_verification> status;
  std::optional<verification_record> record;
  bool verifier = false;
};

/// Reviews and vouches that a profile has made in the last 24 hours.
struct made_row {
  profile_id author;
  std::int32_t count = 0;
};

/// The ids that were given last, 0 before the first.
struct last_ids {
  user_id user = {};
  std::int32_t attestation = 0;
  profile_id profile = {};
  invitation_id invitation = {};
  review_id review = {};
  vouch_id vouch = {};
  reply_id reply = {};
  std::int32_t vote = 0;
  project_id project = {};
  category_id category = {};
  chain_id chain = {};
  std::int32_t bond = 0;
};

/// Everything that was read.
struct stored_records {
  last_ids last = {};
  std::vector<profile_row> profiles = {};
  std::vector<subject_row> subjects = {};
  std::vector<address_row> addresses = {};
  std::vector<username_row> usernames = {};
  std::vector<invitation_record> invitations = {};
  std::vector<attestation_row> attestations = {}; // of `accounts` those that say whose they are
  std::vector<subject_key> slashed_accounts = {}; // of `accounts`: an open slash names it or its user
  std::vector<verification_row> verifications = {};
  std::vector<bond_record> bonds = {};
  std::vector<review_record> reviews = {};
  std::vector<vouch_record> vouches = {};
  std::vector<active_vouch> active = {}; // of `vouchers`
  std::vector<vouched_row> vouched = {}; // users of `subjects`
  std::vector<made_row> made = {};
  std::vector<judged_key> judged = {};
  std::vector<reply_record> replies = {};
  std::vector<activity_row> activities = {};
  std::vector<activity_vote> votes = {};
  std::vector<nonce_key> used_nonces = {};
  std::vector<project_record> projects = {};
  std::vector<listed_user> listed = {}; // users of projects, and those to be listed
  std::vector<category_record> categories = {};
  std::vector<chain_record> chains = {};
};
struct load_records {
  record_keys keys;
};

/// The subject of a new record: its generation and user, and what must be made for it.
struct chosen_subject {
  subject_ref ref;
  user_id user;
  std::optional<fresh_subject> fresh;
};

/// The value of that key in a map; null where there is none.
template <class Map, class Key>
auto* found_in(Map& in, const Key& which) {
  const auto found = in.find(which);
  return found == in.end() ? nullptr : &found->second;
}

/// Rows by their keys. A row that was not asked for seems not to exist.
class record_rows {
public:
  explicit record_rows(stored_records stored);

  const last_ids& last() const noexcept { return last_; }
  const profile_row* profile(profile_id which) const { return found_in(profiles_, which); }
  const address_row* at(const address& which) const { return found_in(addresses_, which); }
  const subject_row* subject(const subject_key& which) const { return found_in(subjects_, which); }
  const review_record* review(review_id which) const { return found_in(reviews_, which); }
  const vouch_record* vouch(vouch_id which) const { return found_in(vouches_, which); }
  const reply_record* reply(reply_id which) const { return found_in(replies_, which); }
  const activity_row* find(const activity& which) const { return found_in(activities_, which); }
  const activity_vote* vote(const ballot_key& which) const { return found_in(votes_, which); }
  const invitation_record* invitation(invitation_id which) const { return found_in(invitations_, which); }
  const project_record* project(project_id which) const { return found_in(projects_, which); }
  /// The project of a user, or that has this userkey.
  const project_record* project_of(user_id who, const std::string& userkey) const;
  const listed_user* listed(user_id who) const { return found_in(listed_, who); }
  const category_record* category(category_id which) const { return found_in(categories_, which); }
  const category_record* category_by(const std::string& slug) const;
  const chain_record* chain(chain_id which) const { return found_in(chains_, which); }
  const chain_record* chain_by(const std::string& name) const;
  /// The open invitations to an address, the earliest first.
  std::vector<invitation_record> open_invitations(const address& to) const;
  const attestation_row* attestation(attestation_id which) const { return found_in(attestations_, which); }
  /// The row that says whose an account is; null where nobody has named it.
  const attestation_row* attestation_of(const subject_key& account) const;
  /// Whether an open slash names an account or its user.
  bool slashed(const subject_key& account) const;
  const verification_row* verification(profile_id of) const { return found_in(verifications_, of); }
  const bond_record* bond(bond_id which) const { return found_in(bonds_, which); }
  /// Who has a username (in lower case); 0: nobody.
  user_id user_named(const std::string& name) const;
  /// The active vouches of a profile.
  std::vector<active_vouch> active_vouches_of(profile_id author) const;
  std::int32_t active_vouches_for(user_id who) const;
  /// Whether the profile has made as many reviews and vouches in a day as it may.
  bool made_enough(profile_id author) const;
  /// Whether a profile has a live review of what a wallet or an account is now, or an active vouch for it.
  bool judged(const subject_key& which, profile_id by) const;
  /// Whether the nonce of a message was used.
  bool used(const profile::signed_nonce& which) const;

  /// The subject that a record of now is about: its newest generation while that is its owner's, else a fresh one. A
  /// subject that is nobody's gets a user of its own, with `avatar` as its picture.
  chosen_subject subject_for(const named_subject& name, const std::string& avatar) const;
  /// The user of a wallet that is nobody's.
  fresh_user user_for(const address& wallet, const std::string& avatar) const;

  void apply(const review_created& change);
  void apply(const review_edited& change);
  void apply(const review_archived& change);
  void apply(const profile_created& change);
  void apply(const profile_archived& change);
  void apply(const profile_edited& change);
  void apply(const address_linked& change);
  void apply(const address_unlinked& change);
  void apply(const account_attested& change);
  void apply(const attestation_archived& change);
  void apply(const verification_decided& change);
  void apply(const bond_created& change);
  void apply(const bond_archived& change);
  void apply(const bond_expiration_set& change);
  void apply(const notices_read&) {} // no rule asks for it
  void apply(const invitation_sent& change);
  void apply(const invitation_withdrawn& change);
  void apply(const vouch_created& change);
  void apply(const vouch_moved& change);
  void apply(const vouch_marked_unhealthy& change);
  void apply(const reply_created& change);
  void apply(const reply_edited& change);
  void apply(const activity_voted& change);
  void apply(const project_created& change);
  void apply(const project_edited& change);
  void apply(const project_archived& change);
  void apply(const category_saved& change);
  void apply(const chain_saved& change);

private:
  void take(const std::optional<fresh_subject>& fresh);
  void name(user_id who, const std::optional<profile_texts>& shown);
  void count_fresh(const std::optional<fresh_user>& fresh, user_id who);
  void count_made(profile_id author, const named_subject& about);
  void show(const activity& which, bool archived);
  /// From now on the address, and its subject, are of another user.
  void give(const address& which, user_id to, profile_id with_profile);
  /// A user has one address or account less than before; the row of that is another user's by now.
  void leave(user_id who);
  /// The subject's newest generation is of another user, and all that was of one who becomes a part of that user.
  void move_subject(const subject_key& which, user_id to, std::optional<user_id> merged);

  last_ids last_;
  std::map<profile_id, profile_row> profiles_;
  std::map<subject_key, subject_row> subjects_;
  std::map<address, address_row> addresses_;
  std::map<std::string, user_id> usernames_;
  std::map<invitation_id, invitation_record> invitations_;
  std::map<attestation_id, attestation_row> attestations_;
  std::map<subject_key, attestation_id> accounts_; // the rows that say whose they are
  std::set<subject_key> slashed_accounts_;
  std::map<profile_id, verification_row> verifications_;
  std::map<bond_id, bond_record> bonds_;
  std::map<review_id, review_record> reviews_;
  std::map<vouch_id, vouch_record> vouches_;
  std::map<vouch_id, active_vouch> active_;
  std::map<user_id, std::int32_t> vouched_;
  std::map<profile_id, std::int32_t> made_;
  std::set<judged_key> judged_;
  std::map<reply_id, reply_record> replies_;
  std::map<activity, activity_row> activities_;
  std::map<ballot_key, activity_vote> votes_;
  std::set<nonce_key> used_nonces_;
  std::map<project_id, project_record> projects_;
  std::map<user_id, listed_user> listed_;
  std::map<category_id, category_record> categories_;
  std::map<chain_id, chain_record> chains_;
};

} // namespace credence::reputation
