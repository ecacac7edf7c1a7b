#pragma once

#include "actors/listing/listing_types.hpp"
#include "actors/reputation/project_record_types.hpp"
#include "http/call/call.hpp"
#include "http/call/json_body.hpp"
#include "http/call/parameters.hpp"

/// What requests that make, edit and list projects ask for, read from their bodies, paths and queries.
namespace credence::http::v2 {

/// A project on its way: whom its userkey names may have to be looked up first.
struct project_order {
  reputation::create_project question;
  people::lookup_key whose;
};
/// All but the names of its user, read from a body, to which mistakes go.
project_order read_new_project(json_body& body);
outcome<project_order> read_project_order(const call& c);
/// Creates the project that the request describes, then calls `made` with its id, or with 0 after a dry run.
void create_project(call& c, void (*made)(call&, project_id));
outcome<reputation::edit_project> read_project_edit(const call& c);

/// `status` (ACTIVE by default, ARCHIVED), `limit`, `offset`.
listing::get_projects read_projects(parameters& from);

} // namespace credence::http::v2
