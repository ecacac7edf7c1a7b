#pragma once

#include "persistence/sql/record_lists_sql.hpp"

/// Posts of the broker, as clients read them.
namespace credence::persistence {

using broker_post_list = reputation::list_broker_posts::answer_type;
broker_post_list read(connection& on, const reputation::list_broker_posts& query, steady_time deadline);
template <>
inline constexpr manner manner_of<reputation::list_broker_posts> = list_a_page;

} // namespace credence::persistence
