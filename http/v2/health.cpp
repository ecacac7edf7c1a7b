#include "http/json_writer.hpp"
#include "http/v2/handlers.hpp"

namespace credence::http::v2 {

void get_healthcheck(call& c) {
  json_writer to{c.out()};
  to.begin_object();
  to.field("ok", true);
  to.end_object();
  c.reply();
}

} // namespace credence::http::v2
