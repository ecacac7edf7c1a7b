#pragma once

#include "actors/listing/listing_types.hpp"
#include "actors/profile/profile_types.hpp"
#include "actors/project/project_types.hpp"
#include "http/call/json_body.hpp"
#include "http/call/parameters.hpp"

#include <string_view>

/// From the wire to questions: what clients may send, its defaults and its bounds
/// (spec: "Endpoints"). Every reader adds what is wrong to the parameters' mistakes;
/// the question counts only when there are none.
namespace credence::http::v2 {

/// `scope` with `startDate`, `endDate`, `year`, `period` (spec: "Scope rules").
project::scope read_scope(parameters& from);

/// `year` and `period`, both optional: without them the current period.
period::period_name read_period(parameters& from);

/// The members `voteType` and `voteReason` of a vote; mistakes go to the body's.
void read_ballot(json_body& body, project::cast_vote& to);
/// Body of a cast: `voteType`, optional `voteReason` of 1..50 characters. Other
/// members, such as the older `amount`, are ignored.
project::cast_vote read_vote(parameters& from, std::string_view project, std::string_view body, profile_id voter);

profile::get_balance read_balance(parameters& from, profile_id caller);
project::get_voters read_voters(parameters& from, std::string_view project);
project::get_bulk_totals read_bulk_totals(parameters& from);
project::get_chart read_chart(parameters& from, std::string_view project);
listing::get_listings read_listings(parameters& from);
listing::get_listing read_listing(parameters& from, std::string_view username);

} // namespace credence::http::v2
