// What the server answers itself: whether it is well, and its metrics.
#include "http/server/connection.hpp"

#include "actors/kernel/writes.hpp"
#include "ops/metrics.hpp"

#include <string>

namespace credence::http {

void connection::health(std::string_view path, bool verbose) {
  if (reader_.head().verb != method::get) {
    call_.extra_head_ += "Allow: GET, HEAD\r\n";
    return call_.error(405, "METHOD_NOT_ALLOWED", "this path takes GET, HEAD");
  }
  if (path == "/livez") {
    const auto& with = home_.shared.with;
    const auto still = with.standing_still ? with.standing_still() : std::string{};
    if (still.empty()) {
      call_.out() = R"({"ok":true})";
      return call_.reply(200);
    }
    call_.out().append(R"({"ok":false,"standingStill":")").append(still).append("\"}");
    call_.retry_after_s_ = 1;
    return call_.reply(503);
  }
  bool ready = true;
  std::string checks;
  const auto add = [&](std::string_view name, bool holds) {
    ready = ready && holds;
    if (!holds || verbose)
      checks.append(checks.empty() ? "\"" : ",\"").append(name).append(holds ? "\":true" : "\":false");
  };
  for (const auto& check : home_.shared.with.readiness)
    add(check.name, check.holds());
  add("accepting", !home_.shared.draining.load(std::memory_order_relaxed));
  call_.out().append(ready ? R"({"ok":true)" : R"({"ok":false)");
  if (!checks.empty())
    call_.out().append(R"(,"checks":{)").append(checks).append("}");
  call_.out() += '}';
  call_.retry_after_s_ = ready ? 0 : 1;
  call_.reply(ready ? 200 : 503);
}

void connection::decide_operator(std::string_view path) {
  if (path != "/metrics")
    return call_.error(404, "NOT_FOUND", "this listener has /metrics, /livez and /readyz");
  if (reader_.head().verb != method::get) {
    call_.extra_head_ += "Allow: GET, HEAD\r\n";
    return call_.error(405, "METHOD_NOT_ALLOWED", "this path takes GET, HEAD");
  }
  auto& metrics = ops::the_metrics();
  metrics.http.unsent_bytes.set(home_.shared.unsent.bytes());
  metrics.http.in_flight.set(home_.shared.in_flight->inside());
  if (const auto* storage = home_.shared.with.actors->storage) {
    metrics.store.queued.set(storage->queued.load(std::memory_order_relaxed));
    metrics.store.lease_age_ms.set(std::chrono::floor<std::chrono::milliseconds>(storage->lease_age()).count());
  }
  call_.out() = metrics.render();
  call_.content_type_ = "text/plain; version=0.0.4; charset=utf-8";
  call_.reply(200);
}

} // namespace credence::http
