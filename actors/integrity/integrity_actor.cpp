#include "actors/integrity/integrity_actor.hpp"

#include "actors/integrity/acts.hpp"
#include "actors/integrity/integrity_state.hpp"
#include "actors/kernel/single_actor.hpp"
#include "ops/log.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <utility>

namespace credence::integrity {

/// Time to go on with what comes next.
struct go_on {};

namespace {

using namespace std::chrono_literals;

constexpr int tries_max = 5; // of one piece
constexpr std::chrono::milliseconds try_again_after = 1s;
constexpr double share_of_reading = 0.6;
constexpr int niceness = 10;

std::uint32_t second_of(timestamp at) {
  return static_cast<std::uint32_t>(std::max<std::int64_t>(unix_seconds(at), 0));
}

class analyst : public actor {
public:
  static inline const char* name = "analyst";
  using takes = types<go_on>;

  void start(std::shared_ptr<const context> with, port<storage> stored, std::shared_ptr<errand> how,
             actor_handle<analysis_over> whom) {
    with_ = std::move(with);
    storage_ = std::move(stored);
    how_ = std::move(how);
    whom_ = std::move(whom);
    acts_ = gathered_acts{second_of(with_->now() - looked_back)};
    tell_self(go_on{});
  }

  /// The first time on its own thread; afterwards to try a piece again.
  void on(const go_on&) {
    ::setpriority(PRIO_PROCESS, 0, niceness); // of this thread
    next_ ? (this->*next_)() : read_extent();
  }

private:
  using step = void (analyst::*)();

  /// Reads a piece; `take` says what is read next.
  template <class Answer, class Load, class Take>
  void piece(step again, Load load, Take take) {
    if (how_->stop)
      return tell({}, {});
    next_ = again;
    storage_.read(*this, with_->load_timeout * 4, std::move(load))
      .then(
        [this, take](Answer& found) {
          tries_ = 0;
          try {
            take(found);
          } catch (const std::exception& why) { // memory, which the service itself still has
            tell({}, std::string{"the analysis has failed: "} + why.what());
          }
        },
        [this](failure) {
          if (++tries_ >= tries_max)
            return tell({}, "the database has not answered; try again when the store is well");
          after(try_again_after, go_on{});
        });
  }

  void read_extent() {
    piece<extent>(&analyst::read_extent, load_extent{}, [this](const extent& found) {
      all_ = std::max<std::int64_t>(1, found.votes + found.people + found.ties);
      read_people();
    });
  }
  void read_people() {
    piece<joined_read>(&analyst::read_people, load_joined{after_profile_, people_at_once},
                       [this](const joined_read& found) {
                         acts_.add(found.people);
                         count(found.people.size());
                         if (found.people.size() < static_cast<std::size_t>(people_at_once))
                           return read_ties();
                         after_profile_ = profile_id{found.people.back().profile};
                         read_people();
                       });
  }
  void read_ties() {
    piece<ties_read>(&analyst::read_ties, load_ties{kind_, after_tie_, ties_at_once}, [this](const ties_read& found) {
      acts_.add(found.ties);
      count(static_cast<std::size_t>(found.read));
      after_tie_ = found.last;
      if (found.read < ties_at_once) {
        after_tie_ = {};
        if (kind_ == tie_kind::upvote)
          return read_votes();
        kind_ = static_cast<tie_kind>(static_cast<int>(kind_) + 1);
      }
      read_ties();
    });
  }
  void read_votes() {
    const load_votes_cast wanted{after_project_, after_number_, timestamp{std::chrono::seconds{acts_.since()}},
                                 votes_at_once};
    piece<votes_read>(&analyst::read_votes, wanted, [this](const votes_read& found) {
      acts_.add(found.votes);
      count(static_cast<std::size_t>(found.read));
      if (found.read < votes_at_once)
        return look();
      after_project_ = found.last;
      after_number_ = found.last_number;
      read_votes();
    });
  }

  void count(std::size_t rows) {
    read_ += static_cast<std::int64_t>(rows);
    how_->share = share_of_reading * std::min(1.0, static_cast<double>(read_) / static_cast<double>(all_));
  }

  void look() {
    auto all = acts_.take();
    auto found = analyse(all, bounds{}, [this](double done) {
      how_->share = share_of_reading + (1 - share_of_reading) * done;
      return !how_->stop;
    });
    tell(found ? std::make_shared<const findings>(*std::move(found)) : nullptr, {});
  }

  void tell(std::shared_ptr<const findings> found, std::string error) {
    send(whom_, analysis_over{how_, std::move(found), std::move(error)});
    quit();
  }

  std::shared_ptr<const context> with_;
  port<storage> storage_;
  std::shared_ptr<errand> how_;
  actor_handle<analysis_over> whom_;
  gathered_acts acts_{0};
  step next_ = nullptr;
  int tries_ = 0;
  std::int64_t all_ = 1;
  std::int64_t read_ = 0;
  profile_id after_profile_;
  tie_kind kind_ = tie_kind::review;
  tie_place after_tie_;
  project_id after_project_;
  entity_seq after_number_ = 0;
};

} // namespace

void send_analyst(actor& parent, std::shared_ptr<const context> with, port<storage> storage,
                  std::shared_ptr<errand> how) {
  linked(parent, spawn_on_own_thread<analyst>(parent.system(), std::move(with), std::move(storage), std::move(how),
                                              actor_handle<analysis_over>{parent.this_actor()}));
}

namespace {

class integrity_actor : public single_actor<integrity_actor, ops::actor_kind::integrity, integrity_handle, context,
                                            storage, analysis_over> {
public:
  static inline const char* name = "integrity";

  ~integrity_actor() {
    if (under_way_)
      under_way_->stop = true; // it may be deep in its work
  }

  void on(const ask<get_analysis>& question) {
    read(question, [&] { question.answer(shown()); });
  }

  void on(const ask<start_analysis>& question) {
    read(question, [&] {
      if (!under_way_)
        set_out();
      question.answer(shown());
    });
  }

  void on(const ask<stop_analysis>& question) {
    read(question, [&] {
      if (under_way_)
        under_way_->stop = true;
      question.answer(shown());
    });
  }

  void on(const analysis_over& over) {
    if (over.of != under_way_)
      return;
    const handling here{kind, {}};
    now_.share = under_way_->share;
    now_.ended_at = with_->now();
    now_.state = over.found           ? analysis_state::done
                 : over.error.empty() ? analysis_state::stopped
                                      : analysis_state::failed;
    now_.error = over.error;
    under_way_.reset();
    if (over.found) {
      now_.found = over.found;
      now_.found_at = now_.ended_at;
      now_.found_began_at = now_.started_at;
      now_.share = 1;
    }
    ops::log(ops::level::info, "integrity_analysed",
             {{"state", analysis_state_names[static_cast<std::size_t>(now_.state)]},
              {"groups", static_cast<std::int64_t>(over.found ? over.found->groups.size() : 0)},
              {"votes", over.found ? over.found->votes : 0}});
  }

private:
  void set_out() {
    under_way_ = std::make_shared<errand>();
    now_.state = analysis_state::running;
    now_.started_at = with_->now();
    now_.ended_at.reset();
    now_.error.clear();
    send_analyst(*this, with_, storage_, under_way_);
  }

  analysis shown() const {
    auto out = now_;
    if (under_way_)
      out.share = under_way_->share;
    return out;
  }

  analysis now_;
  std::shared_ptr<errand> under_way_;
};

} // namespace

integrity_handle spawn_integrity(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage) {
  return spawn_single<integrity_actor>(sys, std::move(with), std::move(storage));
}

} // namespace credence::integrity
