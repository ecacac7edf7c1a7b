#include "tests/simulation/simulated_database.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <algorithm>

namespace credence::test {

using namespace std::chrono_literals;
using persistence::database_error;
using persistence::trouble;

namespace {

database_error refused(const char* sqlstate) { return {trouble::refused, sqlstate, "refused"}; }
database_error lost() { return {trouble::lost, {}, "the connection is gone"}; }

template <class... F>
struct one_each : F... {
  using F::operator()...;
};
template <class... F>
one_each(F...) -> one_each<F...>;

} // namespace

/// The rules of the schema: all of the batch or nothing.
void simulated_database::apply(const persistence::batch& what, const persistence::claim& by) {
  const auto& identity = what.identity;
  if (image_.owner != by.owner || image_.epoch != by.epoch)
    throw refused("CR001");
  if (identity.sequence != image_.sequence + 1 || identity.first_seq != image_.last_seq + 1)
    throw refused("CR002");
  auto next = image_;
  const auto vote = [&](const project::vote_cast& cast_now) {
    if (next.periods.empty() || next.periods.back().id != cast_now.in)
      throw refused("23514");
    if (!next.profiles.contains(cast_now.voter) || next.archived.contains(cast_now.voter))
      throw refused("23503");
    auto& votes = next.votes[cast_now.project];
    for (const auto& each : votes)
      if (each.voter == cast_now.voter && each.in == cast_now.in)
        throw refused("23505");
    if (cast_now.number != static_cast<entity_seq>(votes.size()) + 1) {
      broken_rules_.push_back("vote " + std::to_string(cast_now.number) + " of project "
                              + std::to_string(cast_now.project.value) + " came after "
                              + std::to_string(votes.size()));
      throw refused("23505");
    }
    votes.push_back({cast_now.voter, cast_now.in, cast_now.side, cast_now.reason, cast_now.at});
  };
  const auto tally = [&](const project::project_tallied& told) {
    if (told.through > static_cast<entity_seq>(next.votes[told.project].size()))
      broken_rules_.push_back("tallies of project " + std::to_string(told.project.value) + " are ahead of its votes");
    auto& days = next.days[told.project];
    for (const auto& day : told.days) {
      const auto known = std::find_if(days.begin(), days.end(), [&](const project::day_tally& each) {
        return each.in == day.in && each.day == day.day;
      });
      if (known != days.end())
        *known = day;
      else
        days.push_back(day);
    }
    next.tallied[told.project] = std::max(next.tallied[told.project], told.through);
  };
  const auto advance = [&](const period::period_advanced& change) {
    if (next.periods.empty() || next.periods.back().id != change.closes
        || change.opened.id.value != change.closes.value + 1)
      throw refused("23514");
    next.periods.back().closed_at = change.opened.starts_at;
    next.periods.push_back(change.opened);
  };
  for (const auto& each : what.entries)
    if (!each.refused)
      std::visit(one_each{vote, tally, advance}, each.request.what);
  next.sequence = identity.sequence;
  next.last_seq = identity.last_seq;
  next.batches.push_back(identity.id);
  image_ = std::move(next);
}

/// What was on its way arrives now or never.
void simulated_database::land() {
  if (!limbo_)
    return;
  const auto held = std::exchange(limbo_, std::nullopt);
  if (!chance_.chance(500))
    return trace_("the batch on its way never arrived");
  try {
    apply(held->what, held->by);
    trace_("the batch on its way was stored");
  } catch (const database_error&) {
    trace_("the batch on its way was refused");
  }
}

void simulated_database::crash() {
  ++generation_;
  trace_("the database crashed");
}

class simulated_session final : public persistence::write_session {
public:
  explicit simulated_session(simulated_database& on) : on_(on), generation_(on.generation_) {}

