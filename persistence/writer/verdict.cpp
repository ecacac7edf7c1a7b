#include "persistence/writer/verdict.hpp"

namespace credence::persistence {

verdict verdict_on(const database_error& why) {
  const auto& state = why.sqlstate();
  const auto group = why.sqlclass();
  // CR001: not the owner any more. CR002: does not follow the last batch that is there.
  if (state == "CR001" || state == "CR002")
    return verdict::fenced;
  if (state == "CR004")
    return verdict::lock_timeout;
  if (state == "40001" || state == "40P01")
    return verdict::conflict;
  if (state == "57014")
    return verdict::too_long;
  // 22, 23: data and constraints; CR, P0: our own triggers; 21, 27: rows that clash.
  if (group == "22" || group == "23" || group == "CR" || group == "P0" || group == "21" || group == "27")
    return verdict::bad_change;
  if (group == "53" || group == "55" || group == "57" || group == "58")
    return verdict::retryable;
  return verdict::session_unusable;
}

} // namespace credence::persistence
