#pragma once

#include "http/call/route.hpp"

#include <string_view>

/// The kinds of endpoints there are, so that a resource declares each of its routes in a line
/// (http/api/<resource>/routes.hpp). What a kind does not say is as in `route`.
namespace credence::http::declare {

/// A GET that answers everybody alike.
constexpr route reads(std::string_view path, handler run) {
  return {method::get, path, access::open, scope::read, run};
}

/// A GET that answers everybody, and shows a caller more.
constexpr route reads_by_caller(std::string_view path, handler run) {
  auto out = reads(path, run);
  out.by_caller = true;
  return out;
}

/// A GET of what is the caller's own.
constexpr route reads_own(std::string_view path, handler run, scope may = scope::read) {
  return {method::get, path, access::bearer, may, run};
}

/// A GET that is answered whether or not anything has been read since the start.
constexpr route reads_always(std::string_view path, handler run, quota_class quota = quota_class::derived) {
  return {method::get, path, access::open, scope::none, run, needs::nothing, quota};
}

/// A POST that asks and changes nothing.
constexpr route asks(std::string_view path, handler run) {
  return {method::post, path, access::open, scope::read, run, needs::data, quota_class::read, {}, effect::none};
}

/// The same that shows a caller more.
constexpr route asks_by_caller(std::string_view path, handler run) {
  auto out = asks(path, run);
  out.by_caller = true;
  return out;
}

/// What few writes have.
struct write_traits {
  quota_class quota = quota_class::derived;
  effect does = effect::of_verb;
  bool dry_runs = false;
};

/// A POST of a caller that writes; `replay` answers one whose answer was lost.
constexpr route writes(std::string_view path, scope may, handler run, replay_handler replay, write_traits traits = {}) {
  return {method::post, path,   access::bearer, may, run, needs::writing, traits.quota, {},
          traits.does,  replay, traits.dry_runs};
}

/// The traits of a write of a record: the audit tells of it, and it may be tried without effect.
inline constexpr write_traits of_record{.does = effect::audited, .dry_runs = true};

/// A POST, a PATCH and a PUT of a caller that write a record.
constexpr route records(std::string_view path, handler run, replay_handler replay) {
  return writes(path, scope::record, run, replay, of_record);
}
constexpr route edits_record(std::string_view path, handler run, replay_handler replay) {
  auto out = records(path, run, replay);
  out.verb = method::patch;
  return out;
}
constexpr route puts_record(std::string_view path, scope may, handler run, replay_handler replay) {
  auto out = writes(path, may, run, replay, of_record);
  out.verb = method::put;
  return out;
}

/// A DELETE of what is the caller's own; the audit tells of it.
constexpr route deletes(std::string_view path, scope may, handler run, replay_handler replay) {
  return {method::del,          path, access::bearer,  may,   run, needs::writing,
          quota_class::derived, {},   effect::audited, replay};
}

/// The same of a write that acts by parameters of the query, too: their names, separated by commas.
constexpr route by_query(route route, std::string_view names) {
  route.by_query = names;
  return route;
}

/// The same of a write that keeps something: what it is counted as, a day and profile.
constexpr route a_day(route route, daily_act which) {
  route.a_day = which;
  return route;
}

/// A DELETE that withdraws a record of the caller's.
constexpr route deletes_record(std::string_view path, scope may, handler run, replay_handler replay) {
  auto out = deletes(path, may, run, replay);
  out.dry_runs = true;
  return out;
}

/// The same for people alone: refuses API keys.
constexpr route by_owner(route route) {
  route.who = access::owner;
  route.may = scope::none;
  return route;
}

/// The same for pages of partners that sign in or out, besides our own.
constexpr route by_partners_too(route route) {
  route.partners = partner_use::sign_in;
  return route;
}

/// The same for pages of partners, which act for whoever has let them; refuses API keys and access tokens.
constexpr route by_partner(route route) {
  route.partners = partner_use::act;
  if (route.who == access::open)
    return route;
  return by_owner(route);
}

/// A POST of an admin that writes; the audit tells of it.
constexpr route admin(std::string_view path, handler run, replay_handler replay) {
  return {method::post,         path, access::admin,   scope::none, run, needs::writing,
          quota_class::derived, {},   effect::audited, replay};
}

/// A POST of an admin that writes a record.
constexpr route admin_records(std::string_view path, handler run, replay_handler replay) {
  auto out = admin(path, run, replay);
  out.dry_runs = true;
  return out;
}

/// A POST that writes for whom its body or a cookie names, without a credential in the header; the
/// audit tells of it.
constexpr route signs(std::string_view path, handler run, idempotency_keeper idempotency_by) {
  return {method::post,    path,    access::open, scope::none, run,           needs::writing, quota_class::wallet, {},
          effect::audited, nullptr, false,        false,       idempotency_by};
}

} // namespace credence::http::declare
