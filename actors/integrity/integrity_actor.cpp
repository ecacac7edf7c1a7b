#include "actors/integrity/integrity_actor.hpp"

#include "actors/integrity/analyst_actor.hpp"
#include "actors/kernel/single_actor.hpp"
#include "ops/log.hpp"

#include <utility>

namespace credence::integrity {

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
