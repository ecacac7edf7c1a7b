#pragma once

#include "actors/domain/outcome.hpp"
#include "http/call/console_caller.hpp"
#include "http/call/request_head.hpp"
#include "http/call/route.hpp"
#include "http/call/target.hpp"
#include "http/server/bounds.hpp"
#include "ops/metrics.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace credence::http {

class call;

/// What of the front operators may look at and turn.
struct front_controls {
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
  std::optional<admin::caller> by = {}; // whose `operated_by` it is; nothing: the event stream's own
  std::function<void(unsigned status, const std::string& body)> done;
};
using inner_reader_function = std::function<void(inner_request)>;

/// What the admin listener answers to a GET that leads to no resource: a page, or a file that one loads.
struct operator_page {
  unsigned status = 200;
  std::string_view type = "text/html; charset=utf-8";
  std::string headers; // lines that end in CRLF
  std::string body;
};

/// What the audit names as the credential of what somebody does with a session of the console.
inline std::string credential_of_session(const std::string& session, const admin::caller& who) {
  return (who.profile ? "console session " : "console session of " + who.name + " ") + session;
}

/// The interface of the admin listener's authentication and handlers. It is made outside of the server, which does not
/// depend on its resources. Belongs to the listener's thread.
class operator_side {
public:
  virtual ~operator_side() = default;
  /// What handlers reach as `c.admin_context()`.
  virtual admin::admin_context& for_handlers() noexcept = 0;
  /// The name of the host by which the console is called, without a port; empty where it has none but the listener's
  /// own.
  virtual const std::string& host() const noexcept = 0;
  /// Whether a page of `origin` may change anything when it has called the listener `host` (the Host field).
  virtual bool lets_change(std::string_view origin, std::string_view host) const = 0;
  /// The port that the system gave, where any free one was asked for.
  virtual void listens_at(std::uint16_t port) = 0;
  /// How it reads its own resources.
  virtual void read_by(inner_reader_function read) = 0;
  /// Comes every 50 ms.
  virtual void tick(steady_time now) = 0;

  /// The role of a profile that shows an access token.
  virtual admin::role role_of(profile_id who, bool admin_by_token) const = 0;
  /// Which sessions had ended before this process began; until that is known, it is asked for.
  virtual bool knows_ended() const noexcept = 0;
  virtual void know_ended(const std::vector<std::string>& ids, timestamp now) = 0;
  /// Who shows this Cookie field, which counts as a use of the session; refused with `not_signed_in`.
  virtual outcome<admin::caller> find_session(std::string_view cookies, timestamp now) = 0;
  /// Whether it is time to look if the wallet of the session still is its profile's.
  virtual bool has_to_look_at_wallet(const admin::caller& who, timestamp now) = 0;
  /// Looks, and refuses `c` where it is not: the session has ended, for the next process as well. Else calls `goes_on`,
  /// also while nobody can tell.
  virtual void look_at_wallet(call& c, const admin::caller& who, std::function<void()> goes_on) = 0;
  /// The session with its idle time begun anew, and the header field that says so; nothing within a minute of the last
  /// time.
  virtual std::optional<std::pair<admin::caller, std::string>> renewed(const admin::caller& who,
                                                                       timestamp now) const = 0;
  virtual bool is_csrf_token_of(std::string_view session, std::string_view token) const = 0;

  /// Somebody has changed something: `PUT`, `markets/7/frozen`.
  virtual void acted(const admin::caller& who, std::string_view method, std::string_view what) = 0;
  virtual operator_page page_at(std::string_view path, const request_head& head) const = 0;
};

} // namespace credence::http
