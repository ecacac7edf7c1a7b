#pragma once

#include "actors/idempotency/idempotency_types.hpp"
#include "http/call/call.hpp"

namespace credence::http::v2 {

/// GET /api/v2/notes/{profileId}
void get_notes(call& c);
/// GET /api/v2/notes/{profileId}/{id}
void get_note(call& c);
/// POST /api/v2/notes: `{"text": 1..280 characters}`
void post_note(call& c);
void replay_post_note(call& c, const idempotency::found_record& done);
/// POST /api/v2/notes/{id}/edit: the same
void post_note_edit(call& c);
/// POST /api/v2/notes/{id}/archive
void post_note_archive(call& c);
/// The note as it is now, to an edit or an archiving that comes again.
void replay_post_note_change(call& c, const idempotency::found_record&);

} // namespace credence::http::v2
