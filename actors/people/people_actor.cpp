#include "actors/people/people_actor.hpp"

#include "actors/kernel/handling.hpp"
#include "ops/log.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

namespace credence::people {

namespace {

using namespace std::chrono_literals;

constexpr auto kind = ops::actor_kind::people;
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

struct next_page {
  std::uint64_t plan = 0; // only the newest counts
};

using entity = people_handle::extend<caf::reacts_to<next_page>>;

struct people_plumbing {
  static inline const char* name = "people";
  std::shared_ptr<const context> with;
  people_index* index = nullptr;
  profile_id read_up_to;
  profile_id read_again_up_to;
  std::deque<ask<find_people>> waiting;
  bool looking = false;
  // Rows are read one page, or one look, at a time: an older snapshot must not come last.
  bool reading = false;
  bool page_due = true;     // of everybody
  bool told = false;        // of changes
  bool catching_up = false; // with changes from before they were told
  bool all_again = false;   // from the beginning, after the round under way
  std::uint64_t plans = 0;  // for the next page
  std::vector<profile_id> changed;
  std::vector<caf::typed_response_promise<looked_again>> watching; // for those to be read

  using pointer = entity::stateful_pointer<people_plumbing>;

  void go_on(pointer self) {
    if (reading)
      return;
    if (!changed.empty())
      return read_changed(self);
    for (auto& each : std::exchange(watching, {})) // for nobody
      each.deliver(looked_again{});
    if (std::exchange(page_due, false))
      read_page(self);
  }

  /// One page more; then `then` runs, or the next one is planned after a failure.
  template <class Then>
  void read(pointer self, load_people what, Then then) {
    reading = true;
    self->request(with->storage.reader, page_timeout, std::move(what))
      .then(
        [this, self, then = std::move(then)](const stored_people& page) mutable {
          reading = false;
          for (const auto& row : page.rows)
            index->publish(row);
          then(page);
          go_on(self);
        },
        [this, self](const caf::error&) {
          reading = false;
          plan_next(self, index->complete() ? look_again_after : retry_after);
          go_on(self);
        });
  }

  /// Those above whom is known; at the end of them, once more some of those known: scores change
  /// and profiles are archived by other programs, and of that not everything may be told.
  void read_page(pointer self) {
    read(self, {read_up_to, rows_per_page}, [this, self](const stored_people& page) {
      if (!page.rows.empty())
        read_up_to = page.rows.back().profile;
      if (page.rows.size() == static_cast<std::size_t>(rows_per_page)) {
        page_due = true;
        return;
      }
      index->set_complete();
      read(self, {read_again_up_to, rows_read_again}, [this, self](const stored_people& known) {
        const bool more = known.rows.size() == static_cast<std::size_t>(rows_read_again);
        read_again_up_to = more ? known.rows.back().profile : profile_id{};
        if (!more)
          catching_up = std::exchange(all_again, false);
        plan_next(self, catching_up ? catch_up_after : told ? look_again_after_when_told : look_again_after);
      });
    });
  }

  void plan_next(pointer self, std::chrono::milliseconds after) { self->delayed_send(self, after, next_page{++plans}); }

  void on_next_page(pointer self, next_page what) {
    if (what.plan != plans)
      return;
    page_due = true;
    go_on(self);
  }

  void on_told(pointer self, bool now) {
    told = now;
    if (now)
      look_at_everybody(self);
  }

  /// The round under way may have passed some of them, so another one follows.
  void look_at_everybody(pointer self) {
    all_again = catching_up = true;
    if (index->complete())
      plan_next(self, catch_up_after);
  }

  caf::result<looked_again> look(pointer self, const look_again& who) {
    auto promise = self->make_response_promise<looked_again>();
    watching.push_back(promise);
    changed.insert(changed.end(), who.profiles.begin(), who.profiles.end());
    if (changed.size() > static_cast<std::size_t>(rows_per_page)) { // nothing has come back for long
      changed.clear();
      look_at_everybody(self);
    }
    go_on(self);
    return promise;
  }

  void read_changed(pointer self) {
    reading = true;
    const auto whose = std::make_shared<decltype(watching)>(std::exchange(watching, {}));
    self->request(with->storage.reader, page_timeout, load_people{{}, 0, std::exchange(changed, {})})
      .then(
        [this, self, whose](const stored_people& page) {
          reading = false;
          for (const auto& row : page.rows) {
            index->publish(row);
            index->touch(row.profile); // what else there is to see of them may have changed
          }
          for (auto& each : *whose)
            each.deliver(looked_again{});
          go_on(self);
        },
        [this, self, whose](const caf::error& why) {
          reading = false;
          for (auto& each : *whose)
            each.deliver(why);
          look_at_everybody(self);
          go_on(self);
        });
  }

