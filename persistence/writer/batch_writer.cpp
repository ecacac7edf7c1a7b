#include "persistence/writer/batch_writer.hpp"

#include "ops/log.hpp"
#include "ops/metrics.hpp"

#include <algorithm>
#include <cstdio>
#include <thread>

namespace credence::persistence {

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr auto probe_every = 500ms;
constexpr auto probe_timeout = 1000ms;
constexpr auto clock_check_every = 1s;
constexpr auto retry_after = 100ms;     // a batch that the database could not take
constexpr auto first_delay = 50ms;      // between attempts to reconnect
constexpr auto expiry_check_every = 50ms;
constexpr int conflicts_max = 3;
/// What a stream that failed sent before it heard of it has long arrived by then.
constexpr auto broken_kept = 60s;
constexpr std::size_t broken_many = 4096;

ops::store_metrics& metrics() { return ops::the_metrics().store; }

/// What a refusal by the database means for the batch.
enum class verdict : std::uint8_t {
  bad_change,  // one of its changes can never be stored
  conflict,    // lost against another transaction
  fenced,      // another writer has taken over, or has written meanwhile
  not_now,     // the server cannot at the moment
  not_like_so, // the session is unusable for this; a new one may do
};

verdict verdict_on(const database_error& why) {
  const auto& state = why.sqlstate();
  const auto group = why.sqlclass();
  // CR001: not the owner any more. CR002: does not follow the last batch that is there.
  if (state == "CR001" || state == "CR002")
    return verdict::fenced;
  if (state == "40001" || state == "40P01")
    return verdict::conflict;
  // 22, 23: data and constraints; CR, P0: our own triggers; 21, 27: rows that clash.
  if (group == "22" || group == "23" || group == "CR" || group == "P0" || group == "21" || group == "27")
    return verdict::bad_change;
  if (group == "53" || group == "55" || group == "57" || group == "58")
    return verdict::not_now;
  return verdict::not_like_so;
}

} // namespace

batch_writer::batch_writer(const settings::store& how, store_status& status, teller tell,
                           std::unique_ptr<write_sessions> sessions, clock_source clocks)
  : how_(how), status_(status), announce_(std::move(tell)), sessions_(std::move(sessions)), clocks_(clocks) {
  char digits[20];
  std::snprintf(digits, sizeof digits, "%08x%08x", random_(), random_());
  mine_.owner = std::string{"credence-"} + digits;
  metrics().clock_good.set(1); // until it is found wrong
}

// -- taking ------------------------------------------------------------------------------

void batch_writer::take(write_request asked) {
  batch::entry fresh{std::move(asked), ++taken_, std::nullopt};
  const auto& stream = fresh.request.stream;
  if (!session_ && !waiting_.contains(stream.incarnation)) {
    const auto now = steady_clock::now();
    const auto result = fate(fresh.request, now).value_or(write_result::not_written);
    break_stream(stream, result, now);
    return final(fresh, result);
  }
  if (session_ && !can_write_)
    announce_.tell_in_doubt(std::span{&fresh, 1});
  hand_.push_back(std::move(fresh));
}

bool batch_writer::settled(std::uint64_t position) const noexcept {
  if (doubtful_ && doubtful_->oldest() <= position)
    return false;
  if (!agenda_.empty() && agenda_.front().oldest() <= position)
    return false;
  return hand_.empty() || hand_.front().position > position;
}

// -- work --------------------------------------------------------------------------------

steady_time batch_writer::work() {
  if (status_.superseded.load(std::memory_order_relaxed))
    return steady_clock::now() + probe_every;
  if (!session_)
    return reconnect();
  // Also between batches: one that the database cannot take, or takes long for, proves nothing, and
  // batches do not tell the time.
  if (steady_clock::now() >= next_probe_)
    probe();
  if (!session_)
    return steady_clock::now();
  if (agenda_.empty() && !hand_.empty())
    form();
  const auto now = steady_clock::now();
  if (agenda_.empty())
    return next_probe_;
  if (agenda_.front().not_before > now) {
    const auto due = std::min(agenda_.front().not_before, next_probe_);
    fail_expired_sometimes(now);
    return std::min(due, expiry_checked_ + expiry_check_every);
  }
  auto next = std::move(agenda_.front());
  agenda_.pop_front();
  write(std::move(next));
  return has_work() || !session_ ? steady_clock::now() : next_probe_;
}

