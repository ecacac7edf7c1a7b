#include "http/api/people/people.hpp"
#include "actors/console/admin_database.hpp"
#include "actors/funds/funds_actor.hpp"
#include "actors/oversight/oversight_storage.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/profile/profile_actor.hpp"
#include "actors/reputation/record_actor.hpp"
#include "auth/address.hpp"
#include "config/limits.hpp"
#include "http/admin/json.hpp"
#include "http/admin/operations.hpp"
#include "http/api/markets/markets.hpp"
#include "http/api/replies.hpp"
#include "http/api/reviews/reviews.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/record_body.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace credence::http::admin {

namespace {

using people::lookup_key;
using form = lookup_key::form;

void write_row(json_writer& to, const people::user& who) {
  to.field("profileId", who.profile);
  to.field("userId", who.id);
  to.field("username", who.username);
  to.field("displayName", who.display_name);
  to.field("score", who.score);
}

void reply_rows(call& c, const std::vector<people::user_ptr>& found, std::int64_t total) {
  reply_values(
    c, found, [](json_writer& to, const people::user_ptr& each) { write_row(to, *each); },
    [&](json_writer& to) { to.field("total", total); });
}

/// Whom the text names by itself: an address, or the id of a profile.
std::optional<lookup_key> named_by(const std::string& text) {
  if (const auto number = parse_integer(text); number && *number >= 1 && *number <= limits::id_max)
    return lookup_key{.how = form::profile, .number = static_cast<std::int32_t>(*number)};
  if (auto key = parse_address_key(text))
    return *std::move(key);
  return std::nullopt;
}

struct person {
  people::bundle_ptr who;
  bool api_access = false;
  std::optional<funds::funds_view> balance;
};

void write_person(json_writer& to, const person& of) {
  const auto& user = *of.who->user;
  const auto& profile = of.who->profile;
  to.field("userId", user.id);
  to.field("profileId", user.profile);
  to.field("username", user.username);
  to.field("displayName", user.display_name);
  to.field("score", user.score);
  to.field("xp", user.xp_total);
  to.array("addresses", of.who->addresses, [&](const auto& each) { to.value(auth::checksummed_text(each.address)); });
  to.field("archived", profile ? std::optional{profile->archived} : std::nullopt);
  to.field("apiAccess", of.api_access);
  to.object_or_null("balance", of.balance, [&](const auto& funds) {
    to.field("wei", decimal(funds.balance));
    to.field("availableWei", decimal(funds.available));
  });
  to.field("createdAt", profile ? std::optional{ms_of(profile->created_at)} : std::nullopt);
}

refusal no_profile(profile_id which) {
  return {refusal_code::not_found, "there is no profile " + std::to_string(which.value)};
}

/// The transfer that a credit is; its body names the profile once more, typed.
funds::move_funds read_credit(call& c) {
  const auto who = c.path_id<profile_id>("profileId");
  auto& body = c.json();
  const auto amount = v2::read_wei(body, "amountWei").value_or(0);
  if (body.good() && amount == 0)
    body.issue("amountWei must be a positive number of wei, as a decimal string");
  read_confirmation(body, who);
  return {who, funds::flow::deposit, amount, "console"};
}

void reply_credited(call& c, funds::transfer_receipt& done) {
  reply_object(c, [&](json_writer& to) { to.field("balanceWei", decimal(done.balance)); });
}

void credit(call& c, funds::move_funds order) { c.ask(c.to().funds, std::move(order), &reply_credited); }

} // namespace

void list_people(call& c) {
  const auto text = read_query(c.given());
  const auto limit = read_limit(c.given());
  if (text.empty())
    return reply_rows(c, {}, 0);
  if (auto key = named_by(text))
    return c.ask(c.to().people, people::get_people{{*std::move(key)}}, [](call& later, people::people_by_key& came) {
      std::erase(came.users, nullptr);
      reply_rows(later, came.users, static_cast<std::int64_t>(came.users.size()));
    });
  people::search_people question;
  question.text = text;
  question.slice = {limit, 0};
  c.ask(c.to().people, std::move(question),
        [](call& later, people::people_page& came) { reply_rows(later, came.users, came.total); });
}

