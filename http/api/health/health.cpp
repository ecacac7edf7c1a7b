#include "http/api/health/operations.hpp"
#include "http/call/json_writer.hpp"

namespace credence::http::v2 {

void get_health(call& c) {
  json_writer to{c.out()};
  to.begin_object();
  to.field("ok", true);
  to.end_object();
  c.reply();
}

void get_health_authenticated(call& c) {
  json_writer to{c.out()};
  to.begin_object();
  to.field("ok", true);
  to.field("profileId", c.caller()->profile);
  to.end_object();
  c.reply();
}

void get_health_always_fail(call& c) { c.error(418, "ALWAYS_FAILS", "this path always fails; nothing is wrong"); }

} // namespace credence::http::v2
