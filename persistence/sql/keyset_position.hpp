#pragma once

#include "actors/domain/page.hpp"
#include "persistence/postgres/connection.hpp"

namespace credence::persistence {

inline constexpr std::int32_t page_marked_every = 256; // as the triggers do

/// Where in a list that only grows a page begins: at a marked row (`page_marks`, one in 256) or at
/// the newest, and some rows after it. So a page costs what it carries, however deep it lies.
struct keyset_position {
  std::int64_t total = 0;        // rows of the list
  std::int64_t mark = 0;         // the marked row's ordinal; 0: the newest
  std::int64_t skipped_rows = 0; // rows between that one and the page
  bool empty = true;             // the page has no rows, so nothing needs to be read
};

/// Of one row: how long the list is (`total`), and the first mark that is not before the page (`ordinal`), if any.
inline keyset_position place_from(const rows& found, const page& slice) {
  keyset_position out;
  out.total = found.first<std::int64_t>("total");
  const auto first = out.total - slice.offset;
  if (first <= 0)
    return out;
  out.mark = found.first<std::optional<std::int64_t>>("ordinal").value_or(0);
  out.skipped_rows = (out.mark == 0 ? out.total : out.mark) - first;
  out.empty = false;
  return out;
}

} // namespace credence::persistence
