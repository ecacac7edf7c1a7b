#include "tests/simulation/simulation.hpp"

#include "actors/directory.hpp"
#include "actors/kernel/context.hpp"
#include "ops/log.hpp"
#include "persistence/writer_actor.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <cstdio>
#include <deque>

namespace credence::test {

namespace {

using namespace std::chrono_literals;

constexpr int projects = 3;
constexpr int profiles = 8;
constexpr auto patience = 3s; // of a client
constexpr auto healing = 40s;
constexpr auto tick = 20ms;

steady_time virtual_steady;
timestamp virtual_wall;

timestamp start_of_time() { return std::chrono::sys_days{std::chrono::year{2026} / 3 / 10} + 12h; }

/// Stands in for the machine's clocks while it lives, and keeps the log quiet.
struct virtual_time {
  virtual_time() {
    ops::start_log({.level = "off"});
    virtual_steady = steady_time{1000s};
    virtual_wall = start_of_time();
    steady_clock::in_place = [] { return virtual_steady; };
  }
  ~virtual_time() {
    steady_clock::in_place = nullptr;
    ops::start_log({});
  }
  virtual_time(const virtual_time&) = delete;
  virtual_time& operator=(const virtual_time&) = delete;
};

enum class told : std::uint8_t { nothing, yes, no, unknown };

/// One question of a client, and what came of it.
struct operation {
  std::string text;
  told outcome = told::nothing;
  std::function<void(envelope_base&)> judge;
};

struct attempted_vote {
  int voter;
  int project;
  project::sentiment side;
  std::string reason;
  told outcome = told::nothing;
};

class clients final : public answer_sink {
public:
  void deliver(envelope_base* answered) noexcept override {
    auto* op = static_cast<operation*>(answered->asker);
    if (op->judge)
      op->judge(*answered);
    answered->deref();
  }
};

template <class Q>
const envelope<Q>& as(const envelope_base& answered) {
  return static_cast<const envelope<Q>&>(answered);
}

class world {
public:
  explicit world(const simulation_plan& plan)
    : plan_(plan), dice_(plan.seed),
      database_(dice_, [this](const std::string& what) { note(what); },
                [this](std::chrono::milliseconds took) { owed_ += took; }) {}

  simulation_report run() {
    open();
    database_.faults = plan_.faults;
    for (int step = 0; step < plan_.steps && report_.violations.empty(); ++step)
      one_step();
    heal();
    if (report_.violations.empty())
      converge();
    if (report_.violations.empty())
      compare();
    for (const auto& broken : database_.broken_rules())
      report_.violations.push_back(broken);
    close();
    return std::move(report_);
  }

private:
  void note(const std::string& what) {
    char when[32];
    const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(virtual_steady - steady_time{1000s});
    std::snprintf(when, sizeof when, "%8.3f ", static_cast<double>(since.count()) / 1000);
    report_.trace.push_back(when + what);
  }
  void violation(const std::string& what) {
    note("VIOLATION: " + what);
    report_.violations.push_back(what);
  }

  void open() {
    auto& image = database_.edit();
    database_.mistake = plan_.mistake;
    const auto month = std::chrono::sys_days{std::chrono::year{2026} / 3 / 1};
    image.periods.push_back({period_id{1}, 2026, 1, month, next_month(month), std::nullopt});
    for (int i = 1; i <= projects; ++i)
      image.votes[project_id{i}];
    for (int i = 1; i <= profiles; ++i)
      image.profiles.insert(profile_id{i});
    status_.writable = false;
    settings_.reconnect_delay_max = 200ms;
    with_->storage = {persistence::spawn_writer_here(sys_, settings_, status_, database_.sessions()),
                      database_.spawn_reader(sys_, status_), &status_};
    with_->people = &people_;
    with_->projects = &projects_;
    with_->calendar = &calendar_;
    with_->others = &others_;
    with_->now = [] { return virtual_wall; };
    with_->limits.live_projects_max = 2;
    with_->limits.live_profiles_max = 4;
    with_->limits.idle_stop = 700ms;
    with_->limits.period_advance = "manual";
    others_.people = people::spawn_people(sys_, with_, people_);
    others_.periods = period::spawn_period(sys_, with_, calendar_);
    others_.profiles = profile::spawn_profile_router(sys_, with_);
    others_.projects = project::spawn_project_router(sys_, with_);
    others_.listings = listing::spawn_listings(sys_, with_, projects_);
    for (int i = 0; i < 200 && !(calendar_.get() && people_.complete() && projects_.complete()); ++i)
      pass_time(tick);
    if (!calendar_.get())
      violation("the actors never started");
  }