  persistence::ownership take_over(const persistence::claim& mine, const std::optional<persistence::batch_id>& doubtful,
                                   steady_time) override {
    check();
    on_.spend_(std::chrono::milliseconds{1 + on_.chance_.below(5)});
    if (on_.chance_.chance(on_.faults.lost))
      throw die("takeover lost");
    on_.land();
    persistence::ownership found;
    found.superseded = mine.epoch != 0 && on_.image_.owner != mine.owner;
    if (!found.superseded) {
      on_.image_.owner = mine.owner;
      ++on_.image_.epoch;
    }
    found.epoch = on_.image_.epoch;
    found.last_sequence = on_.image_.sequence;
    found.last_seq = on_.image_.last_seq;
    found.open_period = on_.image_.periods.empty() ? period_id{} : on_.image_.periods.back().id;
    if (doubtful)
      found.doubtful_stored = on_.mistake == planted::takes_the_unknown_for_stored
                              || std::find(on_.image_.batches.begin(), on_.image_.batches.end(), *doubtful)
                                   != on_.image_.batches.end();
    if (on_.chance_.chance(on_.faults.lost))
      throw die("takeover done and lost");
    on_.trace_("takeover, epoch " + std::to_string(found.epoch) + (found.doubtful_stored ? ", doubtful batch is there" : ""));
    return found;
  }

  void prepare(steady_time) override {
    check();
    if (on_.chance_.chance(on_.faults.lost))
      throw die("lost after a takeover");
  }

  void commit(const persistence::batch& what, const persistence::claim& mine, steady_time) override {
    check();
    on_.spend_(std::chrono::milliseconds{on_.chance_.below(3)});
    if (on_.chance_.chance(on_.faults.slow))
      on_.spend_(std::chrono::milliseconds{on_.chance_.below(2000)});
    if (on_.chance_.chance(on_.faults.refused)) {
      on_.trace_("a batch of " + std::to_string(what.accepted()) + " was refused for now");
      throw refused(on_.chance_.chance(500) ? "53100" : "40001");
    }
    if (on_.chance_.chance(on_.faults.lost)) {
      switch (on_.chance_.below(3)) {
        case 0: throw die("lost before a commit");
        case 1:
          try {
            on_.apply(what, mine);
          } catch (const database_error&) {
          }
          throw die("lost after a commit");
        default:
          on_.limbo_ = simulated_database::on_its_way{what, mine};
          throw die("lost with a commit on its way");
      }
    }
    if (on_.mistake == planted::answers_before_the_commit) {
      on_.land();
      on_.limbo_ = simulated_database::on_its_way{what, mine};
      return;
    }
    on_.apply(what, mine);
    on_.trace_("committed " + std::to_string(what.accepted()));
  }

  bool owns(const persistence::claim& mine, steady_time) override {
    check();
    if (on_.chance_.chance(on_.faults.lost))
      throw die("probe lost");
    return on_.image_.owner == mine.owner && on_.image_.epoch == mine.epoch;
  }

  void forget(std::int64_t, steady_time) override { check(); }

private:
  void check() const {
    if (generation_ != on_.generation_)
      throw lost();
  }
  database_error die(const char* what) {
    generation_ = 0;
    on_.trace_(what);
    return lost();
  }

  simulated_database& on_;
  std::uint64_t generation_;
};

class simulated_sessions final : public persistence::write_sessions {
public:
  explicit simulated_sessions(simulated_database& on) : on_(on) {}
  std::unique_ptr<persistence::write_session> connect() override {
    on_.spend_(2ms);
    if (on_.chance_.chance(on_.faults.unreachable))
      throw lost();
    if (on_.chance_.chance(on_.faults.unreachable))
      return nullptr;
    return std::make_unique<simulated_session>(on_);
  }

private:
  simulated_database& on_;
};

std::unique_ptr<persistence::write_sessions> simulated_database::sessions() {
  return std::make_unique<simulated_sessions>(*this);
}

// -- reading ----------------------------------------------------------------------------

/// An answer is due.
struct answer_due {
  int number = 0;
};

struct simulated_reader {
  static inline const char* name = "reader";
  using handle = reader_handle::extend<caf::reacts_to<answer_due>>;
  using pointer = handle::stateful_pointer<simulated_reader>;

  simulated_database* on = nullptr;
  const store_status* status = nullptr;
  std::map<int, std::function<void()>> pending;
  int last = 0;

  template <class Answer>
  caf::result<Answer> answer(pointer self, Answer snapshot) {
    if (!status->owned.load() || on->chance_.chance(on->faults.read_fails))
      return caf::sec::runtime_error;
    if (!on->chance_.chance(on->faults.read_late))
      return snapshot;
    auto promise = self->make_response_promise<Answer>();
    pending[++last] = [promise, snapshot = std::move(snapshot)]() mutable { promise.deliver(std::move(snapshot)); };
    self->delayed_send(self, std::chrono::milliseconds{1 + on->chance_.below(1500)}, answer_due{last});
    return promise;
  }

