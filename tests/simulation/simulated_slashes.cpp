#include "config/limits.hpp"
#include "tests/simulation/simulated_database.hpp"

namespace credence::test {

using namespace std::chrono_literals;
using persistence::database_error;
using persistence::trouble;

namespace {

constexpr auto cooldown = std::chrono::days{limits::slash_cooldown_days};

/// A change waits for so long until it is written or given up, and a lost connection's statements may run later still.
constexpr auto longest_way = 15s;
/// What is measured of a clock is as sharp as the answer is quick.
constexpr auto measured_within = 500ms;

[[noreturn]] void refuse_archived() { throw database_error{trouble::refused, "23503", "refused"}; }

std::string named(slash_id which) { return "slash " + std::to_string(which.value); }

/// As the constraint `slashes_outcome` has it.
slash::verdict outcome_of(const slash::weights& votes) {
  const auto all = votes.slash + votes.defend;
  return votes.slash * 100 > all * 60   ? slash::verdict::slashed
         : votes.slash * 100 < all * 40 ? slash::verdict::defended
                                        : slash::verdict::inconclusive;
}

struct stamp_of {
  std::optional<timestamp> operator()(const project::vote_cast& change) const { return change.at; }
  std::optional<timestamp> operator()(const period::period_advanced& change) const { return change.opened.starts_at; }
  std::optional<timestamp> operator()(const profile::xp_tipped& change) const { return change.at; }
  std::optional<timestamp> operator()(const profile::xp_granted& change) const { return change.at; }
  std::optional<timestamp> operator()(const profile::key_created& change) const { return change.key.created_at; }
  std::optional<timestamp> operator()(const profile::key_revoked& change) const { return change.at; }
  std::optional<timestamp> operator()(const profile::session_opened& change) const { return change.opened.created_at; }
  std::optional<timestamp> operator()(const profile::session_rotated& change) const { return change.now.rotated_at; }
  std::optional<timestamp> operator()(const profile::sessions_ended& change) const { return change.at; }
  std::optional<timestamp> operator()(const profile::partner_switched& change) const { return change.grant.changed_at; }
  std::optional<timestamp> operator()(const profile::partner_code_made& change) const { return change.at; }
  std::optional<timestamp> operator()(const profile::nonce_used& change) const { return change.at; }
  std::optional<timestamp> operator()(const idempotency::answer_recorded& change) const { return change.at; }
  std::optional<timestamp> operator()(const funds::funds_moved& change) const { return change.at; }
  std::optional<timestamp> operator()(const market::market_opened& change) const { return change.at; }
  std::optional<timestamp> operator()(const market::traded& change) const { return change.at; }
  std::optional<timestamp> operator()(const market::market_frozen_set& change) const { return change.at; }
  std::optional<timestamp> operator()(const slash::slash_opened& change) const { return change.record.created_at; }
  std::optional<timestamp> operator()(const slash::slash_voted& change) const { return change.at; }
  template <among<types<project::project_tallied, profile::keys_used, idempotency::days_counted, slash::slash_closed,
                        note::note_created, note::note_edited, note::note_archived>>
              Unstamped>
  std::optional<timestamp> operator()(const Unstamped&) const {
    return std::nullopt;
  }
  template <among<score::storage::facts> Score>
  std::optional<timestamp> operator()(const Score& change) const {
    return change.at;
  }
  std::optional<timestamp> operator()(const wallets::wallet_made& change) const { return change.made_at; }
  std::optional<timestamp> operator()(const wallets::wallet_exported& change) const { return change.at; }
  std::optional<timestamp> operator()(const wallets::transaction_stored& change) const { return change.at; }
  std::optional<timestamp> operator()(const wallets::transactions_moved& change) const { return change.at; }
  template <among<chain::storage::facts> Chain>
  std::optional<timestamp> operator()(const Chain&) const { // stamped by the chain
    return std::nullopt;
  }
  template <among<reputation::storage::facts> Record>
  std::optional<timestamp> operator()(const Record& change) const {
    if constexpr (requires { change.at; })
      return change.at;
    else if constexpr (requires { change.end.at; })
      return change.end.at;
    else if constexpr (std::is_same_v<Record, reputation::notices_read>)
      return change.to;
    else if constexpr (requires { change.record.vouched_at; })
      return change.record.vouched_at;
    else if constexpr (requires { change.first; })
      return change.vote.updated_at;
    else
      return change.record.created_at;
  }
};

} // namespace

// -- the rules of the schema ----------------------------------------------------------------

void simulated_database::open(image& next, const slash::slash_opened& change, const std::set<profile_id>& archived) {
  const auto& record = change.record;
  const auto name = named(record.id);
  const auto last = next.slashes.empty() ? slash_id{} : next.slashes.rbegin()->first;
  if (record.id.value != last.value + 1)
    break_rule(name + " came after " + std::to_string(last.value));
  if (record.closed || record.subject.profile == record.author || record.lasts < 1s || record.amount < 1
      || record.amount > limits::slash_amount_max
      || record.created_at != std::chrono::floor<std::chrono::seconds>(record.created_at))
    break_rule(name + " is none");
  if (archived.contains(record.author))
    refuse_archived();
  for (const auto& [id, other] : next.slashes) {
    const auto& closed = other.record.closed;
    if (!closed && (other.record.author == record.author || other.record.subject.same_as(record.subject)))
      break_rule(name + " was opened beside " + named(id));
    if (closed && closed->how == slash::verdict::slashed && closed->at > record.created_at - cooldown
        && other.record.subject.same_as(record.subject))
      break_rule(name + " was opened too soon after " + named(id));
  }
  next.slashes[record.id].record = record;
}

void simulated_database::vote(image& next, const slash::slash_voted& change, const std::set<profile_id>& archived) {
  const auto name = "vote " + std::to_string(change.number) + " on " + named(change.slash);
  const auto found = next.slashes.find(change.slash);
  if (found == next.slashes.end())
    break_rule(name + " came before the slash");
  auto& on = found->second;
  if (on.record.closed || change.at < on.record.created_at || change.at >= on.record.ends_at())
    break_rule(name + " came while that was not open");
  if (change.voter == on.record.author || change.voter == on.record.subject.profile)
    break_rule(name + " is its author's or its subject's");
  if (!next.profiles.contains(change.voter) || archived.contains(change.voter))
    refuse_archived();
  if (change.number != static_cast<entity_seq>(on.votes.size()) + 1)
    break_rule(name + " came after " + std::to_string(on.votes.size()));
  if (change.weight < 0 || change.weight > 7)
    break_rule(name + " weighs " + std::to_string(change.weight));
  on.votes.push_back(change);
  count(on, change);
  if (on.ballots.at(change.voter).votes > limits::slash_votes_per_profile_max)
    break_rule(name + " is one too many of its voter");
}

void simulated_database::count(slash_book& on, const slash::slash_voted& change) {
  const auto sum = [&on](slash::vote_side of) -> std::int64_t& {
    return of == slash::vote_side::slash ? on.tally.slash : on.tally.defend;
  };
  auto& ballot = on.ballots.try_emplace(change.voter, slash::ballot{change.voter, change.side, 0, 0}).first->second;
  if (mistake != planted::counts_a_changed_slash_vote_twice)
    sum(ballot.side) -= ballot.weight;
  sum(change.side) += change.weight;
  ballot = {change.voter, change.side, change.weight, ballot.votes + 1};
}

void simulated_database::close(image& next, const slash::slash_closed& change) {
  const auto name = named(change.slash);
  const auto found = next.slashes.find(change.slash);
  if (found == next.slashes.end() || found->second.record.closed)
    break_rule(name + " was closed, and was not open");
  auto& [value, votes, ballots, tally] = found->second;
  const auto& end = change.end;
  const bool cancelled = end.how == slash::verdict::cancelled;
  if (cancelled ? end.at < value.created_at || end.at >= value.ends_at() : end.at != value.ends_at())
    break_rule(name + " was closed at the wrong time");
  if (end.at > clock() + clock_difference_max + measured_within)
    break_rule(name + " was closed before its time");
  if (end.votes.slash != tally.slash || end.votes.defend != tally.defend)
    break_rule(name + " was closed with " + std::to_string(end.votes.slash) + " to " + std::to_string(end.votes.defend)
               + ", and its votes weigh " + std::to_string(tally.slash) + " to " + std::to_string(tally.defend));
  if (!cancelled && end.how != outcome_of(tally))
    break_rule(name + " has an outcome that does not follow from its votes");
  value.closed = end;
}

// -- clocks ---------------------------------------------------------------------------------

void simulated_database::judge_stamps(const transaction& work) {
  const auto now = clock();
  for (const auto& each : work.changes)
    if (const auto stamp = visit(stamp_of{}, each))
      if (*stamp > now + clock_difference_max + measured_within || *stamp < now - clock_difference_max - longest_way)
        broken_rules_.push_back("a " + std::string{name_of(each)} + " was stamped with " + iso_text(*stamp) + " at "
                                + iso_text(now));
}

} // namespace credence::test
