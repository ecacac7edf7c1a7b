#include "http/api/people/people_json.hpp"

#include "actors/domain/hex.hpp"
#include "actors/people/people_state.hpp"
#include "auth/address.hpp"
#include "http/call/page_json.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>

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
void encode_first(json_writer& to, json_name name, people::address_kind kind, const std::vector<people::owned_address>& of) {
  const auto found = std::find_if(of.begin(), of.end(), [=](const auto& each) { return each.kind == kind; });
  if (found != of.end())
    to.field(name, auth::checksummed_text(found->address));
}

void encode_addresses(json_writer& to, const std::vector<people::owned_address>& what) {
  to.begin_object();
  to.key("addresses");
  to.begin_array();
  for (const auto& each : what)
    to.value(auth::checksummed_text(each.address));
  to.end_array();
  encode_first(to, "primaryAddress", people::address_kind::primary, what);
  encode_first(to, "embeddedWallet", people::address_kind::embedded, what);
  encode_first(to, "smartWallet", people::address_kind::smart, what);
  to.end_object();
}

void encode_attestation(json_writer& to, const people::attestation& what) {
  to.begin_object();
  to.field("id", what.id);
  std::string hash{"0x"};
  append_hex(hash, what.hash);
  to.field("hash", hash);
  to.field("archived", what.archived);
  to.field("profileId", what.profile);
  to.field("service", people::name_of(what.service));
  to.field("account", what.account);
  to.field("createdAt", unix_seconds(what.created_at));
  to.key("extra");
  to.begin_object();
  to.field("username", what.username);
  to.field("url", what.url);
  to.end_object();
  to.end_object();
}

void encode_verifier(json_writer& to, const people::user_bundle& what) {
  const auto standing = people::verifier_standing_of(*what.user, what.verifier_blocked);
  to.field("isValidator", what.user->validator_nft_count > 0);
  to.field("validatorAcquiredAt", what.validator_since);
  to.field("verifierStatus", verifier_names[static_cast<std::size_t>(standing.status)]);
  to.key("verifierRequirements");
  to.begin_object();
  to.field("isHumanVerified", standing.human_verified);
  to.field("meetsScoreThreshold", standing.meets_score);
  to.end_object();
}

void encode_usernames(json_writer& to, const std::vector<people::x_username>& what) {
  to.begin_array();
  for (const auto& each : what) {
    to.begin_object();
    to.field("username", each.username);
    to.field("changeObservedAt", each.change_observed_at);
    to.end_object();
  }
  to.end_array();
}

} // namespace

void encode(json_writer& to, const people::profile_record& what) {
  to.begin_object();
  to.field("id", what.id);
  to.field("archived", what.archived);
  to.field("createdAt", unix_seconds(what.created_at));
  to.field("updatedAt", unix_seconds(what.updated_at));
  to.field("invitesAvailable", what.invites_available);
  to.field("invitedBy", what.invited_by.value_or(profile_id{})); // 0: nobody
  to.end_object();
}

void encode_score(json_writer& to, std::int32_t score) {
  to.begin_object();
  to.field("score", score);
  to.field("level", people::level_names[static_cast<std::size_t>(people::level_of(score))]);
  to.end_object();
}

void encode(json_writer& to, const people::user_bundle& what, user_cards& users) {
  to.begin_object();
  to.key("user");
  encode_user(to, what.user, users);
  to.key("profile");
  if (what.profile)
    encode(to, *what.profile);
  else
    to.null();
  to.key("inviterUser");
  encode_user(to, what.inviter, users);
  to.key("allAddresses");
  encode_addresses(to, what.addresses);
  to.key("attestations");
  to.begin_array();
  for (const auto& each : what.attestations)
    encode_attestation(to, each);
  to.end_array();
  encode_verifier(to, what);
  to.key("xUsernameHistory");
  encode_usernames(to, what.x_usernames);
  to.end_object();
}

void encode(json_writer& to, const std::vector<people::user_ptr>& who, user_cards& users) {
  std::unordered_set<user_id> written;
  to.begin_array();
  for (const auto& each : who)
    if (each && written.insert(each->id).second)
      users.write(to, *each);
  to.end_array();
}

void encode(json_writer& to, const people::people_page& what, page slice, user_cards& users) {
  to.begin_object();
  to.key("values");
  encode(to, what.users, users);
  encode_slice(to, what.total, slice);
  to.end_object();
}

} // namespace credence::http
