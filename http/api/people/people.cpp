#include "http/api/people/people.hpp"

#include "actors/domain/hash.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/people/people_index.hpp"
#include "actors/reputation/record_actor.hpp"
#include "auth/address.hpp"
#include "http/api/people/operations.hpp"
#include "http/api/people/questions.hpp"
#include "http/api/people/user_cards.hpp"
#include "http/api/replies.hpp"
#include "http/call/json_body.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/record_body.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace credence::http {

namespace {

constexpr std::array<std::string_view, 3> verifier_names{"verifier", "unqualified", "blocked"};

void encode_user(json_writer& to, const people::user_ptr& who, user_cards& users) {
  if (who)
    users.write(to, *who);
  else
    to.null();
}

/// The first address of a kind, as a member of the open object; left out when there is none.
void encode_first(json_writer& to, json_name name, people::address_kind kind,
                  const std::vector<people::owned_address>& of) {
  const auto found = std::find_if(of.begin(), of.end(), [=](const auto& each) { return each.kind == kind; });
  if (found != of.end())
    to.field(name, auth::checksummed_text(found->address));
}

void encode_addresses(json_writer& to, json_name name, const std::vector<people::owned_address>& addresses) {
  to.object(name, [&] {
    to.array("addresses", addresses, [&](const auto& each) { to.value(auth::checksummed_text(each.address)); });
    encode_first(to, "primaryAddress", people::address_kind::primary, addresses);
    const auto wallet = std::find_if(addresses.begin(), addresses.end(), [](const auto& each) { return each.managed; });
    if (wallet != addresses.end())
      to.field("embeddedWallet", auth::checksummed_text(wallet->address));
    else
      encode_first(to, "embeddedWallet", people::address_kind::embedded, addresses);
    encode_first(to, "smartWallet", people::address_kind::smart, addresses);
  });
}

void encode_attestation(json_writer& to, const people::attestation& attestation) {
  to.field("id", attestation.id);
  to.field("hash", hex_text(attestation.hash));
  to.field("archived", attestation.archived);
  to.field("profileId", attestation.profile);
  to.field("service", people::name_of(attestation.service));
  to.field("account", attestation.account);
  to.field("createdAt", unix_seconds(attestation.created_at));
  to.object("extra", [&] {
    to.field("username", attestation.username);
    to.field("url", attestation.url);
  });
}

void encode_verifier(json_writer& to, const people::user_bundle& bundle) {
  const auto status = people::verifier_qualification_of(*bundle.user, bundle.verifier_blocked);
  to.field("isValidator", bundle.user->validator_nft_count > 0);
  to.field("validatorAcquiredAt", bundle.validator_since);
  to.field("verifierStatus", verifier_names[static_cast<std::size_t>(status.status)]);
  to.object("verifierRequirements", [&] {
    to.field("isHumanVerified", status.human_verified);
    to.field("meetsScoreThreshold", status.meets_score);
  });
}

void encode_usernames(json_writer& to, const std::vector<people::x_username>& usernames) {
  to.objects(usernames, [&](const auto& each) {
    to.field("username", each.username);
    to.field("changeObservedAt", each.change_observed_at);
  });
}

} // namespace

void encode_members(json_writer& to, const people::profile_record& record) {
  to.field("id", record.id);
  to.field("archived", record.archived);
  to.field("createdAt", unix_seconds(record.created_at));
  to.field("updatedAt", unix_seconds(record.updated_at));
  to.field("invitesAvailable", record.invites_available);
  to.field("invitedBy", record.invited_by.value_or(profile_id{})); // 0: nobody
}

void encode_score(json_writer& to, std::int32_t score) {
  to.object([&] {
    to.field("score", score);
    to.field("level", people::level_names[static_cast<std::size_t>(people::level_of(score))]);
  });
}