void get_person(call& c) {
  const auto which = c.path_id<profile_id>("profileId");
  people::get_bundle look{{.how = form::profile, .number = which.value}};
  const auto came = co_await c.ask(c.to().people, std::move(look));
  person found{came.found, false, std::nullopt};
  if (!found.who)
    co_return c.refuse(no_profile(which));
  const oversight::get_profile_totals totals_question{which};
  const auto status = co_await c.ask(c.to().oversight, totals_question);
  found.api_access = status.api_access;
  const funds::get_funds funds_question{which};
  const auto balance = co_await c.try_ask(c.to().funds, funds_question);
  if (balance && *balance)
    found.balance = **balance;
  reply_object(c, [&](json_writer& to) { write_person(to, found); });
}

void set_api_access(call& c) {
  const auto whose = c.path_id<profile_id>("profileId");
  console::set_api_access order{whose, required_flag(c.json(), "allowed"), c.now(), c.context()->from()};
  c.ask(c.to().admin_database, std::move(order), [](call& later, console::kept&) { reply_ok(later); });
}

void credit_person(call& c) {
  auto order = read_credit(c);
  const auto who = order.profile;
  if_live(c, who, std::move(order), &credit);
}

void replay_credit_person(call& c, const idempotency::found_record& done) {
  const auto order = read_credit(c);
  c.ask(c.to().funds, funds::get_transfer{order.profile, parse_integer(done.effect).value_or(0)}, &reply_credited);
}

namespace {

profile::grant_xp read_grant(call& c) {
  profile::grant_xp out;
  out.profile = c.path_id<profile_id>("profileId");
  auto& body = c.json();
  const auto amount = body.integer("amount");
  if (body.good() && (!amount || *amount < 1 || *amount > limits::xp_grant_max))
    body.issue("amount must be from 1 to " + std::to_string(limits::xp_grant_max) + " XP"
               + (amount ? ", not " + std::to_string(*amount) : ""));
  out.amount = amount.value_or(0);
  out.reason = read_words(body, "reason", 1, limits::grant_reason_length_max);
  read_confirmation(body, out.profile);
  return out;
}

void reply_granted(call& c, profile::grant_receipt& done) {
  reply_object(c, [&](json_writer& to) { to.field("xp", done.balance); });
}

void grant(call& c, profile::grant_xp order) { c.ask(c.to().profiles, std::move(order), &reply_granted); }

} // namespace

void grant_xp(call& c) {
  auto order = read_grant(c);
  const auto who = order.profile;
  if_live(c, who, std::move(order), &grant);
}

void replay_grant_xp(call& c, const idempotency::found_record& done) {
  const auto order = read_grant(c);
  c.ask(c.to().profiles, profile::get_grant{order.profile, parse_integer(done.effect).value_or(0)}, &reply_granted);
}

