#include "actors/people/people_actor.hpp"
#include "http/api/people/operations.hpp"
#include "http/api/people/people_json.hpp"
#include "http/api/people/questions.hpp"
#include "http/api/people/search.hpp"
#include "http/call/userkey.hpp"

#include <utility>
#include <vector>

namespace credence::http::v2 {

namespace {

using people::account_service;
using people::lookup_key;
using form = lookup_key::form;

/// Writer of an answer that holds users.
template <class Write>
void reply_with_people(call& c, Write write) {
  c.cards().begin(user_cards::pass::first, c.now());
  json_writer to{c.out()};
  write(to, c.cards());
  c.reply();
}

// -- bundles ----------------------------------------------------------------------------

void on_bundle(call& c, people::bundle_of& came) {
  reply_with_people(c, [&](json_writer& to, user_cards& users) {
    if (came.found)
      encode(to, *came.found, users);
    else
      to.null();
  });
}

void get_bundle(call& c, const outcome<lookup_key>& key) {
  if (!key)
    return c.refuse(key.why());
  c.ask(c.to().people, people::get_bundle{*key}, &on_bundle);
}

// -- one user ---------------------------------------------------------------------------

void on_user(call& c, people::people_by_key& came) {
  const auto& who = came.users.front();
  if (!who)
    return c.refuse({refusal_code::not_found, "there is no such user"});
  reply_with_people(c, [&](json_writer& to, user_cards& users) { users.write(to, *who); });
}

void get_one(call& c, const outcome<lookup_key>& key) {
  if (!key)
    return c.refuse(key.why());
  c.ask(c.to().people, people::get_people{{*key}}, &on_user);
}

void get_by_number(call& c, std::string_view name, form how) {
  parameters given{c.query()};
  const auto id = given.path_id<user_id>(name, c.path_part(name));
  if (!given.good())
    return c.refuse(given.why());
  get_one(c, lookup_key{.how = how, .number = id.value});
}

outcome<lookup_key> parse_discord(std::string_view id) { return parse_account(account_service::discord, id); }
outcome<lookup_key> parse_farcaster(std::string_view id) { return parse_account(account_service::farcaster, id); }
outcome<lookup_key> parse_telegram(std::string_view id) { return parse_account(account_service::telegram, id); }

void get_by_account(call& c, account_service service) { get_one(c, parse_account(service, c.path_part("id"))); }

// -- many users -------------------------------------------------------------------------

void on_users(call& c, people::people_by_key& came) {
  reply_with_people(c, [&](json_writer& to, user_cards& users) { encode(to, came.users, users); });
}

/// Asks for those whom `read` reads from the body.
template <class Read>
void post_many(call& c, Read read) {
  parameters given{c.query()};
  auto keys = read(given);
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().people, people::get_people{std::move(keys)}, &on_users);
}

void post_by_text(call& c, std::string_view name, key_parser parse, std::string_view other_name = {}) {
  post_many(c, [&](parameters& given) { return read_keys(given, c.body(), name, parse, other_name).keys; });
}

void post_by_number(call& c, std::string_view name, form how) {
  post_many(c, [&](parameters& given) { return read_ids(given, c.body(), name, how); });
}

} // namespace

void get_person(call& c) { get_bundle(c, parse_userkey(c.path_part("userkey"))); }
void get_person_by_embedded_wallet(call& c) { get_bundle(c, parse_embedded_wallet(c.path_part("address"))); }

void get_user(call& c) { get_by_number(c, "userId", form::user); }
void get_user_by_profile_id(call& c) { get_by_number(c, "profileId", form::profile); }
void get_user_by_address(call& c) { get_one(c, parse_address_key(c.path_part("address"))); }
void get_user_by_x(call& c) { get_one(c, parse_x_account(c.path_part("accountIdOrUsername"))); }
void get_user_by_username(call& c) { get_one(c, parse_username(c.path_part("username"))); }
void get_user_by_discord(call& c) { get_by_account(c, account_service::discord); }
void get_user_by_telegram(call& c) { get_by_account(c, account_service::telegram); }
void get_user_by_farcaster(call& c) { get_by_account(c, account_service::farcaster); }
void get_user_by_managed_wallet(call& c) { get_one(c, parse_embedded_wallet(c.path_part("address"))); }

void look_up_users_by_address(call& c) { post_by_text(c, "addresses", &parse_address_key); }
void look_up_users_by_x(call& c) { post_by_text(c, "accountIdsOrUsernames", &parse_x_account, "accountIdOrUsernames"); }
void look_up_users_by_profile_id(call& c) { post_by_number(c, "profileIds", form::profile); }
void look_up_users_by_id(call& c) { post_by_number(c, "userIds", form::user); }

void look_up_users_by_discord(call& c) { post_by_text(c, "discordIds", &parse_discord); }
void look_up_users_by_farcaster(call& c) { post_by_text(c, "farcasterIds", &parse_farcaster); }
void look_up_users_by_telegram(call& c) { post_by_text(c, "telegramIds", &parse_telegram); }

void search_users(call& c) {
  search_users(c, [](call& later, people::people_page& found, page slice) {
    reply_with_people(later, [&](json_writer& to, user_cards& users) { encode(to, found, slice, users); });
  });
}

} // namespace credence::http::v2
