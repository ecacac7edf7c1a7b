#pragma once

#include "actors/store.hpp"
#include "persistence/write_session.hpp"

#include <caf/fwd.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace credence::test {

/// Everything random in a run comes from here, so a seed tells the whole story.
class dice {
public:
  explicit dice(std::uint64_t seed) : engine_(seed) {}
  /// 0..n-1
  std::uint32_t below(std::uint32_t n) { return n == 0 ? 0 : static_cast<std::uint32_t>(engine_() % n); }
  bool chance(std::uint32_t of_thousand) { return below(1000) < of_thousand; }

private:
  std::mt19937_64 engine_;
};

/// How often things go wrong, of 1000 tries each.
struct fault_rates {
  std::uint32_t refused = 0;    // the database cannot at the moment, or a conflict
  std::uint32_t lost = 0;       // the connection goes: before the commit, after it, or nobody knows
  std::uint32_t slow = 0;       // an answer takes up to two seconds
  std::uint32_t unreachable = 0; // a connection cannot be made
  std::uint32_t read_fails = 0;
  std::uint32_t read_late = 0;  // a snapshot arrives long after it was taken
};

/// Mistakes that a run must find.
enum class planted { nothing, answers_before_the_commit, takes_the_unknown_for_stored };

/// PostgreSQL as writer and readers see it: what is committed, the rules of the schema,
/// and faults. Time goes on only through `spend`.
class simulated_database {
public:
  struct cast {
    profile_id voter;
    period_id in;
    project::sentiment side{};
    std::optional<std::string> reason;
    timestamp at{};
  };
  /// What is on disk.
  struct image {
    std::string owner;
    std::int64_t epoch = 0;
    std::int64_t sequence = 0;
    global_seq last_seq = 0;
    std::vector<persistence::batch_id> batches;
    std::vector<period::voting_period> periods;
    std::map<project_id, std::vector<cast>> votes; // in order of their number
    std::map<project_id, entity_seq> tallied;
    std::map<project_id, std::vector<project::day_tally>> days;
    std::set<profile_id> profiles;
    std::set<profile_id> archived;
  };
  using tracer = std::function<void(std::string)>;
  using spender = std::function<void(std::chrono::milliseconds)>;

  simulated_database(dice& chance, tracer trace, spender spend)
    : chance_(chance), trace_(std::move(trace)), spend_(std::move(spend)) {}

  /// Sessions for the writer; this object must outlive them.
  std::unique_ptr<persistence::write_sessions> sessions();
  /// Readers over the same data. They answer once `status.owned`.
  reader_handle spawn_reader(caf::actor_system& sys, const store_status& status);
  /// All sessions end; a batch on its way may still land before the next takeover.
  void crash();

  const image& now() const noexcept { return image_; }
  image& edit() noexcept { return image_; }
  const std::vector<std::string>& broken_rules() const noexcept { return broken_rules_; }

  fault_rates faults;
  planted mistake = planted::nothing;

private:
  friend class simulated_session;
  friend class simulated_sessions;
  friend struct simulated_reader;

  struct on_its_way {
    persistence::batch what;
    persistence::claim by;
  };
  void apply(const persistence::batch& what, const persistence::claim& by);
  void land();

  dice& chance_;
  tracer trace_;
  spender spend_;
  image image_;
  std::uint64_t generation_ = 1; // of sessions; those of earlier ones are dead
  std::optional<on_its_way> limbo_;
  std::vector<std::string> broken_rules_; // what the code under test should never have asked for
};

} // namespace credence::test
