#include "http/api/profiles/profile_orders.hpp"

#include "actors/domain/lower_case.hpp"
#include "http/call/identity.hpp"

#include <algorithm>

namespace credence::http::v2 {

namespace {

bool is_there(const json_body& body, std::string_view name) {
  const auto kind = body.kind_of(name);
  return kind != json_body::kind::absent && kind != json_body::kind::null;
}

std::string_view required(json_body& body, std::string_view name) {
  const auto text = body.text(name);
  if (!text && body.good())
    body.issue(std::string{name} + " is required");
  return text.value_or(std::string_view{});
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
  const auto text = required(body, name);
  const auto found = parse_address(text);
  if (body.good() && (!found || *found == address{}))
    body.issue(std::string{name} + " must be an address, 0x and 40 hexadecimal digits, not " + shown(text));
  return found.value_or(address{});
}

std::optional<std::string> read_username(json_body& body) {
  auto name = read_words_if_any(body, "username", 1, limits::handle_length_max);
  const auto good = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
  if (name && !std::all_of(name->begin(), name->end(), good))
    body.issue("username must have letters, digits and underscores only, not " + shown(*name));
  else if (name && (std::all_of(name->begin(), name->end(), [](char c) { return c >= '0' && c <= '9'; }) || lower_case(*name).starts_with("0x")))
    body.issue("username must not look like a number or an address, as " + shown(*name) + " does");
  return name;
}

/// Characters that are not seen: controls, zero widths, and those that turn the direction of what follows.
bool hides_something(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto at = [&](std::size_t n) { return i + n < text.size() ? static_cast<unsigned char>(text[i + n]) : 0U; };
    if (at(0) < 0x20 || at(0) == 0x7F || (at(0) == 0xC2 && at(1) < 0xA0))
      return true;
    if (at(0) == 0xE2
        && ((at(1) == 0x80 && ((at(2) >= 0x8B && at(2) <= 0x8F) || (at(2) >= 0xA8 && at(2) <= 0xAE))) || (at(1) == 0x81 && at(2) >= 0xA0)))
      return true;
    if (at(0) == 0xEF && at(1) == 0xBB && at(2) == 0xBF)
      return true;
  }
  return false;
}

std::optional<std::string> read_display_name(json_body& body) {
  auto name = read_words_if_any(body, "displayName", 1, limits::display_name_length_max);
  if (name && (hides_something(*name) || name->find_first_not_of(' ') == std::string::npos))
    body.issue("displayName must have characters that are seen, and none that are not");
  return name;
}

std::optional<std::string> read_avatar(json_body& body) {
  auto url = read_words_if_any(body, "avatarUrl", 1, limits::avatar_url_length_max);
  const auto printable = [](char c) { return c > ' ' && c < 0x7F && std::string_view{"\"'`<>()\\"}.find(c) == std::string_view::npos; };
  if (url && (!url->starts_with("https://") || url->size() == 8 || !std::all_of(url->begin(), url->end(), printable)))
    body.issue("avatarUrl must be an https:// URL");
  return url;
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
  const auto message = required(*body, "message");
  const auto signature = required(*body, "signature");
  if (!body->good() || !given.good())
    return checked(given, *body, std::move(out));
  auto claim = read_claim(message, signature, c.identity().for_login, c.now());
  if (!claim)
    return claim.why();
  if (!good_nonce(c.identity().tokens, claim->nonce.nonce, c.now()))
    return refusal{refusal_code::invalid_message, "the nonce must be a fresh one from GET /api/v2/auth/nonce"};
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
  out.display_name = read_display_name(*body);
  out.username = read_username(*body);
  out.avatar_url = read_avatar(*body);
  out.description = read_words_if_any(*body, "description", 0, limits::description_length_max);
  if (body->good() && !out.display_name && !out.username && !out.avatar_url && !out.description)
    body->issue("displayName, username, avatarUrl or description is required");
  return checked(given, *body, std::move(out));
}

std::string link_statement(profile_id to) { return std::string{link_statement_begin} + std::to_string(to.value) + "."; }

outcome<link_order> read_link_order(const call& c) {
  parameters given{c.query()};
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  const auto message = required(*body, "message");
  const auto signature = required(*body, "signature");
  link_order out;
  out.question.profile = c.caller()->profile;
  out.question.dry_run = read_dry_run(given);
  if (!body->good() || !given.good())
    return checked(given, *body, std::move(out));
  auto claim = read_claim(message, signature, c.identity().for_login, c.now());
  if (!claim)
    return claim.why();
  // Whoever signs must see whose the address becomes; what was signed for something else does not count here.
  if (const auto wanted = link_statement(out.question.profile); claim->statement != wanted)
    return refusal{refusal_code::invalid_message, "the statement of the message must be '" + wanted + "'"};
  if (is_sign_in_nonce(c.identity().tokens, claim->nonce.nonce))
    return refusal{refusal_code::invalid_message, "the nonce is one to sign in with; sign a message of its own, with another nonce"};
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
  return checked(given, *body, reputation::cancel_invitation{which.value_or(invitation_id{}), c.caller()->profile, read_dry_run(given)});
}

} // namespace credence::http::v2
