#pragma once

#include "actors/idempotency/idempotency_storage.hpp"
#include "actors/kernel/write_context.hpp"
#include "persistence/readers/manner.hpp"
#include "persistence/verify/promises.hpp"
#include "persistence/writer/fact_sql.hpp"

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// Idempotency records: statements and row mapping.
namespace credence::persistence {

/// Records lie in so many tables in turn, each for so long; a table is emptied when the youngest
/// record that may lie in it has been kept for its day.
inline constexpr std::int64_t record_slots = 8;
inline constexpr std::chrono::hours record_slot_length{4};

/// The table of a record, by the time of its request.
std::int16_t record_slot(timestamp at);
/// The tables that hold nothing any more that may be asked for, at this time.
std::vector<std::int16_t> forgotten_slots(timestamp now);

/// What has been done under Idempotency-Keys in one batch.
class effect_columns {
public:
  static const statement how;

  void clear();
  void add(const write_context& context, std::string_view effect);
  bool empty() const noexcept { return size_ == 0; }
  /// Valid until the next change of this object.
  const parameters& finish();

private:
  std::size_t size_ = 0;
  binary_array slot_{sql_type::int2};
  binary_array id_{sql_type::bytea};
  binary_array fingerprint_{sql_type::bytea};
  binary_array at_{sql_type::timestamptz};
  binary_array effect_{sql_type::text};
  parameters with_;
};

/// The first answer to a request stays.
template <>
struct sql_of<idempotency::answer_recorded> {
public:
  static statements_used used();
  void clear();
  void add(const idempotency::answer_recorded& answer, global_seq, batch_statements&);
  void finish(batch_statements& to);

private:
  binary_array slot_{sql_type::int2};
  fact_columns<idempotency::answer_recorded> rows_;
  parameters with_;
};

template <>
struct sql_of<idempotency::days_counted> {
public:
  static statements_used used();
  void clear();
  void add(const idempotency::days_counted& change, global_seq, batch_statements&);
  void finish(batch_statements& to);

private:
  std::map<std::pair<profile_id, std::string>, idempotency::day_count> last_; // a statement writes a row once
  fact_columns<idempotency::day_count> counts_;
};

/// What is kept under keys, in the order asked: of each the newest request.
std::vector<idempotency::stored_record> read(connection& on, std::span<const idempotency::load_record> which,
                                             steady_time deadline);
template <>
inline constexpr manner manner_of<idempotency::load_record> = load_in_groups;

/// What profiles have used up of a day's bounds, in the order asked.
std::vector<idempotency::stored_day> read(connection& on, std::span<const idempotency::load_day> which,
                                          steady_time deadline);
template <>
inline constexpr manner manner_of<idempotency::load_day> = load_in_groups;

} // namespace credence::persistence
