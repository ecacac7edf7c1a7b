// What the server answers itself: whether it is well, and its metrics.
#include "http/server/connection.hpp"

#include "actors/console/admin_database.hpp"
#include "actors/directory.hpp"
#include "actors/kernel/writes.hpp"
#include "actors/wallets/signing_bounds.hpp"
#include "http/call/acts.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/parameters.hpp"
#include "http/call/target.hpp"
#include "http/server/replication_json.hpp"
#include "ops/chain_metrics.hpp"
#include "ops/log.hpp"
#include "ops/metrics.hpp"
#include "ops/standby.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace credence::http {

namespace {

/// Whose end it waits for names a machine, so that only operators are told.
void write_standby(json_writer& to, const ops::standby::told& waits, bool verbose) {
  to.field("reason", "standby");
  if (!verbose)
    return;
  to.field("able", waits.able);
  if (waits.owner.empty())
    return;
  to.field("owner", waits.owner);
  to.field("leaseUntil", iso_text(std::chrono::floor<std::chrono::microseconds>(waits.until)));
}

/// Whether all checks are to be told: `verbose` alone says so, too.
outcome<bool> read_verbose(std::string_view query) {
  const auto decoded = decode_query(query);
  if (!decoded)
    return decoded.why();
  parameters given{*decoded};
  const auto said = given.flag("verbose");
  if (!given.good())
    return given.why();
  return said.value_or(
    std::any_of(decoded->begin(), decoded->end(), [](const auto& each) { return each.first == "verbose"; }));
}

} // namespace

void connection::health(std::string_view path, std::string_view query) {
  metrics_ = &home_.shared.probes;
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
  const auto all = side_ == listener::operators ? read_verbose(query) : outcome<bool>{false};
  if (!all)
    return call_.refuse(all.why());
  const bool verbose = *all;
  bool ready = true;
  std::vector<std::pair<std::string_view, bool>> checks;
  const auto add = [&](std::string_view name, bool holds) {
    ready = ready && holds;
    if (!holds || verbose)
      checks.emplace_back(name, holds);
  };
  for (const auto& check : home_.shared.with.readiness)
    add(check.name, check.holds());
  add("accepting", !home_.shared.draining.load(std::memory_order_relaxed));
  json_writer to{call_.out()};
  to.begin_object();
  to.field("ok", ready);
  if (const auto waits = ops::the_standby().now())
    write_standby(to, *waits, verbose);
  if (!checks.empty()) {
    to.object("checks", [&] {
      for (const auto& [name, holds] : checks) {
        to.text_key(name);
        to.value(holds);
      }
    });
  }
  if (const auto seen = verbose ? ops::the_replication().read() : std::nullopt) {
    to.key("replication");
    write_replication(to, *seen);
  }
  to.end_object();
  call_.retry_after_s_ = ready ? 0 : 1;
  call_.reply(ready ? 200 : 503);
}

/// Whoever is sent here has gone past /readyz: nothing has failed, so it is not measured.
void connection::refuse_as_standby() {
  metrics_ = &home_.shared.probes;
  call_.retry_after_s_ = 1;
  call_.error(503, "STANDBY",
              "this server waits to take over from the one that serves; ask that one, or try again shortly");
}

/// Shows whether managed wallets sign, or turns that. `X-Service-Client` must be sent: a page in an operator's browser
/// cannot add it without asking first, and this listener allows no page anything. Only this machine may turn it: others
/// may read metrics. The audit tells who has turned it.
void connection::signing_switch(std::string_view path, std::string_view query) {
  auto* const signing = home_.shared.with.actors->signing;
  if (!signing)
    return call_.error(404, "NOT_FOUND", "this server has no managed wallets");
  const bool shows = path == "/wallets/signing";
  if (reader_.head().verb != (shows ? method::get : method::post)) {
    call_.extra_head_ += shows ? "Allow: GET, HEAD\r\n" : "Allow: POST\r\n";
    return call_.error(405, "METHOD_NOT_ALLOWED", shows ? "this path takes GET, HEAD" : "this path takes POST");
  }
  if (!shows) {
    if (!query.empty() || !reader_.body().empty()) // such as dryRun
      return call_.error(400, "BAD_REQUEST", "this takes neither parameters nor a body; nothing has been done");
    if (!is_loopback(peer_address_))
      return call_.error(403, "FORBIDDEN",
                         "only a program on the server's own machine may turn this, not one at "
                           + text_of(peer_address_));
    if (reader_.head().service_client.empty())
      return call_.error(403, "FORBIDDEN", "send the header X-Service-Client, with any name");
    return turn_signing(path == "/wallets/signing/on");
  }
  call_.out() = signing->on() ? R"({"signing":true})" : R"({"signing":false})";
  call_.reply(200);
}

namespace {

void show_signing(call& c) {
  c.out() = c.to().signing->on() ? R"({"signing":true})" : R"({"signing":false})";
  c.reply(200);
}

void turn(call& c, bool on) {
  c.to().signing->turn(on);
  ops::the_wallet_metrics().signing.set(on ? 1 : 0);
  ops::log(ops::level::warn, "wallet_signing_turned", {{"on", on}, {"by", c.head().service_client}});
}

console::note_act turning(const call& c, bool on) {
  return act_of(c, "wallet_signing_turned", "managed wallets", on ? "off" : "on", on ? "on" : "off");
}

/// Off at once, whoever says so and whether or not the audit can be told now: a line of the log tells it in any case.
void turn_off(call& c) {
  turn(c, false);
  if (!c.to().acts)
    return show_signing(c);
  struct otherwise {
    void operator()(call& later, const refusal&) const { show_signing(later); }
    void operator()(call& later, failure) const { show_signing(later); }
  };
  c.ask(
    c.to().acts, turning(c, false), [](call& later, console::kept&) { show_signing(later); }, otherwise{});
}

/// On only once the audit has it.
void turn_on(call& c) {
  const auto go_on = [](call& later) {
    turn(later, true);
    show_signing(later);
  };
  if (!c.to().acts)
    return go_on(c);
  c.ask(c.to().acts, turning(c, true), [go_on](call& later, console::kept&) { go_on(later); });
}

constexpr route switch_route(access who, handler run) {
  return {method::post,   "/wallets/signing", who, scope::none,    run,
          needs::nothing, quota_class::admin, {},  effect::audited};
}
constexpr route off_route = switch_route(access::open, &turn_off), on_route = switch_route(access::admin, &turn_on);

} // namespace

/// Anybody on this machine switches signing off; to go on signing is an admin's decision, with an access token.
void connection::turn_signing(bool on) {
  call_.route_ = route_ = on ? &on_route : &off_route;
  call_.only_reads_ = false;
  if (const auto many = admission_.count(bucket::admin))
    return turn_down(*many);
  go_by(admission_.admit(*route_, false));
}

void connection::decide_operator(std::string_view path, std::string_view query) {
  if (path == "/wallets/signing" || path == "/wallets/signing/on" || path == "/wallets/signing/off")
    return signing_switch(path, query);
  if (path != "/metrics")
    return call_.error(404, "NOT_FOUND", "this listener has /metrics, /livez, /readyz and /wallets/signing");
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
