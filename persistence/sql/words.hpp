#pragma once

#include "actors/domain/field_list.hpp"
#include "actors/listing/listing_parts.hpp"
#include "actors/people/lookup_types.hpp"
#include "actors/people/user_types.hpp"
#include "actors/profile/xp_types.hpp"

#include <array>
#include <span>
#include <string_view>

/// How enumerations that several entities share are written in the database. Those of one entity stand beside its
/// description (`actors/<entity>/<entity>_storage.hpp`).
namespace credence {

namespace detail {
inline constexpr std::array<std::string_view, 3> status_words{"ACTIVE", "INACTIVE", "MERGED"};
inline constexpr std::array<std::string_view, 4> verification_words{"REQUESTED", "VERIFIED", "REVOKED", "PENDING"};
inline constexpr std::array<std::string_view, 4> address_words{"primary", "linked", "embedded", "smart"};
} // namespace detail

template <>
inline constexpr std::span<const std::string_view> words_of<people::account_service> = people::service_names;
template <>
inline constexpr std::span<const std::string_view> words_of<profile::tip_source_kind> = profile::tip_source_names;
template <>
inline constexpr std::span<const std::string_view> words_of<listing::link_type> = listing::link_type_names;
template <>
inline constexpr std::span<const std::string_view> words_of<people::user_status> = detail::status_words;
template <>
inline constexpr std::span<const std::string_view> words_of<people::human_verification> = detail::verification_words;
template <>
inline constexpr std::span<const std::string_view> words_of<people::address_kind> = detail::address_words;

} // namespace credence