void encode_members(json_writer& to, const people::user_bundle& bundle, user_cards& users) {
  to.key("user");
  encode_user(to, bundle.user, users);
  to.field("profile", bundle.profile);
  to.key("inviterUser");
  encode_user(to, bundle.inviter, users);
  encode_addresses(to, "allAddresses", bundle.addresses);
  to.objects("attestations", bundle.attestations, [&](const auto& each) { encode_attestation(to, each); });
  encode_verifier(to, bundle);
  to.key("xUsernameHistory");
  encode_usernames(to, bundle.x_usernames);
}

void encode(json_writer& to, const std::vector<people::user_ptr>& who, user_cards& users) {
  std::unordered_set<user_id> written;
  to.array(who, [&](const auto& each) {
    if (each && written.insert(each->id).second)
      users.write(to, *each);
  });
}

void encode_members(json_writer& to, const people::people_page& found, page slice, user_cards& users) {
  to.key("values");
  encode(to, found.users, users);
  encode_slice(to, found.total, slice);
}

namespace v2 {

namespace {

using people::account_service;
using people::lookup_key;
using form = lookup_key::form;

// -- bundles ----------------------------------------------------------------------------

void on_bundle(call& c, people::bundle_of& came) {
  reply_by_cards(c, [&](json_writer& to, user_cards& users) {
    if (came.found)
      encode(to, *came.found, users);
    else
      to.null();
  });
}

void get_bundle(call& c, const outcome<lookup_key>& key) {
  c.ask(c.to().people, people::get_bundle{c.value_of(key)}, &on_bundle);
}

// -- one user ---------------------------------------------------------------------------

void on_user(call& c, people::people_by_key& came) {
  const auto& who = came.users.front();
  if (!who)
    return c.refuse({refusal_code::not_found, "there is no such user"});
  reply_by_cards(c, [&](json_writer& to, user_cards& users) { users.write(to, *who); });
}

void get_one(call& c, const outcome<lookup_key>& key) {
  c.ask(c.to().people, people::get_people{{c.value_of(key)}}, &on_user);
}

void get_by_number(call& c, std::string_view name, form how) {
  const auto id = c.given().path_id<user_id>(name, c.path_part(name));
  get_one(c, lookup_key{.how = how, .number = id.value});
}

outcome<lookup_key> parse_discord(std::string_view id) { return parse_account(account_service::discord, id); }
outcome<lookup_key> parse_farcaster(std::string_view id) { return parse_account(account_service::farcaster, id); }
outcome<lookup_key> parse_telegram(std::string_view id) { return parse_account(account_service::telegram, id); }

void get_by_account(call& c, account_service service) { get_one(c, parse_account(service, c.path_part("id"))); }

// -- many users -------------------------------------------------------------------------

void on_users(call& c, people::people_by_key& came) {
  reply_by_cards(c, [&](json_writer& to, user_cards& users) { encode(to, came.users, users); });
}

/// Asks for those whom `read` reads from the body.
template <class Read>
void post_many(call& c, Read read) {
  auto keys = read(c.given());
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
    reply_by_cards(later, [&](json_writer& to, user_cards& users) { encode(to, found, slice, users); });
  });
}

