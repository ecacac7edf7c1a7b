#pragma once

#include "actors/domain/ids.hpp"
#include "actors/kernel/actor.hpp"
#include "actors/kernel/entity_view.hpp"
#include "actors/kernel/writes.hpp"
#include "ops/log.hpp"
#include "ops/metrics.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace credence {

// What a router and the actors of its entities say to each other.

/// Router to child: nothing will be sent to you after this; stop once nothing is
/// under way. The router keeps what arrives for the entity meanwhile.
struct passivate {};

/// Child to router: I cannot go on (a load or a change failed). I refuse all
/// questions until you passivate me.
template <class Id>
struct wants_out {
  Id id;
};

/// A child has ended. Sent by the router's own observer, however it ended.
template <class Id>
struct child_gone {
  Id id;
  std::uint64_t incarnation = 0;
  bool normal = true;
};

/// Time to stop those whom nobody has asked for long.
struct sweep {};

/// Profiles that uncommitted changes of an entity concern (of a project: its voters). The entity's actor keeps the
/// list; its router reads it when the actor is lost.
using bystanders = std::shared_ptr<std::vector<profile_id>>;

using namespace std::chrono_literals;

/// What the routers of all kinds of entities share: spawning on first use,
/// bounds, stopping the idle, and starting afresh after a failure. A plain object
/// in the router's state; Child is the typed handle of the entity's actor.
template <class Id, class Child>
class children {
public:
  struct rules {
    ops::actor_kind kind;
    std::size_t live_max;
    std::int32_t waiting_max; // questions per entity
    failure when_full;        // `too_many` (you) or `overloaded` (we)
    std::chrono::milliseconds idle_stop;
    bool writes; // a lost child may have changes under way
    const store_status* storage;
  };
  using spawner = std::function<Child(Id, const bystanders&)>;
  using observer = std::function<void(Child, Id, std::uint64_t incarnation)>;
  using settler = std::function<void(Id)>;

  children(rules how, spawner spawn, observer observe, settler settle)
    : rules_(how), spawn_(std::move(spawn)), observe_(std::move(observe)), settle_(std::move(settle)) {}

  /// Passes a question on, or answers that there is no place for it.
  void forward(Id id, question_ref question) {
    auto& envelope = *question.get();
    auto& entry = at(id);
    const auto now = steady_clock::now();
    if (entry.now == phase::waiting_to_retry) {
      if (now < entry.not_before)
        return envelope.settle(failure::unavailable);
      entry.now = phase::absent;
    }
    // What is kept for an entity whose writes have no outcome yet waits for the database: not while it is away.
    if (entry.now == phase::settling && !rules_.storage->writable.load(std::memory_order_relaxed))
      return envelope.settle(failure::unavailable);
    place held{entry.waiting};
    if (!held) {
      metrics().refused_full.add();
      return envelope.settle(rules_.when_full);
    }
    envelope.hold(std::move(held));
    envelope.stamp(now);
    pass(id, entry, message_ref{question.release()}, now);
  }

  /// Passes a one-way message on; these are not refused.
  template <class Message>
  void tell(Id id, Message message) {
    auto& entry = at(id);
    if (entry.now == phase::waiting_to_retry)
      entry.now = phase::absent;
    pass(id, entry, as_message(std::move(message)), steady_clock::now());
  }

  /// Passes a one-way message on to one who is in memory and stays; false, and nothing sent, for others.
  template <class Message>
  bool tell_live(Id id, Message& message) {
    const auto found = entries_.find(id);
    if (found == entries_.end() || found->second.now != phase::live)
      return false;
    pass(id, found->second, as_message(std::move(message)), steady_clock::now());
    return true;
  }

  /// Passes a message on also to an actor that was told to stop and waits for this message. One that has failed does
  /// not get it; its successor does. (If another incarnation waited, and this one is ending, the message is lost.)
  template <class Message>
  void tell_before_it_stops(Id id, Message message) {
    if (const auto found = entries_.find(id);
        found != entries_.end() && found->second.now == phase::stopping && !found->second.failed)
      return post(found->second.child, std::move(message));
    tell(id, std::move(message));
  }

  /// Passes a message on if the entity is in memory, also while it stops. An entity that is loaded later reads what the
  /// message says from the database.
  template <class Message>
  void tell_if_live(Id id, Message message) {
    if (const auto found = entries_.find(id);
        found != entries_.end() && (found->second.now == phase::live || found->second.now == phase::stopping))
      post(found->second.child, std::move(message));
  }

