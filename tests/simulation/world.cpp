#include "tests/simulation/world.hpp"

#include "ops/log.hpp"
#include <caf/send.hpp>

#include <cstdio>

namespace credence::test {

namespace {

using namespace std::chrono_literals;

constexpr auto healing = 40s;
constexpr auto tick = 20ms;
constexpr auto notices_within = 30s; // while connections fail

constexpr steady_time steady_start{1000s};
steady_time virtual_steady;
timestamp virtual_wall; // as it should be
std::chrono::microseconds virtual_jump; // of the service's wall clock
std::chrono::microseconds virtual_ahead; // of the boot clock: what the service goes by

timestamp wall_start() { return std::chrono::sys_days{std::chrono::year{2026} / 3 / 10} + 12h; }

} // namespace

virtual_time::virtual_time() {
  ops::start_log({.level = "off"});
  virtual_steady = steady_start;
  virtual_wall = wall_start();
  virtual_jump = {};
  virtual_ahead = std::chrono::duration_cast<std::chrono::microseconds>(virtual_wall.time_since_epoch() - steady_start.time_since_epoch());
  steady_clock::in_place = [] { return virtual_steady; };
}

virtual_time::~virtual_time() {
  steady_clock::in_place = nullptr;
  ops::start_log({});
}

void virtual_time::advance(std::chrono::nanoseconds by) {
  virtual_steady += by;
  virtual_wall += std::chrono::duration_cast<std::chrono::microseconds>(by);
}

void virtual_time::jump(std::chrono::microseconds by) { virtual_jump += by; }

std::chrono::nanoseconds virtual_time::since_start() { return virtual_steady - steady_start; }

// -- the actors ---------------------------------------------------------------------------

world::world(const simulation_plan& plan, simulation_report& report)
  : plan_(plan), report_(report), dice_(plan.seed),
    database_(dice_, [this](const std::string& what) { note(what); },
              [this](std::chrono::milliseconds took) {
                virtual_time::advance(took);
                owed_ += took;
              }) {
  config_.set("scheduler.policy", caf::atom("testing"));
  sys_.emplace(config_);
  sched_ = &dynamic_cast<caf::scheduler::test_coordinator&>(sys_->scheduler());
}

void world::open() {
  auto& image = database_.edit();
  database_.mistake = plan_.mistake;
  const auto month = std::chrono::sys_days{std::chrono::year{2026} / 3 / 1};
  image.periods.push_back({period_id{1}, 2026, 1, month, next_month(month), std::nullopt});
  for (int i = 1; i <= projects; ++i)
    image.votes[project_id{i}];
  for (int i = 1; i <= profiles; ++i)
    image.xp[*image.profiles.insert(profile_id{i}).first] = xp_each;
  rules_.live_profiles = live_profiles;
  rules_.wall = [] { return virtual_wall + virtual_jump; };
  rules_.set_ahead = [](std::chrono::microseconds ahead) { virtual_ahead = ahead; };
  rules_.now = [] { return timestamp{std::chrono::duration_cast<std::chrono::microseconds>(virtual_steady.time_since_epoch()) + virtual_ahead}; };
  rules_.trading.tiers.fill({{1500, wei{1000}}, wei{20'000}});
  rules_.trading.rates = {100, 100, 100};
  for (int i = 1; i <= profiles; ++i)
    image.money[profile_id{i}] = wei_each;
  for (int i = 1; i <= markets; ++i) {
    const auto& [how, cost] = rules_.trading.tiers.front();
    image.markets[profile_id{i}].what = market::fresh_book({profile_id{i}, market::tier::high_risk, how, cost, virtual_wall});
  }
  database_.clock = [] { return virtual_wall; };
  serving_ = start_process();
  for (int i = 0; i < 200 && !serving_->ready(); ++i)
    pass_time(tick);
  if (!serving_->ready())
    violation("the actors never started");
}

std::unique_ptr<process> world::start_process() { return std::make_unique<process>(*sys_, database_, rules_); }

void world::close() {
  if (!sys_)
    return;
  for (auto* each : {&next_, &overtaken_})
    if (*each)
      end(std::move(*each));
  if (serving_)
    serving_->stop();
  sched_->run();
  sys_.reset();
}

void world::note(const std::string& what) {
  char when[32];
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(virtual_time::since_start());
  std::snprintf(when, sizeof when, "%8.3f ", static_cast<double>(since.count()) / 1000);
  report_.trace.push_back(when + what);
}

void world::violation(const std::string& what) {
  note("VIOLATION: " + what);
  report_.violations.push_back(what);
}

// -- time and turns -----------------------------------------------------------------------

void world::advance_clock(std::chrono::nanoseconds by) {
  virtual_time::advance(by);
  sched_->advance_time(by);
  database_.catch_up();
  look_after_processes();
}

namespace {

/// If that is the next message of this actor, it is about nobody.
void garble_word_of_a_loss(caf::resumable* job) {
  auto* actor = dynamic_cast<caf::scheduled_actor*>(job);
  auto* next = actor ? actor->peek_at_next_mailbox_element() : nullptr;
  if (next && next->content().match_elements<may_be_behind<profile_id>>())
    next->content().get_mutable_as<may_be_behind<profile_id>>(0).id = {};
}

} // namespace

void world::one_turn() {
  auto& jobs = sched_->jobs;
  std::swap(jobs.front(), jobs[dice_.below(static_cast<std::uint32_t>(jobs.size()))]);
  if (plan_.mistake == planted::tells_nobody_of_a_loss)
    garble_word_of_a_loss(jobs.front());
  sched_->run_once();
  if (owed_ > 0ms)
    sched_->advance_time(std::exchange(owed_, 0ms));
}

void world::some_turns(std::uint32_t at_most) {
  for (; at_most > 0 && !sched_->jobs.empty(); --at_most)
    one_turn();
}

void world::pass_time(std::chrono::nanoseconds by) {
  const auto until = virtual_steady + by;
  int turns = 0;
  while (virtual_steady < until) {
    while (!sched_->jobs.empty() && ++turns < 20000)
      one_turn();
    if (virtual_steady < until)
      advance_clock(2ms);
  }
}

// -- faults -------------------------------------------------------------------------------

void world::crash_somebody() {
  std::vector<caf::scheduled_actor*> alive;
  for (auto* job : sched_->jobs) {
    auto* actor = dynamic_cast<caf::scheduled_actor*>(job);
    const std::string kind = actor ? actor->name() : "";
    if (kind == "project" || kind == "profile" || kind == "market" || kind == "wallet")
      alive.push_back(actor);
  }
  if (alive.empty())
    return;
  auto* victim = alive[dice_.below(static_cast<std::uint32_t>(alive.size()))];
  ++report_.crashes;
  note(std::string{"a "} + victim->name() + " crashed");
  caf::anon_send_exit(caf::actor_cast<caf::actor>(caf::strong_actor_ptr{victim->ctrl()}), caf::exit_reason::kill);
}

void world::archive_somebody() {
  const profile_id who{1 + static_cast<std::int32_t>(dice_.below(profiles))};
  if (database_.now().archived.size() + 3 > profiles)
    return;
  note("profile " + std::to_string(who.value) + " was archived");
  database_.edit().archived.insert(who);
}

// -- processes ------------------------------------------------------------------------------

void world::end(std::unique_ptr<process> which) {
  which->kill();
  if (when_ended)
    when_ended(*which);
  for (int i = 0; i < 100; ++i) // none of its messages may be heard of later
    some_turns(100);
  ended_.push_back(std::move(which));
}

void world::restart() {
  if (next_ || overtaken_)
    return;
  ++report_.restarts;
  note("the process is killed, and another one started");
  end(std::move(serving_));
  serving_ = start_process();
  for (int i = 0; i < 2000 && !serving_->ready(); ++i)
    pass_time(tick);
  if (!serving_->ready())
    violation("the process never became ready after it was started again");
}

void world::start_second() {
  if (next_ || overtaken_)
    return;
  ++report_.takeovers;
  note("a second process is started");
  next_ = start_process();
}

void world::look_after_processes() {
  if (next_ && next_->ready()) {
    note("the second process is ready");
    overtaken_ = std::exchange(serving_, std::move(next_));
    overtaken_at_ = virtual_steady;
  }
  if (overtaken_ && overtaken_->status().superseded.load()) {
    note("the first process has noticed, and ends");
    end(std::move(overtaken_));
  } else if (overtaken_ && virtual_steady - overtaken_at_ > notices_within) {
    violation("a process that was taken over has not noticed");
  }
}

void world::heal(const std::function<void()>& now_and_then) {
  note("the faults end");
  database_.faults = {};
  for (auto passed = 0ms; passed < healing; passed += 500ms) {
    pass_time(500ms);
    now_and_then();
  }
  const auto& status = serving_->status();
  if (next_ || overtaken_)
    violation("there are two processes still");
  if (!status.writable.load())
    violation("the store never became writable again");
  if (status.queued.load() != 0)
    violation(std::to_string(status.queued.load()) + " changes are still counted as waiting");
}

} // namespace credence::test
