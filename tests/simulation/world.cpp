#include "tests/simulation/world.hpp"

#include "actors/kernel/mark_stale.hpp"
#include "actors/people/people_actor.hpp"
#include "ops/log.hpp"

#include <caf/send.hpp>

#include <array>
#include <cstdio>

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::detail::mail)

namespace credence::test {

namespace {

using namespace std::chrono_literals;

constexpr auto healing = 40s;
constexpr auto tick = 20ms;
constexpr auto notices_within = 30s; // while connections fail

constexpr steady_time steady_start{1000s};
steady_time virtual_steady;
timestamp virtual_wall;                 // as it should be
std::chrono::microseconds virtual_jump; // of the service's wall clock

/// What a process goes by, as `system_now`: the wall clock, until it follows the boot clock.
template <int Place>
struct clock_of_a_process {
  static inline std::optional<std::chrono::microseconds> ahead;
  static timestamp now() {
    return ahead ? timestamp{std::chrono::duration_cast<std::chrono::microseconds>(virtual_steady.time_since_epoch())
                             + *ahead}
                 : virtual_wall + virtual_jump;
  }
  static void follow(std::chrono::microseconds by) { ahead = by; }
  static void give_to(process_rules& which) {
    ahead.reset();
    which.now = now;
    which.set_ahead = follow;
  }
};

timestamp wall_start() { return std::chrono::sys_days{std::chrono::year{2026} / 3 / 10} + 12h; }

} // namespace

virtual_time::virtual_time() {
  ops::start_log({.level = "off"});
  virtual_steady = steady_start;
  virtual_wall = wall_start();
  virtual_jump = {};
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

void virtual_time::jump(std::chrono::microseconds by) { virtual_jump = by; }

bool virtual_time::jumped() { return virtual_jump != std::chrono::microseconds{0}; }

std::chrono::nanoseconds virtual_time::since_start() { return virtual_steady - steady_start; }

// -- the actors ---------------------------------------------------------------------------

world::world(const simulation_plan& plan, simulation_report& report)
  : plan_(plan), report_(report), dice_(plan.seed), database_(
                                                      dice_, [this](const std::string& text) { note(text); },
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
  for (int i = 1; i <= profiles; ++i) {
    image.xp[*image.profiles.insert(profile_id{i}).first] = xp_each;
    image.scores[profile_id{i}] = static_cast<std::int16_t>(1100 + 200 * i);
  }
  rules_.live_profiles = live_profiles;
  rules_.wall = [] { return virtual_wall + virtual_jump; };
  rules_.trading.tiers.fill({{1500, wei{1000}}, wei{20'000}});
  rules_.trading.rates = {100, 100, 100};
  for (int i = 1; i <= profiles; ++i)
    image.money[profile_id{i}] = wei_each;
  for (int i = 1; i <= markets; ++i) {
    const auto& [how, cost] = rules_.trading.tiers.front();
    image.markets[market_id{i}].book =
      market::fresh_book({profile_id{i}, market::tier::high_risk, how, cost, virtual_wall});
  }
  if (plan_.records) // as of the day before: the service begins today's epoch while records come
    image.book.open(profiles, std::chrono::floor<std::chrono::days>(virtual_wall) - std::chrono::days{1});
  database_.clock = [] { return virtual_wall; };
  database_.machine = rules_.wall;
  serving_ = start_process();
  for (int i = 0; i < 200 && !serving_->ready(); ++i)
    pass_time(tick);
  if (!serving_->ready())
    violation("the actors never started");
}

/// There are never more than two that are not ended.
std::unique_ptr<process> world::start_process() {
  if (++started_ % 2)
    clock_of_a_process<0>::give_to(rules_);
  else
    clock_of_a_process<1>::give_to(rules_);
  if (plan_.mistake == planted::stamps_by_the_wall_clock)
    rules_.now = rules_.wall;
  return std::make_unique<process>(*sys_, database_, rules_);
}

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

void world::note(const std::string& text) {
  char when[32];
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(virtual_time::since_start());
  std::snprintf(when, sizeof when, "%8.3f ", static_cast<double>(since.count()) / 1000);
  report_.trace.push_back(when + text);
}

void world::violation(const std::string& text) {
  note("VIOLATION: " + text);
  report_.violations.push_back(text);
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
  if (!next || !next->content().match_elements<detail::mail>())
    return;
  auto* const what = next->content().get_as<detail::mail>(0).what.get();
  if (what && what->kind() == &kind_of_message<mark_stale<profile_id>>)
    static_cast<told<mark_stale<profile_id>>*>(what)->content.id = {};
}

} // namespace

void world::one_turn() {
  auto& jobs = sched_->jobs;
  std::swap(jobs.front(), jobs[dice_.below(static_cast<std::uint32_t>(jobs.size()))]);
  if (plan_.mistake == planted::tells_nobody_of_a_loss)
    garble_word_of_a_loss(jobs.front());
  sched_->run_once();
  ++turns_;
  look_at_clocks();
  if (owed_ > 0ms)
    sched_->advance_time(std::exchange(owed_, 0ms));
}

void world::some_turns(std::uint32_t at_most) {
  for (; at_most > 0 && !sched_->jobs.empty(); --at_most)
    one_turn();
}

void world::pass_time(std::chrono::nanoseconds by, const std::function<bool()>& over) {
  const auto until = virtual_steady + by;
  int turns = 0;
  while (virtual_steady < until && !(over && over())) {
    while (!sched_->jobs.empty() && ++turns < 20000)
      one_turn();
    if (virtual_steady < until)
      advance_clock(2ms);
  }
}

// -- faults -------------------------------------------------------------------------------

void world::begin_faults() {
  static constexpr std::array<std::uint32_t, 4> densities{1000, 1000, 500, 250};
  density_ = densities[dice_.below(densities.size())];
  turns_at_once_ = dice_.chance(500) ? 12 : 40;
  auto& faults = database_.faults = plan_.faults;
  for (auto* each :
       {&faults.refused, &faults.lost, &faults.slow, &faults.unreachable, &faults.read_fails, &faults.read_late})
    *each = *each * density_ / 1000;
}

void world::crash_somebody() {
  std::vector<caf::scheduled_actor*> alive;
  for (auto* job : sched_->jobs) {
    auto* actor = dynamic_cast<caf::scheduled_actor*>(job);
    const std::string kind = actor ? actor->name() : "";
    if (kind == "project" || kind == "profile" || kind == "market" || kind == "funds")
      alive.push_back(actor);
  }
  if (alive.empty())
    return;
  auto* victim = alive[dice_.below(static_cast<std::uint32_t>(alive.size()))];
  ++report_.crashes;
  note(std::string{"a "} + victim->name() + " crashed");
  caf::anon_send_exit(caf::strong_actor_ptr{victim->ctrl()}, caf::exit_reason::kill);
}

void world::archive_somebody() {
  const profile_id who{1 + static_cast<std::int32_t>(dice_.below(profiles))};
  if (database_.now().archived.size() + 3 > profiles)
    return;
  note("profile " + std::to_string(who.value) + " was archived");
  database_.edit().archived.insert(who);
}

/// Other programs keep the score, and the service is told.
void world::rate_somebody() {
  const profile_id who{1 + static_cast<std::int32_t>(dice_.below(profiles))};
  const auto score = static_cast<std::int16_t>(1100 + dice_.below(1700));
  note("profile " + std::to_string(who.value) + " has a score of " + std::to_string(score));
  database_.edit().scores[who] = score;
  send(serving_->actors().people.to(), people::invalidate{{who}});
}

void world::step_clock() {
  static constexpr std::array<std::chrono::seconds, 10> steps{24h * 365 * 5, 24h * 40, 24h * 25, 24h * 8, 3h,
                                                              45s,           6s,       4s,       2s,      1s};
  if (virtual_time::jumped()) {
    virtual_time::jump(0s);
    return note("the clock is right again");
  }
  const auto by = steps[dice_.below(steps.size())] * (dice_.chance(600) ? 1 : -1);
  ++report_.clock_steps;
  note("the clock is stepped by " + std::to_string(by.count()) + " seconds");
  virtual_time::jump(by);
}

void world::look_at_clocks() {
  for (auto* each : {serving_.get(), next_.get(), overtaken_.get()})
    if (each && each->believes_its_clock())
      believed_at_[each] = turns_;
    else if (each && plan_.mistake == planted::writes_by_any_clock)
      each->write_all_the_same();
}

bool world::believed_since(const process& which, std::uint64_t turns) const {
  const auto found = believed_at_.find(&which);
  return found != believed_at_.end() && found->second >= turns;
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
  virtual_time::jump(0s);
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
