#pragma once

#include "actors/kernel/single_actor.hpp"
#include "actors/listing/listing_actor.hpp"
#include "actors/project/figures.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

/// How the board gathers the votes of the projects on a page: it asks their actors, and the answers come to its mailbox.
namespace credence::listing {

/// An answered question of the board's own, back in its mailbox.
struct gathered {
  ask<project::get_summary> summary;
};

/// Sends answers to the board's mailbox. Lives as long as any envelope may need it.
class mailbox_sink final : public answer_sink {
public:
  explicit mailbox_sink(const listing_handle& board) : board_(caf::actor_cast<caf::actor_addr>(board)) {}
  void deliver(envelope_base* answered) noexcept override {
    // The reference that comes with the envelope becomes the message's.
    gathered message{ask<project::get_summary>{static_cast<envelope<project::get_summary>*>(answered)}};
    if (auto board = caf::actor_cast<caf::actor>(board_))
      caf::anon_send(board, std::move(message));
  }

  /// A sink for `board`. Envelopes hold plain pointers to it and may outlive the
  /// board, so sinks stay until the process ends; there is one a board.
  static mailbox_sink& of(const listing_handle& board) {
    static std::mutex guard;
    static std::deque<mailbox_sink> sinks;
    const std::lock_guard lock{guard};
    return sinks.emplace_back(board);
  }

private:
  caf::actor_addr board_;
};

/// A page whose votes are being gathered from the projects on it.
struct gathering {
  std::vector<listed> rows;
  std::size_t missing = 0;
  failure trouble{};
  bool failed = false;
  std::function<void(gathering&)> done;

  /// Begins a row for each listing. Most projects have published what a page shows: asking a hundred actors would cost more
  /// than all the rest. Returns the rows whose votes are missing; their projects are to be asked.
  std::vector<std::size_t> fill(const std::vector<core_ptr>& cores, const project::get_summary& question,
                                const published_pointers<project::figures>& published) {
    std::vector<std::size_t> unknown;
    const auto now = steady_clock::now();
    for (std::size_t row = 0; row < cores.size(); ++row) {
      auto& fresh = rows.emplace_back(listed{cores[row], {}});
      const auto ready = published.read(cores[row]->id.value);
      if (ready && ready->answer(question, now)) {
        ready->were_read.store(true, std::memory_order_relaxed);
        fresh.votes = ready->votes;
      } else
        unknown.push_back(row);
    }
    missing = unknown.size();
    return unknown;
  }
};

/// A question for the votes of one project, with the row of the page that they are for. `to` is null
/// where a project is only made ready.
struct summary_asked final : envelope<project::get_summary> {
  summary_asked(project::get_summary query, answer_sink& sink, steady_time deadline, gathering* page, std::size_t place)
    : envelope(std::move(query), sink, deadline), to(page), row(place) {}
  gathering* to;
  std::size_t row;
};

} // namespace credence::listing

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::listing::gathered)
