#pragma once

#include "http/call/route.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace credence::http {

/// What the front looks at in a header, gathered in one walk over its fields. The
/// views last until the reader begins the next request; trailers do not get in here.
struct request_head {
  /// HEAD counts as GET with `head_only`. Nothing: a method no route has.
  std::optional<method> verb;
  bool head_only = false;
  bool options = false;
  std::string_view method_name;
  std::string_view target;
  std::string_view host;
  std::string_view authorization;
  std::size_t authorization_count = 0;
  std::string accept;        // all Accept fields as one list
  std::string if_none_match; // all If-None-Match fields as one list
  std::string_view content_type;
  std::string_view request_id;
  std::string_view preflight_for; // Access-Control-Request-Method
  std::string preflight_headers;  // all Access-Control-Request-Headers fields as one list
  std::string_view origin;        // empty when there are several
  std::size_t origin_count = 0;
  std::string cookie;       // all Cookie fields, with `; ` between them (RFC 6265bis, 5.7.3)
  std::string_view api_key; // X-Service-Api-Key, the last one
  std::size_t api_key_count = 0;
  /// X-Service-Client: 1 to 100 visible ASCII characters; empty when it is anything else,
  /// or there are several.
  std::string_view service_client;
  std::string_view idempotency_key; // the last one
  std::size_t idempotency_key_count = 0;
  std::string forwarded_for; // all X-Forwarded-For fields as one list
  unsigned version = 11;
  bool keep_alive = true;
  bool awaits_continue = false; // sent `Expect: 100-continue`
  // Of the admin listener.
  std::string_view csrf_token; // X-CSRF-Token, empty when there are several
  std::size_t csrf_token_count = 0;
  std::string_view last_event_id;
  std::string accept_encoding; // all Accept-Encoding fields as one list
};

} // namespace credence::http
