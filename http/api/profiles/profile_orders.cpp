#include "http/api/profiles/profile_orders.hpp"

#include "http/call/identity.hpp"
#include "http/call/name_body.hpp"
#include "http/call/userkey.hpp"

namespace credence::http::v2 {

namespace {

bool is_there(const json_body& body, std::string_view name) {
  const auto kind = body.kind_of(name);
  return kind != json_body::kind::absent && kind != json_body::kind::null;
}

template <class Id>
std::optional<Id> read_id(json_body& body, std::string_view name) {
  const auto number = body.integer(name);
  if (!number)
    return std::nullopt;
  if (*number < 1 || *number > limits::id_max)
    body.issue(std::string{name} + " must be from 1 to " + std::to_string(limits::id_max));
  return Id{static_cast<std::int32_t>(*number)};
}

address read_address(json_body& body, std::string_view name) {
  const auto text = required_text(body, name);
  const auto found = parse_address(text);
  if (!body.good())
    return {};
  if (!found || *found == address{})
    body.issue(std::string{name} + " must be an address, 0x and 40 hexadecimal digits, not " + shown(text));
  else if (const auto flaw = checksum_flaw(text, *found))
    body.issue(std::string{name} + " must " + *flaw);
  return found.value_or(address{});
}

} // namespace

outcome<profile_order> read_profile_order(const call& c, bool may_name) {
  parameters given{c.query()};
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  profile_order out;
  auto& question = out.question;
  question.dry_run = read_dry_run(given);
  question.inviter = read_id<profile_id>(*body, "inviter");
  if (may_name && !is_there(*body, "message")) {
    question.by_admin = true;
    question.account = read_address(*body, "address");
    return checked(given, *body, std::move(out));
  }
  const auto message = required_text(*body, "message");
  const auto signature = required_text(*body, "signature");
  if (!body->good() || !given.good())
    return checked(given, *body, std::move(out));
  auto claim = read_claim(message, signature, c.identity().for_login, c.now());
  if (!claim)
    return claim.why();
  const signing_purpose wanted{nonce_for::sign_in, "/api/v2/auth/nonce", std::string{profile_statement}};
  if (auto why = other_purpose(*claim, wanted, c.identity().tokens, c.now()))
    return *std::move(why);
  question.account = claim->account;
  question.by = claim->nonce;
  out.claim = *std::move(claim);
  return out;
}

outcome<reputation::edit_profile> read_profile_edit(const call& c) {
  parameters given{c.query()};
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  reputation::edit_profile out;
  out.id = c.caller()->profile;
  out.dry_run = read_dry_run(given);
  out.display_name = read_display_name(*body, "displayName");
  out.username = read_username(*body);
  out.avatar_url = read_https_url(*body, "avatarUrl", 1);
  out.description = read_words_if_any(*body, "description", 0, limits::description_length_max);
  if (body->good() && !out.display_name && !out.username && !out.avatar_url && !out.description)
    body->issue("displayName, username, avatarUrl or description is required");
  return checked(given, *body, std::move(out));
}

outcome<link_order> read_link_order(const call& c) {
  parameters given{c.query()};
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  const auto message = required_text(*body, "message");
  const auto signature = required_text(*body, "signature");
  link_order out;
  out.question.profile = c.caller()->profile;
  out.question.dry_run = read_dry_run(given);
  if (!body->good() || !given.good())
    return checked(given, *body, std::move(out));
  auto claim = read_claim(message, signature, c.identity().for_login, c.now());
  if (!claim)
    return claim.why();
  // Whoever signs must see whose the address becomes; what was signed for something else does not count here.
  if (auto why = other_statement(*claim, link_statement(out.question.profile)))
    return *std::move(why);
  if (is_own_nonce(c.identity().tokens, claim->nonce.nonce))
    return refusal{
      refusal_code::invalid_message,
      "the nonce is one of this service's for something else; sign a message of its own, with another nonce"};
  out.question.account = claim->account;
  out.question.by = claim->nonce;
  out.claim = *std::move(claim);
  return out;
}

outcome<reputation::unlink_address> read_unlink(const call& c) {
  parameters given{c.query()};
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  const auto which = read_address(*body, "address");
  return checked(given, *body, reputation::unlink_address{c.caller()->profile, which, read_dry_run(given)});
}

outcome<reputation::send_invitation> read_invitation(const call& c) {
  parameters given{c.query()};
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  const auto which = read_address(*body, "address");
  return checked(given, *body, reputation::send_invitation{c.caller()->profile, which, read_dry_run(given)});
}

outcome<reputation::cancel_invitation> read_cancel(const call& c) {
  parameters given{c.query()};
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  const auto which = read_id<invitation_id>(*body, "id");
  if (!which && body->good())
    body->issue("id is required: the id of an invitation");
  return checked(
    given, *body,
    reputation::cancel_invitation{which.value_or(invitation_id{}), c.caller()->profile, read_dry_run(given)});
}

} // namespace credence::http::v2
