#pragma once

#include "actors/people/lookup_types.hpp"
#include "actors/reputation/activity_types.hpp"
#include "http/call/call.hpp"
#include "http/call/parameters.hpp"

/// From the wire to questions for feeds (docs/api/activities.md).
namespace credence::http::v2 {

/// A feed that is asked for; whose it is may have to be looked up first.
struct feed_order {
  reputation::list_feed feed;
  people::lookup_key whose;
};

/// The body of a feed: of one user, `userkey`, or of everybody. Refused with every mistake. The caller has read the
/// member `besides` as well.
outcome<feed_order> read_feed(const call& c, reputation::feed_side side, std::string_view besides = {});
/// A feed of one user in the query: `userkey`, `activityType`, `direction`, `reviewScore`, `includeArchived`,
/// `excludeSpam`, `orderBy`, `sort`, `limit`, `offset`.
outcome<feed_order> read_feed_query(const call& c);
/// `{review: [id, …], vouch: […], …}`, at most `limits::bulk_records_max` of a kind, one at least.
outcome<reputation::get_feed_rows> read_feed_keys(const call& c);
/// The activity in the path, `type` and `id`. Refused with `not_found` when records of the type are not shown here.
outcome<reputation::get_feed_rows> read_feed_key(const call& c);

/// Why there is no activity for the `type` and the `hash` in the path: one of them is malformed, or, with `not_found`,
/// no record came by a transaction.
refusal read_feed_transaction(const call& c);

} // namespace credence::http::v2
