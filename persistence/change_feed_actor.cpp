#include "persistence/change_feed_actor.hpp"

#include "ops/log.hpp"
#include "persistence/postgres/connection.hpp"

#include <charconv>
#include <optional>

namespace credence::persistence {

/// Time to listen for a while.
struct listen_on {};

namespace {

using namespace std::chrono_literals;

constexpr auto one_wait = 200ms;                // so that the end is heard of
constexpr auto together_within = 20ms;          // what comes within it is passed on at once
constexpr auto change_feed_retry_after = 500ms; // a connection could not be made
constexpr auto change_feed_probe_every = 5s;    // a server that is gone without a word says nothing either
constexpr auto change_feed_probe_timeout = 2s;

class change_feed : public actor {
public:
  static inline const char* name = "change feed";
  using takes = types<listen_on>;

  void start(const settings::store& how, change_listeners whom) {
    how_ = how;
    whom_ = std::move(whom);
    session_.application_name = "credence-changes";
    tell_self(listen_on{});
  }

  void on(const listen_on&) {
    try {
      if (!connection_)
        connect();
      else
        listen();
      tell_self(listen_on{});
    } catch (const database_error& why) {
      ops::log(ops::level::warn, "changes_not_told", {{"sqlstate", why.sqlstate()}, {"error", why.what()}});
      if (connection_)
        send(whom_.people, people::changes_are_told{false});
      connection_.reset();
      after(change_feed_retry_after, listen_on{});
    }
  }

private:
  void connect() {
    connection fresh{how_.database_url, session_, how_.connect_timeout};
    fresh.exec("LISTEN credence_changes", deadline_in(change_feed_probe_timeout));
    connection_ = std::move(fresh);
    probed_at_ = steady_clock::now();
    change_notifications all;
    all.profiles.all = all.projects.all = true;
    pass_on(all);
  }

  void listen() {
    change_notifications changes;
    for (auto until = deadline_in(one_wait);; until = deadline_in(together_within)) {
      const auto notes = connection_->notes(until);
      for (const auto& note : notes)
        changes.take(note);
      if (notes.empty())
        break;
      if ((changes.profiles.all && changes.projects.all) || steady_clock::now() - probed_at_ >= change_feed_probe_every)
        break;
    }
    pass_on(changes);
    if (steady_clock::now() - probed_at_ < change_feed_probe_every)
      return;
    connection_->exec("SELECT 1", deadline_in(change_feed_probe_timeout));
    probed_at_ = steady_clock::now();
  }

  void pass_on(const change_notifications& changes) {
    if (changes.profiles.all) {
      send(whom_.people, people::changes_are_told{true});
    } else if (changes.profiles) {
      people::invalidate who;
      for (const auto id : changes.profiles.ids)
        who.profiles.push_back(profile_id{id});
      send(whom_.people, std::move(who));
    }
    if (changes.projects) {
      listing::listings_changed change;
      for (const auto id : changes.projects.ids)
        change.which.push_back(project_id{id});
      send(whom_.listings, std::move(change));
    }
  }

  settings::store how_;
  change_listeners whom_;
  session session_;
  std::optional<connection> connection_;
  steady_time probed_at_{};
};

} // namespace

actor_ref spawn_change_feed(caf::actor_system& sys, const settings::store& how, change_listeners whom) {
  return spawn_on_own_thread<change_feed>(sys, how, std::move(whom));
}

void change_notifications::take(std::string_view note) {
  const auto space = note.find(' ');
  const auto word = note.substr(0, space);
  auto text = space == std::string_view::npos ? std::string_view{} : note.substr(space + 1);
  auto* kind = word == "profile" ? &profiles : word == "project" ? &projects : nullptr;
  for (bool good = kind != nullptr; good;) {
    std::int32_t id = 0;
    const auto [end, why] = std::from_chars(text.data(), text.data() + text.size(), id);
    good = why == std::errc{};
    if (!good)
      break;
    kind->ids.insert(id);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) {
      if (kind->ids.size() > ids_max)
        *kind = {true, {}};
      return;
    }
    good = text.front() == ',';
    text.remove_prefix(1);
  }
  if (kind && text == "*")
    *kind = {true, {}};
  else
    profiles = projects = {true, {}};
}

} // namespace credence::persistence
