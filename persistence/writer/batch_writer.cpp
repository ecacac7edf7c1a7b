#include "persistence/writer/batch_writer.hpp"

#include "ops/chain_metrics.hpp"
#include "ops/log.hpp"
#include "ops/standby.hpp"
#include "persistence/postgres/error.hpp"

#include <algorithm>
#include <cstdint>
#include <thread>
#include <utility>

namespace credence::persistence {

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr auto superseded_pause = 500ms;
constexpr auto probe_timeout = 1000ms;
constexpr auto retry_after = 100ms; // a batch that the database could not take
constexpr auto first_delay = 50ms;  // between attempts to reconnect
constexpr auto expiry_check_every = 50ms;
constexpr int conflicts_max = 3;
constexpr int doubts_max = 3; // a connection may be lost twice in a row for reasons of its own
constexpr int doubts_by_time_max = 2;
constexpr auto standby_look_every = 1s;
constexpr auto owner_comes_back_within = 4s; // where the database was away: the owner connects anew, too
constexpr auto give_back_timeout = 500ms;

/// What a refusal by the database means for the batch.
enum class verdict : std::uint8_t {
  bad_change,       // one of its changes can never be stored
  too_long,         // the server ended a statement that took longer than it may
  conflict,         // lost against another transaction
  lock_timeout,     // the other writer was making records for too long
  fenced,           // another writer has taken over, or has written meanwhile
  retryable,        // the server cannot at the moment
  session_unusable, // the session is unusable for this; a new one may do
};

/// By the state that came with it.
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

ops::writer_metrics& metrics_of(shard of) {
  return of == shard::chain ? ops::the_chain_metrics().writer : ops::the_metrics().store;
}

} // namespace

batch_writer::batch_writer(const settings::store& how, store_status& status, teller tell,
                           std::unique_ptr<write_sessions> sessions, clock_source clocks, claim mine)
  : how_(how), status_(status), metrics_(metrics_of(mine.of)), announce_(std::move(tell)),
    queue_(how.batch_changes_max, how.batch_bytes_max), sessions_(std::move(sessions)), mine_(std::move(mine)),
    health_(status, metrics_, clocks) {}

// -- taking ------------------------------------------------------------------------------

void batch_writer::take(write_request request) {
  batch::entry fresh{std::move(request), ++taken_, std::nullopt};
  const auto& stream = fresh.request.stream;
  if (!session_ && !waiting_.contains(stream.incarnation)) {
    const auto now = steady_clock::now();
    const auto result = fate(fresh.request, now).value_or(write_result::not_written);
    broken_.add(stream, result, now);
    return final(fresh, result);
  }
  if (session_ && !health_.can_write())
    announce_.tell_in_doubt(std::span{&fresh, 1});
  queue_.take(std::move(fresh));
}

bool batch_writer::settled(std::uint64_t position) const noexcept {
  return !(doubtful_ && doubtful_->oldest() <= position) && !queue_.holds(position);
}

// -- work --------------------------------------------------------------------------------

steady_time batch_writer::work() {
  if (status_.superseded.load(std::memory_order_relaxed))
    return steady_clock::now() + superseded_pause;
  if (!session_)
    return reconnect();
  // Also between batches: one that the database cannot take, or takes long for, proves nothing, and
  // batches do not tell the time.
  if (steady_clock::now() >= health_.next_probe())
    probe();
  if (!session_)
    return steady_clock::now();
  const auto* next = queue_.next();
  if (!next)
    return health_.next_probe();
  if (const auto now = steady_clock::now(); next->not_before > now) {
    const auto due = std::min(next->not_before, health_.next_probe());
    fail_expired_sometimes(now);
    return std::min(due, expiry_checked_ + expiry_check_every);
  }
  write(queue_.pop());
  return has_work() || !session_ ? steady_clock::now() : health_.next_probe();
}

/// What is known about a change without asking the database; nothing: write it.
std::optional<write_result> batch_writer::fate(const write_request& request, steady_time now) {
  if (const auto known = broken_.fate(request.stream))
    return known;
  if (now >= request.deadline)
    return write_result::not_written;
  if (const auto era = era_of(request.change); era && session_ && *era != era_)
    return write_result::stale;
  return std::nullopt;
}

