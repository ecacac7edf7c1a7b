#include "actors/integrity/rings.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

namespace credence::integrity {

namespace {

timestamp at_second(std::uint32_t second) { return timestamp{std::chrono::seconds{second}}; }

std::vector<std::int32_t> united(const std::vector<std::int32_t>& first, const std::vector<std::int32_t>& more) {
  auto out = first;
  for (const auto each : more)
    if (out.size() < ring_seen_max && !std::binary_search(first.begin(), first.end(), each))
      out.push_back(each);
  std::sort(out.begin(), out.end());
  return out;
}

/// Two rings that may be one.
struct likeness {
  std::size_t known = 0;
  std::size_t found = 0;
  std::size_t common = 0; // members
};

std::vector<likeness> alike(const std::vector<ring>& known, const std::vector<ring>& found) {
  std::unordered_map<std::int32_t, std::vector<std::size_t>> rings_with;
  for (std::size_t i = 0; i < known.size(); ++i)
    for (const auto each : known[i].members)
      rings_with[each].push_back(i);
  std::vector<likeness> out;
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::map<std::size_t, std::size_t> common;
    for (const auto each : found[i].members)
      if (const auto with = rings_with.find(each); with != rings_with.end())
        for (const auto which : with->second)
          ++common[which];
    for (const auto& [which, members] : common)
      if (2 * members > std::min(known[which].members.size(), found[i].members.size()))
        out.push_back({which, i, members});
  }
  return out;
}

} // namespace

ring as_found(const found_group& group) {
  ring out;
  for (const auto& each : group.members)
    out.members.push_back(each.profile);
  std::sort(out.members.begin(), out.members.end());
  out.seen = out.members;
  out.decades = group.decades;
  out.sign_decades.assign(signs_known, 0);
  out.sign_pairs.assign(signs_known, 0);
  for (const auto& each : group.signs) {
    out.sign_decades[static_cast<std::size_t>(each.what)] = static_cast<std::int32_t>(std::floor(each.decades));
    out.sign_pairs[static_cast<std::size_t>(each.what)] = each.pairs;
  }
  out.mutual.assign(group.mutual.begin(), group.mutual.end());
  out.moments = group.moments_all;
  const auto [first, last] = span_of(group);
  out.first_at = at_second(first);
  out.last_at = at_second(last);
  return out;
}

void find_again(ring& known, const ring& found) {
  const bool grown = !std::includes(known.seen.begin(), known.seen.end(), found.members.begin(), found.members.end());
  auto next = found;
  next.id = known.id;
  next.change = grown ? ring_change::grown : ring_change::same;
  next.mark = grown ? ring_mark::open : known.mark;
  next.marked_by = known.marked_by;
  next.marked_at = known.marked_at;
  next.remark = known.remark;
  next.first_found = known.first_found;
  next.runs = known.runs + 1;
  next.seen = united(found.members, known.seen);
  known = std::move(next);
}

std::vector<std::optional<std::size_t>> recognise(const std::vector<ring>& known, const std::vector<ring>& found) {
  auto pairs = alike(known, found);
  std::sort(pairs.begin(), pairs.end(), [](const likeness& a, const likeness& b) {
    return std::tuple{b.common, a.known, a.found} < std::tuple{a.common, b.known, b.found};
  });
  std::vector<std::optional<std::size_t>> out(found.size());
  std::vector<bool> taken(known.size());
  for (const auto& each : pairs)
    if (!out[each.found] && !taken[each.known]) {
      out[each.found] = each.known;
      taken[each.known] = true;
    }
  return out;
}

found_group group_of(const ring& stored) {
  found_group out;
  for (const auto each : stored.members)
    out.members.push_back({each, 0});
  for (std::size_t i = 0; i < signs_known; ++i)
    if (stored.sign_pairs[i] > 0)
      out.signs.push_back({static_cast<sign>(i), static_cast<double>(stored.sign_decades[i]), stored.sign_pairs[i]});
  std::stable_sort(out.signs.begin(), out.signs.end(),
                   [](const sign_seen& a, const sign_seen& b) { return a.decades > b.decades; });
  out.decades = stored.decades;
  out.moments_all = stored.moments;
  std::copy_n(stored.mutual.begin(), tie_kinds, out.mutual.begin());
  return out;
}

std::pair<std::uint32_t, std::uint32_t> span_of(const found_group& group) {
  std::uint32_t first = UINT32_MAX;
  std::uint32_t last = 0;
  for (const auto& each : group.moments) {
    first = std::min(first, each.first);
    last = std::max(last, each.last);
  }
  if (group.moments.empty())
    for (const auto& each : group.members) {
      first = std::min(first, each.second);
      last = std::max(last, each.second);
    }
  return {std::min(first, last), last};
}

} // namespace credence::integrity
