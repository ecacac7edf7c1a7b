#pragma once

#include "actors/market/boards.hpp"

namespace credence::market {

/// A board that has read everything.
inline profit_board read_board(std::vector<stored_boards::price> prices) {
  profit_board out;
  while (const auto question = out.next())
    out.add(*question, {.prices = question->part == board_part::prices ? prices : decltype(prices){},
                        .shares = {},
                        .traders = {},
                        .xp = {}});
  return out;
}

} // namespace credence::market
