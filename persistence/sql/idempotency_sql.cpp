#include "persistence/sql/idempotency_sql.hpp"

#include <map>
#include <utility>

namespace credence::persistence {

namespace {

/// The times of all requests whose records lie together.
std::int64_t stretch(timestamp at) {
  return std::chrono::floor<std::chrono::hours>(at).time_since_epoch() / record_slot_length;
}

std::int16_t slot_of(std::int64_t which) { return static_cast<std::int16_t>(which % record_slots); }

/// A table is not emptied as soon as it could be: clocks differ by seconds, look-ups take some.
constexpr std::chrono::minutes forgotten_after{5};

} // namespace

std::int16_t record_slot(timestamp at) { return slot_of(stretch(at)); }

std::vector<std::int16_t> forgotten_slots(timestamp now) {
  const auto oldest = stretch(now - idempotency::kept_for - forgotten_after);
  const auto newest = stretch(now + forgotten_after);
  std::vector<std::int16_t> out;
  for (auto each = newest + 1; each < oldest + record_slots; ++each)
    out.push_back(slot_of(each));
  return out;
}

// -- writing --------------------------------------------------------------------------------

const statement effect_columns::how{
  "record_effects", "SELECT record_effects($1::int2[], $2::bytea[], $3::bytea[], $4::timestamptz[], $5::text[])"};

void effect_columns::add(const write_context& context, std::string effect) {
  fact_columns::add({record_slot(context.at()), context.id(), context.fingerprint(), context.at(), std::move(effect)});
}

namespace {

const statement record_answers{
  "record_answers",
  "INSERT INTO idempotency_records AS r (answered, id, fingerprint, at, status, body, slot)"
  " SELECT true, u.* FROM unnest($1::bytea[], $2::bytea[], $3::timestamptz[], $4::int2[], $5::bytea[], $6::int2[]) u"
  " ON CONFLICT (id, answered, slot) DO UPDATE SET fingerprint = excluded.fingerprint, at = excluded.at,"
  " status = excluded.status, body = excluded.body WHERE r.at < excluded.at"};

class answers final : public sql_of_kind<idempotency::answer_recorded> {
public:
  using sql_of_kind::sql_of_kind;
  void clear() override {
    slot_.clear();
    rows_.clear();
  }
  void finish(batch_statements& to) override {
    if (rows_.empty())
      return;
    with_ = rows_.finish();
    to.borrow(record_answers, with_.array(slot_));
  }

private:
  void write(const idempotency::answer_recorded& answer, global_seq, batch_statements&) override {
    slot_.int2(record_slot(answer.at));
    rows_.add(answer);
  }

  binary_array slot_{sql_type::int2};
  fact_columns<idempotency::answer_recorded> rows_;
  parameters with_;
};

} // namespace

/// The first answer to a request stays.
fact_sql_ptr sql_of(kind<idempotency::answer_recorded>) {
  return std::make_unique<answers>(statements_used{&record_answers});
}

namespace {

const statement count_days{"count_days",
                           "INSERT INTO daily_acts (profile_id, act, day, used)"
                           " SELECT * FROM unnest($1::int4[], $2::text[], $3::date[], $4::int8[])"
                           " ON CONFLICT (profile_id, act) DO UPDATE SET day = excluded.day, used = excluded.used"};

class day_counts final : public sql_of_kind<idempotency::days_counted> {
public:
  using sql_of_kind::sql_of_kind;
  void clear() override {
    last_.clear();
    counts_.clear();
  }
  void finish(batch_statements& to) override {
    if (last_.empty())
      return;
    for (const auto& [whose, each] : last_)
      counts_.add(each);
    to.borrow(count_days, counts_.finish());
  }

private:
  void write(const idempotency::days_counted& change, global_seq, batch_statements&) override {
    for (const auto& each : change.counts)
      last_.insert_or_assign({each.profile, each.act}, each);
  }

  std::map<std::pair<profile_id, std::string>, idempotency::day_count> last_; // a statement writes a row once
  fact_columns<idempotency::day_count> counts_;
};

} // namespace

fact_sql_ptr sql_of(kind<idempotency::days_counted>) {
  return std::make_unique<day_counts>(statements_used{&count_days});
}

// -- reading --------------------------------------------------------------------------------

namespace {

// A descent of the index of each table, whatever the plan around it.
constexpr auto idempotency_records_sql =
  "SELECT k.place, r.fingerprint, r.at, r.effect, r.status, r.body"
  " FROM unnest($1::bytea[], $2::timestamptz[]) WITH ORDINALITY k(id, since, place), LATERAL (SELECT fingerprint, at, "
  "effect, status, body"
  "  FROM idempotency_records WHERE id = k.id AND at > k.since OFFSET 0) r ORDER BY k.place, r.at DESC";

} // namespace

/// What is kept under keys, in the order asked: of each the newest request.
std::vector<idempotency::stored_record> read(connection& on, std::span<const idempotency::load_record> which,
                                             steady_time deadline) {
  std::vector<idempotency::stored_record> out(which.size());
  using of = idempotency::load_record;
  const auto found =
    on.run(idempotency_records_sql, with(array_of(which, &of::id), array_of(which, &of::since)), deadline);
  const places place{found};
  const column<digest32> fingerprint{found, "fingerprint"};
  const column<timestamp> at{found, "at"};
  const column<std::optional<std::string>> effect{found, "effect"};
  const column<std::optional<std::int16_t>> status{found, "status"}; // null: the row of the effect
  const column<std::optional<std::string>> body{found, "body"};
  for (int i = 0; i < found.count(); ++i) {
    auto& record = out.at(place[i]);
    if (record.exists && record.at != at[i])
      continue; // of a request before it
    record.exists = true;
    record.fingerprint = fingerprint[i];
    record.at = at[i];
    if (const auto answered = status[i]) {
      record.record.status = *answered;
      record.record.body = body[i].value();
    } else {
      record.record.effect = effect[i].value();
    }
  }
  return out;
}
load_handler handler(asked<idempotency::load_record> it) { return reads<load_in_groups, idempotency::storage>(it); }

namespace {

constexpr auto daily_acts_sql =
  "SELECT k.place, d.profile_id, d.act, d.day, d.used"
  " FROM unnest($1::int4[]) WITH ORDINALITY k(id, place) JOIN daily_acts d ON d.profile_id = k.id";

} // namespace

/// What profiles have used up of a day's bounds, in the order asked.
std::vector<idempotency::stored_day> read(connection& on, std::span<const idempotency::load_day> which,
                                          steady_time deadline) {
  std::vector<idempotency::stored_day> out(which.size());
  const auto found = on.run(daily_acts_sql, with(array_of(which, &idempotency::load_day::profile)), deadline);
  const auto counts = records_in(found, part<idempotency::day_count>::fields);
  const places place{found};
  for (int i = 0; i < found.count(); ++i)
    out.at(place[i]).counts.push_back(counts[i]);
  return out;
}
load_handler handler(asked<idempotency::load_day> it) { return reads<load_in_groups, idempotency::storage>(it); }

} // namespace credence::persistence
