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
void encode_first(json_writer& to, json_name name, people::address_kind kind,
                  const std::vector<people::owned_address>& of) {
  const auto found = std::find_if(of.begin(), of.end(), [=](const auto& each) { return each.kind == kind; });
  if (found != of.end())
    to.field(name, auth::checksummed_text(found->address));
}

void encode_addresses(json_writer& to, const std::vector<people::owned_address>& addresses) {
  to.begin_object();
  to.key("addresses");
  to.begin_array();
  for (const auto& each : addresses)
    to.value(auth::checksummed_text(each.address));
  to.end_array();
  encode_first(to, "primaryAddress", people::address_kind::primary, addresses);
  const auto wallet = std::find_if(addresses.begin(), addresses.end(), [](const auto& each) { return each.managed; });
  if (wallet != addresses.end())
    to.field("embeddedWallet", auth::checksummed_text(wallet->address));
  else
    encode_first(to, "embeddedWallet", people::address_kind::embedded, addresses);
  encode_first(to, "smartWallet", people::address_kind::smart, addresses);
  to.end_object();
}

void encode_attestation(json_writer& to, const people::attestation& attestation) {
  to.begin_object();
  to.field("id", attestation.id);
  std::string hash{"0x"};
  append_hex(hash, attestation.hash);
  to.field("hash", hash);
  to.field("archived", attestation.archived);
  to.field("profileId", attestation.profile);
  to.field("service", people::name_of(attestation.service));
  to.field("account", attestation.account);
  to.field("createdAt", unix_seconds(attestation.created_at));
  to.key("extra");
  to.begin_object();
  to.field("username", attestation.username);
  to.field("url", attestation.url);
  to.end_object();
  to.end_object();
}

void encode_verifier(json_writer& to, const people::user_bundle& bundle) {
  const auto standing = people::verifier_standing_of(*bundle.user, bundle.verifier_blocked);
  to.field("isValidator", bundle.user->validator_nft_count > 0);
  to.field("validatorAcquiredAt", bundle.validator_since);
  to.field("verifierStatus", verifier_names[static_cast<std::size_t>(standing.status)]);
  to.key("verifierRequirements");
  to.begin_object();
  to.field("isHumanVerified", standing.human_verified);
  to.field("meetsScoreThreshold", standing.meets_score);
  to.end_object();
}

void encode_usernames(json_writer& to, const std::vector<people::x_username>& usernames) {
  to.begin_array();
  for (const auto& each : usernames) {
    to.begin_object();
    to.field("username", each.username);
    to.field("changeObservedAt", each.change_observed_at);
    to.end_object();
  }
  to.end_array();
}

} // namespace

void encode(json_writer& to, const people::profile_record& record) {
  to.begin_object();
  to.field("id", record.id);
  to.field("archived", record.archived);
  to.field("createdAt", unix_seconds(record.created_at));
  to.field("updatedAt", unix_seconds(record.updated_at));
  to.field("invitesAvailable", record.invites_available);
  to.field("invitedBy", record.invited_by.value_or(profile_id{})); // 0: nobody
  to.end_object();
}

void encode_score(json_writer& to, std::int32_t score) {
  to.begin_object();
  to.field("score", score);
  to.field("level", people::level_names[static_cast<std::size_t>(people::level_of(score))]);
  to.end_object();
}

void encode(json_writer& to, const people::user_bundle& bundle, user_cards& users) {
  to.begin_object();
  to.key("user");
  encode_user(to, bundle.user, users);
  to.key("profile");
  if (bundle.profile)
    encode(to, *bundle.profile);
  else
    to.null();
  to.key("inviterUser");
  encode_user(to, bundle.inviter, users);
  to.key("allAddresses");
  encode_addresses(to, bundle.addresses);
  to.key("attestations");
  to.begin_array();
  for (const auto& each : bundle.attestations)
    encode_attestation(to, each);
  to.end_array();
  encode_verifier(to, bundle);
  to.key("xUsernameHistory");
  encode_usernames(to, bundle.x_usernames);
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

void encode(json_writer& to, const people::people_page& found, page slice, user_cards& users) {
  to.begin_object();
  to.key("values");
  encode(to, found.users, users);
  encode_slice(to, found.total, slice);
  to.end_object();
}

} // namespace credence::http