namespace {

// A person without a profile becomes a part of a profile's user: everything by which that person is known moves to the
// profile as if it had been linked, by an admin's order in place of a signature.

using form = people::lookup_key::form;

struct merge_order {
  profile_id into;
  people::lookup_key who;
};

people::lookup_key read_person(json_body& body) {
  const auto text = body.text("userkey");
  if (!text) {
    if (body.good())
      body.issue(
        "userkey is required: an address or an account of the person, such as address:0x… or service:x.com:<id>");
    return {};
  }
  auto key = parse_userkey(*text);
  if (!key) {
    body.issue("userkey: " + key.why().detail);
    return {};
  }
  if (key->how == form::profile)
    body.issue("userkey must name an address or an account: profiles cannot be merged");
  return *std::move(key);
}

merge_order read_merge(call& c) {
  merge_order out;
  out.into = c.path_id<profile_id>("profileId");
  auto& body = c.json();
  out.who = read_person(body);
  read_confirmation(body, out.into);
  return out;
}

refusal is_nobody() {
  return {refusal_code::not_found, "userkey leads to nobody: whom nobody has reviewed or vouched for cannot be merged"};
}

refusal is_a_profile(const people::lookup_key& key, profile_id whose) {
  return {key.how == form::address ? refusal_code::address_taken : refusal_code::account_taken,
          "userkey leads to profile " + std::to_string(whose.value)
            + "; only a person without a profile becomes a part of another"};
}

/// One address or account on its way to the profile.
struct step {
  reputation::named_subject which;
  bool dry_run = false;
};

/// How surely the key finds the person by this part: 2 by it alone, 0 not by it. A handle is of an account at x.com,
/// and which one is not told here: 1 for each of them.
int named_by(const people::lookup_key& key, const reputation::named_subject& part) {
  if (const auto wallet = part.key.wallet())
    return key == key_of_address(*wallet) ? 2 : 0;
  if (!part.account || part.account->service != key.service || key.how == form::address)
    return 0;
  if (key.how != form::x_handle && part.account->id == key.text)
    return 2;
  return key.how == form::account ? 0 : 1;
}

/// Moves everything by which somebody is known. All of it is tried first, so that what is refused leaves the person
/// whole. What the key names comes last: if the rest is interrupted, the same key still finds the person.
outcome<std::vector<step>> steps_for(const people::user& who, const people::lookup_key& named) {
  std::vector<step> out;
  for (const auto& each : who.userkeys) {
    const auto key = parse_userkey(each);
    if (!key)
      return key.why();
    auto name = record_subject_of(*key, nullptr);
    if (!name)
      return name.why();
    out.push_back({*std::move(name), true});
  }
  std::stable_sort(out.begin(), out.end(),
                   [&](const step& a, const step& b) { return named_by(named, a.which) < named_by(named, b.which); });
  const auto tried = out;
  for (const auto& each : tried)
    out.push_back({each.which, false});
  return out;
}

reputation::attest_account claim_of(const call& c, profile_id into, const step& each) {
  reputation::attest_account out;
  out.profile = into;
  out.which = each.which;
  out.evidence = "merged by order of an operator";
  out.by = c.operated_by()->profile.value_or(profile_id{});
  out.as_admin = true;
  out.from_profiles = false;
  out.dry_run = each.dry_run;
  return out;
}

/// Whether the profile may have all the addresses. The steps are tried one by one, so none of them sees how many come.
bool has_room(const people::user_bundle& into, const std::vector<step>& steps) {
  const auto own = std::count_if(into.addresses.begin(), into.addresses.end(), [](const people::owned_address& each) {
    return each.kind == people::address_kind::primary || each.kind == people::address_kind::linked;
  });
  const auto more = std::count_if(steps.begin(), steps.end(),
                                  [](const step& each) { return !each.dry_run && each.which.key.wallet(); });
  return own + more <= limits::addresses_per_profile_max;
}

refusal is_full(profile_id into) {
  return {refusal_code::address_limit_reached,
          "with the addresses of this person profile " + std::to_string(into.value) + " would have more than "
            + std::to_string(limits::addresses_per_profile_max) + ", the most there may be; unlink some first"};
}

/// Null where the person was a part of the profile before.
void reply_merged(call& c, std::optional<user_id> merged) {
  reply_object(c, [&](json_writer& to) { to.field("mergedUserId", merged); });
}

} // namespace

void merge_person(call& c) {
  const auto order = read_merge(c);
  people::get_bundle look{order.who};
  const auto came = co_await c.ask(c.to().people, std::move(look));
  if (!came.found)
    co_return c.refuse(is_nobody());
  const auto who = came.found->user;
  if (who->profile == order.into)
    co_return reply_merged(c, std::nullopt);
  if (who->profile)
    co_return c.refuse(is_a_profile(order.who, *who->profile));
  const auto steps = c.value_of(steps_for(*who, order.who));
  people::get_bundle whole{{.how = form::profile, .number = order.into.value}};
  const auto taker = co_await c.ask(c.to().people, std::move(whole));
  if (taker.found && !has_room(*taker.found, steps))
    co_return c.refuse(is_full(order.into));
  for (const auto& each : steps) {
    if (const auto wallet = each.which.key.wallet()) {
      reputation::link_address link{order.into, *wallet, std::nullopt, each.dry_run};
      co_await c.ask(c.to().records, std::move(link));
    } else {
      auto claim = claim_of(c, order.into, each);
      co_await c.ask(c.to().records, std::move(claim));
    }
  }
  reply_merged(c, who->id);
}

namespace {

// Ending what somebody is signed in with: every session, also those of pages of partners, every API key, and what
// pages of partners may do. Each ends as by its owner, so the audit has it with the caller.

/// Keys and partners that one request ends at most, each by a commit of its own; sessions end by one.
constexpr std::size_t ended_at_once_max = 50;

struct end_order {
  profile_id whose;
  bool dry_run = false;
};

end_order read_end(call& c) {
  const end_order out{c.path_id<profile_id>("profileId"), read_dry_run(c.given())};
  read_confirmation(c.json(), out.whose);
  return out;
}

/// How many of each.
struct ends {
  std::int64_t sessions = 0, keys = 0, partners = 0;
  bool more = false;
};

void reply_ended(call& c, const end_order& order, const ends& done) {
  reply_object(c, [&](json_writer& to) {
    to.field("dryRun", order.dry_run);
    to.field("sessions", done.sessions);
    to.field("apiKeys", done.keys);
    to.field("partners", done.partners);
    to.field("more", done.more);
  });
}

} // namespace