void batch_writer::sift(batch& from, steady_time now) {
  for (auto& each : from.entries) {
    if (each.refused)
      continue;
    each.refused = fate(each.request, now);
    if (each.refused)
      broken_.add(each.request.stream, *each.refused, now);
  }
}

void batch_writer::write(batch batch) {
  const auto started = steady_clock::now();
  sift(batch, started);
  if (batch.accepted() == 0)
    return final(batch, write_result::not_written, 0);
  identify(batch);
  health_.asking();
  try {
    session_->commit(batch, mine_, deadline_in(how_.statement_timeout));
  } catch (const database_error& why) {
    if (why.why() == trouble::refused)
      return refused(std::move(batch), why);
    return in_doubt(std::move(batch), why);
  }
  committed(batch, steady_clock::now() - started);
}

/// What the batch will be known by, and the numbers that it takes.
void batch_writer::identify(batch& batch) {
  auto& identity = batch.identity;
  for (std::size_t i = 0; i < identity.id.size(); i += 4) {
    const auto word = random_();
    for (std::size_t k = 0; k < 4; ++k)
      identity.id[i + k] = static_cast<std::byte>(word >> (8 * k));
  }
  identity.sequence = sequence_ + 1;
  identity.first_seq = last_seq_ + 1;
  identity.last_seq = last_seq_ + static_cast<global_seq>(batch.numbered());
}

void batch_writer::committed(batch& batch, nanoseconds took) {
  sequence_ = batch.identity.sequence;
  last_seq_ = batch.identity.last_seq;
  const auto& first = batch.entries.front();
  if (const auto begun = era_begun_by(first.request.change); begun && !first.refused)
    era_ = *begun;
  culprits_in_a_row_ = 0;
  metrics_.batches.add();
  metrics_.changes.add(static_cast<std::int64_t>(batch.accepted()));
  metrics_.commit.observe(took);
  health_.good();
  health_.set_writable(true);
  final(batch, write_result::stored, batch.identity.last_seq);
  queue_.reuse(std::move(batch.entries));
}

/// The batch has been rolled back, all of it, and the connection stands.
void batch_writer::refused(batch batch, const database_error& why) {
  auto meaning = verdict_on(why);
  if (meaning == verdict::too_long && !in_smaller_steps() && batch.accepted() <= 1 && culprits_in_a_row_++ > 0)
    meaning = verdict::retryable;       // the second one alone that takes too long: it is the database that is slow
  if (meaning == verdict::lock_timeout) // as if it had waited longer, but for deadlines, which are looked at meanwhile
    return queue_.put_first(std::move(batch));
  metrics_.batch_failures.add();
  if (meaning == verdict::bad_change || meaning == verdict::too_long) {
    health_.good(); // the database is well
    if (batch.accepted() <= 1)
      return refuse_the_only_one(std::move(batch), why,
                                 meaning == verdict::too_long && in_smaller_steps() ? write_result::too_long
                                                                                    : write_result::failed);
    if (meaning == verdict::too_long) // each half with the culprit would take as long again
      return queue_.put_first_one_by_one(std::move(batch));
    auto later = batch.split();
    queue_.put_first(std::move(later));
    return queue_.put_first(std::move(batch));
  }
  if (meaning == verdict::conflict && batch.conflicts++ < conflicts_max)
    return queue_.put_first(std::move(batch));
  batch.conflicts = 0;
  batch.not_before = steady_clock::now() + retry_after;
  const bool could_write = health_.can_write();
  health_.set_writable(false);
  queue_.put_first(std::move(batch));
  if (meaning == verdict::fenced || meaning == verdict::session_unusable)
    return lose(meaning == verdict::fenced ? "store_fenced" : "store_session_unusable", why);
  if (could_write)
    tell_waiting();
  health_.log_once("store_cannot_write", why);
}

