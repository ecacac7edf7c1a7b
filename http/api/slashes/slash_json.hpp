#pragma once

#include "actors/slash/slash_types.hpp"
#include "http/call/json_writer.hpp"

namespace credence::http {

/// The Slash (spec: "Slash (v1)"), then `closesAt`, `status`, `outcome` and, once it is closed,
/// `votes: {slash, defend}` in weight. `closedAt` is 0 while it is open, as `cancelledAt` is
/// for one that was not cancelled.
void encode(json_writer& to, const slash::slash_record& record);
/// `{values, total, limit, offset}`.
void encode(json_writer& to, const slash::slash_page& page);
/// Roles by profile id.
void encode(json_writer& to, const slash::get_roles::answer_type& type);

} // namespace credence::http
