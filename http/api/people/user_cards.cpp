#include "http/api/people/user_cards.hpp"

#include <algorithm>
#include <utility>

namespace credence::http {

namespace {

/// Other programs may edit users; what they change is seen this soon.
constexpr std::chrono::seconds age_max{60};

/// What a card costs beside its text: list node, index node, bucket.
constexpr std::size_t overhead = 160;

/// What is kept of listings may take one part in so many of the bytes of all cards. Past it all of it goes, and is
/// encoded anew.
constexpr std::size_t share_kept = 4;
/// A text costs so many times its size, as the listing stays in memory with it, which is about as large.
constexpr std::size_t kept_costs = 2;

} // namespace

user_cards::user_cards(const people::people_index& known, const settings::http& how, std::size_t bytes_max)
  : known_(known), vouch_removed_at_(vouch_removed_at(how)),
    keep_vouch_(how.keep_stats_vouch), format_{how.public_url, false}, bytes_max_(bytes_max) {}

std::size_t user_cards::weight(const card& of) noexcept { return of.json.size() + overhead; }

void user_cards::drop_oldest() {
  bytes_ -= weight(cards_.back());
  by_profile_.erase(cards_.back().who);
  cards_.pop_back();
}

void user_cards::clear() {
  by_profile_.clear();
  cards_.clear();
  bytes_ = 0;
  clear_kept();
}

void user_cards::clear_kept() {
  kept_.clear();
  bytes_kept_ = 0;
}

void user_cards::begin(pass which, timestamp now) {
  pass_ = which;
  ++passes_;
  now_ = now;
  missing_.clear();
  if (which == pass::second)
    return; // whatever was taken in for this answer has to stay
  const bool with_vouch = keep_vouch_ || now < vouch_removed_at_;
  if (with_vouch != format_.with_vouch)
    clear();
  format_.with_vouch = with_vouch;
  while (bytes_ > bytes_max_)
    drop_oldest();
}

bool user_cards::write(json_writer& to, profile_id who) {
  const auto found = by_profile_.find(who);
  const auto version = known_.version_of(who);
  if (found == by_profile_.end()
      || (pass_ == pass::first && (found->second->version != version || now_ - found->second->fetched_at > age_max))) {
    missing_.push_back({who, version});
    return false;
  }
  if (std::exchange(found->second->used_in, passes_)
      != passes_) // once a pass: the best voters of one project lead others as well
    cards_.splice(cards_.begin(), cards_, found->second);
  const auto& json = found->second->json;
  if (json.empty())
    return false;
  to.raw(json);
  return true;
}

void user_cards::keep(std::shared_ptr<const void> of, std::size_t part, std::string_view members) {
  const auto cost = kept_costs * members.size() + overhead;
  if (bytes_kept_ + cost > bytes_max_ / share_kept)
    clear_kept();
  auto& mine = kept_[of.get()];
  mine.of = std::move(of);
  mine.members[part] = members;
  bytes_kept_ += cost;
}

std::vector<user_cards::wanted> user_cards::take_missing() {
  const auto by_id = [](const wanted& a, const wanted& b) { return a.who < b.who; };
  const auto same = [](const wanted& a, const wanted& b) { return a.who == b.who; };
  std::sort(missing_.begin(), missing_.end(), by_id);
  missing_.erase(std::unique(missing_.begin(), missing_.end(), same), missing_.end());
  return std::move(missing_);
}

void user_cards::take(std::span<const wanted> keys, std::span<const people::user_ptr> came) {
  const auto count = std::min(keys.size(), came.size());
  for (std::size_t i = 0; i < count; ++i) {
    card fresh{keys[i].who, keys[i].version, passes_, now_, {}};
    if (came[i]) {
      json_writer to{fresh.json};
      encode(to, *came[i], format_);
      fresh.json.shrink_to_fit();
    }
    bytes_ += weight(fresh);
    if (const auto old = by_profile_.find(fresh.who); old != by_profile_.end()) {
      bytes_ -= weight(*old->second);
      *old->second = std::move(fresh);
      cards_.splice(cards_.begin(), cards_, old->second);
    } else {
      cards_.push_front(std::move(fresh));
      by_profile_.emplace(cards_.front().who, cards_.begin());
    }
  }
}

} // namespace credence::http