/// The one change of a batch that was to be written can never be, or not as it is.
void batch_writer::refuse_the_only_one(batch refused, const database_error& why, write_result as) {
  const auto culprit = std::find_if(refused.entries.begin(), refused.entries.end(),
                                    [](const batch::entry& each) { return !each.refused; });
  metrics_.changes_failed.add();
  ops::log(ops::level::error, "change_refused",
           {{"kind", name_of(culprit->request.change)}, {"sqlstate", why.sqlstate()}});
  culprit->refused = as;
  broken_.add(culprit->request.stream, as, steady_clock::now());
  final(refused, as, 0);
}

void batch_writer::in_doubt(batch batch, const database_error& why) {
  metrics_.unknown_outcomes.add();
  doubtful_ = std::move(batch);
  doubtful_too_long_ = why.why() == trouble::deadline;
  lose("store_lost", why);
  announce_.tell_in_doubt(doubtful_->entries);
  tell_waiting();
}

/// Nobody knows when these are written, or whether. Who reads meanwhile is not kept waiting.
void batch_writer::tell_waiting() {
  queue_.for_each_list([this](const auto& entries) { announce_.tell_in_doubt(entries); });
}

/// Whoever hears the outcome may already repeat the request.
void batch_writer::final(batch& batch, write_result result, global_seq as_of) {
  for (auto& each : batch.entries)
    each.request.context.reset();
  const auto told = announce_.tell(batch, result, as_of);
  status_.queued.fetch_sub(static_cast<std::int64_t>(told), std::memory_order_relaxed);
}

void batch_writer::final(batch::entry& one, write_result result) {
  one.request.context.reset();
  announce_.tell(one.request, result);
  status_.queued.fetch_sub(1, std::memory_order_relaxed);
}

// -- now and then ---------------------------------------------------------------------------

/// Asks for a sign of life, whether the shard is still ours, and the time. While writing is known
/// not to work and nothing waits, tries an empty batch.
void batch_writer::probe() {
  try {
    confirm_ownership(*session_);
    if (health_.can_write() || has_work())
      return;
    batch empty;
    identify(empty);
    health_.asking();
    session_->commit(empty, mine_, deadline_in(how_.statement_timeout));
    sequence_ = empty.identity.sequence;
    health_.good();
    health_.set_writable(true);
  } catch (const database_error& why) {
    const auto meaning = verdict_on(why);
    if (why.why() == trouble::refused && (meaning == verdict::retryable || meaning == verdict::too_long)) {
      health_.log_once("store_cannot_write", why);
      health_.probe_later();
    } else
      lose(meaning == verdict::fenced ? "store_fenced" : "store_lost", why);
  }
}

void batch_writer::confirm_ownership(write_session& by) {
  health_.asking();
  const auto before = health_.wall();
  const auto theirs = by.owns(mine_, deadline_in(probe_timeout));
  if (!theirs)
    throw database_error(trouble::refused, "CR001", "the shard has another owner");
  health_.judge_clock(before, *theirs);
  health_.good();
}

// -- losing the connection and getting it back -------------------------------------------------

void batch_writer::lose(const char* event, const database_error& why) {
  health_.set_writable(false);
  session_.reset();
  health_.log_loss(event, why);
  // At once the first time; another owner is given a moment.
  delay_ = 0ms;
  next_try_ = steady_clock::now() + (why.sqlstate() == "CR001" ? next_delay() : 0ms);
  waiting_ = doubted();
  queue_.for_each_list([this](const auto& entries) {
    for (const auto& each : entries)
      waiting_.insert(each.request.stream.incarnation);
  });
}

std::unordered_set<std::uint64_t> batch_writer::doubted() const {
  std::unordered_set<std::uint64_t> streams;
  if (doubtful_)
    for (const auto& each : doubtful_->entries)
      streams.insert(each.request.stream.incarnation);
  return streams;
}

milliseconds batch_writer::next_delay() {
  delay_ =
    std::clamp(delay_ * 2, milliseconds{first_delay}, std::max(how_.reconnect_delay_max, milliseconds{first_delay}));
  return delay_;
}

