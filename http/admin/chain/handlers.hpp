#pragma once

#include "http/call/call.hpp"

/// The chain that is followed, if one is.
namespace credence::http::admin {

/// GET /admin/api/v1/chain: how following goes, and the events that are stored, by kind
void get_chain(call& c);
/// GET /admin/api/v1/chain/failed: events that failed, by reason
void get_failed_events(call& c);
/// POST /admin/api/v1/chain/texts/retry: texts that could not be read are read again
void post_texts_retry(call& c);
/// POST /admin/api/v1/chain/reprocess: failed events are tried again, by the follower
void post_reprocess(call& c);

} // namespace credence::http::admin
