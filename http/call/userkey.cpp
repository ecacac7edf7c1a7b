#include "http/call/userkey.hpp"

#include "actors/domain/text.hpp"
#include "config/limits.hpp"
#include "http/call/json_body.hpp"
#include "http/call/parameters.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace credence::http {

namespace {

using people::account_service;
using people::lookup_key;
using form = lookup_key::form;

refusal bad(std::string text, std::string_view given) {
  return {refusal_code::invalid_input, std::move(text) + ", not " + shown(given)};
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

template <class May>
bool consists_of(std::string_view text, std::size_t most, May may) {
  return !text.empty() && text.size() <= most && std::all_of(text.begin(), text.end(), may);
}

bool is_handle(std::string_view text) {
  return consists_of(text, limits::handle_length_max, [](char c) { return is_digit(c) || is_letter(c) || c == '_'; });
}

bool is_account(account_service service, std::string_view id) {
  const bool letters = service == account_service::github;
  return consists_of(id, limits::account_id_length_max,
                     [=](char c) { return is_digit(c) || (letters && (is_letter(c) || c == '-')); });
}

/// What follows `prefix`; nothing when `text` does not begin with it.
std::optional<std::string_view> behind(std::string_view prefix, std::string_view text) {
  if (!text.starts_with(prefix))
    return std::nullopt;
  return text.substr(prefix.size());
}

outcome<lookup_key> address_as(form how, std::string_view text) {
  const auto address = parse_address(text);
  if (!address)
    return bad("an address must be 0x and 40 hexadecimal digits", text);
  if (const auto flaw = checksum_flaw(text, *address))
    return refusal{refusal_code::invalid_input, "an address must " + *flaw};
  return key_of_address(*address, how);
}

outcome<lookup_key> parse_profile(std::string_view text) {
  const auto number = parse_integer(text);
  if (!number || *number < 1 || *number > limits::id_max)
    return bad("a profile id must be an integer from 1 to " + std::to_string(limits::id_max), text);
  return lookup_key{.how = form::profile, .number = static_cast<std::int32_t>(*number)};
}

outcome<lookup_key> parse_handle(std::string_view text) {
  if (!is_handle(text))
    return bad("an x.com username must have 1 to " + std::to_string(limits::handle_length_max)
                 + " letters, digits and underscores",
               text);
  return lookup_key{.how = form::x_handle, .text = lower_case(text)};
}

/// `given` is the whole userkey, `text` what follows `service:`.
outcome<lookup_key> parse_service(std::string_view text, std::string_view given) {
  if (const auto handle = behind("x.com:username:", text))
    return parse_handle(*handle);
  const auto colon = text.find(':');
  const auto& names = people::service_names;
  const auto service = std::find(names.begin(), names.end(), text.substr(0, colon));
  if (colon == std::string_view::npos || service == names.end())
    return bad("a service must be x.com, discord, farcaster, github or telegram, followed by ':' and an account's id",
               given);
  return parse_account(static_cast<account_service>(service - names.begin()), text.substr(colon + 1));
}

} // namespace

outcome<lookup_key> parse_userkey(std::string_view text) {
  if (const auto address = behind("address:", text))
    return parse_address_key(*address);
  if (const auto number = behind("profileId:", text))
    return parse_profile(*number);
  if (const auto service = behind("service:", text))
    return parse_service(*service, text);
  return bad("a userkey must be address:<0x address>, profileId:<number>, service:x.com:<id>,"
             " service:x.com:username:<handle> or service:<discord|farcaster|github|telegram>:<id>",
             text);
}

outcome<lookup_key> parse_userkey_or_profile(std::string_view text) {
  return consists_of(text, text.size(), is_digit) ? parse_profile(text) : parse_userkey(text);
}

lookup_key key_of_address(const address& whose, form how) {
  lookup_key out{.how = how};
  for (const auto byte : whose.bytes)
    out.text += static_cast<char>(byte);
  return out;
}

std::optional<std::string> checksum_flaw(std::string_view text, const address& read) {
  const auto has = [digits = text.substr(2)](char first, char last) {
    return std::any_of(digits.begin(), digits.end(), [=](char c) { return c >= first && c <= last; });
  };
  if (!has('a', 'f') || !has('A', 'F'))
    return std::nullopt;
  const auto right = checksummed_text(read);
  if (text == right)
    return std::nullopt;
  return "have letters of one case, or the checksum of EIP-55 in them, not " + shown(text)
         + "; the right form of that is " + right;
}

outcome<lookup_key> parse_address_key(std::string_view text) { return address_as(form::address, text); }

outcome<lookup_key> parse_embedded_wallet(std::string_view text) { return address_as(form::embedded_wallet, text); }

outcome<lookup_key> parse_account(account_service service, std::string_view id) {
  if (!is_account(service, id))
    return bad("the id of an account at " + std::string{name_of(service)} + " must have 1 to "
                 + std::to_string(limits::account_id_length_max) + " digits"
                 + (service == account_service::github ? ", letters and hyphens" : ""),
               id);
  return lookup_key{.how = form::account, .service = service, .text = std::string{id}};
}

outcome<lookup_key> parse_x_account(std::string_view text) {
  const auto name = text.starts_with('@') ? text.substr(1) : text;
  if (is_account(account_service::x, text))
    return lookup_key{.how = form::x_account_or_handle, .text = std::string{text}};
  if (is_handle(name))
    return lookup_key{.how = form::x_handle, .text = lower_case(name)};
  return bad("an x.com account must be its id or its username of 1 to " + std::to_string(limits::handle_length_max)
               + " letters, digits and underscores",
             text);
}

outcome<lookup_key> parse_username(std::string_view text) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  const auto length = characters(text);
  if (length < 1 || length > limits::username_length_max || std::any_of(text.begin(), text.end(), control))
    return bad("a username must have 1 to " + std::to_string(limits::username_length_max) + " characters", text);
  return lookup_key{.how = form::username, .text = lower_case(text)};
}

} // namespace credence::http
