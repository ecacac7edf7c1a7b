#pragma once

#include "actors/reputation/record_rules.hpp"

/// The rules of reviews.
namespace credence::reputation {

/// The refusal of a review whose subject is its author.
refusal reviews_itself(profile_id author);

void add_keys(const create_review& command, record_keys& to);
void add_keys(const edit_review& command, record_keys& to);
void add_keys(const archive_review& command, record_keys& to);

outcome<decided<review_record, review_created>> decide(const record_rows& rows, const create_review& command,
                                                       const settings::people& how, timestamp now);
outcome<decided<review_record, review_edited>> decide(const record_rows& rows, const edit_review& command,
                                                      const settings::people& how, timestamp now);
outcome<decided<review_record, review_archived>> decide(const record_rows& rows, const archive_review& command,
                                                        const settings::people& how, timestamp now);

} // namespace credence::reputation