  void close() {
    for (const auto& actor :
         {caf::actor_cast<caf::actor>(others_.listings), caf::actor_cast<caf::actor>(others_.projects),
          caf::actor_cast<caf::actor>(others_.profiles), caf::actor_cast<caf::actor>(others_.periods),
          caf::actor_cast<caf::actor>(others_.people), caf::actor_cast<caf::actor>(with_->storage.writer),
          caf::actor_cast<caf::actor>(with_->storage.reader)})
      caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    others_ = {};
    with_->storage = {};
    sched_.run();
  }

  // -- time and turns ---------------------------------------------------------------------

  void advance_clock(std::chrono::nanoseconds by) {
    virtual_steady += by;
    virtual_wall += std::chrono::duration_cast<std::chrono::microseconds>(by);
    sched_.advance_time(by);
  }

  /// One message of one actor, whoever the dice choose.
  void one_turn() {
    auto& jobs = sched_.jobs;
    std::swap(jobs.front(), jobs[dice_.below(static_cast<std::uint32_t>(jobs.size()))]);
    sched_.run_once();
    if (owed_ > 0ms)
      advance_clock(std::exchange(owed_, 0ms));
  }

  void pass_time(std::chrono::nanoseconds by) {
    const auto until = virtual_steady + by;
    int turns = 0;
    while (virtual_steady < until) {
      while (!sched_.jobs.empty() && ++turns < 20000)
        one_turn();
      if (virtual_steady < until)
        advance_clock(1ms);
    }
  }

  void one_step() {
    const auto what = dice_.below(100);
    if (what < 14)
      return cast();
    if (what < 20 && plan_.reads)
      return read();
    if (what == 20 && plan_.advances)
      return advance_period();
    if ((what == 21 || what == 24 || what == 25) && plan_.crashes)
      return crash_somebody();
    if (what == 22 && plan_.outages && dice_.chance(300))
      return database_.crash();
    if (what == 23 && plan_.archiving && dice_.chance(200))
      return archive_somebody();
    if (what < 34)
      return advance_clock(std::chrono::milliseconds{1 + dice_.below(60)});
    for (auto turns = 1 + dice_.below(12); turns > 0 && !sched_.jobs.empty(); --turns)
      one_turn();
  }

  void crash_somebody() {
    std::vector<caf::scheduled_actor*> alive;
    for (auto* job : sched_.jobs) {
      auto* actor = dynamic_cast<caf::scheduled_actor*>(job);
      if (actor && (std::string{actor->name()} == "project" || std::string{actor->name()} == "profile"))
        alive.push_back(actor);
    }
    if (alive.empty())
      return;
    auto* victim = alive[dice_.below(static_cast<std::uint32_t>(alive.size()))];
    ++report_.crashes;
    note(std::string{"a "} + victim->name() + " crashed");
    caf::anon_send_exit(caf::actor_cast<caf::actor>(caf::strong_actor_ptr{victim->ctrl()}), caf::exit_reason::kill);
  }

  void archive_somebody() {
    const profile_id who{1 + static_cast<std::int32_t>(dice_.below(profiles))};
    if (database_.now().archived.size() + 3 > profiles)
      return;
    note("profile " + std::to_string(who.value) + " was archived");
    database_.edit().archived.insert(who);
  }

  // -- clients ----------------------------------------------------------------------------

