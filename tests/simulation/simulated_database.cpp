#include "tests/simulation/simulated_database.hpp"

namespace credence::test {

using namespace std::chrono_literals;
using persistence::database_error;
using persistence::trouble;

namespace {

database_error refused(const char* sqlstate) { return {trouble::refused, sqlstate, "refused"}; }

} // namespace

// -- the rules of the schema ----------------------------------------------------------------

void simulated_database::fence(const transaction& work) const {
  if (image_.owner != work.by.owner || image_.epoch != work.by.epoch)
    throw refused("CR001");
  if (work.identity.sequence != image_.sequence + 1 || work.identity.first_seq != image_.last_seq + 1)
    throw refused("CR002");
}

/// What the schema would refuse, and no actor may ever send.
void simulated_database::break_rule(const std::string& text) {
  broken_rules_.push_back(text);
  trace_("broken rule: " + text);
  throw refused("23514");
}

void simulated_database::transfer(image& next, const funds::funds_moved& change, global_seq number) {
  auto& balance = next.money[change.profile];
  if (change.way == funds::flow::withdrawal && balance < change.amount)
    break_rule("profile " + std::to_string(change.profile.value) + " withdrew more than it has");
  balance = change.way == funds::flow::deposit ? wei{balance + change.amount} : wei{balance - change.amount};
  next.transfers.emplace(number, change);
}

void simulated_database::open(image& next, const market::market_opened& change) {
  const auto name = "the market of profile " + std::to_string(change.owner.value);
  if (next.markets.contains(market::market_of(change.owner)))
    break_rule(name + " was opened twice");
  if (next.money[change.owner] < change.creation_cost)
    break_rule(name + " was not paid for");
  next.money[change.owner] -= change.creation_cost;
  next.markets[market::market_of(change.owner)].book = market::fresh_book(change);
}

void simulated_database::freeze(image& next, const market::market_frozen_set& change) {
  const auto found = next.markets.find(change.market);
  if (found == next.markets.end())
    throw refused("23503");
  auto& frozen = found->second.book.frozen;
  if (frozen == change.frozen)
    break_rule("market " + std::to_string(change.market.value)
               + (frozen ? " was frozen twice" : " was let go on twice"));
  frozen = change.frozen;
}

void simulated_database::trade(image& next, const market::traded& change, global_seq number) {
  const auto name = "trade " + std::to_string(change.number) + " of market " + std::to_string(change.market.value);
  const auto found = next.markets.find(change.market);
  if (found == next.markets.end())
    throw refused("23503");
  auto& [book, held] = found->second;
  if (change.number != book.trades + 1)
    break_rule(name + " came after " + std::to_string(book.trades));
  if (book.frozen)
    break_rule(name + " was made while the market was frozen");
  const bool buys = change.way == market::direction::buy;
  const auto side =
    change.side == market::vote_side::trust ? &market::vote_counts::trust : &market::vote_counts::distrust;
  auto& position = held.try_emplace(change.trader, market::vote_counts{0, 0}).first->second;
  if (!buys && position.*side < change.votes)
    break_rule(name + " sells what the trader does not have");
  position.*side += buys ? change.votes : -change.votes;
  book.votes.*side += buys ? change.votes : -change.votes;
  auto& balance = next.money[change.trader];
  if (buys && balance < change.funds())
    break_rule(name + " spends " + decimal(change.funds()) + " wei, of which profile "
               + std::to_string(change.trader.value) + " has " + decimal(balance));
  if (!buys && (book.locked < change.drawn || book.pool + change.drawn < change.cost))
    break_rule(name + " takes more than the pool has");
  balance = buys ? wei{balance - change.funds()} : wei{balance + change.funds()};
  next.money[market::owner_of(change.market)] += change.donation;
  next.fees += change.protocol_fee;
  book.pool = buys ? wei{book.pool + change.cost} : wei{book.pool + change.drawn - change.cost};
  book.locked -= change.drawn;
  (buys ? book.bought : book.sold) += change.funds();
  if (book.votes != change.after || book.bought + book.sold != change.volume_after || book.bought != change.bought_after
      || change.at < book.updated_at)
    break_rule(name + " does not follow from the one before");
  book.trades = change.number;
  book.updated_at = change.at;
  next.trades.emplace(number, change);
}

namespace {

void use_nonce(profile::stored_credentials& of, const profile::signed_nonce& which) {
  for (const auto& each : of.nonces)
    if (same(each, which))
      throw refused("23505");
  of.nonces.push_back(which);
}

} // namespace

void simulated_database::create(image& next, const profile::key_created& change) {
  auto& of = next.credentials[change.key.profile];
  use_nonce(of, change.by);
  of.keys.emplace_back(change.key, change.token_hash);
}

void simulated_database::open(image& next, const profile::session_opened& change) {
  auto& of = next.credentials[change.opened.profile];
  if (change.by)
    use_nonce(of, *change.by);
  if (change.code && std::erase_if(of.partners.codes, [&](const auto& each) { return each.hash == *change.code; }) == 0)
    throw refused("23505");
  std::erase_if(of.sessions, [&](const auto& each) { return each.id == change.in_place_of; });
  of.sessions.push_back(change.opened);
}

void simulated_database::set(image& next, profile_id whose, const profile::partner_grant& grant) {
  auto& grants = next.credentials[whose].partners.grants;
  std::erase_if(grants, [&](const auto& each) { return each.origin == grant.origin; });
  grants.push_back(grant);
}

void simulated_database::record(image& next, const idempotency::answer_recorded& change) {
  auto& there = next.records.try_emplace(change.id, idempotency::stored_record{true, change.fingerprint, change.at, {}})
                  .first->second;
  if (there.record.status == 0 && there.fingerprint == change.fingerprint) {
    there.record.status = change.status;
    there.record.body = change.body;
  }
}

/// What each change of a transaction makes of an image.
struct simulated_database::applying {
  simulated_database& database;
  image& next;
  const transaction& work;
  global_seq number; // of the change

