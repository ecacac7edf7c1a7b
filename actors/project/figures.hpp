#pragma once

#include "actors/domain/time.hpp"
#include "actors/kernel/published_pointers.hpp"
#include "actors/project/project_types.hpp"

#include <atomic>
#include <chrono>
#include <memory>

namespace credence::project {

class project_state;

/// Best voters of each side that a page of the board shows.
inline constexpr std::int32_t page_voters = 3;

/// What a page of the board shows of a project's committed votes, ready to be shown. Immutable but for the mark of its
/// readers.
struct figures {
  period_id in;          // of `votes.in_period`
  timestamp made;        // when they were worked out; votes since are in
  project_summary votes; // `page_voters` of each side, without sparkline and deltas
  mutable std::atomic<bool> were_read{false};

  /// Scores change behind the best voters: after this time they are to be ranked anew,
  static constexpr std::chrono::seconds ranked_anew_after{5};
  /// and they are shown for this time, as a hundred projects cannot rank at once without holding up votes.
  static constexpr std::chrono::seconds shown_for{30};

  /// Whether these answer the question. Votes that are committed are in them: a project publishes before it tells a
  /// voter.
  bool answer(const get_summary& question, timestamp now) const noexcept {
    return question.in == in && question.top_voters == page_voters && question.sparkline_days == 0
           && question.delta_days.empty() && !question.of_period_only && younger_than(shown_for, now);
  }
  /// Whether the project is to be asked for new ones.
  bool due(timestamp now) const noexcept { return !younger_than(ranked_anew_after, now); }
  bool younger_than(std::chrono::seconds age, timestamp now) const noexcept { return now >= made && now - made < age; }
};

/// Publishes the figures of one project, and renews them with its commits for as long as pages show them. A plain
/// object in the project's actor: what it has published goes when the actor does.
class figure_publisher {
public:
  figure_publisher() = default;
  figure_publisher(const figure_publisher&) = delete;
  figure_publisher& operator=(const figure_publisher&) = delete;
  ~figure_publisher() { withdraw(); }

  /// `into` must outlive this.
  void start(project_id id, published_pointers<figures>& into) {
    id_ = id;
    into_ = &into;
  }
  /// Publishes what a page was just answered with: all that is committed, worked out at `made`.
  void publish(period_id in, project_summary votes, timestamp made);
  /// Votes were committed. Figures that pages still show are published anew, others withdrawn. No read of `rules` may
  /// be under way.
  void renew(const project_state& rules, timestamp now);
  /// Nothing is published any more, whatever is worked out from now on: pages ask the project.
  void close();
  /// Nothing is published until the next `publish`.
  void withdraw();

private:
  void put(period_id in, project_summary votes, timestamp made);

  project_id id_;
  published_pointers<figures>* into_ = nullptr;
  std::shared_ptr<const figures> mine_; // what is published
  steady_time read_at_{};               // when a page was last known to show it
};

} // namespace credence::project