  template <class Q, class Handle>
  void put(const Handle& whom, Q question, operation& op) {
    ask<Q> asked{std::move(question), clients_, virtual_steady + patience};
    asked.get()->asker = &op;
    asked.get()->stamp(virtual_steady);
    caf::anon_send(whom, std::move(asked));
  }

  operation& begin(std::string text) {
    note(text);
    return operations_.emplace_back(operation{std::move(text), told::nothing, {}});
  }

  const std::vector<simulated_database::cast>& stored(int project) const {
    return database_.now().votes.at(project_id{project});
  }
  std::size_t times_stored(int project, const std::string& reason) const {
    const auto& votes = stored(project);
    return static_cast<std::size_t>(
      std::count_if(votes.begin(), votes.end(), [&](const auto& each) { return each.reason == reason; }));
  }
  /// How many votes of the project are stored up to and including the last acknowledged one.
  std::size_t acknowledged_prefix(int project) const {
    const auto& votes = stored(project);
    std::size_t prefix = 0;
    for (std::size_t i = 0; i < votes.size(); ++i)
      if (acknowledged_.contains(*votes[i].reason))
        prefix = i + 1;
    return prefix;
  }

  void cast() {
    cast(attempts_.emplace_back(attempted_vote{
      1 + static_cast<int>(dice_.below(profiles)), 1 + static_cast<int>(dice_.below(projects)),
      dice_.chance(700) ? project::sentiment::bullish : project::sentiment::bearish,
      "r" + std::to_string(attempts_.size() + 1)}));
  }

  void cast(attempted_vote& what) {
    if (people_.standing_of(profile_id{what.voter}) == people::people_index::standing::archived) {
      // The front turns it away. Whether an earlier try was stored the client sees in its balance.
      what.outcome = times_stored(what.project, what.reason) == 1 ? told::yes : told::no;
      return;
    }
    what.outcome = told::nothing;
    auto& op = begin(what.reason + ": profile " + std::to_string(what.voter) + " votes on project "
                     + std::to_string(what.project));
    op.judge = [this, &op, &what](envelope_base& answered) {
      using question = project::cast_vote;
      const auto& result = as<question>(answered).result;
      const auto times = times_stored(what.project, what.reason);
      if (std::holds_alternative<project::vote_receipt>(result)) {
        op.outcome = what.outcome = told::yes;
        ++report_.acknowledged;
        note(what.reason + ": acknowledged");
        if (times != 1)
          violation(what.reason + " was acknowledged and is stored " + std::to_string(times) + " times");
        acknowledged_.insert(what.reason);
      } else if (const auto* why = std::get_if<refusal>(&result)) {
        // A retry of a vote whose fate was unknown hears that it is there.
        const bool found_it = why->code == refusal_code::already_voted && times == 1;
        op.outcome = what.outcome = found_it ? told::yes : told::no;
        ++report_.refused;
        note(what.reason + ": refused, " + why->detail);
        if (found_it)
          acknowledged_.insert(what.reason);
        else if (why->code == refusal_code::already_voted && !voted(what))
          violation(what.reason + " was refused as a second vote, and there is no first");
      } else {
        op.outcome = what.outcome = told::unknown;
        ++report_.unknown;
        const auto failed_with = std::get<failure>(result);
        note(what.reason + ": unknown");
        if ((failed_with == failure::overloaded || failed_with == failure::too_many) && times != 0)
          violation(what.reason + " was turned away for lack of room and is stored");
      }
    };
    put(others_.projects,
        project::cast_vote{project_id{what.project}, profile_id{what.voter}, what.side, what.reason}, op);
  }

  bool voted(const attempted_vote& what) const {
    const auto& votes = stored(what.project);
    return std::any_of(votes.begin(), votes.end(), [&](const auto& each) { return each.voter.value == what.voter; });
  }

  void read() {
    switch (dice_.below(4)) {
      case 0: return read_voters();
      case 1: return read_totals();
      case 2: return read_chart();
      default: return read_balance();
    }
  }

