#include "actors/people/people_actor.hpp"
#include "config/limits.hpp"
#include "http/api/bonds/bonds.hpp"
#include "http/api/people/people.hpp"
#include "http/api/record_commands.hpp"
#include "http/api/verifications/operations.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace credence::http::v2 {

namespace {

using people::lookup_key;
using reputation::verification_record;

/// When fewer verifiers than a verification takes are left, as their bonds run out; none where it is not by bonds, or
/// was ended.
std::optional<timestamp> end_of(const reputation::verification_status& status) {
  if (status.record || status.status != people::human_verification::verified)
    return std::nullopt;
  std::map<profile_id, timestamp> last;
  for (const auto& each : status.bonds)
    if (!each.record.ended)
      last[each.record.author] = std::max(last[each.record.author], each.record.expires_at);
  if (last.size() < limits::verifying_bonds_min)
    return std::nullopt;
  std::vector<timestamp> ends;
  for (const auto& [author, at] : last)
    ends.push_back(at);
  std::sort(ends.rbegin(), ends.rend());
  return ends[limits::verifying_bonds_min - 1];
}

void encode_bonds(json_writer& to, const std::vector<reputation::bond_about>& bonds, user_cards& users,
                  const std::string& public_url) {
  to.objects("bonds", bonds, [&](const auto& each) {
    encode_members(to, each.record);
    to.key("author");
    if (each.author)
      users.write(to, *each.author);
    else
      to.null();
    to.object("links", [&] { to.field("activity", bond_link(public_url, each.record.id)); });
  });
}

/// `{status, subject, verificationMethod, comment, decidedBy, createdAt, updatedAt, verifiedAt, expiresAt, bonds}`;
/// the members between the second and the last two are null where no admin has said anything.
void encode_verification(json_writer& to, const reputation::verification_status& status, const people::user& who,
                         user_cards& users, const std::string& public_url) {
  const auto record = status.record.value_or(verification_record{});
  to.field("status", status.status ? std::optional{name_of(*status.status)} : std::nullopt);
  to.key("subject");
  users.write(to, who);
  to.field("verificationMethod",
           record.method
             ? std::optional{reputation::verification_method_names[static_cast<std::size_t>(*record.method)]}
             : std::nullopt);
  to.field("comment", status.record ? std::optional{record.comment} : std::nullopt);
  to.field("decidedBy", status.record ? std::optional{record.by} : std::nullopt);
  to.field("createdAt", status.record ? std::optional{record.created_at} : std::nullopt);
  to.field("updatedAt", status.record ? std::optional{record.updated_at} : std::nullopt);
  to.field("verifiedAt", record.verified_at);
  to.field("expiresAt", end_of(status));
  encode_bonds(to, status.bonds, users, public_url);
}

void show(call& c, const lookup_key& key) {
  people::get_bundle look{key};
  const auto came = co_await c.ask(c.to().people, std::move(look));
  if (!came.found)
    co_return c.refuse({refusal_code::not_found, "there is no such user"});
  reputation::get_verification question{came.found->user->id};
  const auto status = co_await c.ask(c.to().records, std::move(question));
  reply_by_cards(c, [&](json_writer& to, user_cards& cards) {
    to.object([&] { encode_verification(to, status, *came.found->user, cards, c.settings().public_url); });
  });
}

void show_profile(call& c, profile_id which) {
  show(c, lookup_key{.how = lookup_key::form::profile, .number = which.value});
}

void decide(call& c, bool verified) {
  auto command = read_command<reputation::decide_verification>(c, [&](auto& out, parameters&, json_body& body) {
    out.by = c.caller()->profile;
    out.verified = verified;
    out.profile = read_profile(body, "profileId");
    if (verified && body.has("verificationMethod"))
      out.method = static_cast<reputation::verification_method>(
        read_one_of(body, "verificationMethod", reputation::verification_method_names));
    out.comment = read_words(body, "comment", 1, limits::verification_comment_length_max);
  });
  submit(c, std::move(command), &show_profile);
}

} // namespace

void get_human_verification(call& c) { show(c, c.value_of(parse_userkey_or_profile(c.path_part("userkey")))); }

void verify_human(call& c) { decide(c, true); }
void revoke_human(call& c) { decide(c, false); }

void replay_decide_verification(call& c, const idempotency::found_record& done) {
  show_profile(c, made_by<profile_id>(done));
}

} // namespace credence::http::v2
