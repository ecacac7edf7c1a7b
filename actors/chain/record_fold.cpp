#include "actors/chain/folding.hpp"

namespace credence::chain {

// -- reviews -------------------------------------------------------------------------------------

subject_place folding::subject_of(const subject_key& key) {
  if (const auto there = rows_.newest(key))
    return *there;
  const subject_place out{key, 0};
  const auto* which = std::get_if<address>(&key);
  const auto* known = which ? rows_.addresses.find(*which) : nullptr;
  const auto user = known ? known->user : new_user(false);
  if (which && !known)
    rows_.addresses.put(*which, {user, false, where_.at, std::nullopt});
  rows_.subjects.put(out, {user, std::nullopt, std::nullopt});
  return out;
}

event_fate folding::on(const review_events::review_created& entry) {
  const auto number = ours(entry.review);
  const auto whose = ours(entry.profile);
  if (!number || !whose)
    return out_of_range();
  const bool of_account = entry.attestation_hash != digest32{}, of_address = entry.subject != address{};
  if (of_account == of_address)
    return failed(decode_error::bad_word);
  if (rows_.reviews.find(*number))
    return failed_duplicate();
  review_row row;
  row.subject = subject_of(of_account ? subject_key{entry.attestation_hash} : subject_key{entry.subject});
  row.author_profile = owner_of(entry.author);
  row.author_address = entry.author;
  row.score = static_cast<std::uint8_t>(entry.score);
  row.created_at = row.updated_at = where_.at;
  rows_.reviews.put(*number, row);
  if (const auto* reserved = rows_.placeholders.find(*whose); reserved && !reserved->names)
    rows_.placeholders.put(*whose, {row.subject});
  dirty(rows_.subjects.find(row.subject)->user);
  effects_.texts.insert({text_kind::review, number->value});
  return {};
}

event_fate folding::on(const review_events::review_edited& entry) {
  const auto number = ours(entry.review);
  if (!number)
    return out_of_range();
  const auto* found = rows_.reviews.find(*number);
  if (!found)
    return failed_missing("review");
  auto row = *found;
  ++row.edits;
  row.updated_at = where_.at;
  rows_.reviews.put(*number, row);
  effects_.texts.insert({text_kind::review, number->value});
  return {};
}

event_fate folding::archive_review(const onchain_review& which, bool archived) {
  const auto number = ours(which);
  if (!number)
    return out_of_range();
  const auto* found = rows_.reviews.find(*number);
  if (!found)
    return failed_missing("review");
  if (found->archived == archived)
    return {};
  auto row = *found;
  row.archived = archived;
  row.updated_at = where_.at;
  rows_.reviews.put(*number, row);
  dirty(rows_.subjects.at(row.subject).user);
  return {};
}

// -- votes and replies ---------------------------------------------------------------------------

std::optional<contract_kind> folding::kind_of(const address& contract) const {
  const auto at = how_.contracts.find(contract);
  return at == how_.contracts.end() ? std::nullopt : std::optional{at->second};
}

std::optional<target_place> folding::target_of(const address& contract, const onchain_target& which) const {
  const auto kind = kind_of(contract);
  const auto number = ours_of(which.value);
  return kind && number ? std::optional{target_place{*kind, *number}} : std::nullopt;
}

void folding::dirty_of_vote(const target_place& target, profile_id voter) {
  if (target.kind != contract_kind::review) {
    effects_.dirty_targets.insert(target);
    return;
  }
  const auto* review = rows_.reviews.find({target.id});
  const auto* author = review && review->author_profile ? profile(*review->author_profile) : nullptr;
  if (author)
    dirty(author->user);
  const auto* subject = review ? rows_.subjects.find(review->subject) : nullptr;
  if (const auto* by = profile(voter); subject && by && by->user == subject->user)
    dirty(subject->user); // who votes down a positive review of oneself makes it neutral (EIP-6)
}

event_fate folding::on(const vote_events::voted& entry) {
  const auto number = ours(entry.vote);
  const auto voter = ours(entry.voter);
  if (!number || !voter || !ours_of(entry.target.value))
    return out_of_range();
  const auto target = target_of(entry.target_contract, entry.target);
  if (!target)
    return failed_missing("target");
  if (!profile(*voter))
    return failed_missing("profile");
  if (rows_.votes.find({*target, *voter}))
    return failed_duplicate();
  rows_.votes.put({*target, *voter}, {*number, entry.is_upvote, false, where_.at, where_.at});
  dirty_of_vote(*target, *voter);
  return {};
}

event_fate folding::on(const vote_events::vote_changed& entry) {
  const auto number = ours(entry.vote);
  const auto voter = ours(entry.voter);
  if (!number || !voter || !ours_of(entry.target.value))
    return out_of_range();
  const auto target = target_of(entry.target_contract, entry.target);
  if (!target)
    return failed_missing("target");
  if (!profile(*voter))
    return failed_missing("profile");
  // `is_unvote` tells the direction only: a vote that is given again in its old direction says it, too.
  const auto* old = rows_.votes.find({*target, *voter});
  const bool withdrawn = old ? !old->archived && old->upvote == entry.is_upvote : entry.is_unvote;
  rows_.votes.put({*target, *voter}, {old ? old->number : *number, entry.is_upvote, withdrawn,
                                      old ? old->created_at : where_.at, where_.at});
  dirty_of_vote(*target, *voter);
  return {};
}

event_fate folding::on(const discussion_events::reply_added& entry) {
  const auto number = ours(entry.reply);
  const auto author = ours(entry.author);
  if (!number || !author)
    return out_of_range();
  const auto kind = kind_of(entry.target_contract);
  if (!kind)
    return failed_missing("target");
  if (!profile(*author))
    return failed_missing("profile");
  if (rows_.replies.find(*number))
    return failed_duplicate();
  rows_.replies.put(*number, {*author, *kind, where_.at, where_.at, 0});
  effects_.texts.insert({text_kind::reply, number->value});
  return {};
}

event_fate folding::on(const discussion_events::reply_edited& entry) {
  const auto number = ours(entry.reply);
  if (!number)
    return out_of_range();
  const auto* found = rows_.replies.find(*number);
  if (!found)
    return failed_missing("reply");
  auto row = *found;
  ++row.edits;
  row.updated_at = where_.at;
  rows_.replies.put(*number, row);
  effects_.texts.insert({text_kind::reply, number->value});
  return {};
}

} // namespace credence::chain
