#include "http/admin/pages/embedded.hpp"
#include "http/admin/reference/handlers.hpp"

namespace credence::http::admin {

void get_reference(call& c) {
  c.out() = find_embedded("openapi.json")->content;
  c.reply();
}

} // namespace credence::http::admin
