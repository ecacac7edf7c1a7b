#include "actors/market/market_finder.hpp"

#include "actors/domain/text.hpp"

#include <algorithm>
#include <utility>

namespace credence::market {

namespace {

constexpr std::size_t gram_length = 3;

std::uint32_t gram_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + i])); };
  return byte(0) << 16 | byte(1) << 8 | byte(2);
}

/// A line end and one byte: what text of one byte is found by.
std::uint32_t beginning_at(std::string_view text, std::size_t at) {
  return static_cast<std::uint32_t>('\n') << 8 | static_cast<unsigned char>(text[at + 1]);
}

bool holds(std::string_view in, std::string_view text) { return in.find(text) != std::string_view::npos; }

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

bool market_finder::places::next(cursor& from) const {
  if (from.byte == steps_.size())
    return false;
  place step = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(steps_[from.byte++]);
    step |= static_cast<place>(byte & 0x7f) << shift;
    if (byte < 0x80)
      break;
  }
  from.at += step;
  return true;
}

// -- what is known -----------------------------------------------------------------------

void market_finder::put(const named_market& market) {
  entry next{market.market, market.created_at, market.volume, "\n", "\n" + folded(market.about)};
  for (const auto& each : market.names)
    next.names += folded(each) + "\n";
  if (const auto early = early_.find(market.market); early != early_.end()) {
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
    traded_.erase({old.volume, -next.market.value});
    traded_.insert({next.volume, -next.market.value});
    if (old.names == next.names && old.about == next.about) {
      old.volume = next.volume;
      return;
    }
    const auto gone = std::exchange(old, {}); // with the room of its texts, which an assignment would keep
    ++old_;
  } else {
    opened_.insert({next.created_at, next.market});
    traded_.insert({next.volume, -next.market.value});
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
    if (each.market != market_id{})
      next_->add(each);
  }
}

void market_finder::set_volume(market_id market, const wei& volume) {
  const auto where = known_.find(market);
  auto& kept = where == known_.end() ? early_[market] : entries_[where->second].volume;
  if (volume > kept) {
    if (where != known_.end()) {
      traded_.erase({kept, -market.value});
      traded_.insert({volume, -market.value});
    }
    kept = volume;
  }
  if (next_ && next_->known_.contains(market))
    next_->set_volume(market, volume);
}

void market_finder::note(grams& into, std::string_view text, place at) {
  std::vector<std::uint32_t> each;
  for (std::size_t i = 0; i + gram_length <= text.size(); ++i)
    each.push_back(gram_at(text, i));
  for (std::size_t i = 0; i + 1 < text.size(); ++i)
    if (text[i] == '\n')
      each.push_back(beginning_at(text, i));
  std::sort(each.begin(), each.end());
  each.erase(std::unique(each.begin(), each.end()), each.end());
  for (const auto gram : each)
    into[gram].add(at);
}

// -- finding -----------------------------------------------------------------------------

/// The shortest way to what may hold the text, which is three bytes at least or a line end and one;
/// null when nothing does.
const market_finder::places* market_finder::rarest(const grams& from, std::string_view text) {
  if (text.size() < gram_length) {
    const auto way = from.find(beginning_at(text, 0));
    return way == from.end() ? nullptr : &way->second;
  }
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

bool market_finder::better::operator()(const match& a, const match& b) const {
  if (a.tier != b.tier)
    return a.tier < b.tier;
  const auto &left = in->entries_[a.at], &right = in->entries_[b.at];
  return left.volume != right.volume ? left.volume > right.volume : left.market < right.market;
}

void market_finder::look_for(std::string_view text, page slice, timestamp since) {
  const auto looked_for = folded(text);
  const auto first = static_cast<std::size_t>(slice.offset);
  sliced_order<match, better> order{first, first + static_cast<std::size_t>(slice.limit), better{this}};
  search_.emplace(
    search{{}, "\n" + looked_for, "\n" + looked_for + "\n", nullptr, nullptr, since, {}, std::move(order)});
  if (looked_for.empty())
    return;
  search_->needle = looked_for.size() < gram_length ? search_->beginning : looked_for;
  search_->names = rarest(by_name_, search_->needle);
  search_->about = rarest(by_about_, search_->needle);
}

bool market_finder::work(std::size_t steps) {
  auto& now = *search_;
  for (; now.names && steps > 0; --steps) {
    if (!now.names->next(now.at)) {
      now.names = nullptr;
      now.at = {};
    } else if (const auto& each = entries_[now.at.at]; each.created_at >= now.since && holds(each.names, now.needle)) {
      now.order.add({holds(each.names, now.whole) ? 0 : holds(each.names, now.beginning) ? 1 : 2, now.at.at});
    }
  }
  for (; !now.names && now.about && steps > 0; --steps) {
    if (!now.about->next(now.at))
      now.about = nullptr;
    else if (const auto& each = entries_[now.at.at];
             each.created_at >= now.since && holds(each.about, now.needle) && !holds(each.names, now.needle))
      now.order.add({3, now.at.at});
  }
  return !now.names && !now.about && now.order.work(steps);
}

market_finder::found market_finder::take() {
  found out{{}, static_cast<std::int64_t>(search_->order.size())};
  for (const auto& each : search_->order.take())
    out.markets.push_back(entries_[each.at].market);
  search_.reset();
  return out;
}

market_finder::found market_finder::newest(page slice, bool ascending, timestamp since) const {
  const auto older = static_cast<std::int64_t>(opened_.order_of_key({since, market_id{}}));
  const auto all = static_cast<std::int64_t>(opened_.size());
  found out{{}, all - older};
  for (std::int64_t i = slice.offset; i < std::int64_t{slice.offset} + slice.limit && i < out.total; ++i)
    out.markets.push_back(opened_.find_by_order(static_cast<std::size_t>(ascending ? older + i : all - 1 - i))->second);
  return out;
}

market_finder::found market_finder::busiest(page slice, bool ascending) const {
  found out{{}, static_cast<std::int64_t>(traded_.size())};
  for (std::int64_t i = slice.offset; i < std::int64_t{slice.offset} + slice.limit && i < out.total; ++i)
    out.markets.push_back(
      market_id{-traded_.find_by_order(static_cast<std::size_t>(ascending ? i : out.total - 1 - i))->second});
  return out;
}

} // namespace credence::market