/// Moves the oldest changes from the hand to the agenda. What begins an era goes
/// alone, so that changes before and after it never share a batch.
void batch_writer::form() {
  batch fresh;
  fresh.entries = std::move(spare_);
  fresh.entries.clear();
  std::size_t bytes = 0;
  while (!hand_.empty() && fresh.entries.size() < how_.batch_changes_max) {
    auto& next = hand_.front();
    const bool alone = era_begun_by(next.request.what).has_value();
    bytes += wire_size(next.request.what);
    if (!fresh.entries.empty() && (alone || bytes > how_.batch_bytes_max))
      break;
    fresh.entries.push_back(std::move(next));
    hand_.pop_front();
    if (alone)
      break;
  }
  agenda_.push_back(std::move(fresh));
}

/// What is known about a change without asking the database; nothing: write it.
std::optional<write_result> batch_writer::fate(const write_request& asked, steady_time now) {
  if (!broken_.empty()) {
    const auto found = broken_.find(asked.stream.incarnation);
    if (found != broken_.end() && asked.stream.attempt <= found->second.attempt)
      return found->second.result;
  }
  if (now >= asked.deadline)
    return write_result::not_written;
  if (const auto era = era_of(asked.what); era && session_ && *era != era_)
    return write_result::stale;
  return std::nullopt;
}

void batch_writer::sift(batch& from, steady_time now) {
  for (auto& each : from.entries) {
    if (each.refused)
      continue;
    each.refused = fate(each.request, now);
    if (each.refused)
      break_stream(each.request.stream, *each.refused, now);
  }
}

void batch_writer::write(batch what) {
  const auto started = steady_clock::now();
  sift(what, started);
  if (what.accepted() == 0)
    return final(what, write_result::not_written, 0);
  auto& identity = what.identity;
  for (std::size_t i = 0; i < identity.id.size(); i += 4) {
    const auto word = random_();
    for (std::size_t k = 0; k < 4; ++k)
      identity.id[i + k] = static_cast<std::byte>(word >> (8 * k));
  }
  identity.sequence = sequence_ + 1;
  identity.first_seq = last_seq_ + 1;
  identity.last_seq = last_seq_ + static_cast<global_seq>(what.numbered());
  asked_at_ = boot_now();
  try {
    session_->commit(what, mine_, deadline_in(how_.statement_timeout));
  } catch (const database_error& why) {
    if (why.why() == trouble::refused)
      return refused(std::move(what), why);
    return in_doubt(std::move(what), why);
  }
  committed(what, steady_clock::now() - started);
}

void batch_writer::committed(batch& what, nanoseconds took) {
  sequence_ = what.identity.sequence;
  last_seq_ = what.identity.last_seq;
  const auto& first = what.entries.front();
  if (const auto begun = era_begun_by(first.request.what); begun && !first.refused)
    era_ = *begun;
  metrics().batches.add();
  metrics().changes.add(static_cast<std::int64_t>(what.accepted()));
  metrics().commit.observe(took);
  good();
  set_writable(true);
  final(what, write_result::stored, what.identity.last_seq);
  what.entries.clear();
  spare_ = std::move(what.entries);
}

