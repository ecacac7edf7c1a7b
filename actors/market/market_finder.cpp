#include "actors/market/market_finder.hpp"

#include "actors/domain/folded.hpp"
#include "config/limits.hpp"

#include <algorithm>
#include <utility>

namespace credence::market {

namespace {

constexpr std::size_t gram_length = 3;

std::uint32_t gram_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + i])); };
  return byte(0) << 16 | byte(1) << 8 | byte(2);
}

bool holds(std::string_view in, std::string_view what) { return in.find(what) != std::string_view::npos; }

} // namespace

// -- places ------------------------------------------------------------------------------

void market_finder::places::add(place next) {
  auto step = count_ == 0 ? next : next - last_;
  for (; step >= 0x80; step >>= 7)
    steps_ += static_cast<char>(step | 0x80);
  steps_ += static_cast<char>(step);
  last_ = next;
  ++count_;
}

/// Until `visit` says false.
template <class Visitor>
void market_finder::places::each(Visitor&& visit) const {
  place at = 0;
  for (std::size_t i = 0; i < steps_.size();) {
    place step = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(steps_[i++]);
      step |= static_cast<place>(byte & 0x7f) << shift;
      if (byte < 0x80)
        break;
    }
    at += step;
    if (!visit(at))
      return;
  }
}

// -- what is known -----------------------------------------------------------------------

void market_finder::put(const named_market& what) {
  entry next{what.market, what.opened, what.volume, "\n", "\n" + folded(what.about)};
  for (const auto& each : what.names)
    next.names += folded(each) + "\n";
  if (const auto early = early_.find(what.market); early != early_.end()) {
    next.volume = std::max(next.volume, early->second);
    early_.erase(early);
  }
  if (next_)
    next_->add(next);
  add(std::move(next));
  tidy();
}

void market_finder::add(entry next) {
  if (const auto before = known_.find(next.market); before != known_.end()) {
    auto& old = entries_[before->second];
    next.volume = std::max(next.volume, old.volume); // it may be newer than what was read
    if (old.names == next.names && old.about == next.about) {
      old.volume = next.volume;
      return;
    }
    const auto gone = std::exchange(old, {}); // with the room of its texts, which an assignment would keep
    ++old_;
  } else {
    in_order_ = in_order_ && (opened_.empty() || opened_.back().first < next.opened);
    opened_.emplace_back(next.opened, next.market);
  }
  const auto at = static_cast<place>(entries_.size());
  known_[next.market] = at;
  note(by_name_, next.names, at);
  note(by_about_, next.about, at);
  entries_.push_back(std::move(next));
}

/// When half of the entries are old, the others are copied, a few with every `put`: nobody
/// waits until all of them are.
void market_finder::tidy() {
  constexpr int at_once = 4;
  if (!next_ && old_ > entries_.size() / 2) {
    next_ = std::make_unique<market_finder>();
    copied_ = 0;
  }
  for (int i = 0; next_ && i < at_once; ++i) {
    if (copied_ == entries_.size()) {
      next_->early_ = std::move(early_);
      auto fresh = std::move(next_);
      *this = std::move(*fresh);
      return;
    }
    const auto& each = entries_[copied_++];
    if (each.market != profile_id{})
      next_->add(each);
  }
}

void market_finder::set_volume(profile_id market, const wei& volume) {
  const auto where = known_.find(market);
  auto& kept = where == known_.end() ? early_[market] : entries_[where->second].volume;
  kept = std::max(kept, volume);
  if (next_ && next_->known_.contains(market))
    next_->set_volume(market, volume);
}

void market_finder::note(grams& into, std::string_view text, place at) {
  std::vector<std::uint32_t> each;
  for (std::size_t i = 0; i + gram_length <= text.size(); ++i)
    each.push_back(gram_at(text, i));
  std::sort(each.begin(), each.end());
  each.erase(std::unique(each.begin(), each.end()), each.end());
  for (const auto gram : each)
    into[gram].add(at);
}

// -- finding -----------------------------------------------------------------------------

/// The shortest way to what may hold the text; null when nothing does.
const market_finder::places* market_finder::rarest(const grams& from, std::string_view text) {
  const places* least = nullptr;
  for (std::size_t i = 0; i + gram_length <= text.size(); ++i) {
    const auto way = from.find(gram_at(text, i));
    if (way == from.end())
      return nullptr;
    if (!least || way->second.count() < least->count())
      least = &way->second;
  }
  return least;
}

/// All entries that may hold the text, until `visit` says false.
template <class Visitor>
void market_finder::candidates(const grams& from, std::string_view text, Visitor&& visit) const {
  if (text.size() >= gram_length) {
    if (const auto* way = rarest(from, text))
      way->each(visit);
    return;
  }
  for (place at = 0; at < entries_.size(); ++at)
    if (!visit(at))
      return;
}

market_finder::found market_finder::find(std::string_view text, page slice) const {
  const auto looked_for = folded(text);
  if (looked_for.empty())
    return {};
  const auto beginning = "\n" + looked_for;
  const auto whole = beginning + "\n";
  const auto& needle = looked_for.size() < gram_length ? beginning : looked_for;

  std::vector<match> matches;
  candidates(by_name_, needle, [&](place at) {
    const auto& names = entries_[at].names;
    if (holds(names, needle))
      matches.push_back({holds(names, whole) ? 0 : holds(names, beginning) ? 1 : 2, at});
    return true;
  });
  candidates(by_about_, needle, [&, left = limits::search_candidates_max](place at) mutable {
    if (entries_[at].market == profile_id{})
      return true;
    if (left-- == 0 || matches.size() >= static_cast<std::size_t>(limits::search_matches_max))
      return false;
    if (holds(entries_[at].about, needle) && !holds(entries_[at].names, needle))
      matches.push_back({3, at});
    return true;
  });

  const auto first = std::min(matches.size(), static_cast<std::size_t>(slice.offset));
  const auto last = std::min(matches.size(), first + static_cast<std::size_t>(slice.limit));
  const auto at = [&](std::size_t i) { return matches.begin() + static_cast<std::ptrdiff_t>(i); };
  const auto before = [this](const match& a, const match& b) {
    if (a.tier != b.tier)
      return a.tier < b.tier;
    const auto &left = entries_[a.at], &right = entries_[b.at];
    return left.volume != right.volume ? left.volume > right.volume : left.market < right.market;
  };
  if (first < last) { // those before the page need no order among themselves
    std::nth_element(matches.begin(), at(first), matches.end(), before);
    std::partial_sort(at(first), at(last), matches.end(), before);
  }
  found out{{}, static_cast<std::int64_t>(matches.size())};
  std::for_each(at(first), at(last), [&](const match& each) { out.markets.push_back(entries_[each.at].market); });
  return out;
}

market_finder::found market_finder::newest(page slice) {
  if (!in_order_)
    std::sort(opened_.begin(), opened_.end());
  in_order_ = true;
  found out{{}, static_cast<std::int64_t>(opened_.size())};
  auto at = opened_.rbegin() + std::min(static_cast<std::ptrdiff_t>(opened_.size()), static_cast<std::ptrdiff_t>(slice.offset));
  for (std::int32_t i = 0; i < slice.limit && at != opened_.rend(); ++i, ++at)
    out.markets.push_back(at->second);
  return out;
}

} // namespace credence::market
