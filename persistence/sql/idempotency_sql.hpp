#pragma once

#include "actors/idempotency/idempotency_types.hpp"
#include "actors/kernel/write_context.hpp"
#include "persistence/readers/query_policy.hpp"
#include "persistence/writer/fact_sql.hpp"

#include <string>
#include <vector>

/// Idempotency records: statements and row mapping.
namespace credence {

namespace persistence {
/// What a request under an Idempotency-Key has done, and the table that it lies in.
struct effect_row {
  std::int16_t slot;
  digest32 id, fingerprint;
  timestamp at;
  std::string effect;
};
} // namespace persistence

CREDENCE_PART(persistence::effect_row, slot, id, fingerprint, at, effect);

namespace persistence {

/// Records lie in so many tables in turn, each for so long; a table is emptied when the youngest
/// record that may lie in it has been kept for its day.
inline constexpr std::int64_t record_slots = 8;
inline constexpr std::chrono::hours record_slot_length{4};

/// The table of a record, by the time of its request.
std::int16_t record_slot(timestamp at);
/// The tables that hold nothing any more that may be asked for, at this time.
std::vector<std::int16_t> forgotten_slots(timestamp now);

/// What has been done under Idempotency-Keys in one batch.
class effect_columns : public fact_columns<effect_row> {
public:
  static const statement how;
  void add(const write_context& context, std::string effect);
};

} // namespace persistence

} // namespace credence
