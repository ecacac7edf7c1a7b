#pragma once

#include "actors/slash/slash_types.hpp"
#include "persistence/sql/words.hpp"

/// How the enumerations of slashes are written in the database (words.hpp).
namespace credence::persistence {

template <>
inline constexpr detail::words words_of<slash::slash_type> = slash::type_names;
template <>
inline constexpr detail::words words_of<slash::verdict> = slash::verdict_names;
template <>
inline constexpr detail::words words_of<slash::role> = slash::role_names;

} // namespace credence::persistence