/// The batch has been rolled back, all of it, and the connection stands.
void batch_writer::refused(batch what, const database_error& why) {
  metrics().batch_failures.add();
  const auto now = steady_clock::now();
  const auto meaning = verdict_on(why);
  if (meaning == verdict::bad_change) {
    good(); // the database is well
    if (what.accepted() > 1) {
      auto later = what.split();
      agenda_.push_front(std::move(later));
      agenda_.push_front(std::move(what));
      return;
    }
    const auto culprit = std::find_if(what.entries.begin(), what.entries.end(),
                                      [](const batch::entry& each) { return !each.refused; });
    metrics().changes_failed.add();
    ops::log(ops::level::error, "change_refused",
             {{"kind", name_of(culprit->request.what)}, {"sqlstate", why.sqlstate()}});
    culprit->refused = write_result::failed;
    break_stream(culprit->request.stream, write_result::failed, now);
    return final(what, write_result::failed, 0);
  }
  if (meaning == verdict::conflict && what.conflicts++ < conflicts_max) {
    agenda_.push_front(std::move(what));
    return;
  }
  what.conflicts = 0;
  what.not_before = now + retry_after;
  const bool could_write = can_write_;
  set_writable(false);
  agenda_.push_front(std::move(what));
  if (meaning == verdict::fenced || meaning == verdict::not_like_so)
    return lose(meaning == verdict::fenced ? "store_fenced" : "store_session_unusable", why);
  if (could_write)
    tell_waiting();
  if (!std::exchange(away_logged_, true))
    ops::log(ops::level::error, "store_cannot_write", {{"sqlstate", why.sqlstate()}, {"error", why.what()}});
}

void batch_writer::in_doubt(batch what, const database_error& why) {
  metrics().unknown_outcomes.add();
  doubtful_ = std::move(what);
  lose("store_lost", why);
  announce_.tell_in_doubt(doubtful_->entries);
  tell_waiting();
}

/// Nobody knows when these are written, or whether. Who reads meanwhile is not kept waiting.
void batch_writer::tell_waiting() {
  for (const auto& held : agenda_)
    announce_.tell_in_doubt(held.entries);
  announce_.tell_in_doubt(hand_);
}

/// Whoever hears the outcome may already repeat the request.
void batch_writer::final(batch& what, write_result result, global_seq as_of) {
  for (auto& each : what.entries)
    each.request.note.reset();
  const auto told = announce_.tell(what, result, as_of);
  status_.queued.fetch_sub(static_cast<std::int64_t>(told), std::memory_order_relaxed);
}

void batch_writer::final(batch::entry& one, write_result result) {
  one.request.note.reset();
  announce_.tell(one.request, result);
  status_.queued.fetch_sub(1, std::memory_order_relaxed);
}

void batch_writer::break_stream(const write_stream& stream, write_result result, steady_time now) {
  if (broken_.size() >= broken_many)
    std::erase_if(broken_, [now](const auto& each) { return now - each.second.since > broken_kept; });
  auto& entry = broken_[stream.incarnation];
  if (entry.since == steady_time{} || stream.attempt > entry.attempt)
    entry = {stream.attempt, result, now};
}

// -- now and then ---------------------------------------------------------------------------

/// Asks for a sign of life, whether the shard is still ours, and the time. While writing is known
/// not to work and nothing waits, tries an empty batch.
void batch_writer::probe() {
  try {
    confirm_ownership(*session_);
    if (can_write_ || !agenda_.empty() || !hand_.empty())
      return;
    batch empty;
    empty.identity.sequence = sequence_ + 1;
    empty.identity.first_seq = last_seq_ + 1;
    empty.identity.last_seq = last_seq_;
    for (auto& each : empty.identity.id)
      each = static_cast<std::byte>(random_());
    asked_at_ = boot_now();
    session_->commit(empty, mine_, deadline_in(how_.statement_timeout));
    sequence_ = empty.identity.sequence;
    good();
    set_writable(true);
  } catch (const database_error& why) {
    const auto meaning = verdict_on(why);
    if (why.why() == trouble::refused && meaning == verdict::not_now)
      next_probe_ = steady_clock::now() + probe_every;
    else
      lose(meaning == verdict::fenced ? "store_fenced" : "store_lost", why);
  }
}

void batch_writer::confirm_ownership(write_session& by) {
  asked_at_ = boot_now();
  const auto before = clocks_.wall();
  const auto theirs = by.owns(mine_, deadline_in(probe_timeout));
  if (!theirs)
    throw database_error(trouble::refused, "CR001", "the shard has another owner");
  judge_clock(before, *theirs);
  next_clock_check_ = steady_clock::now() + clock_check_every;
  good();
}

