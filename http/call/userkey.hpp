#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/people/lookup_types.hpp"

#include <optional>
#include <string>
#include <string_view>

/// How clients name people, read strictly: what cannot name anybody is refused with what
/// would be right. None of these says that the person exists.
namespace credence::http {

/// A userkey in any of its forms (spec: "User lookup keys"): `address:0x…`,
/// `profileId:<number>`, `service:x.com:<id>`, `service:x.com:username:<handle>`,
/// `service:<discord|farcaster|github|telegram>:<id>`.
outcome<people::lookup_key> parse_userkey(std::string_view text);
/// The same, or the id of a profile alone: `7` is `profileId:7`.
outcome<people::lookup_key> parse_userkey_or_profile(std::string_view text);

/// What is wrong with the letters of a text that was read as an address, as what an address must have; nothing where
/// they are of one case, or of mixed case with the checksum of EIP-55. Another mixture is a slip of the pen or of a
/// program.
std::optional<std::string> checksum_flaw(std::string_view text, const address& read);

/// `0x` and 40 hex digits, of one case or with the checksum of EIP-55.
outcome<people::lookup_key> parse_address_key(std::string_view text);
/// The same, of a wallet that the service keeps.
outcome<people::lookup_key> parse_embedded_wallet(std::string_view text);
/// The key that an address is, as a form whose `text` holds one.
people::lookup_key key_of_address(const address& whose,
                                  people::lookup_key::form how = people::lookup_key::form::address);
/// The id of an account: digits; at github also letters and hyphens.
outcome<people::lookup_key> parse_account(people::account_service service, std::string_view id);
/// An x.com account by id or by handle, with or without a leading @. Digits alone are an
/// id first and a handle if no account has that id.
outcome<people::lookup_key> parse_x_account(std::string_view text);
/// A username of this service.
outcome<people::lookup_key> parse_username(std::string_view text);

} // namespace credence::http