  /// What a read of all votes of a project may show: `count` is how many it showed.
  void judge_prefix(const operation& op, int project, std::size_t at_least, std::size_t count) {
    if (count < at_least)
      violation(op.text + " shows " + std::to_string(count) + " votes; " + std::to_string(at_least)
                + " were acknowledged before it was asked");
    if (count > stored(project).size())
      violation(op.text + " shows " + std::to_string(count) + " votes; " + std::to_string(stored(project).size())
                + " are stored");
  }

  void read_voters() {
    const auto project = 1 + static_cast<int>(dice_.below(projects));
    auto& op = begin("voters of project " + std::to_string(project));
    op.judge = [this, &op, project, least = acknowledged_prefix(project)](envelope_base& answered) {
      const auto& result = as<project::get_voters>(answered).result;
      const auto* page = std::get_if<project::voters_page>(&result);
      op.outcome = page ? told::yes : told::unknown;
      if (!page)
        return;
      std::multiset<std::string> shown;
      for (const auto& entry : page->entries)
        for (const auto* reasons : {&entry.bullish_reasons, &entry.bearish_reasons})
          for (const auto& each : *reasons)
            for (auto n = each.votes; n > 0; --n)
              shown.insert(each.reason.value_or(""));
      judge_prefix(op, project, least, shown.size());
      const auto& votes = stored(project);
      std::multiset<std::string> first;
      for (std::size_t i = 0; i < std::min(shown.size(), votes.size()); ++i)
        first.insert(*votes[i].reason);
      if (shown != first)
        violation(op.text + " shows other votes than the first " + std::to_string(shown.size()));
      if (page->totals.bullish_votes + page->totals.bearish_votes != static_cast<std::int64_t>(shown.size()))
        violation(op.text + " has totals that differ from its entries");
    };
    project::get_voters question;
    question.project = project_id{project};
    question.in.kind = project::scope_kind::global;
    question.slice = {100, 0};
    put(others_.projects, std::move(question), op);
  }

  void read_totals() {
    const auto project = 1 + static_cast<int>(dice_.below(projects));
    auto& op = begin("bulk totals of project " + std::to_string(project));
    op.judge = [this, &op, project, least = acknowledged_prefix(project)](envelope_base& answered) {
      const auto& result = as<project::get_bulk_totals>(answered).result;
      const auto* totals = std::get_if<1>(&result);
      op.outcome = totals ? told::yes : told::unknown;
      if (!totals)
        return;
      std::int64_t all = 0;
      for (const auto& each : *totals)
        all += each.bullish + each.bearish;
      judge_prefix(op, project, least, static_cast<std::size_t>(all));
    };
    project::get_bulk_totals question;
    question.project = project_id{project};
    question.in.kind = project::scope_kind::global;
    for (int i = 1; i <= profiles; ++i)
      question.voters.push_back(profile_id{i});
    put(others_.projects, std::move(question), op);
  }

  void read_chart() {
    const auto project = 1 + static_cast<int>(dice_.below(projects));
    auto& op = begin("chart of project " + std::to_string(project));
    op.judge = [this, &op, project, least = acknowledged_prefix(project)](envelope_base& answered) {
      const auto& result = as<project::get_chart>(answered).result;
      const auto* points = std::get_if<1>(&result);
      op.outcome = points ? told::yes : told::unknown;
      if (points)
        judge_prefix(op, project, least,
                     points->empty() ? 0
                                     : static_cast<std::size_t>(points->back().total_bullish + points->back().total_bearish));
    };
    project::get_chart question;
    question.project = project_id{project};
    question.in.kind = project::scope_kind::global;
    put(others_.projects, std::move(question), op);
  }

  std::size_t votes_of(int voter, period_id in, bool only_acknowledged) const {
    std::size_t count = 0;
    for (const auto& [project, votes] : database_.now().votes)
      for (const auto& each : votes)
        count += each.voter.value == voter && each.in == in
                 && (!only_acknowledged || acknowledged_.contains(*each.reason));
    return count;
  }

