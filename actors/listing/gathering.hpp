#pragma once

#include "actors/directory.hpp"
#include "actors/kernel/single_actor.hpp"
#include "actors/listing/listing_actor.hpp"
#include "actors/project/figures.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

/// How the board gathers the votes of the projects on a page: it asks their actors, and the answers come to its
/// mailbox.
namespace credence::listing {

/// An answered question of the board's own, back in its mailbox.
struct gathered {
  ask<project::get_summary> summary;
};

/// Sends answers to the board's mailbox. Lives as long as any envelope may need it.
class mailbox_sink final : public answer_sink {
public:
  explicit mailbox_sink(const listing_handle& board) : board_(board) {}
  void deliver(envelope_base* answered) noexcept override {
    // The reference that comes with the envelope becomes the message's.
    gathered message{ask<project::get_summary>{static_cast<envelope<project::get_summary>*>(answered)}};
    send(actor_handle<gathered>{board_.lock()}, std::move(message));
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
  weak_actor_ref board_;
};

/// A page whose votes are being gathered from the projects on it.
struct gathering {
  std::vector<listed> rows;
  std::size_t missing = 0;
  failure trouble{};
  bool failed = false;
  std::function<void(gathering&)> done;

  /// What is to be asked after: rows whose votes are missing, and projects whose published figures are to be renewed.
  struct gaps {
    std::vector<std::size_t> unknown;
    std::vector<project_id> due;
  };
  /// Begins a row for each listing. Most projects have published what a page shows: asking a hundred actors would cost
  /// more than all the rest.
  gaps fill(const std::vector<core_ptr>& cores, const project::get_summary& question,
            const published_pointers<project::figures>& published, timestamp now) {
    gaps out;
    rows.reserve(cores.size());
    for (std::size_t row = 0; row < cores.size(); ++row) {
      auto& fresh = rows.emplace_back(listed{cores[row]});
      auto ready = published.read(cores[row]->id.value);
      if (ready && ready->answer(question, now)) {
        if (!ready->were_read.load(
              std::memory_order_relaxed)) // a store would take the line from whoever reads it beside
          ready->were_read.store(true, std::memory_order_relaxed);
        fresh.votes = {ready, &ready->votes};
        if (ready->due(now))
          out.due.push_back(cores[row]->id);
      } else
        out.unknown.push_back(row);
    }
    missing = out.unknown.size();
    return out;
  }
};

/// Projects whose figures pages have shown for long enough, each once, in the order in which that was seen. One is
/// asked at a time and others wait: a hundred that rank their voters at once would hold up the votes of all.
class renewals {
public:
  void add(const std::vector<project_id>& due) {
    for (const auto which : due)
      if (waiting_.insert(which).second)
        in_turn_.push_back(which);
  }
  /// The next one to ask, or none while one is under way.
  std::optional<project_id> next() {
    if (in_turn_.empty() || begun_)
      return {};
    const auto which = in_turn_.front();
    in_turn_.pop_front();
    waiting_.erase(which);
    begun_ = steady_clock::now();
    return which;
  }
  /// The one under way has its answer: how long others are left alone before `rested`. Four fifths of the time are
  /// theirs.
  std::chrono::nanoseconds rest() const {
    static constexpr std::chrono::nanoseconds most = std::chrono::milliseconds{20};
    return std::min(most, 4 * std::chrono::nanoseconds{steady_clock::now() - *begun_});
  }
  void rested() { begun_.reset(); }

private:
  std::deque<project_id> in_turn_;
  std::unordered_set<project_id> waiting_; // the same ones
  std::optional<steady_time> begun_;
};

/// A question for the votes of one project, with the row of the page that they are for. `to` is null
/// where a project is only made ready, or `renews` what it has published.
struct summary_asked final : envelope<project::get_summary> {
  summary_asked(project::get_summary query, answer_sink& sink, steady_time deadline, gathering* page, std::size_t place)
    : envelope(std::move(query), sink, deadline), to(page), row(place) {}
  gathering* to;
  std::size_t row;
  bool renews = false;
};

/// All pages being gathered, with the questions to projects that they need.
class page_gatherings {
public:
  /// Answers come to `sink`. Both outlive this.
  void start(const context& with, mailbox_sink& sink) {
    with_ = &with;
    sink_ = &sink;
  }