namespace {

using people::found_person;
using people::lookup_key;
using status = people::people_index::status;

/// Scores that were asked for and whom the keys lead to, as far as that is known.
struct wanted_scores {
  named_keys keys;
  std::vector<found_person> found;
  std::vector<std::size_t> missing; // places in `keys`
};

/// Whom a key leads to, without asking anybody. A profile's id leads to itself.
std::optional<found_person> at_hand(const call& c, const lookup_key& key) {
  if (key.how == lookup_key::form::profile) {
    const profile_id profile{key.number};
    if (c.to().people_known->status_of(profile) != status::unknown)
      return found_person{{}, profile, 0, 0};
  }
  const auto* known = c.keys().find(key, c.started());
  return known ? std::optional{*known} : std::nullopt;
}

/// A profile's score is what memory says, which follows the database by itself.
std::int32_t score_of(const call& c, const found_person& who) {
  if (who.profile && c.to().people_known->status_of(*who.profile) != status::unknown)
    return c.to().people_known->score_of(*who.profile);
  return who ? who.score : people::neutral_score;
}

void reply_score(call& c, const found_person& who) {
  json_writer to{c.out()};
  encode_score(to, score_of(c, who));
  c.reply();
}

void get_score_of(call& c, lookup_key key) {
  if (const auto known = at_hand(c, key))
    return reply_score(c, *known);
  people::find_people question{{key}};
  c.ask(c.to().people, std::move(question), [key = std::move(key)](call& later, people::found_people& came) {
    later.keys().take(key, came.people.front(), later.started());
    reply_score(later, came.people.front());
  });
}

/// `triggerCalculation` makes no difference: a score is worked out as soon as anything that it rests on changes.
void get_score(call& c, std::string_view name, key_parser parse) {
  auto key = read_key(c.given(), name, parse);
  c.given().flag("triggerCalculation");
  get_score_of(c, std::move(key));
}

void reply_scores(call& c, const wanted_scores& wanted) {
  reply_object(c, [&](json_writer& to) {
    for (std::size_t i = 0; i < wanted.keys.texts.size(); ++i) {
      to.text_key(wanted.keys.texts[i]);
      encode_score(to, score_of(c, wanted.found[i]));
    }
  });
}

void reply_with_found(call& c, wanted_scores& wanted, const people::found_people& came) {
  for (std::size_t i = 0; i < wanted.missing.size(); ++i) {
    const auto place = wanted.missing[i];
    wanted.found[place] = came.people[i];
    c.keys().take(wanted.keys.keys[place], came.people[i], c.started());
  }
  reply_scores(c, wanted);
}

/// The same text twice would be the same member twice.
void drop_repeats(named_keys& from) {
  std::unordered_set<std::string_view, keyed_hash> seen;
  named_keys out;
  for (std::size_t i = 0; i < from.texts.size(); ++i)
    if (seen.insert(from.texts[i]).second) {
      out.texts.push_back(from.texts[i]);
      out.keys.push_back(std::move(from.keys[i]));
    }
  from = std::move(out);
}

people::find_people look_up(const call& c, wanted_scores& wanted) {
  people::find_people question;
  wanted.found.resize(wanted.keys.keys.size());
  for (std::size_t i = 0; i < wanted.keys.keys.size(); ++i) {
    const auto& key = wanted.keys.keys[i];
    if (const auto known = at_hand(c, key)) {
      wanted.found[i] = *known;
      continue;
    }
    wanted.missing.push_back(i);
    question.keys.push_back(key);
  }
  return question;
}

void post_scores_of(call& c, named_keys keys) {
  wanted_scores wanted{std::move(keys), {}, {}};
  drop_repeats(wanted.keys);
  auto question = look_up(c, wanted);
  if (question.keys.empty())
    return reply_scores(c, wanted);
  c.ask(c.to().people, std::move(question),
        [wanted = std::move(wanted)](call& later, people::found_people& came) mutable {
          reply_with_found(later, wanted, came);
        });
}

void post_scores(call& c, std::string_view name, key_parser parse) {
  auto keys = read_keys(c.given(), c.body(), name, parse);
  post_scores_of(c, std::move(keys));
}

void on_xp(call& c, people::found_people& came) {
  json_writer{c.out()}.value(came.people.front().xp_total);
  c.reply();
}

} // namespace

void get_score_of_address(call& c) { get_score(c, "address", &parse_address_key); }
void get_score_of_userkey(call& c) { get_score(c, "userkey", &parse_userkey); }
void get_score_of_user(call& c) {
  const auto user = c.given().required("userId", "", [&] { return c.given().id<user_id>("userId"); });
  get_score_of(c, {.how = lookup_key::form::user, .number = user.value_or(user_id{}).value});
}

void look_up_scores_of_users(call& c) {
  named_keys wanted;
  wanted.keys = read_ids(c.given(), c.body(), "userIds", lookup_key::form::user);
  for (const auto& key : wanted.keys)
    wanted.texts.push_back(std::to_string(key.number));
  post_scores_of(c, std::move(wanted));
}

