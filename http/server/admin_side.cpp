// Requests to the admin listener: who calls, whether they may, and the pages of the console.
#include "http/server/connection.hpp"

#include "actors/console/admin_database.hpp"
#include "actors/domain/hash.hpp"
#include "http/call/idempotency.hpp"
#include "http/call/identity.hpp"
#include "http/call/parameters.hpp"
#include "http/server/operator_side.hpp"

#include <utility>

namespace credence::http {

namespace {

constexpr std::string_view api_prefix = "/admin/api/";
constexpr std::string_view public_prefix = "/api/v2/";

} // namespace

void connection::decide_admin(const target_parts& target) {
  if (target.path.starts_with(public_prefix))
    return decide_public(target);
  if (!target.path.starts_with(api_prefix))
    return console_page(target.path);
  call_.no_store();
  home_.shared.admin_table.find(target.path, found_);
  if (!found_.found)
    return call_.error(404, "NOT_FOUND", "there is nothing at " + shown(target.path));
  choose_route();
  if (route_ && !origin_may_use_route())
    return call_.error(
      403, "ORIGIN_NOT_ALLOWED",
      "pages of this origin change and watch nothing here; those of the console's own and of http.admin_origins do");
  decide_at(target);
}

/// What anybody may read over the API, whoever may look at the console reads here as well, so that its page needs no
/// other origin. It is answered as to somebody without a credential, and counts as no request of the public listener.
void connection::decide_public(const target_parts& target) {
  call_.no_store();
  home_.shared.table.find(target.path, found_);
  choose_route();
  metrics_ = &home_.shared.console_reads;
  if (!route_ || !open_to_all_origins(*route_))
    return call_.error(404, "NOT_FOUND",
                       "the console's listener answers open reads of the API, which " + shown(target.path) + " is not");
  if (!origin_may_use_route())
    return call_.error(403, "ORIGIN_NOT_ALLOWED", "pages of this origin ask the public listener");
  cors_ = false;
  decide_at(target);
}

/// Who may call the route.
admin::role connection::role_needed() const {
  return route_->path.starts_with(public_prefix) ? admin::role::viewer : route_->least;
}

/// What changes anything, and the event stream, is not for pages of other origins, whatever they prove: browsers say
/// where a page is from, and a proxy may have made a credential of its own of what others sent. Who sends no Origin is
/// no page.
bool connection::origin_may_use_route() const {
  const auto& head = reader_.head();
  const bool guarded = route_->verb != method::get || route_->streams;
  return !guarded || head.origin_count == 0 || home_.operators()->lets_change(head.origin, head.host);
}

/// The request leads to a route and has been taken apart. A bearer token counts before a cookie.
void connection::run_for_operators() {
  if (!call_.only_reads_ && !route_->replay && reader_.head().idempotency_key_count > 0)
    return call_.refuse({refusal_code::invalid_input,
                         "Idempotency-Key is not offered here: sent again, this request may be carried out again; "
                         "nothing has been done"});
  call_.asker_ = {asker_rank::console, keyed_hash_of(admission_.client().of_one_client())};
  if (role_needed() == admin::role::none) {
    if (const auto many = admission_.count(bucket::wallet)) // by address: what others do keeps nobody from signing in
      return turn_down(*many);
    handled_ = true;
    if (route_->does == effect::audited)
      call_.carry(std::make_shared<const write_context>(admission_.origin()));
    return route_->run(call_);
  }
  if (reader_.head().authorization_count > 0) {
    if (const auto many = admission_.count(bucket::admin))
      return turn_down(*many);
    return go_by(admission_.admit(*route_, false));
  }
  if (home_.operators()->knows_ended() || !call_.to().admin_database)
    return go_on_with_session();
  struct otherwise { // the database is away, and tells later
    connection* here;
    void operator()(call&, const refusal&) const { here->go_on_with_session(); }
    void operator()(call&, failure) const { here->go_on_with_session(); }
  };
  call_.ask(
    call_.to().admin_database, console::load_ended{},
    [this](call& c, std::vector<std::string>& ended) {
      home_.operators()->know_ended(ended, c.now());
      go_on_with_session();
    },
    otherwise{this});
}

void connection::go_on_with_session() {
  auto& operators = *home_.operators();
  auto found = operators.find_session(reader_.head().cookie, call_.now());
  if (!found) { // after the look: whoever else tries from there keeps nobody out who has signed in
    if (const auto many = admission_.count_refused_session())
      return turn_down(*many);
    return call_.refuse(found.why());
  }
  found->from = text_of(admission_.client());
  if (operators.has_to_look_at_wallet(*found, call_.now()))
    return operators.look_at_wallet(call_, *found, [this, who = *found] { run_with_session(who); });
  run_with_session(*std::move(found));
}

void connection::run_with_session(admin::caller who) {
  auto& operators = *home_.operators();
  const auto& head = reader_.head();
  if (const auto many = admission_.count_person(route_->verb == method::get ? bucket::read : bucket::write, who.name))
    return turn_down(*many);
  const bool proven = head.csrf_token_count == 1 && operators.is_csrf_token_of(who.session, head.csrf_token);
  if (route_->verb != method::get && !proven)
    return call_.refuse({refusal_code::forbidden, "X-CSRF-Token must be csrfToken of GET /admin/api/v1/session"});
  const bool only_listens = route_->streams; // a page that is left open reconnects for ever
  if (auto renewed = only_listens ? std::nullopt : operators.renewed(who, call_.now())) {
    call_.add_header(renewed->second);
    who = std::move(renewed->first);
  }
  request_origin from{who.profile, credential_of_session(who.session, who), call_.request_id_, who.from};
  run_operated(std::move(who), std::make_shared<const request_origin>(std::move(from)));
}

/// An access token has been found good. That an admin's lives hours has been seen to, too.
void connection::run_by_token() {
  const auto& who = *admission_.caller();
  if (who.by != credential_kind::access_token)
    return call_.refuse({refusal_code::unauthenticated,
                         "here only an access token, or the session of somebody who signed in at the console, counts"});
  const auto given = home_.operators()->role_of(who.profile, who.admin_by_token());
  if (given == admin::role::admin && !who.admin_by_token())
    return call_.refuse({refusal_code::forbidden, "an admin's access token must live 24 hours at most"});
  admin::caller by;
  by.may = given;
  by.name = "profile " + std::to_string(who.profile.value);
  by.profile = who.profile;
  by.signed_in_at = who.issued_at;
  if (who.credential)
    by.ends_at = who.credential->expires_at();
  run_operated(std::move(by), admission_.origin());
}

void connection::run_operated(admin::caller who, std::shared_ptr<const request_origin> from) {
  handled_ = true;
  if (who.may < role_needed())
    return call_.refuse(
      {refusal_code::forbidden,
       "this needs the role " + std::string{admin::name_of(role_needed())} + "; " + who.name
         + (who.may == admin::role::none ? " has none" : " is " + std::string{admin::name_of(who.may)})});
  call_.operated_by_ = std::move(who);
  if (const auto why = route_->path.starts_with(public_prefix) ? closed_for(route_->first) : std::nullopt)
    return call_.fail(*why);
  call_.asker_ = {asker_rank::console, keyed_hash_of(call_.operated_by_->name)};
  if (route_->does == effect::audited)
    call_.carry(std::make_shared<const write_context>(std::move(from)));
  if (route_->replay)
    return claim_idempotency_key(call_, "console " + call_.operated_by_->name, std::nullopt, route_->run,
                                 route_->replay);
  route_->run(call_);
}

/// Tells the operators' side of a change that has been made.
void connection::tell_act() {
  constexpr std::string_view below = "/admin/api/v1/";
  if (!route_ || !call_.operated_by_ || call_.only_reads_ || route_->least <= admin::role::viewer || call_.status_ < 200
      || call_.status_ >= 300 || runs_dry(*route_, call_.query_))
    return;
  auto what = reader_.head().target;
  what = what.substr(0, what.find('?'));
  if (what.starts_with(below))
    what.remove_prefix(below.size());
  home_.operators()->acted(*call_.operated_by_, reader_.head().method_name, what);
}

/// What keeps a page of another site from using this one, and this one from loading anything from elsewhere (OWASP,
/// clickjacking, CSP).
void connection::append_guards() {
  if (side_ != listener::admin)
    return;
  head_.append(
    "X-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\nPermissions-Policy: camera=(), geolocation=(), microphone=()\r\n"
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src "
    "'self'; "
    "connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'\r\n");
}

void connection::console_page(std::string_view path) {
  if (reader_.head().verb != method::get) {
    call_.add_header("Allow: GET, HEAD");
    return call_.error(405, "METHOD_NOT_ALLOWED", "this path takes GET, HEAD");
  }
  auto page = home_.operators()->page_at(path, reader_.head());
  call_.extra_head_.append(page.headers);
  call_.out() = std::move(page.body);
  call_.reply_as(page.type, page.status);
}

} // namespace credence::http
