#pragma once

#include "actors/kernel/load.hpp"
#include "actors/news/news_types.hpp"

/// What is read for news.
namespace credence::news {
/// What is written and what is asked.
struct storage {
  using facts = types<>;
  using loads = types<load<load_x_accounts, stored_x_accounts>>;
};
} // namespace credence::news