  void operator()(const project::vote_cast& change) {
    if (next.periods.empty() || next.periods.back().id != change.in)
      throw refused("23514");
    if (!next.profiles.contains(change.voter) || work.archived.contains(change.voter))
      throw refused("23503");
    auto& votes = next.votes[change.project];
    for (const auto& each : votes)
      if (each.voter == change.voter && each.in == change.in)
        throw refused("23505");
    if (change.number != static_cast<entity_seq>(votes.size()) + 1) {
      database.broken_rules_.push_back("vote " + std::to_string(change.number) + " of project "
                                       + std::to_string(change.project.value) + " came after "
                                       + std::to_string(votes.size()));
      throw refused("23505");
    }
    votes.push_back({change.voter, change.in, change.side, change.reason, change.at, change.weight});
  }

  void operator()(const project::project_tallied& told) {
    if (told.through > static_cast<entity_seq>(next.votes[told.project].size()))
      database.broken_rules_.push_back("tallies of project " + std::to_string(told.project.value)
                                       + " are ahead of its votes");
    auto& days = next.days[told.project];
    for (const auto& day : told.days)
      put(days, day, [&](const project::day_tally& each) { return each.in == day.in && each.day == day.day; });
    auto& periods = next.tallied_periods[told.project];
    for (const auto& period : told.periods)
      put(periods, period, [&](const project::period_tally& each) { return each.in == period.in; });
    next.tallied[told.project] = std::max(next.tallied[told.project], told.through);
  }

  void operator()(const period::period_advanced& change) {
    if (next.periods.empty() || next.periods.back().id != change.closes
        || change.opened.id.value != change.closes.value + 1)
      throw refused("23514");
    next.periods.back().closed_at = change.opened.starts_at;
    next.periods.push_back(change.opened);
  }

  void operator()(const profile::xp_tipped& change) {
    if ((next.xp[change.sender] -= change.amount) < 0) {
      database.broken_rules_.push_back("profile " + std::to_string(change.sender.value) + " tipped more than it has");
      throw refused("23514");
    }
    next.xp[change.receiver] += change.amount;
    next.tips.emplace(number, change);
  }
  void operator()(const profile::xp_granted& change) { next.xp[change.profile] += change.amount; }

  void operator()(const funds::funds_moved& change) { database.transfer(next, change, number); }
  void operator()(const market::market_opened& change) { database.open(next, change); }
  void operator()(const market::traded& change) { database.trade(next, change, number); }
  void operator()(const market::market_frozen_set& change) { database.freeze(next, change); }

  void operator()(const profile::key_created& change) { database.create(next, change); }
  void operator()(const profile::key_revoked& change) {
    std::erase_if(next.credentials[change.profile].keys, [&](const auto& each) { return each.first.id == change.id; });
  }
  void operator()(const profile::keys_used&) {}
  void operator()(const profile::session_opened& change) { database.open(next, change); }
  void operator()(const profile::partner_switched& change) { set(next, change.profile, change.grant); }
  void operator()(const profile::partner_code_made& change) {
    next.credentials[change.profile].partners.codes.push_back(change.code);
    set(next, change.profile, {change.code.origin, true, change.at});
  }
  void operator()(const profile::session_rotated& change) {
    for (auto& each : next.credentials[change.now.profile].sessions)
      if (each.id == change.now.id)
        each = change.now;
  }
  void operator()(const profile::sessions_ended& change) {
    std::erase_if(next.credentials[change.profile].sessions, [&](const auto& each) {
      return std::find(change.ids.begin(), change.ids.end(), each.id) != change.ids.end();
    });
  }

  void operator()(const profile::nonce_used& change) { use_nonce(next.credentials[change.profile], change.by); }

  void operator()(const idempotency::answer_recorded& change) { database.record(next, change); }

  void operator()(const idempotency::days_counted&) {}

  void operator()(const slash::slash_opened& change) { database.open(next, change, work.archived); }
  void operator()(const slash::slash_voted& change) { database.vote(next, change, work.archived); }
  void operator()(const slash::slash_closed& change) { database.close(next, change); }

