#include "actors/listing/listing_actor.hpp"

#include "actors/directory.hpp"
#include "actors/kernel/single_actor.hpp"
#include "actors/listing/board_state.hpp"
#include "actors/period/period_state.hpp"
#include "actors/project/figures.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <iterator>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace credence::listing {

// How the board gathers the votes of the projects on a page: it asks their actors, and the answers come to its mailbox.

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

struct refresh {};

/// Time to have the projects of the first page ready.
struct first_page_due {};

/// Others have had their time since figures were renewed.
struct renew_next {};

namespace {

using namespace std::chrono_literals;

constexpr auto retry_after = 250ms;
/// Listings are edited seldom and by other programs. They are read again this soon after that was told,
constexpr auto refresh_after_a_change = 250ms;
constexpr auto refresh_every = 15s;            // and now and then, as it may not be
constexpr std::int32_t listings_at_once = 500; // in one piece of a load, with their tallies
constexpr std::int32_t looked_at_once = 200; // of all others, each time, whether or not anything says that they changed
/// A page needs all votes of its projects. After a start, votes have the database to themselves for so long.
constexpr auto first_page_after = 10s;

class board_actor : public single_actor<board_actor, ops::actor_kind::listing, listing_handle, context, storage,
                                        refresh, gathered, first_page_due, renew_next> {
public:
  static inline const char* name = "listing";

  void prepare(project_index* index) { index_ = index; }
  void start_up() {
    pages_.start(*with_, mailbox_sink::of(me()));
    load();
  }

  /// Reads all listings, piece by piece; then what others change, and some of the rest in turn. Those that somebody
  /// waits for come before the next piece: one reading at a time, so that none is put back to what it was before.
  void load() {
    loading_ = true;
    if (!again_.empty())
      return read_again([this] { load(); });
    planned_soon_ = false;
    auto next = load_listings{after_, listings_at_once};
    if (all_read_ && looking_)
      next.most = looked_at_once;
    else {
      next.changed_since = all_read_ ? as_of_ : std::string{};
      next.tallies_from = board_state::tallies_from(today());
    }
    storage_.read(*this, with_->load_timeout, std::move(next))
      .then([this](const stored_listings& stored) { on_piece(stored); },
            [this](failure) { // it goes on from here
              plan_refresh(retry_after);
              stop_loading();
            });
  }

  void on(const ask<invalidate>& question) {
    again_.insert(again_.end(), question->projects.begin(), question->projects.end());
    index_->add_settled(question->settled, again_);
    if (again_.empty())
      return question.answer(looked_again{});
    watching_.push_back(question);
    if (!loading_)
      stop_loading();
  }

  void on(const refresh&) {
    if (loading_)
      due_ = true;
    else
      load();
  }

  /// One reading serves all changes told before it begins.
  void on(const listings_changed&) {
    if (loading_)
      changed_ = true;
    else if (!std::exchange(planned_soon_, true))
      plan_refresh(refresh_after_a_change);
  }

  void on(const ask<get_listings>& question) {
    if (!pages_.has_to_wait([this, question] { on(question); }))
      read(question, [&] { show_page(question); });
  }

  void on(const ask<get_listing>& question) {
    read(question, [&] {
      const auto* period = ready(question, question->in);
      if (!period)
        return;
      const auto core = question->project ? board_.find(*question->project) : board_.find(question->username);
      if (!core)
        return question.answer(
          question->project
            ? refusal{refusal_code::project_not_found,
                      "there is no project " + std::to_string(question->project->value)}
            : refusal{refusal_code::not_found, "there is no listing of the user '" + question->username + "'"});
      pages_.gather(question, {core}, period->id, question->top_voters, 0, {},
                    [question](gathering& got) { question.answer(std::move(got.rows.front())); });
    });
  }

  void on(const ask<get_projects>& question) {
    if (pages_.has_to_wait([this, question] { on(question); }))
      return;
    read(question, [&] {
      const auto* period = ready(question, {});
      if (!period)
        return;
      const auto found = board_.select(question->archived, question->slice, period->id);
      pages_.gather(question, found.page, period->id, 3, 0, {}, [question, total = found.total](gathering& got) {
        question.answer(projects_page{std::move(got.rows), total});
      });
    });
  }

  void on(const tally_report& report) {
    woken_.insert(report.project);
    late_.erase(report.project);
    board_.report(report);
  }

  /// The projects of the first page are made ready, once, for whoever asks first.
  void on(const first_page_due&) {
    const auto* calendar = with_->calendar->get();
    if (!calendar)
      return;
    for (const auto& core : board_.rank(get_listings{}, calendar->current().id, today()).active) {
      woken_.insert(core->id);
      asleep_.push_back({core->id});
    }
    wake_next_if_idle();
  }

  void on(const gathered& message) {
    auto& envelope = static_cast<summary_asked&>(*message.summary.get());
    if (envelope.renews)
      return after(pages_.rest_after_renewal(), renew_next{});
    if (envelope.to)
      return pages_.take(envelope);
    if (envelope.failed())
      woken_.erase(envelope.question.project); // with the next refresh again
    wake_next();
  }

  void on(const renew_next&) { pages_.renew_next(); }

private:
  /// Nothing is being read any more, unless somebody waits for it.
  void stop_loading() {
    loading_ = !again_.empty();
    if (loading_)
      return read_again([this] { stop_loading(); });
    if (std::exchange(changed_, false) && !std::exchange(planned_soon_, true))
      plan_refresh(refresh_after_a_change);
    if (std::exchange(due_, false))
      load();
  }

  /// Reads what somebody waits for; then `then` runs. What cannot be read now counts as changed, and is read with the
  /// others.
  template <class Then>
  void read_again(Then then) {
    load_listings listings;
    listings.named = std::exchange(again_, {});
    served_ = std::exchange(watching_, {});
    storage_.read(*this, with_->load_timeout, std::move(listings))
      .then(
        [this, then](const stored_listings& stored) {
          for (const auto& each : stored.listings)
            take(each);
          tell_served();
          then();
        },
        [this, then](failure) {
          changed_ = true;
          tell_served();
          then();
        });
  }

  void tell_served() {
    for (auto& each : std::exchange(served_, {}))
      each.answer(looked_again{});
  }

  void take(const stored_listing& stored) {
    board_.take(stored);
    using status = project_index::status;
    index_->publish(stored.core->id, stored.core->archived ? status::archived : status::active, stored.unsettled);
  }

  void plan_refresh(std::chrono::milliseconds pause) { after(refreshing_, pause, refresh{}); }

  void show_page(const ask<get_listings>& question) {
    const auto* period = ready(question, question->in);
    if (!period)
      return;
    auto ranked = board_.rank(*question, period->id, today());
    const auto actives = std::ssize(ranked.active);
    auto all = std::move(ranked.active);
    all.insert(all.end(), ranked.archived.begin(), ranked.archived.end());
    listings_page page{*period, {}, {}, ranked.total, ranked.of_somebody, std::move(ranked.movers)};
    auto finish = [question, actives, page = std::move(page)](gathering& got) mutable {
      page.archived_projects.assign(std::make_move_iterator(got.rows.begin() + actives),
                                    std::make_move_iterator(got.rows.end()));
      got.rows.resize(static_cast<std::size_t>(actives));
      page.projects = std::move(got.rows);
      question.answer(std::move(page));
    };
    pages_.gather(question, all, period->id, 3, question->sparkline_days, question->delta_days, std::move(finish));
  }

  std::chrono::sys_days today() const { return std::chrono::floor<std::chrono::days>(with_->now()); }

  void on_piece(const stored_listings& stored) {
    if (!after_ && !looking_)
      next_as_of_ = stored.as_of; // of the first piece: what changes while others are read is read again
    for (const auto& each : stored.listings) {
      take(each);
      if (board_.behind(each))
        wake_later(each.core->id);
    }
    wake_next_if_idle();
    if (looking_) { // the next ones next time
      looked_to_ = stored.last ? project_id{} : stored.listings.back().core->id;
      return rest();
    }
    if (!stored.last) {
      after_ = stored.listings.back().core->id;
      return load();
    }
    as_of_ = next_as_of_;
    if (!std::exchange(all_read_, true)) {
      index_->set_complete();
      after(first_page_after, first_page_due{});
      return rest();
    }
    looking_ = true;
    after_ = looked_to_;
    load();
  }

  void rest() {
    looking_ = false;
    after_ = {};
    planned_soon_ = std::exchange(changed_, false);
    plan_refresh(planned_soon_ ? refresh_after_a_change : refresh_every);
    stop_loading();
  }

  /// The period meant, or null when the question has been answered already.
  template <class Q>
  const period::voting_period* ready(const ask<Q>& question, const period::period_name& in) {
    const auto* calendar = with_->calendar->get();
    if (!calendar || !index_->complete()) {
      question.fail(failure::unavailable);
      return nullptr;
    }
    const auto* period = calendar->find(in);
    if (!period)
      question.answer(refusal{refusal_code::period_not_found, period::no_such(in)});
    return period;
  }

  /// A project with votes that its tallies lack is loaded, so that it reports. One that is
  /// awake reports by itself; if it has not done so until the next look, it is gone.
  void wake_later(project_id which) {
    const bool fresh = woken_.insert(which).second;
    if (fresh || !late_.insert(which).second) {
      late_.erase(which);
      asleep_.push_back({which, true});
    }
  }

  /// One after the other: a large one keeps a read connection busy for a while.
  void wake_next_if_idle() {
    if (!waking_)
      wake_next();
  }

  void wake_next() {
    waking_ = !asleep_.empty();
    if (!waking_)
      return;
    const auto next = asleep_.front();
    asleep_.pop_front();
    pages_.make_ready({next.project, {}, 0, 0, {}, next.of_period_only});
  }

  project_index* index_ = nullptr;
  board_state board_;
  page_gatherings pages_;
  bool all_read_ = false;  // every listing, once
  bool looking_ = false;   // at some that nothing says changed
  project_id after_;       // the last one of the piece before
  project_id looked_to_;   // likewise, by looking
  std::string as_of_;      // what changes later is to be read
  std::string next_as_of_; // that, once all pieces are in
  struct sleeper {
    project_id project;
    bool of_period_only = false; // that it is loaded is enough
  };
  std::deque<sleeper> asleep_;           // to be loaded, one after the other
  bool waking_ = false;                  // one of them is
  std::unordered_set<project_id> woken_; // have reported, or are among those to be loaded
  bool loading_ = false;
  std::vector<project_id> again_;         // to be read before anything else, for those who wait
  std::vector<ask<invalidate>> watching_; // for that
  std::vector<ask<invalidate>> served_;   // for what is being read
  bool due_ = false;                      // a refresh, while something was being read
  bool changed_ = false;                  // since it is being read
  bool planned_soon_ = false;
  timer refreshing_;
  std::unordered_set<project_id> late_; // awake, and found behind
};

} // namespace

listing_handle spawn_listings(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage,
                              project_index& index) {
  return spawn_single<board_actor>(sys, std::move(with), std::move(storage), &index);
}

} // namespace credence::listing
