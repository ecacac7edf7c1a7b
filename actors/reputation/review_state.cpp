#include "actors/reputation/record_rules.hpp"

#include <algorithm>

namespace credence::reputation {

namespace {

std::string name_of(review_id which) { return "review " + std::to_string(which.value); }

refusal nowhere(review_id which) { return {refusal_code::not_found, "there is no " + name_of(which)}; }

refusal not_the_author(const review_record& record) {
  return {refusal_code::forbidden, name_of(record.id) + " is of profile " + std::to_string(record.author.value)
                                     + "; only its author may change it"};
}

} // namespace

refusal reviews_itself(profile_id author) {
  return {refusal_code::cannot_review_self,
          "the subject is profile " + std::to_string(author.value) + " itself; a profile reviews others only"};
}

void add_keys(const create_review& command, record_keys& to) {
  to.profiles.insert(command.author);
  to.authors.insert(command.author);
  to.subjects.emplace(command.subject.key, command.subject);
}
void add_keys(const edit_review& command, record_keys& to) {
  to.profiles.insert(command.by);
  to.reviews.insert(command.id);
}
void add_keys(const archive_review& command, record_keys& to) {
  to.profiles.insert(command.by);
  to.reviews.insert(command.id);
}

outcome<decided<review_record, review_created>> decide(const record_rows& rows, const create_review& command,
                                                       const settings::people& how, timestamp now) {
  const auto author = live(rows, command.author);
  if (!author)
    return author.why();
  if (auto why = unsettled(rows, command.subject.key))
    return *std::move(why);
  auto subject = rows.subject_for(command.subject, how.default_avatar);
  if (subject.user == author->user)
    return reviews_itself(command.author);
  if (rows.made_enough(command.author))
    return too_many_of(command.author);
  review_created change{{review_id{rows.last().review.value + 1}, command.author, author->wallet(),
                         std::move(subject.ref), command.score, command.comment, command.metadata, false, now, now, 0},
                        std::move(subject.fresh)};
  decided<review_record, review_created> out{change.record, change};
  if (command.dry_run)
    out.answer.id = {}; // it is not given to it
  return out;
}

outcome<decided<review_record, review_edited>> decide(const record_rows& rows, const edit_review& command,
                                                      const settings::people&, timestamp now) {
  const auto* found = rows.review(command.id);
  if (!found)
    return nowhere(command.id);
  if (found->author != command.by)
    return not_the_author(*found);
  if (const auto author = live(rows, command.by); !author)
    return author.why();
  if (found->archived)
    return refusal{refusal_code::record_archived, name_of(command.id) + " is archived; restore it before it is edited"};
  decided<review_record, review_edited> out{*found, std::nullopt};
  auto& after = out.answer;
  after.comment = command.comment.value_or(found->comment);
  after.metadata = command.metadata.value_or(found->metadata);
  if (after.comment == found->comment && after.metadata == found->metadata)
    return out;
  ++after.edits;
  after.updated_at = std::max(now, found->updated_at); // a clock that was set back must not undo an edit's moment
  out.change = review_edited{command.id, after.comment, after.metadata, after.edits, after.updated_at, command.by};
  return out;
}

outcome<decided<review_record, review_archived>> decide(const record_rows& rows, const archive_review& command,
                                                        const settings::people&, timestamp now) {
  const auto* found = rows.review(command.id);
  if (!found)
    return nowhere(command.id);
  if (!command.as_admin) {
    if (found->author != command.by)
      return not_the_author(*found);
    if (const auto author = live(rows, command.by); !author)
      return author.why();
  }
  if (!command.archived && found->taken_down && !command.as_admin)
    return refusal{refusal_code::forbidden, "review " + std::to_string(command.id.value)
                                              + " was archived by an admin; only an admin restores it"};
  decided<review_record, review_archived> out{*found, std::nullopt};
  const bool taken_down = command.archived && (found->taken_down || (command.as_admin && found->author != command.by));
  if (found->archived == command.archived && found->taken_down == taken_down)
    return out;
  out.answer.archived = command.archived;
  out.answer.taken_down = taken_down;
  out.answer.updated_at = std::max(now, found->updated_at);
  out.change = review_archived{command.id, command.archived, out.answer.updated_at, found->author, taken_down};
  return out;
}

} // namespace credence::reputation
