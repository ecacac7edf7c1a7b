#include "actors/people/people_actor.hpp"
#include "actors/reputation/record_actor.hpp"
#include "config/limits.hpp"
#include "http/admin/operations.hpp"
#include "http/admin/records/confirmed.hpp"
#include "http/api/reviews/record_subject.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/record_body.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>
#include <optional>
#include <vector>

// A person without a profile becomes a part of a profile's user: everything by which that person is known moves to the
// profile as if it had been linked, by an admin's order in place of a signature.

namespace credence::http::admin {

namespace {

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

outcome<merge_order> read_merge(const call& c) {
  parameters given{c.query()};
  merge_order out;
  out.into = given.path_id<profile_id>("profileId", c.path_part("profileId"));
  if (!given.good())
    return given.why();
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  out.who = read_person(*body);
  read_confirmation(*body, out.into);
  return checked(given, *body, std::move(out));
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
  json_writer to{c.out()};
  to.begin_object();
  to.field("mergedUserId", merged);
  to.end_object();
  c.reply();
}

} // namespace

void merge_person(call& c) {
  const auto order = read_merge(c);
  if (!order)
    co_return c.refuse(order.why());
  people::get_bundle look{order->who};
  const auto came = co_await c.ask(c.to().people, std::move(look));
  if (!came.found)
    co_return c.refuse(is_nobody());
  const auto who = came.found->user;
  if (who->profile == order->into)
    co_return reply_merged(c, std::nullopt);
  if (who->profile)
    co_return c.refuse(is_a_profile(order->who, *who->profile));
  const auto steps = steps_for(*who, order->who);
  if (!steps)
    co_return c.refuse(steps.why());
  people::get_bundle whole{{.how = form::profile, .number = order->into.value}};
  const auto taker = co_await c.ask(c.to().people, std::move(whole));
  if (taker.found && !has_room(*taker.found, *steps))
    co_return c.refuse(is_full(order->into));
  for (const auto& each : *steps) {
    if (const auto wallet = each.which.key.wallet()) {
      reputation::link_address link{order->into, *wallet, std::nullopt, each.dry_run};
      co_await c.ask(c.to().records, std::move(link));
    } else {
      auto claim = claim_of(c, order->into, each);
      co_await c.ask(c.to().records, std::move(claim));
    }
  }
  reply_merged(c, who->id);
}

} // namespace credence::http::admin
