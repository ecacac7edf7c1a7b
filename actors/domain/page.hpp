#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace credence {

/// Which slice of a list is wanted; already checked against the endpoint's bounds.
struct page {
  std::int32_t limit = 50;
  std::int32_t offset = 0;
};

/// Sorts many values in small steps, so that other work of the thread waits for one step only: runs are sorted as they
/// fill, and merged as far as the page needs. Where the results of `Less` change meanwhile, values are ordered by what
/// it said at some time in between.
template <class T, class Less>
class sliced_order {
public:
  static constexpr std::size_t run_length = 2048;

  /// Of the values in order, those from place `first` to before `last` are wanted.
  sliced_order(std::size_t first, std::size_t last, Less less)
    : less_(std::move(less)), at_(0), first_(first), last_(last) {}

  /// All values are added before `work`.
  void add(T value) {
    if (filled_ == runs_.size())
      runs_.emplace_back();
    runs_.back().values.push_back(std::move(value));
    ++size_;
    if (runs_.back().values.size() == run_length)
      end_run();
  }
  std::size_t size() const noexcept { return size_; }

  /// Goes on for as many values. True when the page is there.
  bool work(std::size_t steps) {
    if (filled_ < runs_.size())
      end_run();
    if (!merging_) {
      merging_ = true;
      for (std::size_t i = 0; i < runs_.size(); ++i)
        if (!runs_[i].values.empty())
          heads_.push_back(i);
      std::make_heap(heads_.begin(), heads_.end(), later());
    }
    for (; steps > 0 && at_ < last_ && !heads_.empty(); --steps, ++at_) {
      std::pop_heap(heads_.begin(), heads_.end(), later());
      auto& first_of_all = runs_[heads_.back()];
      if (at_ >= first_)
        page_.push_back(std::move(first_of_all.values[first_of_all.next]));
      if (++first_of_all.next == first_of_all.values.size())
        heads_.pop_back();
      else
        std::push_heap(heads_.begin(), heads_.end(), later());
    }
    return at_ >= last_ || heads_.empty();
  }
  /// The page, once it is there.
  std::vector<T> take() { return std::move(page_); }

private:
  struct run {
    std::vector<T> values;
    std::size_t next = 0;
  };

  auto later() const {
    return [this](std::size_t a, std::size_t b) {
      const auto& left = runs_[a];
      const auto& right = runs_[b];
      return less_(right.values[right.next], left.values[left.next]);
    };
  }
  /// A run keeps no more values than the page reaches to: any others would come behind the page in the whole order.
  void end_run() {
    auto& values = runs_.back().values;
    const auto kept = std::min(values.size(), last_);
    std::partial_sort(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(kept), values.end(), less_);
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(kept), values.end());
    values.shrink_to_fit();
    filled_ = runs_.size();
  }

  Less less_;
  std::vector<run> runs_;
  std::size_t filled_ = 0; // runs that are sorted
  std::size_t size_ = 0;
  bool merging_ = false;
  std::vector<std::size_t> heads_; // a heap of runs that are not used up
  std::size_t at_;
  std::size_t first_;
  std::size_t last_;
  std::vector<T> page_;
};

} // namespace credence
