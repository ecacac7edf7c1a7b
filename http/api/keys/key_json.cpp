#include "http/api/keys/key_json.hpp"

#include "auth/address.hpp"

namespace credence::http {

namespace {

/// Of a key that was narrowed; of others there is nothing to tell.
void encode_bounds(json_writer& to, const profile::key_bounds& bounds) {
  if (bounds.scopes) {
    to.key("scopes");
    to.begin_array();
    for (std::size_t i = 1; i < scope_names.size(); ++i)
      if (bounds.scopes->has(static_cast<scope>(i)))
        to.value(scope_names[i]);
    to.end_array();
  }
  if (!bounds.networks.empty()) {
    to.key("allowedNetworks");
    to.begin_array();
    for (const auto& each : bounds.networks)
      to.value(each);
    to.end_array();
  }
}

} // namespace

void encode(json_writer& to, const profile::api_key& key, const std::string& token) {
  to.begin_object();
  to.field("id", key.id);
  to.field("token", token);
  to.field("name", key.name);
  to.field("expiresAt", key.expires_at);
  encode_bounds(to, key.bounds);
  to.end_object();
}

void encode(json_writer& to, const std::vector<profile::api_key>& keys) {
  to.begin_array();
  for (const auto& each : keys) {
    to.begin_object();
    to.field("address", auth::checksummed_text(each.signer));
    to.field("createdAt", each.created_at);
    to.field("expiresAt", each.expires_at);
    to.field("id", each.id);
    to.field("lastUsedAt", each.last_used_at);
    to.field("name", each.name);
    to.field("profileId", each.profile);
    encode_bounds(to, each.bounds);
    to.end_object();
  }
  to.end_array();
}

} // namespace credence::http
