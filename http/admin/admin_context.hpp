#pragma once

#include "actors/domain/time.hpp"
#include "http/admin/live.hpp"
#include "http/admin/pulse.hpp"
#include "http/admin/sessions.hpp"
#include "http/call/call.hpp"
#include "http/call/route.hpp"
#include "http/call/target.hpp"
#include "http/server/bounds.hpp"
#include "http/server/operator_side.hpp"
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

/// What the admin listener is about, beyond single requests. Belongs to its thread; handlers reach it as
/// `c.admin_context()`.
class admin_context final : public operator_side {
public:
  admin_context(const terms& by, const services& with, front_controls over);
  ~admin_context() override;
  admin_context(const admin_context&) = delete;
  admin_context& operator=(const admin_context&) = delete;

  const terms& by() const noexcept { return by_; }
  const services& with() const noexcept { return with_; }
  const front_controls& over() const noexcept { return over_; }
  admin::sessions& sessions() noexcept { return sessions_; }
  /// Hosts that a message to sign in may name, the usual one first.
  const std::vector<std::string>& domains() const noexcept { return domains_; }
  /// Reads a resource as a client with the role viewer would.
  void read(inner_request what) const { read_(std::move(what)); }

  const metrics_history& history() const noexcept { return history_; }
  /// What an operator should see to, as of the last second. While nobody asks, it is looked for every ten seconds.
  const std::vector<ops::holding_alert>& holding(steady_time now);
  /// Looks again at once: something has been changed.
  void look_at_alerts(steady_time now);
  admin::intake& intake() noexcept { return intake_; }
  admin::log_level& log_level() noexcept { return log_level_; }
  hub& live() noexcept { return hub_; }

  // -- for the server --

  admin_context& for_handlers() noexcept override { return *this; }
  const std::string& host() const noexcept override { return host_; }
  /// That is a page of the console's own, or of `http.admin_origins`.
  bool lets_change(std::string_view origin, std::string_view host) const override;
  void listens_at(std::uint16_t port) override;
  void read_by(inner_reader_function read) override { read_ = std::move(read); }
  void tick(steady_time now) override;
  role role_of(profile_id who, bool admin_by_token) const override { return admin::role_of(by_, who, admin_by_token); }
  bool knows_ended() const noexcept override { return sessions_.knows_ended(); }
  void know_ended(const std::vector<std::string>& ids, timestamp now) override { sessions_.know_ended(ids, now); }
  outcome<caller> find_session(std::string_view cookies, timestamp now) override;
  bool has_to_look_at_wallet(const caller& who, timestamp now) override;
  void look_at_wallet(call& c, const caller& who, std::function<void()> goes_on) override;
  std::optional<std::pair<caller, std::string>> renewed(const caller& who, timestamp now) const override;
  bool is_csrf_token_of(std::string_view session, std::string_view token) const override {
    return sessions_.is_csrf_token_of(session, token);
  }
  void acted(const caller& who, std::string_view method, std::string_view what) override;
  operator_page page_at(std::string_view path, const request_head& head) const override;

private:
  const terms& by_;
  const services& with_;
  const front_controls over_;
  const std::string host_;
  std::vector<std::string> domains_;
  admin::sessions sessions_;
  metrics_history history_;
  ops::alert_watch alerts_;
  steady_time alerts_seen_{};
  admin::intake intake_;
  admin::log_level log_level_;
  inner_reader_function read_;
  hub hub_;
};

} // namespace credence::http::admin
