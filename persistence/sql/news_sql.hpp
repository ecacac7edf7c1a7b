#pragma once

#include "actors/news/news_types.hpp"
#include "persistence/postgres/connection.hpp"
#include "persistence/readers/manner.hpp"

/// Whose posts are news: statements and row mapping.
namespace credence::persistence {

news::stored_x_accounts read(connection& on, const news::load_x_accounts& query, steady_time deadline);
template <>
inline constexpr manner manner_of<news::load_x_accounts> = list_a_page;

} // namespace credence::persistence