steady_time batch_writer::reconnect() {
  const auto now = steady_clock::now();
  fail_expired_sometimes(now);
  if (!connecting_ && now < next_try_)
    return std::min(next_try_, now + expiry_check_every);
  try {
    if (!fresh_)
      fresh_ = sessions_->connect();
    connecting_ = !fresh_;
    if (connecting_)
      return steady_clock::now();
    if (has_to_wait(*fresh_))
      return next_try_ = steady_clock::now() + standby_look_every;
    take_over_with(std::move(fresh_));
    return steady_clock::now();
  } catch (const database_error& why) {
    connecting_ = false;
    fresh_.reset();
    if (why.why() != trouble::refused) // the connection is gone, for the owner perhaps as well
      not_before_.reset();
    if (mine_.patient && mine_.epoch == 0)
      ops::the_standby().unable();
    health_.log_once(why.sqlstate() == "CR003" ? "store_waits_for_service" : "store_unreachable", why);
    next_try_ = steady_clock::now() + next_delay();
    return next_try_;
  }
}

/// Whether a standby still leaves the shard to its owner. After an outage of the database the owner's lease has ended
/// without its doing.
bool batch_writer::has_to_wait(write_session& by) {
  if (!mine_.patient || mine_.epoch != 0)
    return false;
  const auto found = by.lease_of_another(mine_, deadline_in(probe_timeout));
  if (!found)
    return false;
  const auto now = steady_clock::now();
  if (!seen_ || seen_->owner != found->owner || seen_->until != found->until) {
    seen_ = *found;
    seen_since_ = now;
  }
  if (!not_before_)
    not_before_ = has_waited_ ? now + owner_comes_back_within : now;
  has_waited_ = true;
  // The database's clock may be set back, or differ after a failover: a lease that was not renewed for its whole
  // length, by the clock here, has ended as well.
  const bool ended = found->until <= found->now || now - seen_since_ > owner_lease;
  if (ended && now >= *not_before_) {
    mine_.ended_lease = found->until;
    return false;
  }
  health_.well();
  const auto told = ops::the_standby().now();
  ops::the_standby().wait_for({found->owner, found->until, true});
  if (!told || told->owner != found->owner)
    ops::log(ops::level::info, "standby_waits", {{"owner", found->owner}});
  return true;
}

void batch_writer::take_over_with(std::unique_ptr<write_session> fresh) {
  if (mine_.epoch
      != 0) { // what the session before left behind may take long to end: reads go on while the shard is ours
    health_.asking();
    if (fresh->owns(mine_, deadline_in(probe_timeout)))
      health_.owned();
  }
  const auto found = fresh->take_over(mine_, doubtful_ ? std::optional{doubtful_->identity.id} : std::nullopt,
                                      deadline_in(how_.statement_timeout));
  const auto expected = doubtful_ && found.doubtful_stored ? doubtful_->identity.last_seq : last_seq_;
  if (found.held) // another standby was faster, or the owner is back
    return;
  if (std::exchange(mine_.ended_lease, std::nullopt) && !found.superseded)
    ops::log(ops::level::warn, "standby_takes_over",
             {{"owner", seen_->owner}, {"lease_ended_at", iso_text(seen_->until)}});
  if (found.superseded || (mine_.epoch != 0 && found.last_seq != expected)) {
    if (!found.superseded)
      ops::log(ops::level::error, "store_lacks_changes",
               {{"stored_to", found.last_seq}, {"acknowledged_to", expected}});
    resolve(found);
    return stand_down(found.epoch);
  }
  if (std::exchange(mine_.epoch, found.epoch) != 0)
    metrics_.reconnects.add();
  const bool lacks_batches = found.last_sequence < sequence_; // of derived changes: no number is missing
  sequence_ = found.last_sequence;
  last_seq_ = found.last_seq;
  era_ = found.era;
  // Known from here on, whatever becomes of this connection.
  resolve(found);
  if (lacks_batches)
    drop_derived();
  fresh->prepare(deadline_in(how_.statement_timeout));
  confirm_ownership(*fresh);
  session_ = std::move(fresh);
  waiting_.clear();
  delay_ = 0ms;
  ops::log(ops::level::info, "store_taken_over", {{"epoch", mine_.epoch}, {"sequence", sequence_}});
  status_.owned.store(true, std::memory_order_release);
  health_.set_writable(true);
}