  void find_users(pointer self, const ask<get_users_of>& asked) {
    const handling here{kind, asked.get()->sent_at()};
    if (asked.get()->expired(here.started()))
      return asked.fail(failure::timed_out);
    self->request(with->storage.reader, with->load_timeout, load_users_of{asked->profiles})
      .then(
        [asked](const stored_users& found) {
          std::unordered_map<profile_id, user_ptr> by_profile;
          for (const auto& each : found.users)
            if (each->profile)
              by_profile.emplace(*each->profile, each);
          std::vector<user_ptr> out;
          out.reserve(asked->profiles.size());
          for (const auto& wanted : asked->profiles) {
            const auto here_it_is = by_profile.find(wanted);
            out.push_back(here_it_is == by_profile.end() ? nullptr : here_it_is->second);
          }
          asked.answer(std::move(out));
        },
        [asked](const caf::error&) { asked.fail(failure::unavailable); });
  }

  void check(pointer self, const ask<check_live>& asked) {
    const handling here{kind, asked.get()->sent_at()};
    if (asked.get()->expired(here.started()))
      return asked.fail(failure::timed_out);
    if (const auto known = index->standing_of(asked->profile); known != people_index::standing::unknown)
      return asked.answer(known == people_index::standing::live);
    self->request(with->storage.reader, with->load_timeout,
                  load_people{profile_id{asked->profile.value - 1}, 1})
      .then(
        [this, asked](const stored_people& page) {
          const bool found = !page.rows.empty() && page.rows.front().profile == asked->profile;
          if (found && index->standing_of(asked->profile) == people_index::standing::unknown)
            index->publish(page.rows.front());
          asked.answer(found && page.rows.front().live);
        },
        [asked](const caf::error&) { asked.fail(failure::unavailable); });
  }

  /// Passes a question on to storage as it is.
  template <class Q>
  void pass_on(pointer self, const ask<Q>& asked) {
    const handling here{kind, asked.get()->sent_at()};
    if (asked.get()->expired(here.started()))
      return asked.fail(failure::timed_out);
    self->request(with->storage.reader, with->load_timeout, *asked)
      .then([asked](typename Q::answer_type& found) { asked.answer(std::move(found)); },
            [asked](const caf::error&) { asked.fail(failure::unavailable); });
  }

  void find(pointer self, const ask<find_people>& asked) {
    const handling here{kind, asked.get()->sent_at()};
    waiting.push_back(asked);
    if (!looking)
      look_next(self);
  }

  /// The questions that the next look answers.
  std::vector<ask<find_people>> take_waiting(find_people& together) {
    std::vector<ask<find_people>> whose;
    const auto now = steady_clock::now();
    for (; !waiting.empty() && together.keys.size() < keys_per_look; waiting.pop_front()) {
      auto& next = waiting.front();
      if (next.get()->expired(now)) {
        next.fail(failure::timed_out);
        continue;
      }
      together.keys.insert(together.keys.end(), next->keys.begin(), next->keys.end());
      whose.push_back(std::move(next));
    }
    return whose;
  }

  /// One look for everybody who waits, then the next.
  void look_next(pointer self) {
    find_people together;
    auto whose = take_waiting(together);
    looking = !whose.empty();
    if (!looking)
      return;
    self->request(with->storage.reader, with->load_timeout, std::move(together))
      .then(
        [this, self, whose](const found_people& found) {
          auto from = found.people.begin();
          for (const auto& each : whose) {
            const auto end = from + static_cast<std::ptrdiff_t>(each->keys.size());
            each.answer(found_people{{from, end}});
            from = end;
          }
          look_next(self);
        },
        [this, self, whose](const caf::error&) {
          for (const auto& each : whose)
            each.fail(failure::unavailable);
          look_next(self);
        });
  }
};

entity::behavior_type behave(people_plumbing::pointer self, std::shared_ptr<const context> with,
                             people_index* index) {
  self->state.with = std::move(with);
  self->state.index = index;
  ops::the_metrics().of(kind).live.set(1);
  self->state.go_on(self);
  return {
    [self](const ask<get_users_of>& asked) { self->state.find_users(self, asked); },
    [self](const ask<check_live>& asked) { self->state.check(self, asked); },
    [self](look_again& who) { return self->state.look(self, who); },
    [self](changes_are_told what) { self->state.on_told(self, what.now); },
    [self](const ask<find_people>& asked) { self->state.find(self, asked); },
    [self](const ask<get_people>& asked) { self->state.pass_on(self, asked); },
    [self](const ask<get_bundle>& asked) { self->state.pass_on(self, asked); },
    [self](const ask<search_people>& asked) { self->state.pass_on(self, asked); },
    [self](next_page what) { self->state.on_next_page(self, what); },
  };
}

} // namespace

people_handle spawn_people(caf::actor_system& sys, std::shared_ptr<const context> with, people_index& index) {
  return sys.spawn(behave, std::move(with), &index);
}

} // namespace credence::people

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::people::next_page)