  void read_balance() {
    const auto voter = 1 + static_cast<int>(dice_.below(profiles));
    const auto in = calendar_.get()->current();
    auto& op = begin("balance of profile " + std::to_string(voter));
    op.judge = [this, &op, voter, in, least = votes_of(voter, in.id, true)](envelope_base& answered) {
      const auto& result = as<profile::get_balance>(answered).result;
      const auto* view = std::get_if<profile::balance_view>(&result);
      op.outcome = view ? told::yes : told::unknown;
      if (!view)
        return;
      const auto count = static_cast<std::size_t>(view->balance.bullish_cast + view->balance.bearish_cast);
      if (count < least)
        violation(op.text + " counts " + std::to_string(count) + " votes; " + std::to_string(least)
                  + " were acknowledged before it was asked");
      if (count > votes_of(voter, in.id, false))
        violation(op.text + " counts " + std::to_string(count) + " votes; "
                  + std::to_string(votes_of(voter, in.id, false)) + " are stored");
    };
    put(others_.profiles, profile::get_balance{profile_id{voter}, std::nullopt, {in.year, in.number}}, op);
  }

  void advance_period() {
    auto& op = begin("advance of the period");
    op.judge = [this, &op](envelope_base& answered) {
      const auto& result = as<period::advance_period>(answered).result;
      const auto* given = std::get_if<period::allocation>(&result);
      op.outcome = given ? told::yes : told::unknown;
      note(op.text + (given ? ": opened " + std::to_string(given->opened.id.value) : ": unknown"));
      if (given && database_.now().periods.back().id < given->opened.id)
        violation("period " + std::to_string(given->opened.id.value) + " was announced and is not stored");
    };
    put(others_.periods, period::advance_period{}, op);
  }

  // -- the end ----------------------------------------------------------------------------

  void heal() {
    note("the faults end");
    database_.faults = {};
    pass_time(healing);
    if (!report_.violations.empty())
      return;
    for (const auto& op : operations_)
      if (op.outcome == told::nothing)
        violation(op.text + " was never answered");
    if (!status_.writable.load())
      violation("the store never became writable again");
    if (status_.queued.load() != 0)
      violation(std::to_string(status_.queued.load()) + " changes are still counted as waiting");
  }

  /// Clients ask again about what they do not know, as they are told to.
  void converge() {
    for (int round = 0; round < 20; ++round) {
      bool open = false;
      for (auto& each : attempts_) {
        if (each.outcome != told::unknown)
          continue;
        if (stored_in_a_closed_period(each)) { // the client sees it there; a retry would be another vote
          each.outcome = told::yes;
          continue;
        }
        open = true;
        cast(each);
      }
      if (!open || !report_.violations.empty())
        return;
      pass_time(patience);
    }
    violation("unknown votes do not converge");
  }

  bool stored_in_a_closed_period(const attempted_vote& what) const {
    const auto& votes = stored(what.project);
    return std::any_of(votes.begin(), votes.end(), [&](const auto& each) {
      return each.reason == what.reason && each.in != database_.now().periods.back().id;
    });
  }

  void compare() {
    for (const auto& each : attempts_) {
      const auto times = times_stored(each.project, each.reason);
      if (each.outcome == told::yes && times != 1)
        violation(each.reason + " was acknowledged and is stored " + std::to_string(times) + " times");
      if (each.outcome == told::no && times != 0)
        violation(each.reason + " was refused and is stored");
    }
    for (int project = 1; project <= projects; ++project) {
      auto& op = begin("all voters of project " + std::to_string(project));
      op.judge = [this, &op, project](envelope_base& answered) {
        const auto& result = as<project::get_voters>(answered).result;
        const auto* page = std::get_if<project::voters_page>(&result);
        op.outcome = told::yes;
        if (!page)
          return violation(op.text + " gave no answer after the faults ended");
        const auto shown = static_cast<std::size_t>(page->totals.bullish_votes + page->totals.bearish_votes);
        if (shown != stored(project).size())
          violation(op.text + " shows " + std::to_string(shown) + " votes; " + std::to_string(stored(project).size())
                    + " are stored");
      };
      project::get_voters question;
      question.project = project_id{project};
      question.in.kind = project::scope_kind::global;
      question.slice = {100, 0};
      put(others_.projects, std::move(question), op);
    }
    pass_time(patience);
    for (const auto& op : operations_)
      if (op.outcome == told::nothing)
        violation(op.text + " was never answered");
  }

