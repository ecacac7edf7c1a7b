#pragma once

#include "actors/reputation/review_types.hpp"

#include <map>
#include <set>
#include <vector>

/// The rows that requests about records are decided over: read for them from one snapshot, then changed by each decision
/// for those after it.
namespace credence::reputation {

/// Which rows some requests need. What follows from these, such as the owner of an address, is read with them.
struct record_keys {
  std::set<profile_id> profiles;
  std::map<subject_key, named_subject> subjects;
  std::set<review_id> reviews;
};

/// A profile, as far as records go by it.
struct profile_row {
  profile_id id;
  user_id user;
  bool archived = false;
  std::optional<address> primary = {}; // or else the oldest address; null: there is none
};

/// Who has a subject's key, by the tables of addresses, accounts and profiles, and its newest generation, if anybody
/// named it.
struct subject_row {
  subject_key key;
  user_id owner = {};           // 0: nobody
  std::int32_t generation = -1; // the newest; -1: none
  user_id user = {};            // of that generation
};

/// Everything that was read.
struct stored_records {
  review_id last_review = {}; // ids that were given last, 0 before the first
  user_id last_user = {};
  std::int32_t last_attestation = 0;
  std::vector<profile_row> profiles = {};
  std::vector<subject_row> subjects = {};
  std::vector<review_record> reviews = {};
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

/// Rows by their keys. What was not asked for is as if it were not there.
class record_rows {
public:
  explicit record_rows(stored_records stored);

  const profile_row* profile(profile_id which) const;
  const review_record* review(review_id which) const;
  review_id next_review() const noexcept { return {last_review_.value + 1}; }

  /// The subject that a record of now is about: its newest generation while that is its owner's, else a fresh one. A
  /// subject that is nobody's gets a user of its own, with `avatar` as its picture.
  chosen_subject subject_for(const named_subject& name, const std::string& avatar) const;

  void apply(const review_created& change);
  void apply(const review_edited& change);
  void apply(const review_archived& change);

private:
  void take(const std::optional<fresh_subject>& fresh);

  review_id last_review_;
  user_id last_user_;
  std::int32_t last_attestation_ = 0;
  std::map<profile_id, profile_row> profiles_;
  std::map<subject_key, subject_row> subjects_;
  std::map<review_id, review_record> reviews_;
};

} // namespace credence::reputation
