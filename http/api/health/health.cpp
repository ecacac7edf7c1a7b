#include "http/api/health/operations.hpp"
#include "http/api/replies.hpp"

namespace credence::http::v2 {

void get_health(call& c) { reply_ok(c); }

void get_health_authenticated(call& c) {
  reply_object(c, [&](json_writer& to) {
    to.field("ok", true);
    to.field("profileId", c.caller()->profile);
  });
}

void get_health_always_fail(call& c) { c.error(418, "ALWAYS_FAILS", "this path always fails; nothing is wrong"); }

} // namespace credence::http::v2
