// From a request that has been read to its handler, or to why it gets none.
#include "actors/people/people_actor.hpp"
#include "actors/profile/profile_actor.hpp"
#include "http/server/connection.hpp"

#include "actors/profile/key_usage_actor.hpp"
#include "http/call/idempotency.hpp"
#include "http/call/json_body.hpp"
#include "http/call/media.hpp"
#include "http/call/parameters.hpp"
#include "http/call/target.hpp"
#include "http/server/bounds.hpp"
#include "ops/metrics.hpp"
#include "ops/standby.hpp"

#include <algorithm>
#include <utility>

namespace credence::http {

namespace {

/// A query may have hundreds of parameters that nobody knows; so many are told.
constexpr std::size_t unknown_told_max = 10;

std::string_view without_last_slash(std::string_view path) {
  return path.size() > 1 && path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
}

} // namespace

void connection::decide() {
  const auto& head = reader_.head();
  auto& shared = home_.shared;
  const bool star = head.options && head.target == "*";
  auto target = split_target(star ? std::string_view{"/"} : head.target);
  if (side_ != listener::api && !for_operators())
    return call_.error(421, "MISDIRECTED_REQUEST",
                       "this listener is called by an address, localhost or a name in http.operator_hosts, not "
                         + shown(head.host));
  const auto path = target ? without_last_slash(target->path) : std::string_view{};
  if (side_ != listener::admin && (path == "/livez" || path == "/readyz"))
    return health(path, target->query);
  if (!shared.opened.load(std::memory_order_relaxed) && ops::the_standby().on()
      && !(side_ == listener::operators && path == "/metrics"))
    return refuse_as_standby();
  if (side_ == listener::admin)
    return target ? decide_admin(*target) : call_.refuse(target.why());
  if (side_ == listener::operators)
    return target ? decide_operator(path, target->query) : call_.refuse(target.why());
  in_flight_ = place{shared.in_flight};
  if (!in_flight_)
    return call_.fail(failure::overloaded);
  if (!take_place_of_client())
    return call_.fail(failure::overloaded);
  found_.found = false;
  const auto written = target ? target->path : std::string_view{};
  if (target && !star)
    find_path(*target);
  if (!head.options) {
    choose_route();
    if (!may_write())
      return;
    if (!count())
      return;
  }
  if (!target)
    return call_.refuse(target.why());
  if (!accepts_json(head.accept) && !(route_ && route_->any_media))
    return call_.error(406, "NOT_ACCEPTABLE", "answers are application/json; accept that");
  if (star) {
    call_.extra_head_ += "Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n";
    return call_.reply(204);
  }
  if (!found_.found)
    return call_.error(404, "NOT_FOUND", "there is nothing at " + shown(target->path));
  if (head.options)
    return preflight();
  if (route_ && route_->any_media && target->path != written) {
    call_.add_header("Location: ../" + std::string{target->path.substr(target->path.rfind('/') + 1)});
    return call_.reply(308);
  }
  decide_at(*target);
}

/// A slash at the end of a path makes no difference: it is answered as without it, for every method alike, as a
/// redirect would cost a second request and some clients do not repeat a body. Two exceptions: `DELETE` of a path whose
/// last part is missing must not be taken for one of all there is; and a page is moved to where it has no slash, for
/// the links in it are relative.
void connection::find_path(target_parts& target) {
  const auto& table = home_.shared.table;
  table.find(target.path, found_);
  const auto plain = without_last_slash(target.path);
  if (found_.found || plain == target.path)
    return;
  if (reader_.head().verb == method::del) {
    table.find(std::string{target.path} + "0", found_);
    if (std::exchange(found_.found, false) && found_.by_method[static_cast<std::size_t>(method::del)])
      return;
  }
  target.path = plain;
  table.find(plain, found_);
}

/// The route, where the path has one for the method.
void connection::choose_route() {
  const auto& head = reader_.head();
  entry_ = found_.found && head.verb ? found_.by_method[static_cast<std::size_t>(*head.verb)] : nullptr;
  if (!entry_)
    return;
  route_ = entry_->route;
  call_.route_ = route_;
  call_.only_reads_ = only_reads(*route_);
  metrics_ = entry_->metrics;
  cors_ = open_to_all_origins(*route_);
  if (route_->partners == partner_use::act)
    admission_.leads_to(*route_, call_.origin_allowed_);
  if (entry_->deprecated) {
    entry_->deprecated->clients.add(head.service_client);
    if (!route_->successor.empty())
      call_.add_header(found_.link_to_successor(*route_));
  }
}

void connection::decide_at(const target_parts& target) {
  const auto& head = reader_.head();
  if (!head.verb) {
    close_after_ = true;
    return call_.error(501, "NOT_IMPLEMENTED", "this method is not offered");
  }
  if (!entry_) {
    const auto allow = found_.allow();
    call_.extra_head_.append("Allow: ").append(allow).append("\r\n");
    return call_.error(405, "METHOD_NOT_ALLOWED", "this path takes " + allow);
  }
  run_route(target);
}

/// Takes a place for what the route writes. Without one it answers 503 before its credential
/// is looked at, and the connection pauses: who asks again at once does not take the time of those let in.
bool connection::may_write() {
  if (!route_ || route_->first != needs::writing || home_.shared.writes.admit(writing_, early_since_, phase_began_))
    return true;
  ops::the_metrics().http.writes_refused.add();
  pause_after_ = true;
  call_.fail(failure::overloaded);
  call_.retry_after_s_ += home_.longer_pause_seconds();
  return false;
}

/// A proxy's connections are everybody's: there, whose requests are under way is counted instead.
bool connection::take_place_of_client() {
  const auto whom = admission_.client();
  const auto& settings = home_.shared.with.settings;
  return whom == peer_address_
         || client_place_.take(home_.shared.per_address, whom, 1, settings.connections_per_address_max);
}

/// Counts the request; answers 429 when there have been too many of its caller's.
bool connection::count() {
  const bool reads = reader_.head().verb == method::get;
  const auto many = admission_.count(entry_ ? entry_->quota : reads ? bucket::read : bucket::write);
  note_key_use();
  if (!many)
    return true;
  turn_down(*many);
  return false;
}

/// False for a read with parameters that nobody knows, when it has answered so. `_` is what scripts add so that no
/// cache answers.
bool connection::knows_query_of_read() {
  std::vector<std::string> issues;
  for (const auto& [name, value] : call_.query_) {
    if (value.empty() || name == "_" || takes(*route_, name) || issues.size() == unknown_told_max)
      continue;
    const auto quoted = shown(name);
    auto issue = quoted.substr(1, quoted.size() - 2) + " is not known here";
    if (std::find(issues.begin(), issues.end(), issue) == issues.end())
      issues.push_back(std::move(issue));
  }
  if (issues.empty() || route_->any_media) // pages are the same for all
    return true;
  call_.refuse({refusal_code::invalid_input, issues.front(), issues});
  return false;
}

/// Leaves what the write acts by in the query. Somebody who only wants to try a write, and does not know how, or tries
/// one that cannot be tried, must not have it done: answers that, and false.
bool connection::keep_query_of_write() {
  auto& query = call_.query_;
  const auto is_no_order = [this](const auto& each) {
    if (!means_dry_run(each.first))
      return false;
    return each.first != "dryRun" || (each.second != "false" && (each.second != "true" || !route_->dry_runs));
  };
  const auto wrong = std::find_if(query.begin(), query.end(), is_no_order);
  if (wrong != query.end() || has_dry_run(call_.body_)) {
    call_.refuse({refusal_code::invalid_input,
                  (route_->dry_runs
                     ? "a request that is only to be tried has dryRun=true in its query, not "
                         + (wrong == query.end() ? "a member of its body" : shown(wrong->first + "=" + wrong->second))
                     : std::string{"dryRun is not offered here: this request can only be carried out"})
                    + "; nothing has been done"});
    return false;
  }
  std::erase_if(query, [this](const auto& each) { return !takes(*route_, each.first); });
  return true;
}

/// Takes the path, the query and the body apart; false when it has answered what is wrong with them.
bool connection::read_parts(const target_parts& target) {
  for (const auto& [name, value] : found_.parts) {
    auto decoded = percent_decode(value, false);
    if (!decoded) {
      call_.refuse(decoded.why());
      return false;
    }
    call_.path_parts_.emplace_back(name, *std::move(decoded));
  }
  if (!target.query.empty()) {
    auto query = decode_query(target.query);
    if (!query) {
      call_.refuse(query.why());
      return false;
    }
    call_.query_ = *std::move(query);
  }
  if (route_->verb != method::get) { // a GET's body has no meaning (RFC 9110, 9.3.1)
    call_.body_ = reader_.body();
    if (!call_.body_.empty() && !is_json(reader_.head().content_type)) {
      call_.error(415, "UNSUPPORTED_MEDIA_TYPE", "send the body as Content-Type: application/json");
      return false;
    }
  }
  return call_.only_reads_ ? knows_query_of_read() : keep_query_of_write();
}

void connection::run_route(const target_parts& target) {
  if (!read_parts(target))
    return;
  if (side_ == listener::admin)
    return run_for_operators();
  call_.asker_ = admission_.asks_as();
  auto verdict = admission_.admit(*route_, call_.origin_allowed_);
  if (!std::holds_alternative<admission::refused>(verdict)) {
    if (route_->first == needs::writing && paused())
      return;
    if (const auto why = closed_for(route_->first))
      return call_.fail(*why);
  }
  go_by(std::move(verdict));
}

void connection::go_by(admission::verdict verdict) {
  if (std::holds_alternative<admission::admitted>(verdict))
    return run_admitted();
  if (const auto* no = std::get_if<admission::refused>(&verdict)) {
    if (!no->challenge.empty())
      call_.add_header(no->challenge);
    return call_.refuse(no->why);
  }
  if (const auto* many = std::get_if<admission::too_many>(&verdict))
    return turn_down(*many);
  if (auto* owner = std::get_if<profile::check_credential>(&verdict))
    return call_.ask(
      call_.to().profiles, std::move(*owner),
      [this](call&, std::shared_ptr<profile::credential_slot>& slot) {
        go_by_answer(admission_.owner_said(std::move(slot)));
      },
      [this](call&, const refusal& why) { go_by_answer(admission_.owner_denied(why)); });
  call_.ask(call_.to().people, std::get<people::find_people>(std::move(verdict)),
            [this](call&, people::found_people& came) { go_by_answer(admission_.profile_found(came.people.front())); });
}

/// The answer to a question of admission has been passed on to it.
void connection::go_by_answer(admission::verdict verdict) {
  note_key_use();
  go_by(std::move(verdict));
}

void connection::turn_down(const admission::too_many& many) {
  call_.retry_after_s_ = many.retry_after_s;
  call_.error(429, "RATE_LIMITED", many.message);
}

/// Has it noted that a key was used.
void connection::note_key_use() {
  if (auto id = admission_.take_used_key())
    call_.tell(call_.to().key_usage, profile::key_used{*std::move(id)});
}

/// Who calls is known by now, and every way to a handler leads through here: whether they may,
/// and the handler, unless the request was answered before.
void connection::run_admitted() {
  if (side_ == listener::admin)
    return run_by_token();
  handled_ = true;
  call_.caller_ = admission_.caller();
  call_.asker_ = admission_.asks_as(); // whose credential has been looked up
  if (const auto why = admission_.forbidden())
    return call_.refuse(*why);
  if (call_.only_reads_)
    if (const auto weight = weight_of(call_.query_, call_.body_); weight > 1)
      if (const auto many = admission_.count_more(weight - 1))
        return turn_down(*many);
  if (route_->does == effect::audited)
    call_.carry(std::make_shared<const write_context>(admission_.origin()));
  if (route_->replay && call_.caller_ && reader_.head().idempotency_key_count > 0 && !runs_dry(*route_, call_.query_))
    return claim_key();
  run_within_day(call_);
}

/// A key is its caller's, and of a partner's page that partner's. What a partner did is told again as long as the
/// partner may act.
void connection::claim_key() {
  const auto who = call_.caller_->profile;
  auto whose = std::to_string(who.value);
  if (route_->partners == partner_use::act)
    whose.append(" ").append(reader_.head().origin);
  if (!route_->needs_grant)
    return claim_idempotency_key(call_, whose, who, &run_within_day, route_->replay);
  if (!call_.identity().partners.act) // which the handler refuses
    return route_->run(call_);
  call_.ask(call_.to().profiles, profile::check_partner{who, std::string{reader_.head().origin}},
            [this, whose, who](call&, const profile::partner_grant&) {
              claim_idempotency_key(call_, whose, who, &run_within_day, route_->replay);
            });
}

/// Whether an operator lets no writes in; then it has answered so.
bool connection::paused() {
  const auto pause = home_.shared.pause.now();
  if (!pause)
    return false;
  const auto rest = std::chrono::ceil<std::chrono::seconds>(pause->until - system_now()).count();
  call_.retry_after(static_cast<std::uint32_t>(std::max<std::int64_t>(rest, 1)));
  call_.error(503, "WRITES_PAUSED", "writes are paused until " + iso_text(pause->until) + ": " + pause->reason);
  return true;
}

/// Why the request cannot be taken right now, if so.
std::optional<failure> connection::closed_for(needs wanted) {
  auto& shared = home_.shared;
  if (wanted == needs::nothing)
    return std::nullopt;
  if (!shared.opened.load(std::memory_order_relaxed)) {
    if (shared.with.may_open && !shared.with.may_open())
      return failure::unavailable;
    shared.opened.store(true, std::memory_order_relaxed); // what has been read stays
  }
  const auto& storage = *shared.with.actors->storage;
  if (wanted == needs::writing && storage.clock.load(std::memory_order_relaxed) != clock_verdict::good)
    return failure::clock_wrong;
  if (wanted == needs::writing && !storage.writable.load(std::memory_order_relaxed))
    return failure::unavailable;
  if (storage.may_read())
    return std::nullopt;
  ops::the_metrics().http.not_owner.add();
  return failure::not_owner;
}

/// Whether the answer tells what is in memory or database, and may be out of date by now. That
/// something was written is true for ever.
bool connection::rests_on_data() const noexcept {
  if (!handled_ || route_->first == needs::nothing || call_.status_ >= 500)
    return false;
  const bool may_have_written = route_->verb != method::get && route_->does == effect::of_verb;
  return !may_have_written || call_.status_ >= 300;
}

} // namespace credence::http
