#include "actors/integrity/dense_groups.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace credence::integrity {

namespace {

using numbers = std::vector<std::uint32_t>;

/// The profiles of a graph, numbered, and whom each is joined to.
struct graph {
  members ids;
  std::vector<numbers> joined_to;
};

graph graph_of(const std::vector<pair_found>& edges) {
  graph out;
  for (const auto& each : edges) {
    const auto [a, b] = both_of(each.pair);
    out.ids.push_back(a);
    out.ids.push_back(b);
  }
  std::sort(out.ids.begin(), out.ids.end());
  out.ids.erase(std::unique(out.ids.begin(), out.ids.end()), out.ids.end());
  out.joined_to.resize(out.ids.size());
  const auto number = [&](std::int32_t id) {
    return static_cast<std::uint32_t>(std::lower_bound(out.ids.begin(), out.ids.end(), id) - out.ids.begin());
  };
  for (const auto& each : edges) {
    const auto [a, b] = both_of(each.pair);
    out.joined_to[number(a)].push_back(number(b));
    out.joined_to[number(b)].push_back(number(a));
  }
  return out;
}

class dense_parts {
public:
  dense_parts(const graph& of, std::size_t size_min)
    : graph_(of), size_min_(size_min), part_of_(of.ids.size(), 0), degree_(of.ids.size(), 0) {}

  std::vector<members> find() {
    numbers all(graph_.ids.size());
    std::iota(all.begin(), all.end(), 0u);
    std::vector<std::pair<numbers, std::uint32_t>> waiting{{std::move(all), 2}};
    while (!waiting.empty()) {
      auto [part, least] = std::move(waiting.back());
      waiting.pop_back();
      for (auto& each : joined_parts(peeled(std::move(part), least)))
        if (each.size() >= size_min_) {
          if (is_dense(each))
            keep(each);
          else
            waiting.emplace_back(std::move(each), least + 1);
        }
    }
    std::sort(found_.begin(), found_.end());
    return std::move(found_);
  }

private:
  void mark(const numbers& part) {
    ++marks_;
    for (const auto each : part)
      part_of_[each] = marks_;
  }

  /// Those of a part that are joined to `least` others that stay, too.
  numbers peeled(numbers part, std::uint32_t least) {
    mark(part);
    numbers going;
    for (const auto each : part) {
      degree_[each] =
        static_cast<std::uint32_t>(std::count_if(graph_.joined_to[each].begin(), graph_.joined_to[each].end(),
                                                 [&](std::uint32_t other) { return part_of_[other] == marks_; }));
      if (degree_[each] < least)
        going.push_back(each);
    }
    for (std::size_t i = 0; i < going.size(); ++i) {
      part_of_[going[i]] = 0;
      for (const auto other : graph_.joined_to[going[i]])
        if (part_of_[other] == marks_ && degree_[other]-- == least)
          going.push_back(other);
    }
    std::erase_if(part, [&](std::uint32_t each) { return part_of_[each] != marks_; });
    return part;
  }

  std::vector<numbers> joined_parts(const numbers& part) {
    mark(part);
    std::vector<numbers> out;
    for (const auto from : part) {
      if (part_of_[from] != marks_)
        continue;
      numbers reached{from};
      part_of_[from] = 0;
      for (std::size_t i = 0; i < reached.size(); ++i)
        for (const auto other : graph_.joined_to[reached[i]])
          if (part_of_[other] == marks_) {
            part_of_[other] = 0;
            reached.push_back(other);
          }
      out.push_back(std::move(reached));
    }
    return out;
  }

  bool is_dense(const numbers& part) {
    mark(part);
    std::size_t ends = 0;
    for (const auto each : part)
      ends += static_cast<std::size_t>(std::count_if(graph_.joined_to[each].begin(), graph_.joined_to[each].end(),
                                                     [&](std::uint32_t other) { return part_of_[other] == marks_; }));
    return ends * 2 >= part.size() * (part.size() - 1);
  }

  void keep(const numbers& part) {
    members out;
    for (const auto each : part)
      out.push_back(graph_.ids[each]);
    std::sort(out.begin(), out.end());
    found_.push_back(std::move(out));
  }

  const graph& graph_;
  std::size_t size_min_;
  numbers part_of_; // the mark of the part that a profile is in
  numbers degree_;  // within it
  std::uint32_t marks_ = 0;
  std::vector<members> found_;
};

} // namespace

std::vector<members> dense_groups(const std::vector<pair_found>& edges, std::size_t size_min) {
  const auto all = graph_of(edges);
  return dense_parts{all, size_min}.find();
}

double decades_holding(const members& group, const std::vector<pair_found>& edges_by_pair) {
  std::vector<pair_found> among;
  for (std::size_t i = 0; i < group.size(); ++i)
    for (std::size_t j = i + 1; j < group.size(); ++j) {
      const auto pair = pair_of(group[i], group[j]);
      const auto found =
        std::lower_bound(edges_by_pair.begin(), edges_by_pair.end(), pair,
                         [](const pair_found& edge, std::uint64_t wanted) { return edge.pair < wanted; });
      if (found != edges_by_pair.end() && found->pair == pair)
        among.push_back(*found);
    }
  std::sort(among.begin(), among.end(), [](const pair_found& a, const pair_found& b) { return a.decades > b.decades; });
  std::unordered_map<std::int32_t, std::int32_t> leads_to; // each member to another one of its tree
  for (const auto each : group)
    leads_to[each] = each;
  const auto root = [&](std::int32_t of) {
    while (leads_to[of] != of)
      of = leads_to[of] = leads_to[leads_to[of]];
    return of;
  };
  double sum = 0;
  for (const auto& each : among) {
    const auto [a, b] = both_of(each.pair);
    if (const auto one = root(a), other = root(b); one != other) {
      leads_to[one] = other;
      sum += each.decades;
    }
  }
  return sum;
}

} // namespace credence::integrity
