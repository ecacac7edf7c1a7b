#pragma once

#include "actors/reputation/join_types.hpp"
#include "actors/reputation/reply_types.hpp"
#include "actors/reputation/verification_types.hpp"
#include "actors/reputation/vouch_types.hpp"
#include "persistence/sql/words.hpp"

/// How the enumerations of records are written in the database (words.hpp).
namespace credence::persistence {

template <>
inline constexpr detail::words words_of<reputation::invitation_status> = reputation::invitation_status_names;
template <>
inline constexpr detail::words words_of<reputation::verification_method> = reputation::verification_method_names;
template <>
inline constexpr detail::words words_of<reputation::vouch_token> = reputation::vouch_token_names;
template <>
inline constexpr detail::words words_of<reputation::activity_kind> = reputation::activity_kind_names;

} // namespace credence::persistence
