#include "http/admin/routes.hpp"

#include "http/admin/actors/routes.hpp"
#include "http/admin/audit/routes.hpp"
#include "http/admin/chain/routes.hpp"
#include "http/admin/clients/routes.hpp"
#include "http/admin/integrity/routes.hpp"
#include "http/admin/live/routes.hpp"
#include "http/admin/logs/routes.hpp"
#include "http/admin/overview/routes.hpp"
#include "http/admin/periods/routes.hpp"
#include "http/admin/records/routes.hpp"
#include "http/admin/reference/routes.hpp"
#include "http/admin/session/routes.hpp"
#include "http/admin/settings/routes.hpp"
#include "http/admin/store/routes.hpp"

namespace credence::http::admin {

namespace {

constexpr auto table =
  joined_routes(declare::session_routes, declare::overview_routes, declare::period_routes, declare::actor_routes,
                declare::store_routes, declare::client_routes, declare::record_routes, declare::integrity_routes,
                declare::chain_routes, declare::log_routes, declare::audit_routes, declare::setting_routes,
                declare::live_routes, declare::reference_routes);

} // namespace

std::span<const route> routes() { return table; }

} // namespace credence::http::admin
