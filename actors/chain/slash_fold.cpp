#include "actors/chain/chain_records.hpp"
#include "actors/chain/chain_state.hpp"
#include "actors/chain/folding.hpp"

#include "config/limits.hpp"

#include <limits>

/// Slashes: opened, edited, extended and ended by events, and closed by their time before the first event at or past
/// their end.
namespace credence::chain {

namespace {

constexpr auto int4_max = std::numeric_limits<std::int32_t>::max();

/// Whether a slash of that length ends in a time that can be told.
bool ends_in_time(unix_time created_at, span_of_time duration) {
  return duration.seconds <= int4_max && created_at.seconds <= limits::unix_seconds_max - duration.seconds;
}

} // namespace

bool has_due_slashes(const chain_rows& rows, unix_time at) {
  const auto next = rows.slashes.least_index();
  return next && *next <= at;
}

int close_some_slashes(chain_rows& rows, unix_time at, int most) {
  int closed = 0;
  for (auto next = rows.slashes.least_index(); next && *next <= at; next = rows.slashes.least_index())
    for (const auto which : rows.slashes.with(*next)) {
      if (closed == most)
        return closed;
      ++closed;
      auto row = *rows.slashes.find(which);
      row.ended_by = slash_end::time;
      row.closed_at = *next;
      rows.slashes.put(which, std::move(row));
    }
  return closed;
}

void close_due_slashes(chain_rows& rows, unix_time at) { close_some_slashes(rows, at, int4_max); }

bool ends_slash(const event& entry) {
  return holds_alternative<slash_events::slash_resolved>(entry)
         || holds_alternative<slash_events::slash_cancelled>(entry);
}

void folding::on(const slash_events::slash_created& made) {
  const auto number = ours(made.id);
  const auto author = ours(made.author_profile);
  const bool of_account = made.attestation_hash != digest32{}, of_address = made.subject != address{};
  if (of_account == of_address || made.amount > uint256{static_cast<std::uint64_t>(int4_max)})
    fail(failed(decode_error::bad_word));
  if (!ends_in_time(made.created_at, made.duration))
    fail(failed(decode_error::bad_time));
  expect_none(rows_.slashes, number);
  existing_profile(author);
  slash_row row;
  row.author = author;
  row.subject = of_account ? subject_key{made.attestation_hash} : subject_key{made.subject};
  row.user = user_named(row.subject);
  if (const auto* whom = rows_.users.find(row.user))
    row.subject_profile = whom->profile;
  row.type = made.type;
  row.amount = static_cast<std::int32_t>(made.amount);
  row.duration_s = static_cast<std::int32_t>(made.duration.seconds);
  row.comment = beginning_of(made.comment);
  row.metadata = beginning_of(made.metadata);
  row.created_at = made.created_at;
  if (made.cancelled_at.seconds > 0)
    end_slash(row, slash_end::cancelled, made.cancelled_at);
  rows_.slashes.put(number, std::move(row));
}

/// Whom an address or an account's hash names now; 0: nobody.
user_id folding::user_named(const subject_key& key) const {
  if (const auto* which = std::get_if<address>(&key))
    if (const auto* known = rows_.addresses.find(*which))
      return known->user;
  const auto place = rows_.newest(key);
  return place ? rows_.subjects.find(*place)->user : user_id{};
}

void folding::end_slash(slash_row& row, slash_end how, unix_time at) {
  row.ended_by = how;
  row.closed_at = at;
}

template <class Change>
void folding::change_slash(const onchain_slash& which, Change change) {
  const auto number = ours(which);
  const auto& found = existing(rows_.slashes, number, "slash");
  auto row = found;
  change(row);
  if (!(row == found))
    rows_.slashes.put(number, std::move(row));
}

void folding::on(const slash_events::slash_edited& edited) {
  change_slash(edited.id, [&](slash_row& row) {
    row.comment = beginning_of(edited.new_comment);
    row.metadata = beginning_of(edited.new_metadata);
  });
}

/// One that its time alone has closed is open again, until the new end.
void folding::on(const slash_events::slash_extended& longer) {
  change_slash(longer.id, [&](slash_row& row) {
    if (!ends_in_time(row.created_at, longer.new_duration))
      fail(failed(decode_error::bad_time));
    row.duration_s = static_cast<std::int32_t>(longer.new_duration.seconds);
    if (row.ended_by == slash_end::time) {
      row.ended_by.reset();
      row.closed_at.reset();
    }
  });
}

void folding::on(const slash_events::slash_cancelled& ended) {
  change_slash(ended.id, [&](slash_row& row) {
    end_slash(row, slash_end::cancelled, ended.cancelled_at.seconds > 0 ? ended.cancelled_at : where_.at);
  });
}

/// Takes the place of what the votes came to. The end stays where the slash has ended before.
void folding::on(const slash_events::slash_resolved& resolved) {
  change_slash(resolved.id, [&](slash_row& row) {
    if (resolved.resolution == slash_resolution::pending)
      return;
    end_slash(row, slash_end::resolved, row.closed_at.value_or(where_.at));
    row.resolution = resolved.resolution;
    row.resolution_bps = resolved.bps;
  });
}

/// No contract promises that the slash is told first, so one that is not there is no failure.
void folding::on(const slash_events::financial_slash_created& told) {
  const auto number = ours(told.id);
  if (!rows_.slashes.find(number))
    return;
  change_slash(told.id, [](slash_row& row) { row.type = slash_type::financial; });
}

void folding::on(const slash_events::resolution_executed& done) {
  change_slash(done.id, [](slash_row& row) { row.executed = true; });
}

void folding::on(const slash_events::edit_window_updated& told) {
  set_parameter("editWindow", std::to_string(told.new_edit_window.seconds));
}
void folding::on(const slash_events::cancel_window_updated& told) {
  set_parameter("cancelWindow", std::to_string(told.new_cancel_window.seconds));
}
void folding::on(const slash_events::default_duration_updated& told) {
  set_parameter("defaultDuration", std::to_string(told.new_default_duration.seconds));
}

} // namespace credence::chain
