#pragma once

#include "actors/domain/daily_act.hpp"
#include "actors/domain/scopes.hpp"
#include "actors/idempotency/idempotency_types.hpp"
#include "http/call/call.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace credence::http {

enum class method : std::uint8_t { get, post, put, patch, del };

/// Who may call a route.
enum class access : std::uint8_t {
  open,   // anyone; a credential that comes along is verified and used
  bearer, // whoever shows a credential: an access token, an API key or a session
  owner,  // whoever shows a credential but an API key: who a profile is, and who is in, is no business of a program
  admin,  // an admin, by access token
};

using handler = void (*)(call&);
/// Answers a request whose effect is there already, but whose answer was lost: the record says what was done.
using replay_handler = void (*)(call&, const idempotency::found_record&);

/// What has to be there before a handler runs; 503 at once otherwise.
enum class needs : std::uint8_t {
  data,    // calendar, people and listings have been read since the start
  writing, // also, the store can write right now
  nothing,
};

/// Which of a caller's buckets a request is taken from (http/callers/rate_limiter.hpp).
enum class quota_class : std::uint8_t {
  derived, // admin when only admins may call, else read for GET and write for the others
  read,
  write,
  wallet, // signing in, making keys, moving money
  admin,
};

/// What a call does to the service's data.
enum class effect : std::uint8_t {
  of_verb, // a GET reads, anything else may write
  none,    // a POST that only reads: its question does not fit a URL
  audited, // writes what the audit tells of: who comes in, credentials, acts of admins, money
};

/// Who sees to it that a write which comes again with its Idempotency-Key has one effect.
enum class idempotency_keeper : std::uint8_t {
  by_front,   // the front; what was done and never answered, `replay` answers
  by_handler, // the handler, which alone learns who calls (http/call/idempotency.hpp)
  by_rules,   // the rules of what it changes: a key makes no difference, as where a refresh token is shown twice
};

/// What pages of partners may do with a route. They are known by the origin of a request.
enum class partner_use : std::uint8_t {
  none,    // what any page may
  sign_in, // call it with credentials
  act,     // it is for them: they call it with a session that is for their origin alone
};

/// One endpoint, as `x-route` of its description declares it (ops/operations.py). `{name}` in the path matches one
/// segment; literal segments win.
struct route {
  method verb;
  std::string_view path;
  access who;
  scope may; // that an API key needs which was narrowed; `none`: it makes no difference
  handler run;
  needs first = needs::data;
  quota_class quota = quota_class::derived;
  /// `since [sunset] [link]`, days as YYYY-MM-DD, for one that goes away; empty for others.
  std::string_view deprecated = {};
  effect does = effect::of_verb;
  /// Every write that the front makes idempotent has it.
  replay_handler replay = nullptr;
  /// Knows `dryRun=true`: a request that changes nothing is run anew each time, and nothing of it is kept.
  bool dry_runs = false;
  /// An open read whose answer depends on who asks.
  bool by_caller = false;
  idempotency_keeper idempotency_by = idempotency_keeper::by_front;
  partner_use partners = partner_use::none;
  /// The caller must have let the partner act; asked before an answer is given that was kept for a repeated request.
  bool needs_grant = false;
  /// Of the admin listener: who may call it at least, and which topic of the event stream its answer is.
  admin::role least = admin::role::none;
  std::string_view topic = {};
  /// Its answer is no JSON, or not always: `Accept` is for the handler to look at.
  bool any_media = false;
  /// Its answer goes on with events until either side ends it.
  bool streams = false;
  /// The described parameters of the query, separated by commas. A read with others is refused, as its answer might not
  /// be what was meant. The handler of a write gets only these and `dryRun`, and requests with one `Idempotency-Key`
  /// must have the same values of them.
  std::string_view by_query = {};
  /// What a write keeps, and is bounded by the day and profile for (actors/domain/daily_act.hpp).
  daily_act a_day = daily_act::none;
  /// `GET /api/v2/…`: what to call in place of one that goes away; places in it are in the path as well.
  std::string_view successor = {};
};

/// Whether it changes nothing, whatever its verb.
constexpr bool only_reads(const route& route) { return route.verb == method::get || route.does == effect::none; }

/// Whether the handler gets the parameter `name` of the query.
constexpr bool takes(const route& route, std::string_view name) {
  if (name == "dryRun")
    return route.dry_runs;
  for (auto rest = route.by_query; !rest.empty();) {
    const auto end = std::min(rest.find(','), rest.size());
    if (rest.substr(0, end) == name)
      return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

/// Whether a request only tries what the route does.
inline bool runs_dry(const route& route, const query_map& query) {
  return route.dry_runs
         && std::find(query.begin(), query.end(), query_map::value_type{"dryRun", "true"}) != query.end();
}

/// Whether browsers of every origin may call it: what anybody may read.
constexpr bool open_to_all_origins(const route& route) {
  return route.who == access::open && only_reads(route) && route.partners == partner_use::none;
}

} // namespace credence::http
