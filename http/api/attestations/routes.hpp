#pragma once

#include "http/api/attestations/handlers.hpp"
#include "http/api/declare.hpp"

#include <array>

namespace credence::http::declare {

inline constexpr std::array attestation_routes{
  a_day(by_owner(records("/api/v2/attestations/create", v2::post_attestation, v2::replay_post_attestation)),
        daily_act::attestations),
  reads("/api/v2/attestations/{id}", v2::get_attestation),
  a_day(
    by_owner(records("/api/v2/attestations/{id}/archive", v2::post_attestation_archive, v2::replay_change_attestation)),
    daily_act::attestations),
  a_day(
    by_owner(records("/api/v2/attestations/{id}/restore", v2::post_attestation_restore, v2::replay_change_attestation)),
    daily_act::attestations),
};

} // namespace credence::http::declare
