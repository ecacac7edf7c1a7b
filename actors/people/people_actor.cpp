#include "actors/people/people_actor.hpp"

#include "actors/kernel/handling.hpp"
#include "ops/log.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <deque>
#include <unordered_map>
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

struct next_page {};

using entity = people_handle::extend<caf::reacts_to<next_page>>;

struct people_plumbing {
  static inline const char* name = "people";
  std::shared_ptr<const context> with;
  people_index* index = nullptr;
  profile_id read_up_to;
  profile_id read_again_up_to;
  std::deque<ask<find_people>> waiting;
  bool looking = false;

  using pointer = entity::stateful_pointer<people_plumbing>;

  void read_next(pointer self) {
    self->request(with->storage.reader, page_timeout, load_people{read_up_to, rows_per_page})
      .then(
        [this, self](const stored_people& page) {
          for (const auto& row : page.rows) {
            index->publish(row);
            read_up_to = row.profile;
          }
          if (page.rows.size() == static_cast<std::size_t>(rows_per_page))
            return read_next(self);
          index->set_complete();
          read_again(self);
        },
        [self](const caf::error&) { self->delayed_send(self, retry_after, next_page{}); });
  }

  /// Scores change and profiles are archived by other programs: one page of those known,
  /// then the next, round and round.
  void read_again(pointer self) {
    self->request(with->storage.reader, page_timeout, load_people{read_again_up_to, rows_read_again})
      .then(
        [this, self](const stored_people& page) {
          for (const auto& row : page.rows)
            index->publish(row);
          const bool more = page.rows.size() == static_cast<std::size_t>(rows_read_again);
          read_again_up_to = more ? page.rows.back().profile : profile_id{};
          self->delayed_send(self, look_again_after, next_page{});
        },
        [self](const caf::error&) { self->delayed_send(self, look_again_after, next_page{}); });
  }

  void read_one(pointer self, profile_id who) {
    self->request(with->storage.reader, with->load_timeout, load_people{profile_id{who.value - 1}, 1})
      .then(
        [this, who](const stored_people& page) {
          if (!page.rows.empty() && page.rows.front().profile == who)
            index->publish(page.rows.front());
        },
        [](const caf::error&) {}); // read again with its page
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
  self->state.read_next(self);
  return {
    [self](const ask<get_users_of>& asked) { self->state.find_users(self, asked); },
    [self](const ask<check_live>& asked) { self->state.check(self, asked); },
    [self](look_again who) { self->state.read_one(self, who.profile); },
    [self](const ask<find_people>& asked) { self->state.find(self, asked); },
    [self](const ask<get_people>& asked) { self->state.pass_on(self, asked); },
    [self](const ask<get_bundle>& asked) { self->state.pass_on(self, asked); },
    [self](const ask<search_people>& asked) { self->state.pass_on(self, asked); },
    [self](next_page) { self->state.read_next(self); },
  };
}

} // namespace

people_handle spawn_people(caf::actor_system& sys, std::shared_ptr<const context> with, people_index& index) {
  return sys.spawn(behave, std::move(with), &index);
}

} // namespace credence::people

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::people::next_page)