/// Sessions end before keys and partners are looked up: whoever has one makes keys and lets partners in. What its owner
/// has ended meanwhile is not counted.
void end_access(call& c) {
  const auto order = read_end(c);
  people::get_bundle look{{.how = form::profile, .number = order.whose.value}};
  const auto came = co_await c.ask(c.to().people, std::move(look));
  if (!came.found)
    co_return c.refuse(no_profile(order.whose));
  const auto sessions = co_await c.ask(c.to().profiles, profile::list_sessions{order.whose});
  if (!order.dry_run) {
    const profile::end_other_sessions all_sessions{order.whose, std::nullopt};
    co_await c.ask(c.to().profiles, all_sessions);
  }
  auto keys = co_await c.ask(c.to().profiles, profile::list_keys{order.whose});
  auto partners = co_await c.ask(c.to().profiles, profile::list_partners{order.whose});
  std::erase_if(keys, [now = c.now()](const profile::api_key& each) { return each.expires_at <= now; });
  std::erase_if(partners, [](const profile::partner_grant& each) { return !each.enabled; });
  ends done{static_cast<std::int64_t>(sessions.size()), static_cast<std::int64_t>(keys.size()),
            static_cast<std::int64_t>(partners.size())};
  if (order.dry_run)
    co_return reply_ended(c, order, done);
  if (keys.size() + partners.size() > ended_at_once_max) {
    done.more = true;
    keys.resize(std::min(keys.size(), ended_at_once_max));
    partners.resize(std::min(partners.size(), ended_at_once_max - keys.size()));
  }
  done.keys = done.partners = 0;
  for (const auto& each : keys) {
    const profile::revoke_key revoke{order.whose, each.id};
    const auto revoked = co_await c.outcome_of(c.to().profiles, revoke);
    done.keys += revoked ? 1 : 0;
  }
  for (const auto& each : partners) {
    profile::switch_partner off{order.whose, each.origin};
    off.by_order = true;
    const auto switched = co_await c.outcome_of(c.to().profiles, std::move(off));
    done.partners += switched ? 1 : 0;
  }
  reply_ended(c, order, done);
}

namespace {

/// Archives or restores what the path names, as the API lets an admin.
template <class Command>
void archive_by_admin(call& c, std::string_view name, bool archived) {
  Command order;
  order.id = c.given().path_id<decltype(order.id)>(name, c.path_part(name));
  order.by = c.operated_by()->profile.value_or(profile_id{});
  order.as_admin = true;
  order.archived = archived;
  order.dry_run = read_dry_run(c.given());
  c.ask(c.to().records, order, [](call& later, typename Command::answer_type&) { reply_ok(later); });
}

} // namespace

void archive_person(call& c) { archive_by_admin<reputation::archive_profile>(c, "profileId", true); }
void restore_person(call& c) { archive_by_admin<reputation::archive_profile>(c, "profileId", false); }
void archive_attestation(call& c) { archive_by_admin<reputation::archive_attestation>(c, "attestationId", true); }
void restore_attestation(call& c) { archive_by_admin<reputation::archive_attestation>(c, "attestationId", false); }
void archive_review(call& c) { archive_by_admin<reputation::archive_review>(c, "reviewId", true); }
void restore_review(call& c) { archive_by_admin<reputation::archive_review>(c, "reviewId", false); }

void set_human_verification(call& c) {
  const auto by = c.operated_by()->profile;
  if (!by)
    return c.refuse(
      {refusal_code::forbidden, "a verification names who decided it: sign in by the wallet of a profile"});
  reputation::decide_verification order;
  order.by = *by;
  order.profile = c.path_id<profile_id>("profileId");
  order.dry_run = read_dry_run(c.given());
  auto& body = c.json();
  order.verified = required_flag(body, "verified");
  order.comment = read_words(body, "comment", 1, limits::verification_comment_length_max);
  c.ask(c.to().records, std::move(order), [](call& later, profile_id&) { reply_ok(later); });
}

} // namespace credence::http::admin
