#include "actors/news/news_state.hpp"

#include "actors/domain/text.hpp"
#include "actors/news/news_types.hpp"

#include <algorithm>
#include <utility>

namespace credence::news {

namespace {

constexpr std::size_t id_digits_max = 20;   // of 64 bits
constexpr std::size_t name_length_max = 50; // x.com gives out 15; old ones may be longer

bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= id_digits_max && std::all_of(text.begin(), text.end(), is_digit);
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= name_length_max && std::all_of(text.begin(), text.end(), [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  });
}

} // namespace

std::string account::key() const {
  if (!id.empty())
    return id;
  std::string out = "@" + name;
  for (auto& c : out)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::optional<account> account_of(std::string_view id, std::string_view name) {
  if (name.starts_with('@'))
    name.remove_prefix(1);
  account out;
  if (is_id(id))
    out.id = id;
  if (is_name(name))
    out.name = name;
  else if (out.id.empty() && is_name(id))
    out.name = id;
  return out.id.empty() && out.name.empty() ? std::nullopt : std::optional{std::move(out)};
}

std::optional<circuit_breaker::leave> circuit_breaker::may_send(steady_time now) noexcept {
  if (!lets_through(now))
    return std::nullopt;
  if (state_ == state::open) {
    state_ = state::trial;
    ++turn_;
  }
  return leave{turn_};
}

void circuit_breaker::succeeded(leave with) noexcept {
  if (with.turn != turn_)
    return;
  failures_ = 0;
  if (state_ == state::trial) {
    state_ = state::closed;
    ++turn_;
  }
}

void circuit_breaker::failed(leave with, steady_time now) noexcept {
  if (with.turn != turn_)
    return;
  if (state_ == state::trial || ++failures_ >= failures_max)
    open(now + open_for);
}

void circuit_breaker::told_to_pause(leave with, std::chrono::seconds length, steady_time now) noexcept {
  if (with.turn != turn_)
    return;
  open(now + (length.count() > 0 ? std::min<std::chrono::seconds>(length, pause_max) : open_for));
}

void circuit_breaker::open(steady_time until) noexcept {
  state_ = state::open;
  failures_ = 0;
  until_ = until;
  ++turn_;
}

news_state::sight news_state::see(const account& whose, const asker& by, waiter who, steady_time now) {
  auto key = whose.key();
  const auto* old = recall(key);
  if (old && now < old->ask_again_at)
    return {status::known, stand_in(old, now)};
  auto before = stand_in(old, now);
  if (const auto found = searches_.find(key); found != searches_.end()) {
    auto& search = found->second;
    search.whom.push_back(who);
    if (!search.under_way && !search.lines.contains(by) && take_place(key, by))
      search.lines.insert(by);
    return {status::looked_for, std::move(before)};
  }
  if (!source_.lets_through(now) || !take_place(key, by))
    return {status::turned_away, std::move(before)};
  searches_.emplace(std::move(key), search{whose, {who}, {by}});
  ++waiting_;
  return {status::looked_for, std::move(before)};
}

bool news_state::take_place(const std::string& key, const asker& whose) {
  const bool anonymous = whose.rank == asker_rank::anonymous;
  if (places_ >= waiting_max || (anonymous && anonymous_places_ >= waiting_max / 2))
    return false;
  auto& own = places_of_[whose];
  if (whose.rank != asker_rank::service && own >= waiting_each)
    return false;
  ++own;
  lines_.push(whose, {key, whose});
  ++places_;
  anonymous_places_ += anonymous ? 1 : 0;
  return true;
}

news_state::search* news_state::next_in_line() {
  while (!lines_.empty()) {
    const auto next = lines_.take();
    --places_;
    anonymous_places_ -= next.whose.rank == asker_rank::anonymous ? 1 : 0;
    if (const auto own = places_of_.find(next.whose); --own->second == 0)
      places_of_.erase(own);
    if (const auto found = searches_.find(next.key); found != searches_.end() && !found->second.under_way)
      return &found->second;
  }
  return nullptr;
}

std::optional<news_state::errand> news_state::next(steady_time now) {
  if (waiting_ == 0)
    return std::nullopt;
  const auto with = source_.may_send(now);
  if (!with)
    return std::nullopt;
  auto& search = *next_in_line();
  search.under_way = true;
  --waiting_;
  return errand{search.whose, *with};
}

std::vector<news_state::answered> news_state::learn(const errand& done, const looked_up& post, steady_time now) {
  using result = looked_up::result;
  const auto key = done.whose.key();
  auto& kept = remember(key);
  if (post.outcome == result::found || post.outcome == result::none) {
    kept.newest = post.outcome == result::found ? post.newest : nullptr;
    kept.learnt_at = now;
    kept.ask_again_at = now + kept_for;
    source_.succeeded(done.with);
  } else {
    kept.ask_again_at = now + failure_kept_for;
    if (post.outcome == result::limited)
      source_.told_to_pause(done.with, post.pause, now);
    else
      source_.failed(done.with, now);
  }
  std::vector<answered> out;
  out.push_back(end_search(key, now));
  if (source_.now_in() == circuit_breaker::state::open && !source_.lets_through(now))
    while (const auto* each = next_in_line())
      out.push_back(end_search(each->whose.key(), now));
  return out;
}

void news_state::forget(const account& whose, std::uint64_t request) {
  if (const auto found = searches_.find(whose.key()); found != searches_.end())
    std::erase_if(found->second.whom, [&](const waiter& each) { return each.request == request; });
}

news_state::memory* news_state::recall(const std::string& key) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end())
    return nullptr;
  memories_.splice(memories_.begin(), memories_, found->second);
  return &memories_.front();
}

news_state::memory& news_state::remember(const std::string& key) {
  if (auto* there = recall(key))
    return *there;
  if (memories_.size() >= remembered_max) {
    by_key_.erase(memories_.back().key);
    memories_.pop_back();
  }
  memories_.push_front({key, nullptr});
  by_key_.emplace(key, memories_.begin());
  return memories_.front();
}

post_ptr news_state::stand_in(const memory* old, steady_time now) {
  if (!old || old->learnt_at == steady_time::min() || now >= old->learnt_at + kept_for + stale_for)
    return nullptr;
  return old->newest;
}

news_state::answered news_state::end_search(const std::string& key, steady_time now) {
  answered out;
  const auto found = searches_.find(key);
  out.whom = std::move(found->second.whom);
  waiting_ -= found->second.under_way ? 0 : 1;
  searches_.erase(found);
  const auto known = by_key_.find(key); // not wanted anew, so its place among the others stays
  out.newest = known == by_key_.end() ? nullptr : stand_in(&*known->second, now);
  return out;
}

} // namespace credence::news
