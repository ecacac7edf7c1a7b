#pragma once

#include "actors/news/news_types.hpp"
#include "persistence/postgres/connection.hpp"

/// Whose posts are news: statements and row mapping.
namespace credence::persistence {

news::stored_x_accounts read_x_accounts(connection& on, const news::load_x_accounts& asked, steady_time deadline);

} // namespace credence::persistence