/// Another process owns the shard, or the database lacks what this one has stored. Nothing in this process may be
/// relied on any more.
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
  auto batch = std::move(*doubtful_);
  doubtful_.reset();
  if (found.doubtful_stored) {
    metrics_.resolved_stored.add();
    return final(batch, write_result::stored, batch.identity.last_seq);
  }
  metrics_.resolved_absent.add();
  absent(std::move(batch));
}

/// What was in doubt is not there, and cannot come any more. It is written again, unless it has brought this about
/// alone too often.
void batch_writer::absent(batch batch) {
  batch.not_before = {};
  ++batch.doubts;
  const bool too_often = batch.doubts >= (doubtful_too_long_ ? doubts_by_time_max : doubts_max);
  if (batch.accepted() == 1 && (too_often || (doubtful_too_long_ && in_smaller_steps()))) {
    auto as = write_result::too_long;
    if (!in_smaller_steps()) // the second one in a row: it is the database
      as = culprits_in_a_row_++ == 0 ? write_result::failed : write_result::not_written;
    return refuse_the_only_one(std::move(batch), {trouble::lost, "08007", "in doubt time and again"}, as);
  }
  if (batch.accepted() > 1 && (doubtful_too_long_ || batch.doubts > 1)) // one of them may be why
    return queue_.put_first_one_by_one(std::move(batch));
  queue_.put_first(std::move(batch));
}

/// The database crashed, and lost batches that it had committed without waiting for the disk (`derived` of `fact`).
/// Derived changes that wait may rest on the lost ones, so they are not written: their sender reads what is stored and
/// works them out again.
void batch_writer::drop_derived() {
  const auto now = steady_clock::now();
  queue_.remove_if([&](batch::entry& each) {
    if (!is_derived(each.request.change))
      return false;
    if (!each.refused) {
      each.refused = write_result::not_written;
      broken_.add(each.request.stream, *each.refused, now);
    }
    final(each, *each.refused);
    return true;
  });
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
  queue_.remove_if([&](batch::entry& each) {
    const auto& stream = each.request.stream;
    if (held.contains(stream.incarnation))
      return false;
    if (!each.refused && (each.refused = fate(each.request, now)))
      broken_.add(stream, *each.refused, now);
    if (each.refused)
      final(each, *each.refused);
    else
      held.insert(stream.incarnation);
    return each.refused.has_value();
  });
}

// -- the end ---------------------------------------------------------------------------------

void batch_writer::finish(steady_time until) {
  while ((has_work() || doubtful_) && steady_clock::now() < until) {
    const auto due = std::min(work(), until);
    if (has_work() || doubtful_)
      std::this_thread::sleep_until(due);
  }
  give_up_the_rest();
  health_.set_writable(false);
  fresh_.reset();
  if (!session_ || mine_.of != shard::service) // the lease is the first shard's
    return session_.reset();
  try {
    session_->give_back(mine_, deadline_in(give_back_timeout));
  } catch (const database_error&) {
    // A standby waits for the end of the lease then.
  }
  session_.reset();
}

/// Fails what has not been written; a batch in doubt stays as it is.
void batch_writer::give_up_the_rest() {
  while (auto* held = queue_.next()) {
    for (auto& each : held->entries)
      if (!each.refused)
        each.refused = write_result::not_written;
    final(*held, write_result::not_written, 0);
    queue_.pop();
  }
}

// -- the health of the database ----------------------------------------------------------------

namespace {

constexpr auto probe_every = 500ms;
constexpr auto clock_check_every = 1s;

void log_error(std::string_view event, const database_error& why) {
  ops::log(ops::level::error, event, {{"sqlstate", why.sqlstate()}, {"error", why.what()}});
}

} // namespace

