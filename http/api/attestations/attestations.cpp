#include "actors/domain/hash.hpp"
#include "actors/reputation/attestation_types.hpp"
#include "http/api/attestations/operations.hpp"
#include "http/api/record_commands.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>

namespace credence::http {

/// An attestation (docs/api/records.md) as in everything about a person, with `evidence` and `updatedAt`; moments are
/// Unix seconds. `id` is 0 in the answer to a dry run that would make one.
static void encode_members(json_writer& to, const reputation::attestation_record& record) {
  const auto& account = record.name.account.value();
  to.field("id", record.id);
  to.field("hash", hex_text(record.name.key.bytes()));
  to.field("archived", record.archived);
  to.field("profileId", record.profile);
  to.field("service", people::name_of(account.service));
  to.field("account", account.id);
  to.field("createdAt", unix_seconds(record.created_at));
  to.field("updatedAt", unix_seconds(record.updated_at));
  to.field("evidence", record.evidence);
  to.object("extra", [&] {
    to.field("username", record.username);
    to.field("url", record.url);
  });
}

namespace v2 {

namespace {

using people::account_service;
using reputation::attestation_id;

/// The name that goes with an account; at x.com it must be one by which the account is found.
std::optional<std::string> read_account_name(json_body& body, account_service service) {
  auto name = read_words_if_any(body, "username", 1, limits::handle_length_max);
  if (!name)
    return name;
  if (service == account_service::x) {
    if (const auto key = parse_userkey("service:x.com:username:" + *name); !key)
      body.issue("username: " + key.why().detail);
  } else if (std::any_of(name->begin(), name->end(),
                         [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7F; }))
    body.issue("username must not have spaces or control characters, as " + shown(*name) + " does");
  return name;
}

reputation::named_subject read_account(json_body& body, account_service service) {
  const auto text = body.text("account");
  if (!text) {
    if (body.good())
      body.issue("account is required: the id of the account");
    return {};
  }
  const auto key = parse_account(service, *text);
  if (!key) {
    body.issue("account: " + key.why().detail);
    return {};
  }
  return {reputation::subject_key{attestation_hash(people::name_of(service), key->text)},
          reputation::account{service, key->text}};
}

void archive_attestation(call& c, bool archived) {
  submit(c, read_archiving<reputation::archive_attestation>(c, archived));
}

} // namespace

void create_attestation(call& c) {
  submit(
    c, read_command<reputation::attest_account>(c, [&](reputation::attest_account& out, parameters&, json_body& body) {
      out.by = c.caller()->profile;
      out.as_admin = c.caller()->admin_by_token();
      out.profile = read_profile(body, "profileId");
      const auto service = static_cast<account_service>(read_one_of(body, "service", people::service_names));
      out.which = read_account(body, service);
      out.username = read_account_name(body, service);
      out.evidence = read_words(body, "evidence", 1, limits::evidence_length_max);
    }));
}

void replay_create_attestation(call& c, const idempotency::found_record& done) {
  show_made<reputation::get_attestation>(c, done);
}

void get_attestation(call& c) { show_record<reputation::get_attestation>(c); }

void archive_attestation(call& c) { archive_attestation(c, true); }
void restore_attestation(call& c) { archive_attestation(c, false); }
void replay_change_attestation(call& c, const idempotency::found_record&) { get_attestation(c); }

} // namespace v2

} // namespace credence::http
