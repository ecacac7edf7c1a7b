#include "http/api/health/handlers.hpp"
#include "http/call/json_writer.hpp"

namespace credence::http::v2 {

void get_healthcheck(call& c) {
  json_writer to{c.out()};
  to.begin_object();
  to.field("ok", true);
  to.end_object();
  c.reply();
}

} // namespace credence::http::v2
