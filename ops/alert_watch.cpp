#include "ops/alert_watch.hpp"

#include "ops/exposition.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace credence::ops {

namespace {

using namespace std::chrono_literals;

constexpr auto kept_every = 10s; // of windows that are minutes

bool matches(const label_match& wanted, const exposition::labels& of) {
  const auto found = std::find_if(of.begin(), of.end(), [&](const auto& each) { return each.name == wanted.name; });
  if (found == of.end())
    return false;
  for (auto rest = wanted.value;;) {
    const auto end = rest.find('|');
    if (rest.substr(0, end) == found->value)
      return true;
    if (end == rest.npos)
      return false;
    rest.remove_prefix(end + 1);
  }
}

/// Tells the series of a term apart: by the labels that it leaves open. A metric has one such label at most where it
/// matters.
std::string key_of(const term& of, const exposition::labels& with) {
  if (of.summed)
    return {};
  std::string out;
  for (const auto& each : with)
    if (std::none_of(of.where.begin(), of.where.end(),
                     [&](const label_match& fixed) { return fixed.name == each.name; }))
      out += (out.empty() ? "" : " ") + each.value;
  return out;
}

/// The 99th percentile of a duration whose buckets, by their bounds, got so many; as histogram_quantile of Prometheus.
std::optional<double> quantile(const std::map<std::string, double>& by_bound) {
  std::vector<std::pair<double, double>> buckets;
  for (const auto& [bound, count] : by_bound)
    buckets.emplace_back(std::strtod(bound.c_str(), nullptr), count);
  std::sort(buckets.begin(), buckets.end());
  if (buckets.size() < 2 || buckets.back().second <= 0)
    return std::nullopt;
  const auto wanted = 0.99 * buckets.back().second;
  double low = 0;
  double before = 0;
  for (const auto& [bound, count] : buckets) {
    if (count >= wanted)
      return std::isinf(bound) ? low : low + (bound - low) * (wanted - before) / (count - before);
    low = bound;
    before = count;
  }
  return low;
}

std::string text_of(double number, const char* what) {
  char text[48];
  std::snprintf(text, sizeof text, "%.3g%s", number, what);
  return text;
}

std::string value_text(double value, alert::unit in) {
  switch (in) {
    case alert::unit::share: return text_of(100 * value, " %");
    case alert::unit::seconds:
      return value < 1      ? text_of(1000 * value, " ms")
             : value < 120  ? text_of(value, " s")
             : value < 7200 ? text_of(std::floor(value / 60), " min")
                            : text_of(std::floor(value / 3600), " h");
    case alert::unit::none: break;
  }
  return value == std::floor(value) && std::abs(value) < 1e15 ? std::to_string(static_cast<std::int64_t>(value))
                                                              : text_of(value, "");
}

} // namespace

/// Of each series that the term means, what it shows now; of a summed one all in one.
alert_watch::numbers alert_watch::read(const term& of, const exposition& at) {
  numbers out;
  const auto name = std::string{of.metric} + (of.how == reading::quantile99 ? "_bucket" : "");
  at.each(name, [&](const exposition::labels& with, double value) {
    if (std::all_of(of.where.begin(), of.where.end(), [&](const label_match& each) { return matches(each, with); }))
      out[key_of(of, with)] += value;
  });
  if (of.how == reading::value)
    return out;
  if (of.how != reading::age)
    return over_window(of, kept_[&of], out);
  const auto seconds = std::chrono::duration<double>{wall_.time_since_epoch()}.count();
  std::erase_if(out, [](const auto& each) { return each.second <= 0; });
  for (auto& [key, value] : out)
    value = seconds - value;
  return out;
}

alert_watch::numbers alert_watch::over_window(const term& of, history& of_term, const numbers& now_read) {
  const auto begins = now_ - of.over;
  numbers out;
  for (const auto& [key, value] : now_read) {
    auto& points = of_term.points[key];
    while (points.size() > 1 && points[1].at <= begins)
      points.pop_front();
    if (of.how == reading::changes) {
      double changes = 0;
      for (std::size_t i = 1; i <= points.size(); ++i)
        changes += points[i - 1].value != (i < points.size() ? points[i].value : value);
      if (*began_ <= begins)
        out[key] = changes;
    } else {
      out[key] = value - (!points.empty() && points.front().at <= begins ? points.front().value : 0);
    }
    if (keeps_)
      points.push_back({now_, value});
  }
  if (of.how == reading::rate)
    for (auto& [key, value] : out)
      value /= std::chrono::duration<double>{of.over}.count();
  if (of.how == reading::quantile99) {
    const auto found = quantile(out);
    out.clear();
    if (found)
      out[{}] = *found;
  }
  return out;
}

