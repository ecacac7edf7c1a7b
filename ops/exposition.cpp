#include "ops/exposition.hpp"

#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace credence::ops {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

bool is_decade(double seconds) {
  return seconds == 0.0001 || seconds == 0.001 || seconds == 0.01 || seconds == 0.1 || seconds == 1.0;
}

} // namespace

struct exposition::families {
  std::vector<MetricFamily> all;

  ClientMetric& add(std::string name, std::string help, MetricType type, labels with) {
    auto found = std::find_if(all.begin(), all.end(), [&](const MetricFamily& family) { return family.name == name; });
    if (found == all.end()) {
      found = all.insert(all.end(), MetricFamily{});
      found->name = std::move(name);
      found->help = std::move(help);
      found->type = type;
    }
    auto& metric = found->metric.emplace_back();
    for (auto& each : with)
      metric.label.push_back({std::move(each.name), std::move(each.value)});
    return metric;
  }
};

exposition::exposition() : families_(std::make_unique<families>()) {}
exposition::exposition(const names& only) : families_(std::make_unique<families>()), only_(&only) {}
exposition::~exposition() = default;

void exposition::counter_value(std::string name, std::string help, std::int64_t value, labels with) {
  if (wants(name))
    families_->add(std::move(name), std::move(help), MetricType::Counter, std::move(with)).counter.value =
      static_cast<double>(value);
}

void exposition::seconds_total(std::string name, std::string help, double value) {
  if (wants(name))
    families_->add(std::move(name), std::move(help), MetricType::Counter, {}).counter.value = value;
}

void exposition::gauge_value(std::string name, std::string help, double value, labels with) {
  if (wants(name))
    families_->add(std::move(name), std::move(help), MetricType::Gauge, std::move(with)).gauge.value = value;
}

void exposition::durations(std::string name, std::string help, const histogram& from, labels with, bucket_detail in) {
  if (!wants(name))
    return;
  const auto seen = from.read();
  auto& metric = families_->add(std::move(name), std::move(help), MetricType::Histogram, std::move(with));
  metric.histogram.sample_count = static_cast<std::uint64_t>(seen.count);
  metric.histogram.sample_sum = seen.sum_seconds;
  std::int64_t so_far = 0;
  for (std::size_t i = 0; i < histogram::bounds_seconds.size(); ++i) {
    so_far += seen.buckets[i];
    if ((in == bucket_detail::half && i % 2 == 0)
        || (in == bucket_detail::decades && !is_decade(histogram::bounds_seconds[i]))
        || (in == bucket_detail::one && histogram::bounds_seconds[i] != 0.1))
      continue;
    metric.histogram.bucket.push_back({static_cast<std::uint64_t>(so_far), histogram::bounds_seconds[i]});
  }
  metric.histogram.bucket.push_back({static_cast<std::uint64_t>(seen.count), std::numeric_limits<double>::infinity()});
}

void exposition::add(const metric_group& all, const labels& with) {
  for (const auto& one : all.all()) {
    auto told = with;
    if (!one.label.empty())
      told.push_back({one.label, one.value});
    if (const auto* const* from = std::get_if<const counter*>(&one.of))
      counter_value(one.name, one.help, (*from)->value(), std::move(told));
    else if (const auto* const* took = std::get_if<const histogram*>(&one.of))
      durations(one.name, one.help, **took, std::move(told), one.detail);
    else {
      const auto* const* high = std::get_if<const peak*>(&one.of);
      const auto value = high ? (*high)->value() : std::get<const gauge*>(one.of)->value();
      gauge_value(one.name, one.help, static_cast<double>(value) / one.unit, std::move(told));
    }
  }
}

void exposition::each(std::string_view name, const on_sample& tell) const {
  constexpr std::string_view of_buckets = "_bucket";
  const bool buckets = name.ends_with(of_buckets);
  const auto family = buckets ? name.substr(0, name.size() - of_buckets.size()) : name;
  for (const auto& found : families_->all) {
    if (found.name != family || buckets != (found.type == MetricType::Histogram))
      continue;
    for (const auto& metric : found.metric) {
      labels with;
      for (const auto& label : metric.label)
        with.push_back({label.name, label.value});
      if (!buckets) {
        tell(with, found.type == MetricType::Counter ? metric.counter.value : metric.gauge.value);
        continue;
      }
      for (const auto& bucket : metric.histogram.bucket) {
        auto of_bucket = with;
        of_bucket.push_back({"le", std::to_string(bucket.upper_bound)});
        tell(of_bucket, static_cast<double>(bucket.cumulative_count));
      }
    }
  }
}

std::string exposition::text() const { return prometheus::TextSerializer{}.Serialize(families_->all); }

} // namespace credence::ops