/// Nothing is stamped by a wall clock that is wrong: `system_now` goes on from where it was good.
void batch_writer::judge_clock(timestamp before, timestamp theirs) {
  const auto found = clock_.judge(before, theirs, clocks_.wall(), boot_now());
  status_.clock_difference_us.store(clock_.difference().count(), std::memory_order_relaxed);
  metrics().clock_difference_us.set(clock_.difference().count());
  if (found == clock_verdict::good)
    clocks_.follow(*clock_.ahead());
  const auto seconds = std::chrono::duration<double>{clock_.difference()}.count();
  if (const auto was = status_.clock.exchange(found, std::memory_order_release); was != found) {
    if (found == clock_verdict::good)
      ops::log(ops::level::info, "clock_good", {{"ahead_of_database_s", seconds}});
    else
      ops::log(ops::level::error, found == clock_verdict::differs ? "clock_differs" : "clock_stepped",
               {{"ahead_of_database_s", seconds}, {"most_s", static_cast<std::int64_t>(clock_difference_max.count())}});
    set_writable(can_write_);
  }
  metrics().clock_good.set(found == clock_verdict::good ? 1 : 0);
}

/// The database is well, and nobody else owned the shard when it was asked.
void batch_writer::good() {
  const auto now = steady_clock::now();
  next_probe_ = std::min(now + probe_every, next_clock_check_);
  status_.last_good_ns.store(nanoseconds{now.time_since_epoch()}.count(), std::memory_order_relaxed);
  status_.owned_at_ns.store(asked_at_.count(), std::memory_order_release);
}

void batch_writer::set_writable(bool yes) {
  can_write_ = yes;
  if (yes && std::exchange(away_logged_, false))
    ops::log(ops::level::info, "store_writable");
  const bool all = yes && status_.clock.load(std::memory_order_relaxed) == clock_verdict::good;
  status_.writable.store(all, std::memory_order_release);
  metrics().writable.set(all ? 1 : 0);
}

// -- losing the connection and getting it back -------------------------------------------------

void batch_writer::lose(const char* event, const database_error& why) {
  set_writable(false);
  session_.reset();
  away_logged_ = true;
  ops::log(ops::level::error, event, {{"sqlstate", why.sqlstate()}, {"error", why.what()}});
  // At once the first time; another owner is given a moment.
  delay_ = 0ms;
  next_try_ = steady_clock::now() + (why.sqlstate() == "CR001" ? next_delay() : 0ms);
  waiting_ = doubted();
  for (const auto& held : agenda_)
    for (const auto& each : held.entries)
      waiting_.insert(each.request.stream.incarnation);
  for (const auto& each : hand_)
    waiting_.insert(each.request.stream.incarnation);
}

std::unordered_set<std::uint64_t> batch_writer::doubted() const {
  std::unordered_set<std::uint64_t> streams;
  if (doubtful_)
    for (const auto& each : doubtful_->entries)
      streams.insert(each.request.stream.incarnation);
  return streams;
}

milliseconds batch_writer::next_delay() {
  delay_ = std::clamp(delay_ * 2, milliseconds{first_delay}, std::max(how_.reconnect_delay_max, milliseconds{first_delay}));
  return delay_;
}

steady_time batch_writer::reconnect() {
  const auto now = steady_clock::now();
  fail_expired_sometimes(now);
  if (!connecting_ && now < next_try_)
    return std::min(next_try_, now + expiry_check_every);
  try {
    if (auto fresh = sessions_->connect()) {
      connecting_ = false;
      take_over_with(std::move(fresh));
    } else {
      connecting_ = true;
    }
    return steady_clock::now();
  } catch (const database_error& why) {
    connecting_ = false;
    if (!std::exchange(away_logged_, true))
      ops::log(ops::level::error, "store_unreachable", {{"sqlstate", why.sqlstate()}, {"error", why.what()}});
    next_try_ = steady_clock::now() + next_delay();
    return next_try_;
  }
}

