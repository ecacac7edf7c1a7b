#include "http/routes.hpp"

#include "http/api/activities/routes.hpp"
#include "http/api/attestations/routes.hpp"
#include "http/api/bonds/routes.hpp"
#include "http/api/broker/routes.hpp"
#include "http/api/catalogue/routes.hpp"
#include "http/api/chain/routes.hpp"
#include "http/api/discussions/routes.hpp"
#include "http/api/health/routes.hpp"
#include "http/api/keys/routes.hpp"
#include "http/api/legacy/routes.hpp"
#include "http/api/markets/routes.hpp"
#include "http/api/notifications/routes.hpp"
#include "http/api/people/routes.hpp"
#include "http/api/profiles/routes.hpp"
#include "http/api/projects/routes.hpp"
#include "http/api/reference/routes.hpp"
#include "http/api/reviews/routes.hpp"
#include "http/api/score/routes.hpp"
#include "http/api/sessions/routes.hpp"
#include "http/api/slashes/routes.hpp"
#include "http/api/tips/routes.hpp"
#include "http/api/validators/routes.hpp"
#include "http/api/verifications/routes.hpp"
#include "http/api/vouches/routes.hpp"
#include "http/api/wallets/routes.hpp"
#include "http/api/xp/routes.hpp"
#ifdef CREDENCE_EXAMPLE
#include "tests/example/routes.hpp"
#endif

#include <algorithm>

namespace credence::http {

namespace {

constexpr auto table = joined_routes(
  declare::project_routes, declare::people_routes, declare::market_routes, declare::slash_routes, declare::key_routes,
  declare::session_routes, declare::tip_routes, declare::health_routes, declare::review_routes, declare::profile_routes,
  declare::vouch_routes, declare::discussion_routes, declare::catalogue_routes, declare::attestation_routes,
  declare::verification_routes, declare::bond_routes, declare::score_routes, declare::activity_routes,
  declare::chain_routes, declare::xp_routes, declare::notification_routes, declare::legacy_routes,
  declare::validator_routes, declare::broker_routes, declare::wallet_routes, declare::reference_routes
#ifdef CREDENCE_EXAMPLE
  ,
  declare::note_routes
#endif
);

static_assert(std::all_of(table.begin(), table.end(), declares_idempotency),
              "a write says who answers it when it comes again; nothing else does");
static_assert(std::all_of(table.begin(), table.end(), declares_daily_bound),
              "a write says what bounds it a day (a_day); nothing else does");

} // namespace

std::span<const route> routes() { return table; }

} // namespace credence::http
