#include "actors/people/people_actor.hpp"

#include "actors/kernel/single_actor.hpp"
#include "ops/log.hpp"

#include <deque>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace credence::people {

/// Time to read a page of people.
struct next_page {};

namespace {

using namespace std::chrono_literals;

constexpr std::int32_t rows_per_page = 50000;
constexpr std::int32_t rows_read_again = 5000; // at once: votes wait while they are taken in
constexpr auto page_timeout = 10s;
constexpr auto retry_after = 250ms;
constexpr std::size_t keys_per_look = 4096; // one question more may go beyond it
/// New profiles are looked for this often, and a page of those known is read again;
/// a new one that asks earlier is looked up at once.
constexpr auto look_again_after = 1s;
/// The same while changes are told; and when that has just begun, until all were read.
constexpr auto look_again_after_when_told = 10s;
constexpr auto catch_up_after = 50ms;

class people_actor
  : public single_actor<people_actor, ops::actor_kind::people, people_handle, context, storage, next_page> {
public:
  static inline const char* name = "people";

  void prepare(people_index* index) { index_ = index; }
  void start_up() { go_on(); }

  void on(const ask<get_users_of>& question) {
    read(question, [&] {
      load_for(question, load_users_of{question->profiles}, [question](const stored_users& found) {
        std::unordered_map<profile_id, user_ptr> by_profile;
        for (const auto& each : found.users)
          if (each->profile)
            by_profile.emplace(*each->profile, each);
        std::vector<user_ptr> out;
        out.reserve(question->profiles.size());
        for (const auto& wanted : question->profiles) {
          const auto here_it_is = by_profile.find(wanted);
          out.push_back(here_it_is == by_profile.end() ? nullptr : here_it_is->second);
        }
        question.answer(std::move(out));
      });
    });
  }

  void on(const ask<check_live>& question) {
    read(question, [&] {
      using status = people_index::status;
      if (const auto known = index_->status_of(question->profile); known != status::unknown)
        return question.answer(
          liveness{known == status::live || known == status::unsettled, index_->unsettled(question->profile)});
      load_for(question, load_people{profile_id{question->profile.value - 1}, 1},
               [this, question](const stored_people& page) {
                 const bool found = !page.rows.empty() && page.rows.front().profile == question->profile;
                 if (found && index_->status_of(question->profile) == people_index::status::unknown)
                   index_->publish(page.rows.front());
                 question.answer(found ? liveness{page.rows.front().live, page.rows.front().unsettled} : liveness{});
               });
    });
  }

  void on(const ask<find_people>& question) {
    read(question, [&] {
      waiting_.push_back(question);
      if (!looking_)
        look_next();
    });
  }

  void on(const ask<invalidate>& question) {
    watching_.push_back(question);
    changed_.insert(changed_.end(), question->profiles.begin(), question->profiles.end());
    index_->add_settled(question->settled, changed_);
    if (changed_.size() > static_cast<std::size_t>(rows_per_page)) { // nothing has come back for long
      changed_.clear();
      look_at_everybody();
    }
    go_on();
  }

  void on(const next_page&) {
    page_due_ = true;
    go_on();
  }

  void on(const changes_are_told& change) {
    told_ = change.now;
    if (change.now)
      look_at_everybody();
  }

private:
  void go_on() {
    if (reading_)
      return;
    if (!changed_.empty())
      return read_changed();
    for (auto& each : std::exchange(watching_, {})) // for nobody
      each.answer(looked_again{});
    if (std::exchange(page_due_, false))
      read_page();
  }

  /// One page more; then `then` runs, or the next one is planned after a failure.
  template <class Then>
  void read_rows(load_people people, Then then) {
    reading_ = true;
    storage_.read(*this, page_timeout, std::move(people))
      .then(
        [this, then = std::move(then)](const stored_people& page) mutable {
          reading_ = false;
          for (const auto& row : page.rows)
            index_->publish(row);
          then(page);
          go_on();
        },
        [this](failure) {
          reading_ = false;
          plan_next(index_->complete() ? look_again_after : retry_after);
          go_on();
        });
  }

  /// Those above whom is known; at the end of them, once more some of those known: scores change
  /// and profiles are archived by other programs, and of that not everything may be told.
  void read_page() {
    read_rows({read_up_to_, rows_per_page}, [this](const stored_people& page) {
      if (!page.rows.empty())
        read_up_to_ = page.rows.back().profile;
      if (page.rows.size() == static_cast<std::size_t>(rows_per_page)) {
        page_due_ = true;
        return;
      }
      index_->set_complete();
      read_rows({read_again_up_to_, rows_read_again}, [this](const stored_people& known) {
        const bool more = known.rows.size() == static_cast<std::size_t>(rows_read_again);
        read_again_up_to_ = more ? known.rows.back().profile : profile_id{};
        if (!more)
          catching_up_ = std::exchange(all_again_, false);
        plan_next(catching_up_ ? catch_up_after : told_ ? look_again_after_when_told : look_again_after);
      });
    });
  }

  void plan_next(std::chrono::milliseconds pause) { after(paging_, pause, next_page{}); }

  /// The round under way may have passed some of them, so another one follows.
  void look_at_everybody() {
    all_again_ = catching_up_ = true;
    if (index_->complete())
      plan_next(catch_up_after);
  }

  void read_changed() {
    reading_ = true;
    const auto whose = std::make_shared<decltype(watching_)>(std::exchange(watching_, {}));
    storage_.read(*this, page_timeout, load_people{{}, 0, std::exchange(changed_, {})})
      .then(
        [this, whose](const stored_people& page) {
          reading_ = false;
          for (const auto& row : page.rows) {
            index_->publish(row);
            index_->touch(row.profile); // what else there is to see of them may have changed
          }
          for (auto& each : *whose)
            each.answer(looked_again{});
          go_on();
        },
        [this, whose](failure) {
          reading_ = false;
          for (auto& each : *whose)
            each.fail(failure::unavailable);
          look_at_everybody();
          go_on();
        });
  }

  /// The questions that the next read answers: one of each asker, then others while there is room, so that an asker
  /// with many questions does not delay the rest.
  std::vector<ask<find_people>> take_waiting(find_people& together) {
    fail_expired(waiting_, steady_clock::now());
    std::vector<ask<find_people>> whose;
    std::set<asker> taken;
    const auto take_where = [&](auto wanted) {
      for (auto& next : waiting_) {
        if (together.keys.size() >= keys_per_look)
          break;
        if (next.get() && wanted(next)) {
          together.keys.insert(together.keys.end(), next->keys.begin(), next->keys.end());
          whose.push_back(std::move(next));
        }
      }
    };
    take_where([&](const ask<find_people>& next) { return taken.insert(next.get()->by()).second; });
    take_where([](const ask<find_people>&) { return true; });
    std::erase_if(waiting_, [](const ask<find_people>& each) { return !each.get(); });
    return whose;
  }

  /// One look for everybody who waits, then the next.
  void look_next() {
    find_people together;
    auto whose = take_waiting(together);
    looking_ = !whose.empty();
    if (!looking_)
      return;
    storage_.read(*this, with_->load_timeout, std::move(together))
      .then(
        [this, whose](const found_people& found) {
          auto from = found.people.begin();
          for (const auto& each : whose) {
            const auto end = from + static_cast<std::ptrdiff_t>(each->keys.size());
            each.answer(found_people{{from, end}});
            from = end;
          }
          look_next();
        },
        [this, whose](failure) {
          for (const auto& each : whose)
            each.fail(failure::unavailable);
          look_next();
        });
  }

  people_index* index_ = nullptr;
  profile_id read_up_to_;
  profile_id read_again_up_to_;
  std::deque<ask<find_people>> waiting_;
  bool looking_ = false;
  // Rows are read one page, or one look, at a time: an older snapshot must not come last.
  bool reading_ = false;
  bool page_due_ = true;     // of everybody
  bool told_ = false;        // of changes
  bool catching_up_ = false; // with changes from before they were told
  bool all_again_ = false;   // from the beginning, after the round under way
  timer paging_;
  std::vector<profile_id> changed_;
  std::vector<ask<invalidate>> watching_; // for those to be read
};

} // namespace

people_handle spawn_people(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage,
                           people_index& index) {
  return spawn_single<people_actor>(sys, std::move(with), std::move(storage), &index);
}

} // namespace credence::people