void batch_writer::take_over_with(std::unique_ptr<write_session> fresh) {
  const auto found = fresh->take_over(mine_, doubtful_ ? std::optional{doubtful_->identity.id} : std::nullopt,
                                      deadline_in(how_.statement_timeout));
  const auto expected = doubtful_ && found.doubtful_stored ? doubtful_->identity.last_seq : last_seq_;
  if (found.superseded || (mine_.epoch != 0 && found.last_seq != expected)) {
    resolve(found);
    return stand_down(found.epoch);
  }
  if (std::exchange(mine_.epoch, found.epoch) != 0)
    metrics().reconnects.add();
  sequence_ = found.last_sequence;
  last_seq_ = found.last_seq;
  era_ = found.era;
  // Known from here on, whatever becomes of this connection.
  resolve(found);
  fresh->prepare(deadline_in(how_.statement_timeout));
  confirm_ownership(*fresh);
  session_ = std::move(fresh);
  waiting_.clear();
  delay_ = 0ms;
  ops::log(ops::level::info, "store_taken_over", {{"epoch", mine_.epoch}, {"sequence", sequence_}});
  status_.owned.store(true, std::memory_order_release);
  set_writable(true);
}

/// Somebody else has written since: nothing in this process may be relied on any more.
void batch_writer::stand_down(std::int64_t their_epoch) {
  ops::log(ops::level::error, "store_superseded", {{"their_epoch", their_epoch}, {"our_epoch", mine_.epoch}});
  status_.superseded.store(true, std::memory_order_release);
  waiting_.clear();
  give_up_the_rest();
  if (status_.when_superseded)
    status_.when_superseded();
}

/// Nothing of an earlier owner can come any more: what is there now is the answer.
void batch_writer::resolve(const ownership& found) {
  if (!doubtful_)
    return;
  auto settled = std::move(*doubtful_);
  doubtful_.reset();
  if (found.doubtful_stored) {
    metrics().resolved_stored.add();
    return final(settled, write_result::stored, settled.identity.last_seq);
  }
  metrics().resolved_absent.add();
  settled.not_before = {};
  agenda_.push_front(std::move(settled));
}

void batch_writer::fail_expired_sometimes(steady_time now) {
  if (now - expiry_checked_ < expiry_check_every)
    return;
  expiry_checked_ = now;
  fail_expired(now);
}

/// While nothing can be written: fails what has waited past its deadline, each by itself, except
/// behind a change of the same stream whose outcome must come first.
void batch_writer::fail_expired(steady_time now) {
  auto held = doubted();
  const auto told = [&](batch::entry& each) {
    const auto& stream = each.request.stream;
    if (held.contains(stream.incarnation))
      return false;
    if (!each.refused && (each.refused = fate(each.request, now)))
      break_stream(stream, *each.refused, now);
    if (each.refused)
      final(each, *each.refused);
    else
      held.insert(stream.incarnation);
    return each.refused.has_value();
  };
  const auto tell_from = [&](auto& entries) {
    auto kept = entries.begin();
    for (auto& each : entries)
      if (!told(each)) {
        if (&*kept != &each)
          *kept = std::move(each);
        ++kept;
      }
    entries.erase(kept, entries.end());
  };
  for (auto& waiting : agenda_)
    tell_from(waiting.entries);
  std::erase_if(agenda_, [](const batch& waiting) { return waiting.entries.empty(); });
  tell_from(hand_);
}

// -- the end ---------------------------------------------------------------------------------

void batch_writer::finish(steady_time until) {
  while ((has_work() || doubtful_) && steady_clock::now() < until) {
    const auto due = std::min(work(), until);
    if (has_work() || doubtful_)
      std::this_thread::sleep_until(due);
  }
  give_up_the_rest();
  set_writable(false);
  session_.reset();
}

/// Fails what has not been written; a batch in doubt stays as it is.
void batch_writer::give_up_the_rest() {
  for (; !hand_.empty() || !agenda_.empty(); agenda_.pop_front()) {
    if (agenda_.empty())
      form();
    for (auto& each : agenda_.front().entries)
      if (!each.refused)
        each.refused = write_result::not_written;
    final(agenda_.front(), write_result::not_written, 0);
  }
}

} // namespace credence::persistence