  /// Has it loaded afresh, if it is in memory. What comes for it meanwhile is kept.
  void refresh(Id id) {
    if (const auto found = entries_.find(id); found != entries_.end() && found->second.now == phase::live)
      stop(found->second);
  }

  /// Whom changes concern that a lost child had under way. They are told once these changes have their outcomes.
  std::vector<profile_id> bystanders_of(Id id) {
    const auto found = entries_.find(id);
    if (found == entries_.end() || !found->second.others)
      return {};
    auto out = std::move(*std::exchange(found->second.others, nullptr));
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  void on_wants_out(Id id) {
    auto found = entries_.find(id);
    if (found == entries_.end() || (found->second.now != phase::live && found->second.now != phase::stopping))
      return;
    found->second.failed = true; // also one that was told to stop: what is under way must have its outcome first
    if (found->second.now == phase::live)
      stop(found->second);
  }

  void on_gone(const child_gone<Id>& child) {
    auto found = entries_.find(child.id);
    if (found == entries_.end() || found->second.incarnation != child.incarnation)
      return;
    auto& entry = found->second;
    metrics().live.add(-1);
    const bool failed = entry.failed || !child.normal;
    unlink(entry);
    entry.child = Child{};
    entry.failed = false;
    if (!failed) {
      metrics().stopped_idle.add();
      entry.now = phase::absent;
      return resume_or_forget(found);
    }
    metrics().failed.add();
    if (!child.normal)
      ops::log(ops::level::error, "actor_crashed",
               {{"kind", ops::actor_kind_names[static_cast<std::size_t>(rules_.kind)]},
                {"id", static_cast<std::int64_t>(child.id.value)}});
    if (rules_.writes) {
      entry.now = phase::settling;
      settle_(child.id);
    } else {
      back_off(child.id, entry);
      resume_or_forget(found);
    }
  }

  void on_settled(Id id) {
    auto found = entries_.find(id);
    if (found == entries_.end() || found->second.now != phase::settling)
      return;
    back_off(id, found->second);
    resume_or_forget(found);
  }

  /// Stops the idle and forgets old failures; call now and then.
  void sweep(steady_time now) {
    while (oldest_ && now - oldest_->used > rules_.idle_stop)
      stop(*oldest_);
    std::erase_if(failed_, [&](Id id) {
      const auto found = entries_.find(id);
      if (found == entries_.end())
        return true;
      auto& entry = found->second;
      if (now <= entry.not_before + 10 * backoff_max)
        return false;
      if (entry.now == phase::waiting_to_retry || entry.now == phase::absent)
        entries_.erase(found);
      else
        entry.failures = 0;
      return true;
    });
  }

  /// Ends all children; for shutdown.
  void end_all() {
    for (auto& [id, entry] : entries_)
      tell_to_end(entry.child);
    entries_.clear();
    newest_ = oldest_ = nullptr;
  }

  std::size_t live() const noexcept { return live_; }

  /// For operators.
  entity_view view(Id id) const {
    entity_view out;
    out.id = id.value;
    const auto found = entries_.find(id);
    if (found == entries_.end())
      return out;
    const auto& entry = found->second;
    out.now = entry.now;
    out.waiting = entry.waiting ? entry.waiting->inside() : 0;
    out.messages = entry.messages;
    out.failures = entry.failures;
    if (entry.used != steady_time{})
      out.asked = system_now() - std::chrono::duration_cast<timestamp::duration>(steady_clock::now() - entry.used);
    return out;
  }
  /// Its actor, if one is in memory, even if only until it stops.
  Child child_of(Id id) const {
    const auto found = entries_.find(id);
    return found == entries_.end() ? Child{} : found->second.child;
  }
  /// The busiest among the `looked_at_most` that were asked last.
  std::vector<entity_view> busiest(std::size_t limit) const {
    std::vector<std::pair<std::uint64_t, Id>> latest;
    for (const auto* each = newest_; each && latest.size() < looked_at_most; each = each->older)
      latest.emplace_back(each->messages, each->id);
    std::vector<entity_view> out;
    for (const auto id : with_most(std::move(latest), limit))
      out.push_back(view(id));
    return out;
  }
  /// Stops one that is in memory; `again`: and starts it afresh at once.
  void let_go(Id id, bool again) {
    const auto found = entries_.find(id);
    if (found == entries_.end() || found->second.now != phase::live)
      return;
    stop(found->second);
    if (again)
      found->second.held.emplace_back();
  }

private:
  static constexpr std::chrono::milliseconds backoff_min{50};
  static constexpr std::chrono::milliseconds backoff_max{1000};

  static constexpr std::size_t looked_at_most = 10'000; // votes wait meanwhile
  using phase = entity_view::phase;

  struct entry_type {
    Child child;
    phase now = phase::absent;
    bool failed = false;
    std::uint32_t failures = 0;
    std::uint64_t incarnation = 0;
    std::uint64_t messages = 0; // in this incarnation
    Id id{};
    steady_time used{};
    steady_time not_before{};
    std::shared_ptr<gate> waiting;
    bystanders others;
    entry_type* newer = nullptr;
    entry_type* older = nullptr;
    std::vector<message_ref> held; // null: only to start it
  };
  using table = std::unordered_map<Id, entry_type>;

  ops::actor_metrics& metrics() { return ops::the_metrics().of(rules_.kind); }

  entry_type& at(Id id) {
    auto& entry = entries_[id];
    if (!entry.waiting)
      entry.waiting = std::make_shared<gate>(rules_.waiting_max, &metrics().waiting);
    return entry;
  }

  template <class Message>
  static message_ref as_message(Message message) {
    static_assert(among<Message, typename Child::takes>, "the entity does not take that");
    return detail::as_message(std::move(message));
  }

  void pass(Id id, entry_type& entry, message_ref message, steady_time now) {
    if (entry.now == phase::live) {
      touch(entry, now);
      ++entry.messages;
      detail::post(entry.child, std::move(message));
      return;
    }
    if (entry.now != phase::absent) {
      entry.held.push_back(std::move(message));
      return;
    }
    start(id, entry, now);
    detail::post(entry.child, std::move(message));
    if (live_ > rules_.live_max)
      stop(*oldest_);
  }

  void start(Id id, entry_type& entry, steady_time now) {
    entry.others = std::make_shared<bystanders::element_type>();
    entry.child = spawn_(id, entry.others);
    entry.incarnation = ++incarnations_;
    entry.messages = 1;
    entry.id = id;
    entry.now = phase::live;
    entry.used = now;
    link_newest(entry);
    observe_(entry.child, id, entry.incarnation);
    metrics().spawned.add();
    metrics().live.add(1);
  }

  void stop(entry_type& entry) {
    unlink(entry);
    entry.now = phase::stopping;
    post(entry.child, passivate{});
  }

  /// A first failure is followed by a fresh start at once, more of them by longer and
  /// longer pauses: a crashing entity must not spin.
  void back_off(Id id, entry_type& entry) {
    const auto now = steady_clock::now();
    if (entry.failures == 0)
      failed_.push_back(id);
    entry.failures = now > entry.not_before + 10 * backoff_max ? 1 : entry.failures + 1;
    const auto wait =
      entry.failures == 1 ? 0ms : std::min(backoff_max, backoff_min * (1 << std::min(entry.failures - 2, 5u)));
    entry.not_before = now + wait;
    entry.now = wait > 0ms ? phase::waiting_to_retry : phase::absent;
  }

  void resume_or_forget(typename table::iterator found) {
    auto& entry = found->second;
    if (entry.held.empty()) {
      if (entry.now == phase::absent && entry.failures == 0)
        entries_.erase(found); // one that failed lately is remembered; `sweep` forgets it
      return;
    }
    auto held = std::exchange(entry.held, {});
    start(found->first, entry, steady_clock::now());
    for (auto& message : held)
      if (message)
        detail::post(entry.child, std::move(message));
  }

  void touch(entry_type& entry, steady_time now) {
    entry.used = now;
    if (newest_ == &entry)
      return;
    unlink(entry);
    link_newest(entry);
  }

  void link_newest(entry_type& entry) {
    entry.older = newest_;
    entry.newer = nullptr;
    if (newest_)
      newest_->newer = &entry;
    newest_ = &entry;
    if (!oldest_)
      oldest_ = &entry;
    ++live_;
  }

  void unlink(entry_type& entry) {
    if (newest_ != &entry && !entry.newer)
      return; // not in the list
    (entry.newer ? entry.newer->older : newest_) = entry.older;
    (entry.older ? entry.older->newer : oldest_) = entry.newer;
    entry.newer = entry.older = nullptr;
    --live_;
  }

  rules rules_;
  spawner spawn_;
  observer observe_;
  settler settle_;
  table entries_;
  std::vector<Id> failed_; // have failed lately
  entry_type* newest_ = nullptr;
  entry_type* oldest_ = nullptr;
  std::size_t live_ = 0;
  std::uint64_t incarnations_ = 0;
};

} // namespace credence
