#include "tests/simulation/simulated_database.hpp"

namespace credence::test {

using namespace std::chrono_literals;
using persistence::database_error;
using persistence::trouble;

namespace {

constexpr auto lock_timeout = 500ms; // of a takeover

database_error refused(const char* sqlstate) { return {trouble::refused, sqlstate, "refused"}; }
database_error lost() { return {trouble::lost, {}, "the connection is gone"}; }

} // namespace

/// `before` is the session that took over last, until this one has.
class simulated_session final : public persistence::write_session {
public:
  simulated_session(simulated_database& on, std::uint64_t& before, const bool& gone)
    : on_(on), before_(before), gone_(gone), number_(++on.last_session_), generation_(on.generation_) {}

  persistence::ownership take_over(const persistence::claim& mine, const std::optional<persistence::batch_id>& doubtful,
                                   steady_time deadline) override {
    check();
    on_.spend(std::chrono::milliseconds{1 + on_.chance_.below(5)});
    if (chance(on_.faults.lost))
      throw die("takeover lost");
    on_.terminate(before_);
    if (on_.mistake != planted::takes_over_without_waiting
        && !on_.wait_for_the_shard(std::min(deadline, steady_clock::now() + lock_timeout))) {
      on_.trace_("takeover gave up waiting for the shard");
      throw refused("55P03");
    }
    const auto found = look(mine, doubtful);
    if (!found.superseded)
      become_owner({mine.owner, found.epoch});
    before_ = number_;
    on_.trace_("takeover, epoch " + std::to_string(found.epoch)
               + (found.doubtful_stored ? ", doubtful batch is there" : ""));
    return found;
  }

  void prepare(steady_time) override {
    check();
    if (chance(on_.faults.lost))
      throw die("lost after a takeover");
  }

  void commit(const persistence::batch& batch, const persistence::claim& mine, steady_time deadline) override {
    check();
    // A row of the same key in a transaction that has not ended; none that a takeover has waited for.
    if (!on_.wait_for_the_shard(deadline))
      throw die("lost while another transaction was in the way");
    auto fresh = transaction_of(batch, mine);
    if (chance(on_.faults.refused)) {
      const bool full = chance(500);
      on_.trace_("a batch of " + std::to_string(batch.accepted())
                 + " was refused: " + (full ? "no room" : "a conflict"));
      throw refused(full ? "53100" : "40001");
    }
    if (chance(on_.faults.lost))
      throw lose(std::move(fresh));
    on_.run(fresh);
    if (on_.mistake == planted::answers_before_the_commit) {
      leave(std::move(fresh));
      return;
    }
    const std::chrono::milliseconds takes{on_.chance_.below(chance(on_.faults.slow) ? 2500 : 3)};
    if (steady_clock::now() + takes > deadline) {
      auto alone = on_.left_alone(number_, std::move(fresh));
      alone.due = steady_clock::now() + takes;
      on_.orphans_.push_back(std::move(alone));
      on_.spend(std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now()));
      throw die("lost patience with a commit");
    }
    on_.spend(takes);
    on_.commit(fresh);
    on_.trace_("committed " + std::to_string(batch.accepted()));
  }

  std::optional<timestamp> owns(const persistence::claim& mine, steady_time) override {
    check();
    if (chance(on_.faults.lost))
      throw die("probe lost");
    on_.spend(1ms);
    if (on_.image_.owner != mine.owner || on_.image_.epoch != mine.epoch)
      return std::nullopt;
    return on_.mistake == planted::believes_any_clock ? on_.machine() : on_.clock();
  }

private:
  using orphan = simulated_database::orphan;
  using transaction = simulated_database::transaction;

  bool chance(std::uint32_t of_thousand) { return on_.chance_.chance(of_thousand); }

  void check() const {
    if (generation_ != on_.generation_ || gone_)
      throw lost();
  }
  database_error die(const char* text) {
    generation_ = 0;
    on_.trace_(text);
    return lost();
  }

  persistence::ownership look(const persistence::claim& mine,
                              const std::optional<persistence::batch_id>& doubtful) const {
    const auto& image = on_.image_;
    persistence::ownership found;
    found.superseded = mine.epoch != 0 && image.owner != mine.owner;
    found.epoch = image.epoch + (found.superseded ? 0 : 1);
    found.last_sequence = image.sequence;
    found.last_seq = image.last_seq;
    found.era = image.periods.empty() ? 0 : image.periods.back().id.value;
    if (doubtful)
      found.doubtful_stored =
        on_.mistake == planted::takes_the_unknown_for_stored
        || std::find(image.batches.begin(), image.batches.end(), *doubtful) != image.batches.end();
    return found;
  }

  /// The end of a takeover's transaction.
  void become_owner(persistence::claim next) {
    const auto commit = [&image = on_.image_, next] {
      image.owner = next.owner;
      image.epoch = next.epoch;
    };
    if (!chance(on_.faults.lost))
      return commit();
    if (chance(300)) {
      commit();
      throw die("lost after a takeover was committed");
    }
    orphan alone{number_, "a takeover", std::nullopt, {}, chance(500), steady_clock::now() + on_.some_time()};
    if (alone.flushing)
      alone.commit = commit;
    on_.orphans_.push_back(std::move(alone));
    throw die("lost with a takeover under way");
  }

  transaction transaction_of(const persistence::batch& batch, const persistence::claim& mine) const {
    transaction out;
    out.identity = batch.identity;
    out.by = mine;
    for (const auto& each : batch.entries)
      if (!each.refused) {
        out.changes.push_back(each.request.change);
        out.notes.emplace_back();
        if (const auto& context = each.request.context; context && context->idempotent())
          out.notes.back() = transaction::note{context->id(), context->fingerprint(), context->at()};
      }
    return out;
  }

  void leave(transaction work) { on_.orphans_.push_back(on_.left_alone(number_, std::move(work))); }

  /// The connection goes somewhere on the way of a batch.
  database_error lose(transaction work) {
    const auto moment = on_.chance_.below(4);
    if (moment == 0)
      return die("lost before a batch");
    if (moment == 1) {
      on_.orphans_.push_back({number_, "a batch", std::move(work), {}, false, steady_clock::now() + on_.some_time()});
      return die("lost with a batch on its way");
    }
    try {
      on_.run(work);
    } catch (const database_error&) {
      return die("lost with a refusal on its way");
    }
    if (moment == 2) {
      on_.commit(work);
      return die("lost after a commit");
    }
    leave(std::move(work));
    return die("lost with a commit under way");
  }

  simulated_database& on_;
  std::uint64_t& before_;
  const bool& gone_; // the process
  std::uint64_t number_;
  std::uint64_t generation_;
};

class simulated_sessions final : public persistence::write_sessions {
public:
  simulated_sessions(simulated_database& on, const bool& gone) : on_(on), gone_(gone) {}
  std::unique_ptr<persistence::write_session> connect() override {
    on_.spend(2ms);
    if (gone_)
      throw lost();
    if (on_.chance_.chance(on_.faults.unreachable))
      throw lost();
    if (on_.chance_.chance(on_.faults.unreachable))
      return nullptr;
    return std::make_unique<simulated_session>(on_, last_, gone_);
  }

private:
  simulated_database& on_;
  const bool& gone_;
  std::uint64_t last_ = 0;
};

std::unique_ptr<persistence::write_sessions> simulated_database::sessions(const bool& gone) {
  return std::make_unique<simulated_sessions>(*this, gone);
}

} // namespace credence::test
