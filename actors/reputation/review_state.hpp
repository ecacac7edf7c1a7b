#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/reputation/record_rows.hpp"
#include "config/settings.hpp"

/// The rules of reviews: each decides over rows that hold every key of `add_keys`, and changes nothing.
namespace credence::reputation {

/// A yes: what is answered once the change is stored, or at once where nothing has to change.
template <class Answer, class Change>
struct decided {
  Answer answer;
  std::optional<Change> change;
};

void add_keys(const create_review& asked, record_keys& to);
void add_keys(const edit_review& asked, record_keys& to);
void add_keys(const archive_review& asked, record_keys& to);

outcome<decided<review_record, review_created>> decide(const record_rows& rows, const create_review& asked, const settings::people& how,
                                                       timestamp now);
outcome<decided<review_record, review_edited>> decide(const record_rows& rows, const edit_review& asked, const settings::people& how, timestamp now);
outcome<decided<review_record, review_archived>> decide(const record_rows& rows, const archive_review& asked, const settings::people& how,
                                                        timestamp now);

/// The profile of whoever asks, where it is live; else the refusal.
outcome<profile_row> live(const record_rows& rows, profile_id who);

} // namespace credence::reputation