  static caf::actor_system_config& prepared(caf::actor_system_config& config) {
    config.set("scheduler.policy", caf::atom("testing"));
    return config;
  }

  const simulation_plan& plan_;
  virtual_time time_;
  simulation_report report_;
  dice dice_;
  std::chrono::milliseconds owed_{0}; // time that a turn has taken
  simulated_database database_;
  settings::store settings_;
  store_status status_;
  people::people_index people_;
  listing::project_index projects_;
  period::published_calendar calendar_;
  directory others_;
  clients clients_;
  std::deque<operation> operations_;
  std::deque<attempted_vote> attempts_;
  std::set<std::string> acknowledged_; // by reason
  caf::actor_system_config config_;
  caf::actor_system sys_{prepared(config_)};
  caf::scheduler::test_coordinator& sched_ = dynamic_cast<caf::scheduler::test_coordinator&>(sys_.scheduler());
  std::shared_ptr<context> with_ = std::make_shared<context>();
};

bool fails(const simulation_plan& plan) { return !simulate(plan).violations.empty(); }

} // namespace

simulation_report simulate(const simulation_plan& plan) { return world{plan}.run(); }

simulation_plan shortest_failure(simulation_plan plan) {
  const auto try_without = [&plan](auto change) {
    auto smaller = plan;
    change(smaller);
    if (fails(smaller))
      plan = smaller;
  };
  try_without([](simulation_plan& p) { p.reads = false; });
  try_without([](simulation_plan& p) { p.archiving = false; });
  try_without([](simulation_plan& p) { p.crashes = false; });
  try_without([](simulation_plan& p) { p.outages = false; });
  try_without([](simulation_plan& p) { p.advances = false; });
  try_without([](simulation_plan& p) { p.faults.slow = 0; });
  try_without([](simulation_plan& p) { p.faults.refused = 0; });
  try_without([](simulation_plan& p) { p.faults.read_late = p.faults.read_fails = 0; });
  try_without([](simulation_plan& p) { p.faults.unreachable = 0; });
  try_without([](simulation_plan& p) { p.faults.lost = 0; });
  for (int cut = plan.steps / 2; cut > 0; cut /= 2)
    while (plan.steps > cut) {
      auto smaller = plan;
      smaller.steps -= cut;
      if (!fails(smaller))
        break;
      plan = smaller;
    }
  return plan;
}

std::string describe(const simulation_plan& plan, const simulation_report& report) {
  std::string out = "seed " + std::to_string(plan.seed) + ", " + std::to_string(plan.steps) + " steps"
                    + (plan.reads ? ", reads" : "") + (plan.archiving ? ", archiving" : "")
                    + (plan.crashes ? ", crashes" : "") + (plan.outages ? ", outages" : "")
                    + (plan.advances ? ", advances" : "") + "; of 1000: refused " + std::to_string(plan.faults.refused)
                    + ", lost " + std::to_string(plan.faults.lost) + ", slow " + std::to_string(plan.faults.slow)
                    + ", unreachable " + std::to_string(plan.faults.unreachable) + ", read fails "
                    + std::to_string(plan.faults.read_fails) + ", read late " + std::to_string(plan.faults.read_late) + "\n";
  for (const auto& line : report.trace)
    out += line + "\n";
  for (const auto& line : report.violations)
    out += "VIOLATION: " + line + "\n";
  return out;
}

} // namespace credence::test
