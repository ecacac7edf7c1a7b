#pragma once

#include "http/admin/chain/handlers.hpp"
#include "http/admin/declare.hpp"

#include <array>

namespace credence::http::admin::declare {

inline constexpr std::array chain_routes{
  viewer_watches("/admin/api/v1/chain", get_chain, "chain"),
  viewer_reads("/admin/api/v1/chain/failed", get_failed_events),
  operator_writes("/admin/api/v1/chain/texts/retry", post_texts_retry),
  admin_writes("/admin/api/v1/chain/reprocess", post_reprocess),
};

} // namespace credence::http::admin::declare
