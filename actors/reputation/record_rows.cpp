#include "actors/reputation/record_rows.hpp"

namespace credence::reputation {

namespace {

template <class Map, class Key>
auto* found_in(Map& in, const Key& which) {
  const auto found = in.find(which);
  return found == in.end() ? nullptr : &found->second;
}

/// `0x1234…abcd`, or `service/account`.
std::string name_of(const named_subject& who) {
  if (who.account)
    return std::string{people::name_of(who.account->service)} + "/" + who.account->id;
  if (const auto wallet = who.key.wallet()) {
    const auto text = lower_text(*wallet);
    return text.substr(0, 6) + "…" + text.substr(text.size() - 4);
  }
  return "unknown";
}

} // namespace

record_rows::record_rows(stored_records stored)
  : last_review_(stored.last_review), last_user_(stored.last_user), last_attestation_(stored.last_attestation) {
  for (auto& each : stored.profiles)
    profiles_.emplace(each.id, std::move(each));
  for (auto& each : stored.subjects)
    subjects_.emplace(each.key, std::move(each));
  for (auto& each : stored.reviews)
    reviews_.emplace(each.id, std::move(each));
}

const profile_row* record_rows::profile(profile_id which) const { return found_in(profiles_, which); }
const review_record* record_rows::review(review_id which) const { return found_in(reviews_, which); }

chosen_subject record_rows::subject_for(const named_subject& name, const std::string& avatar) const {
  const auto* row = found_in(subjects_, name.key);
  const auto known = row ? *row : subject_row{name.key};
  // The newest generation stands while nobody else has its key by now.
  if (known.generation >= 0 && (!known.owner || known.owner == known.user))
    return {{name, known.generation}, known.user, std::nullopt};
  fresh_subject fresh{name, known.generation + 1, known.owner};
  if (!fresh.user) {
    fresh.user = user_id{last_user_.value + 1};
    fresh.placeholder = fresh_user{name_of(name), avatar, name.account ? last_attestation_ + 1 : 0};
  }
  return {{name, fresh.generation}, fresh.user, fresh};
}

void record_rows::take(const std::optional<fresh_subject>& fresh) {
  if (!fresh)
    return;
  subjects_[fresh->name.key] = {fresh->name.key, fresh->user, fresh->generation, fresh->user};
  if (fresh->placeholder) {
    last_user_ = fresh->user;
    last_attestation_ += fresh->placeholder->attestation ? 1 : 0;
  }
}

void record_rows::apply(const review_created& change) {
  take(change.subject);
  last_review_ = change.what.id;
  reviews_[last_review_] = change.what;
}

void record_rows::apply(const review_edited& change) {
  auto& review = reviews_.at(change.id);
  review.comment = change.comment;
  review.metadata = change.metadata;
  review.edits = change.edits;
  review.updated_at = change.at;
}

void record_rows::apply(const review_archived& change) {
  auto& review = reviews_.at(change.id);
  review.archived = change.archived;
  review.updated_at = change.at;
}

} // namespace credence::reputation
