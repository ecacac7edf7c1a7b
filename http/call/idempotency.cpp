#include "http/call/idempotency.hpp"

#include "actors/idempotency/idempotency_actor.hpp"
#include "auth/digest.hpp"
#include "config/limits.hpp"
#include "http/call/request_head.hpp"
#include "http/call/target.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace credence::http {

void run_within_day(call& c) {
  const auto& route = c.of_route();
  const bool by_handler =
    route.idempotency_by == idempotency_keeper::by_handler; // whoever signed does it, not whoever calls
  if (!is_counted(route.a_day) || by_handler || !c.caller() || c.caller()->admin || runs_dry(route, c.query()))
    return route.run(c);
  const auto whose = c.caller()->profile;
  c.ask<idempotency::take_daily>(c.to().idempotency, {whose, route.a_day},
                                 [whose](call& later, idempotency::daily_taken&) {
                                   later.took(whose, later.of_route().a_day);
                                   later.of_route().run(later);
                                 });
}

namespace {

constexpr std::uint32_t too_many_keys_retry_s = 3600;

/// The key as the client means it: the draft writes it as a quoted string, most clients
/// write it bare. Nothing when it is neither.
std::optional<std::string_view> key_in(std::string_view field) {
  if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
    field = field.substr(1, field.size() - 2);
  const bool good = !field.empty() && field.size() <= limits::idempotency_key_length_max
                    && std::all_of(field.begin(), field.end(), [](char c) { return c > ' ' && c < 0x7F && c != '"'; });
  return good ? std::optional{field} : std::nullopt;
}

/// The path, however its segments are written: who repeats a request may encode it otherwise.
/// What the query says belongs to what is asked for (`asked_for`).
std::string path_of(std::string_view target) {
  const auto parts = split_target(target);
  auto path = parts ? parts->path : target;
  std::string out;
  while (!path.empty()) {
    const auto end = std::min(path.find('/'), path.size());
    const auto segment = percent_decode(path.substr(0, end), false);
    out.append(segment ? *segment : std::string{path.substr(0, end)}).append("\n"); // no segment holds one
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return out;
}

/// What a request that comes again must ask for, too: the body, and the parameters by which the write acts, however
/// they are written. A handler of a write gets no others.
std::string asked_for(const call& c) {
  std::string out{c.body()};
  auto given = c.query();
  std::erase_if(
    given, [](const auto& each) { return each.first == "dryRun" || each.second.empty(); }); // what is tried has no key
  std::stable_sort(given.begin(), given.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [name, value] : given)
    out.append("\n").append(name).append("=").append(value);
  return out;
}

void on_refused(call& c, const refusal& why) {
  if (why.code == refusal_code::request_in_progress)
    c.retry_after(1);
  if (why.code == refusal_code::too_many_keys)
    c.retry_after(too_many_keys_retry_s);
  c.refuse(why);
}

/// Claims the key that came with the request, and goes on with `go_on` when it is new.
template <class GoOn>
void claim(call& c, std::string_view whose, std::optional<profile_id> profile, replay_handler replay, GoOn go_on) {
  const auto& head = c.head();
  const auto key = head.idempotency_key_count == 1 ? key_in(head.idempotency_key) : std::nullopt;
  if (!key)
    return c.error(400, "BAD_REQUEST",
                   "Idempotency-Key must be one field with 1 to " + std::to_string(limits::idempotency_key_length_max)
                     + " visible ASCII characters");
  std::string scope{whose};
  scope.append("\n").append(head.method_name).append(" ").append(path_of(head.target)).append(*key);
  c.ask<idempotency::claim_key>(
    c.to().idempotency,
    {auth::sha256(scope), auth::sha256(asked_for(c)), c.now(), c.context() ? c.context()->from() : nullptr,
     std::string{whose}, profile},
    [replay, go_on](call& later, idempotency::key_meaning& meaning) {
      later.carry(std::move(meaning.context)); // it holds what a context before it said of the request's origin
      if (!meaning.before)
        return go_on(later);
      if (later.context()) // the change is stored, and its answer was never given
        return replay(later, *meaning.before);
      later.add_header("Idempotency-Replayed: true");
      later.out() = std::move(meaning.before->body);
      later.reply(static_cast<unsigned>(meaning.before->status));
    },
    &on_refused);
}

bool has_no_key(const call& c) { return c.head().idempotency_key_count == 0; }

} // namespace

void claim_idempotency_key(call& c, std::string_view whose, std::optional<profile_id> profile, handler run,
                           replay_handler replay) {
  if (has_no_key(c))
    return run(c);
  claim(c, whose, profile, replay, run);
}

bool first_time::await_ready() const noexcept { return has_no_key(call_); }

void first_time::await_suspend(std::coroutine_handle<> waiting) {
  claim(call_, whose_, profile_, replay_, [waiting](call&) { waiting.resume(); });
}

} // namespace credence::http
