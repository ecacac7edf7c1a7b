#pragma once

#include "http/call/call.hpp"

/// What the service says of itself: the OpenAPI document of the API, a page to read it with, and where to begin, and
/// where holes are told of. The files are made when the service is built and name their version by an `ETag`; all of it
/// is answered whether or not the database is there.
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
/// GET /.well-known/security.txt; 404 where http.security_contact names nobody
void get_security_contact(call& c);

} // namespace credence::http::v2