  /// Gathers the votes of a page, then runs `done`; where a project fails, so does the question.
  template <class Q>
  void gather(const ask<Q>& question, const std::vector<core_ptr>& cores, period_id in, std::int32_t top,
              std::int32_t spark, std::vector<std::int32_t> deltas, std::function<void(gathering&)> done) {
    auto& to = gatherings_.emplace_back();
    to.done = [question, done = std::move(done)](gathering& got) {
      if (got.failed)
        return question.fail(got.trouble);
      done(got);
    };
    project::get_summary query{{}, in, top, spark, std::move(deltas)};
    const auto gaps = to.fill(cores, query, with_->projects->figures(), with_->now());
    renewals_.add(gaps.due);
    renew();
    if (gaps.unknown.empty())
      return finish(&to);
    for (const auto row : gaps.unknown) {
      query.project = cores[row]->id;
      send(new summary_asked{query, *sink_, question.get()->deadline(), &to, row});
    }
  }

  /// An answer for a page.
  void take(summary_asked& answered) {
    auto* to = answered.to;
    if (auto* summary = answered.answer())
      to->rows[answered.row].votes = std::make_shared<const project::project_summary>(std::move(*summary));
    else if (const auto* why = answered.failed()) {
      to->failed = true;
      to->trouble = *why;
    }
    // A refusal means that the project is gone since: its votes stay empty.
    if (--to->missing == 0)
      finish(to);
  }

  /// Asks a project for no page, so that it is loaded.
  void make_ready(project::get_summary question) {
    send(new summary_asked{std::move(question), *sink_, in_good_time(), nullptr, 0});
  }

  /// Figures were renewed: how long others are left alone until `renew_next`.
  std::chrono::nanoseconds rest_after_renewal() const { return renewals_.rest(); }
  void renew_next() {
    renewals_.rested();
    renew();
  }

  /// A page being gathered takes some hundred KB, a question that waits some hundred bytes. Those
  /// that came before go before. A single listing is small and never waits.
  bool has_to_wait(std::function<void()> serve) {
    if (serving_waiting_ || (waiting_.empty() && gatherings_.size() < at_once_max))
      return false;
    waiting_.push_back(std::move(serve));
    return true;
  }

private:
  static constexpr std::size_t at_once_max = 64;
  static steady_time in_good_time() { return steady_clock::now() + std::chrono::seconds{30}; }

  void send(summary_asked* question) {
    credence::send(with_->others->projects.to(), ask<project::get_summary>{question});
  }

  void renew() {
    const auto which = renewals_.next();
    if (!which)
      return;
    auto* question = new summary_asked{{*which, {}, project::page_voters, 0, {}}, *sink_, in_good_time(), nullptr, 0};
    question->renews = true;
    send(question);
  }

  void finish(gathering* to) {
    to->done(*to);
    gatherings_.remove_if([to](const gathering& each) { return &each == to; });
    serve_waiting();
  }

  void serve_waiting() {
    if (std::exchange(serving_waiting_, true))
      return; // what is served below may be answered at once
    while (!waiting_.empty() && gatherings_.size() < at_once_max) {
      const auto serve = std::move(waiting_.front());
      waiting_.pop_front();
      serve();
    }
    serving_waiting_ = false;
  }

  const context* with_ = nullptr;
  mailbox_sink* sink_ = nullptr;
  std::list<gathering> gatherings_;
  std::deque<std::function<void()>> waiting_; // for a place among them
  bool serving_waiting_ = false;
  renewals renewals_; // of figures that pages show
};

} // namespace credence::listing
