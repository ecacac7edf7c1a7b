#pragma once

#include "http/call/call.hpp"

/// What the service says of itself: the OpenAPI document of the API, a page to read it with, and where to begin. All of it is made when
/// the service is built, names its version by an `ETag`, and is answered whether or not the database is there.
namespace credence::http::v2 {

/// GET /: what this is; a page for browsers, JSON for everybody else
void get_start(call& c);
/// GET /openapi.json
void get_document(call& c);
/// GET /docs, and the two files that the page loads
void get_docs(call& c);
void get_docs_script(call& c);
void get_docs_style(call& c);
/// GET /llms.txt
void get_llms(call& c);

} // namespace credence::http::v2
