#pragma once

#include "actors/listing/listing_parts.hpp"
#include "actors/people/lookup_types.hpp"
#include "actors/people/user_types.hpp"
#include "actors/profile/xp_types.hpp"
#include "persistence/postgres/column.hpp"

#include <array>
#include <span>
#include <string_view>

/// How enumerations are written in the database: a `column` of one is read by these words, which stand in its order.
namespace credence::persistence {

namespace detail {
using words = std::span<const std::string_view>;
} // namespace detail

template <>
inline constexpr detail::words words_of<people::account_service> = people::service_names;
template <>
inline constexpr detail::words words_of<profile::tip_source_kind> = profile::tip_source_names;

namespace detail {
inline constexpr std::array<std::string_view, 3> status_words{"ACTIVE", "INACTIVE", "MERGED"};
inline constexpr std::array<std::string_view, 4> verification_words{"REQUESTED", "VERIFIED", "REVOKED", "PENDING"};
inline constexpr std::array<std::string_view, 4> address_words{"primary", "linked", "embedded", "smart"};
} // namespace detail

template <>
inline constexpr detail::words words_of<listing::link_type> = listing::link_type_names;
template <>
inline constexpr detail::words words_of<people::user_status> = detail::status_words;
template <>
inline constexpr detail::words words_of<people::human_verification> = detail::verification_words;
template <>
inline constexpr detail::words words_of<people::address_kind> = detail::address_words;

} // namespace credence::persistence
