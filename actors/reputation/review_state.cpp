#include "actors/reputation/review_state.hpp"

#include <algorithm>

namespace credence::reputation {

namespace {

std::string name_of(review_id which) { return "review " + std::to_string(which.value); }

refusal nowhere(review_id which) { return {refusal_code::not_found, "there is no " + name_of(which)}; }

refusal not_the_author(const review_record& what) {
  return {refusal_code::forbidden, name_of(what.id) + " is of profile " + std::to_string(what.author.value) + "; only its author may change it"};
}

} // namespace

void add_keys(const create_review& asked, record_keys& to) {
  to.profiles.insert(asked.author);
  to.authors.insert(asked.author);
  to.subjects.emplace(asked.subject.key, asked.subject);
}
void add_keys(const edit_review& asked, record_keys& to) {
  to.profiles.insert(asked.by);
  to.reviews.insert(asked.id);
}
void add_keys(const archive_review& asked, record_keys& to) {
  to.profiles.insert(asked.by);
  to.reviews.insert(asked.id);
}

outcome<decided<review_record, review_created>> decide(const record_rows& rows, const create_review& asked, const settings::people& how,
                                                       timestamp now) {
  const auto author = live(rows, asked.author);
  if (!author)
    return author.why();
  auto subject = rows.subject_for(asked.subject, how.default_avatar);
  if (subject.user == author->user)
    return refusal{refusal_code::cannot_review_self,
                   "the subject is profile " + std::to_string(asked.author.value) + " itself; a profile reviews others only"};
  if (rows.made_enough(asked.author))
    return too_many_of(asked.author);
  review_created change{{review_id{rows.last().review.value + 1}, asked.author, author->wallet(), std::move(subject.ref), asked.score, asked.comment,
                         asked.metadata, false, now, now, 0},
                        std::move(subject.fresh)};
  decided<review_record, review_created> out{change.what, change};
  if (asked.dry_run)
    out.answer.id = {}; // it is not given to it
  return out;
}

outcome<decided<review_record, review_edited>> decide(const record_rows& rows, const edit_review& asked, const settings::people&, timestamp now) {
  const auto* found = rows.review(asked.id);
  if (!found)
    return nowhere(asked.id);
  if (found->author != asked.by)
    return not_the_author(*found);
  if (const auto author = live(rows, asked.by); !author)
    return author.why();
  if (found->archived)
    return refusal{refusal_code::record_archived, name_of(asked.id) + " is archived; restore it before it is edited"};
  decided<review_record, review_edited> out{*found, std::nullopt};
  auto& after = out.answer;
  after.comment = asked.comment.value_or(found->comment);
  after.metadata = asked.metadata.value_or(found->metadata);
  if (after.comment == found->comment && after.metadata == found->metadata)
    return out;
  ++after.edits;
  after.updated_at = std::max(now, found->updated_at); // a clock that was set back must not undo an edit's moment
  out.change = review_edited{asked.id, after.comment, after.metadata, after.edits, after.updated_at, asked.by};
  return out;
}

outcome<decided<review_record, review_archived>> decide(const record_rows& rows, const archive_review& asked, const settings::people&,
                                                        timestamp now) {
  const auto* found = rows.review(asked.id);
  if (!found)
    return nowhere(asked.id);
  if (!asked.as_admin) {
    if (found->author != asked.by)
      return not_the_author(*found);
    if (const auto author = live(rows, asked.by); !author)
      return author.why();
  }
  if (!asked.archived && found->taken_down && !asked.as_admin)
    return refusal{refusal_code::forbidden, "review " + std::to_string(asked.id.value) + " was archived by an admin; only an admin restores it"};
  decided<review_record, review_archived> out{*found, std::nullopt};
  const bool taken_down = asked.archived && (found->taken_down || (asked.as_admin && found->author != asked.by));
  if (found->archived == asked.archived && found->taken_down == taken_down)
    return out;
  out.answer.archived = asked.archived;
  out.answer.taken_down = taken_down;
  out.answer.updated_at = std::max(now, found->updated_at);
  out.change = review_archived{asked.id, asked.archived, out.answer.updated_at, found->author, taken_down};
  return out;
}

} // namespace credence::reputation
