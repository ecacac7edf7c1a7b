#include "actors/listing/listing_actor.hpp"

#include "actors/directory.hpp"
#include "actors/kernel/single_actor.hpp"
#include "actors/listing/board_state.hpp"
#include "actors/listing/gathering.hpp"
#include "actors/period/period_state.hpp"

#include <deque>
#include <iterator>
#include <string>
#include <unordered_set>
#include <utility>

namespace credence::listing {

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
