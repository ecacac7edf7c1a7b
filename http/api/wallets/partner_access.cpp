#include "actors/profile/profile_actor.hpp"
#include "auth/digest.hpp"
#include "http/api/replies.hpp"
#include "http/api/sessions/sessions.hpp"
#include "http/api/wallets/operations.hpp"
#include "http/call/identity.hpp"
#include "http/call/json_body.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/record_body.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace credence::http {

namespace {

struct page_part {
  std::string_view name, text;
};
/// The files of pages/: `head.html`, behind which comes `consent.html`, or `unknown.html` for whoever comes from a page
/// that is no partner's: there is nothing to decide.
constexpr page_part page_parts[]{
#include "partner_pages.inc"
};

std::string_view page_part_named(std::string_view name) {
  return std::find_if(std::begin(page_parts), std::end(page_parts),
                      [name](const auto& each) { return each.name == name; })
    ->text;
}

void put(std::string& into, std::string_view name, std::string_view value) {
  for (auto at = into.find(name); at != into.npos; at = into.find(name, at + value.size()))
    into.replace(at, name.size(), value);
}

} // namespace

/// The page where a user signs in, and lets the pages of the partner at `origin` act. The query may hold a `state`,
/// which the page's script alone reads. `nonce` is that of the Content-Security-Policy that goes with it.
static std::string consent_page(std::string_view nonce, std::string_view origin, const identity& of) {
  const bool known = of.partners.lists(origin);
  auto out = std::string{page_part_named("head.html")}.append(page_part_named(known ? "consent.html" : "unknown.html"));
  put(out, "{nonce}", nonce);
  if (known) {
    put(out, "{origin}", origin);
    put(out, "{chain}", std::to_string(of.for_login.chain_id));
    put(out, "{statement}", sign_in_statement);
  }
  return out;
}

static void encode_members(json_writer& to, const profile::partner_grant& grant) {
  to.field("origin", grant.origin);
  to.field("enabled", grant.enabled);
  to.field("changedAt", grant.changed_at);
}

namespace {

using profile::partner_grant;

constexpr std::chrono::seconds code_lifetime{60};
constexpr std::size_t code_bytes = 32;

// -- the switch ----------------------------------------------------------------------------------

void reply_grant(call& c, const partner_grant& grant) { reply_with(c, grant); }

/// `origins` are those that a user may let in at all.
void reply_grants(call& c, const std::vector<partner_grant>& grants) {
  reply_object(c, [&](json_writer& to) {
    to.field("profileId", c.caller()->profile);
    to.array("origins", c.identity().partners.origins, [&](const auto& each) { to.value(each); });
    to.array("values", grants, [&](const auto& each) { encode(to, each); });
  });
}

refusal not_listed(std::string_view origin) {
  return {refusal_code::invalid_input,
          "origin must be one of wallets.partner_origins, such as https://partner.example, not " + shown(origin)};
}

std::string read_origin(const call& c, json_body& body) {
  const auto origin = body.text("origin");
  if (!origin && body.good())
    body.issue("origin is required: that of a partner's pages, such as https://partner.example");
  if (origin && !c.identity().partners.lists(*origin))
    body.issue(not_listed(*origin).detail);
  return std::string{origin.value_or("")};
}

profile::switch_partner read_switch(call& c) {
  auto& body = c.json();
  return {c.caller()->profile, read_origin(c, body), body.boolean("enabled").value_or(true), read_dry_run(c.given())};
}

/// A partner that is listed no more may still be switched off, and looked at.
std::string read_origin(parameters& given) {
  return std::string{
    given.required("origin", "(that of a partner's pages)", [&] { return given.text("origin"); }).value_or("")};
}

// -- codes ---------------------------------------------------------------------------------------

/// The profile whose code it is, which stands before the point; 0 for what is no code of ours.
profile_id owner_of_code(std::string_view code) {
  const auto number = parse_integer(code.substr(0, code.find('.')));
  const bool good = number && *number >= 1 && *number <= limits::id_max && code.size() <= 100;
  return good ? profile_id{static_cast<std::int32_t>(*number)} : profile_id{};
}

/// The token that stands for the session where a browser keeps no cookies of other sites.
void reply_partner_token(call& c, const profile::credential_slot& session) {
  const auto until = std::min(c.now() + c.identity().access_lifetime, session.expires_at());
  c.no_store();
  reply_object(c, [&](json_writer& to) {
    to.field("accessToken", session_token(c, auth::token_kind::partner, session.owner(), session.id(), until));
    to.field("expiresAt", timestamp{std::chrono::floor<std::chrono::seconds>(until)});
    to.field("profileId", session.owner());
  });
}

} // namespace

