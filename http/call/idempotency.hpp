#pragma once

#include "http/call/route.hpp"

#include <coroutine>
#include <optional>
#include <string_view>

namespace credence::http {

/// Runs the handler of the call's route once its caller has one of the acts left that the route counts a day
/// (`route::a_day`); else answers 429 `TOO_MANY_RECORDS`. An act that is refused (4xx) is given back when it is
/// answered. A dry run takes none, nor do admins. A handler that alone learns who acts
/// (`idempotency_keeper::by_handler`) takes the act itself.
void run_within_day(call& c);

/// Goes on with `run`, under the request's `Idempotency-Key` if it has one. A repeat has the same key, caller
/// (`whose`), path, body and parameters that the route acts by: it gets the kept answer, or what `replay` makes where
/// the first one was never answered. The bytes of the answer count as those of `profile`, where that is known. The
/// front does this for every route whose caller a credential tells.
void claim_idempotency_key(call& c, std::string_view whose, std::optional<profile_id> profile, handler run,
                           replay_handler replay);

/// The same for a handler that alone learns who calls: `co_await first_time(c, whose, profile, replay)` goes on when
/// the request has no key, or comes for the first time; a request that came before is answered.
class [[nodiscard]] first_time {
public:
  first_time(call& c, std::string_view whose, std::optional<profile_id> profile, replay_handler replay) noexcept
    : call_(c), whose_(whose), profile_(profile), replay_(replay) {}
  bool await_ready() const noexcept;
  void await_suspend(std::coroutine_handle<> waiting);
  void await_resume() const noexcept {}

private:
  call& call_;
  std::string_view whose_;
  std::optional<profile_id> profile_;
  replay_handler replay_;
};

} // namespace credence::http