void look_up_scores_of_addresses(call& c) { post_scores(c, "addresses", &parse_address_key); }
void look_up_scores_of_userkeys(call& c) { post_scores(c, "userkeys", &parse_userkey); }

void get_xp_of_userkey(call& c) {
  c.ask(c.to().people, people::find_people{{c.value_of(parse_userkey(c.path_part("userkey")))}}, &on_xp);
}

namespace {

using reputation::named_accounts;

/// Names at farcaster: 1 to 100 characters without blanks, such as `alice` and `alice.eth`.
bool may_be_name(std::string_view text) {
  const auto length = characters(text);
  return length >= 1 && length <= limits::username_length_max && text.find_first_of(" \t\r\n") == text.npos;
}

void reply_named(call& c, named_accounts& found) {
  if (!found.found.front())
    return c.refuse({refusal_code::not_found, "there is no such user"});
  reply_by_cards(
    c, [&](json_writer& to, user_cards& cards) { encode_named(to, cards, found.users, found.found.front()); });
}

void reply_many(call& c, named_accounts& found, const std::vector<std::string>& names,
                const std::vector<std::string>& wrong) {
  reply_by_cards(c, [&](json_writer& to, user_cards& cards) {
    to.begin_object();
    to.array("users", [&] {
      for (std::size_t i = 0; i < names.size(); ++i)
        if (found.found[i]) {
          to.begin_object();
          encode_named(to, "user", cards, found.users, found.found[i]);
          to.field("username", names[i]);
          to.end_object();
        }
    });
    to.array("notFoundUsernames", [&] {
      for (std::size_t i = 0; i < names.size(); ++i)
        if (!found.found[i])
          to.value(names[i]);
    });
    to.array("errorUsernames", wrong, [&](const auto& each) { to.value(each); });
    to.end_object();
  });
}

} // namespace

void get_user_by_farcaster_username(call& c) {
  const auto name = c.path_part("username");
  if (!may_be_name(name))
    return c.refuse({refusal_code::invalid_input, "username must have 1 to "
                                                    + std::to_string(limits::username_length_max)
                                                    + " characters without blanks, not " + shown(name)});
  c.ask(c.to().records, reputation::find_farcaster_names{{std::string{name}}}, &reply_named);
}

void look_up_users_by_farcaster_username(call& c) {
  auto& body = c.json_question();
  const auto given = body.texts("farcasterUsernames", limits::bulk_names_max);
  if (!given && body.good())
    body.issue("farcasterUsernames is required: a list of at most " + std::to_string(limits::bulk_names_max)
               + " strings");
  body.refuse_others();
  reputation::find_farcaster_names question;
  std::vector<std::string> wrong;
  for (const auto each : given.value_or(std::vector<std::string_view>{}))
    (may_be_name(each) ? question.names : wrong).emplace_back(each);
  auto names = question.names;
  c.ask(c.to().records, std::move(question),
        [names = std::move(names), wrong = std::move(wrong)](call& later, named_accounts& found) {
          reply_many(later, found, names, wrong);
        });
}

void get_addresses(call& c) {
  auto key = c.value_of(parse_userkey(c.path_part("userkey")));
  c.ask(c.to().people, people::get_bundle{std::move(key)}, [](call& later, people::bundle_of& came) {
    if (!came.found)
      return later.refuse({refusal_code::not_found, "no user matches userkey"});
    const auto& all = came.found->addresses;
    const auto primary =
      std::find_if(all.begin(), all.end(), [](const auto& each) { return each.kind == people::address_kind::primary; });
    reply_data_object(later, [&](json_writer& to) {
      to.field("primaryAddress",
               primary == all.end() ? std::nullopt : std::optional{auth::checksummed_text(primary->address)});
      to.array("allAddresses", all, [&](const auto& each) { to.value(auth::checksummed_text(each.address)); });
    });
  });
}

} // namespace v2

} // namespace credence::http