/// Adds the terms up, series by series. A series that one of the terms lacks is left out.
alert_watch::numbers alert_watch::sum(const std::vector<term>& of, const exposition& at) {
  auto out = read(of.front(), at);
  for (std::size_t i = 1; i < of.size(); ++i) {
    const auto more = read(of[i], at);
    std::erase_if(out, [&](const auto& each) { return !more.contains(each.first); });
    for (auto& [key, value] : out)
      value += (of[i].subtracted ? -1 : 1) * more.at(key);
  }
  return out;
}

std::vector<alert_watch::judged> alert_watch::judge(const comparison& by, const exposition& at) {
  const auto numbers_now = sum(by.terms, at);
  const auto divisors = by.divisor.empty() ? numbers{} : sum(by.divisor, at);
  std::vector<judged> out;
  for (const auto& [key, number] : numbers_now) {
    auto value = number;
    if (!by.divisor.empty()) {
      const auto divisor = divisors.find(key);
      if (divisor == divisors.end() || divisor->second == 0)
        continue;
      value /= divisor->second;
    }
    if (by.against == comparison::how::is ? value == by.bound : value > by.bound)
      out.push_back({value, key});
  }
  return out;
}

/// Every comparison is judged, whatever the others say: each remembers its windows.
std::vector<alert_watch::judged> alert_watch::judge(const alert& by, const exposition& at) {
  std::vector<judged> out;
  for (const auto& all : by.when) {
    std::vector<judged> first;
    bool holds = true;
    for (const auto& each : all) {
      auto found = judge(each, at);
      holds = holds && !found.empty();
      if (&each == &all.front())
        first = std::move(found);
    }
    if (holds)
      out.insert(out.end(), std::make_move_iterator(first.begin()), std::make_move_iterator(first.end()));
  }
  return out;
}

namespace {

std::string filled(const alert& of, double value, const std::string& kinds) {
  std::string out;
  for (auto rest = of.summary; !rest.empty();) {
    const auto begin = rest.find('{');
    out += rest.substr(0, begin);
    if (begin == rest.npos)
      break;
    const auto end = rest.find('}', begin);
    out += rest.substr(begin + 1, end - begin - 1) == "value" ? value_text(value, of.in) : kinds;
    rest.remove_prefix(end + 1);
  }
  return out;
}

} // namespace

const std::set<std::string_view>& alert_watch::reads() {
  static const auto all = [] {
    std::set<std::string_view> out;
    for (const auto& each : alerts())
      for (const auto& together : each.when)
        for (const auto& one : together) {
          for (const auto& term : one.terms)
            out.insert(term.metric);
          for (const auto& term : one.divisor)
            out.insert(term.metric);
        }
    return out;
  }();
  return all;
}

void alert_watch::look(const exposition& at, steady now, wall at_wall) {
  now_ = now;
  wall_ = at_wall;
  if (!began_)
    began_ = now;
  keeps_ = !kept_at_ || now - *kept_at_ >= kept_every;
  if (keeps_)
    kept_at_ = now;
  holding_.clear();
  for (const auto& each : alerts()) {
    const auto found = judge(each, at);
    if (found.empty()) {
      since_.erase(&each);
      continue;
    }
    double most = -std::numeric_limits<double>::infinity();
    std::string kinds;
    for (const auto& series : found) {
      most = std::max(most, series.value);
      if (!series.kind.empty())
        kinds += (kinds.empty() ? "" : ", ") + series.kind;
    }
    const auto& since = since_.try_emplace(&each, now, at_wall).first->second;
    holding_.push_back({&each, filled(each, most, kinds), since.second, now - since.first >= each.after});
  }
}

} // namespace credence::ops
