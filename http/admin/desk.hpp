#pragma once

#include "actors/console/office.hpp"
#include "actors/domain/time.hpp"
#include "http/admin/live.hpp"
#include "http/admin/pulse.hpp"
#include "http/admin/sessions.hpp"
#include "http/call/call.hpp"
#include "http/call/route.hpp"
#include "http/call/target.hpp"
#include "http/server/bounds.hpp"
#include "ops/alert_watch.hpp"
#include "ops/log_ring.hpp"
#include "ops/metrics.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace credence::http::admin {

/// The level of the log: the configured one, or another one for a while. Belongs to the thread of the admin listener.
class log_level {
public:
  explicit log_level(std::string configured) : configured_(configured), now_(std::move(configured)) {}

  const std::string& now() const noexcept { return now_; }
  const std::string& configured() const noexcept { return configured_; }
  const std::optional<timestamp>& until() const noexcept { return until_; }
  const std::optional<std::string>& by() const noexcept { return by_; }

  void set(std::string level, std::string by, timestamp at, std::chrono::minutes most) {
    now_ = std::move(level);
    by_ = std::move(by);
    until_ = at + most;
    ops::set_log_level(now_);
  }
  void reset() {
    now_ = configured_;
    by_.reset();
    until_.reset();
    ops::set_log_level(now_);
  }
  void tick(timestamp at) {
    if (until_ && at >= *until_)
      reset();
  }

private:
  std::string configured_, now_;
  std::optional<std::string> by_;
  std::optional<timestamp> until_;
};

/// Whether writes are let in. An operator may pause that for a while; it opens again by itself. Belongs to the thread
/// of the admin listener.
class intake {
public:
  /// `pause` is what the front looks at.
  explicit intake(write_pause* pause) : pause_(pause) {}

  struct state {
    bool open = true;
    std::optional<timestamp> since, until; // since when it is closed, and when it opens by itself
    std::string reason, by;
  };
  const state& now() const noexcept { return state_; }

  void close(std::string reason, std::string by, timestamp at, std::chrono::minutes most) {
    state_ = {false, at, at + most, std::move(reason), std::move(by)};
    pause_->begin({state_.reason, *state_.until});
  }
  void open() {
    state_ = {};
    pause_->end();
  }
  void tick(timestamp at) {
    if (state_.until && at >= *state_.until)
      open();
  }

private:
  write_pause* pause_;
  state state_;
};

} // namespace credence::http::admin

namespace credence::http {

struct services;

} // namespace credence::http

namespace credence::http::admin {

/// What of the front the admin listener may look at and turn.
struct reach {
  write_pause* pause = nullptr; // of writes
  const std::atomic<bool>* draining = nullptr;
  std::function<std::int64_t()> in_flight; // requests under way
  std::vector<std::pair<const route*, const ops::route_metrics*>>
    measured; // of the public listener; several may share theirs
};

/// A resource as its GET answers it, without a client. `done` is called once, on the thread of the admin listener.
struct inner_request {
  const route* which = nullptr;
  std::vector<std::pair<std::string_view, std::string>> path_parts;
  query_map query;
  std::function<void(unsigned status, const std::string& body)> done;
};
using inner_reader_function = std::function<void(inner_request)>;

/// What the admin listener is about, beyond single requests. Belongs to its thread; handlers reach it as `c.desk()`.
class desk {
public:
  desk(const terms& by, const services& with, reach over);
  ~desk();
  desk(const desk&) = delete;
  desk& operator=(const desk&) = delete;

  const terms& by() const noexcept { return by_; }
  const services& with() const noexcept { return with_; }
  const reach& over() const noexcept { return over_; }
  admin::sessions& sessions() noexcept { return sessions_; }
  /// The name of the host by which the console is called, without a port; empty where it has none but the listener's
  /// own.
  const std::string& host() const noexcept { return host_; }

  /// Hosts that a message to sign in may name, the usual one first.
  const std::vector<std::string>& domains() const noexcept { return domains_; }
  /// Whether a page of `origin` may change anything here when it has called this listener `host` (the Host field): one
  /// of the console's own, or of `http.admin_origins`.
  bool lets_change(std::string_view origin, std::string_view host) const;
  /// The port that the system gave, where any free one was asked for.
  void listens_at(std::uint16_t port);

  void read_by(inner_reader_function read) { read_ = std::move(read); }
  /// Reads a resource as a client with the role viewer would.
  void read(inner_request what) const { read_(std::move(what)); }

  const pulse& beats() const noexcept { return pulse_; }
  /// What an operator should see to, as of the last second.
  const std::vector<ops::holding_alert>& holding() const noexcept { return alerts_.holding(); }
  /// Looks again at once: something has been changed.
  void look_at_alerts(steady_time now);
  admin::intake& intake() noexcept { return intake_; }
  admin::log_level& log_level() noexcept { return log_level_; }
  hub& live() noexcept { return hub_; }

  /// Comes every 50 ms.
  void tick(steady_time now);

private:
  const terms& by_;
  const services& with_;
  const reach over_;
  const std::string host_;
  std::vector<std::string> domains_;
  admin::sessions sessions_;
  pulse pulse_;
  ops::alert_watch alerts_;
  steady_time alerts_due_{};
  admin::intake intake_;
  admin::log_level log_level_;
  inner_reader_function read_;
  hub hub_;
};

/// The act of the caller, for the audit, and a line in the log at once: so it is known although the database may be
/// away. To be asked of `c.to().acts`. What an act does to data goes into the audit by itself, with its change.
console::note_act act_of(const call& c, std::string act, std::string subject, std::optional<std::string> before,
                         std::optional<std::string> after);

} // namespace credence::http::admin
