#pragma once

#include "ops/metrics.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace credence::ops {

/// The text that a scrape is answered with: collects families in the order they are named.
class exposition {
public:
  struct label {
    std::string name;
    std::string value;
  };
  using labels = std::vector<label>;
  using names = std::set<std::string_view>;

  exposition();
  /// Collects the families of these names alone, which must outlive it.
  explicit exposition(const names& only);
  exposition(const exposition&) = delete;
  exposition& operator=(const exposition&) = delete;
  ~exposition();

  void counter_value(std::string name, std::string help, std::int64_t value, labels with = {});
  void seconds_total(std::string name, std::string help, double value);
  void gauge_value(std::string name, std::string help, double value, labels with = {});
  void durations(std::string name, std::string help, const histogram& from, labels with = {},
                 bucket_detail in = bucket_detail::all);
  /// What the metrics of a group show, each with its own label and these.
  void add(const metric_group& all, const labels& with = {});
  std::string text() const;
  /// Whether a family of this name is collected; what costs more than a look at memory is asked for after this.
  bool wants(std::string_view name) const { return !only_ || only_->contains(name); }

  /// One line of the text. Of a duration there is one for each bucket, as `NAME_bucket` with its bound as `le`.
  using on_sample = std::function<void(const labels&, double value)>;
  /// Tells of each series of that name.
  void each(std::string_view name, const on_sample& tell) const;

private:
  struct families;
  std::unique_ptr<families> families_;
  const names* only_ = nullptr; // null: all
};

} // namespace credence::ops