namespace v2 {

void list_partners(call& c) { c.ask(c.to().profiles, profile::list_partners{c.caller()->profile}, &reply_grants); }

void switch_partner(call& c) { c.ask(c.to().profiles, read_switch(c), &reply_grant); }

void remove_partner(call& c) {
  profile::switch_partner question{c.caller()->profile, read_origin(c.given()), false, read_dry_run(c.given())};
  c.ask(c.to().profiles, std::move(question), &reply_grant);
}

void replay_switch_partner(call& c, const idempotency::found_record& done) {
  c.ask(c.to().profiles, profile::list_partners{c.caller()->profile},
        [origin = done.effect](call& later, const std::vector<partner_grant>& grants) {
          for (const auto& each : grants)
            if (each.origin == origin)
              return reply_grant(later, each);
          later.refuse({refusal_code::not_found, "nothing is known of that partner"});
        });
}

void list_partner_actions(call& c) {
  auto origin = read_origin(c.given());
  const auto slice = read_page(c.given());
  profile::list_partner_acts question{c.caller()->profile, std::move(origin), slice};
  c.ask(c.to().profiles, std::move(question), [slice](call& later, const std::vector<profile::partner_act>& acts) {
    reply_object(later, [&](json_writer& to) {
      to.objects("values", acts, [&](const auto& each) {
        to.field("action", each.act);
        to.field("at", each.at);
        to.field("detail", each.detail);
        to.field("subject", each.subject);
      });
      to.field("limit", slice.limit);
      to.field("offset", slice.offset);
    });
  });
}

void get_partner_sign_in(call& c) {
  const auto nonce = auth::random_hex(16);
  c.out() = consent_page(nonce, parameters{c.query()}.text("origin").value_or(""), c.identity());
  c.add_header("Content-Security-Policy: default-src 'none'; connect-src 'self'; style-src 'nonce-" + nonce
               + "'; script-src 'nonce-" + nonce + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  c.add_header("X-Frame-Options: DENY");
  c.add_header("Referrer-Policy: no-referrer");
  c.no_store();
  c.reply_page();
}

void create_partner_code(call& c) {
  const auto origin = read_origin(c, c.json());
  auto code = std::to_string(c.caller()->profile.value) + "." + auth::random_hex(code_bytes);
  profile::make_partner_code question{c.caller()->profile, {auth::sha256(code), origin, c.now() + code_lifetime}};
  c.ask(c.to().profiles, std::move(question), [code = std::move(code)](call& later, const profile::partner_code& made) {
    later.drop_context();
    reply_object(later, [&](json_writer& to) {
      to.field("code", code);
      to.field("expiresAt", made.expires_at);
    });
  });
}

void replay_create_partner_code(call& c, const idempotency::found_record&) {
  c.refuse({refusal_code::answer_not_kept,
            "this request was answered with a code, which is told once and not kept: ask for another"});
}

void create_partner_token(call& c) {
  auto& body = c.json();
  const auto code = body.text("code");
  if (!code && body.good())
    body.issue("code is required: the one that the sign-in page has handed over");
  const auto owner = owner_of_code(code.value_or(""));
  if (!owner)
    return c.refuse({refusal_code::code_not_valid, "the code is none of this service's"});
  profile::open_session question;
  question.code = auth::sha256(*code);
  open_session(c, std::move(question), partner_kit(c), owner, &reply_partner_token);
}

} // namespace v2

} // namespace credence::http
