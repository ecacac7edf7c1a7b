#pragma once

#include "http/admin/clients/handlers.hpp"
#include "http/admin/declare.hpp"

#include <array>

namespace credence::http::admin::declare {

inline constexpr std::array client_routes{
  viewer_watches("/admin/api/v1/clients", get_clients, "clients"),
  viewer_reads("/admin/api/v1/clients/deprecated", get_deprecated_calls),
  viewer_reads("/admin/api/v1/clients/budgets", get_budgets),
  viewer_reads("/admin/api/v1/keys", get_keys),
  operator_writes("/admin/api/v1/profiles/{profileId}/keys/{keyId}", delete_key, method::del),
};

} // namespace credence::http::admin::declare
