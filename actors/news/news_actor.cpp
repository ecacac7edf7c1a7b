#include "actors/news/news_actor.hpp"

#include "actors/kernel/handling.hpp"
#include "actors/kernel/single_actor.hpp"
#include "actors/news/news_state.hpp"
#include "ops/log.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <utility>

namespace credence::news {

namespace {

looked_up answer_of(post_source& from, const account& whose) {
  try {
    return from.newest_of(whose);
  } catch (const std::exception& error) { // an errand without an outcome would hold a reader for ever
    return {.outcome = looked_up::result::failed, .why = error.what()};
  }
}

class post_reader : public actor {
public:
  static inline const char* name = "post reader";
  using takes = post_reader_handle::takes;

  void start(std::shared_ptr<post_source> from) { from_ = std::move(from); }
  void on(const ask<look_up>& question) {
    const handling here{ops::actor_kind::post_reader, {}};
    question.answer(answer_of(*from_, question->whose));
  }

private:
  std::shared_ptr<post_source> from_;
};

} // namespace

post_reader_handle spawn_post_reader(caf::actor_system& sys, std::shared_ptr<post_source> from) {
  return post_reader_handle{spawn_on_own_thread<post_reader>(sys, std::move(from))};
}

/// A request has waited as long as it may.
struct timeout_over {
  std::uint64_t request = 0;
};

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds timeout_max = 2s;

ops::news_metrics& metrics() { return ops::the_metrics().news; }

/// Leaves the asker a fifth of its time to hear the answer.
std::chrono::milliseconds timeout_of(const ask<get_news>& question, steady_time now) {
  const auto left = std::chrono::floor<std::chrono::milliseconds>(question.get()->deadline() - now) * 4 / 5;
  return std::clamp(left, 0ms, timeout_max);
}

class news_actor : public single_actor<news_actor, ops::actor_kind::news, news_handle, context, storage, timeout_over> {
public:
  static inline const char* name = "news";

  void prepare(const std::vector<post_reader_handle>& readers) {
    idle_ = readers;
    configured_ = !idle_.empty();
    metrics().on.set(configured_ ? 1 : 0);
  }

  void on(const ask<get_news>& question) {
    read(question, [&] {
      std::vector<news_item> items;
      for (const auto owner : question->owners)
        items.push_back({owner, nullptr});
      if (!configured_)
        return question.answer(std::move(items));
      load_for(question, load_x_accounts{question->owners}, [this, question, items](stored_x_accounts& found) {
        on_accounts(question, items, std::move(found.accounts));
      });
    });
  }

  void on(const timeout_over& notice) {
    const auto found = waiting_.find(notice.request);
    if (found == waiting_.end())
      return;
    const handling here{kind, {}};
    for (const auto& each : found->second.accounts)
      if (each)
        state_.forget(*each, notice.request);
    found->second.question.answer(std::move(found->second.items));
    waiting_.erase(found);
  }

private:
  /// A request some of whose items are looked for. The others, and what may stand in for these,
  /// are there already.
  struct errands_of {
    ask<get_news> question;
    std::vector<std::optional<account>> accounts;
    std::vector<news_item> items;
    std::size_t missing = 0;
  };

  void on_accounts(const ask<get_news>& question, std::vector<news_item> items,
                   std::vector<std::optional<account>> accounts) {
    const auto now = steady_clock::now();
    accounts.resize(items.size());
    const auto number = ++last_request_;
    std::size_t missing = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!accounts[i])
        continue;
      auto sight = state_.see(*accounts[i], question.get()->by(), {number, i}, now);
      items[i].newest = std::move(sight.newest);
      if (sight.how == news_state::status::known)
        metrics().cache_hits.add();
      else if (sight.how == news_state::status::turned_away)
        metrics().turned_away.add();
      else
        ++missing;
    }
    if (missing == 0)
      return question.answer(std::move(items));
    waiting_.emplace(number, errands_of{question, std::move(accounts), std::move(items), missing});
    after(timeout_of(question, now), timeout_over{number});
    hand_out();
  }

  /// Gives idle readers something to do.
  void hand_out() {
    while (!idle_.empty()) {
      const auto errand = state_.next(steady_clock::now());
      if (!errand)
        break;
      const auto reader = idle_.back();
      idle_.pop_back();
      request(reader, for_ever, news::look_up{errand->whose})
        .then([this, errand, reader](const looked_up& post) { on_looked_up(*errand, reader, post); },
              [this, errand, reader](failure) { // it has ended, as the service does
                on_looked_up(*errand, reader, {.outcome = looked_up::result::failed, .why = "the reader has ended"});
              });
    }
    tell_source({});
  }

  void on_looked_up(const news_state::errand& done, const post_reader_handle& reader, const looked_up& post) {
    const handling here{kind, {}};
    metrics().lookups[static_cast<std::size_t>(post.outcome)].add();
    if (!post.why.empty())
      ops::log(ops::level::debug, "news_lookup_failed", {{"account", done.whose.key()}, {"error", post.why}});
    const auto news = state_.learn(done, post, here.started());
    tell_source(post.why); // before those who wait may look
    for (const auto& each : news)
      tell_waiters(each);
    idle_.push_back(reader);
    hand_out();
  }

  void tell_waiters(const news_state::answered& news) {
    for (const auto& who : news.whom) {
      const auto found = waiting_.find(who.request);
      if (found == waiting_.end())
        continue;
      auto& waits = found->second;
      waits.items[who.place].newest = news.newest;
      if (--waits.missing > 0)
        continue;
      waits.question.answer(std::move(waits.items));
      waiting_.erase(found);
    }
  }

  /// The log hears once that the source is left alone and once that it answers again, however many trials
  /// are between.
  void tell_source(const std::string& why) {
    const auto now_in = state_.source();
    metrics().breaker.set(static_cast<std::int64_t>(now_in));
    if (now_in == circuit_breaker::state::open && !left_alone_)
      ops::log(ops::level::warn, "news_source_suspended", {{"error", why}});
    else if (now_in == circuit_breaker::state::closed && left_alone_)
      ops::log(ops::level::info, "news_source_resumed", {});
    left_alone_ = now_in != circuit_breaker::state::closed;
  }

  bool configured_ = false;
  news_state state_;
  std::vector<post_reader_handle> idle_;
  std::map<std::uint64_t, errands_of> waiting_; // bounded by the gate in front
  std::uint64_t last_request_ = 0;
  bool left_alone_ = false;
};

} // namespace

news_handle spawn_news(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage,
                       std::vector<post_reader_handle> readers) {
  return spawn_single<news_actor>(sys, std::move(with), std::move(storage), std::move(readers));
}

} // namespace credence::news