store_health::store_health(store_status& status, ops::writer_metrics& metrics, clock_source clocks)
  : status_(status), metrics_(metrics), clocks_(clocks) {
  metrics_.clock_good.set(1); // until it is found wrong
}

void store_health::asking() { asked_at_ = boot_now(); }

void store_health::good() {
  const auto now = steady_clock::now();
  next_probe_ = std::min(now + probe_every, next_clock_check_);
  status_.last_good_ns.store(nanoseconds{now.time_since_epoch()}.count(), std::memory_order_relaxed);
  owned();
}

void store_health::owned() { status_.owned_at_ns.store(asked_at_.count(), std::memory_order_release); }

void store_health::probe_later() { next_probe_ = steady_clock::now() + probe_every; }

void store_health::well() {
  if (!std::exchange(away_logged_, false))
    return;
  ops::log(ops::level::info, "store_reachable");
  metrics_.trouble.clear();
}

void store_health::set_writable(bool yes) {
  can_write_ = yes;
  if (yes && std::exchange(away_logged_, false)) {
    ops::log(ops::level::info, "store_writable");
    metrics_.trouble.clear();
  }
  const bool all = yes && status_.clock.load(std::memory_order_relaxed) == clock_verdict::good;
  status_.writable.store(all, std::memory_order_release);
  metrics_.writable.set(all ? 1 : 0);
}

void store_health::log_once(std::string_view event, const database_error& why) {
  metrics_.trouble.note(why.sqlstate(), why.what());
  if (!std::exchange(away_logged_, true))
    log_error(event, why);
}

void store_health::log_loss(std::string_view event, const database_error& why) {
  metrics_.trouble.note(why.sqlstate(), why.what());
  away_logged_ = true;
  log_error(event, why);
}

/// Nothing is stamped by a wall clock that is wrong: `system_now` goes on from where it was good.
void store_health::judge_clock(timestamp before, timestamp theirs) {
  const auto found = clock_.judge(before, theirs, clocks_.wall(), boot_now());
  next_clock_check_ = steady_clock::now() + clock_check_every;
  status_.clock_difference_us.store(clock_.difference().count(), std::memory_order_relaxed);
  metrics_.clock_difference_us.set(clock_.difference().count());
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
  metrics_.clock_good.set(found == clock_verdict::good ? 1 : 0);
}

bool write_queue::holds(std::uint64_t position) const noexcept {
  if (!formed_.empty() && formed_.front().oldest() <= position)
    return true;
  return !hand_.empty() && hand_.front().position <= position;
}

batch* write_queue::next() {
  if (formed_.empty() && !hand_.empty())
    form();
  return formed_.empty() ? nullptr : &formed_.front();
}

batch write_queue::pop() {
  auto out = std::move(formed_.front());
  formed_.pop_front();
  return out;
}

void write_queue::put_first_one_by_one(batch batch) {
  for (auto each = batch.entries.rbegin(); each != batch.entries.rend(); ++each) {
    formed_.emplace_front();
    formed_.front().entries.push_back(std::move(*each));
    formed_.front().doubts = std::min(batch.doubts, 1);
  }
}

void write_queue::reuse(std::vector<batch::entry> memory) {
  spare_ = std::move(memory);
  spare_.clear();
}

/// Of the oldest changes of the hand. What begins an era goes alone, so that changes before and after it never share
/// a batch; and so does what counts records anew in pieces.
void write_queue::form() {
  batch fresh;
  fresh.entries = std::exchange(spare_, {});
  std::size_t bytes = 0;
  while (!hand_.empty() && fresh.entries.size() < changes_max_) {
    auto& next = hand_.front();
    const bool alone = era_begun_by(next.request.change).has_value() || is_written_alone(next.request.change);
    bytes += wire_size(next.request.change);
    if (!fresh.entries.empty() && (alone || bytes > bytes_max_))
      break;
    fresh.entries.push_back(std::move(next));
    hand_.pop_front();
    if (alone)
      break;
  }
  formed_.push_back(std::move(fresh));
}

} // namespace credence::persistence
