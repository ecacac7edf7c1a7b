#pragma once

#include "http/call/route.hpp"

#include <string_view>

/// The kinds of endpoints of the admin listener, so that an area declares each of its routes in a line
/// (http/admin/<area>/routes.hpp). The server checks the role before a handler runs.
namespace credence::http::admin::declare {

constexpr route made(method verb, std::string_view path, role least, handler run) {
  route out{verb, path, access::owner, scope::none, run, needs::nothing, quota_class::admin};
  out.least = least;
  if (verb != method::get)
    out.does = effect::audited;
  return out;
}

/// A GET for everybody who is signed in.
constexpr route viewer_reads(std::string_view path, handler run) { return made(method::get, path, role::viewer, run); }

/// The same whose answer is no JSON.
constexpr route viewer_reads_file(std::string_view path, handler run) {
  auto out = viewer_reads(path, run);
  out.any_media = true;
  return out;
}

/// A GET for everybody who is signed in that is a topic of the event stream, too. A topic `project:{projectId}` takes
/// the value behind the colon for that part of the path.
constexpr route viewer_watches(std::string_view path, handler run, std::string_view topic) {
  auto out = viewer_reads(path, run);
  out.topic = topic;
  return out;
}

/// Writes, which the audit tells of.
constexpr route operator_writes(std::string_view path, handler run, method verb = method::post) {
  return made(verb, path, role::operator_, run);
}
constexpr route admin_writes(std::string_view path, handler run, method verb = method::post) {
  return made(verb, path, role::admin, run);
}
/// The same under an Idempotency-Key, if the request has one: what was done and never answered, `replay` answers.
constexpr route admin_writes_once(std::string_view path, handler run, replay_handler replay) {
  auto out = admin_writes(path, run);
  out.replay = replay;
  return out;
}
/// The same that may be tried without effect.
constexpr route admin_writes_or_tries(std::string_view path, handler run) {
  auto out = admin_writes(path, run);
  out.dry_runs = true;
  return out;
}
/// A write of what is the caller's own.
constexpr route viewer_writes(std::string_view path, handler run, method verb = method::post) {
  return made(verb, path, role::viewer, run);
}

/// What is called before anybody is signed in.
constexpr route open_reads(std::string_view path, handler run) { return made(method::get, path, role::none, run); }
constexpr route open_writes(std::string_view path, handler run) { return made(method::post, path, role::none, run); }

} // namespace credence::http::admin::declare
