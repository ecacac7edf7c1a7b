#include "persistence/tidying_actor.hpp"

#include "ops/log.hpp"
#include "ops/metrics.hpp"
#include "persistence/tidying.hpp"

namespace credence::persistence {

/// Time for a round.
struct tidy_up {};
struct writer_gone {};

namespace {

using namespace std::chrono_literals;

constexpr auto round_every = 60s;

void try_round(tidying& tidying) {
  auto& metrics = ops::the_metrics().store;
  metrics.tidied.add();
  try {
    tidying.round();
  } catch (const database_error& why) {
    metrics.tidy_failures.add();
    ops::log(ops::level::warn, "tidying_failed", {{"sqlstate", why.sqlstate()}, {"error", why.what()}});
  }
}

class tidier : public actor {
public:
  static inline const char* name = "tidying";
  using takes = types<tidy_up, writer_gone>;

  void start(const settings::store& how, const store_status* status, const actor_ref& writer) {
    running_.emplace(how, *status);
    when_gone(writer, [me = weak_actor_ref{this_actor()}](bool, const std::string&) {
      send(actor_handle<writer_gone>{me.lock()}, writer_gone{});
    });
    after(how.tidy_after, tidy_up{});
  }
  void on(const tidy_up&) {
    try_round(*running_);
    after(round_every, tidy_up{});
  }
  void on(const writer_gone&) { quit(); }

private:
  std::optional<tidying> running_;
};

} // namespace

actor_ref spawn_tidying(caf::actor_system& sys, const settings::store& how, const store_status& status,
                        const actor_ref& writer) {
  return spawn_on_own_thread<tidier>(sys, how, &status, writer);
}

} // namespace credence::persistence
