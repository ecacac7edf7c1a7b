#pragma once

#include "actors/profile/credential_types.hpp"
#include "http/call/json_writer.hpp"

#include <string>
#include <vector>

/// API keys as JSON.
namespace credence::http {

/// `{id, token, name, expiresAt, scopes?, allowedNetworks?}`: a key as it is told once, when it is made.
void encode(json_writer& to, const profile::api_key& key, const std::string& token);
/// The keys of a profile, without their tokens.
void encode(json_writer& to, const std::vector<profile::api_key>& keys);

} // namespace credence::http