  template <among<joined<reputation::storage::facts, score::storage::facts>> Record>
  void operator()(const Record& change) {
    if constexpr (requires { next.book.apply(change); }) {
      next.book.forgets_marks = database.mistake == planted::forgets_a_mark;
      if (const auto flaw = next.book.apply(change); !flaw.empty())
        database.break_rule(flaw);
    }
  }
  template <
    among<joined<note::storage::facts, chain::storage::facts, wallets::storage::facts, wallets::outbox_storage::facts>>
      Unwatched>
  void operator()(const Unwatched&) {}

private:
  /// In place of the row that is `same`, or behind all.
  template <class Row, class Same>
  static void put(std::vector<Row>& rows, const Row& row, Same same) {
    if (const auto known = std::find_if(rows.begin(), rows.end(), same); known != rows.end())
      *known = row;
    else
      rows.push_back(row);
  }
};

/// What is on disk after a transaction: all of it, or nothing.
simulated_database::image simulated_database::after(const transaction& work) {
  auto next = image_;
  auto number = work.identity.first_seq;
  for (std::size_t i = 0; i < work.changes.size(); ++i) {
    const auto& each = work.changes[i];
    visit(applying{*this, next, work, number}, each);
    if (const auto& note = work.notes[i];
        note
        && !next.records
              .try_emplace(
                note->id,
                idempotency::stored_record{true, note->fingerprint, note->at, {effect_of(each, number), 0, {}}})
              .second)
      break_rule("two changes came with one key of a client");
    number += takes_number(each) ? 1 : 0;
  }
  next.sequence = work.identity.sequence;
  next.last_seq = work.identity.last_seq;
  next.batches.push_back(work.identity.id);
  return next;
}

void simulated_database::run(transaction& work) {
  fence(work);
  judge_stamps(work);
  work.archived = image_.archived;
  after(work);
}

void simulated_database::commit(const transaction& work) { image_ = after(work); }

// -- transactions that nobody listens to ----------------------------------------------------

simulated_database::orphan simulated_database::left_alone(std::uint64_t session, transaction work) {
  orphan out{session, "a batch", std::nullopt, {}, chance_.chance(400), steady_clock::now() + some_time()};
  if (out.flushing || chance_.chance(500))
    out.commit = [this, made = std::move(work)] { commit(made); };
  return out;
}

void simulated_database::begin(orphan& left) {
  auto statements = std::move(*left.unread);
  left.unread.reset();
  run(statements);
  auto begun = left_alone(left.session, std::move(statements));
  begun.due = left.due + some_time();
  left = std::move(begun);
  trace_("a batch from a lost connection began");
}

void simulated_database::end(orphan left) {
  const std::string name = std::string{left.name} + " from a lost connection ";
  if (!left.commit) {
    ++strays_.rolled_back;
    return trace_(name + "was rolled back");
  }
  try {
    left.commit();
    ++strays_.committed;
    trace_(name + "was committed");
  } catch (const database_error& why) { // only when a later session did not wait for it
    trace_(name + "was refused at the end, " + why.sqlstate());
  }
}

void simulated_database::catch_up() {
  while (!orphans_.empty()) {
    const auto next = std::min_element(orphans_.begin(), orphans_.end(),
                                       [](const orphan& a, const orphan& b) { return a.due < b.due; });
    if (next->due > steady_clock::now())
      return;
    if (!next->unread) {
      auto over = std::move(*next);
      orphans_.erase(next);
      end(std::move(over));
      continue;
    }
    const auto holder = std::find_if(orphans_.begin(), orphans_.end(), [](const orphan& each) { return !each.unread; });
    if (holder != orphans_.end()) { // it waits for the row
      next->due = holder->due + 1ms;
      continue;
    }
    try {
      begin(*next);
    } catch (const database_error& why) {
      ++strays_.fenced;
      trace_("a batch from a lost connection came too late, " + why.sqlstate());
      orphans_.erase(next);
    }
  }
}

void simulated_database::terminate(std::uint64_t session) {
  std::erase_if(orphans_, [&](const orphan& each) {
    if (each.session != session || each.flushing || !chance_.chance(500))
      return false;
    ++strays_.rolled_back;
    trace_(std::string{each.name} + " from a lost connection was ended");
    return true;
  });
}

bool simulated_database::wait_for_the_shard(steady_time until) {
  bool waited = false;
  for (;;) {
    auto free_at = steady_time::min();
    for (const auto& each : orphans_)
      if (!each.unread)
        free_at = std::max(free_at, each.due);
    if (free_at == steady_time::min()) {
      strays_.awaited += waited;
      return true;
    }
    const auto now = steady_clock::now();
    if (free_at > until) {
      ++strays_.in_the_way;
      spend(std::chrono::ceil<std::chrono::milliseconds>(std::max(until - now, 0ns)));
      return false;
    }
    waited = true;
    spend(std::chrono::ceil<std::chrono::milliseconds>(std::max(free_at - now, 1ns)));
  }
}

void simulated_database::spend(std::chrono::milliseconds time) {
  spend_(time);
  catch_up();
}

void simulated_database::crash() {
  ++generation_;
  trace_("the database crashed");
  for (auto& each : std::exchange(orphans_, {})) {
    if (!each.flushing || !chance_.chance(500))
      each.commit = nullptr;
    end(std::move(each));
  }
}

} // namespace credence::test
