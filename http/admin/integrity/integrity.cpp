#include "actors/integrity/integrity_actor.hpp"
#include "http/admin/acts.hpp"
#include "http/admin/integrity/analysis_json.hpp"
#include "http/admin/operations.hpp"
#include "http/api/replies.hpp"
#include "http/call/coroutine.hpp"

namespace credence::http::admin {

void get_integrity(call& c) { c.ask(c.to().integrity, integrity::get_analysis{}, &reply_with<integrity::analysis>); }

/// One that runs already is answered as it is, and the audit tells of none.
void start_analysis(call& c) {
  const auto before = co_await c.ask(c.to().integrity, integrity::get_analysis{});
  if (before.state != integrity::analysis_state::running) {
    auto act = act_of(c, "integrity_analysed", "votes and ties of 90 days", std::nullopt, std::nullopt);
    co_await c.ask(c.to().acts, std::move(act));
  }
  const auto now = co_await c.ask(c.to().integrity, integrity::start_analysis{});
  json_writer to{c.out()};
  encode(to, now);
  c.reply(202);
}

void stop_analysis(call& c) {
  const auto before = co_await c.ask(c.to().integrity, integrity::get_analysis{});
  if (before.state == integrity::analysis_state::running) {
    auto act = act_of(c, "integrity_analysis_stopped", "votes and ties of 90 days", "running", "stopped");
    co_await c.ask(c.to().acts, std::move(act));
    co_await c.ask(c.to().integrity, integrity::stop_analysis{});
  }
  reply_ok(c);
}

} // namespace credence::http::admin
