#include "persistence/sql/idempotency_sql.hpp"

#include "persistence/sql/in_order.hpp"

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

void effect_columns::clear() {
  size_ = 0;
  for (auto* each : {&slot_, &id_, &fingerprint_, &at_, &effect_})
    each->clear();
}

void effect_columns::add(const write_context& context, std::string_view effect) {
  ++size_;
  slot_.int2(record_slot(context.at()));
  id_.bytes(context.id());
  fingerprint_.bytes(context.fingerprint());
  at_.time(context.at());
  effect_.text(effect);
}

const parameters& effect_columns::finish() {
  with_.clear();
  for (auto* each : {&slot_, &id_, &fingerprint_, &at_, &effect_})
    with_.array(*each);
  return with_;
}

namespace {

const statement record_answers{
  "record_answers",
  "INSERT INTO idempotency_records AS r (answered, id, fingerprint, at, status, body, slot)"
  " SELECT true, u.* FROM unnest($1::bytea[], $2::bytea[], $3::timestamptz[], $4::int2[], $5::bytea[], $6::int2[]) u"
  " ON CONFLICT (id, answered, slot) DO UPDATE SET fingerprint = excluded.fingerprint, at = excluded.at,"
  " status = excluded.status, body = excluded.body WHERE r.at < excluded.at"};

} // namespace

statements_used sql_of<idempotency::answer_recorded>::used() { return {&record_answers}; }

void sql_of<idempotency::answer_recorded>::clear() {
  slot_.clear();
  rows_.clear();
}

void sql_of<idempotency::answer_recorded>::add(const idempotency::answer_recorded& answer, global_seq,
                                               batch_statements&) {
  slot_.int2(record_slot(answer.at));
  rows_.add(answer);
}

void sql_of<idempotency::answer_recorded>::finish(batch_statements& to) {
  if (rows_.empty())
    return;
  with_ = rows_.finish();
  to.borrow(record_answers, with_.array(slot_));
}

namespace {

const statement count_days{"count_days",
                           "INSERT INTO daily_acts (profile_id, act, day, used)"
                           " SELECT * FROM unnest($1::int4[], $2::text[], $3::date[], $4::int8[])"
                           " ON CONFLICT (profile_id, act) DO UPDATE SET day = excluded.day, used = excluded.used"};

} // namespace

statements_used sql_of<idempotency::days_counted>::used() { return {&count_days}; }
void sql_of<idempotency::days_counted>::clear() {
  last_.clear();
  counts_.clear();
}
void sql_of<idempotency::days_counted>::add(const idempotency::days_counted& change, global_seq, batch_statements&) {
  for (const auto& each : change.counts)
    last_.insert_or_assign({each.profile, each.act}, each);
}
void sql_of<idempotency::days_counted>::finish(batch_statements& to) {
  if (last_.empty())
    return;
  for (const auto& [whose, each] : last_)
    counts_.add(each);
  to.borrow(count_days, counts_.finish());
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

std::vector<idempotency::stored_record> read(connection& on, std::span<const idempotency::load_record> which,
                                             steady_time deadline) {
  std::vector<idempotency::stored_record> out(which.size());
  binary_array ids{sql_type::bytea};
  binary_array since{sql_type::timestamptz};
  for (const auto& each : which) {
    ids.bytes(each.id);
    since.time(each.since);
  }
  const auto found = on.run(idempotency_records_sql, parameters{}.array(ids).array(since), deadline);
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

namespace {

constexpr auto daily_acts_sql =
  "SELECT k.place, d.profile_id, d.act, d.day, d.used"
  " FROM unnest($1::int4[]) WITH ORDINALITY k(id, place) JOIN daily_acts d ON d.profile_id = k.id";

} // namespace

std::vector<idempotency::stored_day> read(connection& on, std::span<const idempotency::load_day> which,
                                          steady_time deadline) {
  std::vector<idempotency::stored_day> out(which.size());
  auto profiles = ids_of(which, &idempotency::load_day::profile);
  const auto found = on.run(daily_acts_sql, parameters{}.array(profiles), deadline);
  const places place{found};
  const column<profile_id> profile{found, "profile_id"};
  const column<std::string> act{found, "act"};
  const column<std::chrono::sys_days> day{found, "day"};
  const column<std::int64_t> used{found, "used"};
  for (int i = 0; i < found.count(); ++i)
    out.at(place[i]).counts.push_back({profile[i], act[i], day[i], used[i]});
  return out;
}

} // namespace credence::persistence