  project::stored_project project(project_id id) const {
    const auto& image = on->image_;
    project::stored_project out;
    const auto votes = image.votes.find(id);
    out.exists = votes != image.votes.end();
    if (!out.exists)
      return out;
    const auto tallied = image.tallied.find(id);
    out.tallied_through = tallied == image.tallied.end() ? 0 : tallied->second;
    for (const auto& each : votes->second) {
      out.votes.push_back({each.voter, each.in, each.side, each.reason ? static_cast<std::int32_t>(out.reasons.size()) : -1,
                           each.at});
      if (each.reason)
        out.reasons.push_back(*each.reason);
    }
    return out;
  }

  profile::stored_profile profile(profile_id id) const {
    const auto& image = on->image_;
    profile::stored_profile out{image.profiles.contains(id), image.archived.contains(id), image.last_seq, {}};
    for (const auto& [project, votes] : image.votes)
      for (const auto& each : votes)
        if (each.voter == id)
          out.votes.push_back({project, each.in, each.side});
    return out;
  }

  people::stored_people people(const people::load_people& asked) const {
    people::stored_people page;
    for (const auto id : on->image_.profiles)
      if (id > asked.after && page.rows.size() < static_cast<std::size_t>(asked.limit))
        page.rows.push_back({id, static_cast<std::int16_t>(1000 + id.value), !on->image_.archived.contains(id)});
    return page;
  }

  listing::stored_listings listings() const {
    listing::stored_listings out;
    for (const auto& [id, votes] : on->image_.votes) {
      auto core = std::make_shared<listing::listing_core>();
      core->id = id;
      auto user = std::make_shared<people::user>();
      user->username = "project" + std::to_string(id.value);
      core->user = std::move(user);
      const auto tallied = on->image_.tallied.find(id);
      const auto days = on->image_.days.find(id);
      out.listings.push_back({std::move(core), tallied == on->image_.tallied.end() ? 0 : tallied->second,
                              static_cast<entity_seq>(votes.size()),
                              days == on->image_.days.end() ? std::vector<project::day_tally>{} : days->second});
    }
    return out;
  }
};

namespace {

simulated_reader::handle::behavior_type behave(simulated_reader::pointer self, simulated_database* on,
                                               const store_status* status) {
  auto& state = self->state;
  state.on = on;
  state.status = status;
  return {
    [self](const project::load_project& q) { return self->state.answer(self, self->state.project(q.project)); },
    [self](const profile::load_profile& q) { return self->state.answer(self, self->state.profile(q.profile)); },
    [self](const people::load_people& q) { return self->state.answer(self, self->state.people(q)); },
    [self](const people::load_users_of&) { return self->state.answer(self, people::stored_users{}); },
    [self](const people::load_users&) { return self->state.answer(self, people::stored_users{}); },
    [self](const people::find_people& q) {
      return self->state.answer(self, people::found_people{std::vector<people::found_person>(q.keys.size())});
    },
    [self](const people::get_people& q) {
      return self->state.answer(self, people::people_by_key{std::vector<people::user_ptr>(q.keys.size())});
    },
    [self](const people::get_bundle&) { return self->state.answer(self, people::bundle_of{}); },
    [self](const people::search_people&) { return self->state.answer(self, people::people_page{}); },
    [self, on](const period::load_periods&) {
      return self->state.answer(self, period::stored_periods{on->now().periods});
    },
    [self, on](const period::load_electorate&) {
      const auto live = on->now().profiles.size() - on->now().archived.size();
      return self->state.answer(self, period::electorate{static_cast<std::int64_t>(live),
                                                         static_cast<std::int64_t>(on->now().votes.size())});
    },
    [self](const listing::load_listings&) { return self->state.answer(self, self->state.listings()); },
    [self](answer_due due) {
      const auto found = self->state.pending.find(due.number);
      if (found == self->state.pending.end())
        return;
      found->second();
      self->state.pending.erase(found);
    },
  };
}

} // namespace

reader_handle simulated_database::spawn_reader(caf::actor_system& sys, const store_status& status) {
  return sys.spawn(behave, this, &status);
}

} // namespace credence::test

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::test::answer_due)
