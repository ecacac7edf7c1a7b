#pragma once

#include "http/call.hpp"
#include "http/json_writer.hpp"

#include <utility>

/// The last step of a v1 handler: successes are `{"ok": true, "data": …}`.
namespace credence::http::v1 {

/// `write` writes the data.
template <class Write>
void reply_data_with(call& c, Write write) {
  json_writer to{c.out()};
  to.begin_object();
  to.field("ok", true);
  to.key("data");
  write(to);
  to.end_object();
  c.reply();
}

template <class Answer>
void reply_data(call& c, Answer& answer) {
  reply_data_with(c, [&](json_writer& to) { encode(to, std::as_const(answer)); });
}

} // namespace credence::http::v1
